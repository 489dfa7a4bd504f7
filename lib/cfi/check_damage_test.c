// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables damaged in every way: what is said of them, and that repair gives the right rows. */
#include "cfi/check_testing.h"

/* One thing done to a table that is right. */
struct damage {
	const char *kind; /* what is to be said of it */
	const struct example *example;
	size_t offset; /* in .eh_frame; behind its end in .eh_frame_hdr */
	struct bytes bytes;
	bool by_code; /* can be told, and put right, only with the code looked at */
	bool lost;    /* the content is wrong: no repair */
};

#define EH(offset)  (offset)
#define HDR(offset) (48 + (offset)) /* cpython_3_13_0 */

static const struct damage damages[] = {
	{ "cfi.wrong-pc-begin", &cpython_3_13_0, EH(32), BYTES("\xc8"), false, false },
	{ "cfi.stale-pc-begin", &cpython_3_13_0, EH(32), BYTES("\x00\x00\x12\x34"), false, false },
	{ "cfi.absolute-pc-begin", &cpython_3_13_0, EH(32), BYTES("\x00\x40\x71\x84"), false,
	  false },
	{ "cfi.wrong-pc-range", &cpython_3_13_0, EH(36), BYTES("\x0f"), false, false },
	{ "cfi.wrong-cie-pointer", &cpython_3_13_0, EH(28), BYTES("\x18"), false, false },
	{ "cfi.wrong-cie-id", &cpython_3_13_0, EH(4), BYTES("\xff\xff\xff\xff"), false, false },
	{ "cfi.wrong-version", &cpython_3_13_0, EH(8), BYTES("\x02"), false, false },
	{ "cfi.wrong-augmentation", &cpython_3_13_0, EH(9), BYTES("zX"), false, false },
	{ "cfi.wrong-augmentation", &cpython_3_13_0, EH(9), BYTES("eh"), false, false },
	{ "cfi.wrong-augmentation-size", &cpython_3_13_0, EH(15), BYTES("\x02"), false, false },
	{ "cfi.wrong-encoding", &cpython_3_13_0, EH(16), BYTES("\x00"), false, false },
	{ "cfi.wrong-encoding", &cpython_3_13_0, EH(16), BYTES("\x7f"), false, false },
	{ "cfi.wrong-augmentation-size", &cpython_3_13_0, EH(40), BYTES("\x01"), false, false },
	{ "cfi.cut-entry", &cpython_3_13_0, EH(24), BYTES("\x80"), false, false },
	{ "cfi.wrong-hdr-pointer", &cpython_3_13_0, HDR(4), BYTES("\xdc"), false, false },
	{ "cfi.wrong-hdr-count", &cpython_3_13_0, HDR(8), BYTES("\x02"), false, false },
	{ "cfi.wrong-hdr-code", &cpython_3_13_0, HDR(12), BYTES("\x00"), false, false },
	{ "cfi.wrong-hdr-fde", &cpython_3_13_0, HDR(16), BYTES("\xd0"), false, false },
	{ "cfi.wrong-hdr-encoding", &cpython_3_13_0, HDR(1), BYTES("\x00\x00\x00"), false, false },
	{ "cfi.wrong-data-alignment", &cpython_3_13_0, EH(13), BYTES("\x7c"), true, false },
	{ "cfi.wrong-data-alignment", &cpython_3_14, EH(13), BYTES("\x08"), true, false },
	{ "cfi.wrong-code-alignment", &cpython_3_13_0, EH(12), BYTES("\x04"), true, false },
	{ "cfi.wrong-code-alignment", &sound_aarch64, EH(12), BYTES("\x01"), true, false },
	{ "cfi.wrong-return-register", &cpython_3_13_0, EH(14), BYTES("\x0f"), true, false },
	{ "cfi.wrong-initial-rules", &cpython_3_13_0, EH(19), BYTES("\x10"), true, false },
	{ "cfi.wrong-initial-rules", &sound_aarch64, EH(19), BYTES("\x08\x9e\x01"), true, false },
	{ "cfi.wrong-cfa", &cpython_3_13_0, EH(43), BYTES("\x18"), true, true },
	/* the first instruction's advance is left out */
	{ "cfi.wrong-cfa", &cpython_3_13_0, EH(41), BYTES("\x00"), true, true },
	{ "cfi.wrong-cfa", &cpython_3_14, EH(41), BYTES("\x43"), true, true },
	{ "cfi.wrong-register", &cpython_3_14, EH(46), BYTES("\x03"), true, true },
	/* signed and not said so; not signed any more and not said so */
	{ "cfi.wrong-signing", &signed_aarch64, EH(42), BYTES("\x00"), true, true },
	{ "cfi.wrong-signing", &signed_aarch64, EH(56), BYTES("\x00"), true, true },
	{ "cfi.bad-instructions", &cpython_3_13_0, EH(44), BYTES("\x4f"), true, true },
	{ "cfi.bad-instructions", &cpython_3_13_0, EH(42), BYTES("\x3d"), true, true },
};

