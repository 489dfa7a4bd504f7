// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be opened, from where, and what is said about what can't. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <elf.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"

#define RECORDING "testdata/recordings/6.1-fp.data"
/* perf report --stats */
#define NR_SAMPLES 44
/* A place within a record, and the samples before it as perf -D has them. */
#define CUT_AT                3003
#define NR_SAMPLES_BEFORE_CUT 24
/* struct perf_file_header: data.size */
#define DATA_SIZE_AT 48

struct fixture {
	struct diag *diag;
	struct file_map recording;
	char kind[64]; /* of the last report */
	char path[64]; /* a file that tests may write */
};

static void remember_kind(void *context, const struct diag_message *message)
{
	struct fixture *fixture = context;

	snprintf(fixture->kind, sizeof(fixture->kind), "%s", message->kind);
	assert_non_null(message->file);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->diag = diag__new(remember_kind, fixture);
	assert_int_equal(file_map__open(&fixture->recording, RECORDING, false, fixture->diag), 0);
	strcpy(fixture->path, "/tmp/perfdata-open-XXXXXX");
	close(mkstemp(fixture->path));
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	remove(fixture->path);
	file_map__close(&fixture->recording);
	diag__free(fixture->diag);
	free(fixture);
	return 0;
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* A copy of the recording to be changed; the caller's to free. */
static uint8_t *copy_recording(const struct fixture *fixture)
{
	uint8_t *copy = malloc(fixture->recording.bytes.size);

	assert_non_null(copy);
	memcpy(copy, fixture->recording.bytes.data, fixture->recording.bytes.size);
	return copy;
}

static size_t count_samples(struct perfdata *perfdata)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	size_t count = 0;

	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0)
		count += record.type == PERFDATA_SAMPLE;
	perfdata_walk__end(&walk);
	return count;
}

static void opens(struct fixture *fixture, const char *path, enum perfdata_form form,
		  size_t nr_samples)
{
	struct perfdata *perfdata;

	assert_int_equal(perfdata__open(&perfdata, path, fixture->diag), 0);
	assert_int_equal(perfdata__form(perfdata), form);
	assert_int_equal(count_samples(perfdata), nr_samples);
	perfdata__close(perfdata);
}

static void refuses(struct fixture *fixture, const char *path, int err, const char *kind)
{
	struct perfdata *perfdata;
	uint64_t before = diag__count(fixture->diag, DIAG_ERROR);

	assert_int_equal(perfdata__open(&perfdata, path, fixture->diag), err);
	assert_null(perfdata);
	assert_string_equal(fixture->kind, kind);
	assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), before + 1);
}

static void refuses_bytes(struct fixture *fixture, const void *data, size_t size, const char *kind)
{
	write_file(fixture->path, data, size);
	refuses(fixture, fixture->path, -EINVAL, kind);
}

static void says_what_is_no_profile(void **state)
{
	struct fixture *fixture = *state;
	char text[300];

	memset(text, 'x', sizeof(text));
	refuses(fixture, "/nonexistent/perf.data", -ENOENT, "file.open");
	refuses_bytes(fixture, "", 0, "perfdata.not-perf-data");
	refuses_bytes(fixture, text, sizeof(text), "perfdata.not-perf-data");
	memcpy(text, PERFDATA_MAGIC_V2, 8);
	refuses_bytes(fixture, text, 8, "perfdata.not-perf-data");
	refuses_bytes(fixture, text, sizeof(text), "perfdata.bad-header");
	refuses_bytes(fixture, fixture->recording.bytes.data, 100, "perfdata.bad-header");
	remove(fixture->path);
	assert_int_equal(mkdir(fixture->path, 0700), 0);
	refuses(fixture, fixture->path, -EINVAL, "perfdata.not-perf-data");
}

