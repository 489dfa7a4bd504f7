// SPDX-License-Identifier: GPL-2.0-or-later
/* Images as other tools see them: binutils, elfutils, LLVM, gdb. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "dso/image_test.h"

#define CODE UINT64_C(0x40001000)
#define GAP  272

/* CPython 3.13.5's trampoline and rules: sub $8, %rsp; call *%rcx; add $8, %rsp; ret. */
static const uint8_t code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
static const uint8_t rules[] = { 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08 };

struct target_case {
	const char *machine; /* as readelf says it */
	struct cfi_target target;
	struct cfi_cie cie;
};

#define RULES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct target_case cases[] = {
	{ "Advanced Micro Devices X86-64",
	  { EM_X86_64, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 16, false, false, RULES("\x0c\x07\x08\x90\x01") } },
	{ "Intel 80386",
	  { EM_386, ELFCLASS32, ORDER_LITTLE },
	  { 1, -4, 8, false, false, RULES("\x0c\x04\x04") } },
	{ "AArch64",
	  { EM_AARCH64, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 30, false, true, RULES("\x0c\x1f\x00") } },
	{ "ARM",
	  { EM_ARM, ELFCLASS32, ORDER_LITTLE },
	  { 1, -4, 14, false, false, RULES("\x0c\x0d\x00") } },
	{ "RISC-V",
	  { EM_RISCV, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 1, false, false, RULES("\x0c\x02\x00") } },
	{ "PowerPC64",
	  { EM_PPC64, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 65, false, false, RULES("\x0c\x01\x00") } },
	{ "IBM S/390",
	  { EM_S390, ELFCLASS64, ORDER_BIG },
	  { 1, -8, 14, true, false, RULES("\x0c\x0f\x08") } },
};

#define NR_FUNCTIONS 3

struct fixture {
	struct code_record records[NR_FUNCTIONS];
	struct dso_function functions[NR_FUNCTIONS];
	struct cfi_entry cfi[NR_FUNCTIONS];
	struct dso_spec spec;
};

static const char *const names[NR_FUNCTIONS] = {
	"py::handler:/srv/app.py",
	"LazyCompile:~a b:1 \xc3\xa9",
	"",
};

static struct fixture *make_fixture(struct fixture *fixture, const struct target_case *c)
{
	for (uint64_t i = 0; i < NR_FUNCTIONS; i++) {
		fixture->records[i] = (struct code_record){ .addr = CODE + GAP * i,
							    .size = sizeof(code),
							    .name = names[i],
							    .code = BYTES(code) };
		fixture->functions[i] = (struct dso_function){ .record = &fixture->records[i],
							       .addr = fixture->records[i].addr,
							       .size = sizeof(code) };
		fixture->cfi[i] = (struct cfi_entry){ &c->cie, BYTES(rules),
						      fixture->records[i].addr, sizeof(code) };
	}
	fixture->spec = (struct dso_spec){
		.target = c->target,
		.functions = fixture->functions,
		.nr_functions = NR_FUNCTIONS,
		.cfi = fixture->cfi,
		.nr_cfi = NR_FUNCTIONS,
		.base = CODE - dso__header_size(c->target.class, DSO_HEADERS_BEFORE),
		.text_end = CODE + GAP * (NR_FUNCTIONS - 1) + sizeof(code),
	};
	return fixture;
}

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

static void read_file(const char *path, uint8_t *bytes, size_t size)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, size, 0), size);
	close(fd);
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
		cmocka_unit_test(test_unwind_data_in_a_hole),
		cmocka_unit_test(test_headers_elsewhere),
		cmocka_unit_test(test_header_longer_than_the_code),
		cmocka_unit_test(test_header_longer_than_the_code_and_a_hole),
		cmocka_unit_test(test_room_before_the_text_and_memory_end),
		cmocka_unit_test(test_odd_place),
		cmocka_unit_test(test_without_unwind_data),
		cmocka_unit_test(test_write_errors_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
