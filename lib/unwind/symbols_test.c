// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of a shared object for aarch64, as llvm-objdump and readelf tell them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "unwind/symbols.h"

#define OBJECT "testdata/unwind/plt-aarch64.gz"

static char object[4096];

static Elf *open_object(void)
{
	gzFile file = gzopen(OBJECT, "rb");
	int size;
	Elf *elf;

	assert_non_null(file);
	size = gzread(file, object, sizeof(object));
	assert_true(size > 0);
	gzclose(file);
	elf_version(EV_CURRENT);
	elf = elf_memory(object, (size_t)size);
	assert_non_null(elf);
	return elf;
}

static void expect(const struct symbols *symbols, uint64_t vaddr, const char *name, uint64_t start)
{
	const struct symbol *symbol = symbols__find(symbols, vaddr);

	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
	assert_int_equal(symbol->start, start);
}

static void test_aarch64(void **state)
{
	struct symbols symbols = { 0 };
	Elf *elf = open_object();

	(void)state;
	assert_int_equal(symbols__add(&symbols, elf, elf), 0);
	symbols__finish(&symbols);
	assert_int_equal(symbols__add_plt(&symbols, elf), 0);
	symbols__finish(&symbols);
	/* and not $x.0, which stands there too */
	expect(&symbols, 0x1354, "calls", 0x1354);
	expect(&symbols, 0x1390, "twice", 0x1384);
	expect(&symbols, 0x13c8, ".plt", 0x13c0);
	expect(&symbols, 0x13e0, "first@plt", 0x13e0);
	expect(&symbols, 0x13fc, "second@plt", 0x13f0);
	array__for_each(symbol, &symbols.list)
		assert_true(symbol->name[0] != '$');
	symbols__free(&symbols);
	elf_end(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_aarch64) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
