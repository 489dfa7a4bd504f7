// SPDX-License-Identifier: GPL-2.0-or-later
#include "check_compare.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "check/fault.h"

/* What perf said first, without the end of the line. */
static void first_line(char *out, size_t size, const char *text)
{
	size_t length = strcspn(text, "\n");

	snprintf(out, size, "%.*s", (int)(length < 400 ? length : 400), text);
}

static void advise(const struct compared *compared, bool fixed, double most, char *advice,
		   size_t size)
{
	const struct fault *fault = fault__of(compared, fixed);
	char said[512];

	first_line(said, sizeof(said), compared->errors);
	if (compared->timed_out)
		snprintf(advice, size, "it did not end within the time it has");
	else if (compared->status && *said)
		snprintf(advice, size, "it exited with %d and said '%s'%s%s%s%s", compared->status,
			 said, fault ? ": " : "", fault ? fault->text : "", fault ? ": " : "",
			 fault ? fault->cure : "");
	else if (fault)
		snprintf(advice, size, "%s: %s", fault->text, fault->cure);
	else
		snprintf(advice, size,
			 "more than --max-differ=%g per cent, and no known fault explains it: "
			 "without -q the first differences are shown",
			 most);
}

static int judge(struct check_result *result, const struct compared *compared)
{
	double most = result->arguments->max_differ;
	double percent = compared->samples
				 ? check__percent(compared->samples_differing, compared->samples)
				 : 0;
	bool passed =
		!compared->status && !compared->timed_out && compared->samples && percent <= most;
	char name[1200], found[400], advice[1024];

	snprintf(name, sizeof(name), "--perf=%s", compared->perf);
	snprintf(found, sizeof(found),
		 "perf %s differs in %" PRIu64 " of %" PRIu64 " samples (%.2f %%), in %" PRIu64
		 " of %" PRIu64 " frames",
		 *compared->build.version ? compared->build.version : "of unknown version",
		 compared->samples_differing, compared->samples, percent,
		 compared->frames_differing, compared->frames);
	advise(compared, result->check.fixed, most, advice, sizeof(advice));
	return check_verdicts__add(&result->verdicts, name, found, passed ? NULL : advice);
}

static int compare_with(struct check_result *result, struct comparison *comparison,
			const char *perf, struct diag *diag)
{
	const struct check_arguments *arguments = result->arguments;
	const struct perf_script_options options = {
		.perf = perf,
		.profile = arguments->input,
		.symfs = arguments->check.unwind.symfs,
		.buildid_dir = arguments->check.unwind.buildid_dir,
	};
	struct compared compared;
	int err = comparison__run(comparison, &options, &compared);

	if (err && err != -ENOMEM)
		diag__report(diag, DIAG_ERROR, "perf.run", perf, DIAG_NO_OFFSET, "can't be run: %s",
			     strerror(-err));
	if (err)
		return err;
	if (!array__push(&result->compared, compared))
		return -ENOMEM;
	return judge(result, &compared);
}

int check_compare__run(struct check_result *result, struct comparison *comparison,
		       struct diag *diag)
{
	int err = 0;

	array__for_each(perf, &result->arguments->perfs)
		if (!err)
			err = compare_with(result, comparison, *perf, diag);
	return err;
}
