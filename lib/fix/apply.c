// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "fix/discover.h"
#include "fix/kept.h"
#include "fix/output.h"
#include "fix/scan.h"
#include "perfdata/abi_level.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"

/* Readers look each entry up in the build-id cache: thousands make them ten times slower. */
#define BUILD_ID_ENTRIES_MAX 64
/*
 * So many files are each on the disk before they are put in place. More of them are once they all
 * are in place, or every one would cost a commit of the file system's journal.
 */
#define SYNC_EACH_MAX 64

/* Device of the inserted mappings: any that is the same on every machine. */
#define DSO_MAJOR 8
#define DSO_MINOR 1

struct writer {
	const struct plan *plan;
	const struct apply_options *options;
	struct diag *diag;
	struct perfdata_edits *edits;
	struct baked baked;
	bool *created; /* by DSO, behind the plan's those that are kept: not there before */
	bool syncs_each, syncs_later;
	struct output_folder folder;
	uint64_t done;
};

static size_t nr_written(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(dso, &plan->dsos)
		count += dso->path != NULL;
	return count;
}

static size_t nr_kept(const struct plan *plan)
{
	return plan->kept ? plan->kept->dsos.count : 0;
}

static size_t nr_copied(const struct writer *writer)
{
	size_t count = 0;

	for (size_t i = 0; !writer->options->hide_dsos && i < nr_kept(writer->plan); i++)
		count += writer->plan->kept->dsos.items[i].copied;
	return count;
}

static int advance(struct writer *writer, uint64_t bytes)
{
	const struct apply_options *options = writer->options;
	uint64_t total = writer->plan->dso_bytes + perfdata__bytes(writer->plan->perfdata).size;

	writer->done += bytes;
	if (options->progress && !options->progress(options->context, writer->done, total))
		return -ECANCELED;
	return 0;
}

static mode_t output_mode(const struct writer *writer)
{
	return output__mode(writer->plan->perfdata);
}

