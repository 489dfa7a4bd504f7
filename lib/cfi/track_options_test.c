// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What cfi__track finds when it is told more than the code shows. Right values were worked out by
 * hand from the instructions, by the x86-64 ABI: at entry CFA = rsp + 8.
 */
#include "cfi/track.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CODE  UINT64_C(0x400000)
#define RBX   3
#define RBP   6
#define RSP   7
#define RA    16
#define BYTES ((struct bytes){ code, sizeof(code) })

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

#ifdef HAVE_CAPSTONE

/* What was found of one piece of code. */
struct found {
	struct cfi_rows rows;
	struct cfi_track_result result;
};

static struct found track(struct bytes code, const struct cfi_track_options *options)
{
	struct found found = { 0 };

	assert_int_equal(cfi__track(&found.rows, code, CODE, &x86_64, options, &found.result), 0);
	return found;
}

static void free_found(struct found *found)
{
	cfi_rows__free(&found->rows);
	cfi_track_result__free(&found->result);
}

/* The row at an offset says CFA = reg + offset and has the return address below the CFA. */
static const struct cfi_row *assert_cfa(const struct found *found, size_t at, uint16_t reg,
					int64_t offset)
{
	const struct cfi_row *row = cfi_rows__find(&found->rows, CODE + at);

	assert_non_null(row);
	assert_int_equal(row->cfa.kind, CFI_RULE_REGISTER);
	assert_int_equal(row->cfa.reg, reg);
	assert_int_equal(row->cfa.offset, offset);
	assert_int_equal(row->registers[RA].kind, CFI_RULE_OFFSET);
	assert_int_equal(row->registers[RA].offset, -8);
	return row;
}

static void assert_undecided(const struct found *found, size_t at, enum cfi_undecided_reason reason)
{
	assert_null(cfi_rows__find(&found->rows, CODE + at));
	array__for_each(undecided, &found->result.undecided)
		if (undecided->addr <= CODE + at && CODE + at - undecided->addr < undecided->size) {
			assert_int_equal(undecided->reason, reason);
			return;
		}
	fail_msg("0x%zx is neither decided nor undecided", at);
}

/* A call, and behind it code that the call may return to, or that is entered otherwise. */
static const uint8_t landing[] = {
	0x53,                         /* 0: push %rbx */
	0xe8, 0x00, 0x10, 0x00, 0x00, /* 1: call elsewhere */
	0x5b,                         /* 6: pop %rbx */
	0xc3,                         /* 7: ret */
};

static void test_entries(void **state)
{
	const uint8_t *code = landing;
	static const uint64_t entry = CODE + 6;
	const struct cfi_track_options options = { .entries = &entry, .nr_entries = 1 };
	struct found found = track((struct bytes){ code, sizeof(landing) }, NULL);

	(void)state;
	assert_cfa(&found, 0, RSP, 8);
	assert_cfa(&found, 1, RSP, 16);
	assert_int_equal(assert_cfa(&found, 6, RSP, 16)->registers[RBX].offset, -16);
	assert_cfa(&found, 7, RSP, 8);
	assert_int_equal(found.result.undecided.count, 0);
	free_found(&found);

	/* what is entered at 6 need not be what the call returns to */
	found = track((struct bytes){ code, sizeof(landing) }, &options);
	assert_cfa(&found, 1, RSP, 16);
	assert_undecided(&found, 6, CFI_UNREACHED);
	assert_undecided(&found, 7, CFI_UNREACHED);
	free_found(&found);
}

/* A jump leads to an entry too: then it is known what holds there. */
static void test_entries_that_paths_lead_to(void **state)
{
	static const uint8_t code[] = {
		0x50,                         /* 0: push %rax */
		0x85, 0xff,                   /* 1: test %edi,%edi */
		0x74, 0x05,                   /* 3: je a */
		0xe8, 0x00, 0x10, 0x00, 0x00, /* 5: call elsewhere */
		0x58,                         /* a: pop %rax */
		0xc3,                         /* b: ret */
	};
	static const uint64_t entry = CODE + 0xa;
	const struct cfi_track_options options = { .entries = &entry, .nr_entries = 1 };
	struct found found = track(BYTES, &options);

	(void)state;
	assert_cfa(&found, 0xa, RSP, 16);
	assert_cfa(&found, 0xb, RSP, 8);
	free_found(&found);
}

