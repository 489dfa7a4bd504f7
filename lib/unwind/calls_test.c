// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording without JIT code, unwound: the chains are those that perf 7.3 printed of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/diag.h"
#include "unwind/unwind.h"

#define FOLDER "testdata/unwind/"
/* Chains that must be the same, in a thousand. */
#define SAME_LEAST 995

struct fixture {
	char folder[64];
	struct diag *diag;
	struct perfdata *perfdata;
	struct unwinder *unwinder;
	struct unwind_thread *thread;
	struct unwind_chain chain;
	struct buf expected; /* perf's output */
};

static void unpack(const char *name, struct buf *buf)
{
	char path[256];
	gzFile file;
	int got;

	snprintf(path, sizeof(path), FOLDER "%s.gz", name);
	file = gzopen(path, "rb");
	assert_non_null(file);
	do {
		uint8_t *room = buf__extend(buf, 65536);

		assert_non_null(room);
		got = gzread(file, room, 65536);
		assert_true(got >= 0);
		buf->size -= 65536 - (size_t)got;
	} while (got);
	gzclose(file);
}

static void unpack_to(const struct fixture *fixture, const char *name, const char *place)
{
	struct buf buf = BUF(ORDER_HOST);
	char path[256];
	FILE *file;

	unpack(name, &buf);
	snprintf(path, sizeof(path), "%s/%s", fixture->folder, place);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(buf.data, 1, buf.size, file), buf.size);
	fclose(file);
	buf__free(&buf);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct unwind_options options = { .symfs = fixture->folder, .buildid_dir = "" };
	char path[128];

	strcpy(fixture->folder, "/tmp/perfjit-unwind-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(path, sizeof(path), "%s/tmp", fixture->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/tmp/perfjit-testdata", fixture->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	unpack_to(fixture, "calls", "tmp/perfjit-testdata/calls");
	unpack_to(fixture, "perf.data", "perf.data");
	unpack("perf.script", &fixture->expected);
	buf__put_u8(&fixture->expected, 0);
	fixture->diag = diag__new(NULL, NULL);
	snprintf(path, sizeof(path), "%s/perf.data", fixture->folder);
	assert_int_equal(perfdata__open(&fixture->perfdata, path, fixture->diag), 0);
	assert_int_equal(
		unwinder__new(&fixture->unwinder, fixture->perfdata, &options, fixture->diag), 0);
	assert_int_equal(unwind_thread__new(&fixture->thread, fixture->unwinder, true), 0);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	static const char *const made[] = { "tmp/perfjit-testdata/calls", "perf.data",
					    "tmp/perfjit-testdata", "tmp", "" };
	struct fixture *fixture = *state;

	unwind_chain__free(&fixture->chain);
	unwind_thread__free(fixture->thread);
	unwinder__free(fixture->unwinder);
	perfdata__close(fixture->perfdata);
	diag__free(fixture->diag);
	buf__free(&fixture->expected);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", fixture->folder, made[i]);
		remove(path);
	}
	free(fixture);
	return 0;
}

/* The chain as perf prints it with -F tid,time,ip,sym. */
static void print(const struct perfdata_sample *sample, const struct unwind_chain *chain,
		  struct buf *text)
{
	char line[512];

	snprintf(line, sizeof(line), "%u %" PRIu64 ".%09" PRIu64 ":\n", sample->tid,
		 sample->time / 1000000000, sample->time % 1000000000);
	buf__put(text, line, strlen(line));
	array__for_each(frame, &chain->frames) {
		snprintf(line, sizeof(line), "%" PRIx64 " %s\n", frame->ip,
			 frame->symbol ? frame->symbol : "[unknown]");
		buf__put(text, line, strlen(line));
	}
	buf__put_u8(text, 0);
}

/* What perf printed of a sample, without what lines are indented by. */
static void find_expected(const struct fixture *fixture, const struct perfdata_sample *sample,
			  struct buf *text)
{
	char head[64];
	const char *at;

