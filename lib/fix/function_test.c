// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CFI a function gets from what its producer wrote. */
#include "fix/testing.h"

#include <elf.h>

#include "cfi/track.h"
#include "fix/function.h"

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/* TEST_EH_FRAME's FDE says that its code begins 16 bytes before the table, and is 11 long. */
#define CPYTHON_INSTRUCTIONS "\x44\x0e\x10\x46\x0e\x08"

/*
 * As LLVM ORC writes it: absolute addresses ("zR" with DW_EH_PE_absptr), here of two functions:
 * [0x5000, 0x5020) with DW_CFA_def_cfa_offset 16 and [0x6000, 0x6030) with 32.
 */
static const uint8_t orc[] = {
	/* CIE, 20 bytes: version 1, "zR", 1, -8, 16, 1 byte of augmentation: 0; def_cfa 7, 8 */
	0x14,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	'z',
	'R',
	0,
	1,
	0x78,
	16,
	1,
	0,
	0x0c,
	7,
	8,
	0x90,
	1,
	0,
	0,
	/* FDE, 28 bytes, CIE 0x1c back */
	0x1c,
	0,
	0,
	0,
	0x1c,
	0,
	0,
	0,
	0x00,
	0x50,
	0,
	0,
	0,
	0,
	0,
	0,
	0x20,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0x0e,
	16,
	0,
	0,
	0,
	0,
	0,
	/* FDE, CIE 0x3c back */
	0x1c,
	0,
	0,
	0,
	0x3c,
	0,
	0,
	0,
	0x00,
	0x60,
	0,
	0,
	0,
	0,
	0,
	0,
	0x30,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0x0e,
	32,
	0,
	0,
	0,
	0,
	0,
};

struct made {
	struct code_record record;
	struct code code;
	struct member member;
	struct dso_function function;
	struct cfi_entry cfi; /* its only one; zeros when it has none */
};

/* Makes a function of a record loaded at from, which now is at addr. */
static void make(struct functions *functions, struct made *made, uint64_t from, uint64_t addr,
		 uint64_t size, const struct code_unwind *unwind)
{
	static const struct function_context context = { .target = &x86_64, .file = "jit-1.dump" };
	struct function_cfi cfi = { 0 };

	made->record = (struct code_record){
		.addr = from,
		.size = size,
		.name = "a",
		.unwind = unwind,
	};
	made->code = (struct code){ .record = &made->record, .addr = addr, .size = size };
	made->member = (struct member){
		.code = &made->code,
		.addr = addr,
		.end = addr + size,
		.wants_cfi = true,
	};
	assert_int_equal(functions__make(functions, &made->member, &context, &made->function, &cfi),
			 0);
	assert_ptr_equal(made->function.record, &made->record);
	assert_int_equal(made->function.addr, addr);
	assert_int_equal(made->function.size, size);
	array__free(&cfi.origins);
	made->cfi = (struct cfi_entry){ 0 };
	if (!cfi.entries.count)
		return;
	assert_int_equal(cfi.entries.count, 1);
	made->cfi = cfi.entries.items[0];
	assert_int_equal(made->cfi.addr, addr);
	assert_int_equal(made->cfi.size, size);
	array__free(&cfi.entries);
}

static const struct code_unwind cpython = {
	.eh_frame = { TEST_EH_FRAME, sizeof(TEST_EH_FRAME) },
};

static void test_own_cfi(void **state)
{
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag };
	struct made made;

	make(&functions, &made, 0x7000, 0x7000, 11, &cpython);
	assert_non_null(made.cfi.cie);
	assert_int_equal(made.cfi.cie->data_align, -8);
	assert_int_equal(made.cfi.instructions.size, 6);
	assert_memory_equal(made.cfi.instructions.data, CPYTHON_INSTRUCTIONS, 6);
	assert_int_equal(functions.by_origin[FUNCTION_PRODUCER], 1);
	assert_int_equal(functions.by_origin[FUNCTION_NO_CFI], 0);
	assert_int_equal(functions.by_origin[FUNCTION_REPAIRED], 0);
	functions__free(&functions);
}

