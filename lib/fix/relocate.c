// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records differ in length by their paths, so they are not patched: the profile is restored to
 * what it was, and what the fix had inserted, found by comparing the two, is inserted anew.
 */
#include "fix/relocate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/file.h"
#include "fix/discover.h"
#include "fix/output.h"
#include "perfdata/abi_level.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"

struct relocator {
	struct perfdata *fixed, *original;
	const struct relocate_options *options;
	struct relocate_result *result;
	struct perfdata_edits *edits;
	struct diag *diag;
};

/* Where a DSO is now; the caller frees it. */
static char *moved(const struct relocator *relocator, const char *name)
{
	const char *slash = strrchr(name, '/');
	char *path = NULL;

	if (asprintf(&path, "%s/%s", relocator->options->folder, slash ? slash + 1 : name) < 0)
		return NULL;
	return path;
}

static int insert_mmap(struct relocator *relocator, const struct perfdata_record *record,
		       uint64_t offset)
{
	struct buf buf = BUF(perfdata__order(relocator->original));
	struct perfdata_mmap mmap;
	char *name;
	int err;

	if (!perfdata__parse_mmap(relocator->fixed, record, &mmap))
		return 0;
	name = moved(relocator, mmap.name);
	if (!name)
		return -ENOMEM;
	mmap.name = name;
	perfdata__put_mmap2(relocator->original, &buf, &mmap);
	err = buf.failed ? -ENOMEM
			 : perfdata_edits__insert(relocator->edits, offset, buf__bytes(&buf));
	relocator->result->nr_records++;
	relocator->result->nr_missing += access(name, R_OK) != 0;
	buf__free(&buf);
	free(name);
	return err;
}

/* struct perf_record_header_build_id: pid, 24 bytes of which the 21st is the id's size, name. */
static int add_build_id(struct relocator *relocator, const uint8_t *entry, size_t size)
{
	enum byte_order order = perfdata__order(relocator->fixed);
	const size_t at_name = 8 + 4 + 24;
	char *name;
	int err;

	if (size <= at_name || !memchr(entry + at_name, 0, size - at_name))
		return 0;
	name = moved(relocator, (const char *)entry + at_name);
	if (!name)
		return -ENOMEM;
	err = perfdata_edits__add_build_id(relocator->edits, get_u32(entry + 8, order), entry + 12,
					   PERFDATA_BUILD_ID_SIZE, get_u16(entry + 4, order), name);
	free(name);
	return err;
}

/* A record that the fix inserted, before what stands at offset in the original. */
static int insert_again(struct relocator *relocator, const struct perfdata_record *record,
			uint64_t offset)
{
	switch (record->type) {
	case PERFDATA_MMAP2:
		return insert_mmap(relocator, record, offset);
	case PERFDATA_COMM:
		return perfdata_edits__insert(relocator->edits, offset,
					      (struct bytes){ record->data, record->size });
	case PERFDATA_HEADER_BUILD_ID:
		return add_build_id(relocator, record->data, record->size);
	default: /* the journal, in pipe form: a new one is written */
		return 0;
	}
}

/* Where the marker's name ends that the fix changed; 0 when the two are not a marker and that. */
static size_t changed_suffix(const struct relocator *relocator, const struct perfdata_record *fixed,
			     const struct perfdata_record *original)
{
	static const size_t suffix = sizeof(".dump") - 1;
	struct perfdata_mmap mmap;
	uint32_t pid;
	size_t at;

	if (!perfdata__parse_mmap(relocator->original, original, &mmap) ||
	    !discover__is_marker(mmap.name, &pid))
		return 0;
	at = (size_t)((const uint8_t *)strrchr(mmap.name, '.') - original->data);
	if (memcmp(fixed->data, original->data, at) != 0 ||
	    memcmp(fixed->data + at + suffix, original->data + at + suffix,
		   original->size - at - suffix) != 0)
		return 0;
	return at;
}

/* Whether it is the same record in both; what was patched in it is patched again. */
static bool is_same(struct relocator *relocator, const struct perfdata_record *fixed,
		    const struct perfdata_record *original, int *err)
{
	static const size_t suffix = sizeof(".dump") - 1;
	size_t at;

	if (fixed->size != original->size)
		return false;
	if (memcmp(fixed->data, original->data, fixed->size) == 0)
		return true;
	at = changed_suffix(relocator, fixed, original);
	if (at && !original->compressed)
		*err = perfdata_edits__patch(relocator->edits, original->offset + at,
					     (struct bytes){ fixed->data + at, suffix });
	return at != 0;
}

