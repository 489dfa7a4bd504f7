// SPDX-License-Identifier: GPL-2.0-or-later
/* What `perf inject --jit` makes of small jitdumps. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/made.h"
#include "host/private.h"

#define PID  2001
#define CODE UINT64_C(0x7f0000300100)

struct injection {
	/* what is tried */
	const char *folder; /* for the dump, in the scratch folder */
	const char *function;
	uint32_t dump_pid; /* in the dump's name and header */
	bool missing;      /* the dump is not there */
	/* what came of it */
	bool shown;      /* the sample is in the output */
	char symbol[64]; /* and the name that perf gives it */
	bool has_dso;
	bool shifted; /* the code's address in it is not its file offset */
	bool cached;
	uint8_t build_id[DSO_BUILD_ID_SIZE];
	size_t build_id_size;
	struct child_result result;
};

static char *path_of(const struct injection *injection, const struct probing *probing,
		     const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s/%s", probing->scratch.folder, injection->folder, name) < 0
		       ? NULL
		       : path;
}

static int make_folder(const struct injection *injection, const struct probing *probing)
{
	char *path = scratch__path(&probing->scratch, injection->folder);
	int err = path ? mkdir(path, 0700) < 0 ? -errno : 0 : -ENOMEM;

	free(path);
	return err;
}

/* The dump, if it is to be there, and the profile that names it. */
static int write_input(const struct injection *injection, const struct probing *probing,
		       const char *profile_path, uint64_t *time)
{
	struct made_dump dump = { .pid = injection->dump_pid,
				  .addr = CODE,
				  .name = injection->function };
	const struct made_stack stack = { .ip = CODE + 4 };
	struct made_profile profile;
	char name[32], *marker;
	int err = 0;

	snprintf(name, sizeof(name), "jit-%u.dump", injection->dump_pid);
	marker = path_of(injection, probing, name);
	if (!marker)
		return -ENOMEM;
	made_profile__begin(&profile, MADE_FLAT);
	made_profile__comm(&profile, PID);
	made_profile__map(&profile, PID, CODE & ~UINT64_C(0xfff), 0x1000, 0, "//anon");
	made_profile__map(&profile, PID, CODE + 0x100000, 0x1000, 0, marker);
	dump.time = profile.time++;
	*time = made_profile__sample(&profile, PID, &stack);
	if (!injection->missing)
		err = made_dump__write(&dump, marker, probing->diag);
	if (!err)
		err = made_profile__write(&profile, MADE_FILE, profile_path, probing->diag);
	made_profile__free(&profile);
	free(marker);
	return err;
}

static void read_elf(struct injection *injection, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		Elf_Data *data = header.sh_type == SHT_NOTE ? elf_getdata(section, NULL) : NULL;

		if (header.sh_flags & SHF_EXECINSTR)
			injection->shifted = header.sh_addr != header.sh_offset;
		if (data && data->d_size > 16 && data->d_size - 16 <= DSO_BUILD_ID_SIZE) {
			injection->build_id_size = data->d_size - 16;
			memcpy(injection->build_id, (const uint8_t *)data->d_buf + 16,
			       injection->build_id_size);
		}
	}
}

