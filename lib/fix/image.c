// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/image.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>

#include "base/diag.h"
#include "code/machine.h"
#include "fix/function.h"
#include "fix/outlines.h"
#include "fix/region.h"
#include "fix/runtime.h"
#include "fix/scan.h"
#include "fix/space.h"

/*
 * Readers of perf 7.x keep their list of modules when a DSO is mapped over another and find the
 * right one only when the newer lies inside the older: each generation begins a step further on.
 */
#define NESTING_STEP 16
/* .eh_frame reaches the code by 32-bit pc-relative pointers. */
#define HOLE_LIMIT (UINT64_C(1) << 30)

struct imager {
	struct plan *plan;
	const struct plan_options *options;
	struct diag *diag;
	struct space space; /* of the region's process */
	const struct process *space_of;
	struct runtime runtime; /* of the region's process */
};

static const struct found_dump *dump_of(const struct plan *plan, const struct process *process)
{
	for (; process; process = process->parent)
		array__for_each(found, &plan->discovery->dumps)
			if (found->process == process)
				return found;
	return NULL;
}

/* The file that tells of a process' code, for reports. */
static const char *source_of(const struct plan *plan, const struct process *process)
{
	const struct found_dump *found = dump_of(plan, process);

	if (found)
		return jitdump__path(found->dump);
	for (; process; process = process->parent)
		array__for_each(map, &plan->discovery->maps)
			if (map->process == process)
				return perfmap__path(map->map);
	return "";
}

/* What a 32-bit program can't have. */
static bool is_mapped_beyond_32_bits(const struct process *process)
{
	for (; process; process = process->execed ? NULL : process->parent)
		array__for_each(mapping, &process->mappings)
			if (!mapping->kernel && mapping__end(mapping) - 1 > UINT32_MAX)
				return true;
	return false;
}

/* Whether a machine of kind host runs this process as a program of another kind. */
static bool runs(uint16_t host, uint16_t machine, const struct process *process)
{
	bool narrow = (host == EM_X86_64 && machine == EM_386) ||
		      (host == EM_AARCH64 && machine == EM_ARM) ||
		      (host == EM_PPC64 && machine == EM_PPC);

	return machine == host || (narrow && !is_mapped_beyond_32_bits(process));
}

/*
 * Producers write 0 or a wrong machine; the profile knows better, but for 32-bit programs. Perf
 * maps tell none.
 */
static struct cfi_target target_of(const struct plan *plan, const struct process *process)
{
	const struct found_dump *found = dump_of(plan, process);
	uint16_t host = perfdata__machine(plan->perfdata);
	uint16_t machine = found ? (uint16_t)jitdump__header(found->dump)->elf_mach : 0;

	if (host && (!machine || !runs(host, machine, process)))
		machine = host;
	if (!machine)
		machine = EM_X86_64;
	return (struct cfi_target){
		.machine = machine,
		.class = host == machine && perfdata__elf_class(plan->perfdata)
				 ? perfdata__elf_class(plan->perfdata)
				 : machine__class(machine),
		.order = perfdata__order(plan->perfdata),
	};
}

static int make_functions(struct imager *imager, const struct region *region,
			  const struct generation *generation, const char *file,
			  struct plan_dso *dso)
{
	struct dso_spec *spec = &dso->spec;
	struct dso_function *functions = calloc(generation->members.count + 1, sizeof(*functions));
	struct function_context context = { .target = &spec->target,
					    .file = file,
					    .runtime = &imager->runtime };
	struct function_cfi cfi = { 0 };
	int err = 0;

	if (imager->runtime.process != region->process)
		runtime__find(&imager->runtime, imager->plan, region->process, &spec->target);
	spec->functions = functions;
	if (!functions)
		return -ENOMEM;
	array__for_each(member, &generation->members)
		if (!err)
			err = functions__make(imager->plan->functions, *member, &context,
					      &functions[spec->nr_functions++], &cfi);
	spec->cfi = cfi.entries.items;
	spec->nr_cfi = cfi.entries.count;
	dso->origins = cfi.origins.items;
	return err;
}

