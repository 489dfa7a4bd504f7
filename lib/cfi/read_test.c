// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/cfi.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/diag.h"

#define SIZE(array)  (sizeof(array) / sizeof(*(array)))
#define BASE_OFFSET  0x1000
#define BYTES(array) ((struct bytes){ array, sizeof(array) })

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/* The last report; a test looks at it as they come, one for each fault. */
struct reports {
	size_t count;
	char kind[64];
	uint64_t offset;
	char text[256];
	char file[32];
};

static void keep(void *context, const struct diag_message *message)
{
	struct reports *reports = context;

	if (!reports->count++) {
		snprintf(reports->kind, sizeof(reports->kind), "%s", message->kind);
		snprintf(reports->text, sizeof(reports->text), "%s", message->text);
		snprintf(reports->file, sizeof(reports->file), "%s", message->file);
		reports->offset = message->offset;
	}
}

static void read_table(struct cfi_table *table, struct bytes section, uint64_t address,
		       const struct cfi_target *target, struct reports *reports)
{
	struct diag *diag = diag__new(keep, reports);

	*reports = (struct reports){ 0 };
	assert_non_null(diag);
	assert_int_equal(
		cfi_table__read(table, section, address, target, "jit.dump", BASE_OFFSET, diag), 0);
	diag__free(diag);
}

/* What CPython 3.13.5 writes for an 11-byte trampoline; the table is to stand 16 bytes behind. */
static const uint8_t cpython[] = {
	0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00,
	0x01, 0x78, 0x10, 0x01, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00,
	0x14, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff,
	0x0b, 0x00, 0x00, 0x00, 0x00, 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00,
};

static void test_cpython(void **state)
{
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(cpython), 0x7010, &x86_64, &reports);
	assert_int_equal(reports.count, 0);
	assert_int_equal(table.cies.count, 1);
	assert_int_equal(table.cies.items[0].code_align, 1);
	assert_int_equal(table.cies.items[0].data_align, -8);
	assert_int_equal(table.cies.items[0].ra_register, 16);
	assert_false(table.cies.items[0].signal_frame);
	assert_false(table.cies.items[0].pauth_b_key);
	assert_int_equal(table.cies.items[0].instructions.size, 5);
	assert_memory_equal(table.cies.items[0].instructions.data, "\x0c\x07\x08\x90\x01", 5);
	assert_int_equal(table.fdes.count, 1);
	assert_int_equal(table.fdes.items[0].addr, 0x7000);
	assert_int_equal(table.fdes.items[0].size, 11);
	assert_int_equal(table.fdes.items[0].offset, 0x18);
	/* The DW_CFA_nop at the end is padding; the 8 before it is an operand. */
	assert_int_equal(table.fdes.items[0].instructions.size, 6);
	assert_memory_equal(table.fdes.items[0].instructions.data, "\x44\x0e\x10\x46\x0e\x08", 6);
	cfi_table__free(&table);
}

/*
 * V8 of Node 20 for JS:*leaf, 684 bytes at 0x7ff9240061c0: "zLR", version 3, no LSDA (0xff), made
 * to stand 688 bytes behind the code's start.
 */
static const uint8_t v8[] = {
	0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x7a, 0x4c, 0x52, 0x00, 0x01,
	0x78, 0x10, 0x02, 0xff, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x00, 0x00,
	0x20, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x2c, 0xfd, 0xff, 0xff, 0xaa, 0x02,
	0x00, 0x00, 0x00, 0x4f, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06, 0x02, 0x56, 0x0d,
	0x07, 0x41, 0x0e, 0x08, 0x52, 0x0c, 0x06, 0x10, 0x00, 0x00, 0x00, 0x00,
};

static void test_v8(void **state)
{
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(v8), 0x7ff9240061c0 + 688, &x86_64, &reports);
	assert_int_equal(reports.count, 0);
	assert_int_equal(table.cies.count, 1);
	assert_int_equal(table.cies.items[0].data_align, -8);
	assert_int_equal(table.cies.items[0].ra_register, 16);
	assert_int_equal(table.cies.items[0].instructions.size, 5);
	assert_int_equal(table.fdes.count, 1);
	assert_int_equal(table.fdes.items[0].addr, 0x7ff9240061c0);
	assert_int_equal(table.fdes.items[0].size, 682);
	assert_int_equal(table.fdes.items[0].instructions.size, 19);
	assert_memory_equal(table.fdes.items[0].instructions.data, v8 + 0x2d, 19);
	cfi_table__free(&table);
}

