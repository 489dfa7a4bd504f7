// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "dso/image_test.h"

#define CODE UINT64_C(0x7fd7579e8000)

static const struct cfi_cie cie = {
	1, -8, 16, false, false, { (const uint8_t *)"\x0c\x07\x08", 3 }
};

static const uint8_t code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };

struct fixture {
	struct code_record records[2];
	struct dso_function functions[2];
	struct cfi_entry cfi[2];
	struct dso_spec spec;
};

/* Two functions of 11 bytes, 272 bytes apart, as CPython places its trampolines. */
static struct fixture *make_fixture(struct fixture *fixture)
{
	for (int i = 0; i < 2; i++) {
		fixture->records[i] = (struct code_record){ .addr = CODE + 272 * (uint64_t)i,
							    .size = sizeof(code),
							    .name = i ? "second" : "first",
							    .code = BYTES(code) };
		fixture->functions[i] = (struct dso_function){ .record = &fixture->records[i],
							       .addr = fixture->records[i].addr,
							       .size = sizeof(code) };
		fixture->cfi[i] = (struct cfi_entry){ &cie,
						      { (const uint8_t *)"\x44\x0e\x10", 3 },
						      fixture->records[i].addr,
						      sizeof(code) };
	}
	fixture->spec = (struct dso_spec){ .target = { EM_X86_64, ELFCLASS64, ORDER_LITTLE },
					   .functions = fixture->functions,
					   .nr_functions = 2,
					   .cfi = fixture->cfi,
					   .nr_cfi = 2,
					   .base = CODE - 0x120,
					   .text_end = CODE + 272 + sizeof(code) };
	return fixture;
}

static void test_header_size(void **state)
{
	(void)state;
	/* Elf64_Ehdr 0x40 and 4 Elf64_Phdr of 0x38; Elf32_Ehdr 0x34 and 4 Elf32_Phdr of 0x20. */
	assert_int_equal(dso__header_size(ELFCLASS64, DSO_HEADERS_BEFORE), 0x120);
	assert_int_equal(dso__header_size(ELFCLASS32, DSO_HEADERS_BEFORE), 0xb4);
	assert_int_equal(dso__header_size(ELFCLASS64, DSO_HEADERS_APART), 0x40);
	assert_int_equal(dso__header_size(ELFCLASS32, DSO_HEADERS_APART), 0x34);
	assert_int_equal(dso__header_size(ELFCLASS64, DSO_HEADERS_OVERLAID), 0);
	assert_int_equal(dso__header_size(ELFCLASS32, DSO_HEADERS_OVERLAID), 0);
}

static void test_behind_the_text(void **state)
{
	struct dso_layout layout;
	struct fixture fixture;

	(void)state;
	make_fixture(&fixture);
	assert_int_equal(dso__layout(&fixture.spec, &layout, NULL), 0);
	/*
	 * Offsets: text 0x120 to 0x23b; the search table 0x240 with 12 + 2 * 8 bytes to 0x25c;
	 * .eh_frame 0x260 with a CIE of 24, two FDEs of 24 and the end's 4 bytes, to 0x2ac; there
	 * the note with 36 bytes.
	 */
	assert_int_equal(layout.text - fixture.spec.base, 0x120);
	assert_int_equal(layout.eh_frame_hdr - fixture.spec.base, 0x240);
	assert_int_equal(layout.eh_frame - fixture.spec.base, 0x260);
	assert_int_equal(layout.unwind_end - fixture.spec.base, 0x2ac);
	assert_int_equal(layout.load_end - fixture.spec.base, 0x2d0);
}

static void test_in_a_hole(void **state)
{
	struct dso_layout layout;
	struct fixture fixture;

	(void)state;
	make_fixture(&fixture)->spec.unwind = CODE + 0x10000000;
	assert_int_equal(dso__layout(&fixture.spec, &layout, NULL), 0);
	assert_int_equal(layout.eh_frame_hdr, CODE + 0x10000000);
	assert_int_equal(layout.eh_frame, CODE + 0x10000020);
	assert_int_equal(layout.unwind_end, CODE + 0x1000006c);
	assert_int_equal(layout.load_end, fixture.spec.text_end);
}

static void keep_text(void *context, const struct diag_message *message)
{
	assert_int_equal(message->level, DIAG_ERROR);
	assert_string_equal(message->kind, "dso.layout");
	snprintf(context, 256, "%s", message->text);
}

static void assert_refused(const struct fixture *fixture, const char *reason)
{
	char text[256] = "";
	struct diag *diag = diag__new(keep_text, text);
	struct dso_layout layout;

	assert_int_equal(dso__layout(&fixture->spec, &layout, diag), -ERANGE);
	assert_contains(text, reason);
	diag__free(diag);
}

