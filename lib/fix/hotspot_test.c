// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of HotSpot's code. What is right was worked out by hand from the instructions, which are
 * those of OpenJDK 17, and from where its frames have what.
 */
#include "fix/testing.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>

#include "fix/hotspot.h"

#define ADDR 0x7f0000001000
#define RBP  6
#define RSP  7
#define R13  13
#define RA   16

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

static struct code_record record_of(const char *name, const uint8_t *code, size_t size)
{
	return (struct code_record){
		.name = name, .addr = ADDR, .size = size, .code = { code, size }
	};
}

static void assert_register(const struct cfi_rule *rule, uint16_t reg, int64_t offset)
{
	assert_int_equal(rule->kind, CFI_RULE_REGISTER);
	assert_int_equal(rule->reg, reg);
	assert_int_equal(rule->offset, offset);
}

static void assert_expression(const struct cfi_rule *rule, const char *ops, size_t size)
{
	assert_int_equal(rule->kind, CFI_RULE_EXPRESSION);
	assert_int_equal(rule->expression.size, size);
	assert_memory_equal(rule->expression.data, ops, size);
}

static const struct cfi_row *row_at(const struct cfi_rows *rows, size_t offset)
{
	const struct cfi_row *row = cfi_rows__find(rows, ADDR + offset);

	assert_non_null(row);
	return row;
}

static void test_names_of_methods(void **state)
{
	static const char *const others[] = { "Interpreter", "call_stub",  "L",        "Lx;",
					      "leaf(I)J",    "LNest;leaf", "Lambda(x)" };
	struct code_record record = { .name = "Ljava/lang/String;hashCode()I" };

	(void)state;
	assert_true(hotspot__is_method(&record));
	assert_false(hotspot__is_its_own(&record));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		record.name = others[i];
		assert_false(hotspot__is_method(&record));
		assert_int_equal(hotspot__is_its_own(&record), i == 0);
	}
}

/*
 * A method with an entry for on-stack replacement, and handlers behind it that no path leads to:
 * a call in a frame of 0x40 + 16 bytes.
 */
static const uint8_t method[] = {
	0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, /*  0: mov %eax,-0x14000(%rsp) */
	0x55,                                     /*  7: push %rbp */
	0x48, 0x83, 0xec, 0x40,                   /*  8: sub $0x40,%rsp */
	0xe8, 0x00, 0x10, 0x00, 0x00,             /*  c: call elsewhere */
	0x48, 0x83, 0xc4, 0x40,                   /* 11: add $0x40,%rsp */
	0x5d,                                     /* 15: pop %rbp */
	0xc3,                                     /* 16: ret */
	0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, /* 17: the other entry */
	0x55,                                     /* 1e: push %rbp */
	0x48, 0x83, 0xec, 0x40,                   /* 1f: sub $0x40,%rsp */
	0xe8, 0x00, 0x20, 0x00, 0x00,             /* 23: call elsewhere */
	0xeb, 0xe7,                               /* 28: jmp 11 */
	0xe8, 0x00, 0x30, 0x00, 0x00,             /* 2a: the exception handler: call */
	0xf4,                                     /* 2f: hlt */
};

#ifdef HAVE_CAPSTONE

