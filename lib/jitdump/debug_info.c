// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JIT_CODE_DEBUG_INFO: entries {u64 addr, u32 line, u32 discriminator, name}, as producers write
 * them. V8 writes names from memory that is in use for something else by then: a parser that walks
 * from NUL to NUL gets lost. What can be relied on is that addresses lie in or near the code.
 */
#include <errno.h>

#include "jitdump/dump.h"

#define ENTRY_HEAD 16u

/* Bytes at the start of a name that V8 was seen to have overwritten. */
#define OVERWRITTEN_MAX 16u

/* Records are padded to 8 bytes; the NUL of the last name comes first. */
#define PADDING_MAX 8u

/* No source has more lines. */
#define LINE_LIMIT ((uint32_t)1 << 28)

/* How far outside of its function an entry may lie and still be one: Erlang's lie before it. */
#define STRAY_MAX UINT64_C(0x1000)

static bool is_near(const struct code_record *code, uint64_t addr)
{
	/* unsigned: also right where either end wraps around */
	return addr - (code->addr - STRAY_MAX) < code->size + 2 * STRAY_MAX;
}

/* A file name in a table, and whether it is as the producer meant it. */
struct name {
	const char *text;
	size_t size;
	bool has_nul; /* something was written over it */
};

/* A row whose file is not known yet. */
struct damaged {
	uint64_t row;
	struct name name;
};

/* The reading of one table. */
struct reading {
	struct jitdump *dump;
	struct debug_table *table;
	ARRAY(const char *) files; /* most tables have one */
	ARRAY(struct damaged) damaged;
	const char *symbol_end;  /* of the file in the function's name */
	const char *symbol_file; /* a copy of what was taken last */
};

/* Whether an entry may begin at pos. */
static bool entry_at(const struct reading *reading, const struct cursor *cur, const uint8_t *pos)
{
	return (size_t)(cur->end - pos) > ENTRY_HEAD &&
	       is_near(reading->table->code, get_u64(pos, cur->order)) &&
	       get_u32(pos + 8, cur->order) < LINE_LIMIT;
}