/* Goes through both side by side. */
static int compare(struct relocator *relocator, struct perfdata_walk *fixed_walk,
		   struct perfdata_walk *original_walk)
{
	uint64_t end = perfdata__data_offset(relocator->original) +
		       perfdata__data_size(relocator->original);
	struct perfdata_record fixed, original;
	int got, left = perfdata_walk__next(original_walk, &original), err = 0;

	while (!err && left >= 0 && (got = perfdata_walk__next(fixed_walk, &fixed)) != 0) {
		if (got < 0)
			return got;
		if (left && is_same(relocator, &fixed, &original, &err))
			left = perfdata_walk__next(original_walk, &original);
		else
			err = insert_again(relocator, &fixed, left ? original.offset : end);
	}
	if (err || left < 0)
		return err ? err : left;
	if (!left)
		return 0;
	diag__report(relocator->diag, DIAG_ERROR, "perfdata.bad-journal",
		     perfdata__path(relocator->fixed), DIAG_NO_OFFSET,
		     "does not hold all records that it had before it was fixed: it was changed");
	return -EINVAL;
}

/* Entries that the fix added stand behind those there were. */
static int add_build_ids(struct relocator *relocator)
{
	enum byte_order order = perfdata__order(relocator->fixed);
	struct bytes fixed = perfdata__feature(relocator->fixed, PERFDATA_FEAT_BUILD_ID);
	size_t at = perfdata__feature(relocator->original, PERFDATA_FEAT_BUILD_ID).size;
	int err = 0;

	while (!err && at < fixed.size && fixed.size - at >= 8) {
		size_t size = get_u16(fixed.data + at + 6, order);

		if (size < 8 || size > fixed.size - at)
			break;
		err = add_build_id(relocator, fixed.data + at, size);
		at += size;
	}
	return err;
}

static int edit(struct relocator *relocator)
{
	struct perfdata_walk fixed, original;
	int err;

	perfdata_walk__begin(&fixed, relocator->fixed);
	perfdata_walk__begin(&original, relocator->original);
	err = compare(relocator, &fixed, &original);
	perfdata_walk__end(&fixed);
	perfdata_walk__end(&original);
	if (!err && perfdata__form(relocator->original) != PERFDATA_FORM_PIPE)
		err = add_build_ids(relocator);
	return err ? err
		   : perfdata_edits__set_abi(relocator->edits, perfdata_abi__by_name("auto"),
					     relocator->diag);
}

static int write_output(struct relocator *relocator)
{
	const struct relocate_options *options = relocator->options;
	struct file_out out;
	int err = file_out__open(&out, options->output, output__mode(relocator->fixed),
				 relocator->diag);

	if (err)
		return err;
	err = perfdata_edits__write(relocator->edits, &out, relocator->diag);
	if (!err) {
		output__give(relocator->fixed, out.fd, options->output, relocator->diag);
		err = file_out__commit(&out, !options->no_sync, relocator->diag);
	}
	file_out__abort(&out);
	return err;
}

/* The profile as it was, in a file beside the output that never gets its name. */
static int open_original(struct relocator *relocator, struct file_out *restored)
{
	char path[64];
	int err = file_out__open(restored, relocator->options->output, 0600, relocator->diag);

	if (!err)
		err = perfdata__restore(relocator->fixed, restored, relocator->diag);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", restored->fd);
	return perfdata__open(&relocator->original, path, relocator->diag);
}

int relocate__write(struct perfdata *fixed, const struct relocate_options *options,
		    struct relocate_result *result, struct diag *diag)
{
	struct relocator relocator = {
		.fixed = fixed,
		.options = options,
		.result = result,
		.diag = diag,
	};
	struct file_out restored = { .fd = -1 };
	int err;

	*result = (struct relocate_result){ 0 };
	if (perfdata__form(fixed) == PERFDATA_FORM_DIRECTORY) {
		diag__report(diag, DIAG_ERROR, "relocate.directory", perfdata__path(fixed),
			     DIAG_NO_OFFSET,
			     "is a directory: fix the profile it was made from with --relocate");
		return -ENOTSUP;
	}
	err = open_original(&relocator, &restored);
	if (!err)
		relocator.edits = perfdata_edits__new(relocator.original);
	if (!err && !relocator.edits)
		err = -ENOMEM;
	if (!err)
		err = edit(&relocator);
	if (!err)
		err = write_output(&relocator);
	perfdata_edits__free(relocator.edits);
	if (relocator.original)
		perfdata__close(relocator.original);
	file_out__abort(&restored);
	return err;
}
