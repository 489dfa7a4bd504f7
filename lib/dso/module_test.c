// SPDX-License-Identifier: GPL-2.0-or-later
/* Images as libdwfl takes them: perf's and hotspot's way to symbols and unwind rules. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "dso/image_test.h"

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/* Code and .eh_frame as the runtimes dumped them; the section is made for align behind the code. */
struct runtime {
	const char *name;
	uint64_t addr, size, align;
	struct bytes code, eh_frame;
	/* CFA = register + offset at an offset in the code. */
	struct {
		uint64_t at;
		unsigned int reg;
		int offset;
	} rows[6];
};

static const uint8_t python313_code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1,
					  0x48, 0x83, 0xc4, 0x08, 0xc3 };
static const uint8_t python313_eh_frame[] = {
	0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00,
	0x01, 0x78, 0x10, 0x01, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00,
	0x14, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff,
	0x0b, 0x00, 0x00, 0x00, 0x00, 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00,
};
static const uint8_t python314_code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48,
					  0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3 };
static const uint8_t python314_eh_frame[] = {
	0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00, 0x01, 0x78,
	0x10, 0x01, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00,
	0x1c, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x44,
	0x41, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06, 0x43, 0x0c, 0x07, 0x08, 0x00, 0x00,
};
/* Of the 684 bytes the first ones. */
static const uint8_t node20_code[] = {
	0x48, 0x8b, 0x59, 0xf8, 0xf6, 0x43, 0x35, 0x01, 0x0f, 0x85, 0xf2,
	0x6f, 0xe4, 0x1f, 0x55, 0x48, 0x89, 0xe5, 0x56, 0x57, 0x50, 0x48,
	0xba, 0x00, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00,
};
static const uint8_t node20_eh_frame[] = {
	0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x7a, 0x4c, 0x52, 0x00, 0x01,
	0x78, 0x10, 0x02, 0xff, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x00, 0x00,
	0x20, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x2c, 0xfd, 0xff, 0xff, 0xaa, 0x02,
	0x00, 0x00, 0x00, 0x4f, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06, 0x02, 0x56, 0x0d,
	0x07, 0x41, 0x0e, 0x08, 0x52, 0x0c, 0x06, 0x10, 0x00, 0x00, 0x00, 0x00,
};

enum { RSP = 7, RBP = 6 };

static const struct runtime runtimes[] = {
	{ "py::_find_and_load:<frozen importlib._bootstrap>",
	  0x7fd7579e8000,
	  11,
	  16,
	  BYTES(python313_code),
	  BYTES(python313_eh_frame),
	  { { 0, RSP, 8 }, { 3, RSP, 8 }, { 4, RSP, 16 }, { 9, RSP, 16 }, { 10, RSP, 8 } } },
	{ "py::BufferedIncrementalDecoder.__init__:<frozen codecs>",
	  0x7fd7579e8110,
	  12,
	  16,
	  BYTES(python314_code),
	  BYTES(python314_eh_frame),
	  { { 4, RSP, 8 }, { 5, RSP, 16 }, { 8, RBP, 16 }, { 10, RBP, 16 }, { 11, RSP, 8 } } },
	{ "JS:*leaf /home/corpus/src/nest.js:1:14",
	  0x7fd7579e8140,
	  684,
	  8,
	  BYTES(node20_code),
	  BYTES(node20_eh_frame),
	  { { 14, RSP, 8 },
	    { 15, RSP, 16 },
	    { 18, RBP, 16 },
	    { 104, RSP, 16 },
	    { 105, RSP, 8 },
	    { 681, RBP, 16 } } },
};
#define NR_RUNTIMES SIZE(runtimes)

struct fixture {
	struct cfi_table tables[NR_RUNTIMES];
	struct code_record records[NR_RUNTIMES];
	struct dso_function functions[NR_RUNTIMES];
	struct cfi_entry cfi[NR_RUNTIMES];
	struct dso_spec spec;
};

static void make_fixture(struct fixture *fixture)
{
	struct diag *diag = diag__new(print_report, NULL);

	for (size_t i = 0; i < NR_RUNTIMES; i++) {
		const struct runtime *runtime = &runtimes[i];
		struct cfi_table *table = &fixture->tables[i];

		assert_int_equal(
			cfi_table__read(table, runtime->eh_frame,
					runtime->addr + align_up(runtime->size, runtime->align),
					&x86_64, "dump", 0, diag),
			0);
		assert_int_equal(table->fdes.count, 1);
		assert_int_equal(table->fdes.items[0].addr, runtime->addr);
		fixture->records[i] = (struct code_record){ .addr = runtime->addr,
							    .size = runtime->size,
							    .name = runtime->name,
							    .code = runtime->code };
		fixture->functions[i] =
			(struct dso_function){ &fixture->records[i], runtime->addr, runtime->size };
		fixture->cfi[i] = (struct cfi_entry){ &table->cies.items[0],
						      table->fdes.items[0].instructions,
						      runtime->addr, runtime->size };
	}
	fixture->spec = (struct dso_spec){ .target = x86_64,
					   .functions = fixture->functions,
					   .nr_functions = NR_RUNTIMES,
					   .cfi = fixture->cfi,
					   .nr_cfi = NR_RUNTIMES,
					   .base = runtimes[0].addr - 0x120,
					   .text_end = runtimes[NR_RUNTIMES - 1].addr +
						       runtimes[NR_RUNTIMES - 1].size };
	diag__free(diag);
}