/* Bytes of the UTF-8 sequence that byte leads, 0: it can't lead one. */
static size_t sequence_size(unsigned char byte)
{
	if (byte < 0x80)
		return byte >= 0x20 && byte != 0x7f;
	if (byte < 0xc2 || byte > 0xf4)
		return 0;
	return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/* UTF-8 without control characters. */
static bool is_text(const struct name *name)
{
	const unsigned char *text = (const unsigned char *)name->text;

	for (size_t i = 0; i < name->size;) {
		size_t size = sequence_size(text[i]);

		if (!size || size > name->size - i)
			return false;
		for (size_t j = 1; j < size; j++)
			if ((text[i + j] & 0xc0) != 0x80)
				return false;
		i += size;
	}
	return true;
}

/* The last name: up to 7 bytes behind it are padding, more are what is left of the name. */
static struct name take_last_name(struct cursor *cur)
{
	const uint8_t *start = cur->pos, *end = cur->end;
	struct name name = { (const char *)start, 0, false };

	name.size = strnlen(name.text, cursor__left(cur));
	while (end > start && !end[-1])
		end--;
	if ((size_t)(end - start) > name.size + PADDING_MAX || !is_text(&name)) {
		name.has_nul = (size_t)(end - start) > name.size;
		name.size = (size_t)(end - start);
	}
	cur->pos = cur->end;
	return name;
}

static int add_file(struct reading *reading, const char *name, uint32_t *index)
{
	/* the last ones first: entries of one file come together */
	for (size_t i = reading->files.count; i > 0 && reading->files.count - i < 64; i--)
		if (strcmp(reading->files.items[i - 1], name) == 0) {
			*index = (uint32_t)(i - 1);
			return 0;
		}
	*index = (uint32_t)reading->files.count;
	return array__push(&reading->files, name) ? 0 : -ENOMEM;
}

/* Whether name may have been text before its first bytes were overwritten. */
static bool may_have_been(const struct name *name, const char *text, size_t size)
{
	size_t lost = size < OVERWRITTEN_MAX ? size : OVERWRITTEN_MAX;

	return size == name->size && memcmp(name->text + lost, text + lost, size - lost) == 0;
}

/* Where the file ends in V8's name for the function: "JS:*leaf t/cpu.js:1:15". */
static const char *symbol_file_end(const char *symbol)
{
	const char *end = symbol + strlen(symbol);

	for (int colons = 0; colons < 2 && end > symbol; end--)
		colons += end[-1] == ':';
	return end;
}

/* The file in the function's name, if name may have been it. */
static const char *file_from_symbol(struct reading *reading, const struct name *name)
{
	const char *symbol = reading->table->code->name, *file;

	/* once for all entries: a symbol may be long */
	if (!reading->symbol_end)
		reading->symbol_end = symbol_file_end(symbol);
	if (name->size >= (size_t)(reading->symbol_end - symbol))
		return NULL;
	file = reading->symbol_end - name->size;
	if (file[-1] != ' ' || !may_have_been(name, file, name->size))
		return NULL;
	/* mostly the same one again */
	if (!reading->symbol_file || strlen(reading->symbol_file) != name->size)
		reading->symbol_file = arena__text(&reading->dump->arena, file, name->size);
	return reading->symbol_file;
}

/* What a damaged name was, as far as the function's name and names in the table tell, or NULL. */
static const char *original(struct reading *reading, const struct name *name)
{
	const char *file = file_from_symbol(reading, name);

	for (size_t i = 0; !file && i < reading->files.count && i < 64; i++) {
		const char *other = reading->files.items[i];

		if (*other && may_have_been(name, other, strnlen(other, name->size + 1)))
			file = other;
	}
	return file;
}

/*
 * V8 writes names whose first bytes were overwritten, NULs among them. A name ends at the first
 * NUL behind which another entry begins; but a whole name before an entry that makes no sense is
 * just that. False: there is no NUL.
 */
static bool take_name(struct reading *reading, struct cursor *cur, bool last, struct name *name)
{
	const uint8_t *start = cur->pos, *end = cur->end;
	const uint8_t *nul = memchr(start, 0, (size_t)(end - start));
	struct name first = { (const char *)start, 0, false };

	if (!nul)
		return false;
	if (last) {
		*name = take_last_name(cur);
		return true;
	}
	first.size = (size_t)(nul - start);
	cur->pos = nul + 1;
	*name = first;
	if (entry_at(reading, cur, cur->pos))
		return true;
	while (nul && !entry_at(reading, cur, nul + 1))
		nul = memchr(nul + 1, 0, (size_t)(end - nul - 1));
	if (!nul)
		return true;
	*name = (struct name){ first.text, (size_t)(nul - start), true };
	if (is_text(&first) && !original(reading, name))
		*name = first;
	else
		cur->pos = nul + 1;
	return true;
}

static int mend_names(struct reading *reading)
{
	array__for_each(damaged, &reading->damaged) {
		const char *file = original(reading, &damaged->name);
		int err;

		if (!file)
			file = damaged->name.has_nul ? "" : damaged->name.text;
		err = add_file(reading, file, &reading->table->rows[damaged->row].file);
		if (err)
			return err;
	}
	if (reading->damaged.count)
		jitdump__report(reading->dump, DIAG_NOTE, "jitdump.file-name",
				reading->table->record.offset,
				"%zu of %zu file names of a debug table are overwritten",
				reading->damaged.count, reading->table->lines->nr_rows);
	return 0;
}

static bool is_repeat_mark(const struct name *name)
{
	return name->size == 1 && (unsigned char)name->text[0] == 0xff;
}

static int add_row(struct reading *reading, const struct name *name, const char **before)
{
	uint64_t row = reading->table->lines->nr_rows;

	reading->table->lines->nr_rows++;
	if (!is_repeat_mark(name)) {
		if (name->has_nul || !is_text(name)) {
			struct damaged damaged = { row, *name };

			return array__push(&reading->damaged, damaged) ? 0 : -ENOMEM;
		}
		*before = name->text;
	}
	return add_file(reading, *before, &reading->table->rows[row].file);
}

static int read_rows(struct reading *reading)
{
	struct debug_table *table = reading->table;
	struct cursor cur =
		cursor__at(table->record.debug_info.entries, reading->dump->header.order);
	uint64_t count = table->record.debug_info.nr_entry;
	const char *before = "";

	for (uint64_t i = 0; i < count; i++) {
		struct code_line *row = &table->rows[i];
		struct name name;
		int err;

		if (!entry_at(reading, &cur, cur.pos))
			break;
		row->addr = cursor__u64(&cur);
		row->line = cursor__u32(&cur);
		row->column = cursor__u32(&cur);
		if (!take_name(reading, &cur, i + 1 == count, &name))
			break;
		err = add_row(reading, &name, &before);
		if (err)
			return err;
	}
	if (table->lines->nr_rows < count)
		jitdump__report(reading->dump, DIAG_NOTE, "jitdump.debug-entries",
				table->record.offset,
				"%zu of %llu entries of a debug table make sense",
				table->lines->nr_rows, (unsigned long long)count);
	return mend_names(reading);
}

static int keep_files(const struct reading *reading)
{
	size_t count = reading->files.count;
	const char **names = arena__alloc(&reading->dump->arena, count + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	if (count)
		memcpy(names, reading->files.items, count * sizeof(*names));
	reading->table->lines->files = names;
	reading->table->lines->nr_files = count;
	return 0;
}

int debug_info__read(struct jitdump *dump, struct debug_table *table)
{
	uint64_t count = table->record.debug_info.nr_entry;
	struct reading reading = { .dump = dump, .table = table };
	int err;

	if (!count)
		return 0;
	table->lines = arena__alloc(&dump->arena, 1, sizeof(*table->lines));
	table->rows = arena__alloc(&dump->arena, count, sizeof(*table->rows));
	if (!table->lines || !table->rows)
		return -ENOMEM;
	table->lines->rows = table->rows;
	err = read_rows(&reading);
	if (!err)
		err = keep_files(&reading);
	array__free(&reading.files);
	array__free(&reading.damaged);
	return err;
}
