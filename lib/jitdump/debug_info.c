// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JIT_CODE_DEBUG_INFO: entries of {address, line, discriminator, file name}.
 *
 * V8 writes names from memory that is in use for something else by then: they hold NULs, and a
 * parser that walks from NUL to NUL gets lost. What can be relied on is that addresses lie in or
 * near the code: a NUL ends a name only if such an entry, or the end of the table, follows it.
 */
#include <errno.h>

#include "jitdump/dump.h"

#define ENTRY_FIXED 16u
#define ENTRY_MIN   (ENTRY_FIXED + 1)
/* "the file of the entry before" */
#define SAME_FILE "\xff"
/* How far outside of the code an address may lie: biases, prologues before the code. */
#define ADDR_SLACK 0x1000u
#define LINE_LIMIT ((uint32_t)1 << 28)
/* Bytes that pad a record. */
#define PADDING_MAX 8u
/* Names that a table is searched for one that is already known. */
#define KNOWN_FILES 8u

struct reader {
	struct jitdump *dump;
	struct debug_table *table;
	const uint8_t *end;
	uint64_t low, high; /* addresses that make sense */
	const char **files;
	size_t nr_files;
	uint32_t last_file; /* of the entry before */
	size_t nr_damaged;
};

static bool plausible_entry(const struct reader *reader, const uint8_t *p)
{
	enum byte_order order = reader->dump->header.order;
	uint64_t addr;

	if ((size_t)(reader->end - p) < ENTRY_MIN)
		return false;
	addr = get_u64(p, order);
	return addr >= reader->low && addr <= reader->high && get_u32(p + 8, order) < LINE_LIMIT;
}

/* The NUL that ends the name of an entry before the last, or NULL. */
static const uint8_t *name_end(const struct reader *reader, const uint8_t *name)
{
	const uint8_t *first = memchr(name, 0, (size_t)(reader->end - name));

	for (const uint8_t *nul = first; nul;
	     nul = memchr(nul + 1, 0, (size_t)(reader->end - nul - 1)))
		if (plausible_entry(reader, nul + 1))
			return nul;
	return NULL;
}

/*
 * The NUL that ends the last name. Nothing follows that would tell, but a damaged name is as
 * long as the one before it when the record then ends, padding apart.
 */
static const uint8_t *last_name_end(const struct reader *reader, const uint8_t *name,
				    size_t previous)
{
	const uint8_t *nul = memchr(name, 0, (size_t)(reader->end - name));
	size_t left = (size_t)(reader->end - name);

	if (nul && (size_t)(reader->end - nul) <= PADDING_MAX)
		return nul;
	if (previous < left && left - previous <= PADDING_MAX && !name[previous])
		return name + previous;
	return nul;
}

static bool is_damaged(const uint8_t *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] < ' ')
			return true;
	return false;
}

/*
 * The file name that V8 repeats in the symbol, "JS:*leaf src/nest.js:1:14", if it is as long as
 * the damaged one and ends alike: what was overwritten is its beginning.
 */
static const char *name_from_symbol(struct reader *reader, const uint8_t *damaged, size_t size)
{
	const char *symbol = reader->table->code->name;
	const char *end = symbol + strlen(symbol);
	size_t intact = size > ENTRY_FIXED ? size - ENTRY_FIXED : 0;

	for (int numbers = 0; numbers < 2; numbers++) {
		while (end > symbol && end[-1] >= '0' && end[-1] <= '9')
			end--;
		if (end == symbol || end[-1] != ':')
			return NULL;
		end--;
	}
	if ((size_t)(end - symbol) <= size || end[-(ptrdiff_t)size - 1] != ' ')
		return NULL;
	if (memcmp(end - intact, damaged + size - intact, intact) != 0)
		return NULL;
	return arena__text(&reader->dump->arena, end - size, size);
}

static const char *mend_name(struct reader *reader, const uint8_t *name, size_t size)
{
	const char *mended = name_from_symbol(reader, name, size);

	reader->nr_damaged++;
	return mended ? mended : "";
}

static bool same_text(const char *a, const uint8_t *b, size_t size)
{
	return strncmp(a, (const char *)b, size) == 0 && a[size] == 0;
}

