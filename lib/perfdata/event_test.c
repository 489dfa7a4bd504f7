// SPDX-License-Identifier: GPL-2.0-or-later
/* Which event a record belongs to, what records other than samples say, and records made anew. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "perfdata/memory_profile.h"

#define ALL_FIELDS ((1ull << 25) - 1)

/* With ID alone, ids stand at one place in all events' records, but trailers differ in length. */
static void tells_events_apart(void **state)
{
	const struct memory_event events[] = {
		{ .sample_type =
			  PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
		  .id = 5 },
		{ .sample_type =
			  PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
		  .id = 6 },
	};
	struct memory_profile profile = memory_profile__new(ORDER_BIG);
	struct perfdata_sample_id sample_id;
	struct perfdata_record record;
	size_t at = memory_profile__begin(&profile, PERFDATA_LOST, 0);

	(void)state;
	put_u64s(&profile.records, 1, 2);
	buf__put_u64(&profile.records, 4242); /* time, id, cpu: the second event's */
	buf__put_u64(&profile.records, 6);
	buf__put_u32(&profile.records, 1);
	buf__put_u32(&profile.records, 0);
	memory_profile__end(&profile, at);
	at = memory_profile__begin(&profile, PERFDATA_FINISHED_ROUND,
				   0); /* shorter than any trailer */
	memory_profile__end(&profile, at);
	memory_profile__open(&profile, events, 2);
	memory_profile__first_record(&profile, &record);
	assert_true(perfdata__parse_sample_id(profile.perfdata, &record, &sample_id));
	assert_ptr_equal(sample_id.attr, perfdata__attr(profile.perfdata, 1));
	assert_int_equal(sample_id.time, 4242);
	assert_int_equal(sample_id.id, 6);
	assert_int_equal(sample_id.cpu, 1);
	assert_int_equal(sample_id.pid, 0);
	assert_true(perfdata__read_record(profile.perfdata, record.end, record.end + 8, &record) ==
		    NULL);
	assert_false(perfdata__parse_sample_id(profile.perfdata, &record, &sample_id));
	assert_non_null(sample_id.attr);
	memory_profile__close(&profile);
}

static void times_tasks_without_trailers(void **state)
{
	const struct memory_event event = { .sample_type = PERF_SAMPLE_TIME,
					    .no_sample_id_all = true };
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	size_t at = memory_profile__begin(&profile, PERFDATA_FORK, 0);
	struct perfdata_record record;
	struct perfdata_task task;
	uint64_t time = 0;

	(void)state;
	for (uint32_t i = 1; i <= 4; i++)
		buf__put_u32(&profile.records, i);
	buf__put_u64(&profile.records, 555);
	memory_profile__end(&profile, at);
	memory_profile__open(&profile, &event, 1);
	memory_profile__first_record(&profile, &record);
	assert_true(perfdata__record_time(profile.perfdata, &record, &time));
	assert_int_equal(time, 555);
	assert_true(perfdata__parse_task(profile.perfdata, &record, &task));
	assert_int_equal(task.pid, 1);
	assert_int_equal(task.ppid, 2);
	assert_int_equal(task.tid, 3);
	assert_int_equal(task.ptid, 4);
	assert_int_equal(task.time, 555);
	record.type = PERFDATA_COMM;
	assert_false(perfdata__record_time(profile.perfdata, &record, &time));
	assert_false(perfdata__parse_task(profile.perfdata, &record, &task));
	memory_profile__close(&profile);
}

static void assert_same_id(const struct perfdata_sample_id *a, const struct perfdata_sample_id *b)
{
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->stream_id, b->stream_id);
	assert_int_equal(a->cpu, b->cpu);
}

static void set_sample_id(struct perfdata_sample_id *sample_id, uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_TID)
		sample_id->pid = sample_id->tid = 9;
	if (sample_type & PERF_SAMPLE_TIME)
		sample_id->time = 1ull << 40;
	if (sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		sample_id->id = 3;
}

static struct perfdata_mmap some_mmap(uint64_t sample_type, bool build_id)
{
	struct perfdata_mmap mmap = {
		.pid = 1,
		.tid = 2,
		.start = 0x7000,
		.size = 0x1000,
		.pgoff = 0x40,
		.prot = 5,
		.flags = 2,
		.misc = 2,
		.name = "/a/b.so",
		.has_build_id = build_id,
	};

	set_sample_id(&mmap.sample_id, sample_type);
	if (build_id) {
		mmap.build_id_size = PERFDATA_BUILD_ID_SIZE;
		memset(mmap.build_id, 0xab, PERFDATA_BUILD_ID_SIZE);
		return mmap;
	}
	mmap.maj = 8;
	mmap.min = 1;
	mmap.ino = 1ull << 33;
	mmap.ino_generation = 7;
	return mmap;
}

