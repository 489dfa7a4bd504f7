// SPDX-License-Identifier: GPL-2.0-or-later
/* Images as other tools see them: binutils, elfutils, LLVM, gdb. */
#include <signal.h>
#include <sys/resource.h>

#include "dso/targets_test.h"

static void check_target(const struct target_case *c)
{
	unsigned int start = (unsigned int)dso__header_size(c->target.class, DSO_HEADERS_BEFORE);
	struct fixture fixture;
	struct image_file file;
	char expected[128], *text;

	make_fixture(&fixture, c);
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	text = output_of("readelf -hW %s", file.path);
	assert_contains(text, c->machine);
	assert_contains(text, c->target.class == ELFCLASS32 ? "ELF32" : "ELF64");
	assert_contains(text, c->target.order == ORDER_BIG ? "big endian" : "little endian");
	assert_contains(text, "DYN (");
	free(text);
	text = output_of("readelf --debug-dump=frames %s", file.path);
	for (unsigned int i = 0; i < NR_FUNCTIONS; i++) {
		int width = c->target.class == ELFCLASS32 ? 8 : 16;

		snprintf(expected, sizeof(expected), " FDE cie=00000000 pc=%0*x..%0*x\n", width,
			 start + GAP * i, width, start + GAP * i + 11);
		assert_contains(text, expected);
	}
	free(text);
	text = output_of("readelf -sW %s | awk '$4 == \"FUNC\" { print $2, $3, $5, $7, $8 }'",
			 file.path);
	for (unsigned int i = 0; i < NR_FUNCTIONS - 1; i++) {
		snprintf(expected, sizeof(expected), "%08x 11 GLOBAL 1 %.3s", start + GAP * i,
			 names[i]);
		assert_contains(text, expected);
	}
	free(text);
	remove_image(&file);
}

static void test_all_targets_are_clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++)
		check_target(&cases[i]);
}

static void test_headers(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0]);
	write_image(&file, &fixture.spec);
	/* Text to 0x34b; search table 0x350 + 12 + 3 * 8; .eh_frame 0x378 + 24 + 3 * 24 + 4. */
	text = output_of("readelf -lW %s | grep -E '^  [A-Z].* 0x' | tr -s ' '", file.path);
	assert_prints(
		text,
		" LOAD 0x000000 0x0000000000000000 0x0000000000000000 0x000400 0x000400 R E 0x1000\n"
		" GNU_EH_FRAME 0x000350 0x0000000000000350 0x0000000000000350 0x000024 0x000024 R 0x4\n"
		" NOTE 0x0003dc 0x00000000000003dc 0x00000000000003dc 0x000024 0x000024 R 0x4\n"
		" GNU_STACK 0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 RW 0x10\n");
	text = output_of("readelf -SW %s | grep -E '^  \\[ [1-7]' | tr -s ' ' | cut -d' ' -f4-",
			 file.path);
	assert_contains(text, ".text PROGBITS 0000000000000120 000120 00022b 00 AX 0 0 16\n");
	assert_contains(text, ".eh_frame_hdr PROGBITS 0000000000000350 000350 000024 00 A 0 0 4\n");
	assert_contains(text, ".eh_frame PROGBITS 0000000000000378 000378 000064 00 A 0 0 8\n");
	assert_contains(text,
			".note.gnu.build-id NOTE 00000000000003dc 0003dc 000024 00 A 0 0 4\n");
	assert_contains(text, ".symtab SYMTAB 0000000000000000 000400 000060 18 6 1 8\n");
	assert_contains(text, ".strtab STRTAB ");
	assert_contains(text, ".shstrtab STRTAB ");
	free(text);
	remove_image(&file);
}

static void test_rules_of_cpython(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0]);
	write_image(&file, &fixture.spec);
	text = output_of("readelf --debug-dump=frames-interp %s", file.path);
	assert_contains(text, "pc=0000000000000230..000000000000023b\n"
			      "   LOC           CFA      ra    \n"
			      "0000000000000230 rsp+8    c-8   \n"
			      "0000000000000234 rsp+16   c-8   \n"
			      "000000000000023a rsp+8    c-8   \n");
	free(text);
	text = output_of("eu-readelf -e %s", file.path);
	assert_contains(text, " 0xfffffdd0 (offset:  0x120) -> 0x40 fde=[    18]\n"
			      "  0xfffffee0 (offset:  0x230) -> 0x58 fde=[    30]\n"
			      "  0xfffffff0 (offset:  0x340) -> 0x70 fde=[    48]\n");
	free(text);
	remove_image(&file);
}

static void test_gdb(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char *text;

	(void)state;
	make_fixture(&fixture, &cases[0]);
	write_image(&file, &fixture.spec);
	text = output_of("gdb -nx -batch -ex 'info symbol 0x236' -ex 'info symbol 0x34a' "
			 "-ex 'x/4i 0x120' %s 2>&1",
			 file.path);
	assert_contains(text, "LazyCompile:~a b:1 \xc3\xa9 + 6 in section .text\n");
	/* A symbol without a name would be shown as nothing. */
	assert_contains(text, "unnamed_40001220 + 10 in section .text\n");
	assert_contains(text, "<py::handler:/srv/app.py>:\tsub    $0x8,%rsp\n");
	assert_contains(text, "<py::handler:/srv/app.py+4>:\tcall   *%rcx\n");
	assert_contains(text, "<py::handler:/srv/app.py+10>:\tret\n");
	free(text);
	remove_image(&file);
}

