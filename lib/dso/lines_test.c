// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines as addr2line of binutils, elfutils and LLVM and gdb find them. */
#include "dso/image_test.h"

#define CODE UINT64_C(0x40001000)

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/*
 * One form for all: no column (eu-addr2line shows it), "-" for no line. --relative as there is no
 * directory that relative names are relative to.
 */
static const char *const tools[] = {
	"addr2line -e %s < %s | sed -E 's/^.*:[?0]$/-/'",
	"eu-addr2line --relative -e %s < %s | sed -E 's/(:[0-9]+):[0-9]+$/\\1/; s/^.*:0$/-/'",
	"llvm-addr2line -e %s < %s | sed -E 's/^.*:[?0]$/-/'",
};

/* Addresses to be asked for, and the lines that are to be the answer. */
struct questions {
	FILE *addresses;
	char path[96];
	struct buf answers;
};

static void begin_questions(struct questions *questions, const struct image_file *file)
{
	*questions = (struct questions){ 0 };
	snprintf(questions->path, sizeof(questions->path), "%s/addresses", file->folder);
	questions->addresses = fopen(questions->path, "w");
	assert_non_null(questions->addresses);
}

static void ask(struct questions *questions, const struct dso_spec *spec, uint64_t addr,
		const char *file, uint32_t line)
{
	char answer[512];

	fprintf(questions->addresses, "0x%llx\n", (unsigned long long)(addr - spec->base));
	if (line)
		snprintf(answer, sizeof(answer), "%s:%u\n", file, line);
	else
		strcpy(answer, "-\n");
	buf__put(&questions->answers, answer, strlen(answer));
}

/* Answers that differ are shown from the first difference on. */
static void check_answers(const char *tool, const char *given, const char *expected)
{
	const char *a = given, *b = expected;
	size_t line = 1;

	while (*a && *a == *b) {
		line += *a == '\n';
		a++;
		b++;
	}
	if (*a != *b)
		fail_msg("%s: line %zu: \"%.100s\", not \"%.100s\"", tool, line, a, b);
}

static void end_questions(struct questions *questions, const struct image_file *file)
{
	fclose(questions->addresses);
	buf__put_u8(&questions->answers, 0);
	assert_true(questions->answers.size > 1);
	for (size_t i = 0; i < SIZE(tools); i++) {
		char command[256];
		char *text;

/* The formats are those above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(command, sizeof(command), tools[i], file->path, questions->path);
#pragma GCC diagnostic pop
		text = output_of("%s", command);
		check_answers(command, text, (const char *)questions->answers.data);
		free(text);
	}
	unlink(questions->path);
	buf__free(&questions->answers);
}

/* A fixed sequence of numbers: the same cases in every run. */
static uint32_t pick(uint32_t *seed, uint32_t count)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % count;
}

#define NR_FUNCTIONS 300
#define NR_ROWS      40

/* Functions with up to 40 rows each, some with none. */
struct table {
	struct code_line rows[NR_FUNCTIONS][NR_ROWS];
	struct code_lines lines[NR_FUNCTIONS];
	struct code_record records[NR_FUNCTIONS];
	struct dso_function functions[NR_FUNCTIONS];
	char names[NR_FUNCTIONS][16];
	struct dso_spec spec;
};

static const char *const all_files[] = {
	"/srv/app/main.js",  "java/lang/String.java", "<frozen importlib._bootstrap>",
	"/srv/app/a b.js",   "node:internal/timers",  "/srv/\xc3\xa9t\xc3\xa9.py",
	"file:///srv/x.mjs",
};

static const uint32_t steps[] = { 1, 2, 3, 15, 16, 17, 18, 127, 128, 300, 40000 };
static const uint32_t far_lines[] = { 1, 2, 5, 100, 65535, 65536, 1000000, INT32_MAX };

static void make_function(struct table *table, size_t i, uint64_t addr, uint32_t *seed)
{
	uint32_t nr_rows = i % 10 == 9 ? 0 : 1 + pick(seed, NR_ROWS), line = 1 + pick(seed, 5000);
	/* Where the runtime put it first: lines move along with the code. */
	uint64_t recorded = i % 3 ? addr : addr + 0x100000, at = recorded + pick(seed, 2);
	uint32_t first = pick(seed, 4);

	for (uint32_t r = 0; r < nr_rows; r++) {
		if (pick(seed, 8) == 0)
			line = far_lines[pick(seed, SIZE(far_lines))];
		else if (line < INT32_MAX - 20 && line > 8)
			line += pick(seed, 24) - 8;
		table->rows[i][r] = (struct code_line){ .addr = at,
							.line = pick(seed, 12) ? line : 0,
							.column = pick(seed, 3),
							.file = pick(seed, 3) };
		at += steps[pick(seed, SIZE(steps))];
	}
	table->lines[i] =
		(struct code_lines){ table->rows[i], nr_rows, all_files + first, 4, NULL, 0 };
	snprintf(table->names[i], sizeof(table->names[i]), "f%zu", i);
	table->records[i] = (struct code_record){ .addr = recorded,
						  .size = at + 1 + pick(seed, 30) - recorded,
						  .name = table->names[i],
						  .lines = &table->lines[i] };
	table->functions[i] = (struct dso_function){ .record = &table->records[i],
						     .addr = addr,
						     .size = table->records[i].size };
}

static void make_table(struct table *table, const struct cfi_target *target)
{
	uint64_t addr = CODE;
	uint32_t seed = 7;

	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		make_function(table, i, addr, &seed);
		addr += table->functions[i].size + pick(&seed, 4);
	}
	table->spec = (struct dso_spec){ .target = *target,
					 .functions = table->functions,
					 .nr_functions = NR_FUNCTIONS,
					 .base = CODE - 0x120,
					 .text_end = addr,
					 .lines = true };
}