static void assert_same_mmap(const struct perfdata_mmap *a, const struct perfdata_mmap *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->pgoff, b->pgoff);
	assert_int_equal(a->maj, b->maj);
	assert_int_equal(a->ino, b->ino);
	assert_int_equal(a->ino_generation, b->ino_generation);
	assert_int_equal(a->prot, b->prot);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->has_build_id, b->has_build_id);
	assert_memory_equal(a->build_id, b->build_id, PERFDATA_BUILD_ID_SIZE);
	assert_int_equal(a->misc & ~PERFDATA_MISC_MMAP_BUILD_ID,
			 b->misc & ~PERFDATA_MISC_MMAP_BUILD_ID);
	assert_same_id(&a->sample_id, &b->sample_id);
}

static struct perfdata_record record_in(const struct buf *buf)
{
	return (struct perfdata_record){
		.type = get_u32(buf->data, buf->order),
		.misc = get_u16(buf->data + 4, buf->order),
		.size = get_u16(buf->data + 6, buf->order),
		.data = buf->data,
	};
}

/* What is put is what is parsed, whatever the trailer. */
static void puts_what_it_parses(enum byte_order order, uint64_t sample_type, bool build_id)
{
	const struct memory_event event = { .sample_type = sample_type, .id = 3 };
	struct memory_profile profile = memory_profile__new(order);
	struct perfdata_mmap put = some_mmap(sample_type, build_id), parsed;
	struct perfdata_record record;
	struct buf buf = BUF(order);

	memory_profile__open(&profile, &event, 1);
	perfdata__put_mmap2(profile.perfdata, &buf, &put);
	assert_false(buf.failed);
	assert_int_equal(buf.size % 8, 0);
	record = record_in(&buf);
	assert_int_equal(record.size, buf.size);
	assert_true(perfdata__parse_mmap(profile.perfdata, &record, &parsed));
	assert_same_mmap(&parsed, &put);
	buf__free(&buf);
	memory_profile__close(&profile);
}

static void puts_mmaps(void **state)
{
	static const uint64_t types[] = { PERF_SAMPLE_IP, PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					  PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, ALL_FIELDS };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		puts_what_it_parses(ORDER_LITTLE, types[i], false);
		puts_what_it_parses(ORDER_LITTLE, types[i], true);
		puts_what_it_parses(ORDER_BIG, types[i], false);
	}
}

/* The record parsed and put again; false for a type that is not put. */
static bool put_again(struct perfdata *perfdata, const struct perfdata_record *record,
		      struct buf *buf)
{
	struct perfdata_mmap mmap;
	struct perfdata_comm comm;
	struct perfdata_task task;

	if (record->type == PERFDATA_MMAP2) {
		assert_true(perfdata__parse_mmap(perfdata, record, &mmap));
		perfdata__put_mmap2(perfdata, buf, &mmap);
	} else if (record->type == PERFDATA_COMM) {
		assert_true(perfdata__parse_comm(perfdata, record, &comm));
		perfdata__put_comm(perfdata, buf, &comm);
	} else if (record->type == PERFDATA_FORK) {
		assert_true(perfdata__parse_task(perfdata, record, &task));
		perfdata__put_fork(perfdata, buf, &task);
	}
	return buf->size > 0;
}

static size_t put_all_again(const char *path, struct diag *diag)
{
	struct perfdata *perfdata;
	struct perfdata_walk walk;
	struct perfdata_record record;
	size_t count = 0;

	assert_int_equal(perfdata__open(&perfdata, path, diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		struct buf buf = BUF(perfdata__order(perfdata));

		if (put_again(perfdata, &record, &buf)) {
			assert_int_equal(buf.size, record.size);
			assert_memory_equal(buf.data, record.data, buf.size);
			count++;
		}
		buf__free(&buf);
	}
	perfdata_walk__end(&walk);
	perfdata__close(perfdata);
	return count;
}

/* Every MMAP2, COMM and FORK that the kernel wrote comes out as it wrote it. */
static void puts_as_the_kernel_does(void **state)
{
	static const char *const names[] = { "6.1-fp", "7.3-fp", "7.3-mixed", "7.3-mixed-be" };
	struct diag *diag = diag__new(NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "testdata/recordings/%s.data", names[i]);
		assert_true(put_all_again(path, diag) >= 10);
	}
	diag__free(diag);
}

static void refuses_a_name_too_long(void **state)
{
	const struct memory_event event = { .sample_type = PERF_SAMPLE_TIME };
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	struct perfdata_comm comm = { .pid = 1 };
	struct buf buf = BUF(ORDER_LITTLE);
	char *name = malloc(70000);

	(void)state;
	assert_non_null(name);
	memset(name, 'x', 69999);
	name[69999] = '\0';
	comm.comm = name;
	memory_profile__open(&profile, &event, 1);
	perfdata__put_comm(profile.perfdata, &buf, &comm);
	assert_true(buf.failed);
	free(name);
	buf__free(&buf);
	memory_profile__close(&profile);
}

