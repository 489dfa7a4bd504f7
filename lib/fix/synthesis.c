// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/synthesis.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#define HASH_NONFATAL_OOM              1
#define uthash_nonfatal_oom(e)         ((e)->code.data = NULL)
#define HASH_FUNCTION(key, size, hash) ((hash) = (unsigned int)XXH3_64bits((key), (size)))
#include <uthash.h>

#include "cfi/disassemble.h"
#include "cfi/machine.h"
#include "cfi/track.h"
#include "fix/host_frame.h"
#include "fix/hotspot.h"

/* What was made of one piece of code. */
struct synthesis_body {
	struct bytes code;                    /* the record's, which outlives this */
	ARRAY(struct synthesis_piece) pieces; /* their instructions: views into instructions */
	struct buf instructions;
	UT_hash_handle hh;
};

static bool is_method(const struct code_record *record, const struct synthesis_facts *facts)
{
	return facts->hotspot && hotspot__is_method(record);
}

static void free_body(struct synthesis_body *body)
{
	array__free(&body->pieces);
	buf__free(&body->instructions);
	free(body);
}

/*
 * Whether code returns, with the stack as it was at its first instruction. If not, it may have been
 * entered in any way, jumped to (QEMU's blocks of code) as well as called.
 */
static bool returns(const struct cfi_rows *rows, const struct code_record *record,
		    const struct cfi_target *target, struct disassembler *disassembler)
{
	const struct cfi_machine *machine = cfi_machine__of(target);
	struct bytes code = record->code;
	uint64_t addr = record->addr;
	struct instruction instruction;
	bool found = false;

	while (!found && disassembler__read(disassembler, code, addr, &instruction)) {
		const struct cfi_row *row = strncmp(instruction.text, "ret", 3) == 0
						    ? cfi_rows__find(rows, addr)
						    : NULL;

		found = row && row->cfa.kind == CFI_RULE_REGISTER && row->cfa.reg == machine->sp &&
			row->cfa.offset == machine->entry_offset;
		code.data += instruction.size;
		code.size -= instruction.size;
		addr += instruction.size;
	}
	return found;
}

/* Rows of code that is entered in the way that options say, or is left out if it is not. */
static int track(struct cfi_rows *rows, const struct code_record *record,
		 const struct cfi_track_options *options, const struct cfi_target *target,
		 bool must_return)
{
	struct cfi_track_result ignored = { 0 };
	int err = cfi__track(rows, record->code, record->addr, target, options, &ignored);

	cfi_track_result__free(&ignored);
	if (err || (must_return && !returns(rows, record, target, options->disassembler)))
		cfi_rows__free(rows);
	return err;
}

/* The rows that can be shown for a record's code. 0, -ENOMEM or -ENOTSUP. */
static int find_rows(struct cfi_rows *rows, const struct code_record *record,
		     const struct synthesis_facts *facts, const struct cfi_target *target,
		     struct disassembler *disassembler)
{
	struct cfi_track_options options = { .disassembler = disassembler };
	struct cfi_row entry;
	bool failed = false;
	int err;

	if (facts->hotspot && hotspot__interpreter_rows(rows, record, target, &failed))
		return failed ? -ENOMEM : 0;
	if (is_method(record, facts))
		return hotspot__method_rows(rows, record, target, disassembler);
	err = track(rows, record, &options, target, !facts->hotspot);
	if (err || rows->rows.count || !facts->host)
		return err;
	host_frame__entry(&entry, facts->host, record, target);
	options.entry = &entry;
	options.fixed_frame = true;
	return track(rows, record, &options, target, false);
}

/* How many rows from the first on follow one another without a gap. */
static size_t run_length(const struct cfi_row *rows, size_t count)
{
	size_t length = 1;

	while (length < count && rows[length].addr == rows[length - 1].addr + rows[length - 1].size)
		length++;
	return length;
}

