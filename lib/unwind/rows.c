// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/rows.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SIZE 256

static size_t slot_of(const struct row_table *table, uint64_t vaddr)
{
	/* the golden ratio scatters addresses that follow one another */
	return (size_t)((vaddr * 0x9e3779b97f4a7c15ull) >> 32) & (table->size - 1);
}

bool row_table__find(const struct row_table *table, uint64_t vaddr, const struct unwind_row **row)
{
	if (!table->size)
		return false;
	for (size_t i = slot_of(table, vaddr); table->entries[i].used;
	     i = (i + 1) & (table->size - 1)) {
		if (table->entries[i].vaddr == vaddr) {
			*row = table->entries[i].row;
			return true;
		}
	}
	return false;
}

static void put(struct row_table *table, uint64_t vaddr, const struct unwind_row *row)
{
	size_t i = slot_of(table, vaddr);

	while (table->entries[i].used)
		i = (i + 1) & (table->size - 1);
	table->entries[i] = (struct row_entry){ vaddr, row, true };
	table->count++;
}

/* Half full at most. */
static int grow(struct row_table *table)
{
	struct row_table old = *table;

	if (table->count < table->size / 2)
		return 0;
	table->size = table->size ? 2 * table->size : FIRST_SIZE;
	table->entries = calloc(table->size, sizeof(*table->entries));
	if (!table->entries) {
		*table = old;
		return -ENOMEM;
	}
	table->count = 0;
	for (size_t i = 0; i < old.size; i++)
		if (old.entries[i].used)
			put(table, old.entries[i].vaddr, old.entries[i].row);
	free(old.entries);
	return 0;
}

/* Whether the CFA and all registers follow the usual rules; fills the row if so. */
static bool is_usual(const struct cfi_row *from, struct unwind_row *row)
{
	size_t nr_saves = 0;

	if (from->cfa.kind != CFI_RULE_REGISTER || from->cfa.reg >= CFI_ROW_REGISTERS ||
	    from->cfa.offset != (int32_t)from->cfa.offset)
		return false;
	row->cfa_register = (uint8_t)from->cfa.reg;
	row->cfa_offset = (int32_t)from->cfa.offset;
	for (unsigned int i = 0; i < CFI_ROW_REGISTERS; i++) {
		const struct cfi_rule *rule = &from->registers[i];

		switch (rule->kind) {
		case CFI_RULE_SAME:
			break;
		case CFI_RULE_UNSPECIFIED:
		case CFI_RULE_UNDEFINED:
			row->lost |= 1ull << i;
			break;
		case CFI_RULE_OFFSET:
			if (nr_saves == ROW_SAVES || rule->offset != (int32_t)rule->offset)
				return false;
			row->saved |= 1ull << i;
			row->offsets[nr_saves++] = (int32_t)rule->offset;
			break;
		case CFI_RULE_VAL_OFFSET:
			/* the caller's stack pointer is the CFA, as the unwinder assumes */
			if (rule->offset)
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Which of the registers that are CFA + 0 is the stack pointer is the architecture's to say. */
static bool only_stack_pointer(const struct cfi_row *row)
{
	for (unsigned int i = 0; i < CFI_ROW_REGISTERS; i++)
		if (row->registers[i].kind == CFI_RULE_VAL_OFFSET && i != 7 && i != 31)
			return false;
	return true;
}

static int compact(struct row_table *table, const struct cfi_row *from, struct unwind_row *row)
{
	struct cfi_row *full;

	if (only_stack_pointer(from) && is_usual(from, row))
		return 0;
	full = malloc(sizeof(*full));
	if (!full || !array__push(&table->full, full)) {
		free(full);
		return -ENOMEM;
	}
	*full = *from;
	row->full = full;
	return 0;
}

/* 1: a row, 0: none, -ENOMEM. */
static int ask(struct row_table *table, Dwarf_CFI *cfi, uint64_t vaddr, struct unwind_row *row)
{
	struct cfi_row found;
	Dwarf_Frame *frame;
	Dwarf_Addr start, end;
	bool signal_frame;
	int ra, err;

	if (!cfi || dwarf_cfi_addrframe(cfi, vaddr, &frame) != 0)
		return 0;
	ra = dwarf_frame_info(frame, &start, &end, &signal_frame);
	err = ra < 0 || ra >= CFI_ROW_REGISTERS ? -EBADMSG : cfi_row__of_frame(&found, frame);
	free(frame);
	if (err)
		return 0;
	*row = (struct unwind_row){
		.ra_register = (uint8_t)ra,
		.signal_frame = signal_frame,
		.outermost = found.registers[ra].kind == CFI_RULE_UNDEFINED ||
			     found.registers[ra].kind == CFI_RULE_UNSPECIFIED,
	};
	err = compact(table, &found, row);
	return err ? err : 1;
}

int row_table__add(struct row_table *table, uint64_t vaddr, Dwarf_CFI *eh_frame,
		   Dwarf_CFI *debug_frame, const struct unwind_row **row)
{
	struct unwind_row found, *kept = NULL;
	int ret = ask(table, eh_frame, vaddr, &found);

	if (!ret)
		ret = ask(table, debug_frame, vaddr, &found);
	if (ret < 0 || grow(table))
		return -ENOMEM;
	if (ret) {
		kept = malloc(sizeof(*kept));
		if (!kept || !array__push(&table->rows, kept)) {
			free(kept);
			return -ENOMEM;
		}
		*kept = found;
	}
	put(table, vaddr, kept);
	*row = kept;
	return 0;
}

void row_table__free(struct row_table *table)
{
	array__for_each(row, &table->rows)
		free(*row);
	array__for_each(row, &table->full)
		free(*row);
	array__free(&table->rows);
	array__free(&table->full);
	free(table->entries);
	*table = (struct row_table){ 0 };
}
