/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came of a run of perfjit-check, and the forms in which it is told. */
#ifndef PERFJIT_CMD_CHECK_RESULT_H
#define PERFJIT_CMD_CHECK_RESULT_H

#include <stdio.h>

#include "check/compare.h"
#include "check/judge.h"
#include "check_options.h"
#include "exit.h"
#include "messages.h"

struct check_result {
	const struct check_arguments *arguments;
	const struct messages *messages;
	bool counted; /* check holds numbers: the profile could be read */
	struct check check;
	struct check_verdicts verdicts;
	ARRAY(struct compared) compared; /* with each --perf */
	bool drawn; /* the page of --flamegraph is written */
	enum exit_code code;
};

/* For people. */
void check_result__print_text(const struct check_result *result, FILE *stream);
/* One JSON object, which perfjit-check(1) describes. 0 or -ENOMEM. */
int check_result__print_json(const struct check_result *result, FILE *stream);
/* A test for each verdict; what can't be read is "Bail out!". */
void check_result__print_tap(const struct check_result *result, FILE *stream);
/* A testcase for each verdict. */
void check_result__print_junit(const struct check_result *result, FILE *stream);
/* Workflow commands of GitHub Actions. */
void check_result__print_github(const struct check_result *result, FILE *stream);
/* Markdown, for GITHUB_STEP_SUMMARY. */
void check_result__print_markdown(const struct check_result *result, FILE *stream);

/* "12 frames" and the like in one form for all: "98.2", "100", "-" when there is nothing. */
char *check_result__percent(char out[16], uint64_t part, uint64_t whole);
/* The message of the first error, or NULL. */
const char *check_result__error(const struct check_result *result);

#endif