/* Makes a function whose code pushes on and on, of which CPython's table says nothing. */
static bool is_wrong_table_used(struct functions *functions, bool wants_cfi)
{
	static const struct function_context context = { .target = &x86_64, .file = "jit-1.dump" };
	static const uint8_t pushes[] = "\x50\x50\x50\x50\x50\x50\x50\x50\x50\x50\xf4";
	const struct code_record record = {
		.addr = 0x7000,
		.size = 11,
		.name = "a",
		.unwind = &cpython,
		.code = { pushes, 11 },
	};
	struct code code = { .record = &record, .addr = 0x7000, .size = 11 };
	const struct member member = {
		.code = &code,
		.addr = 0x7000,
		.end = 0x700b,
		.wants_cfi = wants_cfi,
	};
	struct dso_function function;
	struct function_cfi cfi = { 0 };
	uint64_t before = functions->by_origin[FUNCTION_PRODUCER];

	functions->without_synthesis = functions->without_frame_pointer_rule = true;
	assert_int_equal(functions__make(functions, &member, &context, &function, &cfi), 0);
	array__free(&cfi.entries);
	array__free(&cfi.origins);
	return functions->by_origin[FUNCTION_PRODUCER] > before;
}

/* A table is held against its code where readers will unwind by it; of others, some are. */
static void test_checked_where_it_pays(void **state)
{
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag };

	if (!cfi__can_track(&x86_64)) {
		assert_true(is_wrong_table_used(&functions, true));
		functions__free(&functions);
		return;
	}
	assert_false(is_wrong_table_used(&functions, false));
	functions.nr_checked = 1000000;
	functions.last.checked = false;
	functions.last.distance = 0;
	assert_true(is_wrong_table_used(&functions, true));
	functions.unwinds = true;
	assert_true(is_wrong_table_used(&functions, false));
	assert_false(is_wrong_table_used(&functions, true));
	functions__free(&functions);
}

/* 17 to 24 bytes of code put the table 24 behind: the FDE then begins 8 bytes into the code. */
static void test_wrong_pc_begin(void **state)
{
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag };
	struct made made[3];

	make(&functions, &made[0], 0x7000, 0x7000, 20, &cpython);
	assert_string_equal(testing->last_kind, "cfi.wrong-pc-begin");
	make(&functions, &made[1], 0x8000, 0x8000, 20, &cpython);
	make(&functions, &made[2], 0x9000, 0x9000, 11, &cpython);
	for (size_t i = 0; i < 3; i++) {
		assert_non_null(made[i].cfi.cie);
		assert_int_equal(made[i].cfi.instructions.size, 6);
		assert_memory_equal(made[i].cfi.instructions.data, CPYTHON_INSTRUCTIONS, 6);
	}
	/* each of them counts, however alike they are */
	assert_int_equal(functions.by_origin[FUNCTION_REPAIRED], 2);
	assert_int_equal(functions.by_origin[FUNCTION_PRODUCER], 1);
	assert_int_equal(diag__count(testing->diag, DIAG_WARNING), 0);
	functions__free(&functions);
}

static void test_shared_cfi_goes_by_address(void **state)
{
	static const struct code_unwind unwind = { .eh_frame = { orc, sizeof(orc) },
						   .shared = true };
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag };
	struct made made[4];

	make(&functions, &made[0], 0x6000, 0x6000, 0x30, &unwind);
	make(&functions, &made[1], 0x5000, 0x5000, 0x20, &unwind);
	make(&functions, &made[2], 0x9000, 0x9000, 0x20, &unwind);
	/* moved: the CFI knows the place it was loaded to */
	make(&functions, &made[3], 0x5000, 0x6000, 0x20, &unwind);
	assert_int_equal(made[0].cfi.instructions.size, 2);
	assert_memory_equal(made[0].cfi.instructions.data, "\x0e\x20", 2);
	assert_int_equal(made[1].cfi.instructions.size, 2);
	assert_memory_equal(made[1].cfi.instructions.data, "\x0e\x10", 2);
	assert_null(made[2].cfi.cie);
	assert_memory_equal(made[3].cfi.instructions.data, "\x0e\x10", 2);
	assert_int_equal(functions.shared.count, 1);
	assert_int_equal(functions.by_origin[FUNCTION_PRODUCER], 3);
	assert_int_equal(functions.by_origin[FUNCTION_NO_CFI], 1);
	functions__free(&functions);
}

