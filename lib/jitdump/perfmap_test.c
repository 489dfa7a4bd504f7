// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#include "jitdump/perfmap.h"
#include "jitdump/testing.h"

/* A map that was read; entries as "addr+size name" in lines. */
struct map {
	struct reading reading; /* what was said */
	struct perfmap *map;
	char *entries;
};

static int print_entry(void *context, const struct code_record *code)
{
	static uint64_t index;

	assert_int_equal(code->code.size, 0);
	assert_int_equal(code->time, 0);
	assert_null(code->unwind);
	assert_null(code->lines);
	index = code->index == 1 ? 1 : index + 1;
	assert_int_equal(code->index, index);
	fprintf(context, "%" PRIx64 "+%" PRIx64 " %s\n", code->addr, code->size, code->name);
	return 0;
}

static void read_map_at(struct map *map, const char *path)
{
	size_t size;
	FILE *out;

	*map = (struct map){ 0 };
	map->reading.diag = diag__new(keep_said, &map->reading);
	assert_int_equal(perfmap__open(&map->map, path, map->reading.diag), 0);
	assert_string_equal(perfmap__path(map->map), path);
	out = open_memstream(&map->entries, &size);
	assert_non_null(out);
	assert_int_equal(perfmap__for_each(map->map, print_entry, out), 0);
	assert_int_equal(fclose(out), 0);
}

/* The text, a hole and the text again. */
static void read_map_with_hole(struct map *map, const char *text, size_t size, off_t hole)
{
	int fd = memfd_create("perfmap", MFD_CLOEXEC);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	if (hole)
		assert_int_equal(pwrite(fd, text, size, (off_t)size + hole), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_map_at(map, path);
	close(fd);
}

static void read_map(struct map *map, const char *text, size_t size)
{
	read_map_with_hole(map, text, size, 0);
}

static void end_map(struct map *map)
{
	perfmap__close(map->map);
	free(map->entries);
	end_reading(&map->reading);
}

/* Entries and the kinds of complaints, in order, that a text gives. */
static const struct {
	const char *name, *text, *entries, *said;
} cases[] = {
	{ "empty", "", "", "" },
	{ "as the specification has it", "7f54fffcd000 b f\n7f54fffcd00b 1a g\n",
	  "7f54fffcd000+b f\n7f54fffcd00b+1a g\n", "" },
	{ "0x prefixes", "0x1000 0x10 f\n0X2000 10 g\n", "1000+10 f\n2000+10 g\n", "" },
	{ "capitals", "ABCDEF FF f\n", "abcdef+ff f\n", "" },
	{ "names with spaces", "1000 10 (wrapper managed-to-native) A:b (int, long)\n",
	  "1000+10 (wrapper managed-to-native) A:b (int, long)\n", "" },
	{ "names like numbers", "1000 10 20 30\n", "1000+10 20 30\n", "" },
	{ "names in UTF-8",
	  "1000 10 py::Gr\xc3\xb6\xc3\x9f"
	  "e.m:a b.py\n",
	  "1000+10 py::Gr\xc3\xb6\xc3\x9f"
	  "e.m:a b.py\n",
	  "" },
	{ "tabs and more blanks", "  1000\t10 \t f\n", "1000+10 f\n", "" },
	{ "lines of another system", "1000 10 f\r\n\r\n2000 10 g\r\n", "1000+10 f\n2000+10 g\n",
	  "" },
	{ "empty lines", "\n\n1000 10 f\n \n", "1000+10 f\n", "" },
	{ "no newline at the end", "1000 10 f\n2000 10 g", "1000+10 f\n2000+10 g\n", "" },
	{ "one address several times", "1000 10 old\n1000 20 new\n1000 10 newest\n",
	  "1000+10 old\n1000+20 new\n1000+10 newest\n", "" },
	{ "the ends of the address space", "0 1 first\nffffffffffffff00 ff last\n",
	  "0+1 first\nffffffffffffff00+ff last\n", "" },
	{ "no size", "1000 0 f\n2000 10 g\n", "2000+10 g\n", "perfmap.empty-code" },
	{ "the largest function", "1000 10000000 f\n20000000 10 g\n",
	  "1000+10000000 f\n20000000+10 g\n", "" },
	{ "one that is larger", "1000 10000001 f\n2000 10 g\n", "2000+10 g\n",
	  "perfmap.huge-code" },
	{ "overflow", "ffffffffffffff00 100 f\n2000 10 g\n", "2000+10 g\n",
	  "perfmap.address-overflow" },
	{ "address of too many digits", "10000000000000000 10 f\n2000 10 g\n", "2000+10 g\n",
	  "perfmap.no-address" },
	{ "size of too many digits", "1000 10000000000000000 f\n2000 10 g\n", "2000+10 g\n",
	  "perfmap.no-size" },
	{ "leading zeros", "0000000000000000001000 0010 f\n", "1000+10 f\n", "" },
	{ "a line cut in its address", "7f54ff\n2000 10 g\n", "2000+10 g\n", "perfmap.no-address" },
	{ "a line cut in its size", "7f54fffcd000 b\n2000 10 g\n", "2000+10 g\n",
	  "perfmap.no-size" },
	{ "a line cut before its name", "7f54fffcd000 b \n2000 10 g\n", "2000+10 g\n",
	  "perfmap.no-name" },
	{ "the rest of a line", "1000 10 f\n:src/nest.py\n2000 10 g\n", "1000+10 f\n2000+10 g\n",
	  "perfmap.no-address" },
	{ "two lines in one another", "1000 10 f\n10002000 7f1000 10 a\n00 10 b\nx000 10 c\n",
	  "1000+10 f\n10002000+7f1000 10 a\n0+10 b\n", "perfmap.no-address" },
	{ "0x alone", "0x 10 f\n0x1000 0x f\n", "", "perfmap.no-address perfmap.no-size" },
	{ "a negative number", "-1000 10 f\n1000 -10 f\n", "",
	  "perfmap.no-address perfmap.no-size" },
	{ "prose", "This is no perf map.\nNot at all.\n", "",
	  "perfmap.no-address perfmap.no-address" },
};

static void reads_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char said[128] = "";
		struct map map;

		read_map(&map, cases[i].text, strlen(cases[i].text));
		array__for_each(message, &map.reading.said) {
			size_t length = strlen(said);

			snprintf(said + length, sizeof(said) - length, "%s%s", length ? " " : "",
				 message->kind);
		}
		if (strcmp(map.entries, cases[i].entries) != 0 || strcmp(said, cases[i].said) != 0)
			fail_msg("%s: %s%s", cases[i].name, map.entries, said);
		assert_int_equal(perfmap__stats(map.map)->unusable, map.reading.said.count);
		end_map(&map);
	}
}

