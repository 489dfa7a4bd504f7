// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target (libFuzzer): any bytes as code. Rows and undecided ranges must cover it exactly once,
 * rows must be fit for encoding, and the code must agree with its own rows.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "cfi/check.h"
#include "cfi/machine.h"

#define ADDRESS UINT64_C(0x40000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* How many of the bytes the ranges cover; they stand by address and do not overlap. */
static uint64_t covered_by_rows(const struct cfi_rows *rows, uint64_t end)
{
	uint64_t covered = 0, last = ADDRESS;

	array__for_each(row, &rows->rows) {
		require(row->addr >= last && row->size && row->size <= end - row->addr);
		require(row->cfa.kind == CFI_RULE_REGISTER || row->cfa.kind == CFI_RULE_EXPRESSION);
		last = row->addr + row->size;
		covered += row->size;
	}
	return covered;
}

static void check_encoding(const struct cfi_rows *rows, const struct cfi_target *target)
{
	size_t first = 0;

	for (size_t i = 1; i <= rows->rows.count; i++) {
		const struct cfi_row *row = rows->rows.items;
		struct buf out = BUF(target->order);
		int err;

		if (i < rows->rows.count && row[i - 1].addr + row[i - 1].size == row[i].addr)
			continue;
		err = cfi_rows__encode(row + first, i - first, &cfi_machine__of(target)->cie,
				       target, &out);
		/* an offset that is no multiple of 8 has no encoding */
		require(err == 0 || err == -EINVAL);
		buf__free(&out);
		first = i;
	}
}

static void check_against_itself(const struct cfi_rows *rows, struct bytes code,
				 const struct cfi_target *target,
				 const struct cfi_track_options *options)
{
	struct cfi_check check = { 0 };

	require(cfi_check__rows(&check, rows, code, ADDRESS, target, options) == 0);
	require(options->frame_pointer || options->fixed_frame || check.nr_wrong == 0);
	cfi_check__free(&check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_track_result result = { 0 };
	struct cfi_track_options options = { 0 };
	struct cfi_rows rows = { 0 };
	struct cfi_target target = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
	struct bytes code;
	uint64_t covered, entry;

	if (size < 2)
		return 0;
	if (data[0] & 1)
		target.machine = EM_AARCH64;
	options.frame_pointer = data[0] & 2;
	options.fixed_frame = data[0] & 4;
	entry = ADDRESS + data[0];
	options.entries = &entry;
	options.nr_entries = data[0] & 8 ? 1 : 0;
	code = (struct bytes){ data + 1, size - 1 };
	if (!cfi__can_track(&target))
		return 0;
	require(cfi__track(&rows, code, ADDRESS, &target, &options, &result) == 0);
	covered = covered_by_rows(&rows, ADDRESS + code.size);
	array__for_each(undecided, &result.undecided)
		covered += undecided->size;
	require(covered == code.size);
	check_encoding(&rows, &target);
	check_against_itself(&rows, code, &target, &options);
	cfi_track_result__free(&result);
	cfi_rows__free(&rows);
	return 0;
}
