// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps that are odd in one way each, as their producers write them, and what is said of it. */
#include "jitdump/examine.h"

#include "jitdump/testing.h"

static void put_plain_header(struct buf *buf)
{
	put_header(buf);
	/* the header's time: that of the first record */
	set_u64(buf->data + 24, 10, buf->order);
}

struct examined {
	struct diag *diag;
	struct jitdump_examination *ex;
	int err;
};

static struct examined examine(struct buf *written)
{
	struct examined examined = { .diag = diag__new(NULL, NULL) };
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	char path[64];

	assert_false(written->failed);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, written->data, written->size), written->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	examined.err = jitdump_examination__new(&examined.ex, path, examined.diag);
	close(fd);
	buf__free(written);
	return examined;
}

static void end(struct examined *examined)
{
	jitdump_examination__free(examined->ex);
	diag__free(examined->diag);
}

/* All zero when there is none, after the test has failed. */
static const struct oddity_count *count_of(const struct examined *examined, const char *kind)
{
	static const struct oddity_kind unknown = { "", ODDITY_HARMLESS, ORIGIN_NOBODY, "" };
	static const struct oddity_count none = { .about = &unknown };

	array__for_each(count, &examined->ex->counts)
		if (strcmp(count->kind, kind) == 0)
			return count;
	fail_msg("%s was not reported", kind);
	return &none;
}

/* There is one oddity, of this kind, at this offset. */
static void check_only(struct buf *buf, const char *kind, uint64_t offset)
{
	struct examined examined = examine(buf);
	const struct oddity_count *count;

	assert_int_equal(examined.err, 0);
	count = count_of(&examined, kind);
	assert_int_equal(examined.ex->counts.count, 1);
	assert_int_equal(count->count, 1);
	assert_int_equal(count->first, offset);
	assert_string_equal(count->about->kind, kind);
	assert_true(strlen(count->about->meaning) > 20);
	assert_int_equal(examined.ex->oddities.count, 1);
	assert_string_equal(examined.ex->oddities.items[0].kind, kind);
	end(&examined);
}

static void sound_dump(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct examined examined;

	(void)state;
	put_plain_header(&buf);
	put_load(&buf, 10, 0x1000, 16, "one");
	put_load(&buf, 11, 0x2000, 17, "two");
	put_load(&buf, 12, 0x1000, 18, "one again");
	examined = examine(&buf);
	assert_int_equal(examined.err, 0);
	assert_int_equal(examined.ex->counts.count, 0);
	assert_int_equal(examined.ex->records, 3);
	assert_int_equal(examined.ex->stats.loads, 3);
	assert_int_equal(examined.ex->code_bytes, 16 + 17 + 18);
	assert_int_equal(examined.ex->reloaded, 1);
	assert_int_equal(examined.ex->first_time, 10);
	assert_int_equal(examined.ex->last_time, 12);
	end(&examined);
}

static void no_dump(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct examined examined;

	(void)state;
	buf__put_string(&buf, "something else");
	examined = examine(&buf);
	assert_true(examined.err < 0);
	assert_null(examined.ex);
	assert_int_equal(diag__count(examined.diag, DIAG_ERROR), 1);
	end(&examined);
}

static void headers(void **state)
{
	struct buf machine = BUF(ORDER_LITTLE), padding = BUF(ORDER_LITTLE);
	struct buf clock = BUF(ORDER_LITTLE), late = BUF(ORDER_LITTLE);

	(void)state;
	put_plain_header(&machine);
	set_u32(machine.data + 12, 0, ORDER_LITTLE);
	put_load(&machine, 10, 0x1000, 16, "one");
	check_only(&machine, "jitdump.no-machine", 12);

	put_plain_header(&padding);
	set_u32(padding.data + 16, 0xb1bf1c60, ORDER_LITTLE);
	put_load(&padding, 10, 0x1000, 16, "one");
	check_only(&padding, "jitdump.padding", 16);

	/* CPython: microseconds of the wall clock */
	put_plain_header(&clock);
	set_u64(clock.data + 24, 1795962559582480, ORDER_LITTLE);
	put_load(&clock, 4287102353056, 0x1000, 16, "one");
	check_only(&clock, "jitdump.header-clock", 24);

	/* Bun: a millisecond after the first function */
	put_plain_header(&late);
	set_u64(late.data + 24, 4179364000000, ORDER_LITTLE);
	put_load(&late, 4179353000000, 0x1000, 16, "one");
	check_only(&late, "jitdump.header-late", 24);
}

static void times(void **state)
{
	struct buf back = BUF(ORDER_LITTLE), rounded = BUF(ORDER_LITTLE);

	(void)state;
	put_plain_header(&back);
	put_load(&back, 20, 0x1000, 16, "one");
	put_load(&back, 10, 0x2000, 17, "two");
	check_only(&back, "jitdump.time-backwards", 40 + 57 + 3 + 16);

	put_plain_header(&rounded);
	set_u64(rounded.data + 24, 1000, ORDER_LITTLE);
	for (uint64_t i = 1; i <= 50; i++)
		put_load(&rounded, 1000 * i, 0x1000 * i, 15 + i, "one");
	check_only(&rounded, "jitdump.microseconds", DIAG_NO_OFFSET);
}

