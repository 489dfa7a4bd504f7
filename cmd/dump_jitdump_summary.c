// SPDX-License-Identifier: GPL-2.0-or-later
/* What closes a jitdump: counts, what is odd, whether it matters, whose doing it looks like. */
#include <inttypes.h>

#include "dump_jitdump.h"

static const char *effect_word(enum oddity_effect effect)
{
	static const char *const words[] = { "harmless", "perf_wrong", "loss" };

	return words[effect];
}

static const char *origin_word(enum oddity_origin origin)
{
	static const char *const words[] = { "producer", "recording", "copy", "nobody" };

	return words[origin];
}

static void print_counts(struct dump_jitdump *print)
{
	struct record_printer *printer = &print->dump->printer;
	const struct jitdump_examination *ex = print->examination;
	const struct jitdump_stats *stats = &ex->stats;

	printer__begin(printer, "summary", DIAG_NO_OFFSET);
	printer__number(printer, "records", ex->records);
	printer__number(printer, "loads", stats->loads);
	printer__number(printer, "moves", stats->moves);
	printer__number(printer, "debug_infos", stats->debug_infos);
	printer__number(printer, "debug_info2s", stats->debug_info2s);
	printer__number(printer, "unwinding_infos", stats->unwinding_infos);
	printer__number(printer, "closes", stats->closes);
	printer__number(printer, "unknown", stats->unknown);
	printer__number(printer, "unusable", stats->unusable);
	printer__number(printer, "skipped_bytes", stats->skipped_bytes);
	printer__number(printer, "resyncs", stats->resyncs);
	printer__number(printer, "truncated_bytes", stats->truncated_bytes);
	printer__number(printer, "functions", print->functions.by_place.count);
	printer__number(printer, "functions_with_cfi", ex->with_cfi);
	printer__number(printer, "functions_with_lines", ex->with_lines);
	printer__number(printer, "functions_over_others", ex->reloaded);
	printer__number(printer, "code_bytes", ex->code_bytes);
	printer__time(printer, "first_time", ex->first_time);
	printer__time(printer, "last_time", ex->last_time);
	printer__end(printer);
}

static void print_count_object(struct record_printer *printer, const struct oddity_count *count)
{
	printer__begin(printer, "oddities", DIAG_NO_OFFSET);
	printer__word(printer, "kind", count->kind);
	printer__number(printer, "count", count->count);
	if (count->first != DIAG_NO_OFFSET)
		printer__number(printer, "first", count->first);
	printer__word(printer, "effect", effect_word(count->about->effect));
	printer__word(printer, "origin", origin_word(count->about->origin));
	printer__text(printer, "meaning", count->about->meaning);
	printer__end(printer);
}

static void print_count_text(struct record_printer *printer, const struct oddity_count *count)
{
	static const char *const effects[] = { "costs nothing", "perf inject --jit goes wrong",
					       "something is lost" };
	static const char *const origins[] = { "the runtime's doing", "the recording's",
					       "damaged afterwards", "as it should be" };
	static const enum diag_level levels[] = { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };
	enum oddity_effect effect = count->about->effect;

	fprintf(printer->stream, "odd %s%s%s: %" PRIu64 " time%s",
		printer__color(printer, levels[effect]), count->kind, printer__plain(printer),
		count->count, count->count == 1 ? "" : "s");
	if (count->first != DIAG_NO_OFFSET)
		fprintf(printer->stream, ", first at byte 0x%" PRIx64, count->first);
	fprintf(printer->stream, "; %s; %s\n    %s\n", effects[effect],
		origins[count->about->origin], count->about->meaning);
	if (count->count > EXAMINE_KEPT)
		fprintf(printer->stream, "    Only the first %d are shown one by one.\n",
			EXAMINE_KEPT);
}

void dump_jitdump__summary(struct dump_jitdump *print)
{
	struct record_printer *printer = &print->dump->printer;

	print_counts(print);
	array__for_each(count, &print->examination->counts) {
		if (printer->json)
			print_count_object(printer, count);
		else
			print_count_text(printer, count);
	}
}