static void bytes_that_are_no_text(void **state)
{
	static const char text[] = "1000 10 f\n2000 10 g\0\0\n\0\0\0\0\n3000 10 h\n";
	struct map map;

	(void)state;
	read_map(&map, text, sizeof(text) - 1);
	assert_string_equal(map.entries, "1000+10 f\n3000+10 h\n");
	assert_int_equal(perfmap__stats(map.map)->entries, 2);
	assert_int_equal(perfmap__stats(map.map)->unusable, 2);
	assert_string_equal(map.reading.said.items[0].kind, "perfmap.damaged-name");
	assert_string_equal(map.reading.said.items[0].text,
			    "the line holds bytes that are no text: skipped");
	assert_int_equal(map.reading.said.items[0].offset, 10);
	assert_int_equal(map.reading.said.items[1].offset, 22);
	end_map(&map);
}

static int stop_at_second(void *context, const struct code_record *code)
{
	unsigned int *seen = context;

	assert_non_null(code->name);
	return ++*seen == 2 ? 7 : 0;
}

static void stops_when_told(void **state)
{
	unsigned int seen = 0;
	struct map map;

	(void)state;
	read_map(&map, "1 1 a\n2 1 b\n3 1 c\n", 18);
	assert_int_equal(perfmap__for_each(map.map, stop_at_second, &seen), 7);
	assert_int_equal(seen, 2);
	end_map(&map);
}

/* Anyone may put a file of any size where maps are looked for. */
static void a_hole_takes_no_memory(void **state)
{
	static const char text[] = "1000 10 f\n2000 10 g\n";
	struct rusage usage;
	struct map map;

	(void)state;
	read_map_with_hole(&map, text, sizeof(text) - 1, (off_t)4 << 30);
	assert_string_equal(map.entries, "1000+10 f\n2000+10 g\n2000+10 g\n");
	assert_int_equal(map.reading.said.count, 1);
	assert_string_equal(map.reading.said.items[0].kind, "perfmap.no-address");
	end_map(&map);
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_in_range(usage.ru_maxrss, 1, 1 << 20);
}

static void knows_the_pid_by_the_name(void **state)
{
	static const struct {
		const char *name;
		uint32_t pid;
	} files[] = { { "perf-4711.map", 4711 },    { "perf-2147483647.map", 2147483647 },
		      { "perf-0.map", 0 },          { "perf--1.map", 0 },
		      { "perf-12.map.old", 0 },     { "perf-12", 0 },
		      { "perf-.map", 0 },           { "4711.map", 0 },
		      { "perf-4294967297.map", 0 }, { "perf-99999999999999999999999.map", 0 } };
	char folder[] = "/tmp/perfmap_test-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[128];
		struct map map;
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		file = fopen(path, "we");
		assert_non_null(file);
		fputs("1000 10 f\n", file);
		fclose(file);
		read_map_at(&map, path);
		assert_int_equal(perfmap__pid(map.map), files[i].pid);
		end_map(&map);
		unlink(path);
	}
	assert_int_equal(rmdir(folder), 0);
}

static void says_what_it_can_not_read(void **state)
{
	struct reading reading = { 0 };
	struct perfmap *map;

	(void)state;
	reading.diag = diag__new(keep_said, &reading);
	assert_int_equal(perfmap__open(&map, "/no/such/perf-1.map", reading.diag), -ENOENT);
	assert_null(map);
	assert_int_equal(reading.said.count, 1);
	assert_string_equal(reading.said.items[0].kind, "file.open");
	perfmap__close(NULL);
	end_reading(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_text),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(stops_when_told),
		cmocka_unit_test(a_hole_takes_no_memory),
		cmocka_unit_test(knows_the_pid_by_the_name),
		cmocka_unit_test(says_what_it_can_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