static void test_what_cannot_be_laid_out_is_refused(void **state)
{
	struct fixture fixture;

	(void)state;
	make_fixture(&fixture)->spec.nr_functions = 0;
	assert_refused(&fixture, "no function");
	make_fixture(&fixture)->spec.base++;
	assert_refused(&fixture, "no room for the headers");
	make_fixture(&fixture)->spec.base = UINT64_MAX - 0x100;
	assert_refused(&fixture, "end of memory");
	make_fixture(&fixture)->functions[1].addr = CODE + sizeof(code) - 1;
	assert_refused(&fixture, "overlap");
	make_fixture(&fixture)->functions[1].addr = CODE - 1;
	assert_refused(&fixture, "not sorted");
	make_fixture(&fixture)->spec.text_end--;
	assert_refused(&fixture, "past the text's end");
	make_fixture(&fixture)->functions[1].size = UINT64_MAX;
	assert_refused(&fixture, "past the text's end");
	make_fixture(&fixture)->spec.unwind = CODE;
	assert_refused(&fixture, "before the text's end");
	make_fixture(&fixture)->spec.unwind = CODE + 0x80000000;
	assert_refused(&fixture, "2 GiB");
	make_fixture(&fixture)->spec.memory_end = fixture.spec.text_end;
	assert_refused(&fixture, "memory ends");
	make_fixture(&fixture)->spec.target.class = ELFCLASS32;
	assert_refused(&fixture, "32-bit");
}

static void assert_id(const struct dso_spec *spec, const uint8_t *other, bool equal)
{
	uint8_t id[DSO_BUILD_ID_SIZE];

	assert_int_equal(dso__build_id(spec, id), 0);
	assert_int_equal(memcmp(id, other, sizeof(id)) == 0, equal);
	/* Neither part stays the same when the other changes. */
	assert_int_equal(memcmp(id, other, 16) == 0, equal);
	assert_int_equal(memcmp(id + 16, other + 16, 4) == 0, equal);
}

static void test_build_id_depends_on_everything(void **state)
{
	static const struct code_line rows[] = { { CODE, 1, 0, 0, 0 } },
				      rows2[] = { { CODE, 2, 0, 0, 0 } };
	static const char *const files[] = { "a.js" };
	static const struct code_lines lines = { rows, 1, files, 1, NULL, 0 };
	static const struct code_lines lines2 = { rows2, 1, files, 1, NULL, 0 };
	static const struct cfi_cie other_cie = { 4,     -8,
						  16,    false,
						  false, { (const uint8_t *)"\x0c\x07\x08", 3 } };
	static const uint8_t other_code[sizeof(code)] = { 0xc3 };
	uint8_t id[DSO_BUILD_ID_SIZE], with_lines[DSO_BUILD_ID_SIZE];
	struct fixture fixture;

	(void)state;
	assert_int_equal(dso__build_id(&make_fixture(&fixture)->spec, id), 0);
	assert_id(&make_fixture(&fixture)->spec, id, true);
	make_fixture(&fixture)->spec.base -= 16;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.text_end++;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.unwind = CODE + 0x10000;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.memory_end = CODE + 0x10000;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.identity = BYTES(code);
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.target.machine = EM_AARCH64;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.headers = DSO_HEADERS_APART;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.nr_functions = 1;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->functions[1].addr++;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->functions[1].size--;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->records[1].name = "third";
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->records[1].code = BYTES(other_code);
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->records[1].code = (struct bytes){ NULL, 0 };
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->spec.nr_cfi = 1;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->cfi[1].cie = &other_cie;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->cfi[1].instructions.size--;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->cfi[1].addr++;
	assert_id(&fixture.spec, id, false);
	make_fixture(&fixture)->cfi[1].size--;
	assert_id(&fixture.spec, id, false);
	/* Lines count only when they are written. */
	make_fixture(&fixture)->records[0].lines = &lines;
	assert_id(&fixture.spec, id, true);
	fixture.spec.lines = true;
	assert_id(&fixture.spec, id, false);
	assert_int_equal(dso__build_id(&fixture.spec, with_lines), 0);
	fixture.records[0].lines = &lines2;
	assert_id(&fixture.spec, with_lines, false);
}

/* Where names and code meet, moving a byte from one to the other makes a difference. */
static void test_build_id_keeps_fields_apart(void **state)
{
	struct fixture fixture;
	uint8_t id[DSO_BUILD_ID_SIZE];

	(void)state;
	make_fixture(&fixture)->records[0].name = "ab";
	fixture.records[1].name = "c";
	assert_int_equal(dso__build_id(&fixture.spec, id), 0);
	fixture.records[0].name = "a";
	fixture.records[1].name = "bc";
	assert_id(&fixture.spec, id, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_size),
		cmocka_unit_test(test_behind_the_text),
		cmocka_unit_test(test_in_a_hole),
		cmocka_unit_test(test_what_cannot_be_laid_out_is_refused),
		cmocka_unit_test(test_build_id_depends_on_everything),
		cmocka_unit_test(test_build_id_keeps_fields_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