/* A frame of one size, an exit stub behind the end, and fillers. */
static const uint8_t fixed[] = {
	0x48, 0x83, 0xec, 0x18,       /* 0: sub $0x18,%rsp */
	0xe8, 0x00, 0x10, 0x00, 0x00, /* 4: call elsewhere */
	0x48, 0x83, 0xc4, 0x18,       /* 9: add $0x18,%rsp */
	0xc3,                         /* d: ret */
	0xe8, 0x00, 0x20, 0x00, 0x00, /* e: call, that nothing leads to */
	0xf4,                         /* 13: hlt */
};

static void test_fixed_frame(void **state)
{
	const struct cfi_track_options options = { .fixed_frame = true };
	const uint8_t *code = fixed;
	struct found found = track((struct bytes){ code, sizeof(fixed) }, NULL);
	const struct cfi_row *row;

	(void)state;
	assert_undecided(&found, 0xe, CFI_UNREACHED);
	free_found(&found);

	found = track((struct bytes){ code, sizeof(fixed) }, &options);
	assert_cfa(&found, 0, RSP, 8);
	assert_cfa(&found, 0xd, RSP, 8);
	row = assert_cfa(&found, 0xe, RSP, 32);
	assert_int_equal(row->origin, CFI_SYNTHESISED);
	assert_cfa(&found, 0x13, RSP, 32);
	assert_int_equal(found.result.undecided.count, 0);
	free_found(&found);
}

/* Only what no path reaches has it: not what the stack pointer is lost for. */
static void test_fixed_frame_and_lost_stack(void **state)
{
	const struct cfi_track_options options = { .fixed_frame = true };
	static const uint8_t code[] = {
		0x48, 0x83, 0xec, 0x18,       /* 0: sub $0x18,%rsp */
		0xe8, 0x00, 0x10, 0x00, 0x00, /* 4: call elsewhere */
		0x48, 0x89, 0xfc,             /* 9: mov %rdi,%rsp */
		0xff, 0xe6,                   /* c: jmp *%rsi */
		0xe8, 0x00, 0x20, 0x00, 0x00, /* e: call, that nothing leads to */
		0xf4,                         /* 13: hlt */
	};
	struct found found = track(BYTES, &options);

	(void)state;
	assert_cfa(&found, 9, RSP, 32);
	assert_undecided(&found, 0xc, CFI_STACK_LOST);
	assert_cfa(&found, 0xe, RSP, 32);
	free_found(&found);
}

/* Two calls with frames of different sizes: neither is said to hold elsewhere. */
static void test_fixed_frame_that_is_not(void **state)
{
	const struct cfi_track_options options = { .fixed_frame = true };
	static const uint8_t code[] = {
		0x50,                         /* 0: push %rax */
		0xe8, 0x00, 0x10, 0x00, 0x00, /* 1: call elsewhere */
		0x50,                         /* 6: push %rax */
		0xe8, 0x00, 0x10, 0x00, 0x00, /* 7: call elsewhere */
		0x58,                         /* c: pop %rax */
		0x58,                         /* d: pop %rax */
		0xc3,                         /* e: ret */
		0xe8, 0x00, 0x20, 0x00, 0x00, /* f: call, that nothing leads to */
		0xf4,                         /* 14: hlt */
	};
	struct found found = track(BYTES, &options);

	(void)state;
	assert_cfa(&found, 1, RSP, 16);
	assert_cfa(&found, 7, RSP, 24);
	assert_undecided(&found, 0xf, CFI_UNREACHED);
	free_found(&found);
}

/*
 * Two calls in one frame, the second with a register saved that the first one had not: the register
 * is stored at 9 and taken back at 0x13.
 */
#define SAVED_BETWEEN_CALLS(store, load)                                                     \
	{                                                                                    \
		0x48, 0x83, 0xec, 0x18,                  /* 0: sub $0x18,%rsp */             \
			0xe8, 0x00, 0x10, 0x00, 0x00,    /* 4: call elsewhere */             \
			0x48, 0x89, (store), 0x24, 0x08, /* 9: mov REGISTER,8(%rsp) */       \
			0xe8, 0x00, 0x10, 0x00, 0x00,    /* e: call elsewhere */             \
			0x48, 0x8b, (load), 0x24, 0x08,  /* 13: mov 8(%rsp),REGISTER */      \
			0x48, 0x83, 0xc4, 0x18,          /* 18: add $0x18,%rsp */            \
			0xc3,                            /* 1c: ret */                       \
			0xe8, 0x00, 0x20, 0x00, 0x00,    /* 1d: call, nothing leads to it */ \
			0xf4,                            /* 22: hlt */                       \
	}