static void damaged(const struct damage *damage, uint8_t table[TABLE_MAX], struct example *example)
{
	size_t size = damage->example->eh_frame.size;

	*example = *damage->example;
	memcpy(table, example->eh_frame.data, size);
	memcpy(table + size, example->hdr.data, example->hdr.size);
	memcpy(table + damage->offset, damage->bytes.data, damage->bytes.size);
	example->eh_frame.data = table;
	example->hdr.data = table + size;
}

static void check_damage(const struct damage *damage)
{
	uint8_t table[TABLE_MAX];
	struct example example;
	struct cfi_repair result;
	struct cfi_check check;

	damaged(damage, table, &example);
	repair(&example, &result, &check);
	if (!has(&check, damage->kind)) {
		print_message("# %s at %zu is not found\n", damage->kind, damage->offset);
		print_findings(&check);
	}
	assert_true(has(&check, damage->kind));
	assert_false(cfi_check__sound(&check));
	if (damage->lost) {
		assert_string_equal(cfi_check__verdict(&check), "disagrees with the code");
		assert_false(result.usable);
	} else {
		assert_true(result.usable && result.changed);
		expect_rows_of(damage->example, &result);
	}
	cfi_check__free(&check);
}

/* Nobody looks at the code: what only that can tell is neither named nor put right. */
static void check_unseen(const struct damage *damage)
{
	uint8_t table[TABLE_MAX];
	struct example example;
	struct cfi_repair result;
	struct cfi_check check;

	damaged(damage, table, &example);
	repair(&example, &result, &check);
	assert_false(result.changed || result.checked);
	assert_int_equal(check.nr_agree, 0);
	/* instructions that lead past the code's end can be told by themselves */
	assert_true(cfi_check__sound(&check) == !has(&check, "cfi.bad-instructions"));
	assert_int_equal(check.nr_wrong, has(&check, "cfi.bad-instructions"));
	cfi_check__free(&check);
}

static void test_damage_is_named_and_repaired(void **state)
{
	static const struct cfi_target *const targets[] = { &x86_64, &aarch64 };

	(void)state;
	for (size_t i = 0; i < SIZE(targets); i++)
		assert_int_equal(cfi__can_track(targets[i]), CAN_TRACK);
	for (size_t i = 0; i < SIZE(damages); i++)
		if (CAN_TRACK || !damages[i].by_code)
			check_damage(&damages[i]);
		else
			check_unseen(&damages[i]);
}

#ifdef HAVE_CAPSTONE

/* One fault of several instructions is told once, with all that they are. */
static void test_fault_is_told_once(void **state)
{
	static const struct damage damage = {
		"cfi.wrong-cfa", &cpython_3_13_0, EH(43), BYTES("\x18"), true, true
	};
	struct cfi_finding found = { 0 };
	uint8_t table[TABLE_MAX];
	struct example example;
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	damaged(&damage, table, &example);
	repair(&example, &result, &check);
	array__for_each(finding, &check.findings) {
		if (finding->harmless)
			continue;
		assert_null(found.kind);
		found = *finding;
	}
	/* the call and what takes the frame away */
	assert_int_equal(found.pc, CODE + 4);
	assert_int_equal(found.size, 6);
	assert_string_equal(found.says, "CFA = rsp+24");
	assert_string_equal(found.does, "CFA = rsp+16");
	assert_int_equal(check.nr_wrong, 6);
	assert_int_equal(check.nr_agree, 5);
	cfi_check__free(&check);
}