/* What would be a change of one would be a change of the other. */
static void refuses_events_among_records(void **state)
{
	struct fixture *fixture = *state;
	const size_t attrs_size = 32, data_offset = 40; /* struct perf_file_header */
	uint8_t *copy = copy_recording(fixture);
	uint64_t attrs_end = get_u64(copy + data_offset, ORDER_LITTLE);
	uint64_t attrs_offset = get_u64(copy + attrs_size - 8, ORDER_LITTLE);

	set_u64(copy + attrs_size, attrs_end - attrs_offset, ORDER_LITTLE);
	write_file(fixture->path, copy, fixture->recording.bytes.size);
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	set_u64(copy + attrs_size, attrs_end - attrs_offset + 1, ORDER_LITTLE);
	refuses_bytes(fixture, copy, fixture->recording.bytes.size, "perfdata.bad-header");
	free(copy);
}

/* Events are equally far apart: which bytes are which can't be told of others. */
static void refuses_events_of_another_size(void **state)
{
	struct fixture *fixture = *state;
	uint8_t *copy = copy_recording(fixture);
	uint64_t attrs_offset = get_u64(copy + 24, ORDER_LITTLE); /* struct perf_file_header */

	set_u32(copy + attrs_offset + 4, 120, ORDER_LITTLE);
	refuses_bytes(fixture, copy, fixture->recording.bytes.size, "perfdata.bad-attr");
	free(copy);
}

static void reads_what_the_header_says(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;
	const struct perfdata_attr *attr;

	assert_int_equal(perfdata__open(&perfdata, RECORDING, fixture->diag), 0);
	attr = perfdata__attr(perfdata, 0);
	/* of perf report --header */
	assert_int_equal(perfdata__nr_attrs(perfdata), 1);
	assert_string_equal(attr->name, "cpu-clock");
	assert_int_equal(attr->attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr->attr.sample_freq, 499);
	assert_int_equal(attr->attr.freq, 1);
	assert_int_equal(attr->attr.use_clockid, 1);
	assert_int_equal(attr->attr.clockid, 1);
	assert_int_equal(attr->recorded_size, 128);
	assert_int_equal(attr->nr_ids, 2);
	assert_null(perfdata__attr(perfdata, 1));
	assert_string_equal(perfdata__feature_string(perfdata, PERFDATA_FEAT_HOSTNAME), "fixture");
	assert_string_equal(perfdata__feature_string(perfdata, PERFDATA_FEAT_ARCH), "x86_64");
	assert_null(perfdata__feature_string(perfdata, PERFDATA_FEAT_COMPRESSED));
	assert_false(perfdata__has_feature(perfdata, 255));
	assert_int_equal(perfdata__machine(perfdata), EM_X86_64);
	assert_int_equal(perfdata__elf_class(perfdata), ELFCLASS64);
	assert_int_equal(perfdata__order(perfdata), ORDER_LITTLE);
	assert_false(perfdata__compressed(perfdata));
	perfdata__close(perfdata);
}

/* Build-ids that are added go behind those that there are: never into the midst of something else.
 */
static void passes_over_features_within_other_parts(void **state)
{
	struct fixture *fixture = *state;
	uint8_t *copy = copy_recording(fixture);
	uint64_t attrs = get_u64(copy + 24, ORDER_LITTLE), data = get_u64(copy + 40, ORDER_LITTLE);
	uint64_t table = data + get_u64(copy + DATA_SIZE_AT, ORDER_LITTLE);
	const uint64_t places[] = { 8, attrs + 64, data + 8 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct perfdata *perfdata;

		/* the first in the table, as TRACING_DATA is not in this recording */
		set_u64(copy + table, places[i], ORDER_LITTLE);
		write_file(fixture->path, copy, fixture->recording.bytes.size);
		assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), 0);
		assert_string_equal(fixture->kind, "perfdata.bad-features");
		assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), i + 1);
		assert_true(perfdata__has_feature(perfdata, PERFDATA_FEAT_BUILD_ID));
		assert_null(perfdata__feature(perfdata, PERFDATA_FEAT_BUILD_ID).data);
		perfdata__close(perfdata);
	}
	free(copy);
}

/* perf 2.6.x wrote another magic and otherwise the same. */
static void opens_version_1(void **state)
{
	struct fixture *fixture = *state;
	uint8_t *copy = copy_recording(fixture);

	memcpy(copy, PERFDATA_MAGIC_V1, 8);
	write_file(fixture->path, copy, fixture->recording.bytes.size);
	opens(fixture, fixture->path, PERFDATA_FORM_V1, NR_SAMPLES);
	free(copy);
}

