// SPDX-License-Identifier: GPL-2.0-or-later
/* CFI made from code. What is right was worked out by hand from the instructions. */
#include "fix/testing.h"

#include <elf.h>

#include "fix/synthesis.h"

#define ADDR 0x7f0000001000

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/* push %rbx; call; pop %rbx; ret */
static const uint8_t called[] = { 0x53, 0xe8, 0x00, 0x10, 0x00, 0x00, 0x5b, 0xc3 };
static struct code_record record_of(const char *name, struct bytes code, uint64_t addr)
{
	return (struct code_record){ .name = name, .addr = addr, .size = code.size, .code = code };
}

static struct synthesis_result make(struct synthesis *synthesis, const struct code_record *record,
				    const struct synthesis_facts *facts)
{
	struct synthesis_result result;

	assert_int_equal(synthesis__make(synthesis, record, facts, &x86_64, &result), 0);
	return result;
}

#ifdef HAVE_CAPSTONE

#define RSP 7
#define RA  16

/* mov (%r14),%rax; sub $8,%rsp; call; add $8,%rsp; jmp *(%r15) */
static const uint8_t jumped_to[] = { 0x49, 0x8b, 0x06, 0x48, 0x83, 0xec, 0x08, 0xe8, 0x00, 0x10,
				     0x00, 0x00, 0x48, 0x83, 0xc4, 0x08, 0x41, 0xff, 0x27 };

static const struct cfi_row host = {
	.cfa = { .kind = CFI_RULE_REGISTER, .reg = RSP, .offset = 160 },
	.registers = { [3] = { .kind = CFI_RULE_OFFSET, .offset = -40 },
		       [RA] = { .kind = CFI_RULE_OFFSET, .offset = -8 } },
};

/* The CFA's distance from rsp at an offset in what was made. */
static int64_t cfa_at(const struct synthesis_result *result, size_t offset, int64_t *rbx)
{
	struct cfi_rows rows = { 0 };
	const struct cfi_row *row;
	int64_t cfa;

	assert_int_equal(result->nr_pieces, 1);
	assert_int_equal(result->pieces[0].offset, 0);
	assert_int_equal(
		cfi_rows__of_entry(&rows,
				   &(struct cfi_entry){ result->cie, result->pieces[0].instructions,
							ADDR, result->pieces[0].size },
				   &x86_64, CFI_SYNTHESISED, NULL),
		0);
	row = cfi_rows__find(&rows, ADDR + offset);
	assert_non_null(row);
	assert_int_equal(row->cfa.kind, CFI_RULE_REGISTER);
	assert_int_equal(row->cfa.reg, RSP);
	assert_int_equal(row->registers[RA].kind, CFI_RULE_OFFSET);
	assert_int_equal(row->registers[RA].offset, -8);
	*rbx = row->registers[3].kind == CFI_RULE_OFFSET ? row->registers[3].offset : 0;
	cfa = row->cfa.offset;
	cfi_rows__free(&rows);
	return cfa;
}

static void test_function(void **state)
{
	const struct code_record record =
		record_of("f", (struct bytes){ called, sizeof(called) }, ADDR);
	const struct synthesis_facts facts = { 0 };
	struct synthesis synthesis = { 0 };
	struct synthesis_result result = make(&synthesis, &record, &facts);
	int64_t rbx;

	(void)state;
	assert_int_equal(cfa_at(&result, 0, &rbx), 8);
	assert_int_equal(cfa_at(&result, 1, &rbx), 16);
	assert_int_equal(rbx, -16);
	assert_int_equal(cfa_at(&result, 7, &rbx), 8);
	assert_int_equal(result.pieces[0].size, sizeof(called));
	synthesis__free(&synthesis);
}

