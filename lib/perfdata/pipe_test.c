// SPDX-License-Identifier: GPL-2.0-or-later
/* Pipes laid out by hand. Numbers: tools/lib/perf/include/perf/event.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "perfdata/internal.h"

#define ATTR_SIZE    128
#define UPDATE_SCALE 1
#define UPDATE_NAME  2

static void put_event(struct buf *buf, uint64_t first_id, uint64_t second_id)
{
	buf__put_u32(buf, PERFDATA_HEADER_ATTR);
	buf__put_u16(buf, 0);
	buf__put_u16(buf, 8 + ATTR_SIZE + 16);
	buf__put_u32(buf, 0);
	buf__put_u32(buf, ATTR_SIZE);
	buf__put_zeros(buf, ATTR_SIZE - 8);
	buf__put_u64(buf, first_id);
	buf__put_u64(buf, second_id);
}

static void put_update(struct buf *buf, uint64_t kind, uint64_t id, const char text[8])
{
	buf__put_u32(buf, PERFDATA_EVENT_UPDATE);
	buf__put_u16(buf, 0);
	buf__put_u16(buf, 8 + 16 + 8);
	buf__put_u64(buf, kind);
	buf__put_u64(buf, id);
	buf__put(buf, text, 8);
}

/* Before its event or behind it, by any of its ids; of several names the last. */
static void names_events(void **state)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct buf buf = BUF(ORDER_BIG);
	struct perfdata *perfdata;

	(void)state;
	buf__put(&buf, PERFDATA_MAGIC_V2_BIG, 8);
	buf__put_u64(&buf, PERFDATA_PIPE_HEADER_SIZE);
	put_event(&buf, 70, 30);
	put_event(&buf, 20, 60);
	put_update(&buf, UPDATE_NAME, 20, "before\0");
	put_update(&buf, UPDATE_NAME, 60, "second\0");
	put_update(&buf, UPDATE_SCALE, 20, "a scale");
	put_update(&buf, UPDATE_NAME, 99, "of none");
	put_update(&buf, UPDATE_NAME, 50, "later\0\0");
	put_update(&buf, UPDATE_NAME, 70, "endless!");
	put_event(&buf, 10, 50);
	assert_false(buf.failed);
	assert_int_equal(perfdata__open_bytes(&perfdata, buf__bytes(&buf), "pipe", diag), 0);
	assert_int_equal(perfdata__nr_attrs(perfdata), 3);
	assert_null(perfdata__attr(perfdata, 0)->name);
	assert_string_equal(perfdata__attr(perfdata, 1)->name, "second");
	assert_string_equal(perfdata__attr(perfdata, 2)->name, "later");
	perfdata__close(perfdata);
	buf__free(&buf);
	diag__free(diag);
}

/* A build-id of bytes that all are fill; misc says whether the size behind it counts. */
static void put_build_id(struct buf *buf, uint16_t misc, uint8_t fill, uint8_t size,
			 const char name[8])
{
	buf__put_u32(buf, PERFDATA_HEADER_BUILD_ID);
	buf__put_u16(buf, misc);
	buf__put_u16(buf, 36 + 8);
	buf__put_u32(buf, UINT32_MAX);
	for (int i = 0; i < PERFDATA_BUILD_ID_SIZE; i++)
		buf__put_u8(buf, fill);
	buf__put_u8(buf, size);
	buf__put_zeros(buf, 3);
	buf__put(buf, name, 8);
}

/* What a seekable file has in HEADER_BUILD_ID; of several for a name the first counts. */
static void has_build_ids(void **state)
{
	static const uint8_t ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct diag *diag = diag__new(NULL, NULL);
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE];
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *perfdata;

	(void)state;
	buf__put(&buf, PERFDATA_MAGIC_V2, 8);
	buf__put_u64(&buf, PERFDATA_PIPE_HEADER_SIZE);
	put_event(&buf, 70, 30);
	put_build_id(&buf, 1u << 15, 1, 8, "/b.so\0\0");
	put_build_id(&buf, 0, 2, 8, "/a.so\0\0");
	put_build_id(&buf, 0, 3, 0, "/b.so\0\0");
	put_build_id(&buf, 1u << 15, 4, 21, "/c.so\0\0");
	put_build_id(&buf, 0, 5, 0, "/endless");
	assert_false(buf.failed);
	assert_int_equal(perfdata__open_bytes(&perfdata, buf__bytes(&buf), "pipe", diag), 0);
	assert_int_equal(perfdata__build_id(perfdata, "/b.so", build_id), sizeof(ones));
	assert_memory_equal(build_id, ones, sizeof(ones));
	assert_int_equal(perfdata__build_id(perfdata, "/a.so", build_id), sizeof(build_id));
	assert_int_equal(build_id[19], 2);
	assert_int_equal(perfdata__build_id(perfdata, "/c.so", build_id), 0);
	assert_int_equal(perfdata__build_id(perfdata, "/endless", build_id), 0);
	assert_int_equal(perfdata__build_id(perfdata, "/z.so", build_id), 0);
	perfdata__close(perfdata);
	buf__free(&buf);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_events),
		cmocka_unit_test(has_build_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
