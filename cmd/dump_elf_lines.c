// SPDX-License-Identifier: GPL-2.0-or-later
/* The source lines of an ELF file, as libdw reads them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump_elf.h"

static int file_index(struct dump_elf *print, const char *name, uint32_t *index)
{
	size_t count = print->files.count;

	/* libdw gives one text for a file of a unit, and rows of one come together */
	if (!count || strcmp(print->files.items[count - 1], name) != 0) {
		if (!array__push(&print->files, name))
			return -ENOMEM;
		count++;
	}
	*index = (uint32_t)(count - 1);
	return 0;
}

static int add_row(struct dump_elf *print, Dwarf_Line *line)
{
	const char *name = dwarf_linesrc(line, NULL, NULL);
	struct code_line row = { 0 };
	int number = 0, column = 0;
	Dwarf_Addr addr;
	bool end = false;

	if (dwarf_lineaddr(line, &addr) || dwarf_lineendsequence(line, &end))
		return 0;
	dwarf_lineno(line, &number);
	dwarf_linecol(line, &column);
	row.addr = addr;
	row.line = end ? 0 : (uint32_t)number;
	row.column = end ? 0 : (uint32_t)column;
	if (file_index(print, name ? name : "", &row.file))
		return -ENOMEM;
	return array__push(&print->rows, row) ? 0 : -ENOMEM;
}

static int by_addr(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* a sequence ends where the next begins */
	return (x->line != 0) - (y->line != 0);
}

int dump_elf__read_lines(struct dump_elf *print)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	print->dwarf = dwarf_begin_elf(print->elf, DWARF_C_READ, NULL);
	while (print->dwarf &&
	       dwarf_get_units(print->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Lines *lines;
		size_t count;

		if (dwarf_getsrclines(&die, &lines, &count))
			continue;
		for (size_t i = 0; i < count; i++)
			if (add_row(print, dwarf_onesrcline(lines, i)))
				return -ENOMEM;
	}
	if (print->rows.count)
		qsort(print->rows.items, print->rows.count, sizeof(*print->rows.items), by_addr);
	return 0;
}

const struct code_lines *dump_elf__lines(struct dump_elf *print,
					 const struct elf_function *function)
{
	size_t first = array__count_leading(row, &print->rows, row->addr < function->addr);
	size_t end;

	for (end = first; end < print->rows.count; end++)
		if (print->rows.items[end].addr - function->addr >= function->size)
			break;
	print->lines = (struct code_lines){
		.rows = print->rows.items + first,
		.nr_rows = end - first,
		.files = print->files.items,
		.nr_files = print->files.count,
	};
	return end > first ? &print->lines : NULL;
}
