/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of dumps that are damaged in one way each: it is said what is wrong, in words of its
 * own, and all other functions are there.
 */
#ifndef PERFJIT_JITDUMP_MALFORMED_H
#define PERFJIT_JITDUMP_MALFORMED_H

#include "jitdump/testing.h"

#define A 0x10000u /* of what is damaged */

enum place {
	BETWEEN, /* two functions */
	LAST,    /* behind a function */
	HEADER,  /* changes the header before two functions */
	ALONE,   /* changes the header, which is all there is */
};

struct malformed {
	const char *name;
	void (*put)(struct buf *buf);
	enum place place;
	const char *functions; /* that are read all the same */
	const char *said;      /* "kind: text" of the first message */
	enum diag_level level;
	const char *more; /* kind of the message that may follow, or NULL */
};

#define MALFORMED(put_, ...)                            \
	{                                               \
		.name = #put_, .put = put_, __VA_ARGS__ \
	}

static inline void write_malformed(const struct malformed *malformed, struct buf *buf)
{
	enum place place = malformed->place;

	put_header(buf);
	if (place == HEADER || place == ALONE)
		malformed->put(buf);
	if (place == ALONE)
		return;
	put_load(buf, 10, 0x1000, 16, "before");
	if (place == BETWEEN || place == LAST)
		malformed->put(buf);
	if (place != LAST)
		put_load(buf, 20, 0x2000, 16, "after");
}

/* The functions of the frame are whole, with their code. */
static inline void check_functions(const struct reading *reading, const char *expected)
{
	char names[256] = "";

	array__for_each(event, &reading->events) {
		const struct code_record *code = event->code;
		struct buf buf = BUF(ORDER_LITTLE);
		size_t length = strlen(names);

		if (event->kind != JITDUMP_LOAD)
			continue;
		snprintf(names + length, sizeof(names) - length, "%s%s", length ? " " : "",
			 code->name);
		if (!code->code.size)
			continue;
		put_code(&buf, code->addr, code->size);
		assert_int_equal(code->code.size, code->size);
		assert_memory_equal(code->code.data, buf.data, code->size);
		buf__free(&buf);
	}
	assert_string_equal(names, expected);
}

UNUSED static void check_malformed(void **state)
{
	const struct malformed *malformed = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	char said[256];

	write_malformed(malformed, &buf);
	read_dump(&reading, &buf);
	assert_int_equal(reading.err != 0, malformed->level == DIAG_ERROR);
	check_functions(&reading, malformed->functions);
	assert_true(reading.said.count > 0);
	snprintf(said, sizeof(said), "%s: %s", reading.said.items[0].kind,
		 reading.said.items[0].text);
	assert_string_equal(said, malformed->said);
	assert_int_equal(reading.said.items[0].level, malformed->level);
	assert_int_equal(reading.said.count, malformed->more ? 2 : 1);
	if (malformed->more)
		assert_string_equal(reading.said.items[1].kind, malformed->more);
	end_reading(&reading);
}

/* Runs all cases, and sees to it that no two have the same to say. */
static inline int run_malformed(const struct malformed *cases, size_t count)
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	int failed;

	if (!tests)
		return 1;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++)
			if (strcmp(cases[i].said, cases[j].said) == 0)
				abort();
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = check_malformed,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	}
	failed = _cmocka_run_group_tests("malformed", tests, count, NULL, NULL);
	free(tests);
	return failed;
}

#endif
