// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target (libFuzzer): any bytes as .eh_frame. What is read must come back the same when it is
 * encoded for another place and read again, and so must the rows it makes.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"
#include "cfi/row.h"

#define ADDRESS  UINT64_C(0x40000000)
#define EH_FRAME UINT64_C(0x50000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool same(struct bytes a, struct bytes b)
{
	return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

static void check_same(const struct cfi_table *read, const struct cfi_table *again)
{
	require(read->fdes.count == again->fdes.count);
	for (size_t i = 0; i < read->fdes.count; i++) {
		const struct cfi_fde *a = &read->fdes.items[i], *b = &again->fdes.items[i];
		const struct cfi_cie *from = &read->cies.items[a->cie];
		const struct cfi_cie *to = &again->cies.items[b->cie];

		require(a->addr == b->addr && a->size == b->size);
		require(same(a->instructions, b->instructions));
		require(from->code_align == to->code_align && from->data_align == to->data_align);
		require(from->ra_register == to->ra_register);
		require(from->signal_frame == to->signal_frame);
		require(from->pauth_b_key == to->pauth_b_key);
		require(same(from->instructions, to->instructions));
	}
}

static void encode_and_read(const struct cfi_table *read, const struct cfi_entry *entries,
			    const struct cfi_target *target, struct diag *diag)
{
	struct buf eh_frame = BUF(target->order), hdr = BUF(target->order);
	struct cfi_table again;
	struct cfi_size size;

	require(cfi__measure(entries, read->fdes.count, target, &size) == 0);
	if (cfi__encode(entries, read->fdes.count, target, EH_FRAME, EH_FRAME - 0x1000, &eh_frame,
			&hdr) == 0) {
		require(eh_frame.size == size.eh_frame && hdr.size == size.eh_frame_hdr);
		require(cfi_table__read(&again, buf__bytes(&eh_frame), EH_FRAME, target, "again", 0,
					diag) == 0);
		check_same(read, &again);
		cfi_table__free(&again);
	}
	buf__free(&eh_frame);
	buf__free(&hdr);
}

static void check_same_rows(const struct cfi_rows *rows, const struct cfi_rows *again)
{
	require(rows->rows.count == again->rows.count);
	for (size_t i = 0; i < rows->rows.count; i++) {
		require(rows->rows.items[i].addr == again->rows.items[i].addr);
		require(rows->rows.items[i].size == again->rows.items[i].size);
		require(cfi_row__same(&rows->rows.items[i], &again->rows.items[i]));
	}
}

/* Rows cover the FDE's range; written as instructions they are read as the same rows. */
static void check_rows(const struct cfi_entry *entry, const struct cfi_target *target)
{
	struct buf instructions = BUF(target->order);
	struct cfi_rows rows = { 0 }, again = { 0 };
	struct cfi_entry written = *entry;
	uint64_t end = entry->addr;
	const char *problem = NULL;

	if (cfi_rows__of_entry(&rows, entry, target, CFI_PRODUCER, &problem) < 0) {
		require(problem && !rows.rows.count);
		cfi_rows__free(&rows);
		return;
	}
	array__for_each(row, &rows.rows) {
		require(row->addr == end && row->size);
		end += row->size;
	}
	require(end == entry->addr + entry->size);
	/* no encoding: no CFA, or one of an offset below zero that the factor does not divide */
	if (cfi_rows__encode(rows.rows.items, rows.rows.count, entry->cie, target, &instructions) ==
	    0) {
		written.instructions = buf__bytes(&instructions);
		require(cfi_rows__of_entry(&again, &written, target, CFI_PRODUCER, NULL) == 0);
		check_same_rows(&rows, &again);
	}
	buf__free(&instructions);
	cfi_rows__free(&again);
	cfi_rows__free(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct cfi_entry *entries;
	struct cfi_target target;
	struct cfi_table table;

	if (!size || !diag)
		goto out;
	target = (struct cfi_target){ data[0] & 4 ? EM_AARCH64 : EM_NONE,
				      data[0] & 1 ? ELFCLASS32 : ELFCLASS64,
				      data[0] & 2 ? ORDER_BIG : ORDER_LITTLE };
	require(cfi_table__read(&table, (struct bytes){ data + 1, size - 1 }, ADDRESS, &target,
				"input", 0, diag) == 0);
	entries = calloc(table.fdes.count + 1, sizeof(*entries));
	require(entries != NULL);
	for (size_t i = 0; i < table.fdes.count; i++) {
		const struct cfi_fde *fde = &table.fdes.items[i];

		require(fde->cie < table.cies.count && fde->size);
		require(cfi_table__find(&table, fde->addr) != NULL);
		entries[i] = (struct cfi_entry){ &table.cies.items[fde->cie], fde->instructions,
						 fde->addr, fde->size };
		check_rows(&entries[i], &target);
	}
	encode_and_read(&table, entries, &target, diag);
	free(entries);
	cfi_table__free(&table);
out:
	diag__free(diag);
	return 0;
}