static void free_fixture(struct fixture *fixture)
{
	for (size_t i = 0; i < NR_RUNTIMES; i++)
		cfi_table__free(&fixture->tables[i]);
}

static int no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
		  Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static int no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = no_elf, .find_debuginfo = no_debuginfo };

/* As perf does: at the map's start less its offset in the file, whatever p_vaddr is. */
static Dwfl_Module *report(Dwfl *dwfl, const struct image_file *file, uint64_t base)
{
	Dwfl_Module *module = dwfl_report_elf(dwfl, file->path, file->path, -1, base, false);

	assert_non_null(module);
	return module;
}

static void check_cfa(Dwfl_Module *module, uint64_t addr, unsigned int reg, int offset)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr_ops;

	assert_non_null(cfi);
	assert_int_equal(dwarf_cfi_addrframe(cfi, addr - bias, &frame), 0);
	assert_int_equal(dwarf_frame_cfa(frame, &ops, &nr_ops), 0);
	assert_int_equal(nr_ops, 1);
	assert_int_equal(ops[0].atom, DW_OP_bregx);
	assert_int_equal(ops[0].number, reg);
	assert_int_equal((int)ops[0].number2, offset);
	free(frame);
}

static void check_module(const struct dso_spec *spec)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	struct image_file file;
	Dwfl_Module *module;
	Dwarf_Addr start, end;

	write_image(&file, spec);
	module = report(dwfl, &file, spec->base);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	dwfl_module_info(module, NULL, &start, &end, NULL, NULL, NULL, NULL);
	assert_int_equal(start, spec->base);
	assert_true(end >= spec->text_end);
	for (size_t i = 0; i < NR_RUNTIMES; i++) {
		const struct runtime *runtime = &runtimes[i];

		for (uint64_t at = 0; at < runtime->size; at += runtime->size - 1) {
			const char *name = dwfl_module_addrname(module, runtime->addr + at);

			assert_ptr_equal(dwfl_addrmodule(dwfl, runtime->addr + at), module);
			assert_string_equal(name, runtime->name);
		}
		for (size_t row = 0; row < SIZE(runtime->rows) && runtime->rows[row].offset; row++)
			check_cfa(module, runtime->addr + runtime->rows[row].at,
				  runtime->rows[row].reg, runtime->rows[row].offset);
	}
	dwfl_end(dwfl);
	remove_image(&file);
}

static void test_names_and_rules_of_runtimes(void **state)
{
	struct fixture fixture;

	(void)state;
	make_fixture(&fixture);
	check_module(&fixture.spec);
	free_fixture(&fixture);
}

static void test_with_unwind_data_in_a_hole(void **state)
{
	struct fixture fixture;

	(void)state;
	make_fixture(&fixture);
	fixture.spec.unwind = fixture.spec.text_end + 0x12345671;
	check_module(&fixture.spec);
	free_fixture(&fixture);
}

/* perf 7 keeps both generations in one Dwfl; the newer one, reported later, is to win. */
static void test_newer_generation_within_older(void **state)
{
	struct image_file older_file, newer_file;
	struct fixture older, newer;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	(void)state;
	make_fixture(&older);
	older.spec.base -= 16;
	older.spec.memory_end = older.spec.text_end + 0x10000;
	make_fixture(&newer);
	newer.spec.memory_end = older.spec.memory_end;
	newer.records[0].name = "newer";
	newer.cfi[0].cie = newer.cfi[1].cie;
	newer.cfi[0].instructions = newer.cfi[1].instructions;
	write_image(&older_file, &older.spec);
	write_image(&newer_file, &newer.spec);
	module = report(dwfl, &older_file, older.spec.base);
	assert_string_equal(dwfl_module_addrname(module, runtimes[0].addr), runtimes[0].name);
	assert_ptr_equal(dwfl_addrmodule(dwfl, runtimes[0].addr), module);
	module = report(dwfl, &newer_file, newer.spec.base);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	assert_ptr_equal(dwfl_addrmodule(dwfl, runtimes[0].addr), module);
	assert_string_equal(dwfl_module_addrname(module, runtimes[0].addr), "newer");
	check_cfa(module, runtimes[0].addr + 8, RBP, 16);
	dwfl_end(dwfl);
	remove_image(&older_file);
	remove_image(&newer_file);
	free_fixture(&older);
	free_fixture(&newer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_rules_of_runtimes),
		cmocka_unit_test(test_with_unwind_data_in_a_hole),
		cmocka_unit_test(test_newer_generation_within_older),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