static void test_build_id_note(void **state)
{
	struct fixture fixture;
	struct image_file file;
	char expected[2 * DSO_BUILD_ID_SIZE + 2], *text;

	(void)state;
	make_fixture(&fixture, &cases[6]);
	write_image(&file, &fixture.spec);
	for (size_t i = 0; i < DSO_BUILD_ID_SIZE; i++)
		sprintf(expected + 2 * i, "%02x", file.build_id[i]);
	text = output_of("readelf -nW %s | sed -n 's/.*Build ID: //p'", file.path);
	strcat(expected, "\n");
	assert_prints(text, expected);
	remove_image(&file);
}

static void test_text_bytes(void **state)
{
	static const uint8_t zeros[GAP - sizeof(code)];
	struct fixture fixture;
	struct image_file file;
	uint8_t bytes[0x34b];

	(void)state;
	make_fixture(&fixture, &cases[0]);
	/* A perf map tells no code, and a record may hold less than the function's size. */
	fixture.records[1].code = (struct bytes){ NULL, 0 };
	fixture.records[2].code.size = 4;
	write_image(&file, &fixture.spec);
	assert_clean(&file, false);
	read_file(file.path, bytes, sizeof(bytes));
	assert_memory_equal(bytes + 0x120, code, sizeof(code));
	assert_memory_equal(bytes + 0x120 + sizeof(code), zeros, sizeof(zeros));
	assert_memory_equal(bytes + 0x230, zeros, sizeof(zeros));
	assert_memory_equal(bytes + 0x340, code, 4);
	assert_memory_equal(bytes + 0x344, zeros, 7);
	remove_image(&file);
}

/* Functions larger than a write, gaps larger than a hole must be, and all kinds between. */
static void test_large_text(void **state)
{
	enum { LARGE = 300 * 1024, NR = 40 };
	static struct code_record records[NR];
	static struct dso_function functions[NR];
	struct fixture fixture;
	struct image_file file;
	struct stat status;
	uint8_t *code_bytes = malloc(LARGE), *bytes;
	uint64_t addr = CODE;

	(void)state;
	for (size_t i = 0; i < LARGE; i++)
		code_bytes[i] = (uint8_t)(i * 7 + i / 256 + 1) | 1;
	for (size_t i = 0; i < NR; i++) {
		uint64_t size = i % 4 == 0 ? LARGE - i : i % 4 == 1 ? 1 : 1000 * i;

		records[i] = (struct code_record){ .addr = addr, .size = size, .name = "f" };
		records[i].code = (struct bytes){ code_bytes + i, size - i % 2 * (size > 1) };
		if (i == 21)
			records[i].code.size = 0;
		functions[i] =
			(struct dso_function){ .record = &records[i], .addr = addr, .size = size };
		addr += size + (i % 5 == 0 ? 0 : i % 5 == 1 ? 70000 : i == 2 ? 0x1000000 : i);
	}
	make_fixture(&fixture, &cases[0])->spec.functions = functions;
	fixture.spec.nr_functions = NR;
	fixture.spec.nr_cfi = 0;
	fixture.spec.text_end = functions[NR - 1].addr + functions[NR - 1].size;
	write_image(&file, &fixture.spec);
	assert_int_equal(stat(file.path, &status), 0);
	assert_true(status.st_size > 0x1000000);
	/* The gap of 16 MiB is no data. */
	assert_true(status.st_blocks * 512 < 0x800000);
	bytes = malloc((size_t)status.st_size);
	assert_non_null(bytes);
	read_file(file.path, bytes, (size_t)status.st_size);
	for (size_t i = 0; i < NR; i++) {
		const uint8_t *place = bytes + (functions[i].addr - fixture.spec.base);
		uint64_t end = i + 1 < NR ? functions[i + 1].addr : fixture.spec.text_end;

		assert_memory_equal(place, records[i].code.data, records[i].code.size);
		for (uint64_t at = records[i].code.size; at < end - functions[i].addr; at++)
			if (place[at])
				fail_msg("byte behind function %zu", i);
	}
	free(bytes);
	free(code_bytes);
	remove_image(&file);
}

static void count_reports(void *context, const struct diag_message *message)
{
	assert_int_equal(message->level, DIAG_ERROR);
	++*(int *)context;
}

static void test_write_errors_are_reported(void **state)
{
	uint8_t build_id[DSO_BUILD_ID_SIZE] = { 0 };
	struct rlimit limit, small = { 0x200, RLIM_INFINITY };
	int reports = 0;
	struct diag *diag = diag__new(count_reports, &reports);
	struct fixture fixture;
	struct file_out out;

	(void)state;
	make_fixture(&fixture, &cases[0]);
	assert_int_equal(file_out__open(&out, "/tmp/perfjit-dso-limit", 0600, diag), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_true(dso__write(&fixture.spec, build_id, &out, diag) < 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(reports, 1);
	file_out__abort(&out);
	assert_int_equal(access("/tmp/perfjit-dso-limit", F_OK), -1);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_targets_are_clean),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_rules_of_cpython),
		cmocka_unit_test(test_gdb),
		cmocka_unit_test(test_build_id_note),
		cmocka_unit_test(test_text_bytes),
		cmocka_unit_test(test_large_text),
		cmocka_unit_test(test_write_errors_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