/* The number of a file by name; the name is in the dump and ends in a NUL. */
static uint32_t file_number(struct reader *reader, const uint8_t *name, size_t size)
{
	size_t back = reader->nr_files < KNOWN_FILES ? reader->nr_files : KNOWN_FILES;

	if (reader->nr_files && size == 1 && memcmp(name, SAME_FILE, 1) == 0)
		return reader->last_file;
	if (is_damaged(name, size)) {
		name = (const uint8_t *)mend_name(reader, name, size);
		size = strlen((const char *)name);
	}
	for (size_t i = 1; i <= back; i++)
		if (same_text(reader->files[reader->nr_files - i], name, size))
			return (uint32_t)(reader->nr_files - i);
	reader->files[reader->nr_files] = (const char *)name;
	return (uint32_t)reader->nr_files++;
}

/* Reads entries into rows until they are all read or make no sense; returns how many. */
static size_t read_rows(struct reader *reader, struct code_line *rows, size_t count,
			const uint8_t *p)
{
	enum byte_order order = reader->dump->header.order;
	size_t previous = 0, i;

	for (i = 0; i < count && plausible_entry(reader, p); i++) {
		const uint8_t *name = p + ENTRY_FIXED;
		const uint8_t *nul = i + 1 < count ? name_end(reader, name)
						   : last_name_end(reader, name, previous);

		if (!nul)
			break;
		previous = (size_t)(nul - name);
		reader->last_file = file_number(reader, name, previous);
		rows[i].addr = get_u64(p, order);
		rows[i].line = get_u32(p + 8, order);
		rows[i].column = get_u32(p + 12, order);
		rows[i].file = reader->last_file;
		p = nul + 1;
	}
	return i;
}

static void report_damage(const struct reader *reader, size_t nr_rows)
{
	const struct jitdump_record *record = &reader->table->record;

	if (nr_rows < record->debug_info.nr_entry)
		jitdump__report(reader->dump, DIAG_NOTE, "jitdump.debug-entries", record->offset,
				"%zu of %llu entries of a debug table make sense", nr_rows,
				(unsigned long long)record->debug_info.nr_entry);
	if (reader->nr_damaged)
		jitdump__report(reader->dump, DIAG_NOTE, "jitdump.file-name", record->offset,
				"%zu of %zu file names of a debug table are overwritten",
				reader->nr_damaged, nr_rows);
}

/* Makes a name stand for every file number; 0 or -ENOMEM. */
static int keep_files(struct reader *reader, struct code_lines *lines)
{
	const char **files = arena__alloc(&reader->dump->arena, reader->nr_files, sizeof(*files));

	if (!files)
		return -ENOMEM;
	memcpy(files, reader->files, reader->nr_files * sizeof(*files));
	lines->files = files;
	lines->nr_files = reader->nr_files;
	return 0;
}

int debug_info__read(struct jitdump *dump, struct debug_table *table)
{
	const struct jitdump_record *record = &table->record;
	struct bytes entries = record->debug_info.entries;
	size_t count = record->debug_info.nr_entry;
	struct reader reader = { .dump = dump, .table = table, .end = entries.data + entries.size };
	struct code_lines *lines;
	int err = -ENOMEM;

	reader.low = table->code->addr > ADDR_SLACK ? table->code->addr - ADDR_SLACK : 0;
	if (__builtin_add_overflow(table->code->addr, table->code->size + ADDR_SLACK, &reader.high))
		reader.high = UINT64_MAX;
	if (!count)
		return 0;
	reader.files = calloc(count, sizeof(*reader.files));
	table->rows = arena__alloc(&dump->arena, count, sizeof(*table->rows));
	lines = arena__alloc(&dump->arena, 1, sizeof(*lines));
	if (reader.files && table->rows && lines) {
		lines->rows = table->rows;
		lines->nr_rows = read_rows(&reader, table->rows, count, entries.data);
		report_damage(&reader, lines->nr_rows);
		err = keep_files(&reader, lines);
	}
	free(reader.files);
	table->lines = err || !lines->nr_rows ? NULL : lines;
	return err;
}
