// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/check.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cfi/machine.h"
#include "cfi/repair.h"

#define SIZE(array) (sizeof(array) / sizeof(*(array)))
#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })
#define CODE        UINT64_C(0x7f4084714000)
#define TABLE_MAX   128
#ifdef HAVE_CAPSTONE
#define CAN_TRACK true
#else
#define CAN_TRACK false
#endif

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };

/* A trampoline and the tables for it, as they stand in a jitdump. */
struct example {
	struct bytes code, eh_frame, hdr;
	const struct cfi_target *target;
};

/* testdata/jitdumps/cpython313-fork: sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static const struct example cpython_3_13_0 = {
	BYTES("\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0\0"
	      "\x14\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x0b\0\0\0\0\x44\x0e\x10\x46\x0e\x08\0"),
	BYTES("\x01\x1b\x03\x3b\xcc\xff\xff\xff\x01\0\0\0\xc0\xff\xff\xff\xe8\xff\xff\xff"),
	&x86_64,
};

/* testdata/jitdumps/cpython314: endbr64; push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret */
static const struct example cpython_3_14 = {
	BYTES("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\xd1\x5d\xc3"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0\0"
	      "\x1c\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x0c\0\0\0\0\x44\x41\x0e\x10\x86\x02\x43\x0d"
	      "\x06\x43\x0c\x07\x08\0\0"),
	BYTES("\x01\x1b\x03\x3b\xc4\xff\xff\xff\x01\0\0\0\xb8\xff\xff\xff\xe0\xff\xff\xff"),
	&x86_64,
};

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

/* The same as it should be: CPython 3.14's values. */
static const struct example sound_aarch64 = {
	BYTES("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91\x60\x00\x3f\xd6\xfd\x7b\xc1\xa8\xc0\x03\x5f\xd6"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zR\0\x04\x78\x1e\x01\x1b\x0c\x1f\0\0\0\0\0"
	      "\x1c\0\0\0\x1c\0\0\0\xc8\xff\xff\xff\x14\0\0\0\0\x41\x0e\x10\x9d\x02\x9e\x01\x43"
	      "\xdd\xde\x0e\0\0\0\0"),
	BYTES("\x01\x1b\x03\x3b\xc4\xff\xff\xff\x01\0\0\0\xb0\xff\xff\xff\xe0\xff\xff\xff"),
	&aarch64,
};

/*
 * paciasp; stp x29, x30, [sp, #-16]!; mov x29, sp; blr x3; ldp x29, x30, [sp], #16; autiasp; ret,
 * with the rules that GCC writes for such code (-mbranch-protection=pac-ret).
 */
static const struct example signed_aarch64 = {
	BYTES("\x3f\x23\x03\xd5\xfd\x7b\xbf\xa9\xfd\x03\x00\x91\x60\x00\x3f\xd6\xfd\x7b\xc1\xa8"
	      "\xbf\x23\x03\xd5\xc0\x03\x5f\xd6"),
	BYTES("\x14\0\0\0\0\0\0\0\x01zR\0\x04\x78\x1e\x01\x1b\x0c\x1f\0\0\0\0\0"
	      "\x20\0\0\0\x1c\0\0\0\xc0\xff\xff\xff\x1c\0\0\0\0\x41\x2d\x41\x0e\x10\x9d\x02\x9e"
	      "\x01\x43\xdd\xde\x0e\0\x41\x2d\0\0\0"),
	BYTES("\x01\x1b\x03\x3b\xc0\xff\xff\xff\x01\0\0\0\xa4\xff\xff\xff\xdc\xff\xff\xff"),
	&aarch64,
};

static void repair(const struct example *example, struct cfi_repair *result,
		   struct cfi_check *check)
{
	const struct cfi_producer producer = {
		.eh_frame = example->eh_frame,
		.eh_frame_hdr = example->hdr,
		.eh_frame_addr = align_up(CODE + example->code.size, 8),
		.code = example->code,
		.addr = CODE,
	};

	*check = (struct cfi_check){ 0 };
	assert_int_equal(cfi__repair(result, check, &producer, example->target, NULL), 0);
}

static bool has(const struct cfi_check *check, const char *kind)
{
	array__for_each(finding, &check->findings)
		if (strcmp(finding->kind, kind) == 0)
			return true;
	return false;
}

static void print_findings(const struct cfi_check *check)
{
	array__for_each(finding, &check->findings)
		print_message("# %s: %s\n", finding->kind, finding->text);
}

/* Rows made of what was repaired are those of the table that is right. */
static void expect_rows_of(const struct example *sound, const struct cfi_repair *repaired)
{
	struct cfi_rows rows = { 0 }, right = { 0 };
	struct cfi_check check;
	struct cfi_repair as_is;
	struct cfi_entry entry = { &repaired->cie, repaired->instructions, CODE, sound->code.size };

	assert_int_equal(cfi_rows__of_entry(&rows, &entry, sound->target, CFI_REPAIRED, NULL), 0);
	repair(sound, &as_is, &check);
	assert_true(as_is.usable && !as_is.changed);
	entry.cie = &as_is.cie;
	entry.instructions = as_is.instructions;
	assert_int_equal(cfi_rows__of_entry(&right, &entry, sound->target, CFI_PRODUCER, NULL), 0);
	assert_int_equal(rows.rows.count, right.rows.count);
	for (size_t i = 0; i < rows.rows.count; i++) {
		assert_int_equal(rows.rows.items[i].addr, right.rows.items[i].addr);
		assert_true(cfi_row__same(&rows.rows.items[i], &right.rows.items[i]));
	}
	cfi_rows__free(&rows);
	cfi_rows__free(&right);
	cfi_check__free(&check);
}

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

/* What is told of neighbours is one finding; elsewhere the same is another. */
static void test_findings_of_neighbours(void **state)
{
	struct cfi_finding finding = { .kind = "cfi.wrong-cfa", .pc = CODE, .size = 2 };
	struct cfi_check check = { 0 };

	(void)state;
	cfi_check__add(&check, &finding);
	finding.pc = CODE + 2;
	cfi_check__add(&check, &finding);
	finding.pc = CODE + 8;
	cfi_check__add(&check, &finding);
	assert_int_equal(check.findings.count, 2);
	assert_int_equal(check.findings.items[0].size, 4);
	assert_int_equal(check.findings.items[1].pc, CODE + 8);
	cfi_check__free(&check);
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
		cmocka_unit_test(test_sound_tables),
		cmocka_unit_test(test_damage_is_named_and_repaired),
		cmocka_unit_test(test_findings_of_neighbours),
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_fault_is_told_once),
		cmocka_unit_test(test_code_without_rows),
#endif
		cmocka_unit_test(test_swapped_order),
		cmocka_unit_test(test_old_cpython_on_aarch64),
		cmocka_unit_test(test_code_that_is_jumped_to),
		cmocka_unit_test(test_outermost_frame),
		cmocka_unit_test(test_every_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
