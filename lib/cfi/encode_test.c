// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/cfi.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/diag.h"

#define SIZE(array) (sizeof(array) / sizeof(*(array)))
#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })
#define EH_FRAME    UINT64_C(0x779e9000)
#define HDR         UINT64_C(0x779e8f00)
#define CODE        UINT64_C(0x779e8000)

static const struct cfi_target targets[] = {
	{ EM_X86_64, ELFCLASS64, ORDER_LITTLE },  { EM_386, ELFCLASS32, ORDER_LITTLE },
	{ EM_AARCH64, ELFCLASS64, ORDER_LITTLE }, { EM_ARM, ELFCLASS32, ORDER_LITTLE },
	{ EM_RISCV, ELFCLASS64, ORDER_LITTLE },   { EM_PPC64, ELFCLASS64, ORDER_LITTLE },
	{ EM_S390, ELFCLASS64, ORDER_BIG },       { EM_PPC, ELFCLASS32, ORDER_BIG },
};

static const struct cfi_cie x86_64_cie = { 1, -8, 16, false, false, BYTES("\x0c\x07\x08\x90\x01") };

struct output {
	struct cfi_size size;
	struct buf eh_frame, hdr;
};

static int encode(struct output *output, const struct cfi_entry *entries, size_t nr_entries,
		  const struct cfi_target *target, uint64_t eh_frame, uint64_t hdr)
{
	*output = (struct output){ 0 };
	assert_int_equal(cfi__measure(entries, nr_entries, target, &output->size), 0);
	return cfi__encode(entries, nr_entries, target, eh_frame, hdr, &output->eh_frame,
			   &output->hdr);
}

static void free_output(struct output *output)
{
	buf__free(&output->eh_frame);
	buf__free(&output->hdr);
}

/*
 * CPython 3.13.5's own tables for an 11-byte trampoline with the .eh_frame 16 bytes behind its
 * start and the header right behind that, but for the terminator, which CPython leaves out.
 */
static void test_writes_what_cpython_writes(void **state)
{
	static const uint8_t eh_frame[] = {
		0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00, 0x01,
		0x78, 0x10, 0x01, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x14, 0x00,
		0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff, 0x0b, 0x00, 0x00,
		0x00, 0x00, 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
	};
	static const uint8_t hdr[] = {
		0x01, 0x1b, 0x03, 0x3b, 0xcc, 0xff, 0xff, 0xff, 0x01, 0x00,
		0x00, 0x00, 0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff, 0xff, 0xff,
	};
	struct cfi_entry entry = { &x86_64_cie, BYTES("\x44\x0e\x10\x46\x0e\x08"), CODE, 11 };
	struct output output;

	(void)state;
	assert_int_equal(encode(&output, &entry, 1, &targets[0], CODE + 16, CODE + 64), 0);
	assert_int_equal(output.eh_frame.size, sizeof(eh_frame));
	assert_memory_equal(output.eh_frame.data, eh_frame, sizeof(eh_frame));
	assert_int_equal(output.hdr.size, sizeof(hdr));
	assert_memory_equal(output.hdr.data, hdr, sizeof(hdr));
	free_output(&output);
}

static void test_header_is_there_without_entries(void **state)
{
	static const uint8_t little[] = { 1, 0x1b, 3, 0x3b, 0xfc, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t big[] = { 1, 0x1b, 3, 0x3b, 0, 0, 0, 0xfc, 0, 0, 0, 0 };

	(void)state;
	for (size_t i = 0; i < SIZE(targets); i++) {
		bool is_little = targets[i].order == ORDER_LITTLE;
		struct output output;

		assert_int_equal(encode(&output, NULL, 0, &targets[i], EH_FRAME, HDR), 0);
		assert_int_equal(output.hdr.size, sizeof(little));
		assert_memory_equal(output.hdr.data, is_little ? little : big, sizeof(little));
		assert_int_equal(output.eh_frame.size, 4);
		assert_memory_equal(output.eh_frame.data, "\0\0\0\0", 4);
		assert_int_equal(output.size.eh_frame, 4);
		assert_int_equal(output.size.eh_frame_hdr, 12);
		free_output(&output);
	}
}

static void test_what_is_too_far_is_refused(void **state)
{
	const uint64_t high = UINT64_C(0x7fd7579e9000);
	struct cfi_entry near = { &x86_64_cie, BYTES(""), high - 0x7fffff00, 16 };
	struct cfi_entry far = { &x86_64_cie, BYTES(""), high - 0x80000000, 16 };
	struct cfi_entry large = { &x86_64_cie, BYTES(""), high - 0x1000, 0x80000000 };
	struct output output;

	(void)state;
	assert_int_equal(encode(&output, &near, 1, &targets[0], high, high - 64), 0);
	free_output(&output);
	assert_int_equal(encode(&output, &far, 1, &targets[0], high, high - 64), -ERANGE);
	free_output(&output);
	assert_int_equal(encode(&output, &large, 1, &targets[0], high, high - 64), -ERANGE);
	free_output(&output);
	near.addr = high - 0x1000;
	assert_int_equal(encode(&output, &near, 1, &targets[0], high, high + 0x80001000), -ERANGE);
	free_output(&output);
	assert_int_equal(encode(&output, &near, 1, &targets[0], high, high - 0x80001000), -ERANGE);
	free_output(&output);
}

/* A fixed sequence of numbers: the same cases in every run. */
static uint32_t pick(uint32_t *seed, uint32_t count)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % count;
}

