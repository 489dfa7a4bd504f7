// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/function.h"

#include <errno.h>

#include "base/diag.h"
#include "cfi/frame_pointer.h"

#define BLOCK_SIZE 65536

static bool same_bytes(struct bytes a, struct bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool same_cie(const struct cfi_cie *a, const struct cfi_cie *b)
{
	return a->code_align == b->code_align && a->data_align == b->data_align &&
	       a->ra_register == b->ra_register && a->signal_frame == b->signal_frame &&
	       a->pauth_b_key == b->pauth_b_key && same_bytes(a->instructions, b->instructions);
}

/* The one copy of a CIE; NULL without memory. */
static const struct cfi_cie *intern(struct functions *functions, const struct cfi_cie *cie)
{
	struct cfi_cie *copy;

	/* the newest first: neighbours are alike */
	for (size_t i = functions->cies.count; i > 0; i--)
		if (same_cie(functions->cies.items[i - 1], cie))
			return functions->cies.items[i - 1];
	copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *cie;
	if (!array__push(&functions->cies, copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

static const struct cfi_table *shared_table(struct functions *functions,
					    const struct code_unwind *unwind,
					    const struct cfi_target *target, const char *file)
{
	struct shared_cfi *shared;

	for (size_t i = functions->shared.count; i > 0; i--)
		if (functions->shared.items[i - 1]->unwind == unwind)
			return &functions->shared.items[i - 1]->table;
	shared = calloc(1, sizeof(*shared));
	if (!shared)
		return NULL;
	shared->unwind = unwind;
	if (cfi_table__read(&shared->table, unwind->eh_frame, 0, target, file, unwind->offset,
			    functions->diag) < 0 ||
	    !array__push(&functions->shared, shared)) {
		cfi_table__free(&shared->table);
		free(shared);
		return NULL;
	}
	return &shared->table;
}

static int from_shared(struct functions *functions, const struct code_record *record,
		       const struct cfi_target *target, const char *file, struct cfi_entry *entry)
{
	const struct cfi_table *table = shared_table(functions, record->unwind, target, file);
	const struct cfi_fde *fde;

	if (!table)
		return -ENOMEM;
	fde = cfi_table__find(table, record->addr);
	if (!fde)
		return 0;
	entry->cie = intern(functions, &table->cies.items[fde->cie]);
	entry->instructions = fde->instructions;
	return entry->cie ? 0 : -ENOMEM;
}

/*
 * Consumers put .eh_frame at the next multiple of 8 behind the code, and producers compute their
 * pc-relative pointers from that.
 */
static uint64_t cfi_distance(const struct code_record *record)
{
	return align_up(record->size, 8);
}

/* The FDE of a record that describes one function: the record says whose it is, not the FDE. */
static int from_own(struct functions *functions, const struct code_record *record,
		    const struct cfi_target *target, const char *file, struct cfi_entry *entry)
{
	const struct code_unwind *unwind = record->unwind;
	uint64_t distance = cfi_distance(record);
	struct cfi_table table = { 0 };
	const struct cfi_fde *fde;
	int err;

	if (functions->last.distance == distance &&
	    same_bytes(functions->last.eh_frame, unwind->eh_frame)) {
		entry->cie = functions->last.cie;
		entry->instructions = functions->last.instructions;
		functions->nr_wrong_pc_begin += functions->last.wrong_pc_begin;
		return 0;
	}
	functions->last.wrong_pc_begin = false;
	err = cfi_table__read(&table, unwind->eh_frame, record->addr + distance, target, file,
			      unwind->offset, functions->diag);
	fde = err ? NULL : cfi_table__find(&table, record->addr);
	if (!err && !fde && table.fdes.count == 1) {
		fde = &table.fdes.items[0];
		functions->nr_wrong_pc_begin++;
		functions->last.wrong_pc_begin = true;
		diag__report(functions->diag, DIAG_NOTE, "cfi.wrong-pc-begin", file, unwind->offset,
			     "FDE begins at %#llx, its code at %#llx: put right",
			     (unsigned long long)fde->addr, (unsigned long long)record->addr);
	}
	if (fde) {
		entry->cie = intern(functions, &table.cies.items[fde->cie]);
		entry->instructions = fde->instructions;
		if (!entry->cie)
			err = -ENOMEM;
	}
	if (!err) {
		functions->last.eh_frame = unwind->eh_frame;
		functions->last.distance = distance;
		functions->last.cie = entry->cie;
		functions->last.instructions = entry->instructions;
	}
	cfi_table__free(&table);
	return err;
}

/* A copy of rows that lives as long as functions; no data without memory. */
static struct bytes keep_rows(struct functions *functions, const struct buf *rows)
{
	uint8_t *block;

	if (!functions->blocks.count || BLOCK_SIZE - functions->block_used < rows->size) {
		block = malloc(BLOCK_SIZE);
		if (!block || !array__push(&functions->blocks, block)) {
			free(block);
			return (struct bytes){ 0 };
		}
		functions->block_used = 0;
	}
	block = functions->blocks.items[functions->blocks.count - 1] + functions->block_used;
	memcpy(block, rows->data, rows->size);
	functions->block_used += rows->size;
	return (struct bytes){ block, rows->size };
}

/* An unwinding record without any CFI in it says that frame pointers do (V8). */
static bool promises_frame_pointer(const struct code_record *record)
{
	return record->unwind && !record->unwind->eh_frame.size;
}

static int from_frame_pointer(struct functions *functions, const struct code_record *record,
			      const struct cfi_target *target, struct cfi_entry *entry)
{
	struct buf rows = BUF(target->order);
	int err = 0;

	if (record->code.size &&
	    cfi__frame_pointer_rows(record->code, promises_frame_pointer(record), target, &rows)) {
		entry->instructions =
			rows.failed ? (struct bytes){ 0 } : keep_rows(functions, &rows);
		entry->cie = cfi__frame_pointer_cie(target);
		err = entry->instructions.data ? 0 : -ENOMEM;
		functions->nr_frame_pointer++;
	}
	buf__free(&rows);
	return err;
}

static int from_producer(struct functions *functions, const struct code_record *record,
			 const struct cfi_target *target, const char *file, struct cfi_entry *entry)
{
	int err = 0;

	if (record->unwind && record->unwind->eh_frame.size)
		err = record->unwind->shared ? from_shared(functions, record, target, file, entry)
					     : from_own(functions, record, target, file, entry);
	if (entry->cie)
		functions->nr_producer++;
	return err;
}

int functions__make(struct functions *functions, const struct member *member,
		    const struct cfi_target *target, const char *file,
		    struct dso_function *function, struct function_cfi *cfi)
{
	const struct code_record *record = member->code->record;
	struct cfi_entry entry = { .addr = member->addr, .size = member->end - member->addr };
	int err;

	*function = (struct dso_function){ record, entry.addr, entry.size };
	err = from_producer(functions, record, target, file, &entry);
	if (!err && !entry.cie && !functions->without_frame_pointer_rule)
		err = from_frame_pointer(functions, record, target, &entry);
	if (err)
		return err;
	if (!entry.cie) {
		functions->nr_without_cfi++;
		return 0;
	}
	return array__push(&cfi->entries, entry) ? 0 : -ENOMEM;
}

void functions__free(struct functions *functions)
{
	array__for_each(cie, &functions->cies)
		free(*cie);
	array__for_each(shared, &functions->shared) {
		cfi_table__free(&(*shared)->table);
		free(*shared);
	}
	array__for_each(block, &functions->blocks)
		free(*block);
	array__free(&functions->cies);
	array__free(&functions->shared);
	array__free(&functions->blocks);
}
