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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