/* perf inject writes "jitted-PID-N.so" where the dump is. */
static void read_dso(struct injection *injection, const struct probing *probing)
{
	char *folder = scratch__path(&probing->scratch, injection->folder);
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	elf_version(EV_CURRENT);
	while (dir && !injection->has_dso && (entry = readdir(dir))) {
		int fd;
		Elf *elf;

		if (strncmp(entry->d_name, "jitted-", 7) != 0)
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
		elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
		if (elf) {
			injection->has_dso = true;
			read_elf(injection, elf);
		}
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	free(folder);
}

/* ~/.debug/.build-id/ab/cdef... */
static bool is_cached(const struct injection *injection, const struct probing *probing)
{
	char name[128], *path;
	bool found;
	int at =
		snprintf(name, sizeof(name), "home/.debug/.build-id/%02x/", injection->build_id[0]);

	for (size_t i = 1; i < injection->build_id_size; i++)
		at += snprintf(name + at, sizeof(name) - (size_t)at, "%02x",
			       injection->build_id[i]);
	path = scratch__path(&probing->scratch, name);
	found = path && access(path, F_OK) == 0;
	free(path);
	return found;
}

static int inject(struct injection *injection, const struct probing *probing)
{
	char *input = path_of(injection, probing, "in.data");
	char *output = path_of(injection, probing, "out.data");
	const char *arguments[] = { "inject", "--jit", "-i", input, "-o", output, NULL };
	uint64_t time = 0;
	int err = input && output ? make_folder(injection, probing) : -ENOMEM;

	if (!err)
		err = write_input(injection, probing, input, &time);
	if (!err)
		err = probing__run(probing, arguments, NULL, &injection->result);
	if (!err) {
		struct child_result result;

		read_dso(injection, probing);
		injection->cached = injection->has_dso && is_cached(injection, probing);
		if (access(output, R_OK) == 0)
			err = probe__shows(probing, output, false, time, &injection->shown,
					   injection->symbol, &result);
	}
	free(input);
	free(output);
	return err;
}

static void judge_good(struct perf_probe *probe, const struct injection *good)
{
	if (!good->has_dso) {
		probe__set(probe, PROBE_INJECT, PROBE_FAULTY, "exit code %d: %.180s",
			   good->result.status, good->result.errors);
		return;
	}
	probe__set(probe, PROBE_INJECT, PROBE_OK, "wrote a DSO, exit code %d", good->result.status);
	probe__set(probe, PROBE_OFFSETS, good->shifted ? PROBE_FAULTY : PROBE_OK,
		   good->shifted ? "the address of .text is not its file offset"
				 : "the address of .text is its file offset");
	probe__set(probe, PROBE_CACHED, good->cached ? PROBE_OK : PROBE_FAULTY,
		   good->cached ? "its DSO is in ~/.debug" : "its DSO is not in ~/.debug");
}

/* What comes of equal ones is seen where the first is in ~/.debug. */
static void judge_build_ids(struct perf_probe *probe, const struct injection *a,
			    const struct injection *b)
{
	bool same = a->build_id_size && a->build_id_size == b->build_id_size &&
		    memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
	bool wrong = strcmp(b->symbol, a->function) == 0;

	if (wrong)
		probe__set(probe, PROBE_BUILD_IDS, PROBE_FAULTY,
			   "%s, of a second run with equal code, is shown as %s, of the first",
			   b->function, a->function);
	else
		probe__set(probe, PROBE_BUILD_IDS, same ? PROBE_FAULTY : PROBE_OK,
			   same ? "two functions of equal code and address have one build-id"
				: "two functions of equal code and address have two build-ids");
}

static void judge_missing(struct perf_probe *probe, const struct injection *missing)
{
	probe__set(probe, PROBE_MISSING, missing->shown ? PROBE_OK : PROBE_FAULTY,
		   "without the dump: exit code %d, the samples %s", missing->result.status,
		   missing->shown ? "are there" : "are lost");
}

int probe__inject(struct perf_probe *probe, const struct probing *probing)
{
	struct injection good = { .folder = "one", .function = "alpha", .dump_pid = PID };
	struct injection other = { .folder = "two", .function = "beta", .dump_pid = PID };
	struct injection missing = { .folder = "three", .dump_pid = PID, .missing = true };
	struct injection foreign = { .folder = "four", .function = "delta", .dump_pid = 1 };
	int err = inject(&good, probing);

	if (err)
		return err;
	judge_good(probe, &good);
	if (!good.has_dso)
		return 0;
	err = inject(&other, probing);
	if (!err)
		err = inject(&missing, probing);
	if (!err)
		err = inject(&foreign, probing);
	if (err)
		return err;
	if (other.has_dso)
		judge_build_ids(probe, &good, &other);
	judge_missing(probe, &missing);
	probe__set(probe, PROBE_CONTAINER, foreign.has_dso ? PROBE_OK : PROBE_FAULTY,
		   "jit-1.dump of process %u is %s", PID, foreign.has_dso ? "read" : "passed over");
	probe__set(probe, PROBE_FOREIGN, foreign.has_dso ? PROBE_FAULTY : PROBE_OK,
		   "jit-1.dump of process %u is %s", PID, foreign.has_dso ? "read" : "passed over");
	return 0;
}
