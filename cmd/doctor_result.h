/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perfjit-doctor found, and the forms in which it is told. */
#ifndef PERFJIT_CMD_DOCTOR_RESULT_H
#define PERFJIT_CMD_DOCTOR_RESULT_H

#include <stdio.h>

#include "doctor/diagnosis.h"
#include "doctor_options.h"
#include "exit.h"
#include "messages.h"

enum patient_kind {
	PATIENT_PERF,
	PATIENT_RECORDING,
	PATIENT_DUMP,
};

/* One thing that was examined. */
struct patient {
	enum patient_kind kind;
	const char *path;
	bool examined; /* what follows is set */
	struct diagnosis diagnosis;
	struct recording_counts counts; /* of a recording */
};

struct doctor_result {
	const struct doctor_options *options;
	const struct messages *messages;
	const char *perf; /* what was probed; NULL: there is none */
	struct perf_probe probe;
	ARRAY(struct patient) patients;
	enum exit_code code;
};

const char *patient_kind__word(enum patient_kind kind);
const char *finding_weight__word(enum finding_weight weight);
const char *probe_status__word(enum probe_status status);

void doctor_result__print_text(const struct doctor_result *result, FILE *stream);
/* The same and all that was looked at, for others to read. */
void doctor_result__print_report(const struct doctor_result *result, FILE *stream);
/* Of this command, the system and the perf. */
void doctor_result__print_versions(const struct doctor_result *result, FILE *stream);
/* 0 or -ENOMEM */
int doctor_result__print_json(const struct doctor_result *result, FILE *stream);

/*
 * A text as it may be printed: without control characters and, if it is to be redacted, without
 * paths. Valid until the next but three.
 */
const char *doctor_result__text(const struct doctor_result *result, const char *text);

#endif