/* GCC for C++: "zPLR" with a personality, FDEs with an LSDA, both pcrel|sdata4. */
static const uint8_t gcc_plr[] = {
	0x1c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x50, 0x4c, 0x52, 0x00,
	0x01, 0x78, 0x10, 0x07, 0x9b, 0x11, 0x22, 0x33, 0x44, 0x1b, 0x1b, 0x0c, 0x07, 0x08,
	0x90, 0x01, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x24, 0x00, 0x00, 0x00, 0xd8, 0xff,
	0xff, 0xff, 0x20, 0x00, 0x00, 0x00, 0x04, 0x55, 0x66, 0x77, 0x00, 0x41, 0x0e, 0x10,
	0x86, 0x02, 0x43, 0x0d, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static void test_personality_and_lsda(void **state)
{
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(gcc_plr), 0x5000, &x86_64, &reports);
	assert_int_equal(reports.count, 0);
	assert_int_equal(table.cies.items[0].instructions.size, 5);
	assert_int_equal(table.fdes.count, 1);
	assert_int_equal(table.fdes.items[0].addr, 0x5000);
	assert_int_equal(table.fdes.items[0].size, 32);
	assert_int_equal(table.fdes.items[0].instructions.size, 8);
	assert_memory_equal(table.fdes.items[0].instructions.data, gcc_plr + 0x35, 8);
	cfi_table__free(&table);
}

/* No augmentation: absolute pointers as wide as the class, here 32 bits, big-endian, version 3. */
static const uint8_t plain32[] = {
	0x00, 0x00, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x04, 0x7c, 0x41, 0x0c,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x14, 0x90, 0x00, 0x00, 0x10,
	0x00, 0x00, 0x00, 0x40, 0x41, 0x0e, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static void test_no_augmentation_32_bit_big_endian(void **state)
{
	static const struct cfi_target ppc = { EM_PPC, ELFCLASS32, ORDER_BIG };
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(plain32), 0x1234, &ppc, &reports);
	assert_int_equal(reports.count, 0);
	assert_int_equal(table.cies.items[0].code_align, 4);
	assert_int_equal(table.cies.items[0].data_align, -4);
	assert_int_equal(table.cies.items[0].ra_register, 65);
	/* The 0 that def_cfa's offset is stays, though it looks like padding. */
	assert_int_equal(table.cies.items[0].instructions.size, 3);
	assert_int_equal(table.fdes.items[0].addr, 0x90000010);
	assert_int_equal(table.fdes.items[0].size, 0x40);
	assert_int_equal(table.fdes.items[0].instructions.size, 3);
	cfi_table__free(&table);
}

/* aarch64 with a signed return address, "zRB", and a signal frame, "zRS". */
static const uint8_t letters[] = {
	0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,           0x01, 0x7a, 0x52,
	0x42, 0x00, 0x04, 0x78, 0x1e, 0x01, 0x1b, 0x0c,           0x1f, 0x00, /* FDE */ 0x0f,
	0x00, 0x00, 0x00, 0x19, 0x00, 0x00, 0x00, 0xe3,           0xff, 0xff, 0xff,
	0x08, 0x00, 0x00, 0x00, 0x00, 0x41, 0x2d, /* CIE */ 0x11, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x53,           0x00, 0x04, 0x78,
	0x1e, 0x01, 0x1b, 0x0c, 0x1f, 0x00,
};

static void test_letters_are_kept(void **state)
{
	static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(letters), 0x8000, &aarch64, &reports);
	assert_int_equal(reports.count, 0);
	assert_int_equal(table.cies.count, 2);
	assert_true(table.cies.items[0].pauth_b_key);
	assert_false(table.cies.items[0].signal_frame);
	assert_int_equal(table.cies.items[0].code_align, 4);
	assert_true(table.cies.items[1].signal_frame);
	assert_false(table.cies.items[1].pauth_b_key);
	assert_int_equal(table.fdes.count, 1);
	assert_int_equal(table.fdes.items[0].addr, 0x8000);
	/* DW_CFA_AARCH64_negate_ra_state */
	assert_memory_equal(table.fdes.items[0].instructions.data, "\x41\x2d", 2);
	cfi_table__free(&table);
}

/* A CIE and FDEs for 0x7000 and 0x7100, 11 bytes each, meant for 0x7010. */
#define SOUND_ADDRESS 0x7010
static const uint8_t sound[] = {
	0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00, 0x01,
	0x78, 0x10, 0x01, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x14, 0x00,
	0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff, 0x0b, 0x00, 0x00,
	0x00, 0x00, 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00, 0x14, 0x00, 0x00, 0x00,
	0x34, 0x00, 0x00, 0x00, 0xb8, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00, 0x00,
	0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
};
#define CIE_AT  0x00
#define FDE1_AT 0x18
#define FDE2_AT 0x30

