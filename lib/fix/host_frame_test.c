// SPDX-License-Identifier: GPL-2.0-or-later
/* The frame that JIT code without one of its own runs in; libdw is who says what is right. */
#include "fix/testing.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <libelf.h>
#include <link.h>

#include "fix/host_frame.h"

#define RSP 7

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

static void test_exit(void **state)
{
	static const uint8_t jump[] = { 0xe9, 0xfb, 0xff, 0x0f, 0x00, 0x90 };
	struct code_record record = { .name = "JIT$$trace_halt",
				      .addr = 0x7f0000000000,
				      .code = { jump, 5 } };

	(void)state;
	assert_int_equal(host_frame__exit(&record), 0x7f0000100000);
	record.name = "JIT$$trace_exit";
	assert_int_equal(host_frame__exit(&record), 0);
	record.name = "JIT$$trace_halt";
	record.code.size = 6;
	assert_int_equal(host_frame__exit(&record), 0);
	record.code = (struct bytes){ jump + 1, 5 };
	assert_int_equal(host_frame__exit(&record), 0);
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program comes first */
}

/* Every row of this very program with the CFA by the stack pointer, and no other, is found. */
static void test_rows_of_a_program(void **state)
{
	uint64_t bias = 0, begin, taken = 0;
	struct dso_outline program;
	Dwarf_CFI *cfi;
	Elf *elf;
	int fd;

	(void)state;
	dl_iterate_phdr(take_bias, &bias);
	assert_true(dso_outline__open(&program, "/proc/self/exe", &x86_64));
	elf_version(EV_CURRENT);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	begin = (uintptr_t)test_exit - bias;
	for (uint64_t vaddr = begin; vaddr < begin + 0x10000; vaddr += 3) {
		Dwarf_Frame *frame = NULL;
		struct cfi_row row, right;
		bool found = host_frame__read(&row, &program, vaddr, &x86_64);

		if (dwarf_cfi_addrframe(cfi, vaddr, &frame) != 0) {
			assert_false(found);
			continue;
		}
		assert_int_equal(cfi_row__of_frame(&right, frame), 0);
		assert_int_equal(found,
				 right.cfa.kind == CFI_RULE_REGISTER && right.cfa.reg == RSP);
		taken += found;
		if (found) {
			assert_int_equal(row.cfa.offset, right.cfa.offset);
			assert_int_equal(row.registers[16].offset, right.registers[16].offset);
			assert_int_equal(row.registers[3].kind == CFI_RULE_OFFSET,
					 right.registers[3].kind == CFI_RULE_OFFSET);
			assert_int_equal(row.registers[3].offset, right.registers[3].offset);
		}
		free(frame);
	}
	assert_true(taken > 100);
	/* nobody's code */
	assert_false(host_frame__read(&(struct cfi_row){ 0 }, &program, 0, &x86_64));
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	dso_outline__close(&program);
}

static void test_entry(void **state)
{
	const struct cfi_row host = {
		.cfa = { .kind = CFI_RULE_REGISTER, .reg = RSP, .offset = 160 }
	};
	struct code_record record = { .name = "TRACE-1$leaf$2", .addr = 0x7f0000000000 };
	struct cfi_row row;

	(void)state;
	host_frame__entry(&row, &host, &record, &x86_64);
	assert_int_equal(row.addr, record.addr);
	assert_int_equal(row.cfa.offset, 160);
	/* 8 bytes more are on the stack there */
	record.name = "JIT$$trace_exit";
	host_frame__entry(&row, &host, &record, &x86_64);
	assert_int_equal(row.cfa.offset, 168);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_rows_of_a_program),
		cmocka_unit_test(test_entry),
	};

	return cmocka_run_group_tests_name("host_frame", tests, NULL, NULL);
}