/* Both ends of what each row is about, and what no row is about. */
static void ask_all(struct questions *questions, const struct table *table)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		const struct dso_function *function = &table->functions[i];
		const struct code_lines *lines = &table->lines[i];
		uint64_t moved = function->addr - function->record->addr;
		uint64_t end = function->addr + function->size;

		if (!lines->nr_rows || lines->rows[0].addr + moved > function->addr)
			ask(questions, &table->spec, function->addr, "", 0);
		for (size_t r = 0; r < lines->nr_rows; r++) {
			const struct code_line *row = &lines->rows[r];
			uint64_t to = r + 1 < lines->nr_rows ? row[1].addr + moved : end;
			const char *file = lines->files[row->file];

			ask(questions, &table->spec, row->addr + moved, file, row->line);
			ask(questions, &table->spec, to - 1, file, row->line);
		}
		if (i + 1 < NR_FUNCTIONS && function[1].addr > end)
			ask(questions, &table->spec, end, "", 0);
	}
}

static void test_every_row(void **state)
{
	static const struct cfi_target targets[] = {
		{ EM_X86_64, ELFCLASS64, ORDER_LITTLE },
		{ EM_386, ELFCLASS32, ORDER_LITTLE },
		{ EM_S390, ELFCLASS64, ORDER_BIG },
	};
	static struct table table;

	(void)state;
	for (size_t i = 0; i < SIZE(targets); i++) {
		struct questions questions;
		struct image_file file;

		make_table(&table, &targets[i]);
		write_image(&file, &table.spec);
		assert_clean(&file, true);
		begin_questions(&questions, &file);
		ask_all(&questions, &table);
		end_questions(&questions, &file);
		remove_image(&file);
	}
}

/* One function of 64 bytes with the rows; the image is written and checked. */
struct single {
	struct code_record record;
	struct dso_function function;
	struct dso_spec spec;
};

static void write_called(struct single *single, struct image_file *file, const char *name,
			 const struct code_lines *lines)
{
	single->record = (struct code_record){ .addr = CODE, .size = 64, .name = name };
	single->record.lines = lines;
	single->function = (struct dso_function){ &single->record, CODE, 64 };
	single->spec = (struct dso_spec){ .target = x86_64,
					  .functions = &single->function,
					  .nr_functions = 1,
					  .base = CODE - 0x120,
					  .text_end = CODE + 64,
					  .lines = true };
	write_image(file, &single->spec);
	assert_clean(file, true);
}