	snprintf(head, sizeof(head), "%u %" PRIu64 ".%09" PRIu64 ":", sample->tid,
		 sample->time / 1000000000, sample->time % 1000000000);
	at = strstr((const char *)fixture->expected.data, head);
	assert_non_null(at);
	text->size = 0;
	while (*at && *at != '\n') {
		const char *line = at + strspn(at, " \t");
		size_t length = strcspn(line, "\n");

		at = line + length + (line[length] == '\n');
		while (length && line[length - 1] == ' ')
			length--;
		buf__put(text, line, length);
		buf__put(text, "\n", 1);
	}
	buf__put_u8(text, 0);
}

static bool next_sample(struct fixture *fixture, struct perfdata_walk *walk,
			struct perfdata_sample *sample)
{
	struct perfdata_record record;

	while (perfdata_walk__next(walk, &record) > 0) {
		if (record.type != PERFDATA_SAMPLE)
			continue;
		assert_true(perfdata__parse_sample(fixture->perfdata, &record, sample));
		return true;
	}
	return false;
}

static bool has(const struct unwind_chain *chain, const char *symbol)
{
	array__for_each(frame, &chain->frames)
		if (frame->symbol && strcmp(frame->symbol, symbol) == 0)
			return true;
	return false;
}

struct counts {
	size_t samples, same, frames, signals, sorts, complete, cut;
};

static void count(struct fixture *fixture, const struct perfdata_sample *sample,
		  struct counts *counts)
{
	struct buf ours = BUF(ORDER_HOST), theirs = BUF(ORDER_HOST);
	const struct unwind_chain *chain = &fixture->chain;

	assert_int_equal(unwind_thread__sample(fixture->thread, sample, &fixture->chain), 0);
	find_expected(fixture, sample, &theirs);
	print(sample, chain, &ours);
	if (strcmp((const char *)theirs.data, (const char *)ours.data) == 0)
		counts->same++;
	else
		print_message("perf:\n%sours:\n%s", (const char *)theirs.data,
			      (const char *)ours.data);
	counts->samples++;
	counts->frames += chain->frames.count;
	counts->complete += chain->end == UNWIND_COMPLETE;
	counts->cut += chain->end == UNWIND_STACK_CUT;
	counts->signals += has(chain, "__restore_rt");
	counts->sorts += has(chain, "__qsort_r");
	buf__free(&ours);
	buf__free(&theirs);
}

static void test_chains_are_those_of_perf(void **state)
{
	struct fixture *fixture = *state;
	struct counts counts = { 0 };
	struct perfdata_sample sample;
	struct perfdata_walk walk;

	perfdata_walk__begin(&walk, fixture->perfdata);
	while (next_sample(fixture, &walk, &sample))
		count(fixture, &sample, &counts);
	perfdata_walk__end(&walk);
	assert_true(counts.samples >= 140);
	assert_true(counts.frames >= 1000);
	assert_true(counts.same * 1000 >= counts.samples * SAME_LEAST);
	assert_true(counts.complete >= 100);
	assert_int_equal(counts.complete + counts.cut, counts.samples);
	assert_true(counts.signals >= 5);
	assert_true(counts.sorts >= 30);
}

static void test_addresses(void **state)
{
	struct fixture *fixture = *state;
	struct unwind_frame frame;
	struct perfdata_sample sample;
	struct perfdata_walk walk;

	perfdata_walk__begin(&walk, fixture->perfdata);
	assert_true(next_sample(fixture, &walk, &sample));
	perfdata_walk__end(&walk);
	assert_int_equal(unwind_thread__resolve(fixture->thread, sample.pid, sample.time, 0x10,
						false, &frame),
			 0);
	assert_null(frame.symbol);
	assert_int_equal(frame.reason, UNWIND_NOT_MAPPED);
	assert_int_equal(
		unwind_thread__resolve(fixture->thread, 1, sample.time, sample.ip, false, &frame),
		0);
	assert_int_equal(frame.reason, UNWIND_NO_PROCESS);
	assert_int_equal(unwind_thread__resolve(fixture->thread, sample.pid, sample.time,
						sample.ip + 1, true, &frame),
			 0);
	assert_non_null(frame.symbol);
	assert_int_equal(frame.ip, sample.ip);
	assert_string_equal(unwind_module__name(frame.module), "/tmp/perfjit-testdata/calls");
	assert_false(unwind_module__is_jit(frame.module));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_chains_are_those_of_perf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