static void test_method(void **state)
{
	static const struct {
		size_t offset;
		int64_t cfa;
		bool saved;
	} expected[] = {
		{ 0x00, 8, false }, { 0x08, 16, true }, { 0x0c, 80, true }, { 0x11, 80, true },
		{ 0x15, 16, true }, { 0x16, 8, false }, { 0x17, 8, false }, { 0x1e, 8, false },
		{ 0x1f, 16, true }, { 0x23, 80, true }, { 0x28, 80, true }, { 0x2a, 80, true },
		{ 0x2f, 80, true },
	};
	struct code_record record = record_of("LA;m()V", method, sizeof(method));
	struct cfi_rows rows = { 0 };
	uint64_t end = ADDR;

	(void)state;
	assert_int_equal(hotspot__method_rows(&rows, &record, &x86_64, NULL), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct cfi_row *row = row_at(&rows, expected[i].offset);

		assert_register(&row->cfa, RSP, expected[i].cfa);
		assert_int_equal(row->registers[RA].kind, CFI_RULE_OFFSET);
		assert_int_equal(row->registers[RA].offset, -8);
		assert_int_equal(row->registers[RBP].kind == CFI_RULE_OFFSET, expected[i].saved);
		if (expected[i].saved)
			assert_int_equal(row->registers[RBP].offset, -16);
	}
	array__for_each(row, &rows.rows) {
		assert_true(row->addr >= end);
		assert_int_equal(row->origin, CFI_SYNTHESISED);
		end = row->addr + row->size;
	}
	cfi_rows__free(&rows);
}

#else

static void test_build_without_says_so(void **state)
{
	struct code_record record = record_of("LA;m()V", method, sizeof(method));
	struct cfi_rows rows = { 0 };

	(void)state;
	assert_int_equal(hotspot__method_rows(&rows, &record, &x86_64, NULL), -ENOTSUP);
	assert_int_equal(rows.rows.count, 0);
}

#endif

#define HEADER(size)                                                                             \
	0x10, 0x20, 0x30, 0, 0, 0x7f, 0, 0, (size), 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, \
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

/* Three codelets: a method's entry, one without frame (Math.abs), and one that leaves a frame. */
static const uint8_t interpreter[] = {
	HEADER(0x48), 0x48, 0x8b, 0x53, 0x08,             /* 20: mov 8(%rbx),%rdx */
	0x58,                                             /* 24: pop %rax */
	0x4c,         0x8d, 0x74, 0xcc, 0xf8,             /* 25: lea -8(%rsp,%rcx,8),%r14 */
	0x6a,         0x00,                               /* 2a: push $0: a local */
	0x50,                                             /* 2c: push %rax */
	0x55,                                             /* 2d: push %rbp */
	0x48,         0x8b, 0xec,                         /* 2e: mov %rsp,%rbp */
	0x41,         0x55,                               /* 31: push %r13 */
	0x68,         0x00, 0x00, 0x00, 0x00,             /* 33: push $0 */
	0x90,         0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* 38 */
	0x90,         0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* 3f */
	0x90,         0x90,                               /* 46 */
	HEADER(0x38), 0xc5, 0xfb, 0x10, 0x44, 0x24, 0x08, /* 68: vmovsd 8(%rsp),%xmm0 */
	0x48,         0x83, 0xec, 0x08,                   /* 6e: sub $8,%rsp */
	0x90,                                             /* 72 */
	0x48,         0x83, 0xc4, 0x08,                   /* 73: add $8,%rsp */
	0x58,                                             /* 77: pop %rax */
	0x49,         0x8b, 0xe5,                         /* 78: mov %r13,%rsp */
	0xff,         0xe0,                               /* 7b: jmp *%rax */
	0x90,         0x90, 0x90,                         /* 7d */
	HEADER(0x30), 0x48, 0x8b, 0x5d, 0xf8,             /* a0: mov -8(%rbp),%rbx */
	0xc9,                                             /* a4: leave */
	0x5e,                                             /* a5: pop %rsi */
	0x48,         0x8b, 0xe3,                         /* a6: mov %rbx,%rsp */
	0xff,         0xe6,                               /* a9: jmp *%rsi */
	0x90,         0x90, 0x90, 0x90, 0x90,             /* ab */
};

/* What the frame pointer says: the sender's stack pointer is right below it. */
static void assert_in_frame(const struct cfi_rows *rows, size_t offset)
{
	const struct cfi_row *row = row_at(rows, offset);

	assert_expression(&row->cfa, "\x76\x78\x06", 3); /* breg6 -8; deref */
	assert_expression(&row->registers[RA], "\x76\x08", 2);
	assert_expression(&row->registers[RBP], "\x76\x00", 2);
}

