// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target (libFuzzer): any bytes as the table of any code. What is called repaired and checked
 * must agree with the code once it is written anew and read by the strict reader.
 */
#include <elf.h>
#include <stdlib.h>

#include "base/diag.h"
#include "cfi/repair.h"

#define ADDRESS UINT64_C(0x40000000)
/* Where the table is written to: behind the code, which has 255 bytes at most. */
#define EH_FRAME (ADDRESS + 0x1000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Takes up to size bytes into memory of their own, so that what is read past them is noticed. */
static struct bytes take(struct bytes *from, size_t size)
{
	struct bytes copy = { .size = size < from->size ? size : from->size };
	uint8_t *owned = malloc(copy.size ? copy.size : 1);

	require(owned != NULL);
	if (copy.size)
		memcpy(owned, from->data, copy.size);
	copy.data = owned;
	from->data += copy.size;
	from->size -= copy.size;
	return copy;
}

static void check_findings(const struct cfi_check *check)
{
	array__for_each(finding, &check->findings) {
		require(finding->kind && strncmp(finding->kind, "cfi.", 4) == 0);
		require(finding->text[0] && memchr(finding->text, 0, sizeof(finding->text)));
		require(memchr(finding->says, 0, sizeof(finding->says)));
		require(memchr(finding->does, 0, sizeof(finding->does)));
	}
}

static void check_table(const struct cfi_table *table, const struct cfi_producer *producer,
			const struct cfi_target *target, bool jumped_to)
{
	struct cfi_track_options options = { 0 };
	struct cfi_entry entry;
	struct cfi_rows rows = { 0 };
	struct cfi_check check = { 0 };

	require(table->fdes.count == 1);
	entry = cfi_table__entry(table, &table->fdes.items[0]);
	require(entry.addr == ADDRESS && entry.size == producer->code.size);
	require(cfi_rows__of_entry(&rows, &entry, target, CFI_REPAIRED, NULL) == 0);
	if (jumped_to)
		options.entry = &rows.rows.items[0];
	require(cfi_check__rows(&check, &rows, producer->code, ADDRESS, target, &options) == 0);
	require(check.nr_agree && !check.nr_wrong && !check.nr_uncovered);
	cfi_check__free(&check);
	cfi_rows__free(&rows);
}

static void check_repair(const struct cfi_repair *repair, const struct cfi_producer *producer,
			 const struct cfi_target *target)
{
	const struct cfi_entry entry = { &repair->cie, repair->instructions, ADDRESS,
					 producer->code.size };
	struct buf eh_frame = BUF(target->order), hdr = BUF(target->order);
	struct diag *diag = diag__new(NULL, NULL);
	struct cfi_table table;

	require(diag != NULL);
	require(cfi__encode(&entry, 1, target, EH_FRAME, EH_FRAME + 0x100000, &eh_frame, &hdr) ==
		0);
	require(cfi_table__read(&table, buf__bytes(&eh_frame), EH_FRAME, target, "repaired", 0,
				diag) == 0);
	check_table(&table, producer, target, repair->jumped_to);
	cfi_table__free(&table);
	buf__free(&eh_frame);
	buf__free(&hdr);
	diag__free(diag);
}

/* Three bytes say what follows: the machine, the code's size, the size of .eh_frame_hdr. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_target target = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
	struct cfi_producer producer = { .addr = ADDRESS };
	struct cfi_check check = { 0 };
	struct cfi_repair repair;
	struct bytes left;

	if (size < 3 || size > 1024)
		return 0;
	if (data[0] & 1)
		target.machine = EM_AARCH64;
	left = (struct bytes){ data + 3, size - 3 };
	producer.code = take(&left, data[1]);
	producer.eh_frame_hdr = take(&left, data[2]);
	producer.eh_frame = take(&left, left.size);
	producer.eh_frame_addr = align_up(ADDRESS + producer.code.size, 8);
	require(cfi__repair(&repair, &check, &producer, &target, NULL) == 0);
	require(repair.usable || (!repair.changed && !repair.checked));
	require(!repair.usable || repair.changed || cfi_check__sound(&check));
	check_findings(&check);
	if (repair.checked && repair.changed)
		check_repair(&repair, &producer, &target);
	cfi_check__free(&check);
	free((void *)(uintptr_t)producer.code.data);
	free((void *)(uintptr_t)producer.eh_frame_hdr.data);
	free((void *)(uintptr_t)producer.eh_frame.data);
	return 0;
}