static void opens_what_was_not_finished(void **state)
{
	struct fixture *fixture = *state;
	uint8_t *copy = copy_recording(fixture);
	uint64_t data_size = get_u64(copy + DATA_SIZE_AT, ORDER_LITTLE);

	/* killed: no size yet, and the file ends in the last record, an EXIT */
	memset(copy + DATA_SIZE_AT, 0, 8);
	write_file(fixture->path, copy, get_u64(copy + 40, ORDER_LITTLE) + data_size - 12);
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	assert_string_equal(fixture->kind, "perfdata.unfinished");
	free(copy);
	/* cut off */
	write_file(fixture->path, fixture->recording.bytes.data, CUT_AT);
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES_BEFORE_CUT);
	assert_string_equal(fixture->kind, "perfdata.truncated");
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 2);
}

static void edits_what_was_not_finished(void **state)
{
	struct fixture *fixture = *state;
	size_t size = CUT_AT;
	struct perfdata *perfdata;
	struct perfdata_edits *edits;
	struct file_out out;
	struct file_map restored;

	write_file(fixture->path, fixture->recording.bytes.data, size);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), 0);
	edits = perfdata_edits__new(perfdata);
	assert_int_equal(file_out__open(&out, fixture->path, 0600, fixture->diag), 0);
	assert_int_equal(perfdata_edits__write(edits, &out, fixture->diag), 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
	/* what it lacked is no oddity any more, and comes back */
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 1);
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES_BEFORE_CUT);
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 1);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), 0);
	assert_int_equal(file_out__open(&out, fixture->path, 0600, fixture->diag), 0);
	assert_int_equal(perfdata__restore(perfdata, &out, fixture->diag), 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
	perfdata__close(perfdata);
	assert_int_equal(file_map__open(&restored, fixture->path, false, fixture->diag), 0);
	assert_int_equal(restored.bytes.size, size);
	assert_memory_equal(restored.bytes.data, fixture->recording.bytes.data, size);
	file_map__close(&restored);
}