static void functions(void **state)
{
	struct buf again = BUF(ORDER_LITTLE), pid = BUF(ORDER_LITTLE), equal = BUF(ORDER_LITTLE);
	struct buf vma = BUF(ORDER_LITTLE);
	size_t start;

	(void)state;
	put_plain_header(&again);
	put_load(&again, 10, 0x1000, 16, "one");
	put_load(&again, 10, 0x1000, 16, "one");
	check_only(&again, "jitdump.repeated-record", 40 + 57 + 3 + 16);

	put_plain_header(&pid);
	set_u32(pid.data + 20, TEST_PID + 1, ORDER_LITTLE);
	put_load(&pid, 10, 0x1000, 16, "one");
	check_only(&pid, "jitdump.other-pid", 40);

	/* two addresses, both of them the function's for some reader */
	put_plain_header(&vma);
	start = begin_load(&vma, 10, 0x5000, 0x1000, 16);
	buf__put_string(&vma, "one");
	put_code(&vma, 0x1000, 16);
	end_record(&vma, start);
	check_only(&vma, "jitdump.vma", 40);

	put_plain_header(&equal);
	for (uint64_t i = 1; i <= 2; i++) {
		start = begin_load(&equal, 10 * i, 0x1000 * i, 0x1000 * i, 16);
		buf__put_string(&equal, "same");
		put_code(&equal, 0, 16);
		end_record(&equal, start);
	}
	check_only(&equal, "jitdump.equal-code", DIAG_NO_OFFSET);
}

/* A CIE and count FDEs, no more of them than is looked at: lengths and ids. */
static size_t put_frame(struct buf *buf, int count)
{
	size_t start = buf->size;

	for (int i = 0; i <= count; i++) {
		buf__put_u32(buf, 12);
		buf__put_u32(buf, i ? 4 + 16 * (uint32_t)i : 0);
		buf__put_zeros(buf, 8);
	}
	return buf->size - start;
}

static void put_hdr(struct buf *buf)
{
	buf__put_u32(buf, 0x3b031b01);
	buf__put_zeros(buf, 4);
}

static void unwind_data(void **state)
{
	struct buf empty = BUF(ORDER_LITTLE), order = BUF(ORDER_LITTLE), near = BUF(ORDER_LITTLE);
	struct buf shared = BUF(ORDER_LITTLE);
	struct examined examined;
	size_t start;

	(void)state;
	/* V8 */
	put_plain_header(&empty);
	start = begin_unwinding(&empty, 10, 8, 8, 0);
	put_hdr(&empty);
	end_record(&empty, start);
	put_load(&empty, 11, 0x1000, 16, "one");
	check_only(&empty, "jitdump.empty-unwinding", 40);

	/* LLVM ORC: the search table first, one table for all */
	put_plain_header(&order);
	start = begin_unwinding(&order, 10, 40, 8, 0);
	put_hdr(&order);
	put_frame(&order, 1);
	end_record(&order, start);
	put_load(&order, 11, 0x1000, 16, "one");
	check_only(&order, "jitdump.unwinding-order", 40);

	put_plain_header(&shared);
	start = begin_unwinding(&shared, 10, 56, 8, 0);
	put_frame(&shared, 2);
	put_hdr(&shared);
	end_record(&shared, start);
	put_load(&shared, 11, 0x1000, 16, "one");
	check_only(&shared, "jitdump.shared-unwinding", 40);

	/* what is to be mapped behind the code lies over the next */
	put_plain_header(&near);
	start = begin_unwinding(&near, 10, 40, 8, 64);
	put_frame(&near, 1);
	put_hdr(&near);
	end_record(&near, start);
	put_load(&near, 11, 0x1000, 16, "one");
	put_load(&near, 12, 0x1020, 16, "two");
	examined = examine(&near);
	assert_int_equal(count_of(&examined, "jitdump.crowded")->first, 40 + 40 + 40);
	assert_int_equal(examined.ex->with_cfi, 1);
	end(&examined);
}

static void others(void **state)
{
	struct buf cut = BUF(ORDER_LITTLE);
	struct examined examined;

	(void)state;
	/* what the reader reports is here too, with what it means */
	put_plain_header(&cut);
	put_load(&cut, 10, 0x1000, 16, "one");
	buf__put_u32(&cut, 0);
	examined = examine(&cut);
	assert_int_equal(count_of(&examined, "jitdump.truncated-prefix")->about->effect,
			 ODDITY_LOSS);
	assert_int_equal(count_of(&examined, "jitdump.truncated-prefix")->about->origin,
			 ORIGIN_RECORDING);
	assert_int_equal(examined.ex->stats.truncated_bytes, 4);
	end(&examined);
	assert_null(oddity_kind__find("no.such-kind")->kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_dump), cmocka_unit_test(no_dump),
		cmocka_unit_test(headers),    cmocka_unit_test(times),
		cmocka_unit_test(functions),  cmocka_unit_test(unwind_data),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