/* What tells apart DSOs of equal content: whose code it is, and when. */
static int set_identity(struct dso_spec *spec, const struct region *region, size_t generation)
{
	uint64_t words[] = { region->process->pid, region->process->start,
			     region->first_number + generation };
	void *room = malloc(sizeof(words));
	uint8_t *identity = room;

	if (!identity)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		set_u64(identity + 8 * i, words[i], ORDER_LITTLE);
	spec->identity = (struct bytes){ identity, sizeof(words) };
	return 0;
}

/* How far before the code the nesting of generations makes this one begin. */
static uint64_t nesting_room(const struct imager *imager, const struct region *region,
			     size_t number)
{
	const struct family *family = &imager->plan->regions->families.items[region->family];

	if (!region->whole || imager->options->without & FIX_NESTING)
		return 0;
	return NESTING_STEP * (family->nr_generations - 1 - number);
}

/* Bytes before the code that the widest DSO of a family takes. */
static uint64_t room_before(const struct imager *imager, const struct region *region)
{
	if (region->home == HOME_FILE)
		return 0;
	return nesting_room(imager, region, 0) +
	       dso__header_size(ELFCLASS64,
				region->single ? DSO_HEADERS_APART : DSO_HEADERS_BEFORE);
}

static bool is_inherited(const struct process *process, const struct process *from)
{
	while (process && process != from)
		process = process->execed ? NULL : process->parent;
	return process != NULL;
}

/* What a planned DSO is mapped to, with its CFI. */
static int take_image(struct imager *imager, const struct plan_dso *dso, size_t family)
{
	uint64_t start = dso->header_mapped ? dso->spec.base : dso->lo;
	int err = 0;

	if (dso->spec.unwind && dso->unwind_mapped)
		err = space__take(&imager->space, dso->spec.unwind, dso->layout.unwind_end,
				  SPACE_NO_OWNER);
	else if (dso->unwind_mapped)
		err = space__take(&imager->space, start, dso->layout.unwind_end, family);
	return err;
}

/* All that DSOs of the process must not hide: its mappings, and code and DSOs that it inherited. */
static int read_space(struct imager *imager, const struct region *region)
{
	const struct plan *plan = imager->plan;
	int err;

	if (imager->space_of == region->process)
		return 0;
	space__free(&imager->space);
	imager->space_of = region->process;
	err = space__read(&imager->space, region->process);
	array__for_each(other, &plan->regions->list)
		if (!err && is_inherited(region->process, other->process)) {
			uint64_t room = room_before(imager, other);

			err = space__take(&imager->space, other->lo > room ? other->lo - room : 0,
					  other->hi, other->family);
		}
	array__for_each(dso, &plan->dsos)
		if (!err && is_inherited(region->process, dso->process))
			err = take_image(imager, dso,
					 plan->regions->list.items[dso->region].family);
	return err;
}

/*
 * The headers go before the code where nothing is hidden by them: a DSO that begins within another
 * file's memory confuses readers, however little it is. Only code in a file does so always, and
 * is not mapped from its headers on.
 */
static bool place_headers(struct imager *imager, const struct region *region, size_t number,
			  struct plan_dso *dso)
{
	uint8_t class = dso->spec.target.class;
	uint64_t widest = nesting_room(imager, region, 0), room;

	dso->spec.headers = region->single ? DSO_HEADERS_APART : DSO_HEADERS_BEFORE;
	room = dso__header_size(class, dso->spec.headers);
	dso->header_mapped = region->home != HOME_FILE;
	if (region->home != HOME_FILE &&
	    (room + widest > dso->lo ||
	     space__is_covered(&imager->space, dso->lo - room - widest, dso->lo, region->family))) {
		dso->spec.headers = DSO_HEADERS_OVERLAID;
		room = 0;
	}
	room += nesting_room(imager, region, number);
	if (room > dso->lo)
		return false;
	dso->spec.base = dso->lo - room;
	return true;
}

static const char *reason_of(const struct region *region, const struct plan_dso *dso)
{
	if (region->home == HOME_FILE)
		return "code in a file: mapped over the file's mapping, without headers";
	if (dso->spec.headers == DSO_HEADERS_OVERLAID)
		return "something else right before the code: ELF header over its first bytes";
	if (region->single)
		return "few functions with room between them: a DSO for each";
	return region->whole ? "code runs on: one DSO for the region"
			     : "no stacks to unwind: later functions are mapped one by one";
}