/* A record's size that cannot be ends the walk, not the reading of the file. */
static void stops_at_a_damaged_record(void **state)
{
	struct fixture *fixture = *state;
	uint8_t *copy = copy_recording(fixture);
	struct perfdata *perfdata;
	struct perfdata_record record;
	struct perfdata_walk walk;
	uint64_t offset = 0;

	assert_int_equal(perfdata__open(&perfdata, RECORDING, fixture->diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	for (int i = 0; i < 30; i++)
		assert_int_equal(perfdata_walk__next(&walk, &record), 1);
	offset = record.offset;
	perfdata_walk__end(&walk);
	perfdata__close(perfdata);
	memset(copy + offset + 6, 0, 2);
	write_file(fixture->path, copy, fixture->recording.bytes.size);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	for (int i = 0; i < 29; i++)
		assert_int_equal(perfdata_walk__next(&walk, &record), 1);
	assert_int_equal(perfdata_walk__next(&walk, &record), 0);
	assert_string_equal(fixture->kind, "perfdata.bad-record");
	perfdata_walk__end(&walk);
	perfdata__close(perfdata);
	free(copy);
}

static size_t write_gzip(struct fixture *fixture, const void *data, size_t size, const char *mode)
{
	gzFile file = gzopen(fixture->path, mode);
	struct stat stat_of_file;

	assert_non_null(file);
	assert_int_equal(gzwrite(file, data, (unsigned int)size), size);
	assert_int_equal(gzclose(file), Z_OK);
	assert_int_equal(stat(fixture->path, &stat_of_file), 0);
	return (size_t)stat_of_file.st_size;
}

static void unwraps_gzip(void **state)
{
	struct fixture *fixture = *state;
	const uint8_t *data = fixture->recording.bytes.data;
	size_t size = fixture->recording.bytes.size;
	size_t wrapped = write_gzip(fixture, data, size, "wb");

	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	assert_int_equal(truncate(fixture->path, (off_t)wrapped - 20), 0);
	refuses(fixture, fixture->path, -EINVAL, "perfdata.bad-wrapping");
	/* two members, one behind the other */
	write_gzip(fixture, data, 5000, "wb");
	write_gzip(fixture, data + 5000, size - 5000, "ab");
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	write_gzip(fixture, "something else altogether", 25, "wb");
	refuses(fixture, fixture->path, -EINVAL, "perfdata.not-perf-data");
}

static void unwraps_zstd(void **state)
{
	struct fixture *fixture = *state;
	size_t size = fixture->recording.bytes.size;
	size_t room = ZSTD_compressBound(size);
	uint8_t *wrapped = malloc(room);

	assert_non_null(wrapped);
	room = ZSTD_compress(wrapped, room, fixture->recording.bytes.data, size, 3);
	assert_false(ZSTD_isError(room));
	write_file(fixture->path, wrapped, room);
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 0);
	refuses_bytes(fixture, wrapped, room - 10, "perfdata.bad-wrapping");
	memset(wrapped + 40, 0xff, 40);
	refuses_bytes(fixture, wrapped, room, "perfdata.bad-wrapping");
	free(wrapped);
}

/* What is wrapped ends where a piece that is written at once does. */
static void unwraps_whole_pieces(void **state)
{
	struct fixture *fixture = *state;
	size_t size = fixture->recording.bytes.size, padded = align_up(size, 256 << 10);
	size_t room = ZSTD_compressBound(padded);
	uint8_t *wrapped = malloc(room), *data = calloc(1, padded);

	assert_non_null(wrapped);
	assert_non_null(data);
	memcpy(data, fixture->recording.bytes.data, size);
	room = ZSTD_compress(wrapped, room, data, padded, 3);
	assert_false(ZSTD_isError(room));
	write_file(fixture->path, wrapped, room);
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	write_gzip(fixture, data, padded, "wb");
	opens(fixture, fixture->path, PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 0);
	free(data);
	free(wrapped);
}

/* Standard input, be it a pipe or a file, with the same bytes in either. */
static void reads_standard_input(void **state)
{
	struct fixture *fixture = *state;
	int saved = dup(STDIN_FILENO);
	int ends[2], fd;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		ssize_t ret = write(ends[1], fixture->recording.bytes.data,
				    fixture->recording.bytes.size);
		_exit(ret == (ssize_t)fixture->recording.bytes.size ? 0 : 1);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	opens(fixture, "-", PERFDATA_FORM_SEEKABLE, NR_SAMPLES);
	assert_int_equal(waitpid(child, NULL, 0), child);
	fd = open("testdata/recordings/7.3-pipe.data", O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	opens(fixture, "-", PERFDATA_FORM_PIPE, 71);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void reads_pipe_headers(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;

	assert_int_equal(
		perfdata__open(&perfdata, "testdata/recordings/7.3-pipe.data", fixture->diag), 0);
	assert_int_equal(perfdata__nr_attrs(perfdata), 1);
	assert_string_equal(perfdata__attr(perfdata, 0)->name, "cpu-clock");
	assert_int_equal(perfdata__attr(perfdata, 0)->nr_ids, 2);
	assert_int_equal(perfdata__attr(perfdata, 0)->attr.clockid, 1);
	assert_int_equal(perfdata__machine(perfdata), EM_X86_64);
	assert_string_equal(perfdata__feature_string(perfdata, PERFDATA_FEAT_HOSTNAME), "fixture");
	perfdata__close(perfdata);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(says_what_is_no_profile),
		TEST(refuses_events_among_records),
		TEST(passes_over_features_within_other_parts),
		TEST(refuses_events_of_another_size),
		TEST(reads_what_the_header_says),
		TEST(opens_version_1),
		TEST(opens_what_was_not_finished),
		TEST(edits_what_was_not_finished),
		TEST(stops_at_a_damaged_record),
		TEST(unwraps_gzip),
		TEST(unwraps_zstd),
		TEST(unwraps_whole_pieces),
		TEST(reads_standard_input),
		TEST(reads_pipe_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