static struct perfdata_mmap parse_mmap(enum byte_order order, uint16_t misc, const char *rest,
				       size_t size, bool whole)
{
	const struct memory_event event = { .sample_type = PERF_SAMPLE_IP };
	struct memory_profile profile = memory_profile__new(order);
	size_t at = memory_profile__begin(&profile, PERFDATA_MMAP2, misc);
	struct perfdata_record record;
	static char name[64];
	struct perfdata_mmap mmap;

	buf__put_u32(&profile.records, 7);
	buf__put_u32(&profile.records, 8);
	put_u64s(&profile.records, 0x1000, 3); /* start, size, pgoff */
	buf__put(&profile.records, rest, size);
	memory_profile__end(&profile, at);
	memory_profile__open(&profile, &event, 1);
	memory_profile__first_record(&profile, &record);
	assert_int_equal(perfdata__parse_mmap(profile.perfdata, &record, &mmap), whole);
	snprintf(name, sizeof(name), "%s", mmap.name ? mmap.name : "");
	mmap.name = name;
	memory_profile__close(&profile);
	return mmap;
}

/* RHEL 7's kernel: device, inode and generation, and then the name at once. */
static void reads_mmaps_without_protection(void **state)
{
	static const char *const names[] = { "/usr/bin/x", "[vdso]", "anon_inode:[perf_event]" };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		bool data = i % 2;
		char rest[64] = { 0 };
		struct perfdata_mmap mmap;

		strcpy(rest + 24, names[i / 2]);
		mmap = parse_mmap(i % 4 < 2 ? ORDER_LITTLE : ORDER_BIG,
				  data ? PERFDATA_MISC_MMAP_DATA : 0, rest, 56, true);
		assert_string_equal(mmap.name, names[i / 2]);
		assert_int_equal(mmap.start, 0x1000);
		assert_int_equal(mmap.prot, data ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC);
	}
}

/* perf inject -j writes the mode of the DSO's file, 0100644, where its protection is to be. */
static void reads_mmaps_with_a_mode(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		enum byte_order order = i ? ORDER_BIG : ORDER_LITTLE;
		char rest[64] = { 0 };
		struct perfdata_mmap mmap;

		set_u32((uint8_t *)rest + 24, 0100644, order);
		set_u32((uint8_t *)rest + 28, 1, order);
		strcpy(rest + 32, "./jitted-7-1.so");
		mmap = parse_mmap(order, 0, rest, 56, true);
		assert_string_equal(mmap.name, "./jitted-7-1.so");
		assert_int_equal(mmap.prot, 0100644);
		assert_int_equal(mmap.flags, 1);
	}
}

/* Cut off in the build-id, in the name, before its first own field. */
static void refuses_what_is_cut_off(void **state)
{
	const struct memory_event event = { .sample_type = PERF_SAMPLE_TIME };
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	char rest[64] = { 20 };
	struct perfdata_record record;
	struct perfdata_comm comm;

	(void)state;
	assert_false(parse_mmap(ORDER_LITTLE, PERFDATA_MISC_MMAP_BUILD_ID, rest, 16, false)
			     .has_build_id);
	parse_mmap(ORDER_LITTLE, 0, rest, 32, false);
	memory_profile__end(&profile, memory_profile__begin(&profile, PERFDATA_COMM, 0));
	memory_profile__open(&profile, &event, 1);
	memory_profile__first_record(&profile, &record);
	assert_false(perfdata__parse_comm(profile.perfdata, &record, &comm));
	memory_profile__close(&profile);
}

static void notes_time_conversion(void **state)
{
	const struct memory_event event = { .sample_type = PERF_SAMPLE_TIME };
	struct memory_profile profile = memory_profile__new(ORDER_BIG);
	size_t at = memory_profile__begin(&profile, PERFDATA_TIME_CONV, 0);
	struct perfdata_record record;

	(void)state;
	put_u64s(&profile.records, 31, 3);
	memory_profile__end(&profile, at);
	memory_profile__open(&profile, &event, 1);
	assert_null(perfdata__time_conv(profile.perfdata));
	memory_profile__first_record(&profile, &record);
	assert_int_equal(perfdata__time_conv(profile.perfdata)->shift, 31);
	assert_int_equal(perfdata__time_conv(profile.perfdata)->mult, 32);
	assert_int_equal(perfdata__time_conv(profile.perfdata)->zero, 33);
	assert_int_equal(perfdata__time_conv(profile.perfdata)->cycles, 0);
	assert_true(perfdata__time_conv(profile.perfdata)->mask == UINT64_MAX);
	memory_profile__close(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_events_apart),
		cmocka_unit_test(times_tasks_without_trailers),
		cmocka_unit_test(puts_mmaps),
		cmocka_unit_test(puts_as_the_kernel_does),
		cmocka_unit_test(refuses_a_name_too_long),
		cmocka_unit_test(reads_mmaps_without_protection),
		cmocka_unit_test(reads_mmaps_with_a_mode),
		cmocka_unit_test(refuses_what_is_cut_off),
		cmocka_unit_test(notes_time_conversion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
