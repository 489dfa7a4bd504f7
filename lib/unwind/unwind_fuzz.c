// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: a profile, whose files are another part of the bytes, is unwound and baked. The
 * first four bytes, little-endian, say how many belong to the ELF file that every mapping is of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "perfdata/internal.h"
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sink; /* keeps reads from being optimised away */

/* The file's bytes under a name. */
static int make_file(struct bytes bytes, char path[32])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes.data, bytes.size) != (ssize_t)bytes.size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static const char *locate(void *context, const char *name)
{
	(void)name;
	return context;
}

static void use(const struct unwind_chain *chain)
{
	array__for_each(frame, &chain->frames) {
		sink += frame->ip + frame->symbol_offset;
		sink += frame->symbol ? strlen(frame->symbol) : 0;
		sink += frame->mapping ? strlen(frame->mapping->name) : 0;
	}
	sink += strlen(unwind_end__text(chain->end));
}

static void unwind(struct perfdata *perfdata, struct unwinder *unwinder)
{
	struct unwind_chain chain = { 0 };
	struct perfdata_record record;
	struct perfdata_sample sample;
	struct unwind_thread *thread;
	struct unwind_frame frame;
	struct perfdata_walk walk;

	if (unwind_thread__new(&thread, unwinder, true))
		abort();
	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		if (!perfdata__parse_sample(perfdata, &record, &sample))
			continue;
		unwind_thread__sample(thread, &sample, &chain);
		use(&chain);
		unwind_thread__resolve(thread, sample.pid, sample.time, sample.ip, true, &frame);
	}
	perfdata_walk__end(&walk);
	unwind_chain__free(&chain);
	unwind_thread__free(thread);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *diag;
	struct perfdata *perfdata;
	struct unwinder *unwinder;
	struct unwind_options options = { .buildid_dir = "", .debug_dir = "/nonexistent" };
	char path[32];
	size_t elf;
	int fd;

	if (size < 4)
		return 0;
	diag = diag__new(NULL, NULL);
	elf = get_u32(data, ORDER_LITTLE) % (size - 3);
	fd = make_file((struct bytes){ data + 4, elf }, path);
	options.locate = locate;
	options.context = path;
	if (perfdata__open_bytes(&perfdata, (struct bytes){ data + 4 + elf, size - 4 - elf },
				 "fuzz", diag) == 0) {
		if (unwinder__new(&unwinder, perfdata, &options, diag) == 0) {
			unwind(perfdata, unwinder);
			unwinder__free(unwinder);
		}
		perfdata__close(perfdata);
	}
	close(fd);
	diag__free(diag);
	return 0;
}
