// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/track.h"

#include <errno.h>
#include <stdio.h>

#include "cfi/check.h"
#include "cfi/elf_testing.h"
#include "cfi/machine.h"

#ifdef HAVE_CAPSTONE

struct figures {
	struct cfi_check check;
	uint64_t nr_functions;
};

/* The address and size of a function, or of its part NAME.cold; size 0: there is none. */
static void find_symbol(const struct object *object, uint64_t addr, const char *name, GElf_Sym *sym,
			const char **found)
{
	Elf_Scn *section = NULL;

	*sym = (GElf_Sym){ 0 };
	while ((section = elf_nextscn(object->elf, section))) {
		GElf_Shdr shdr;
		GElf_Sym one;

		assert_non_null(gelf_getshdr(section, &shdr));
		if (shdr.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &one); i++) {
			*found = elf_strptr(object->elf, shdr.sh_link, one.st_name);
			if (GELF_ST_TYPE(one.st_info) != STT_FUNC ||
			    (name ? strcmp(*found, name) != 0 : one.st_value != addr))
				continue;
			*sym = one;
			return;
		}
	}
	*found = NULL;
}

static void add_rows(const struct object *object, const struct cfi_fde *fde, struct cfi_rows *rows)
{
	struct cfi_entry entry = cfi_table__entry(&object->table, fde);

	assert_int_equal(cfi_rows__of_entry(rows, &entry, &object->target, CFI_PRODUCER, NULL), 0);
}

static int compare_rows(const void *a, const void *b)
{
	const struct cfi_row *left = a, *right = b;

	return left->addr < right->addr ? -1 : left->addr > right->addr;
}

/* Holds the compiler's rows of a function, and of its cold part, against its code. */
static void compare_function(struct object *object, const struct cfi_fde *fde,
			     struct figures *figures)
{
	struct bytes code = loaded_bytes(object, fde->addr, fde->size);
	struct cfi_track_options options = { .read = read_loaded, .context = object };
	struct cfi_rows rows = { 0 };
	struct cfi_code cold;
	const char *name;
	char cold_name[128];
	GElf_Sym sym;

	find_symbol(object, fde->addr, NULL, &sym, &name);
	if (!name || strstr(name, ".cold"))
		return;
	add_rows(object, fde, &rows);
	snprintf(cold_name, sizeof(cold_name), "%s.cold", name);
	find_symbol(object, 0, cold_name, &sym, &name);
	if (name) {
		const struct cfi_fde *part = cfi_table__find(&object->table, sym.st_value);

		assert_non_null(part);
		add_rows(object, part, &rows);
		cold.addr = part->addr;
		cold.bytes = loaded_bytes(object, part->addr, part->size);
		options.parts = &cold;
		options.nr_parts = 1;
		qsort(rows.rows.items, rows.rows.count, sizeof(*rows.rows.items), compare_rows);
	}
	assert_int_equal(
		cfi_check__rows(&figures->check, &rows, code, fde->addr, &object->target, &options),
		0);
	figures->nr_functions++;
	cfi_rows__free(&rows);
}

/* Runs a shell command that makes the file $out, and compares what is in that. */
static void make_and_compare(const char *what, const char *make, struct figures *figures)
{
	struct object object;
	char command[512], path[64];

	snprintf(path, sizeof(path), "/tmp/perfjit-track-%d.so", (int)getpid());
	snprintf(command, sizeof(command), "out=%s; %s", path, make);
	assert_int_equal(system(command), 0);
	open_object(&object, path);
	unlink(path);
	*figures = (struct figures){ 0 };
	array__for_each(fde, &object.table.fdes)
		compare_function(&object, fde, figures);
	close_object(&object);
	array__for_each(finding, &figures->check.findings)
		print_error("%s: %s\n", what, finding->text);
	print_message("# %s: %d functions, %d bytes agree, %d undecided\n", what,
		      (int)figures->nr_functions, (int)figures->check.nr_agree,
		      (int)figures->check.nr_undecided);
	assert_int_equal(figures->check.nr_wrong, 0);
	assert_int_equal(figures->check.nr_uncovered, 0);
	assert_int_equal(figures->check.findings.count, 0);
	assert_true(figures->nr_functions >= 38);
	assert_true(figures->check.nr_agree >= 3400);
	assert_true(figures->check.nr_undecided * 49 <= figures->check.nr_agree);
	cfi_check__free(&figures->check);
}

/* The compiler is there: the tests were made by one. */
static void expect_known(const char *flags)
{
	struct figures figures;
	char command[256];

	snprintf(command, sizeof(command),
		 "gcc -w -g0 -shared -fPIC -nostdlib -Wl,-z,lazy %s testdata/cfi/corpus.c "
		 "-o $out",
		 flags);
	make_and_compare(flags, command, &figures);
}

/* Each -O level with all that changes frames. */
static void test_finds_what_the_compiler_says(void **state)
{
	static const char *const levels[] = { "-O0", "-O1", "-O2", "-O3", "-Os" };
	static const char *const kinds[] = {
		"",
		"-fno-omit-frame-pointer",
		"-fstack-clash-protection -fstack-protector-all",
		"-fcf-protection=full -mno-red-zone",
	};
	char flags[128];

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		for (size_t j = 0; j < sizeof(kinds) / sizeof(*kinds); j++) {
			snprintf(flags, sizeof(flags), "%s %s", levels[i], kinds[j]);
			expect_known(flags);
		}
}

/* testdata/cfi/aarch64.sh: with signed return addresses, and without. */
static void test_finds_what_gcc_says_of_aarch64(void **state)
{
	static const char *const names[] = { "plain", "optimized", "signed" };
	struct figures figures;
	char command[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(command, sizeof(command), "gzip -dc testdata/cfi/aarch64-%s.so.gz >$out",
			 names[i]);
		make_and_compare(names[i], command, &figures);
	}
}

#else

static void test_build_without_says_so(void **state)
{
	struct cfi_track_result result = { 0 };
	struct cfi_rows rows = { 0 };
	static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
	static const uint8_t ret = 0xc3;

	(void)state;
	assert_false(cfi__can_track(&x86_64));
	assert_int_equal(cfi__track(&rows, (struct bytes){ &ret, 1 }, 0, &x86_64, NULL, &result),
			 -ENOTSUP);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_finds_what_the_compiler_says),
		cmocka_unit_test(test_finds_what_gcc_says_of_aarch64),
#else
		cmocka_unit_test(test_build_without_says_so),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
