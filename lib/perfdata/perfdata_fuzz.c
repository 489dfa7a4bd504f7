// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: walks and parses whatever the bytes hold, changes it, and restores it from
 * what was written. What could be written must give back the bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/abi_level.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"
#include "perfdata/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inserts would make the journal longer than the input otherwise. */
#define MAX_INSERTS 100

static uint64_t sink; /* keeps reads from being optimised away */

static void use(struct bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		sink += bytes.data[i];
}

static void use_string(const char *string)
{
	sink += string ? strlen(string) : 0;
}

/* A sample's head, as a walk that is content with heads gives it; nothing behind it is touched. */
static void parse_head(struct perfdata *perfdata, const struct perfdata_record *record,
		       const struct perfdata_sample *whole)
{
	struct perfdata_record head = *record;
	struct perfdata_sample front;
	uint8_t *copy;

	if (record->size <= PERFDATA_HEAD)
		return;
	copy = memcpy(malloc(PERFDATA_HEAD), record->data, PERFDATA_HEAD);
	head.data = copy;
	head.absent = (uint16_t)(record->size - PERFDATA_HEAD);
	if (perfdata__parse_sample_front(perfdata, &head, &front)) {
		use(front.callchain);
		use(front.branches);
		use(front.user_regs);
		if (whole && !bytes__equal(front.callchain, whole->callchain))
			abort();
	}
	free(copy);
}

static void parse(struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct perfdata_sample_id sample_id;
	struct perfdata_sample sample;
	struct perfdata_mmap mmap;
	struct perfdata_comm comm;
	struct perfdata_task task;
	uint64_t time;

	use((struct bytes){ record->data, record->size });
	use_string(perfdata__type_name(record->type));
	perfdata__record_time(perfdata, record, &time);
	perfdata__parse_sample_id(perfdata, record, &sample_id);
	perfdata__parse_task(perfdata, record, &task);
	if (perfdata__parse_mmap(perfdata, record, &mmap))
		use_string(mmap.name);
	if (perfdata__parse_comm(perfdata, record, &comm))
		use_string(comm.comm);
	if (perfdata__parse_sample(perfdata, record, &sample)) {
		use(sample.callchain);
		use(sample.branches);
		use(sample.user_regs);
		use(sample.user_stack);
		parse_head(perfdata, record, &sample);
	} else if (record->type == PERFDATA_SAMPLE) {
		parse_head(perfdata, record, NULL);
	}
}

static void use_header(const struct perfdata *perfdata)
{
	for (size_t i = 0; i < perfdata__nr_attrs(perfdata); i++) {
		use_string(perfdata__attr(perfdata, i)->name);
		use((struct bytes){ (const uint8_t *)perfdata__attr(perfdata, i)->ids,
				    8 * perfdata__attr(perfdata, i)->nr_ids });
	}
	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS; i++) {
		use(perfdata__feature(perfdata, i));
		use_string(perfdata__feature_string(perfdata, i));
	}
	sink += perfdata__machine(perfdata);
}

static struct file_out memory_file(void)
{
	struct file_out out = { .fd = memfd_create("fuzz", MFD_CLOEXEC), .path = strdup("fuzz") };

	if (out.fd < 0 || !out.path)
		abort();
	return out;
}

static struct bytes map(const struct file_out *out)
{
	size_t size = (size_t)lseek(out->fd, 0, SEEK_END);
	void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, out->fd, 0) : NULL;

	if (data == MAP_FAILED)
		abort();
	return (struct bytes){ data, size };
}

static void unmap(struct bytes bytes)
{
	if (bytes.size)
		munmap((void *)(uintptr_t)bytes.data, bytes.size);
}

static int count_edit(void *context, const struct perfdata_edit *edit)
{
	size_t *inserted = context;

	*inserted += edit->record != NULL;
	return 0;
}

/* What was inserted is told of. */
static void check_edits(struct perfdata *edited, struct bytes input, size_t inserted,
			struct diag *diag)
{
	struct perfdata *original;
	size_t told = 0;

	if (perfdata__open_bytes(&original, input, "original", diag) < 0 ||
	    perfdata__for_each_edit(original, edited, count_edit, &told, diag) < 0 ||
	    told < inserted)
		abort();
	perfdata__close(original);
}

/* What was written must open, know that it was edited, and give the input back. */
static void check_restore(const struct file_out *edited, struct bytes input, size_t inserted,
			  struct diag *diag)
{
	struct file_out restored = memory_file();
	struct bytes bytes = map(edited), original;
	struct perfdata *perfdata;

	if (perfdata__open_bytes(&perfdata, bytes, "edited", diag) < 0)
		abort();
	if (!perfdata__is_edited(perfdata) || perfdata__restore(perfdata, &restored, diag) < 0)
		abort();
	original = map(&restored);
	if (original.size != input.size || memcmp(original.data, input.data, input.size) != 0)
		abort();
	unmap(original);
	check_edits(perfdata, input, inserted, diag);
	perfdata__close(perfdata);
	unmap(bytes);
	file_out__abort(&restored);
}

static void walk_and_edit(struct perfdata *perfdata, struct bytes input, struct diag *diag)
{
	struct perfdata_edits *edits = perfdata_edits__new(perfdata);
	struct perfdata_comm comm = { .pid = 1, .tid = 1, .comm = "fuzz" };
	struct buf buf = BUF(perfdata__order(perfdata));
	struct file_out out = memory_file();
	struct perfdata_record record;
	struct perfdata_walk walk;
	size_t inserted = 0;
	bool patched = false;

	perfdata__put_comm(perfdata, &buf, &comm);
	perfdata_walk__begin(&walk, perfdata);
	for (unsigned int i = 0; perfdata_walk__next(&walk, &record) > 0; i++) {
		parse(perfdata, &record);
		if (i < MAX_INSERTS)
			inserted +=
				perfdata_edits__insert(edits, record.offset, buf__bytes(&buf)) == 0;
		/* of an event's description a change may be one of the form itself */
		if (i >= 3 && !patched && record.type < PERFDATA_HEADER_ATTR) {
			perfdata_edits__patch(edits, record.offset,
					      (struct bytes){ (const uint8_t *)"!", 1 });
			patched = true;
		}
	}
	perfdata_walk__end(&walk);
	perfdata_edits__set_abi(edits, perfdata_abi__by_name("auto"), diag);
	perfdata_edits__add_build_id(edits, 1, (const uint8_t *)"12345678", 8, 2, "/x");
	if (perfdata_edits__write(edits, &out, diag) == 0)
		check_restore(&out, input, inserted, diag);
	perfdata_edits__free(edits);
	file_out__abort(&out);
	buf__free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = { data, size };
	struct diag *diag = diag__new(NULL, NULL);
	struct perfdata *perfdata;

	if (perfdata__open_bytes(&perfdata, input, "fuzz", diag) == 0) {
		use_header(perfdata);
		walk_and_edit(perfdata, input, diag);
		perfdata__close(perfdata);
	}
	diag__free(diag);
	return 0;
}