static void test_equal_cies_are_one(void **state)
{
	static const struct code_unwind shared = { .eh_frame = { orc, sizeof(orc) },
						   .shared = true };
	uint8_t copy[sizeof(TEST_EH_FRAME)];
	const struct code_unwind unwind = { .eh_frame = { copy, sizeof(copy) } };
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag };
	struct made made[3];

	memcpy(copy, TEST_EH_FRAME, sizeof(copy));
	/* other instructions than the first's: its table is read too */
	copy[43] = 0x18;
	make(&functions, &made[0], 0x7000, 0x7000, 11, &cpython);
	make(&functions, &made[1], 0x8000, 0x8000, 11, &unwind);
	make(&functions, &made[2], 0x5000, 0x5000, 0x20, &shared);
	assert_memory_equal(made[1].cfi.instructions.data, "\x44\x0e\x18", 3);
	assert_ptr_equal(made[0].cfi.cie, made[1].cfi.cie);
	assert_ptr_equal(made[0].cfi.cie, made[2].cfi.cie);
	assert_int_equal(functions.cies.count, 1);
	functions__free(&functions);
}

static void test_without_cfi(void **state)
{
	static const struct code_unwind none = { .mapped_size = 100 };
	static const struct code_unwind damaged = {
		.eh_frame = { TEST_EH_FRAME, 40 }, /* cut within the FDE */
	};
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag };
	struct made made;

	make(&functions, &made, 0x7000, 0x7000, 11, NULL);
	assert_null(made.cfi.cie);
	make(&functions, &made, 0x7000, 0x7000, 11, &none);
	assert_null(made.cfi.cie);
	make(&functions, &made, 0x7000, 0x7000, 11, &damaged);
	assert_null(made.cfi.cie);
	assert_int_equal(functions.by_origin[FUNCTION_NO_CFI], 3);
	assert_int_equal(functions.by_origin[FUNCTION_PRODUCER], 0);
	assert_int_equal(diag__count(testing->diag, DIAG_WARNING), 1);
	/* the one after gets its own again */
	make(&functions, &made, 0x7000, 0x7000, 11, &cpython);
	assert_non_null(made.cfi.cie);
	functions__free(&functions);
}

/* Where chains can't come code is not followed, which costs time. */
static void test_unwanted(void **state)
{
	static const struct function_context context = { .target = &x86_64, .file = "jit-1.dump" };
	/* push %rbp; mov %rsp,%rbp; pop %rbp; ret */
	static const uint8_t bytes[] = { 0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3 };
	struct code_record record = {
		.addr = 0x7000, .size = 6, .name = "a", .code = { bytes, sizeof(bytes) }
	};
	struct code code = { .record = &record, .addr = 0x7000, .size = 6 };
	struct member member = { .code = &code, .addr = 0x7000, .end = 0x7006 };
	struct testing *testing = *state;
	struct functions functions = { .diag = testing->diag, .unwinds = true };
	struct function_cfi cfi = { 0 };
	struct dso_function function;

	assert_true(functions__follow(&functions, &record));
	assert_int_equal(functions__make(&functions, &member, &context, &function, &cfi), 0);
	assert_int_equal(cfi.entries.count, 0);
	assert_int_equal(functions.by_origin[FUNCTION_UNNEEDED], 1);
	assert_int_equal(functions.by_origin[FUNCTION_NO_CFI], 0);
	member.wants_cfi = true;
	assert_int_equal(functions__make(&functions, &member, &context, &function, &cfi), 0);
	assert_int_equal(cfi.entries.count, 1);
	assert_int_equal(functions.by_origin[FUNCTION_UNNEEDED], 1);
	array__free(&cfi.entries);
	array__free(&cfi.origins);
	functions__free(&functions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_own_cfi),
		TESTING(test_checked_where_it_pays),
		TESTING(test_wrong_pc_begin),
		TESTING(test_shared_cfi_goes_by_address),
		TESTING(test_equal_cies_are_one),
		TESTING(test_without_cfi),
		TESTING(test_unwanted),
	};

	return cmocka_run_group_tests_name("function", tests, NULL, NULL);
}