/* Where the CFI goes: behind the code if nothing is hidden by it, else into a hole. */
static int place_unwind(struct imager *imager, const struct region *region, struct plan_dso *dso)
{
	uint64_t end = dso->layout.unwind_end, hole;

	dso->unwind_mapped = dso->spec.nr_cfi > 0;
	if (!space__is_covered(&imager->space, dso->hi, end, region->family)) {
		dso->unwind_mapped = true;
		return 0;
	}
	if (!dso->unwind_mapped) {
		dso->reason =
			"no CFI, and a file is mapped behind the code: only the code is mapped";
		return 0;
	}
	if (!imager->plan->scan->unwinds_stack && !imager->plan->scan->samples_registers) {
		dso->unwind_mapped = false;
		dso->reason = "something else right behind the code, and nothing to unwind: CFI is "
			      "in the file only";
		return 0;
	}
	hole = imager->options->without & FIX_HOLE
		       ? 0
		       : space__find_hole(&imager->space, dso->hi, end - dso->hi, HOLE_LIMIT);
	if (!hole) {
		dso->unwind_mapped = false;
		dso->reason = "no room for CFI near the code: libunwind will not find it";
		return 0;
	}
	dso->spec.unwind = hole;
	dso->reason = "something else right behind the code: CFI is mapped in a hole";
	return dso__layout(&dso->spec, &dso->layout, imager->diag);
}

/*
 * A DSO over code in a file takes that file's outline. False when it can't: the file is not here,
 * or nobody will unwind, so that the shape does not matter.
 */
static bool follow_outline(struct imager *imager, const struct region *region, struct plan_dso *dso)
{
	const struct mapping *mapping;
	uint64_t vaddr;

	if (region->home != HOME_FILE || !region->whole || imager->options->without & FIX_OVERLAY)
		return false;
	mapping = process__mapping(region->process, dso->spec.functions[0].addr, CODE_FOREVER - 1);
	if (!mapping || !mapping->file || mapping->start < mapping->pgoff)
		return false;
	dso->outline = plan__outline(imager->plan, mapping->name, &dso->spec.target);
	if (!dso->outline)
		return false;
	dso->spec.base = mapping->start - mapping->pgoff;
	dso->spec.text_end = dso->hi;
	if (!dso_outline__vaddr(dso->outline, dso->spec.target.order,
				dso->spec.functions[0].addr - dso->spec.base, &vaddr)) {
		dso->outline = NULL;
		return false;
	}
	dso->layout = (struct dso_layout){
		.text = dso->spec.functions[0].addr,
		.unwind_end = dso->hi,
		.load_end = dso->hi,
	};
	dso->reason = "code in a file: the DSO has the outline of that file";
	return true;
}

/* Functions that are mapped one by one need nothing around them. */
static void narrow_layer(const struct region *region, struct plan_dso *dso)
{
	const struct generation *layer = &region->generations.items[dso->generation];

	if (region->whole || !dso->generation)
		return;
	dso->lo = layer->members.items[0]->addr;
	dso->hi = layer->members.items[layer->members.count - 1]->end;
}

/* It costs its own functions only. */
static int leave_unnamed(const struct imager *imager, struct plan_dso *dso, const char *kind,
			 const char *source, const char *why)
{
	dso->spec.base = 0;
	diag__report(imager->diag, DIAG_WARNING, kind, source, DIAG_NO_OFFSET,
		     "code of pid %u at %#llx-%#llx %s: its %zu function%s stay unnamed",
		     dso->process->pid, (unsigned long long)dso->lo, (unsigned long long)dso->hi,
		     why, dso->spec.nr_functions, dso->spec.nr_functions == 1 ? "" : "s");
	return 0;
}

static int plan_image(struct imager *imager, const struct region *region, size_t number,
		      struct plan_dso *dso)
{
	const struct family *family = &imager->plan->regions->families.items[region->family];
	const char *source = source_of(imager->plan, region->process);
	int err;

