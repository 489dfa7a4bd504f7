// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings without JIT code: the chains are those that perf 7.3 printed of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/diag.h"
#include "unwind/unwind.h"

#define FOLDER "testdata/unwind/"
#define PLACE  "tmp/perfjit-testdata"
/* Chains that must be the same, in a thousand. */
#define SAME_LEAST 995

/* What was run: the files that the recording needs. */
struct recording {
	const char *name;
	const char *files[3];
	bool cached; /* NAME.vdso and NAME.kallsyms are in the build-id cache */
};

struct fixture {
	const struct recording *recording;
	char folder[64];
	struct diag *diag;
	struct perfdata *perfdata;
	struct unwinder *unwinder;
	struct unwind_thread *thread;
	struct unwind_chain chain;
	struct buf expected; /* perf's output */
};

static void unpack(const char *name, const char *ending, struct buf *buf)
{
	char path[256];
	gzFile file;
	int got;

	snprintf(path, sizeof(path), FOLDER "%s%s.gz", name, ending);
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

static void unpack_to(const struct fixture *fixture, const char *name, const char *ending,
		      const char *place)
{
	struct buf buf = BUF(ORDER_HOST);
	char path[256];
	FILE *file;

	unpack(name, ending, &buf);
	snprintf(path, sizeof(path), "%s/%s", fixture->folder, place);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(buf.data, 1, buf.size, file), buf.size);
	fclose(file);
	buf__free(&buf);
}

static void make_folder(const struct fixture *fixture, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
}

