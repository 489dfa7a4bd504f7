// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#ifdef HAVE_CAPSTONE
#include "cfi/insn.h"
#endif

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_target s390 = { EM_S390, ELFCLASS64, ORDER_BIG };

#ifdef HAVE_CAPSTONE

/* Texts as objdump -M intel and objdump print them for these bytes. */
static void test_text_and_size(void **state)
{
	struct disassembler *disassembler;
	struct instruction instruction;

	(void)state;
	assert_true(disassembler__supports(&x86_64));
	assert_int_equal(disassembler__new(&disassembler, &x86_64), 0);
	assert_true(disassembler__read(disassembler, BYTES("\x48\x83\xec\x08\x90"), 0x1000,
				       &instruction));
	assert_int_equal(instruction.size, 4);
	assert_int_equal(instruction.addr, 0x1000);
	assert_string_equal(instruction.text, "sub rsp, 8");
	assert_true(disassembler__read(disassembler, BYTES("\xc3"), 0x1000, &instruction));
	assert_string_equal(instruction.text, "ret");
	assert_false(disassembler__read(disassembler, BYTES("\x48\x83"), 0x1000, &instruction));
	assert_false(disassembler__read(disassembler, (struct bytes){ 0 }, 0, &instruction));
	disassembler__free(disassembler);

	assert_int_equal(disassembler__new(&disassembler, &aarch64), 0);
	assert_true(disassembler__read(disassembler, BYTES("\xfd\x7b\xbf\xa9"), 0, &instruction));
	assert_string_equal(instruction.text, "stp x29, x30, [sp, #-0x10]!");
	disassembler__free(disassembler);
}

/* Code with many prefixes and few opcodes: what an instruction is depends on all that is before it.
 */
static void make_code(uint8_t *code, size_t size, uint32_t *seed)
{
	static const uint8_t bytes[] = { 0x66, 0xf2, 0xf3, 0x48, 0x41, 0x2e, 0x0f, 0x1f,
					 0x89, 0x8b, 0x45, 0xf8, 0x05, 0xe8, 0xc7, 0x90 };

	for (size_t i = 0; i < size; i++) {
		*seed = *seed * 1664525 + 1013904223;
		code[i] = *seed >> 31 ? (uint8_t)(*seed >> 16) : bytes[*seed >> 24 & 15];
	}
}

static void assert_same_insn(const struct cfi_insn *insn, const cs_insn *decoded, bool is_x86)
{
	uint8_t count;

	assert_int_equal(insn->id, decoded->id);
	assert_int_equal(insn->address, decoded->address);
	assert_int_equal(insn->size, decoded->size);
	count = is_x86 ? decoded->detail->x86.op_count : decoded->detail->arm64.op_count;
	assert_int_equal(insn->op_count, count);
	if (is_x86) {
		assert_memory_equal(insn->x86, decoded->detail->x86.operands,
				    sizeof(*insn->x86) * count);
		return;
	}
	assert_memory_equal(insn->arm64, decoded->detail->arm64.operands,
			    sizeof(*insn->arm64) * count);
	assert_int_equal(insn->writeback, decoded->detail->arm64.writeback);
	assert_int_equal(insn->cc, decoded->detail->arm64.cc);
}

static bool check_insn(struct disassembler *kept, struct disassembler *plain, struct bytes code,
		       uint64_t addr, bool is_x86)
{
	const cs_insn *decoded = disassembler__detail(plain, code, addr);
	const struct cfi_insn *insn = disassembler__insn(kept, code, addr);

	assert_int_equal(insn == NULL, decoded == NULL);
	if (insn)
		assert_same_insn(insn, decoded, is_x86);
	return insn;
}

static size_t kept_size(struct disassembler *kept, struct bytes code)
{
	const struct cfi_insn *insn = disassembler__insn(kept, code, 0);

	return insn ? insn->size : code.size;
}

/* As capstone decodes them, also when the disassembler has met them before, elsewhere. */
static void check_kept(const struct cfi_target *target)
{
	struct disassembler *kept, *plain;
	bool is_x86 = target->machine == EM_X86_64;
	uint32_t seed = target->machine;
	uint64_t nr_insns = 0;
	uint8_t code[24];

	assert_int_equal(disassembler__new(&kept, target), 0);
	assert_int_equal(disassembler__new(&plain, target), 0);
	for (uint64_t i = 0; i < 200000; i++) {
		size_t size;

		make_code(code, sizeof(code), &seed);
		size = i % 8 ? sizeof(code) : seed >> 28;
		nr_insns += check_insn(kept, plain, (struct bytes){ code, size }, i, is_x86);
		/* what follows an instruction has no part in it */
		for (size_t at = kept_size(kept, (struct bytes){ code, size }); at < size; at++)
			code[at] ^= 0xff;
		check_insn(kept, plain, (struct bytes){ code, size }, i + 7, is_x86);
	}
	assert_true(nr_insns > 1000);
	disassembler__free(kept);
	disassembler__free(plain);
}

static void test_insns_are_as_decoded(void **state)
{
	(void)state;
	check_kept(&x86_64);
	check_kept(&aarch64);
}

static void test_renew(void **state)
{
	struct disassembler *disassembler = NULL, *before;
	struct instruction instruction;

	(void)state;
	assert_int_equal(disassembler__renew(&disassembler, &x86_64), 0);
	before = disassembler;
	assert_int_equal(disassembler__renew(&disassembler, &x86_64), 0);
	assert_ptr_equal(disassembler, before);
	assert_int_equal(disassembler__renew(&disassembler, &aarch64), 0);
	assert_true(disassembler__read(disassembler, BYTES("\xfd\x7b\xbf\xa9"), 0, &instruction));
	assert_int_equal(disassembler__renew(&disassembler, &s390), -ENOTSUP);
	assert_null(disassembler);
}

#else

static void test_build_without_says_so(void **state)
{
	struct disassembler *disassembler;

	(void)state;
	assert_false(disassembler__supports(&x86_64));
	assert_int_equal(disassembler__new(&disassembler, &aarch64), -ENOTSUP);
}

#endif

static void test_other_machines(void **state)
{
	struct disassembler *disassembler;

	(void)state;
	assert_false(disassembler__supports(&s390));
	assert_int_equal(disassembler__new(&disassembler, &s390), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_text_and_size),
		cmocka_unit_test(test_insns_are_as_decoded),
		cmocka_unit_test(test_renew),
#else
		cmocka_unit_test(test_build_without_says_so),
#endif
		cmocka_unit_test(test_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