/* Pieces of CFI, whole instructions each; none ends in a DW_CFA_nop. */
static const struct bytes pieces[] = {
	BYTES("\x41"),
	BYTES("\x0e\x10"),
	BYTES("\x86\x02"),
	BYTES("\x43\x0d\x06"),
	BYTES("\x02\x56"),
	BYTES("\x03\x28\x03"),
	BYTES("\x04\x01\x02\x03\x04"),
	BYTES("\x0c\x06\x00"),
	BYTES("\x0a"),
	BYTES("\x0b"),
	BYTES("\x0f\x03\x77\x08\x06"),
	BYTES("\x10\x05\x02\x76\x00"),
	BYTES("\x05\x80\x01\x02"),
	BYTES("\x2d"),
	BYTES("\x2e\x00"),
	BYTES("\xc6"),
};

#define NR_ENTRIES 200
#define NR_CIES    7

struct table {
	struct cfi_cie cies[2 * NR_CIES]; /* each twice, at another address */
	struct cfi_entry entries[NR_ENTRIES];
	uint8_t bytes[NR_ENTRIES][40];
};

static void make_table(struct table *table, uint32_t *seed)
{
	uint64_t addr = CODE;

	for (size_t i = 0; i < NR_CIES; i++) {
		table->cies[i] = (struct cfi_cie){ .code_align = i == 1 ? 4 : 1,
						   .data_align = i == 2 ? -4 : -8,
						   .ra_register = i == 3   ? 300
								  : i == 4 ? 200
									   : 16,
						   .signal_frame = i == 5,
						   .pauth_b_key = i >= 5,
						   .instructions = BYTES("\x0c\x07\x08\x90\x01") };
		table->cies[i + NR_CIES] = table->cies[i];
	}
	for (size_t i = 0; i < NR_ENTRIES; i++) {
		struct cfi_entry *entry = &table->entries[i];
		size_t size = 0;

		for (uint32_t n = pick(seed, 8); n; n--) {
			const struct bytes *piece = &pieces[pick(seed, SIZE(pieces))];

			memcpy(table->bytes[i] + size, piece->data, piece->size);
			size += piece->size;
		}
		addr += pick(seed, 4);
		*entry = (struct cfi_entry){ .cie = &table->cies[pick(seed, 2 * NR_CIES)],
					     .instructions = { table->bytes[i], size },
					     .addr = addr,
					     .size = 1 + pick(seed, 5) };
		addr += entry->size;
	}
}

static void check_same_cie(const struct cfi_cie *cie, const struct cfi_cie *expected)
{
	assert_int_equal(cie->code_align, expected->code_align);
	assert_int_equal(cie->data_align, expected->data_align);
	assert_int_equal(cie->ra_register, expected->ra_register);
	assert_int_equal(cie->signal_frame, expected->signal_frame);
	assert_int_equal(cie->pauth_b_key, expected->pauth_b_key);
	assert_int_equal(cie->instructions.size, expected->instructions.size);
	assert_memory_equal(cie->instructions.data, expected->instructions.data,
			    expected->instructions.size);
}

static void check_read_back(const struct table *table, const struct output *output,
			    const struct cfi_target *target)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct cfi_table read;

	assert_int_equal(cfi_table__read(&read, buf__bytes(&output->eh_frame), EH_FRAME, target,
					 "eh_frame", 0, diag),
			 0);
	assert_int_equal(diag__count(diag, DIAG_WARNING), 0);
	assert_int_equal(read.cies.count, NR_CIES);
	assert_int_equal(read.fdes.count, NR_ENTRIES);
	for (size_t i = 0; i < NR_ENTRIES; i++) {
		const struct cfi_entry *entry = &table->entries[i];
		const struct cfi_fde *fde = &read.fdes.items[i];

		assert_int_equal(fde->addr, entry->addr);
		assert_int_equal(fde->size, entry->size);
		assert_int_equal(fde->instructions.size, entry->instructions.size);
		assert_memory_equal(fde->instructions.data, entry->instructions.data,
				    entry->instructions.size);
		check_same_cie(&read.cies.items[fde->cie], entry->cie);
	}
	cfi_table__free(&read);
	diag__free(diag);
}