/* Entered: r13 is the sender's stack pointer; the return address is distance above rsp. */
static void assert_entered(const struct cfi_rows *rows, size_t offset, char distance)
{
	const struct cfi_row *row = row_at(rows, offset);
	const char place[] = { 0x77, distance }; /* breg7 */

	assert_register(&row->cfa, R13, 0);
	assert_expression(&row->registers[RA], place, sizeof(place));
	assert_int_equal(row->registers[RBP].kind, CFI_RULE_SAME);
}

static void test_interpreter(void **state)
{
	struct code_record record = record_of("Interpreter", interpreter, sizeof(interpreter));
	struct cfi_rows rows = { 0 };
	bool failed = false;

	(void)state;
	assert_true(hotspot__interpreter_rows(&rows, &record, &x86_64, &failed));
	assert_false(failed);
	assert_entered(&rows, 0x20, 0);
	assert_entered(&rows, 0x24, 0);
	assert_register(&row_at(&rows, 0x25)->registers[RA], 0, 0); /* rax */
	assert_register(&row_at(&rows, 0x2c)->registers[RA], 0, 0);
	assert_entered(&rows, 0x2d, 0);
	assert_expression(&row_at(&rows, 0x2e)->registers[RA], "\x77\x08", 2);
	assert_expression(&row_at(&rows, 0x2e)->registers[RBP], "\x77\x00", 2);
	/* the slot below the frame pointer is not written yet */
	assert_register(&row_at(&rows, 0x31)->cfa, R13, 0);
	assert_expression(&row_at(&rows, 0x31)->registers[RA], "\x76\x08", 2);
	assert_in_frame(&rows, 0x33);
	assert_in_frame(&rows, 0x47);
#ifdef HAVE_CAPSTONE
	assert_entered(&rows, 0x68, 0);
	assert_entered(&rows, 0x72, 8);
	assert_entered(&rows, 0x77, 0);
#else
	/* only following the code tells how far it is to the return address */
	assert_null(cfi_rows__find(&rows, ADDR + 0x68));
	assert_null(cfi_rows__find(&rows, ADDR + 0x72));
#endif
	assert_null(cfi_rows__find(&rows, ADDR + 0x78));
	assert_in_frame(&rows, 0xa0);
	assert_in_frame(&rows, 0xa4);
	assert_register(&row_at(&rows, 0xa5)->cfa, 3, 0); /* rbx */
	assert_expression(&row_at(&rows, 0xa5)->registers[RA], "\x77\x00", 2);
	assert_register(&row_at(&rows, 0xa6)->registers[RA], 4, 0); /* rsi */
	assert_register(&row_at(&rows, 0xa9)->registers[RA], 4, 0);
	cfi_rows__free(&rows);
}

/* Anything that is not as known: nothing is said. */
static void test_other_interpreters(void **state)
{
	uint8_t code[sizeof(interpreter)];
	struct code_record record = record_of("Interpreter", code, sizeof(code));
	struct cfi_rows rows = { 0 };
	bool failed = false;

	(void)state;
	memcpy(code, interpreter, sizeof(code));
	record.name = "interpreter";
	assert_false(hotspot__interpreter_rows(&rows, &record, &x86_64, &failed));
	record.name = "Interpreter";
	code[8] = 0x50; /* the first codelet's size */
	assert_false(hotspot__interpreter_rows(&rows, &record, &x86_64, &failed));
	code[8] = 0x48;
	code[0x32] = 0x50; /* push %r8: something else is below the frame pointer */
	assert_false(hotspot__interpreter_rows(&rows, &record, &x86_64, &failed));
	code[0x32] = 0x55;
	record.code.size--;
	assert_false(hotspot__interpreter_rows(&rows, &record, &x86_64, &failed));
	assert_int_equal(rows.rows.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_methods),
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_method),
#else
		cmocka_unit_test(test_build_without_says_so),
#endif
		cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_other_interpreters),
	};

	return cmocka_run_group_tests_name("hotspot", tests, NULL, NULL);
}
