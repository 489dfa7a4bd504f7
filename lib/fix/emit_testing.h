/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of which records are planned, when and where. All code is 11 bytes with CPython's CFI,
 * so a DSO of one function at lo is mapped from lo - 0x120 (an ELF header and four program headers)
 * and ends 0x5c behind lo: 0x120 + 11 rounded up to 0x130, a search table of 12 + 8 bytes, rounded
 * up to 0x148, and 24 (CIE) + 24 (FDE) + 4 bytes.
 */
#ifndef PERFJIT_FIX_EMIT_TESTING_H
#define PERFJIT_FIX_EMIT_TESTING_H

#include "fix/testing.h"

#include "perfdata/event.h"

#define LO     UINT64_C(0x10200)
#define HEADER UINT64_C(0x120)
#define BASE   (LO - HEADER)
#define END    (LO + 0x5c)
#define SIZE   11

struct expected {
	enum plan_insert_kind kind;
	uint32_t pid;
	uint64_t time, start, end, pgoff;
	size_t dso;
};

static UNUSED void expect_inserts(const struct plan *plan, const struct expected *expected,
				  size_t count)
{
	for (size_t i = 0; i < plan->inserts.count && i < count; i++) {
		const struct plan_insert *insert = &plan->inserts.items[i];

		assert_int_equal(insert->kind, expected[i].kind);
		assert_int_equal(insert->process->pid, expected[i].pid);
		assert_int_equal(insert->time, expected[i].time);
		if (insert->kind == PLAN_COMM)
			continue;
		assert_int_equal(insert->start, expected[i].start);
		assert_int_equal(insert->start + insert->size, expected[i].end);
		assert_int_equal(insert->pgoff, expected[i].pgoff);
		assert_int_equal(insert->dso, expected[i].dso);
	}
	assert_int_equal(plan->inserts.count, count);
}

/* What stands before a place is earlier, what stands there is not. */
static UNUSED void expect_places(const struct plan *plan)
{
	array__for_each(insert, &plan->inserts) {
		struct perfdata_record record;
		struct perfdata_walk walk;
		uint64_t time;

		perfdata_walk__begin(&walk, plan->perfdata);
		while (perfdata_walk__next(&walk, &record) > 0) {
			if (!perfdata__record_time(plan->perfdata, &record, &time))
				continue;
			if (record.offset < insert->offset)
				assert_true(time < insert->time);
			if (record.offset == insert->offset)
				assert_true(time >= insert->time);
		}
		perfdata_walk__end(&walk);
	}
	for (size_t i = 1; i < plan->inserts.count; i++)
		assert_true(plan->inserts.items[i - 1].offset <= plan->inserts.items[i].offset);
}

static UNUSED void load(struct testing *testing, uint64_t time, uint64_t addr, const char *name)
{
	dump__unwinding(testing, time);
	dump__load(testing, time, addr, SIZE, name);
}

/* Process 1, its marker at 10 and its memory at 20. */
static UNUSED void begin(struct testing *testing)
{
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
}

static UNUSED void reuse(struct testing *testing)
{
	begin(testing);
	load(testing, 30, LO, "a");
	load(testing, 60, LO, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__sample(testing, 70, 1, LO);
}

#endif