#endif

static void test_swapped_order(void **state)
{
	struct example example = cpython_3_13_0;
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	example.eh_frame = cpython_3_13_0.hdr;
	example.hdr = cpython_3_13_0.eh_frame;
	repair(&example, &result, &check);
	assert_true(has(&check, "cfi.swapped-order"));
	assert_true(result.usable && result.changed);
	expect_rows_of(&cpython_3_13_0, &result);
	cfi_check__free(&check);
}

/* No augmentation, and none meant: addresses are absolute, and a length of 0 ends the table. */
#define PLAIN_TABLE                                                        \
	"\x10\0\0\0\0\0\0\0\x01\0\x01\x78\x10\x0c\x07\x08\x90\x01\0\0"     \
	"\x1c\0\0\0\x18\0\0\0\0\x40\x71\x84\x40\x7f\0\0\x0b\0\0\0\0\0\0\0" \
	"\x44\x0e\x10\x46\x0e\x08\0\0"

static void test_plain_table(void **state)
{
	struct example example = cpython_3_13_0;
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	example.hdr.size = 0;
	example.eh_frame = BYTES(PLAIN_TABLE "\0\0\0");
	example.eh_frame.size++;
	repair(&example, &result, &check);
	print_findings(&check);
	assert_true(cfi_check__sound(&check));
	assert_true(result.usable && !result.changed);
	cfi_check__free(&check);
	example.eh_frame = BYTES(PLAIN_TABLE "\4\0\0\0");
	repair(&example, &result, &check);
	assert_true(has(&check, "cfi.bad-terminator"));
	assert_true(result.usable);
	expect_rows_of(&cpython_3_13_0, &result);
	cfi_check__free(&check);
}

/* A search table that ends in its head, or before its entry. */
static void test_cut_hdr(void **state)
{
	static const size_t sizes[] = { 2, 6, 12, 19 };

	(void)state;
	for (size_t i = 0; i < SIZE(sizes); i++) {
		struct example example = cpython_3_13_0;
		struct cfi_repair result;
		struct cfi_check check;

		example.hdr.size = sizes[i];
		repair(&example, &result, &check);
		assert_true(has(&check, "cfi.cut-hdr"));
		assert_true(result.usable);
		expect_rows_of(&cpython_3_13_0, &result);
		cfi_check__free(&check);
	}
}

/* Where nobody knows the machine, its code can't tell: a sound table is used, another is not. */
static void test_machine_not_known(void **state)
{
	static const struct cfi_target riscv = { EM_RISCV, ELFCLASS64, ORDER_LITTLE };
	struct example example = cpython_3_13_0;
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	example.target = &riscv;
	repair(&example, &result, &check);
	assert_true(result.usable && !result.changed && !result.checked);
	assert_string_equal(cfi_check__verdict(&check), "can't be compared with the code");
	cfi_check__free(&check);
	example.hdr.size = 6;
	repair(&example, &result, &check);
	assert_false(result.usable);
	assert_string_equal(cfi_check__verdict(&check), "is encoded wrongly");
	cfi_check__free(&check);
}

/* Whatever bytes they are: nothing is read past them (with sanitizers), no error comes of it. */
static void test_every_cut(void **state)
{
	(void)state;
	for (size_t size = 0; size < cpython_3_13_0.eh_frame.size; size++) {
		struct example example = cpython_3_13_0;
		struct cfi_repair result;
		struct cfi_check check;
		uint8_t *copy = malloc(size + 1);

		assert_non_null(copy);
		memcpy(copy, example.eh_frame.data, size);
		example.eh_frame = (struct bytes){ copy, size };
		repair(&example, &result, &check);
		assert_false(cfi_check__sound(&check));
		cfi_check__free(&check);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage_is_named_and_repaired),
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_fault_is_told_once),
#endif
		cmocka_unit_test(test_swapped_order),
		cmocka_unit_test(test_plain_table),
		cmocka_unit_test(test_cut_hdr),
		cmocka_unit_test(test_machine_not_known),
		cmocka_unit_test(test_every_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
