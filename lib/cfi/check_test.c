// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of tables and code as runtimes write them. */
#include "cfi/check_testing.h"

/*
 * gh-136541: what CPython before 3.13.6 wrote for its aarch64 trampoline (stp x29, x30, [sp,
 * #-16]!; mov x29, sp; blr x3; ldp x29, x30, [sp], #16; ret): a code alignment factor of 1,
 * x86-64's rules at entry, and the FDE's address computed for the size of x86-64's trampoline.
 */
static const struct example cpython_aarch64 = {
	BYTES("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91\x60\x00\x3f\xd6\xfd\x7b\xc1\xa8\xc0\x03\x5f\xd6"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x1e\x01\x1b\x0c\x1f\x08\x9e\x01\0\0"
	      "\x1c\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x14\0\0\0\0\x41\x0e\x10\x9d\x02\x9e\x01\x43"
	      "\xdd\xde\x0e\0\0\0\0"),
	BYTES("\x01\x1b\x03\x3b\xc4\xff\xff\xff\x01\0\0\0\xb0\xff\xff\xff\xe0\xff\xff\xff"),
	&aarch64,
};

/* The first trampoline with handlers for exceptions: by GNU as, .cfi_personality and .cfi_lsda. */
static const struct example with_handlers = {
	BYTES("\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"),
	BYTES("\x1c\0\0\0\0\0\0\0\x01zPLR\0\x01\x78\x10\x07\x1b\xfd\xff\xff\xff\x1b\x1b\x0c\x07"
	      "\x08\x90\x01\0\0\x1c\0\0\0\x24\0\0\0\xc8\xff\xff\xff\x0b\0\0\0\x04\xe0\xff\xff"
	      "\xff\x44\x0e\x10\x46\x0e\x08\0\0\0\0\0\0\0\0\0"),
	{ 0 },
	&x86_64,
};

/* And with .cfi_signal_frame. */
static const struct example of_signal = {
	BYTES("\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zRS\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0"
	      "\x14\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x0b\0\0\0\0\x44\x0e\x10\x46\x0e\x08\0"
	      "\0\0\0\0"),
	{ 0 },
	&x86_64,
};

/* pacibsp ... autibsp: by clang's assembler, .cfi_b_key_frame. */
static const struct example b_key_aarch64 = {
	BYTES("\x7f\x23\x03\xd5\xfd\x7b\xbf\xa9\xfd\x03\x00\x91\x60\x00\x3f\xd6\xfd\x7b\xc1\xa8"
	      "\xff\x23\x03\xd5\xc0\x03\x5f\xd6"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zRB\0\x01\x7c\x1e\x01\x1b\x0c\x1f\0\0\0\0"
	      "\x24\0\0\0\x1c\0\0\0\xc0\xff\xff\xff\x1c\0\0\0\0\x44\x2d\x44\x0e\x10\x9d\x04\x9e"
	      "\x02\x4c\xdd\xde\x0e\0\x44\x2d\0\0\0\0\0\0\0\0\0\0\0"),
	{ 0 },
	&aarch64,
};

static void expect_agreement(const struct example *example, uint64_t size)
{
	struct cfi_repair result;
	struct cfi_check check;

	repair(example, &result, &check);
	if (!cfi_check__sound(&check))
		print_findings(&check);
	assert_true(cfi_check__sound(&check));
	assert_true(result.usable && !result.changed);
#ifdef HAVE_CAPSTONE
	assert_true(result.checked);
	assert_string_equal(cfi_check__verdict(&check), "agrees with the code");
	assert_int_equal(check.nr_agree, size);
	assert_int_equal(check.nr_wrong + check.nr_undecided + check.nr_uncovered, 0);
#endif
	(void)size;
	cfi_check__free(&check);
}

static void test_sound_tables(void **state)
{
	(void)state;
	expect_agreement(&cpython_3_13_0, 11);
	expect_agreement(&cpython_3_14, 12);
	expect_agreement(&sound_aarch64, 20);
	expect_agreement(&signed_aarch64, 28);
}

/* What a table says besides where the caller is, is kept. */
static void test_augmentations(void **state)
{
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	expect_agreement(&with_handlers, 11);
	expect_agreement(&of_signal, 11);
	expect_agreement(&b_key_aarch64, 28);
	repair(&with_handlers, &result, &check);
	assert_false(result.cie.signal_frame || result.cie.pauth_b_key);
	cfi_check__free(&check);
	repair(&of_signal, &result, &check);
	assert_true(result.cie.signal_frame);
	cfi_check__free(&check);
	repair(&b_key_aarch64, &result, &check);
	assert_true(result.cie.pauth_b_key);
	cfi_check__free(&check);
}