static void write_single(struct single *single, struct image_file *file,
			 const struct code_lines *lines)
{
	write_called(single, file, "outermost", lines);
}

static void test_odd_rows(void **state)
{
	static const char *const files[] = { "a.js", "" };
	static const struct code_line rows[] = {
		{ CODE - 4, 1, 0, 0, 0 },  /* before the function */
		{ CODE + 8, 2, 0, 0, 0 },  /* not the last one there */
		{ CODE + 8, 3, 0, 0, 0 },  /* ... */
		{ CODE + 8, 4, 0, 0, 0 },  /* this one is */
		{ CODE + 16, 5, 0, 1, 0 }, /* a file without name */
		{ CODE + 24, 6, 0, 2, 0 }, /* no such file */
		{ CODE + 32, 7, 0, 0, 9 }, /* no such inlined call */
		{ CODE + 64, 8, 0, 0, 0 }, /* behind the function */
	};
	static const struct code_lines lines = { rows, SIZE(rows), files, SIZE(files), NULL, 0 };
	struct questions questions;
	struct image_file file;
	struct single single;

	(void)state;
	write_single(&single, &file, &lines);
	begin_questions(&questions, &file);
	ask(&questions, &single.spec, CODE, "", 0);
	ask(&questions, &single.spec, CODE + 7, "", 0);
	ask(&questions, &single.spec, CODE + 8, "a.js", 4);
	ask(&questions, &single.spec, CODE + 15, "a.js", 4);
	ask(&questions, &single.spec, CODE + 16, "??", 5);
	ask(&questions, &single.spec, CODE + 23, "??", 5);
	ask(&questions, &single.spec, CODE + 24, "??", 6);
	ask(&questions, &single.spec, CODE + 32, "a.js", 7);
	ask(&questions, &single.spec, CODE + 63, "a.js", 7);
	end_questions(&questions, &file);
	remove_image(&file);
}

static const char *const inline_files[] = { "/srv/a.js", "/srv/lib/b.js" };
static const struct code_inlined inlined[] = {
	{ "inner", 2, 1, 77, 3 },
	{ "outer", 0, 0, 55, 2 },
	{ "inner", 0, 0, 99, 1 },
	{ "cycle", 4, 0, 1, 1 },
};
static const struct code_line inline_rows[] = {
	{ CODE, 10, 0, 0, 0 },      { CODE + 8, 20, 0, 1, 2 },  { CODE + 16, 30, 0, 1, 1 },
	{ CODE + 20, 31, 0, 1, 1 }, { CODE + 24, 40, 0, 1, 3 }, { CODE + 32, 50, 0, 0, 0 },
	{ CODE + 40, 60, 0, 1, 1 }, { CODE + 48, 70, 0, 0, 4 },
};
static const struct code_lines inline_lines = {
	inline_rows, SIZE(inline_rows), inline_files, SIZE(inline_files), inlined, SIZE(inlined)
};

struct inline_case {
	uint64_t at;
	const char *frames;
};

static const struct inline_case inline_cases[] = {
	{ 0, "outermost /srv/a.js:10" },
	{ 7, "outermost /srv/a.js:10" },
	{ 8, "outer /srv/lib/b.js:20 outermost /srv/a.js:55" },
	{ 15, "outer /srv/lib/b.js:20 outermost /srv/a.js:55" },
	{ 16, "inner /srv/lib/b.js:30 outer /srv/lib/b.js:77 outermost /srv/a.js:55" },
	{ 23, "inner /srv/lib/b.js:31 outer /srv/lib/b.js:77 outermost /srv/a.js:55" },
	{ 24, "inner /srv/lib/b.js:40 outermost /srv/a.js:99" },
	{ 31, "inner /srv/lib/b.js:40 outermost /srv/a.js:99" },
	{ 32, "outermost /srv/a.js:50" },
	{ 40, "inner /srv/lib/b.js:60 outer /srv/lib/b.js:77 outermost /srv/a.js:55" },
	{ 47, "inner /srv/lib/b.js:60 outer /srv/lib/b.js:77 outermost /srv/a.js:55" },
	{ 48, "outermost /srv/a.js:70" }, /* a cycle of callers is no inlining */
	{ 63, "outermost /srv/a.js:70" },
};

