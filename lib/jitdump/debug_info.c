// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JIT_CODE_DEBUG_INFO: entries {u64 addr, u32 line, u32 discriminator, name}, as producers write
 * them: with a bias, with names overwritten, out of order.
 */
#include <errno.h>

#include "jitdump/dump.h"

#define ENTRY_HEAD 16u

/*
 * V8 and LLVM add what perf once put before the code, an ELF header of 64 bytes, to all addresses.
 * perf adds it again, so the lines of such dumps come out 64 bytes late.
 */
#define HEADER_BIAS 0x40u
/* Tables that agree before one believes in the bias without seeing a row past its function. */
#define BIAS_EVIDENCE 3

/* How far outside of its function an entry may lie and still be one: Erlang's lie before it. */
#define STRAY_MAX 0x1000u

static bool is_near(const struct code_record *code, uint64_t addr)
{
	return addr + STRAY_MAX >= code->addr && addr < code->addr + code->size + STRAY_MAX;
}

/* Reads the entry at *at; false when it makes no sense. */
static bool take_entry(const struct debug_table *table, struct cursor *cur, struct code_line *row,
		       const char **name)
{
	row->addr = cursor__u64(cur);
	row->line = cursor__u32(cur);
	row->column = cursor__u32(cur);
	*name = cursor__string(cur);
	return !cur->overrun && is_near(table->code, row->addr);
}

/* Whether all entries make sense when each begins where the name before it ends. */
static bool walks(const struct debug_table *table, enum byte_order order)
{
	struct cursor cur = cursor__at(table->record.debug_info.entries, order);
	struct code_line row;
	const char *name;

	for (uint64_t i = 0; i < table->record.debug_info.nr_entry; i++)
		if (!take_entry(table, &cur, &row, &name))
			return false;
	return true;
}

/* Whether all entries make sense when each takes stride bytes. */
static bool strides(const struct debug_table *table, enum byte_order order, size_t stride)
{
	const uint8_t *entries = table->record.debug_info.entries.data;

	for (uint64_t i = 0; i < table->record.debug_info.nr_entry; i++)
		if (!is_near(table->code, get_u64(entries + i * stride, order)))
			return false;
	return true;
}

/*
 * V8 writes names whose first bytes were overwritten, NULs among them. The names of one function
 * are equally long, so the entries still have one size, which the record's size tells. 0: no.
 */
static size_t find_stride(const struct debug_table *table, enum byte_order order)
{
	uint64_t count = table->record.debug_info.nr_entry;
	size_t size = table->record.debug_info.entries.size;

	for (size_t padding = 0; padding < 8 && padding < size; padding++) {
		size_t stride = (size - padding) / count;

		if ((size - padding) % count == 0 && stride > ENTRY_HEAD &&
		    strides(table, order, stride))
			return stride;
	}
	return 0;
}

static bool is_text(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return false;
	return size > 0;
}

/* "JS:*leaf t/cpu.js:1:15": the file that V8's name for the function tells, or NULL. */
static const char *file_from_symbol(struct jitdump *dump, const char *symbol)
{
	const char *file = strrchr(symbol, ' ');
	const char *end = symbol + strlen(symbol);

	if (!file)
		return NULL;
	file++;
	for (int colons = 0; colons < 2 && end > file; end--)
		if (end[-1] == ':')
			colons++;
	return end > file ? arena__text(&dump->arena, file, (size_t)(end - file)) : NULL;
}

/* The name of an entry of known size; NULL: it was overwritten and nothing tells what it was. */
static const char *mended_name(struct jitdump *dump, const struct debug_table *table,
			       const uint8_t *entry, size_t stride)
{
	const char *name = (const char *)entry + ENTRY_HEAD;
	size_t size = stride - ENTRY_HEAD - 1;

	if (name[size] == '\0' && is_text(name, size))
		return name;
	return file_from_symbol(dump, table->code->name);
}

/* Files of a table under construction: most have one. */
struct files {
	ARRAY(const char *) names;
};

static bool add_file(struct files *files, const char *name, uint32_t *index)
{
	/* the last ones first: entries of one file come together */
	for (size_t i = files->names.count; i > 0 && files->names.count - i < 64; i--)
		if (strcmp(files->names.items[i - 1], name) == 0) {
			*index = (uint32_t)(i - 1);
			return true;
		}
	*index = (uint32_t)files->names.count;
	return array__push(&files->names, name);
}

static bool is_repeat_mark(const char *name)
{
	return (unsigned char)name[0] == 0xff && name[1] == '\0';
}

