// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/buildid_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "fix/kept.h"

struct cache {
	const char *dir;
	struct diag *diag;
};

/* What is to be filed. */
struct item {
	const char *path, *name; /* where it is; what records call it */
	const uint8_t *build_id;
};

/* The places of one DSO in a cache. */
struct entry {
	char id[2 * DSO_BUILD_ID_SIZE + 1];
	char *folder; /* DIR/<path>/<build-id> */
	char *file;   /* in it */
	char *link;   /* DIR/.build-id/xx/yyyy */
	char *target; /* of the link: the folder as seen from there */
};

static void free_entry(struct entry *entry)
{
	free(entry->folder);
	free(entry->file);
	free(entry->link);
	free(entry->target);
}

static bool make_entry(const struct cache *cache, const struct item *item, struct entry *entry)
{
	*entry = (struct entry){ 0 };
	for (size_t i = 0; i < DSO_BUILD_ID_SIZE; i++)
		snprintf(entry->id + 2 * i, 3, "%02x", item->build_id[i]);
	if (asprintf(&entry->folder, "%s%s/%s", cache->dir, item->name, entry->id) < 0)
		entry->folder = NULL;
	if (asprintf(&entry->file, "%s%s/%s/elf", cache->dir, item->name, entry->id) < 0)
		entry->file = NULL;
	if (asprintf(&entry->link, "%s/.build-id/%.2s/%s", cache->dir, entry->id, entry->id + 2) <
	    0)
		entry->link = NULL;
	if (asprintf(&entry->target, "../..%s/%s", item->name, entry->id) < 0)
		entry->target = NULL;
	return entry->folder && entry->file && entry->link && entry->target;
}

/* Makes the folder and those it is in. */
static int make_folders(const struct cache *cache, char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		int err;

		if (slash)
			*slash = 0;
		err = mkdir(path, 0777) < 0 && errno != EEXIST
			      ? diag__errno(cache->diag, "output.buildid-cache", path,
					    "can't make a folder of the build-id cache")
			      : 0;
		if (slash)
			*slash = '/';
		if (err || !slash)
			return err;
	}
}

static int copy(const struct cache *cache, const char *from, const char *to)
{
	struct file_map map;
	struct file_out out;
	int err = file_map__open(&map, from, false, cache->diag);

	if (err)
		return err;
	err = file_out__open(&out, to, map.stat.st_mode & 0666, cache->diag);
	if (!err) {
		err = file_out__write(&out, map.bytes, cache->diag);
		if (!err)
			err = file_out__commit(&out, false, cache->diag);
		file_out__abort(&out);
	}
	file_map__close(&map);
	return err;
}

static int put_file(const struct cache *cache, const char *from, const char *to, size_t *added)
{
	int err;

	/* the build-id stands for the content */
	if (access(to, R_OK) == 0)
		return 0;
	err = link(from, to) == 0 ? 0 : copy(cache, from, to);
	*added += !err;
	return err;
}

/* perf's own links may be older and lead to the file itself: they are replaced. */
static int put_link(const struct cache *cache, struct entry *entry)
{
	char *slash = strrchr(entry->link, '/');
	int err;

	*slash = 0;
	err = make_folders(cache, entry->link);
	*slash = '/';
	if (err)
		return err;
	if (unlink(entry->link) < 0 && errno != ENOENT)
		return diag__errno(cache->diag, "output.buildid-cache", entry->link,
				   "can't replace what is there");
	if (symlink(entry->target, entry->link) < 0)
		return diag__errno(cache->diag, "output.buildid-cache", entry->link,
				   "can't make a link");
	return 0;
}

static int add(const struct cache *cache, const struct item *item, size_t *added)
{
	struct entry entry;
	int err = make_entry(cache, item, &entry) ? 0 : -ENOMEM;

	if (!err)
		err = make_folders(cache, entry.folder);
	if (!err)
		err = put_file(cache, item->path, entry.file, added);
	if (!err)
		err = put_link(cache, &entry);
	free_entry(&entry);
	return err;
}

static int add_kept(const struct cache *cache, const struct kept *kept, size_t *added)
{
	int err = 0;

	array__for_each(dso, &kept->dsos) {
		const struct item item = { dso->path, dso->path, dso->build_id };

		if (!err && dso->path && dso->build_id_size == DSO_BUILD_ID_SIZE)
			err = add(cache, &item, added);
	}
	return err;
}

int buildid_cache__add(const struct plan *plan, const char *dir, size_t *added, struct diag *diag)
{
	struct cache cache = { dir, diag };
	int err = 0;

	*added = 0;
	array__for_each(dso, &plan->dsos) {
		const struct item item = { dso->path, dso->recorded, dso->build_id };

		if (!err && dso->path)
			err = add(&cache, &item, added);
	}
	return err || !plan->kept ? err : add_kept(&cache, plan->kept, added);
}