static void check_cie_with_libdw(const Dwarf_CIE *cie, const struct cfi_cie *expected)
{
	char letters[8] = "zR";

	if (expected->signal_frame)
		strcat(letters, "S");
	if (expected->pauth_b_key)
		strcat(letters, "B");
	assert_string_equal(cie->augmentation, letters);
	assert_int_equal(cie->code_alignment_factor, expected->code_align);
	assert_int_equal(cie->data_alignment_factor, expected->data_align);
	assert_int_equal(cie->return_address_register, expected->ra_register);
	assert_int_equal(cie->augmentation_data_size, 1);
	assert_int_equal(cie->augmentation_data[0], 0x1b);
	assert_memory_equal(cie->initial_instructions, expected->instructions.data,
			    expected->instructions.size);
	for (const uint8_t *pad = cie->initial_instructions + expected->instructions.size;
	     pad < cie->initial_instructions_end; pad++)
		assert_int_equal(*pad, DW_CFA_nop);
}

/* The entry of the search table that is to be for the FDE. */
static void check_hdr_entry(const struct output *output, size_t i, uint64_t addr, uint64_t fde,
			    enum byte_order order)
{
	const uint8_t *place = output->hdr.data + 12 + 8 * i;

	assert_int_equal(HDR + (uint64_t)(int32_t)get_u32(place, order), addr);
	assert_int_equal(HDR + (uint64_t)(int32_t)get_u32(place + 4, order), EH_FRAME + fde);
}

static void check_fde_with_libdw(const struct output *output, const Dwarf_FDE *fde,
				 const struct cfi_entry *entry, enum byte_order order)
{
	uint64_t field = EH_FRAME + (uint64_t)(fde->start - output->eh_frame.data);

	assert_int_equal(field + (uint64_t)(int32_t)get_u32(fde->start, order), entry->addr);
	assert_int_equal(get_u32(fde->start + 4, order), entry->size);
	assert_int_equal(fde->start[8], 0);
	assert_true((size_t)(fde->end - fde->start) >= 9 + entry->instructions.size);
	assert_memory_equal(fde->start + 9, entry->instructions.data, entry->instructions.size);
}

static const struct cfi_cie *find_cie(const struct cfi_cie *const *cies, const Dwarf_Off *offsets,
				      size_t nr_cies, Dwarf_Off offset)
{
	for (size_t i = 0; i < nr_cies; i++)
		if (offsets[i] == offset)
			return cies[i];
	fail_msg("no CIE at 0x%llx", (unsigned long long)offset);
	return NULL;
}

static void check_with_libdw(const struct table *table, struct output *output,
			     const struct cfi_target *target)
{
	unsigned char ident[EI_NIDENT] = {
		[EI_CLASS] = target->class, [EI_DATA] = (unsigned char)target->order
	};
	Elf_Data data = { .d_buf = output->eh_frame.data, .d_size = output->eh_frame.size };
	size_t alignment = target->class == ELFCLASS32 ? 4 : 8, nr_fdes = 0, nr_cies = 0;
	const struct cfi_cie *cies[NR_CIES] = { 0 };
	Dwarf_Off cie_offsets[NR_CIES], next;
	Dwarf_CFI_Entry cfi;

	for (Dwarf_Off at = 0; dwarf_next_cfi(ident, &data, true, at, &next, &cfi) == 0;
	     at = next) {
		assert_int_equal(at % alignment, 0);
		if (dwarf_cfi_cie_p(&cfi)) {
			assert_true(nr_cies < NR_CIES);
			cies[nr_cies] = table->entries[nr_fdes].cie;
			cie_offsets[nr_cies] = at;
			check_cie_with_libdw(&cfi.cie, cies[nr_cies++]);
			continue;
		}
		check_fde_with_libdw(output, &cfi.fde, &table->entries[nr_fdes], target->order);
		check_hdr_entry(output, nr_fdes, table->entries[nr_fdes].addr, at, target->order);
		check_same_cie(find_cie(cies, cie_offsets, nr_cies, cfi.fde.CIE_pointer),
			       table->entries[nr_fdes++].cie);
	}
	assert_int_equal(nr_fdes, NR_ENTRIES);
	assert_int_equal(nr_cies, NR_CIES);
	assert_int_equal(get_u32(output->hdr.data + 8, target->order), NR_ENTRIES);
}

static void test_tables_of_all_targets(void **state)
{
	static struct table table;
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < SIZE(targets); i++) {
		struct output output;

		make_table(&table, &seed);
		assert_int_equal(
			encode(&output, table.entries, NR_ENTRIES, &targets[i], EH_FRAME, HDR), 0);
		assert_int_equal(output.eh_frame.size, output.size.eh_frame);
		assert_int_equal(output.hdr.size, output.size.eh_frame_hdr);
		check_read_back(&table, &output, &targets[i]);
		check_with_libdw(&table, &output, &targets[i]);
		free_output(&output);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_what_cpython_writes),
		cmocka_unit_test(test_header_is_there_without_entries),
		cmocka_unit_test(test_what_is_too_far_is_refused),
		cmocka_unit_test(test_tables_of_all_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