/* Encodes each run of rows. A run that has no encoding is left out. */
static int encode(struct synthesis_body *body, const struct cfi_rows *rows, uint64_t addr,
		  const struct cfi_target *target, const struct cfi_cie *cie)
{
	const struct cfi_row *items = rows->rows.items;
	size_t count = rows->rows.count, length;

	body->instructions.order = target->order;
	for (size_t i = 0; i < count; i += length) {
		size_t before = body->instructions.size;
		struct synthesis_piece piece = { .offset = items[i].addr - addr };
		const struct cfi_row *last;
		int err;

		length = run_length(items + i, count - i);
		last = &items[i + length - 1];
		err = cfi_rows__encode(items + i, length, cie, target, &body->instructions);
		if (err == -EINVAL) {
			body->instructions.size = before;
			continue;
		}
		piece.size = last->addr + last->size - items[i].addr;
		piece.instructions.size = body->instructions.size - before;
		if (err || !array__push(&body->pieces, piece))
			return -ENOMEM;
	}
	/* the buffer moves no more */
	count = 0;
	array__for_each(piece, &body->pieces) {
		piece->instructions.data = body->instructions.data + count;
		count += piece->instructions.size;
	}
	return 0;
}

static struct synthesis_body *make_body(struct synthesis *synthesis,
					const struct code_record *record,
					const struct synthesis_facts *facts,
					const struct cfi_target *target, const struct cfi_cie *cie)
{
	struct synthesis_body *body = calloc(1, sizeof(*body));
	struct cfi_rows rows = { 0 };
	int err = -ENOMEM;

	if (body) {
		body->code = record->code;
		/* a build without a disassembler knows of interpreters all the same */
		err = disassembler__renew(&synthesis->disassembler, target);
		if (err != -ENOMEM)
			err = find_rows(&rows, record, facts, target, synthesis->disassembler);
	}
	if (!err)
		err = encode(body, &rows, record->addr, target, cie);
	else if (err == -ENOTSUP)
		err = 0;
	cfi_rows__free(&rows);
	if (err && body) {
		free_body(body);
		body = NULL;
	}
	return body;
}

/* What was made of the same code with the same facts before, or NULL. */
static struct synthesis_body *find_body(const struct synthesis *synthesis,
					const struct code_record *record,
					const struct synthesis_facts *facts)
{
	struct synthesis_body *body;

	HASH_FIND(hh, synthesis->bodies[is_method(record, facts)], record->code.data,
		  record->code.size, body);
	return body;
}

/* False without memory; the body is then freed. */
static bool keep_body(struct synthesis *synthesis, struct synthesis_body *body,
		      const struct code_record *record, const struct synthesis_facts *facts)
{
	struct bytes code = body->code;

	if (!array__push(&synthesis->all, body)) {
		free_body(body);
		return false;
	}
	/* frames within a program's own may be of several programs */
	if (!facts->host)
		HASH_ADD_KEYPTR(hh, synthesis->bodies[is_method(record, facts)], code.data,
				code.size, body);
	return body->code.data != NULL;
}

int synthesis__make(struct synthesis *synthesis, const struct code_record *record,
		    const struct synthesis_facts *facts, const struct cfi_target *target,
		    struct synthesis_result *result)
{
	const struct cfi_machine *machine = cfi_machine__of(target);
	struct synthesis_body *body;

	*result = (struct synthesis_result){ 0 };
	if (!machine || !record->code.size)
		return 0;
	body = facts->host ? NULL : find_body(synthesis, record, facts);
	if (!body) {
		body = make_body(synthesis, record, facts, target, &machine->cie);
		if (!body || !keep_body(synthesis, body, record, facts))
			return -ENOMEM;
	}
	result->cie = &machine->cie;
	result->pieces = body->pieces.items;
	result->nr_pieces = body->pieces.count;
	return 0;
}

void synthesis__free(struct synthesis *synthesis)
{
	HASH_CLEAR(hh, synthesis->bodies[0]);
	HASH_CLEAR(hh, synthesis->bodies[1]);
	array__for_each(body, &synthesis->all)
		free_body(*body);
	array__free(&synthesis->all);
	disassembler__free(synthesis->disassembler);
	synthesis->disassembler = NULL;
}