static int read_walking(struct jitdump *dump, struct debug_table *table, struct files *files)
{
	enum byte_order order = dump->header.order;
	struct cursor cur = cursor__at(table->record.debug_info.entries, order);
	const char *before = "";

	for (uint64_t i = 0; i < table->record.debug_info.nr_entry; i++) {
		const char *name;

		if (!take_entry(table, &cur, &table->rows[i], &name))
			break;
		if (is_repeat_mark(name))
			name = before;
		if (!add_file(files, name, &table->rows[i].file))
			return -ENOMEM;
		before = name;
		table->lines->nr_rows++;
	}
	return 0;
}

static int read_striding(struct jitdump *dump, struct debug_table *table, struct files *files,
			 size_t stride)
{
	enum byte_order order = dump->header.order;

	jitdump__report(dump, DIAG_NOTE, "jitdump.overwritten-names", table->record.offset,
			"file names in debug info are overwritten: entries read by their size");
	for (uint64_t i = 0; i < table->record.debug_info.nr_entry; i++) {
		const uint8_t *entry = table->record.debug_info.entries.data + i * stride;
		const char *name = mended_name(dump, table, entry, stride);
		struct code_line *row = &table->rows[i];

		row->addr = get_u64(entry, order);
		row->line = get_u32(entry + 8, order);
		row->column = get_u32(entry + 12, order);
		if (!add_file(files, name ? name : "", &row->file))
			return -ENOMEM;
		table->lines->nr_rows++;
	}
	return 0;
}

static int keep_files(struct jitdump *dump, struct debug_table *table, const struct files *files)
{
	const char **names = arena__alloc(&dump->arena, files->names.count + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	if (files->names.count)
		memcpy(names, files->names.items, files->names.count * sizeof(*names));
	table->lines->files = names;
	table->lines->nr_files = files->names.count;
	return 0;
}

int debug_info__read(struct jitdump *dump, struct debug_table *table)
{
	uint64_t count = table->record.debug_info.nr_entry;
	enum byte_order order = dump->header.order;
	struct files files = { 0 };
	size_t stride = 0;
	int err;

	if (!count)
		return 0;
	if (!walks(table, order)) {
		stride = find_stride(table, order);
		if (!stride)
			jitdump__report(dump, DIAG_NOTE, "jitdump.damaged-debug-info",
					table->record.offset,
					"debug info can be read only in part");
	}
	table->lines = arena__alloc(&dump->arena, 1, sizeof(*table->lines));
	table->rows = arena__alloc(&dump->arena, count, sizeof(*table->rows));
	if (!table->lines || !table->rows)
		return -ENOMEM;
	err = stride ? read_striding(dump, table, &files, stride)
		     : read_walking(dump, table, &files);
	if (!err)
		err = keep_files(dump, table, &files);
	array__free(&files.names);
	return err;
}

/* Whether the tables of a dump say that all their addresses carry the bias. */
static bool is_biased(const struct debug_table *tables, size_t count)
{
	size_t agree = 0, past_end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct debug_table *table = &tables[i];
		uint64_t least = UINT64_MAX, most = 0;

		if (!table->lines || !table->lines->nr_rows || table->lines->inlined)
			continue;
		for (size_t j = 0; j < table->lines->nr_rows; j++) {
			if (table->rows[j].addr < least)
				least = table->rows[j].addr;
			if (table->rows[j].addr > most)
				most = table->rows[j].addr;
		}
		if (least < table->code->addr + HEADER_BIAS)
			return false;
		agree += least < table->code->addr + 2 * HEADER_BIAS;
		past_end += most > table->code->addr + table->code->size;
	}
	return agree && (past_end || agree >= BIAS_EVIDENCE);
}

static int by_addr(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Sorted rows of the function alone; what lies before it tells the line that it begins with. */
static void settle(struct debug_table *table, uint64_t bias)
{
	uint64_t start = table->code->addr, end = start + table->code->size;
	size_t kept = 0;

	for (size_t i = 0; i < table->lines->nr_rows; i++) {
		struct code_line row = table->rows[i];

		row.addr -= bias;
		if (row.addr < start)
			row.addr = start;
		if (row.addr < end)
			table->rows[kept++] = row;
	}
	if (kept > 1)
		qsort(table->rows, kept, sizeof(*table->rows), by_addr);
	table->lines->rows = table->rows;
	table->lines->nr_rows = kept;
}

void debug_info__finish(struct jitdump *dump, struct debug_table *tables, size_t count)
{
	uint64_t bias = is_biased(tables, count) ? HEADER_BIAS : 0;

	if (bias)
		jitdump__report(dump, DIAG_NOTE, "jitdump.biased-debug-info",
				tables[0].record.offset,
				"all addresses in debug info are 64 bytes too high: put right");
	for (size_t i = 0; i < count; i++) {
		struct debug_table *table = &tables[i];

		if (!table->lines)
			continue;
		settle(table, table->lines->inlined ? 0 : bias);
		if (table->lines->nr_rows)
			table->code->lines = table->lines;
	}
}
