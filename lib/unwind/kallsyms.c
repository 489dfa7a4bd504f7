// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of kallsyms: address, type as of nm, name, and for a module's its name in brackets. */
#include "unwind/kallsyms.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwinder.h"

#define KERNEL "[kernel.kallsyms]"
#define NOTES  "/sys/kernel/notes"

void kernel_symbols__note(struct kernel_symbols *kernel, const struct perfdata_mmap *mmap)
{
	size_t prefix = strlen(KERNEL);

	if (mmap->pid != UINT32_MAX || *kernel->reference ||
	    strncmp(mmap->name, KERNEL, prefix) != 0)
		return;
	snprintf(kernel->reference, sizeof(kernel->reference), "%s", mmap->name + prefix);
	kernel->place = mmap->pgoff;
}

/* False: the line is of no code. */
static bool parse_line(char *line, struct symbol *symbol)
{
	char *type, *name;

	*symbol = (struct symbol){ .start = strtoull(line, &type, 16) };
	if (*type++ != ' ' || !strchr("TtWw", *type) || type[1] != ' ')
		return false;
	name = type + 2;
	name[strcspn(name, "\t\n")] = '\0';
	symbol->end = symbol->start;
	symbol->name = name;
	symbol->binding = tolower(*type) == 'w' ? STB_WEAK : *type == 'T' ? STB_GLOBAL : STB_LOCAL;
	return *name;
}

static bool keep(struct symbols *symbols, struct symbol *symbol)
{
	char *name = strdup(symbol->name);

	if (!name || !array__push(&symbols->made, name)) {
		free(name);
		return false;
	}
	symbol->name = name;
	symbol->nth = (uint32_t)symbols->list.count;
	return array__push(&symbols->list, *symbol);
}

/*
 * Reads all of a file; the kernel's place there is in *place, 0 if it does not tell: addresses are
 * zeros for who may not know them.
 */
static bool read_file(struct symbols *symbols, const char *path, const char *reference,
		      uint64_t *place)
{
	FILE *file = fopen(path, "re");
	struct symbol symbol;
	char *line = NULL;
	size_t size = 0;
	bool ok = file;

	*place = 0;
	while (ok && getline(&line, &size, file) > 0) {
		if (!parse_line(line, &symbol))
			continue;
		if (!*place && strcmp(symbol.name, reference) == 0)
			*place = symbol.start;
		ok = keep(symbols, &symbol);
	}
	free(line);
	if (file)
		fclose(file);
	return ok && *place;
}

/* Whether the notes of the running kernel hold the recorded build-id. */
static bool is_running(struct bytes build_id)
{
	uint8_t notes[4096];
	FILE *file = fopen(NOTES, "re");
	size_t size = file ? fread(notes, 1, sizeof(notes), file) : 0;

	if (file)
		fclose(file);
	return size && memmem(notes, size, build_id.data, build_id.size);
}

static bool read_running(struct kernel_symbols *kernel, struct bytes build_id)
{
	uint64_t place;

	if (is_running(build_id) &&
	    read_file(&kernel->symbols, "/proc/kallsyms", kernel->reference, &place) &&
	    place == kernel->place)
		return true;
	symbols__free(&kernel->symbols);
	kernel->symbols = (struct symbols){ 0 };
	return false;
}

/* The kernel may have stood elsewhere when perf record made the copy. */
static bool read_cache(struct kernel_symbols *kernel, const struct unwinder *unwinder,
		       struct bytes build_id)
{
	char *path = unwinder__cached(unwinder, build_id, "/kallsyms");
	uint64_t place;
	bool ok = path && read_file(&kernel->symbols, path, kernel->reference, &place);

	free(path);
	if (!ok) {
		symbols__free(&kernel->symbols);
		kernel->symbols = (struct symbols){ 0 };
		return false;
	}
	array__for_each(symbol, &kernel->symbols.list) {
		symbol->start += kernel->place - place;
		symbol->end = symbol->start;
	}
	return true;
}

static void open_symbols(struct kernel_symbols *kernel, const struct unwinder *unwinder)
{
	uint8_t id[PERFDATA_BUILD_ID_SIZE];
	struct bytes build_id = { id, perfdata__build_id(unwinder->perfdata, KERNEL, id) };

	if (!*kernel->reference || !build_id.size)
		return;
	/* files are those of another machine below symfs */
	if ((!unwinder->options.symfs && read_running(kernel, build_id)) ||
	    read_cache(kernel, unwinder, build_id))
		symbols__finish(&kernel->symbols);
}

const struct symbol *kernel_symbols__find(struct kernel_symbols *kernel,
					  const struct unwinder *unwinder, uint64_t ip)
{
	pthread_mutex_lock(&kernel->lock);
	if (!kernel->opened)
		open_symbols(kernel, unwinder);
	kernel->opened = true;
	pthread_mutex_unlock(&kernel->lock);
	return symbols__find(&kernel->symbols, ip);
}

void kernel_symbols__free(struct kernel_symbols *kernel)
{
	symbols__free(&kernel->symbols);
	pthread_mutex_destroy(&kernel->lock);
}