struct damage {
	const char *what;
	size_t cut; /* to this size; 0: not */
	size_t at;  /* bytes are replaced from here on */
	size_t nr_bytes;
	const char *bytes;
	const char *kind; /* of the first report */
	uint64_t reported_at;
	size_t nr_reports;
	size_t nr_fdes; /* that are still usable */
};

static const struct damage damages[] = {
	{ "cut in a length", 0x32, 0, 0, "", "cfi.cut-length", FDE2_AT, 1, 1 },
	{ "cut in an FDE", 0x45, 0, 0, "", "cfi.cut-entry", FDE2_AT, 1, 1 },
	{ "length past the end", 0, FDE2_AT, 4, "\x30\0\0\0", "cfi.cut-entry", FDE2_AT, 1, 1 },
	{ "64-bit DWARF", 0, FDE1_AT, 12, "\xff\xff\xff\xff\x0c\0\0\0\0\0\0\0", "cfi.dwarf64",
	  FDE1_AT, 1, 1 },
	{ "no room for the CIE pointer", 0, FDE1_AT, 8, "\x02\0\0\0\0\0\x0e\0", "cfi.short-entry",
	  FDE1_AT, 2, 0 },
	{ "CIE version 2", 0, 8, 1, "\2", "cfi.bad-version", CIE_AT, 3, 0 },
	{ "CIE version 4, 2-byte addresses", 0, 8, 6, "\4\0\2\0\1\x78", "cfi.bad-address-size",
	  CIE_AT, 3, 0 },
	{ "augmentation without end", 0, 9, 15, "zRRRRRRRRRRRRRR", "cfi.cut-cie", CIE_AT, 3, 0 },
	{ "CIE ends in its factors", 0, 13, 11, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
	  "cfi.cut-cie", CIE_AT, 3, 0 },
	{ "g++ 2 augmentation", 0, 9, 2, "eh", "cfi.unknown-augmentation", CIE_AT, 3, 0 },
	{ "unknown letter", 0, 10, 1, "X", "cfi.unknown-augmentation", CIE_AT, 3, 0 },
	{ "augmentation data past the end", 0, 15, 1, "\x40", "cfi.cut-augmentation", CIE_AT, 3,
	  0 },
	{ "augmentation data too short", 0, 15, 1, "\0", "cfi.cut-augmentation", CIE_AT, 3, 0 },
	{ "encoding relative to data", 0, 16, 1, "\x3b", "cfi.bad-encoding", CIE_AT, 3, 0 },
	{ "encoding: omitted", 0, 16, 1, "\xff", "cfi.bad-encoding", CIE_AT, 3, 0 },
	{ "encoding: indirect", 0, 16, 1, "\x9b", "cfi.bad-encoding", CIE_AT, 3, 0 },
	{ "CIE instruction without operands", 0, 23, 1, "\x0e", "cfi.cut-instruction", 23, 3, 0 },
	{ "CIE instruction unknown", 0, 22, 1, "\x3c", "cfi.unknown-instruction", 22, 3, 0 },
	{ "FDE instruction without operand", 0, 0x2f, 1, "\x0e", "cfi.cut-instruction", 0x2f, 1,
	  1 },
	{ "FDE expression past the end", 0, 0x29, 2, "\x0f\x10", "cfi.cut-instruction", 0x29, 1,
	  1 },
	{ "FDE instruction unknown", 0, 0x29, 1, "\x30", "cfi.unknown-instruction", 0x29, 1, 1 },
	{ "DW_CFA_set_loc", 0, 0x29, 5, "\1\0\x70\0\0", "cfi.set-loc", 0x29, 1, 1 },
	{ "CIE pointer before the section", 0, 0x1c, 1, "\x20", "cfi.no-cie", FDE1_AT, 1, 1 },
	{ "CIE pointer into an entry", 0, 0x1c, 1, "\x18", "cfi.no-cie", FDE1_AT, 1, 1 },
	{ "CIE pointer at an FDE", 0, 0x34, 1, "\x1c", "cfi.no-cie", FDE2_AT, 1, 1 },
	{ "FDE augmentation past the end", 0, 0x28, 1, "\x08", "cfi.cut-fde", FDE1_AT, 1, 1 },
	{ "FDE for no code", 0, 0x24, 1, "\0", "cfi.empty-range", FDE1_AT, 1, 1 },
	{ "FDE past the last address", 0, 0x20, 5, "\xcc\x8f\xff\xff\x0b", "cfi.bad-range", FDE1_AT,
	  1, 1 },
};