/* Whether rbx is saved where no path leads is not known, but the frame is. */
static void test_fixed_frame_with_a_register(void **state)
{
	const struct cfi_track_options options = { .fixed_frame = true };
	static const uint8_t code[] = SAVED_BETWEEN_CALLS(0x5c, 0x5c);
	struct found found = track(BYTES, &options);

	(void)state;
	assert_int_not_equal(assert_cfa(&found, 4, RSP, 32)->registers[RBX].kind, CFI_RULE_OFFSET);
	assert_int_equal(assert_cfa(&found, 0xe, RSP, 32)->registers[RBX].offset, -24);
	assert_int_equal(assert_cfa(&found, 0x1d, RSP, 32)->registers[RBX].kind,
			 CFI_RULE_UNDEFINED);
	free_found(&found);
}

/* Without the caller's frame pointer a chain does not go on: it is no frame that is known. */
static void test_fixed_frame_with_the_frame_pointer(void **state)
{
	const struct cfi_track_options options = { .fixed_frame = true };
	static const uint8_t code[] = SAVED_BETWEEN_CALLS(0x6c, 0x6c);
	struct found found = track(BYTES, &options);

	(void)state;
	assert_cfa(&found, 4, RSP, 32);
	assert_int_equal(assert_cfa(&found, 0xe, RSP, 32)->registers[RBP].offset, -24);
	assert_undecided(&found, 0x1d, CFI_UNREACHED);
	free_found(&found);
}

/* What nothing is known of has the promised rule, and says whose word that is. */
static void test_promised_frame_pointer(void **state)
{
	const struct cfi_track_options options = { .frame_pointer = true };
	const uint8_t *code = fixed;
	struct found found = track((struct bytes){ code, sizeof(fixed) }, &options);
	const struct cfi_row *row;

	(void)state;
	assert_int_equal(assert_cfa(&found, 4, RSP, 32)->origin, CFI_SYNTHESISED);
	row = assert_cfa(&found, 0xe, RBP, 16);
	assert_int_equal(row->origin, CFI_FRAME_POINTER);
	assert_int_equal(row->registers[RBP].kind, CFI_RULE_OFFSET);
	assert_int_equal(row->registers[RBP].offset, -16);
	assert_int_equal(found.result.undecided.count, 0);
	free_found(&found);
}

/* A stack pointer aligned down: where the old one was saved is where the CFA is to be read. */
static void test_rows_by_expression(void **state)
{
	/* what GCC makes of main with an aligned local and no frame pointer left to it: DRAP */
	static const uint8_t code[] = {
		0x4c, 0x8d, 0x54, 0x24, 0x08, /* 0: lea 8(%rsp),%r10 */
		0x48, 0x83, 0xe4, 0xe0,       /* 5: and $-32,%rsp */
		0x41, 0xff, 0x72, 0xf8,       /* 9: push -8(%r10) */
		0x55,                         /* d: push %rbp */
		0x48, 0x89, 0xe5,             /* e: mov %rsp,%rbp */
		0x41, 0x52,                   /* 11: push %r10 */
		0x48, 0x83, 0xec, 0x28,       /* 13: sub $0x28,%rsp */
		0xe8, 0x00, 0x10, 0x00, 0x00, /* 17: call elsewhere */
		0x48, 0x83, 0xc4, 0x28,       /* 1c: add $0x28,%rsp */
		0x41, 0x5a,                   /* 20: pop %r10 */
		0x5d,                         /* 22: pop %rbp */
		0x49, 0x8d, 0x62, 0xf8,       /* 23: lea -8(%r10),%rsp */
		0xc3,                         /* 27: ret */
	};
	/* GCC's own: DW_CFA_def_cfa_expression (DW_OP_breg6 -8; DW_OP_deref) */
	static const uint8_t gcc[] = { DW_OP_breg6, 0x78, DW_OP_deref };
	struct found found = track(BYTES, NULL);
	const struct cfi_row *row = cfi_rows__find(&found.rows, CODE + 0x1c);

	(void)state;
	assert_cfa(&found, 0, RSP, 8);
	assert_cfa(&found, 9, 10, 0);
	/* the call may leave anything in r10 */
	assert_non_null(row);
	assert_int_equal(row->cfa.kind, CFI_RULE_EXPRESSION);
	assert_int_equal(row->cfa.expression.size, sizeof(gcc));
	assert_memory_equal(row->cfa.expression.data, gcc, sizeof(gcc));
	/* r10 is as it was, to the end */
	assert_cfa(&found, 0x23, 10, 0);
	assert_cfa(&found, 0x27, 10, 0);
	free_found(&found);
}

