// SPDX-License-Identifier: GPL-2.0-or-later
/* What perfjit-doctor says to people: the cause first, then what shows it and what to do. */
#include <inttypes.h>
#include <string.h>

#include "check/counts.h"
#include "doctor_result.h"

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"
/* As many findings are told with all that is known of them; the others in a line each. */
#define TOLD_FULLY 1

struct printer {
	const struct doctor_result *result;
	FILE *stream;
	bool color;
	bool fully; /* all findings */
};

static const char *text(const struct printer *printer, const char *line)
{
	return doctor_result__text(printer->result, line);
}

/* A sentence from a part of one, which begins with the name of what it is about. */
static void print_sentence(const struct printer *printer, const char *name, const char *part)
{
	const char *line = text(printer, part);

	fprintf(printer->stream, "%s%s%s.\n", name ? text(printer, name) : "", name ? ": " : "",
		line);
}

static void print_field(const struct printer *printer, const char *name, const char *value)
{
	if (value)
		fprintf(printer->stream, "  %-8s %s\n", name, text(printer, value));
}

static void print_effect(const struct printer *printer, const struct finding *finding)
{
	if (finding->of)
		fprintf(printer->stream,
			"  Effect   %" PRIu64 " of %" PRIu64 " samples (%.1f %%)\n",
			finding->samples, finding->of,
			check__percent(finding->samples, finding->of));
}

static void print_details(const struct printer *printer, const struct finding *finding)
{
	print_field(printer, "Seen", finding->evidence);
	print_effect(printer, finding);
	print_field(printer, "Builds", finding->builds);
	print_field(printer, "Do", finding->cure);
	if (printer->fully)
		print_field(printer, "Type", finding->command);
}

static void print_other(const struct printer *printer, const struct finding *finding)
{
	fprintf(printer->stream, "%s [%s] %s", finding->weight == FINDING_NOTE ? "note" : "also",
		finding->slug, text(printer, finding->what));
	if (finding->of)
		fprintf(printer->stream, " (%" PRIu64 " of %" PRIu64 " samples)", finding->samples,
			finding->of);
	fputc('\n', printer->stream);
	if (printer->fully)
		print_details(printer, finding);
}

static void print_next(const struct printer *printer, const struct patient *patient)
{
	const char *next = diagnosis__next(&patient->diagnosis);

	if (next)
		fprintf(printer->stream, "Next: %s\n", text(printer, next));
}

static void print_after(const struct printer *printer, const struct patient *patient)
{
	const struct check_counts *before = &patient->counts.before;
	const struct check_counts *after = &patient->counts.after;

	if (!patient->counts.fixed)
		return;
	fprintf(printer->stream,
		"With perfjit-fix: %" PRIu64 " of %" PRIu64 " frames in JIT code named (%" PRIu64
		" before), %" PRIu64 " of %" PRIu64 " chains complete (%" PRIu64 " before)\n",
		after->jit_frames_named, after->jit_frames, before->jit_frames_named,
		after->ends[CHECK_COMPLETE], after->chains, before->ends[CHECK_COMPLETE]);
}

static const char *subject(const struct printer *printer, const struct patient *patient, char *out,
			   size_t size)
{
	const struct perf_probe *probe = &printer->result->probe;

	if (patient->kind == PATIENT_PERF)
		snprintf(out, size, "%s (%s, %s)", patient->path,
			 *probe->build.version ? probe->build.version : "version unknown",
			 perf_unwinder__text(probe->unwinder));
	else
		snprintf(out, size, "%s", patient->path);
	return out;
}

static void print_patient(const struct printer *printer, const struct patient *patient)
{
	const struct diagnosis *diagnosis = &patient->diagnosis;
	bool bad = diagnosis__is_bad(diagnosis);
	char name[512];
	size_t i = 0;

	if (printer->color)
		fputs(BOLD, printer->stream);
	print_sentence(printer, bad ? subject(printer, patient, name, sizeof(name)) : NULL,
		       bad ? diagnosis->findings.items[0].what : diagnosis->sound);
	if (printer->color)
		fputs(PLAIN, printer->stream);
	if (printer->result->options->quiet)
		return;
	array__for_each(finding, &diagnosis->findings) {
		if (bad && i++ < TOLD_FULLY)
			print_details(printer, finding);
		else
			print_other(printer, finding);
	}
	print_after(printer, patient);
	print_next(printer, patient);
}

static void print_probes(const struct printer *printer)
{
	const struct perf_probe *probe = &printer->result->probe;

	for (enum probe i = 0; i < PROBES; i++)
		fprintf(printer->stream, "  %-8s %-52s %s\n",
			probe_status__word(probe->results[i].status), probe__about(i)->able,
			text(printer, probe->results[i].evidence));
}

void doctor_result__print_text(const struct doctor_result *result, FILE *stream)
{
	struct printer printer = {
		.result = result,
		.stream = stream,
		.color = color__wanted(result->options->color, stream),
		.fully = result->options->verbose > 0,
	};
	bool any = false;

	array__for_each(patient, &result->patients) {
		if (!patient->examined)
			continue;
		if (any && !result->options->quiet)
			fputc('\n', stream);
		any = true;
		print_patient(&printer, patient);
	}
	if (any && result->perf && result->options->verbose) {
		fprintf(stream, "\nWhat %s does:\n", text(&printer, result->perf));
		print_probes(&printer);
	}
}

static void print_counts(const struct printer *printer, const struct patient *patient)
{
	const struct check_counts *counts = &patient->counts.before;

	if (patient->kind != PATIENT_RECORDING)
		return;
	fprintf(printer->stream,
		"Counts: %" PRIu64 " samples, %" PRIu64 " through JIT code; %" PRIu64
		" frames in JIT code, %" PRIu64 " named; %" PRIu64 " chains, %" PRIu64
		" complete; %" PRIu64 " stack copies, %" PRIu64 " full; %" PRIu64
		" lost; runtime %s\n",
		counts->samples, patient->counts.jit, counts->jit_frames, counts->jit_frames_named,
		counts->chains, counts->ends[CHECK_COMPLETE], patient->counts.stacks,
		patient->counts.full, patient->counts.lost,
		patient->counts.runtime ? patient->counts.runtime : "unknown");
}

void doctor_result__print_report(const struct doctor_result *result, FILE *stream)
{
	struct printer printer = { .result = result, .stream = stream, .fully = true };

	doctor_result__print_versions(result, stream);
	if (result->perf) {
		fprintf(stream, "\nProbes of that perf:\n");
		print_probes(&printer);
	}
	array__for_each(patient, &result->patients) {
		if (!patient->examined)
			continue;
		fprintf(stream, "\n--- %s ---\n", patient_kind__word(patient->kind));
		print_patient(&printer, patient);
		print_counts(&printer, patient);
	}
}
