// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a mapped file is to be found now. A recorded build-id decides; without one the file at the
 * recorded path is believed to be the one, as perf does.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "unwind/unwinder.h"

#define VDSO "[vdso]"

static struct bytes recorded_id(const struct unwind_module *module)
{
	return (struct bytes){ module->build_id, module->build_id_size };
}

/* Takes the file at path, which is formatted and may not be there, if it is the one. */
__attribute__((format(printf, 4, 5))) static bool
try(struct module_file *file, char **path, struct bytes build_id, const char *format, ...)
{
	struct module_file found;
	va_list args;
	char *name;
	int length;

	va_start(args, format);
	length = vasprintf(&name, format, args);
	va_end(args);
	if (length < 0)
		return false;
	if (!module_file__open(&found, name)) {
		free(name);
		return false;
	}
	if (build_id.size && !module_file__is(&found, build_id)) {
		module_file__close(&found);
		free(name);
		return false;
	}
	*file = found;
	free(*path);
	*path = name;
	return true;
}

static void print_id(struct bytes build_id, char text[2 * PERFDATA_BUILD_ID_SIZE + 1])
{
	text[0] = '\0';
	for (size_t i = 0; i < build_id.size; i++)
		sprintf(text + 2 * i, "%02x", build_id.data[i]);
}

/* perf's build-id cache: a link per build-id to a folder, in older ones to the file. */
char *unwinder__cached(const struct unwinder *unwinder, struct bytes build_id, const char *name)
{
	const char *folder = unwinder->options.buildid_dir, *home = getenv("HOME");
	char id[2 * PERFDATA_BUILD_ID_SIZE + 1], *path;

	if (!build_id.size || (folder ? !*folder : !home))
		return NULL;
	print_id(build_id, id);
	return asprintf(&path, "%s%s/.build-id/%.2s/%s%s", folder ? folder : home,
			folder ? "" : "/.debug", id, id + 2, name) < 0
		       ? NULL
		       : path;
}

static bool try_cache(struct unwind_module *module, const struct unwinder *unwinder)
{
	static const char *const names[] = { "/elf", "/vdso", "" };
	struct bytes build_id = recorded_id(module);
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(names) / sizeof(*names); i++) {
		char *path = unwinder__cached(unwinder, build_id, names[i]);

		found = path && try(&module->file, &module->path, build_id, "%s", path);
		free(path);
	}
	return found;
}

/* Recorded on this very kernel, as far as the profile tells. */
static bool is_of_this_kernel(const struct unwinder *unwinder)
{
	const char *release = perfdata__feature_string(unwinder->perfdata, PERFDATA_FEAT_OSRELEASE);
	struct utsname name;

	return release && uname(&name) == 0 && strcmp(release, name.release) == 0;
}

static int locate_vdso(struct unwind_module *module, const struct unwinder *unwinder)
{
	struct bytes build_id = recorded_id(module);

	module->reason = UNWIND_NO_FILE;
	if (module_file__open_vdso(&module->file) &&
	    (build_id.size ? module_file__is(&module->file, build_id)
			   : is_of_this_kernel(unwinder))) {
		module->reason = UNWIND_NAMED;
		return 0;
	}
	module_file__close(&module->file);
	if (try_cache(module, unwinder))
		module->reason = UNWIND_NAMED;
	return 0;
}

static bool is_there(const char *folder, const char *name)
{
	char *path;
	bool there;

	if (asprintf(&path, "%s%s", folder, name) < 0)
		return false;
	there = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
	free(path);
	return there;
}

int unwind_module__locate(struct unwind_module *module, const struct unwinder *unwinder)
{
	const struct unwind_options *options = &unwinder->options;
	const char *symfs = options->symfs ? options->symfs : "";
	const char *elsewhere =
		options->locate ? options->locate(options->context, module->name) : NULL;
	struct bytes build_id = recorded_id(module);

	if (strcmp(module->name, VDSO) == 0)
		return locate_vdso(module, unwinder);
	module->reason = UNWIND_NAMED;
	if (elsewhere && try(&module->file, &module->path, build_id, "%s", elsewhere))
		return 0;
	if (try(&module->file, &module->path, build_id, "%s%s", symfs, module->name) ||
	    try_cache(module, unwinder))
		return 0;
	module->reason =
		!is_there(symfs, module->name) ? UNWIND_NO_FILE
		: build_id.size && try(&module->file, &module->path, (struct bytes){ NULL, 0 },
				       "%s%s", symfs, module->name)
			? UNWIND_OTHER_FILE
			: UNWIND_NOT_ELF;
	module_file__close(&module->file);
	return 0;
}

/* .gnu_debuglink: a file name, padding to 4 bytes, CRC-32 of that file. */
static const char *read_debuglink(Elf *elf, uint32_t *crc)
{
	size_t names = 0;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name;
		GElf_Shdr header;
		Elf_Data *data;
		size_t length;

		if (!gelf_getshdr(scn, &header) ||
		    !(name = elf_strptr(elf, names, header.sh_name)) ||
		    strcmp(name, ".gnu_debuglink") != 0 || !(data = elf_rawdata(scn, NULL)))
			continue;
		length = strnlen(data->d_buf, data->d_size);
		if (align_up(length + 1, 4) + 4 > data->d_size)
			return NULL;
		*crc = get_u32((uint8_t *)data->d_buf + align_up(length + 1, 4),
			       elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB ? ORDER_BIG
									       : ORDER_LITTLE);
		return data->d_buf;
	}
	return NULL;
}

static bool has_crc(const struct module_file *file, uint32_t crc)
{
	return crc32_z(0, file->bytes.data, file->bytes.size) == crc;
}

/* Where gdb looks for it; without a build-id the first one of the right CRC is taken. */
static void try_debuglink(struct unwind_module *module, const char *debug_dir)
{
	const struct {
		const char *root, *below;
	} places[] = { { "", "" }, { "", "/.debug" }, { debug_dir, "" } };
	struct bytes build_id = { module->file.build_id, module->file.build_id_size };
	char *copy = module->path ? strdup(module->path) : NULL, *path = NULL;
	const char *folder = copy ? dirname(copy) : NULL, *link;
	uint32_t crc;

	link = folder ? read_debuglink(module->file.elf, &crc) : NULL;
	for (size_t i = 0; link && i < sizeof(places) / sizeof(*places); i++) {
		if (!try(&module->debug, &path, build_id, "%s%s%s/%s", places[i].root, folder,
			 places[i].below, link))
			continue;
		if (build_id.size || has_crc(&module->debug, crc))
			break;
		module_file__close(&module->debug);
	}
	free(path);
	free(copy);
}

void unwind_module__locate_debug(struct unwind_module *module, const struct unwinder *unwinder)
{
	const char *debug_dir =
		unwinder->options.debug_dir ? unwinder->options.debug_dir : "/usr/lib/debug";
	struct bytes build_id = { module->file.build_id, module->file.build_id_size };
	char id[2 * PERFDATA_BUILD_ID_SIZE + 1], *path = NULL;

	print_id(build_id, id);
	if (build_id.size)
		try(&module->debug, &path, build_id, "%s/.build-id/%.2s/%s.debug", debug_dir, id,
		    id + 2);
	free(path);
	if (!module->debug.elf)
		try_debuglink(module, debug_dir);
}
