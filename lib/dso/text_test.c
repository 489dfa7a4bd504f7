// SPDX-License-Identifier: GPL-2.0-or-later
#include "dso/image_test.h"

#define CODE   UINT64_C(0x400000)
#define NR     100
#define STRIDE 16384

/* Small functions far from each other take a block each, not what is between them. */
static void test_gaps_take_no_room(void **state)
{
	static const uint8_t code[] = { 0x31, 0xc0, 0xc3 };
	static struct code_record records[NR];
	static struct dso_function functions[NR];
	struct dso_spec spec = {
		.target = { EM_X86_64, ELFCLASS64, ORDER_LITTLE },
		.functions = functions,
		.nr_functions = NR,
		.base = CODE - dso__header_size(ELFCLASS64, DSO_HEADERS_BEFORE),
		.text_end = CODE + (NR - 1) * STRIDE + sizeof(code),
	};
	struct image_file file;
	struct stat status;

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		records[i] = (struct code_record){ .addr = CODE + i * STRIDE,
						   .size = sizeof(code),
						   .name = "f",
						   .code = BYTES(code) };
		functions[i] = (struct dso_function){ &records[i], records[i].addr, sizeof(code) };
	}
	write_image(&file, &spec);
	assert_int_equal(stat(file.path, &status), 0);
	assert_true(status.st_size > (NR - 1) * STRIDE);
	assert_true(status.st_blocks * 512 < status.st_size / 2);
	remove_image(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps_take_no_room),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