static void test_inlined_calls(void **state)
{
	static const char *const commands[] = {
		"addr2line -i -f -e %s 0x%llx | tr '\\n' ' '",
		"llvm-addr2line -i -f -e %s 0x%llx | tr '\\n' ' '",
		/* It says the caller behind the name, and the column. */
		("eu-addr2line -i -f -e %s 0x%llx | "
		 "sed -E 's/ inlined at .*//; s/(:[0-9]+):[0-9]+$/\\1/' | tr '\\n' ' '"),
	};
	struct image_file file;
	struct single single;

	(void)state;
	write_single(&single, &file, &inline_lines);
	for (size_t i = 0; i < SIZE(inline_cases) * SIZE(commands); i++) {
		const struct inline_case *c = &inline_cases[i / SIZE(commands)];
		char command[256], expected[256], *text;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(command, sizeof(command), commands[i % SIZE(commands)], file.path,
			 (unsigned long long)(0x120 + c->at));
#pragma GCC diagnostic pop
		snprintf(expected, sizeof(expected), "%s ", c->frames);
		text = output_of("%s", command);
		check_answers(command, text, expected);
		free(text);
	}
	remove_image(&file);
}

/* Readers print names as they find them. */
static void test_names_are_for_terminals(void **state)
{
	static const char *const files[] = { "/srv/\033]0;t\a.js", "/größe/\xff.js" };
	static const struct code_inlined calls[] = { { "in\nner\x7f", 0, 1, 77, 3 } };
	static const struct code_line rows[] = { { CODE, 10, 0, 0, 1 } };
	static const struct code_lines lines = { rows, 1, files, SIZE(files), calls, SIZE(calls) };
	struct image_file file;
	struct single single;

	(void)state;
	write_called(&single, &file, "método\033[2J\xc2\x9b", &lines);
	assert_prints(output_of("addr2line -i -f -e %s 0x120", file.path),
		      "in\\x0aner\\x7f\n/srv/\\x1b]0;t\\x07.js:10\n"
		      "método\\x1b[2J\\xc2\\x9b\n/größe/\\xff.js:77\n");
	assert_prints(output_of("nm %s | cut -d' ' -f3-", file.path), "método\\x1b[2J\\xc2\\x9b\n");
	remove_image(&file);
}

static void test_gdb(void **state)
{
	struct image_file file;
	struct single single;
	char *text;

	(void)state;
	write_single(&single, &file, &inline_lines);
	text = output_of("gdb -nx -batch -ex 'info line *0x13c' -ex 'info line *0x140' %s 2>&1",
			 file.path);
	assert_contains(text, "Line 40 of \"/srv/lib/b.js\" starts at address 0x138 <outermost+24> "
			      "and ends at 0x140 <outermost+32>.\n");
	assert_contains(text, "Line 50 of \"/srv/a.js\" starts at address 0x140 <outermost+32>");
	free(text);
	remove_image(&file);
}

static void test_no_lines_no_sections(void **state)
{
	static const struct code_lines none = { NULL, 0, NULL, 0, NULL, 0 };
	struct image_file file;
	struct single single;
	char *text;

	(void)state;
	single.record =
		(struct code_record){ .addr = CODE, .size = 64, .name = "f", .lines = &none };
	single.function = (struct dso_function){ &single.record, CODE, 64 };
	single.spec = (struct dso_spec){ .target = x86_64,
					 .functions = &single.function,
					 .nr_functions = 1,
					 .base = CODE - 0x120,
					 .text_end = CODE + 64,
					 .lines = true };
	for (int i = 0; i < 2; i++) {
		write_image(&file, &single.spec);
		text = output_of("readelf -SW %s", file.path);
		assert_contains(text, ".shstrtab");
		assert_null(strstr(text, ".debug"));
		free(text);
		remove_image(&file);
		single.record.lines = &inline_lines;
		single.spec.lines = false;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row),
		cmocka_unit_test(test_odd_rows),
		cmocka_unit_test(test_inlined_calls),
		cmocka_unit_test(test_names_are_for_terminals),
		cmocka_unit_test(test_gdb),
		cmocka_unit_test(test_no_lines_no_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
