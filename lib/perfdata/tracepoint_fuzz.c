// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: tracing data as it comes, in front of it the raw bytes of a sample (the first
 * byte says how many), whose fields are then printed.
 */
#include <stdlib.h>

#include "base/diag.h"
#include "perfdata/tracepoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libtraceevent loses a token where a format ends in the midst of a field: not ours to free. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

static void print_fields(const struct tracepoint *tracepoint, struct bytes raw,
			 enum byte_order order)
{
	char value[64];
	uint64_t number;

	for (size_t i = 0; i < tracepoint->nr_fields; i++) {
		const struct tracepoint_field *field = &tracepoint->fields[i];

		tracepoint_field__print(field, raw, order, value, sizeof(value));
		tracepoint_field__number(field, raw, order, &number);
		if (!tracepoint__field(tracepoint, field->name))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct tracepoints *tracepoints;
	size_t raw_size = size ? data[0] : 0;

	if (size && raw_size < size) {
		/* of their own, so that the sanitizer sees a read behind them */
		uint8_t *raw = malloc(raw_size);
		struct bytes rest = { data + 1 + raw_size, size - 1 - raw_size };

		if (raw_size)
			memcpy(raw, data + 1, raw_size);
		if (tracepoints__parse(&tracepoints, rest, "fuzz", 0, diag) == 0) {
			for (size_t i = 0; i < tracepoints__count(tracepoints); i++) {
				const struct tracepoint *tracepoint =
					tracepoints__at(tracepoints, i);

				print_fields(tracepoint, (struct bytes){ raw, raw_size },
					     ORDER_LITTLE);
				print_fields(tracepoint, (struct bytes){ raw, raw_size },
					     ORDER_BIG);
			}
			tracepoints__free(tracepoints);
		}
		free(raw);
	}
	diag__free(diag);
	return 0;
}
