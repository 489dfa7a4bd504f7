// SPDX-License-Identifier: GPL-2.0-or-later
/* From the tables as they were written to line tables that fit their code. */
#include <errno.h>

#include "jitdump/dump.h"

/*
 * What V8 and LLVM add to every address, because perf once put the code that far into its ELF
 * file. perf itself takes addresses to be those of the code.
 */
#define BIAS 0x40u
/* A row so far before its function still is where the function's first line is said. */
#define BEFORE_MAX 0x100u

/* How the tables of one dump look, as far as a bias goes. */
struct evidence {
	size_t tables;
	size_t possible; /* no row lies before code + bias */
	size_t strong;   /* and the first is exactly there, or one lies past the end of the code */
};

static void gather(struct evidence *evidence, const struct debug_table *table)
{
	uint64_t first = UINT64_MAX, last = 0;

	if (!table->lines || table->record.id != JIT_CODE_DEBUG_INFO)
		return;
	for (size_t i = 0; i < table->lines->nr_rows; i++) {
		/* line 0 marks the end of the code, with or without bias */
		if (!table->rows[i].line)
			continue;
		if (table->rows[i].addr < first)
			first = table->rows[i].addr;
		if (table->rows[i].addr > last)
			last = table->rows[i].addr;
	}
	if (first == UINT64_MAX)
		return;
	evidence->tables++;
	if (first < table->code->addr || first - table->code->addr < BIAS)
		return;
	evidence->possible++;
	if (first == table->code->addr + BIAS || last - table->code->addr >= table->code->size)
		evidence->strong++;
}

/*
 * Producers with a bias add it to all tables. The first row of the JVM lies behind 0x40, too, but
 * never just there nor past the end.
 */
static bool is_biased(const struct evidence *evidence)
{
	return evidence->strong && evidence->possible * 10 >= evidence->tables * 9 &&
	       evidence->strong * 4 >= evidence->possible;
}

static void remove_bias(struct debug_table *table)
{
	for (size_t i = 0; i < table->lines->nr_rows; i++)
		if (table->rows[i].addr >= table->code->addr + BIAS)
			table->rows[i].addr -= BIAS;
}

/* A row and its place in the table. */
struct numbered_row {
	struct code_line row;
	size_t number;
};

static int by_addr(const void *a, const void *b)
{
	const struct numbered_row *x = a, *y = b;

	if (x->row.addr != y->row.addr)
		return x->row.addr < y->row.addr ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Sorts without changing the order of rows at one address: the last one written counts. */
static int sort_rows(struct code_line *rows, size_t count)
{
	struct numbered_row *numbered;
	size_t i = 1;

	while (i < count && rows[i - 1].addr <= rows[i].addr)
		i++;
	if (i >= count)
		return 0;
	numbered = calloc(count, sizeof(*numbered));
	if (!numbered)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		numbered[i] = (struct numbered_row){ rows[i], i };
	qsort(numbered, count, sizeof(*numbered), by_addr);
	for (i = 0; i < count; i++)
		rows[i] = numbered[i].row;
	free(numbered);
	return 0;
}

/*
 * Drops rows outside of the code. The last row before it says where the code itself begins:
 * Erlang's first row lies in the prologue in front of the function.
 */
static void clip(struct jitdump *dump, struct debug_table *table)
{
	const struct code_record *code = table->code;
	struct code_line *rows = table->rows;
	size_t count = table->lines->nr_rows, first = 0, kept = 0, last;

	while (first < count && rows[first].addr < code->addr)
		first++;
	if (first && (first == count || rows[first].addr > code->addr) &&
	    code->addr - rows[first - 1].addr <= BEFORE_MAX)
		rows[--first].addr = code->addr;
	for (last = first; last < count && rows[last].addr - code->addr < code->size; last++)
		rows[kept++] = rows[last];
	table->lines->nr_rows = kept;
	for (; last < count; last++)
		if (rows[last].line) {
			jitdump__report(dump, DIAG_NOTE, "jitdump.line-outside",
					table->record.offset,
					"a debug table has lines outside of its function's code");
			break;
		}
}

int debug_info__finish(struct jitdump *dump, struct debug_table *tables, size_t count)
{
	struct evidence evidence = { 0 };
	bool biased;

	for (size_t i = 0; i < count; i++)
		gather(&evidence, &tables[i]);
	biased = is_biased(&evidence);
	if (biased)
		jitdump__report(dump, DIAG_NOTE, "jitdump.biased-lines", DIAG_NO_OFFSET,
				"addresses of debug info are 0x%x too high: corrected", BIAS);
	for (size_t i = 0; i < count; i++) {
		struct debug_table *table = &tables[i];
		int err;

		if (!table->lines)
			continue;
		if (biased && table->record.id == JIT_CODE_DEBUG_INFO)
			remove_bias(table);
		err = sort_rows(table->rows, table->lines->nr_rows);
		if (err)
			return err;
		clip(dump, table);
		if (table->lines->nr_rows)
			table->code->lines = table->lines;
	}
	return 0;
}