static void check_damage(const struct damage *damage)
{
	uint8_t *bytes = malloc(sizeof(sound));
	struct cfi_table table;
	struct reports reports;

	/* On the heap and no larger than it is, so that reading past the end is seen. */
	memcpy(bytes, sound, sizeof(sound));
	memcpy(bytes + damage->at, damage->bytes, damage->nr_bytes);
	if (damage->cut)
		bytes = realloc(bytes, damage->cut);
	read_table(&table, (struct bytes){ bytes, damage->cut ? damage->cut : sizeof(sound) },
		   SOUND_ADDRESS, &x86_64, &reports);
	if (strcmp(reports.kind, damage->kind) != 0 || reports.count != damage->nr_reports)
		fail_msg("%s: %zu reports, \"%s\": %s", damage->what, reports.count, reports.kind,
			 reports.text);
	assert_int_equal(reports.offset, BASE_OFFSET + damage->reported_at);
	assert_string_equal(reports.file, "jit.dump");
	assert_int_equal(table.fdes.count, damage->nr_fdes);
	cfi_table__free(&table);
	free(bytes);
}

static void test_damage_costs_only_what_is_damaged(void **state)
{
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(sound), SOUND_ADDRESS, &x86_64, &reports);
	assert_int_equal(reports.count, 0);
	assert_int_equal(table.fdes.count, 2);
	cfi_table__free(&table);
	for (size_t i = 0; i < SIZE(damages); i++)
		check_damage(&damages[i]);
}

static void test_every_cut_is_survived(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(sound); size++) {
		uint8_t *bytes = malloc(size ? size : 1);
		struct cfi_table table;
		struct reports reports;

		memcpy(bytes, sound, size);
		read_table(&table, (struct bytes){ bytes, size }, SOUND_ADDRESS, &x86_64, &reports);
		assert_int_equal(table.fdes.count, (size >= FDE2_AT) + (size >= sizeof(sound) - 4));
		/* Between entries the end is an end. */
		assert_int_equal(reports.count, size != CIE_AT && size != FDE1_AT &&
							size != FDE2_AT &&
							size != sizeof(sound) - 4);
		cfi_table__free(&table);
		free(bytes);
	}
}

static void test_find(void **state)
{
	struct cfi_table table;
	struct reports reports;

	(void)state;
	read_table(&table, BYTES(sound), SOUND_ADDRESS, &x86_64, &reports);
	assert_null(cfi_table__find(&table, 0));
	assert_null(cfi_table__find(&table, 0x6fff));
	assert_int_equal(cfi_table__find(&table, 0x7000)->offset, FDE1_AT);
	assert_int_equal(cfi_table__find(&table, 0x700a)->offset, FDE1_AT);
	assert_null(cfi_table__find(&table, 0x700b));
	assert_null(cfi_table__find(&table, 0x70ff));
	assert_int_equal(cfi_table__find(&table, 0x7100)->offset, FDE2_AT);
	assert_int_equal(cfi_table__find(&table, 0x710a)->offset, FDE2_AT);
	assert_null(cfi_table__find(&table, 0x710b));
	assert_null(cfi_table__find(&table, UINT64_MAX));
	cfi_table__free(&table);
}

/* FDEs in any order come out by address, and a terminator ends the table. */
static void test_order_and_terminator(void **state)
{
	uint8_t bytes[sizeof(sound)];
	struct cfi_table table;
	struct reports reports;

	(void)state;
	memcpy(bytes, sound, sizeof(sound));
	memcpy(bytes + FDE2_AT + 8, "\xb0\xff\xff\xff", 4); /* 0x7048 - 0x50 */
	read_table(&table, BYTES(bytes), SOUND_ADDRESS, &x86_64, &reports);
	assert_int_equal(table.fdes.items[0].addr, 0x6ff8);
	assert_int_equal(table.fdes.items[0].offset, FDE2_AT);
	assert_int_equal(table.fdes.items[1].addr, 0x7000);
	cfi_table__free(&table);
	memset(bytes + FDE2_AT, 0, 4);
	read_table(&table, BYTES(bytes), SOUND_ADDRESS, &x86_64, &reports);
	assert_int_equal(table.fdes.count, 1);
	assert_int_equal(reports.count, 0);
	cfi_table__free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpython),
		cmocka_unit_test(test_v8),
		cmocka_unit_test(test_personality_and_lsda),
		cmocka_unit_test(test_no_augmentation_32_bit_big_endian),
		cmocka_unit_test(test_letters_are_kept),
		cmocka_unit_test(test_damage_costs_only_what_is_damaged),
		cmocka_unit_test(test_every_cut_is_survived),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_order_and_terminator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