/* Puts a file where perf record has put it in the build-id cache. */
static void unpack_cached(const struct fixture *fixture, const char *file, const char *ending,
			  const char *name)
{
	uint8_t id[PERFDATA_BUILD_ID_SIZE];
	char place[80] = ".build-id/";
	size_t length = strlen(place);

	assert_int_equal(perfdata__build_id(fixture->perfdata, file, id), sizeof(id));
	make_folder(fixture, place);
	for (size_t i = 0; i < sizeof(id); i++) {
		length += (size_t)sprintf(place + length, i == 1 ? "/%02x" : "%02x", id[i]);
		if (i == 0 || i == sizeof(id) - 1)
			make_folder(fixture, place);
	}
	snprintf(place + length, sizeof(place) - length, "/%s", name);
	unpack_to(fixture, fixture->recording->name, ending, place);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const struct recording *recording = *state;
	struct unwind_options options = { .symfs = fixture->folder,
					  .buildid_dir = fixture->folder };
	char path[128];

	fixture->recording = recording;
	strcpy(fixture->folder, "/tmp/perfjit-unwind-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	make_folder(fixture, "tmp");
	make_folder(fixture, PLACE);
	for (size_t i = 0; recording->files[i]; i++) {
		snprintf(path, sizeof(path), PLACE "/%s", recording->files[i]);
		unpack_to(fixture, recording->files[i], "", path);
	}
	unpack_to(fixture, recording->name, ".data", "perf.data");
	unpack(recording->name, ".script", &fixture->expected);
	buf__put_u8(&fixture->expected, 0);
	fixture->diag = diag__new(NULL, NULL);
	snprintf(path, sizeof(path), "%s/perf.data", fixture->folder);
	assert_int_equal(perfdata__open(&fixture->perfdata, path, fixture->diag), 0);
	if (recording->cached) {
		unpack_cached(fixture, "[vdso]", ".vdso", "vdso");
		unpack_cached(fixture, "[kernel.kallsyms]", ".kallsyms", "kallsyms");
	}
	assert_int_equal(
		unwinder__new(&fixture->unwinder, fixture->perfdata, &options, fixture->diag), 0);
	assert_int_equal(unwind_thread__new(&fixture->thread, fixture->unwinder, true), 0);
	*state = fixture;
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *ftw)
{
	(void)stat, (void)kind, (void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	unwind_chain__free(&fixture->chain);
	unwind_thread__free(fixture->thread);
	unwinder__free(fixture->unwinder);
	perfdata__close(fixture->perfdata);
	diag__free(fixture->diag);
	buf__free(&fixture->expected);
	assert_int_equal(nftw(fixture->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(fixture);
	return 0;
}

/*
 * A chain as perf prints it with -F tid,time,ip,sym; the kernel's part only where its symbols are
 * there.
 */
static void print(const struct fixture *fixture, const struct perfdata_sample *sample,
		  const struct unwind_chain *chain, struct buf *text)
{
	char line[512];

	snprintf(line, sizeof(line), "%u %" PRIu64 ".%09" PRIu64 ":\n", sample->tid,
		 sample->time / 1000000000, sample->time % 1000000000);
	buf__put(text, line, strlen(line));
	array__for_each(frame, &chain->frames) {
		if (frame->kernel && !fixture->recording->cached)
			continue;
		snprintf(line, sizeof(line), "%" PRIx64 " %s\n", frame->ip,
			 frame->symbol ? frame->symbol : "[unknown]");
		buf__put(text, line, strlen(line));
	}
	buf__put_u8(text, 0);
}

/* The upper half is the kernel's. */
static bool is_kernels(const char *line)
{
	return strtoull(line, NULL, 16) >> 63;
}

/* What perf printed of a sample, without what lines are indented by and without the kernel. */
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
		if (is_kernels(line) && !fixture->recording->cached)
			continue;
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
	size_t samples, same, frames, unnamed, complete, cut, lost;
	size_t found[4]; /* samples with a frame by the name that is looked for */
};

/* What perf shows instead of a chain whose record is lost: the cookie, as if it were an address. */
static bool is_lost(const struct fixture *fixture, const struct buf *theirs)
{
	const char *end = strstr((const char *)theirs->data, " [unknown]\n");

	return end && strcmp(fixture->recording->name, "deferred") == 0;
}

static void count(struct fixture *fixture, const struct perfdata_sample *sample,
		  const char *const *names, struct counts *counts)
{
	struct buf ours = BUF(ORDER_HOST), theirs = BUF(ORDER_HOST);
	const struct unwind_chain *chain = &fixture->chain;

	assert_int_equal(unwind_thread__sample(fixture->thread, sample, &fixture->chain), 0);
	find_expected(fixture, sample, &theirs);
	print(fixture, sample, chain, &ours);
	counts->samples++;
	if (is_lost(fixture, &theirs))
		counts->lost++;
	else if (strcmp((const char *)theirs.data, (const char *)ours.data) == 0)
		counts->same++;
	else
		print_message("perf:\n%sours:\n%s", (const char *)theirs.data,
			      (const char *)ours.data);
	counts->frames += chain->frames.count;
	counts->complete += chain->end == UNWIND_COMPLETE;
	counts->cut += chain->end == UNWIND_STACK_CUT;
	array__for_each(frame, &chain->frames)
		counts->unnamed += !frame->symbol;
	for (size_t i = 0; names[i]; i++)
		counts->found[i] += has(chain, names[i]);
	buf__free(&ours);
	buf__free(&theirs);
}

/* Samples that are not as perf has them: one in 200 may be. */
static void compare_all(struct fixture *fixture, const char *const *names, struct counts *counts)
{
	struct perfdata_sample sample;
	struct perfdata_walk walk;

	memset(counts, 0, sizeof(*counts));
	perfdata_walk__begin(&walk, fixture->perfdata);
	while (next_sample(fixture, &walk, &sample))
		count(fixture, &sample, names, counts);
	perfdata_walk__end(&walk);
	assert_true(counts->same * 1000 >= (counts->samples - counts->lost) * SAME_LEAST);
}

static void test_calls(void **state)
{
	static const char *const names[] = { "__restore_rt", "__qsort_r", NULL };
	struct counts counts;

	compare_all(*state, names, &counts);
	assert_true(counts.samples >= 140);
	assert_true(counts.frames >= 1000);
	assert_true(counts.complete >= 100);
	assert_int_equal(counts.complete + counts.cut, counts.samples);
	assert_true(counts.found[0] >= 5);
	assert_true(counts.found[1] >= 30);
}

static void test_dynamic(void **state)
{
	static const char *const names[] = { "_ZN6shapes6circle4areaEm", "_start", NULL };
	struct counts counts;

	compare_all(*state, names, &counts);
	assert_true(counts.samples >= 200);
	assert_true(counts.frames >= 2000);
	assert_true(counts.complete >= 200);
	assert_true(counts.found[0] >= 50 && counts.found[1] >= 200);
}

static bool find_frame(struct fixture *fixture, const char *symbol, struct perfdata_sample *sample,
		       struct unwind_frame *found)
{
	struct perfdata_walk walk;
	bool is_there = false;

	perfdata_walk__begin(&walk, fixture->perfdata);
	while (!is_there && next_sample(fixture, &walk, sample)) {
		assert_int_equal(unwind_thread__sample(fixture->thread, sample, &fixture->chain),
				 0);
		array__for_each(frame, &fixture->chain.frames) {
			if (!frame->symbol || strcmp(frame->symbol, symbol) != 0)
				continue;
			*found = *frame;
			is_there = true;
		}
	}
	perfdata_walk__end(&walk);
	return is_there;
}

struct entry {
	uint64_t addr;
	const char *name;
};

static void check_entries(struct fixture *fixture, const struct perfdata_sample *sample,
			  uint64_t base, const struct entry entries[2])
{
	struct unwind_frame frame;

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(unwind_thread__resolve(fixture->thread, sample->pid, sample->time,
							base + entries[i].addr + 1, false, &frame),
				 0);
		assert_string_equal(frame.symbol ? frame.symbol : "", entries[i].name);
		assert_int_equal(frame.symbol_offset, 1);
	}
}

/* Addresses as objdump -d shows them of "dynamic". */
static void test_plt(void **state)
{
	static const struct entry entries[] = {
		{ 0x1010, "_Z14for_each_shapemPFmP5shapemE@plt" },
		{ 0x1020, "_Z10ask_kernelm@plt" },
	};
	struct perfdata_sample sample;
	struct unwind_frame frame;

	assert_true(find_frame(*state, "_start", &sample, &frame));
	check_entries(*state, &sample, frame.ip - frame.symbol_offset - 0x1030, entries);
}

/* Entries of the PLT of "calls" by the slots that objdump -d shows, and readelf -r and nm explain.
 */
static void test_ifuncs(void **state)
{
	static const struct entry entries[] = {
		{ 0x4010e8, "strlen@plt" },  /* jmp *0x4bb0d0, IRELATIVE 41cf40 */
		{ 0x4010f8, "strpbrk@plt" }, /* jmp *0x4bb0e0, IRELATIVE 470250 */
	};
	struct perfdata_sample sample;
	struct unwind_frame frame;

	assert_true(find_frame(*state, "__qsort_r", &sample, &frame));
	check_entries(*state, &sample, 0, entries);
}

static void test_labels(void **state)
{
	static const char *const names[] = { "around", "unsized", "taken_by_all", "typed", NULL };
	struct counts counts;

	compare_all(*state, names, &counts);
	assert_true(counts.samples >= 240);
	for (size_t i = 0; i < 4; i++)
		assert_true(counts.found[i] >= 30);
	/* behind the hidden label */
	assert_true(counts.unnamed >= 30);
}

static void test_deferred(void **state)
{
	static const char *const names[] = { "_ZN6shapes6circle5twiceEm", "_start", NULL };
	struct counts counts;

	compare_all(*state, names, &counts);
	assert_true(counts.samples >= 230);
	assert_true(counts.same >= 200);
	assert_true(counts.frames >= 1800);
	assert_true(counts.lost >= 10 && counts.lost <= 30);
	assert_true(counts.found[0] >= 20);
	assert_true(counts.found[1] >= 200);
}

/* System calls and the vdso: its rows and names, and the kernel's names, are from the cache. */
static void test_kernel(void **state)
{
	static const char *const names[] = { "__vdso_clock_gettime", "do_syscall_64",
					     "entry_SYSCALL_64_after_hwframe", NULL };
	struct counts counts;

	compare_all(*state, names, &counts);
	assert_true(counts.samples >= 250);
	assert_int_equal(counts.complete, counts.samples);
	for (size_t i = 0; i < 3; i++)
		assert_true(counts.found[i] >= 50);
}

/* An event without call chains: the sample's own address is all there is. */
static void test_kernel_address(void **state)
{
	static const struct perfdata_attr attr = { 0 };
	struct fixture *fixture = *state;
	const struct unwind_chain *chain = &fixture->chain;
	struct perfdata_sample sample;
	struct unwind_frame frame;

	assert_true(find_frame(fixture, "run", &sample, &frame));
	sample = (struct perfdata_sample){
		.attr = &attr,
		.pid = sample.pid,
		.time = sample.time,
		.has_time = true,
		.misc = PERF_RECORD_MISC_KERNEL,
		.ip = 0xffffffff810000bc, /* perf: entry_SYSCALL_64_after_hwframe+0x2 */
	};
	assert_int_equal(unwind_thread__sample(fixture->thread, &sample, &fixture->chain), 0);
	assert_int_equal(chain->frames.count, 1);
	assert_int_equal(chain->nr_kernel, 1);
	assert_string_equal(chain->frames.items[0].symbol, "entry_SYSCALL_64_after_hwframe");
	assert_int_equal(chain->frames.items[0].symbol_offset, 2);
}

static void test_addresses(void **state)
{
	struct fixture *fixture = *state;
	struct unwind_frame frame;
	struct perfdata_sample sample;

	assert_true(find_frame(fixture, "__qsort_r", &sample, &frame));
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

static struct recording calls = { .name = "calls", .files = { "calls" } };
static struct recording dynamic = { .name = "dynamic", .files = { "dynamic", "libshapes.so" } };
static struct recording labels = { .name = "labels", .files = { "labels" } };
static struct recording kernel = { .name = "kernel", .files = { "kernel" }, .cached = true };
static struct recording deferred = { .name = "deferred", .files = { "dynamic", "libshapes.so" } };

#define TEST(name, recording) \
	cmocka_unit_test_prestate_setup_teardown(name, setup, teardown, &(recording))

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_calls, calls),     TEST(test_addresses, calls),
		TEST(test_dynamic, dynamic), TEST(test_plt, dynamic),
		TEST(test_labels, labels),   TEST(test_deferred, deferred),
		TEST(test_kernel, kernel),   TEST(test_kernel_address, kernel),
		TEST(test_ifuncs, calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