/* An aligned frame, and then count pushes: by then each row has an expression of its own. */
static struct found track_pushes(size_t count, const struct cfi_track_options *options)
{
	static const uint8_t aligned[] = {
		0x4c, 0x8d, 0x54, 0x24, 0x08, /* lea 8(%rsp),%r10 */
		0x48, 0x83, 0xe4, 0xe0,       /* and $-32,%rsp */
		0x41, 0xff, 0x72, 0xf8,       /* push -8(%r10) */
		0x41, 0x52,                   /* push %r10 */
		0x4d, 0x31, 0xd2,             /* xor %r10,%r10 */
	};
	static const uint8_t trap[] = { 0x0f, 0x0b };
	struct buf code = BUF(ORDER_LITTLE);
	struct found found;

	buf__put(&code, aligned, sizeof(aligned));
	for (size_t i = 0; i < count; i++)
		buf__put_u8(&code, 0x50);
	buf__put(&code, trap, sizeof(trap));
	assert_false(code.failed);
	found = track(buf__bytes(&code), options);
	buf__free(&code);
	return found;
}

/* No compiler makes so many rows: what is behind is not known, and memory is bounded. */
static void test_too_many_rows(void **state)
{
	const struct cfi_track_options promised = { .frame_pointer = true };
	/* rows in front of the pushes */
	const size_t before = 3, behind = 100;
	struct found found = track_pushes(CFI_ROWS_MAX - before + behind, NULL);
	const struct cfi_row *last = &found.rows.rows.items[CFI_ROWS_MAX - 1];

	(void)state;
	assert_int_equal(found.rows.rows.count, CFI_ROWS_MAX);
	assert_int_equal(last->cfa.kind, CFI_RULE_EXPRESSION);
	assert_undecided(&found, last->addr + last->size - CODE, CFI_TOO_COMPLEX);
	assert_int_equal(found.result.undecided.count, 1);
	free_found(&found);
	found = track_pushes(CFI_ROWS_MAX - before + behind, &promised);
	assert_int_equal(found.rows.rows.count, CFI_ROWS_MAX + 1);
	assert_int_equal(found.rows.rows.items[CFI_ROWS_MAX].origin, CFI_FRAME_POINTER);
	free_found(&found);
}

/* Entered in another state than behind a call: in the middle of a frame of 48 bytes. */
static void test_entry_row(void **state)
{
	static const uint8_t code[] = {
		0xe8, 0x00, 0x10, 0x00, 0x00, /* 0: call elsewhere */
		0x48, 0x83, 0xc4, 0x20,       /* 5: add $0x20,%rsp */
		0x5b,                         /* 9: pop %rbx */
		0xc3,                         /* a: ret */
	};
	const struct cfi_row entry = {
		.cfa = { .kind = CFI_RULE_REGISTER, .reg = RSP, .offset = 48 },
		.registers = { [RA] = { .kind = CFI_RULE_OFFSET, .offset = -8 },
			       [RBX] = { .kind = CFI_RULE_OFFSET, .offset = -16 } },
	};
	const struct cfi_track_options options = { .entry = &entry };
	struct found found = track(BYTES, &options);

	(void)state;
	assert_int_equal(assert_cfa(&found, 0, RSP, 48)->registers[RBX].offset, -16);
	assert_cfa(&found, 9, RSP, 16);
	assert_cfa(&found, 0xa, RSP, 8);
	free_found(&found);
	/* behind a call the same code returns to what is no return address */
	found = track(BYTES, NULL);
	assert_undecided(&found, 0, CFI_BAD_RETURN);
	free_found(&found);
}

#else

static void test_build_without(void **state)
{
	const struct cfi_track_options options = { .frame_pointer = true, .fixed_frame = true };
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3 };
	struct cfi_track_result result = { 0 };
	struct cfi_rows rows = { 0 };

	(void)state;
	assert_int_equal(cfi__track(&rows, BYTES, CODE, &x86_64, &options, &result), -ENOTSUP);
	assert_int_equal(rows.rows.count + result.undecided.count, 0);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_entries_that_paths_lead_to),
		cmocka_unit_test(test_fixed_frame),
		cmocka_unit_test(test_fixed_frame_and_lost_stack),
		cmocka_unit_test(test_fixed_frame_that_is_not),
		cmocka_unit_test(test_fixed_frame_with_a_register),
		cmocka_unit_test(test_fixed_frame_with_the_frame_pointer),
		cmocka_unit_test(test_promised_frame_pointer),
		cmocka_unit_test(test_rows_by_expression),
		cmocka_unit_test(test_too_many_rows),
		cmocka_unit_test(test_entry_row),
#else
		cmocka_unit_test(test_build_without),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