static void test_texts_of_rules(void **state)
{
	static const struct {
		const char *name;
		struct cfi_rule rule;
		const char *text;
	} rules[] = {
		{ "CFA", { .kind = CFI_RULE_UNSPECIFIED }, "no CFA" },
		{ "CFA", { .kind = CFI_RULE_REGISTER, .reg = 7, .offset = 8 }, "CFA = rsp+8" },
		{ "CFA", { .kind = CFI_RULE_REGISTER, .reg = 99, .offset = -8 }, "CFA = r99-8" },
		{ "CFA", { .kind = CFI_RULE_EXPRESSION }, "CFA by an expression" },
		{ "rbx", { .kind = CFI_RULE_UNSPECIFIED }, "rbx in place" },
		{ "rbx", { .kind = CFI_RULE_UNDEFINED }, "rbx lost" },
		{ "rbx", { .kind = CFI_RULE_SAME }, "rbx in place" },
		{ "rbx", { .kind = CFI_RULE_OFFSET, .offset = -16 }, "rbx at CFA-16" },
		{ "rbx", { .kind = CFI_RULE_VAL_OFFSET, .offset = 16 }, "rbx = CFA+16" },
		{ "rbx", { .kind = CFI_RULE_REGISTER, .reg = 12 }, "rbx in r12" },
		{ "rbx", { .kind = CFI_RULE_EXPRESSION }, "rbx at an expression's place" },
		{ "rbx", { .kind = CFI_RULE_VAL_EXPRESSION }, "rbx by an expression" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < SIZE(rules); i++) {
		cfi_rule__print(text, sizeof(text), rules[i].name, &rules[i].rule, &x86_64);
		assert_string_equal(text, rules[i].text);
	}
}

#ifdef HAVE_CAPSTONE

/* Adds a row that says CFA = rsp + offset, with the return address below it. */
static void add_row(struct cfi_rows *rows, uint64_t addr, uint64_t size, int64_t offset)
{
	struct cfi_row row = { .addr = addr, .size = size };

	row.cfa = (struct cfi_rule){ CFI_RULE_REGISTER, 7, { .offset = offset } };
	row.registers[16] = (struct cfi_rule){ .kind = CFI_RULE_OFFSET, .offset = -8 };
	assert_true(array__push(&rows->rows, row));
}

/* What is told of neighbours is one finding; elsewhere the same is another. */
static void test_findings_of_neighbours(void **state)
{
	static const uint8_t code[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3 };
	struct cfi_check check = { 0 };
	struct cfi_rows rows = { 0 };

	(void)state;
	add_row(&rows, CODE, 2, 16);
	add_row(&rows, CODE + 2, 2, 8);
	add_row(&rows, CODE + 4, 2, 16);
	add_row(&rows, CODE + 6, 1, 8);
	assert_int_equal(cfi_check__rows(&check, &rows, (struct bytes){ code, sizeof(code) }, CODE,
					 &x86_64, NULL),
			 0);
	assert_int_equal(check.nr_wrong, 4);
	assert_int_equal(check.nr_agree, 3);
	assert_int_equal(check.findings.count, 2);
	assert_int_equal(check.findings.items[0].pc, CODE);
	assert_int_equal(check.findings.items[0].size, 2);
	assert_int_equal(check.findings.items[1].pc, CODE + 4);
	assert_int_equal(check.findings.items[1].size, 2);
	cfi_check__free(&check);
	cfi_rows__free(&rows);
}

/* A table that is wrong in another way at each instruction is told of in no more than its time. */
static void test_as_many_findings_as_there_can_be(void **state)
{
	struct bytes code = { NULL, CFI_ROWS_MAX };
	struct cfi_check check = { 0 };
	struct cfi_rows rows = { 0 };
	uint8_t *nops = malloc(code.size);

	(void)state;
	assert_non_null(nops);
	code.data = memset(nops, 0x90, code.size);
	for (size_t i = 0; i < code.size; i++)
		add_row(&rows, CODE + i, 1, i % 2 ? 16 : 24);
	assert_int_equal(cfi_check__rows(&check, &rows, code, CODE, &x86_64, NULL), 0);
	assert_int_equal(check.findings.count, code.size);
	cfi_check__free(&check);
	cfi_rows__free(&rows);
	free(nops);
}

/* Rows for the first four bytes alone. */
static void test_code_without_rows(void **state)
{
	struct cfi_check check = { 0 };
	struct cfi_rows rows = { 0 };
	struct cfi_repair as_is;
	struct cfi_entry entry;

	(void)state;
	repair(&cpython_3_13_0, &as_is, &check);
	cfi_check__free(&check);
	entry = (struct cfi_entry){ &as_is.cie, { 0 }, CODE, 4 };
	assert_int_equal(cfi_rows__of_entry(&rows, &entry, &x86_64, CFI_PRODUCER, NULL), 0);
	check = (struct cfi_check){ 0 };
	assert_int_equal(cfi_check__rows(&check, &rows, cpython_3_13_0.code, CODE, &x86_64, NULL),
			 0);
	assert_int_equal(check.nr_agree, 4);
	assert_int_equal(check.nr_uncovered, 7);
	assert_int_equal(check.nr_wrong + check.nr_undecided, 0);
	cfi_check__free(&check);
	cfi_rows__free(&rows);
}

#endif

static void test_old_cpython_on_aarch64(void **state)
{
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	repair(&cpython_aarch64, &result, &check);
	print_findings(&check);
	assert_true(has(&check, "cfi.wrong-pc-begin"));
#ifdef HAVE_CAPSTONE
	assert_true(has(&check, "cfi.wrong-code-alignment"));
	assert_true(has(&check, "cfi.wrong-initial-rules"));
	assert_string_equal(cfi_check__verdict(&check),
			    "agrees with the code, but is encoded wrongly");
	assert_true(result.usable && result.changed && result.checked);
	expect_rows_of(&sound_aarch64, &result);
#else
	assert_false(has(&check, "cfi.wrong-code-alignment"));
	assert_true(result.usable && result.changed && !result.checked);
#endif
	cfi_check__free(&check);
}

/*
 * Code in the frame of what jumps to it: mov (%r14), %rax; sub $8, %rsp; call; add $8, %rsp; jmp
 * *(%r15). Its table says CFA = rsp+160 from the first instruction on.
 */
static const struct example jumped_to = {
	BYTES("\x49\x8b\x06\x48\x83\xec\x08\xe8\0\x10\0\0\x48\x83\xc4\x08\x41\xff\x27"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\xa0\x01\x90\x01\0"
	      "\x18\0\0\0\x1c\0\0\0\xc8\xff\xff\xff\x13\0\0\0\0\x47\x0e\xa8\x01\x49\x0e\xa0"
	      "\x01\0\0\0"),
	BYTES("\x01\x1b\x03\x3b\xc8\xff\xff\xff\x01\0\0\0\xb4\xff\xff\xff\xe4\xff\xff\xff"),
	&x86_64,
};

static void test_code_that_is_jumped_to(void **state)
{
	struct example returns = jumped_to, wrong = jumped_to;
	uint8_t code[19], table[52];
	struct cfi_repair result;
	struct cfi_check check;

	(void)state;
	expect_agreement(&jumped_to, 19);
	repair(&jumped_to, &result, &check);
	assert_int_equal(result.jumped_to, CAN_TRACK);
	cfi_check__free(&check);

	/* the second change is by 16 where the code's is by 8 */
	memcpy(table, jumped_to.eh_frame.data, sizeof(table));
	table[47] = 0x98;
	wrong.eh_frame.data = table;
	repair(&wrong, &result, &check);
	assert_int_equal(result.usable, !CAN_TRACK);
	assert_int_equal(cfi_check__sound(&check), !CAN_TRACK);
	cfi_check__free(&check);

	/* no frame's address is in xmm6, which the code does not touch */
	memcpy(table, jumped_to.eh_frame.data, sizeof(table));
	memcpy(table + 17, "\x0c\x17\x08\x90\x01\0\0", 7);
	memset(table + 41, 0, 6);
	repair(&wrong, &result, &check);
	assert_int_equal(result.usable, !CAN_TRACK);
	cfi_check__free(&check);

	/* ret; nop; nop: what returns was called, and had the return address on top of the stack */
	memcpy(code, jumped_to.code.data, sizeof(code));
	memcpy(code + 16, "\xc3\x90\x90", 3);
	returns.code.data = code;
	repair(&returns, &result, &check);
	assert_int_equal(result.usable, !CAN_TRACK);
	assert_int_equal(has(&check, "cfi.wrong-cfa"), CAN_TRACK);
	cfi_check__free(&check);
}

/* As glibc's _start: no return address, and rows that do not follow the stack pointer. */
static void test_outermost_frame(void **state)
{
	struct example start = cpython_3_13_0;
	struct cfi_repair result;
	struct cfi_check check;
	uint8_t table[48];

	(void)state;
	memcpy(table, start.eh_frame.data, sizeof(table));
	memcpy(table + 20, "\x07\x10", 2); /* DW_CFA_undefined: the return address */
	memset(table + 41, 0, 6);
	start.eh_frame.data = table;
	repair(&start, &result, &check);
	assert_true(cfi_check__sound(&check));
	assert_true(result.usable && !result.changed && !result.checked);
	cfi_check__free(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound_tables),
		cmocka_unit_test(test_augmentations),
		cmocka_unit_test(test_texts_of_rules),
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_findings_of_neighbours),
		cmocka_unit_test(test_as_many_findings_as_there_can_be),
		cmocka_unit_test(test_code_without_rows),
#endif
		cmocka_unit_test(test_old_cpython_on_aarch64),
		cmocka_unit_test(test_code_that_is_jumped_to),
		cmocka_unit_test(test_outermost_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
