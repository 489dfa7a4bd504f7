/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: trampolines with the tables that their runtimes wrote, checked and repaired. */
#ifndef PERFJIT_CFI_CHECK_TESTING_H
#define PERFJIT_CFI_CHECK_TESTING_H

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cfi/check.h"
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

static inline void repair(const struct example *example, struct cfi_repair *result,
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

static inline bool has(const struct cfi_check *check, const char *kind)
{
	array__for_each(finding, &check->findings)
		if (strcmp(finding->kind, kind) == 0)
			return true;
	return false;
}

static inline void print_findings(const struct cfi_check *check)
{
	array__for_each(finding, &check->findings)
		print_message("# %s: %s\n", finding->kind, finding->text);
}

/* Rows made of what was repaired are those of the table that is right. */
static inline void expect_rows_of(const struct example *sound, const struct cfi_repair *repaired)
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

#endif