static void give_to_owner_of_input(const struct writer *writer, int fd)
{
	output__give(writer->plan->perfdata, fd, writer->options->output, writer->diag);
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int make_dso(const struct plan_dso *dso, struct file_out *out, struct diag *diag)
{
	return dso->outline ? dso_outline__write(dso->outline, &dso->spec, dso->build_id, out, diag)
			    : dso__write(&dso->spec, dso->build_id, out, diag);
}

static bool is_there(const struct writer *writer, const char *path)
{
	return faccessat(writer->folder.fd, name_of(path), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int begin_dso(const struct writer *writer, const char *path, struct file_out *out)
{
	return file_out__open_in(out, writer->folder.fd, path, output_mode(writer), writer->diag);
}

/* err: of writing it. */
static int end_dso(const struct writer *writer, struct file_out *out, int err)
{
	if (err) {
		file_out__abort(out);
		return err;
	}
	give_to_owner_of_input(writer, out->fd);
	/* the disk begins with what is waited for in the end */
	if (writer->syncs_later)
		sync_file_range(out->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	return file_out__commit(out, writer->syncs_each, writer->diag);
}

/* i: its place in writer->created. */
static int write_dso(struct writer *writer, size_t i, const struct plan_dso *dso)
{
	bool fresh = !is_there(writer, dso->path);
	struct file_out out;
	int err = begin_dso(writer, dso->path, &out);

	if (!err)
		err = end_dso(writer, &out, make_dso(dso, &out, writer->diag));
	if (err)
		return err;
	writer->created[i] = fresh;
	return advance(writer, dso->layout.load_end - dso->lo);
}

static int copy_dso(struct writer *writer, size_t i, const struct kept_dso *dso)
{
	bool fresh = !is_there(writer, dso->path);
	struct file_out out;
	int err = begin_dso(writer, dso->path, &out);

	if (!err)
		err = end_dso(writer, &out, kept_dso__copy(dso, &out, writer->diag));
	if (err)
		return err;
	writer->created[i] = fresh;
	return advance(writer, 0);
}

static int copy_dsos(struct writer *writer)
{
	const struct plan *plan = writer->plan;
	int err = 0;

	for (size_t i = 0; !err && i < nr_kept(plan); i++)
		if (plan->kept->dsos.items[i].copied)
			err = copy_dso(writer, plan->dsos.count + i, &plan->kept->dsos.items[i]);
	return err;
}

static int write_dsos(struct writer *writer)
{
	const struct plan *plan = writer->plan;
	size_t copied = nr_copied(writer), nr_files = nr_written(plan) + copied;
	bool sync = !writer->options->no_sync && !writer->options->hide_dsos;
	int err = 0;

	if (!nr_files)
		return 0;
	writer->syncs_each = sync && nr_files <= SYNC_EACH_MAX;
	writer->syncs_later = sync && nr_files > SYNC_EACH_MAX;
	err = output__open_folder(&writer->folder, plan->perfdata, plan->dso_folder,
				  plan->dso_folder_named, writer->diag);
	for (size_t i = 0; !err && i < plan->dsos.count; i++)
		if (plan->dsos.items[i].path)
			err = write_dso(writer, i, &plan->dsos.items[i]);
	return err || !copied ? err : copy_dsos(writer);
}

static int sync_dso(const struct writer *writer, const char *path)
{
	int fd = openat(writer->folder.fd, name_of(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int err = fd < 0 || fsync(fd) < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	if (err)
		diag__report(writer->diag, DIAG_ERROR, "output.write", path, DIAG_NO_OFFSET,
			     "can't write: %s", strerror(err));
	return -err;
}

/* The path of what was written or copied, NULL if it was not; i as in writer->created. */
static const char *path_of(const struct plan *plan, size_t i)
{
	const struct kept_dso *kept;

	if (i < plan->dsos.count)
		return plan->dsos.items[i].path;
	kept = &plan->kept->dsos.items[i - plan->dsos.count];
	return kept->copied ? kept->path : NULL;
}

/* Waits until all are on the disk: no profile may name what a crash could still take away. */
static int sync_dsos(const struct writer *writer)
{
	const struct plan *plan = writer->plan;
	int err = 0;

	for (size_t i = 0; writer->syncs_later && !err && i < plan->dsos.count + nr_kept(plan); i++)
		if (path_of(plan, i))
			err = sync_dso(writer, path_of(plan, i));
	return err;
}

/* Takes back what was written when the profile can't be, or was for unwinding only. */
static void remove_dsos(struct writer *writer)
{
	const struct plan *plan = writer->plan;

	for (size_t i = 0; i < plan->dsos.count + nr_kept(plan); i++)
		if (writer->created[i])
			unlinkat(writer->folder.fd, name_of(path_of(plan, i)), 0);
	output__remove_folder(&writer->folder);
}

/* The identity that perf gave the marker: readers expect ids they know. */
static struct perfdata_sample_id sample_id_of(const struct plan *plan,
					      const struct plan_insert *insert)
{
	const struct marker *marker = plan__marker(plan, insert->process);
	struct perfdata_sample_id id = { .attr = perfdata__attr(plan->perfdata, 0) };

	if (marker)
		id = marker->sample_id;
	id.pid = id.tid = insert->process->pid;
	id.time = insert->time;
	return id;
}

static void put_mmap(struct writer *writer, struct buf *buf, const struct plan_insert *insert)
{
	const struct plan_dso *dso = &writer->plan->dsos.items[insert->dso];
	struct perfdata_mmap mmap = {
		.pid = insert->process->pid,
		.tid = insert->process->pid,
		.start = insert->start,
		.size = insert->size,
		.pgoff = insert->pgoff,
		.maj = DSO_MAJOR,
		.min = DSO_MINOR,
		.ino = get_u64(dso->build_id, ORDER_LITTLE) >> 1,
		.ino_generation = 1,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.misc = PERF_RECORD_MISC_USER,
		.name = dso->recorded,
		.sample_id = sample_id_of(writer->plan, insert),
	};

	perfdata__put_mmap2(writer->plan->perfdata, buf, &mmap);
}

static void put_comm(struct writer *writer, struct buf *buf, const struct plan_insert *insert)
{
	const char *name = process__comm(insert->process, insert->time);
	char unknown[16]; /* as readers call processes that have no name */
	struct perfdata_comm comm = {
		.pid = insert->process->pid,
		.tid = insert->process->pid,
		.exec = true,
		.comm = *name ? name : unknown,
		.sample_id = sample_id_of(writer->plan, insert),
	};

	snprintf(unknown, sizeof(unknown), ":%u", insert->process->pid);
	perfdata__put_comm(writer->plan->perfdata, buf, &comm);
}

static void put_insert(struct writer *writer, struct buf *buf, const struct plan_insert *insert)
{
	switch (insert->kind) {
	case PLAN_COMM:
		put_comm(writer, buf, insert);
		break;
	case PLAN_MMAP2:
		put_mmap(writer, buf, insert);
		break;
	case PLAN_FORK:
		execs__put_fork(writer->plan, insert->exec, buf);
		break;
	}
}

static int edit_inserts(struct writer *writer)
{
	struct buf buf = BUF(perfdata__order(writer->plan->perfdata));
	int err = 0;

	array__for_each(insert, &writer->plan->inserts) {
		buf.size = 0;
		put_insert(writer, &buf, insert);
		err = buf.failed ? -ENOMEM
				 : perfdata_edits__insert(writer->edits, insert->offset,
							  buf__bytes(&buf));
		if (err)
			break;
	}
	buf__free(&buf);
	return err;
}

static bool is_used(const struct plan *plan, const struct marker *marker)
{
	array__for_each(found, &plan->discovery->dumps)
		if (found->process && !found->refused && !found->left && found->marker &&
		    found->pid == marker->pid && strcmp(found->marker->name, marker->name) == 0)
			return true;
	return kept__would_name(plan->kept, marker) && kept__stands(plan->kept, marker->process);
}

/* "jit-7.dump" becomes "jit-7.done", or perf inject --jit would put its own maps over ours. */
static int edit_marker(struct writer *writer, const struct marker *marker)
{
	static const char done[] = ".done";
	struct bytes suffix = { (const uint8_t *)done, sizeof(done) - 1 };

	if (!marker->name_offset)
		return perfdata_edits__patch_inflated(writer->edits, marker->name, suffix);
	return perfdata_edits__patch(
		writer->edits, marker->name_offset + strlen(marker->name) - suffix.size, suffix);
}

static int edit_markers(struct writer *writer)
{
	int err = 0;

	/* no other name is one that perf inject knows */
	array__for_each(marker, &writer->plan->discovery->markers)
		if (!err && !marker->odd && is_used(writer->plan, marker))
			err = edit_marker(writer, marker);
	return err;
}

static int edit_build_ids(struct writer *writer)
{
	bool shown = !writer->options->hide_dsos;

	if (nr_written(writer->plan) + nr_kept(writer->plan) > BUILD_ID_ENTRIES_MAX &&
	    !writer->options->all_build_ids)
		return 0;
	array__for_each(dso, &writer->plan->dsos) {
		int err =
			dso->path && shown
				? perfdata_edits__add_build_id(writer->edits, UINT32_MAX,
							       dso->build_id, sizeof(dso->build_id),
							       PERF_RECORD_MISC_USER, dso->recorded)
				: 0;

		if (err)
			return err;
	}
	return writer->plan->kept ? kept__add_build_ids(writer->plan->kept, writer->edits, shown)
				  : 0;
}

/* Unwinding is no part of what is written, but may be stopped. */
static bool go_on(void *context, uint64_t done, uint64_t total)
{
	struct writer *writer = context;

	(void)done;
	(void)total;
	return advance(writer, 0) == 0;
}

static int edit_samples(struct writer *writer)
{
	const struct apply_options *options = writer->options;
	int err;

	if (options->bake.which == BAKE_NONE)
		return 0;
	err = baked__make(&writer->baked, writer->plan, &options->bake, go_on, writer,
			  writer->diag);
	if (err)
		return err;
	if (options->baked)
		*options->baked = writer->baked.counts;
	perfdata_edits__set_bake(writer->edits, &writer->baked.bake);
	return 0;
}

static int edit_abi(struct writer *writer)
{
	const struct perfdata_abi *abi = writer->options->abi;

	return perfdata_edits__set_abi(writer->edits, abi ? abi : perfdata_abi__by_name("auto"),
				       writer->diag);
}

static int edit(struct writer *writer)
{
	bool shown = !writer->options->hide_dsos;
	int err = shown ? edit_inserts(writer) : 0;

	if (!err && writer->plan->kept)
		err = kept__insert(writer->plan->kept, writer->edits, writer->plan->perfdata,
				   shown);
	if (!err)
		err = edit_markers(writer);
	if (!err)
		err = edit_build_ids(writer);
	if (!err)
		err = edit_samples(writer);
	if (!err)
		err = edit_abi(writer);
	return err;
}

/* Writes the profile to out, or, if that is NULL, as a directory at the output's path. */
static int write_profile(struct writer *writer, struct file_out *out)
{
	int err;

	writer->edits = perfdata_edits__new(writer->plan->perfdata);
	if (!writer->edits)
		return -ENOMEM;
	err = edit(writer);
	if (!err && out) {
		err = perfdata_edits__write(writer->edits, out, writer->diag);
		/* a directory is there at once, and then it is too late to stop */
		if (!err)
			err = advance(writer, perfdata__bytes(writer->plan->perfdata).size);
	} else if (!err) {
		err = perfdata_edits__write_directory(writer->edits, writer->options->output,
						      !writer->options->no_sync, writer->diag);
	}
	perfdata_edits__free(writer->edits);
	baked__free(&writer->baked);
	return err;
}

static int write_file(struct writer *writer)
{
	struct file_out out;
	/* first, so that an output that can't be written costs nothing */
	int err = output__open(&out, writer->plan->perfdata, writer->options->output, writer->diag);

	if (err)
		return err;
	err = write_dsos(writer);
	if (!err)
		err = write_profile(writer, &out);
	if (!err)
		err = sync_dsos(writer);
	if (!err)
		err = output__commit(&out, writer->plan->perfdata, !writer->options->no_sync,
				     writer->diag);
	file_out__abort(&out);
	return err;
}

static int write_directory(struct writer *writer)
{
	int err = write_dsos(writer);

	if (!err)
		err = sync_dsos(writer);
	return err ? err : write_profile(writer, NULL);
}

int plan__apply(const struct plan *plan, const struct apply_options *options, struct diag *diag)
{
	struct writer writer = {
		.plan = plan,
		.options = options,
		.diag = diag,
		.folder = { .fd = -1 },
	};
	int err;

	writer.created = calloc(plan->dsos.count + nr_kept(plan) + 1, sizeof(bool));
	if (!writer.created)
		return -ENOMEM;
	err = perfdata__form(plan->perfdata) == PERFDATA_FORM_DIRECTORY ? write_directory(&writer)
									: write_file(&writer);
	if (err || options->hide_dsos)
		remove_dsos(&writer);
	output__close_folder(&writer.folder);
	free(writer.created);
	return err;
}
