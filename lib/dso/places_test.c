// SPDX-License-Identifier: GPL-2.0-or-later
/* Where headers, text and unwind data stand when they cannot stand one behind the other. */
#include "dso/targets_test.h"

static void test_unwind_data_in_a_hole(void **state)
{
	struct fixture fixture;
	struct image_file file;
	struct stat status;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0])->spec.unwind = CODE + 0x20000000;
	write_image(&file, &fixture.spec);
	assert_int_equal(stat(file.path, &status), 0);
	assert_true(status.st_size > 0x20000000);
	assert_true(status.st_blocks * 512 < 0x10000);
	/* The one thing that linkers would not do: loaded by a second mapping, not by PT_LOAD. */
	text = output_of("eu-elflint --gnu-ld %s | sed 's/.*\\] //'", file.path);
	assert_prints(
		text,
		"'.eh_frame_hdr': alloc flag set but section not in any loaded segment\n"
		"'.eh_frame': alloc flag set but section not in any loaded segment\n"
		"'.note.gnu.build-id': alloc flag set but section not in any loaded segment\n");
	assert_prints(output_of("readelf -aW %s 2>&1 >/dev/null", file.path), "");
	assert_prints(output_of("llvm-readelf -a %s 2>&1 >/dev/null", file.path), "");
	text = output_of("readelf -lW %s", file.path);
	assert_contains(text, "0x00034b 0x00034b R E 0x1000");
	assert_contains(text, "GNU_EH_FRAME   0x20000120 0x0000000020000120");
	free(text);
	text = output_of("readelf --debug-dump=frames %s", file.path);
	assert_contains(text, "pc=0000000000000340..000000000000034b");
	free(text);
	remove_image(&file);
}

/* Where something else is mapped right before the code, headers are elsewhere or in its place. */
static void check_headers_elsewhere(const struct target_case *c, enum dso_headers headers)
{
	bool narrow = c->target.class == ELFCLASS32;
	unsigned int elf_header = narrow ? 0x34 : 0x40;
	unsigned int start = headers == DSO_HEADERS_APART ? elf_header : 0;
	struct fixture fixture;
	struct image_file file;
	char expected[128], *text;
	uint8_t bytes[0x400];

	make_fixture(&fixture, c)->spec.headers = headers;
	fixture.spec.base = CODE - start;
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	text = output_of("readelf -lSW %s", file.path);
	/* no section has address 0 */
	snprintf(expected, sizeof(expected), ".text             PROGBITS        %0*x %06x %06x",
		 narrow ? 8 : 16, start ? start : 1, start ? start : 1, start ? 0x22b : 0x22a);
	assert_contains(text, expected);
	assert_contains(text, "  LOAD           0x000000 0x00000000");
	free(text);
	text = output_of("readelf --debug-dump=frames %s", file.path);
	snprintf(expected, sizeof(expected), "pc=%0*x..%0*x\n", narrow ? 8 : 16, start,
		 narrow ? 8 : 16, start + 11);
	assert_contains(text, expected);
	free(text);
	read_file(file.path, bytes, sizeof(bytes));
	assert_memory_equal(bytes, ELFMAG, SELFMAG);
	if (start)
		assert_memory_equal(bytes + start, code, sizeof(code));
	assert_memory_equal(bytes + start + GAP, code, sizeof(code));
	remove_image(&file);
}

static void test_headers_elsewhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++) {
		check_headers_elsewhere(&cases[i], DSO_HEADERS_APART);
		check_headers_elsewhere(&cases[i], DSO_HEADERS_OVERLAID);
	}
}

/* All the code is shorter than the header that stands in its place. */
static void test_header_longer_than_the_code(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0])->spec.headers = DSO_HEADERS_OVERLAID;
	fixture.spec.base = CODE;
	fixture.spec.nr_functions = fixture.spec.nr_cfi = 1;
	fixture.spec.text_end = CODE + sizeof(code);
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	text = output_of("readelf -SsW %s", file.path);
	assert_contains(text, ".text             PROGBITS        0000000000000001 000001 00000a");
	assert_contains(text, ".eh_frame_hdr     PROGBITS        0000000000000040 000040 000014");
	assert_contains(text, "0000000000000000    11 FUNC    GLOBAL DEFAULT    1 py::handler");
	free(text);
	remove_image(&file);
}

/* The same with unwind data far away: nothing stands between text and symbols. */
static void test_header_longer_than_the_code_and_a_hole(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0])->spec.headers = DSO_HEADERS_OVERLAID;
	fixture.spec.base = CODE;
	fixture.spec.nr_functions = fixture.spec.nr_cfi = 1;
	fixture.spec.text_end = CODE + sizeof(code);
	fixture.spec.unwind = CODE + 0x10000;
	write_image(&file, &fixture.spec);
	assert_prints(output_of("readelf -aW %s 2>&1 >/dev/null", file.path), "");
	text = output_of("readelf -hSsW %s", file.path);
	assert_contains(text, "Number of program headers:         4");
	assert_contains(text, ".text             PROGBITS        0000000000000001 000001 00000a");
	assert_contains(text, ".eh_frame_hdr     PROGBITS        0000000000010000 010000 000014");
	assert_contains(text, "0000000000000000    11 FUNC    GLOBAL DEFAULT    1 py::handler");
	free(text);
	remove_image(&file);
}

/* A newer generation's headers are larger, so that it lies within the older; both end alike. */
static void test_room_before_the_text_and_memory_end(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0])->spec.base -= 0x30;
	fixture.spec.memory_end = CODE + 0x10000;
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	text = output_of("readelf -lSW %s", file.path);
	assert_contains(text, ".text             PROGBITS        0000000000000150 000150 00022b");
	assert_contains(text, " 0x000430 0x010150 R E 0x1000");
	free(text);
	remove_image(&file);
}

/* Text at an odd address: sections are aligned to offsets, and say what they are aligned to. */
static void test_odd_place(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0])->spec.base -= 3;
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	text = output_of("readelf -SW %s", file.path);
	assert_contains(text, ".text             PROGBITS        0000000000000123 000123 00022b 00"
			      "  AX  0   0  1\n");
	free(text);
	remove_image(&file);
}

static void test_without_unwind_data(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0]);
	fixture.spec.nr_cfi = 0;
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	text = output_of("readelf -SW %s", file.path);
	assert_contains(text, ".eh_frame_hdr     PROGBITS        0000000000000350 000350 00000c");
	assert_contains(text, ".eh_frame         PROGBITS        0000000000000360 000360 000004");
	free(text);
	remove_image(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind_data_in_a_hole),
		cmocka_unit_test(test_headers_elsewhere),
		cmocka_unit_test(test_header_longer_than_the_code),
		cmocka_unit_test(test_header_longer_than_the_code_and_a_hole),
		cmocka_unit_test(test_room_before_the_text_and_memory_end),
		cmocka_unit_test(test_odd_place),
		cmocka_unit_test(test_without_unwind_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
