// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of x86-64, by Intel's manual and the ABI (at entry CFA = rsp + 8). */
#include "cfi/step_testing.h"

#define RAX 0
#define RBX 3
#define RBP 6
#define RSP 7

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

static const struct place places[] = {
	{ "push rbp; mov rbp, rsp", BYTES("\x55\x48\x89\xe5\xc9\xc3"), 4, RBP, 16, RBP, AT(-16) },
	{ "leave", BYTES("\x55\x48\x89\xe5\xc9\xc3"), 5, RSP, 8, RBP, IN_PLACE },
	{ "enter 32, 0", BYTES("\xc8\x20\0\0\x48\x83\xc4\x20\x5d\xc3"), 4, RBP, 16, RBP, AT(-16) },
	{ "what enter pushed", BYTES("\xc8\x20\0\0\x48\x83\xc4\x20\x5d\xc3"), 9, RSP, 8, RBP,
	  IN_PLACE },
	{ "pushfq", BYTES("\x9c\x9d\xc3"), 1, RSP, 16, RBX, IN_PLACE },
	{ "popfq", BYTES("\x9c\x9d\xc3"), 2, RSP, 8, RBX, IN_PLACE },
	{ "call of what follows", BYTES("\xe8\0\0\0\0\x58\xc3"), 5, RSP, 16, RBX, IN_PLACE },
	{ "pop of that", BYTES("\xe8\0\0\0\0\x58\xc3"), 6, RSP, 8, RBX, IN_PLACE },
	{ "xchg rax, rbx", BYTES("\x48\x93\x48\x93\xc3"), 2, RSP, 8, RBX, IN(RAX) },
	{ "xchg back", BYTES("\x48\x93\x48\x93\xc3"), 4, RSP, 8, RBX, IN_PLACE },
	{ "a saved copy written over", BYTES("\x53\x48\x89\x04\x24\x5b\xc3"), 6, RSP, 8, RBX,
	  LOST },
	{ "one that is counted up", BYTES("\x53\x48\xff\x04\x24\x5b\xc3"), 6, RSP, 8, RBX, LOST },
	{ "mov bl, 1", BYTES("\xb3\x01\xc3"), 2, RSP, 8, RBX, LOST },
	{ "sub rsp, 24", BYTES("\x48\x83\xec\x18\x48\x83\xc4\x18\xc3"), 4, RSP, 32, RBX, IN_PLACE },
	{ "add rsp, 24", BYTES("\x48\x83\xec\x18\x48\x83\xc4\x18\xc3"), 8, RSP, 8, RBX, IN_PLACE },
	{ "mov eax, -16; cdqe; add rsp, rax",
	  BYTES("\xb8\xf0\xff\xff\xff\x48\x98\x48\x01\xc4\x48\x83\xc4\x10\xc3"), 10, RSP, 24, RBX,
	  IN_PLACE },
	{ "mov rax, rbx; cdqe; mov rbx, rax", BYTES("\x48\x89\xd8\x48\x98\x48\x89\xc3\xc3"), 8, RSP,
	  8, RBX, LOST },
	{ "loop", BYTES("\x53\x90\xe2\xfd\x5b\xc3"), 4, RSP, 16, RBX, AT(-16) },
	{ "jrcxz", BYTES("\x53\xe3\x01\x90\x5b\xc3"), 4, RSP, 16, RBX, AT(-16) },
	{ "lea rsp, [rsp-8]", BYTES("\x48\x8d\x64\x24\xf8\x58\xc3"), 5, RSP, 16, RBX, IN_PLACE },
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		check_place(&places[i], &x86_64);
}

/* Fillers behind the end make no gap. */
static void test_padding(void **state)
{
	static const struct bytes code = BYTES("\xc3\x90\x90\xcc");
	struct cfi_track_result result = { 0 };
	struct cfi_rows rows = { 0 };

	(void)state;
	if (cfi__can_track(&x86_64)) {
		assert_int_equal(cfi__track(&rows, code, CODE, &x86_64, NULL, &result), 0);
		assert_int_equal(rows.rows.count, 1);
		assert_int_equal(rows.rows.items[0].size, 4);
	}
	assert_int_equal(result.undecided.count, 0);
	cfi_rows__free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
