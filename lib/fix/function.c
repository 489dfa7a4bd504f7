// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/function.h"

#include <errno.h>
#include <xxhash.h>

#define HASH_NONFATAL_OOM              1
#define uthash_nonfatal_oom(e)         ((e)->own.distance = 0)
#define HASH_FUNCTION(key, size, hash) ((hash) = (unsigned int)XXH3_64bits((key), (size)))
#include <uthash.h>

#include "base/diag.h"
#include "cfi/disassemble.h"
#include "cfi/frame_pointer.h"
#include "cfi/repair.h"
#include "fix/runtime.h"

#define BLOCK_SIZE 65536
/* Tables that are held against their code even if nobody unwinds through it. */
#define CHECKED_ANYWAY 200

static bool same_cie(const struct cfi_cie *a, const struct cfi_cie *b)
{
	return a->code_align == b->code_align && a->data_align == b->data_align &&
	       a->ra_register == b->ra_register && a->signal_frame == b->signal_frame &&
	       a->pauth_b_key == b->pauth_b_key && bytes__equal(a->instructions, b->instructions);
}

/* The one copy of a CIE; NULL without memory. */
static const struct cfi_cie *intern(struct functions *functions, const struct cfi_cie *cie)
{
	struct cfi_cie *copy;

	/* the newest first: neighbours are alike */
	for (size_t i = functions->cies.count; i > 0; i--)
		if (same_cie(functions->cies.items[i - 1], cie))
			return functions->cies.items[i - 1];
	copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *cie;
	if (!array__push(&functions->cies, copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

static const struct cfi_table *shared_table(struct functions *functions,
					    const struct code_unwind *unwind,
					    const struct cfi_target *target, const char *file)
{
	struct shared_cfi *shared;

	for (size_t i = functions->shared.count; i > 0; i--)
		if (functions->shared.items[i - 1]->unwind == unwind)
			return &functions->shared.items[i - 1]->table;
	shared = calloc(1, sizeof(*shared));
	if (!shared)
		return NULL;
	shared->unwind = unwind;
	if (cfi_table__read(&shared->table, unwind->eh_frame, 0, target, file, unwind->offset,
			    functions->diag) < 0 ||
	    !array__push(&functions->shared, shared)) {
		cfi_table__free(&shared->table);
		free(shared);
		return NULL;
	}
	return &shared->table;
}

static int from_shared(struct functions *functions, const struct code_record *record,
		       const struct cfi_target *target, const char *file, struct cfi_entry *entry)
{
	const struct cfi_table *table = shared_table(functions, record->unwind, target, file);
	const struct cfi_fde *fde;

	if (!table)
		return -ENOMEM;
	fde = cfi_table__find(table, record->addr);
	if (!fde)
		return 0;
	entry->cie = intern(functions, &table->cies.items[fde->cie]);
	entry->instructions = fde->instructions;
	return entry->cie ? 0 : -ENOMEM;
}

/*
 * Consumers put .eh_frame at the next multiple of 8 behind the code, and producers compute their
 * pc-relative pointers from that.
 */
static uint64_t cfi_distance(const struct code_record *record)
{
	return align_up(record->size, 8);
}

/* The FDE of a record that describes one function: the record says whose it is, not the FDE. */
static int read_own(struct functions *functions, const struct code_record *record,
		    const struct cfi_target *target, const char *file, struct cfi_entry *entry)
{
	const struct code_unwind *unwind = record->unwind;
	struct cfi_table table = { 0 };
	const struct cfi_fde *fde;
	int err;

	err = cfi_table__read(&table, unwind->eh_frame, record->addr + cfi_distance(record), target,
			      file, unwind->offset, functions->diag);
	fde = err ? NULL : cfi_table__find(&table, record->addr);
	if (!err && !fde && table.fdes.count == 1) {
		fde = &table.fdes.items[0];
		functions->last.repaired = true;
		diag__report(functions->diag, DIAG_NOTE, "cfi.wrong-pc-begin", file, unwind->offset,
			     "FDE begins at %#llx, its code at %#llx: put right",
			     (unsigned long long)fde->addr, (unsigned long long)record->addr);
	}
	if (fde) {
		entry->cie = intern(functions, &table.cies.items[fde->cie]);
		entry->instructions = fde->instructions;
		if (!entry->cie)
			err = -ENOMEM;
	}
	cfi_table__free(&table);
	return err;
}

/* Says the first thing that was wrong with a table. */
static void report_table(struct functions *functions, const struct cfi_check *check,
			 const struct code_record *record, const char *file, const char *outcome)
{
	array__for_each(finding, &check->findings) {
		if (finding->harmless)
			continue;
		diag__report(functions->diag, DIAG_NOTE, finding->kind, file,
			     record->unwind->offset, "%s: %s", finding->text, outcome);
		return;
	}
}

/*
 * Holds a table against its code. What is encoded wrongly is put right; one that is wrong about
 * more of the code than it is right about is left out.
 */
static int put_right(struct functions *functions, const struct code_record *record,
		     const struct cfi_target *target, const char *file, struct cfi_entry *entry)
{
	const struct cfi_producer producer = {
		.eh_frame = record->unwind->eh_frame,
		.eh_frame_hdr = record->unwind->eh_frame_hdr,
		.eh_frame_addr = record->addr + cfi_distance(record),
		.code = record->code,
		.addr = record->addr,
	};
	struct cfi_track_options options = { 0 };
	struct cfi_check check = { 0 };
	struct cfi_repair repair = { 0 };
	int err = disassembler__renew(&functions->disassembler, target);

	options.disassembler = functions->disassembler;
	if (err != -ENOMEM)
		err = cfi__repair(&repair, &check, &producer, target, &options);
	if (!err && repair.usable && repair.changed && (repair.checked || !entry->cie)) {
		if (!functions->last.repaired)
			report_table(functions, &check, record, file, "put right");
		functions->last.repaired = true;
		entry->cie = intern(functions, &repair.cie);
		entry->instructions = repair.instructions;
		err = entry->cie ? 0 : -ENOMEM;
	} else if (!err && !repair.usable && check.nr_wrong > check.nr_agree) {
		report_table(functions, &check, record, file, "not used");
		functions->last.repaired = false;
		entry->cie = NULL;
	}
	cfi_check__free(&check);
	return err;
}

/*
 * Whether a table is held against its code, which takes a hundred times as long as copying it: time
 * well spent if readers will unwind through the function. Some others are enough to find out a
 * runtime that never writes them right.
 */
static bool is_checked(const struct functions *functions, const struct member *member)
{
	return functions->source == FUNCTION_CFI_AUTO && member->code->record->code.size &&
	       ((functions->unwinds && member->wants_cfi) ||
		functions->nr_checked < CHECKED_ANYWAY);
}

static bool is_like(const struct own_cfi *own, const struct code_record *record)
{
	return own->distance == cfi_distance(record) &&
	       bytes__equal(own->eh_frame, record->unwind->eh_frame) &&
	       bytes__equal(own->code, record->code);
}

struct own_cfi_checked {
	uint64_t hash; /* of code and table */
	struct own_cfi own;
	UT_hash_handle hh;
};

static uint64_t hash_of(const struct code_record *record)
{
	struct bytes table = record->unwind->eh_frame;

	return XXH3_64bits_withSeed(record->code.data, record->code.size,
				    XXH3_64bits(table.data, table.size));
}

/* What a check of the same code and table came to, or NULL. */
static const struct own_cfi *recall(const struct functions *functions,
				    const struct code_record *record, uint64_t hash)
{
	struct own_cfi_checked *known;

	HASH_FIND(hh, functions->checked, &hash, sizeof(hash), known);
	return known && is_like(&known->own, record) ? &known->own : NULL;
}

static int remember(struct functions *functions, const struct own_cfi *own, uint64_t hash)
{
	struct own_cfi_checked *fresh = calloc(1, sizeof(*fresh));
	bool added;

	if (!fresh)
		return -ENOMEM;
	fresh->hash = hash;
	fresh->own = *own;
	HASH_ADD(hh, functions->checked, hash, sizeof(hash), fresh);
	added = fresh->own.distance != 0;
	if (!added)
		free(fresh);
	return added ? 0 : -ENOMEM;
}

static void forget_checked(struct functions *functions)
{
	struct own_cfi_checked *own, *next;

	HASH_ITER(hh, functions->checked, own, next)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(functions->checked, own);
		free(own);
	}
}

/* Reads a record's own table and holds it against its code if check is set: functions->last. */
static int read_last(struct functions *functions, const struct code_record *record, bool check,
		     const struct function_context *context)
{
	struct cfi_entry entry = { .cie = NULL };
	int err;

	functions->last = (struct own_cfi){ 0 };
	functions->nr_checked += check;
	err = read_own(functions, record, context->target, context->file, &entry);
	if (!err && check)
		err = put_right(functions, record, context->target, context->file, &entry);
	if (err)
		return err;
	functions->last = (struct own_cfi){
		.eh_frame = record->unwind->eh_frame,
		.code = record->code,
		.distance = cfi_distance(record),
		.cie = entry.cie,
		.instructions = entry.instructions,
		.checked = check,
		.repaired = functions->last.repaired,
	};
	return 0;
}

static int from_own(struct functions *functions, const struct member *member,
		    const struct function_context *context, struct cfi_entry *entry)
{
	const struct code_record *record = member->code->record;
	bool check = is_checked(functions, member);
	const struct own_cfi *known = NULL;
	uint64_t hash;
	int err = 0;

	if (!is_like(&functions->last, record) || (check && !functions->last.checked)) {
		hash = check ? hash_of(record) : 0;
		known = check ? recall(functions, record, hash) : NULL;
		if (known)
			functions->last = *known;
		else
			err = read_last(functions, record, check, context);
		if (!err && check && !known)
			err = remember(functions, &functions->last, hash);
		if (err)
			return err;
	}
	entry->cie = functions->last.cie;
	entry->instructions = functions->last.instructions;
	return 0;
}

/* A copy of rows that lives as long as functions; no data without memory. */
static struct bytes keep_rows(struct functions *functions, const struct buf *rows)
{
	uint8_t *block;

	if (!functions->blocks.count || functions->block_used + rows->size > BLOCK_SIZE) {
		block = malloc(rows->size > BLOCK_SIZE ? rows->size : BLOCK_SIZE);
		if (!block || !array__push(&functions->blocks, block)) {
			free(block);
			return (struct bytes){ 0 };
		}
		functions->block_used = 0;
	}
	block = functions->blocks.items[functions->blocks.count - 1] + functions->block_used;
	memcpy(block, rows->data, rows->size);
	functions->block_used += rows->size;
	return (struct bytes){ block, rows->size };
}

static bool has_table(const struct code_record *record)
{
	return record->unwind && record->unwind->eh_frame.size;
}

/* An unwinding record without any CFI in it says that frame pointers do (V8). */
static bool promises_frame_pointer(const struct code_record *record)
{
	return record->unwind && !record->unwind->eh_frame.size;
}

static int add(struct function_cfi *cfi, const struct cfi_cie *cie, struct bytes instructions,
	       uint64_t addr, uint64_t size)
{
	return array__push(&cfi->entries, (struct cfi_entry){ cie, instructions, addr, size })
		       ? 0
		       : -ENOMEM;
}

/* Each of these leaves origin alone when it gives no CFI. */

static int from_frame_pointer(struct functions *functions, const struct member *member,
			      const struct function_context *context, struct function_cfi *cfi,
			      enum function_origin *origin)
{
	const struct code_record *record = member->code->record;
	struct buf rows = BUF(context->target->order);
	struct bytes kept = { 0 };
	int err = 0;

	if (record->code.size &&
	    cfi__frame_pointer_rows(record->code, promises_frame_pointer(record), context->target,
				    &rows)) {
		if (!rows.failed)
			kept = keep_rows(functions, &rows);
		err = kept.data ? add(cfi, cfi__frame_pointer_cie(context->target), kept,
				      member->addr, member->end - member->addr)
				: -ENOMEM;
		*origin = FUNCTION_FRAME_POINTER;
	}
	buf__free(&rows);
	return err;
}

static int from_code(struct functions *functions, const struct member *member,
		     const struct function_context *context, struct function_cfi *cfi,
		     enum function_origin *origin)
{
	const struct code_record *record = member->code->record;
	const struct runtime *runtime = context->runtime;
	const struct synthesis_facts facts = {
		.hotspot = runtime && runtime->hotspot,
		.host = runtime && runtime->has_host ? &runtime->host : NULL,
	};
	uint64_t member_size = member->end - member->addr;
	struct synthesis_result result;
	int err = synthesis__make(&functions->synthesis, record, &facts, context->target, &result);

	for (size_t i = 0; !err && i < result.nr_pieces; i++) {
		const struct synthesis_piece *piece = &result.pieces[i];
		uint64_t left = piece->offset < member_size ? member_size - piece->offset : 0;

		if (!left)
			continue;
		err = add(cfi, result.cie, piece->instructions, member->addr + piece->offset,
			  piece->size < left ? piece->size : left);
		*origin = FUNCTION_SYNTHESISED;
	}
	return err;
}

static int from_producer(struct functions *functions, const struct member *member,
			 const struct function_context *context, struct function_cfi *cfi,
			 enum function_origin *origin)
{
	const struct code_record *record = member->code->record;
	struct cfi_entry entry = { .addr = member->addr, .size = member->end - member->addr };
	int err = 0;

	if (has_table(record))
		err = record->unwind->shared ? from_shared(functions, record, context->target,
							   context->file, &entry)
					     : from_own(functions, member, context, &entry);
	if (err || !entry.cie)
		return err;
	*origin = !record->unwind->shared && functions->last.repaired ? FUNCTION_REPAIRED
								      : FUNCTION_PRODUCER;
	return array__push(&cfi->entries, entry) ? 0 : -ENOMEM;
}

/*
 * What is followed costs time, which is well spent only if somebody looks at the rows. Runtimes
 * that promise a frame pointer (V8) need it: calls take arguments off the stack, or make the frame.
 */
static bool follows_code(const struct functions *functions, const struct code_record *record)
{
	if (functions->without_synthesis || promises_frame_pointer(record))
		return false;
	return functions->source == FUNCTION_CFI_SYNTH ||
	       (functions->source == FUNCTION_CFI_AUTO && functions->unwinds);
}

bool functions__follow(const struct functions *functions, const struct code_record *record)
{
	if (!functions->unwinds || !record->code.size)
		return false;
	if (functions->source == FUNCTION_CFI_AUTO && has_table(record))
		return !record->unwind->shared;
	return follows_code(functions, record);
}

int functions__make(struct functions *functions, const struct member *member,
		    const struct function_context *context, struct dso_function *function,
		    struct function_cfi *cfi)
{
	enum function_cfi_source source = functions->source;
	enum function_origin origin = FUNCTION_NO_CFI;
	int err = 0;

	*function = (struct dso_function){ member->code->record, member->addr,
					   member->end - member->addr };
	if (source == FUNCTION_CFI_AUTO || source == FUNCTION_CFI_PRODUCER)
		err = from_producer(functions, member, context, cfi, &origin);
	if (!err && origin == FUNCTION_NO_CFI && follows_code(functions, member->code->record)) {
		if (member->wants_cfi)
			err = from_code(functions, member, context, cfi, &origin);
		else
			origin = FUNCTION_UNNEEDED;
	}
	if (!err && origin == FUNCTION_NO_CFI && source != FUNCTION_CFI_PRODUCER &&
	    source != FUNCTION_CFI_NONE && !functions->without_frame_pointer_rule)
		err = from_frame_pointer(functions, member, context, cfi, &origin);
	functions->by_origin[origin]++;
	return err || array__push(&cfi->origins, (uint8_t)origin) ? err : -ENOMEM;
}

void functions__free(struct functions *functions)
{
	synthesis__free(&functions->synthesis);
	disassembler__free(functions->disassembler);
	forget_checked(functions);
	array__for_each(cie, &functions->cies)
		free(*cie);
	array__for_each(shared, &functions->shared) {
		cfi_table__free(&(*shared)->table);
		free(*shared);
	}
	array__for_each(block, &functions->blocks)
		free(*block);
	array__free(&functions->cies);
	array__free(&functions->shared);
	array__free(&functions->blocks);
}