/* The same code is followed once, wherever it is; what else is known makes it another's. */
static void test_equal_code(void **state)
{
	uint8_t copy[sizeof(called)];
	struct code_record first = record_of("f", (struct bytes){ called, sizeof(called) }, ADDR);
	struct code_record second = record_of("g", (struct bytes){ copy, sizeof(copy) }, 0x5000);
	const struct synthesis_facts plain = { 0 }, hotspot = { .hotspot = true };
	struct synthesis synthesis = { 0 };

	(void)state;
	memcpy(copy, called, sizeof(copy));
	make(&synthesis, &first, &plain);
	assert_ptr_equal(make(&synthesis, &first, &plain).pieces,
			 make(&synthesis, &second, &plain).pieces);
	assert_int_equal(synthesis.all.count, 1);
	second.name = "LA;m()V";
	assert_ptr_not_equal(make(&synthesis, &first, &plain).pieces,
			     make(&synthesis, &second, &hotspot).pieces);
	assert_int_equal(synthesis.all.count, 2);
	copy[0] = 0x55;
	make(&synthesis, &second, &hotspot);
	assert_int_equal(synthesis.all.count, 3);
	synthesis__free(&synthesis);
}

/* Code that does not return may be entered in any way: only what it runs in can tell. */
static void test_code_that_is_jumped_to(void **state)
{
	const struct code_record record =
		record_of("TRACE-1$f$2", (struct bytes){ jumped_to, sizeof(jumped_to) }, ADDR);
	const struct code_record stub =
		record_of("JIT$$assign", (struct bytes){ called, sizeof(called) }, ADDR);
	const struct synthesis_facts plain = { 0 }, hosted = { .host = &host };
	struct synthesis synthesis = { 0 };
	struct synthesis_result result = make(&synthesis, &record, &plain);
	int64_t rbx;

	(void)state;
	assert_int_equal(result.nr_pieces, 0);
	result = make(&synthesis, &record, &hosted);
	assert_int_equal(cfa_at(&result, 0, &rbx), 160);
	assert_int_equal(rbx, -40);
	assert_int_equal(cfa_at(&result, 7, &rbx), 168);
	assert_int_equal(cfa_at(&result, 16, &rbx), 160);
	/* what is called there, and returns, is a function like any */
	result = make(&synthesis, &stub, &hosted);
	assert_int_equal(cfa_at(&result, 0, &rbx), 8);
	synthesis__free(&synthesis);
}

#else

/* No pieces, and no error: what follows is the frame pointer's rule, or none. */
static void test_build_without_makes_nothing(void **state)
{
	const struct code_record record =
		record_of("f", (struct bytes){ called, sizeof(called) }, ADDR);
	const struct synthesis_facts plain = { 0 }, hotspot = { .hotspot = true };
	struct synthesis synthesis = { 0 };

	(void)state;
	assert_int_equal(make(&synthesis, &record, &plain).nr_pieces, 0);
	assert_int_equal(make(&synthesis, &record, &hotspot).nr_pieces, 0);
	synthesis__free(&synthesis);
}

#endif

static void test_machines_not_known(void **state)
{
	const struct code_record record =
		record_of("f", (struct bytes){ called, sizeof(called) }, ADDR);
	const struct code_record bare = record_of("f", (struct bytes){ NULL, 0 }, ADDR);
	const struct cfi_target s390 = { EM_S390, ELFCLASS64, ORDER_BIG };
	const struct synthesis_facts facts = { 0 };
	struct synthesis synthesis = { 0 };
	struct synthesis_result result;

	(void)state;
	assert_int_equal(synthesis__make(&synthesis, &record, &facts, &s390, &result), 0);
	assert_int_equal(result.nr_pieces, 0);
	assert_int_equal(make(&synthesis, &bare, &facts).nr_pieces, 0);
	synthesis__free(&synthesis);
}

/* More code than is followed: there is no CFI for it, and all the rest goes on. */
static void test_too_much_code(void **state)
{
	const size_t size = ((size_t)64 << 20) + 1;
	uint8_t *code = calloc(1, size);
	const struct code_record record = record_of("f", (struct bytes){ code, size }, ADDR);
	const struct synthesis_facts facts = { 0 };
	struct synthesis synthesis = { 0 };

	(void)state;
	assert_non_null(code);
	assert_int_equal(make(&synthesis, &record, &facts).nr_pieces, 0);
	synthesis__free(&synthesis);
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_much_code),
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_equal_code),
		cmocka_unit_test(test_code_that_is_jumped_to),
#else
		cmocka_unit_test(test_build_without_makes_nothing),
#endif
		cmocka_unit_test(test_machines_not_known),
	};

	return cmocka_run_group_tests_name("synthesis", tests, NULL, NULL);
}