	dso->lo = family->lo;
	dso->hi = family->hi;
	/* all of its code is in other generations */
	if (!region->generations.items[dso->generation].members.count)
		return 0;
	narrow_layer(region, dso);
	dso->spec.target = target_of(imager->plan, region->process);
	dso->spec.lines = !imager->options->no_lines;
	dso->spec.bare = imager->options->without & FIX_EMPTY_HEADER;
	err = make_functions(imager, region, &region->generations.items[dso->generation], source,
			     dso);
	if (!err)
		err = set_identity(&dso->spec, region, dso->generation);
	if (err)
		return err;
	if (follow_outline(imager, region, dso))
		return 0;
	if (!place_headers(imager, region, number, dso))
		return leave_unnamed(imager, dso, "fix.address-too-low", source,
				     "lies too low for what must be before it");
	dso->spec.text_end = dso->hi;
	err = dso__layout(&dso->spec, &dso->layout, imager->diag);
	if (err)
		return err;
	dso->reason = reason_of(region, dso);
	err = place_unwind(imager, region, dso);
	return err ? err : take_image(imager, dso, region->family);
}

static int plan_region(struct imager *imager, size_t index)
{
	struct plan *plan = imager->plan;
	struct region *region = &plan->regions->list.items[index];
	int err = read_space(imager, region);

	region->first_dso = plan->dsos.count;
	for (size_t g = 0; !err && g < region->generations.count; g++) {
		struct plan_dso dso = { .process = region->process,
					.region = index,
					.generation = g };

		err = plan_image(imager, region, region->first_number + g, &dso);
		if (err == -ERANGE)
			err = leave_unnamed(imager, &dso, "fix.no-image",
					    source_of(plan, region->process), "fits in no DSO");
		if (!array__push(&plan->dsos, dso)) {
			free((void *)(uintptr_t)dso.spec.functions);
			free((void *)(uintptr_t)dso.spec.cfi);
			free((void *)(uintptr_t)dso.spec.identity.data);
			free(dso.origins);
			return -ENOMEM;
		}
	}
	plan->nr_dropped += region->dropped;
	return err;
}

/* All generations of a family end at one address: then each lies inside the one before. */
static int even_out(struct plan *plan)
{
	struct regions *regions = plan->regions;
	uint64_t *ends = calloc(regions->families.count + 1, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	array__for_each(dso, &plan->dsos) {
		size_t family = regions->list.items[dso->region].family;

		if (dso->layout.load_end > ends[family])
			ends[family] = dso->layout.load_end;
	}
	array__for_each(dso, &plan->dsos) {
		const struct region *region = &regions->list.items[dso->region];

		if (region->whole && regions->families.items[region->family].nr_generations > 1)
			dso->spec.memory_end = ends[region->family];
	}
	free(ends);
	return 0;
}

/* "<folder>/jit-<pid>-<region>-<generation>-<build-id>.so": no spaces, equal for equal content. */
static int name_image(struct plan_dso *dso, const struct plan_options *options)
{
	int err = dso__build_id(&dso->spec, dso->build_id);
	const uint8_t *id = dso->build_id;
	char name[128];

	if (err)
		return err;
	snprintf(name, sizeof(name), "jit-%u-%zu-%zu-%02x%02x%02x%02x%02x%02x.so",
		 dso->process->pid, dso->region, dso->generation, id[0], id[1], id[2], id[3], id[4],
		 id[5]);
	if (asprintf(&dso->path, "%s/%s", options->dso_dir, name) < 0)
		dso->path = NULL;
	if (asprintf(&dso->recorded, "%s/%s",
		     options->relocate ? options->relocate : options->dso_dir, name) < 0)
		dso->recorded = NULL;
	return dso->path && dso->recorded ? 0 : -ENOMEM;
}

int images__plan(struct plan *plan, const struct plan_options *options, struct diag *diag)
{
	struct imager imager = { .plan = plan, .options = options, .diag = diag };
	int err = 0;

	for (size_t i = 0; !err && i < plan->regions->list.count; i++)
		err = plan_region(&imager, i);
	space__free(&imager.space);
	if (!err)
		err = even_out(plan);
	if (err)
		return err;
	array__for_each(dso, &plan->dsos) {
		if (!dso->spec.nr_functions || !dso->spec.base)
			continue;
		err = name_image(dso, options);
		if (err)
			return err;
		plan->dso_bytes += dso->layout.load_end - dso->lo;
	}
	return 0;
}
