// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/hotspot.h"

#include <dwarf.h>
#include <errno.h>

#include "cfi/track.h"

/* DWARF numbers of x86-64 registers: System V ABI, AMD64 supplement, figure 3.36 */
#define RAX 0
#define RDX 1
#define RBX 3
#define RBP 6
#define RSP 7
#define R13 13
#define RA  16

#define INTERPRETER "Interpreter"

bool hotspot__is_its_own(const struct code_record *record)
{
	return strcmp(record->name, INTERPRETER) == 0;
}

/* A method's name as a class file spells it: "Ljava/lang/String;hashCode()I". */
bool hotspot__is_method(const struct code_record *record)
{
	const char *end = record->name[0] == 'L' ? strchr(record->name, ';') : NULL;

	return end && end[1] && strchr(end, '(') && strchr(end, ')');
}

/*
 * The next entry for on-stack replacement, which stands in the middle of a method where no path
 * leads, and begins like one: mov %eax,-N(%rsp); push %rbp. The code's size when there is none.
 */
static size_t next_entry(struct bytes code, size_t from)
{
	static const uint8_t touches_stack[] = { 0x89, 0x84, 0x24 };

	for (size_t i = from; i + 8 <= code.size; i++)
		if (memcmp(code.data + i, touches_stack, sizeof(touches_stack)) == 0 &&
		    code.data[i + 6] == 0xff && code.data[i + 7] == 0x55)
			return i;
	return code.size;
}

/* Appends what others say of [from, to); their expressions stay theirs. */
static bool copy_rows(struct cfi_rows *rows, const struct cfi_rows *others, uint64_t from,
		      uint64_t to)
{
	array__for_each(row, &others->rows) {
		uint64_t end = row->addr + row->size;
		struct cfi_row part = *row;

		part.addr = row->addr > from ? row->addr : from;
		end = end < to ? end : to;
		part.size = end - part.addr;
		if (part.addr < end && !array__push(&rows->rows, part))
			return false;
	}
	return true;
}

/* Where rows from an entry on say the same as what was found without it. */
static uint64_t find_agreement(const struct cfi_rows *rows, const struct cfi_rows *entered,
			       uint64_t from)
{
	array__for_each(row, &entered->rows) {
		const struct cfi_row *other = cfi_rows__find(rows, row->addr);

		if (row->addr != from || (other && cfi_row__same(row, other)))
			break;
		from += row->size;
	}
	return from;
}

/* Puts the rows from an entry on in the place of others, up to where both say the same. */
static int replace_rows(struct cfi_rows *rows, struct cfi_rows *entered, uint64_t from)
{
	uint64_t to = find_agreement(rows, entered, from);
	struct cfi_rows all = { 0 };
	bool done = copy_rows(&all, rows, 0, from) && copy_rows(&all, entered, from, to) &&
		    copy_rows(&all, rows, to, UINT64_MAX);

	array__for_each(expression, &entered->expressions) {
		done = done && array__push(&rows->expressions, *expression);
		if (done)
			*expression = NULL;
	}
	if (!done) {
		cfi_rows__free(&all);
		return -ENOMEM;
	}
	array__free(&rows->rows);
	memcpy(&rows->rows, &all.rows, sizeof(all.rows));
	return 0;
}

/*
 * Methods have one frame size between prologue and epilogue, and keep no register but the frame
 * pointer for their callers.
 */
int hotspot__method_rows(struct cfi_rows *rows, const struct code_record *record,
			 const struct cfi_target *target, struct disassembler *disassembler)
{
	const struct cfi_track_options options = { .disassembler = disassembler,
						   .fixed_frame = true,
						   .preserved = UINT64_C(1) << RBP };
	struct bytes code = record->code;
	size_t entry = next_entry(code, 0);
	struct cfi_track_result ignored = { 0 };
	int err = cfi__track(rows, code, record->addr, target, &options, &ignored);

	/* the first one is how the method itself begins */
	while (!err && entry < code.size) {
		struct cfi_rows entered = { 0 };
		uint64_t addr;

		entry = next_entry(code, entry + 8);
		addr = record->addr + entry;
		if (entry == code.size)
			break;
		err = cfi__track(&entered, (struct bytes){ code.data + entry, code.size - entry },
				 addr, target, &options, &ignored);
		if (!err)
			err = replace_rows(rows, &entered, addr);
		cfi_rows__free(&entered);
	}
	cfi_track_result__free(&ignored);
	return err;
}

/* Where an interpreter's frame has what, from the frame pointer. */
static const uint8_t sender_sp[] = { DW_OP_breg6, 0x78 /* -8 */, DW_OP_deref };
static const uint8_t return_slot[] = { DW_OP_breg6, 8 };
static const uint8_t saved_fp[] = { DW_OP_breg6, 0 };
static const uint8_t stack_top[] = { DW_OP_breg7, 0 };
static const uint8_t stack_second[] = { DW_OP_breg7, 8 };

#define AT(ops)                                                                  \
	{                                                                        \
		.kind = CFI_RULE_EXPRESSION, .expression = {(ops), sizeof(ops) } \
	}
#define IN(number, value)                                                     \
	{                                                                     \
		.kind = CFI_RULE_REGISTER, .reg = (number), .offset = (value) \
	}

/* Rules for what lies in an interpreter; each says where CFA, return address, saved rbp are. */
static const struct cfi_row in_frame = {
	.cfa = AT(sender_sp),
	.registers = { [RBP] = AT(saved_fp), [RA] = AT(return_slot) },
};
/* Callers leave the stack pointer that they go on with in r13. */
static const struct cfi_row entered = {
	.cfa = IN(R13, 0),
	.registers = { [RBP] = { .kind = CFI_RULE_SAME }, [RA] = AT(stack_top) },
};
static const struct cfi_row address_in_rax = {
	.cfa = IN(R13, 0),
	.registers = { [RBP] = { .kind = CFI_RULE_SAME }, [RA] = IN(RAX, 0) },
};
static const struct cfi_row fp_pushed = {
	.cfa = IN(R13, 0),
	.registers = { [RBP] = AT(stack_top), [RA] = AT(stack_second) },
};
static const struct cfi_row fp_set = {
	.cfa = IN(R13, 0),
	.registers = { [RBP] = AT(saved_fp), [RA] = AT(return_slot) },
};

struct interpreter {
	struct cfi_rows *rows;
	const struct cfi_target *target;
	struct bytes code;
	uint64_t addr;
	size_t done; /* offset up to which rows were made */
	bool failed;
};

/* A row up to an offset. */
static void put_row(struct interpreter *it, const struct cfi_row *rule, size_t end)
{
	struct cfi_row row = *rule;

	if (end <= it->done)
		return;
	row.addr = it->addr + it->done;
	row.size = end - it->done;
	row.origin = CFI_SYNTHESISED;
	if (!array__push(&it->rows->rows, row))
		it->failed = true;
	it->done = end;
}

static bool is_at(const struct interpreter *it, size_t at, const uint8_t *bytes, size_t size)
{
	return at + size <= it->code.size && memcmp(it->code.data + at, bytes, size) == 0;
}

/*
 * Codelets stand one behind the other, each with a header: a pointer to its description, its size
 * with the header, the bytecode it is for or -1; code begins at a multiple of 32.
 */
#define CODELET_HEADER 32

static size_t codelet_size(struct bytes code, size_t at)
{
	uint32_t size;

	if (code.size - at < CODELET_HEADER)
		return 0;
	size = get_u32(code.data + at + 8, ORDER_LITTLE);
	return size < CODELET_HEADER || size > code.size - at || size % 8 ? 0 : size;
}

/* push %rax; push %rbp; mov %rsp,%rbp; push %r13 */
static const uint8_t makes_frame[] = { 0x50, 0x55, 0x48, 0x8b, 0xec, 0x41, 0x55 };

/*
 * Whether the record is laid out in codelets, and every frame it makes has the sender's stack
 * pointer below the frame pointer.
 */
static bool is_interpreter(const struct code_record *record)
{
	struct bytes code = record->code;
	size_t at = 0, size, frames = 0, pointers = 0;

	if (strcmp(record->name, INTERPRETER) != 0)
		return false;
	while (at < code.size && (size = codelet_size(code, at)) != 0)
		at += size;
	if (at != code.size)
		return false;
	for (at = 0; at + sizeof(makes_frame) <= code.size; at++) {
		frames += memcmp(code.data + at, makes_frame, sizeof(makes_frame)) == 0;
		pointers += memcmp(code.data + at, makes_frame + 1, 4) == 0;
	}
	return frames && frames == pointers;
}

static size_t find(const struct interpreter *it, size_t from, size_t end, const uint8_t *bytes,
		   size_t size)
{
	while (from < end && !is_at(it, from, bytes, size))
		from++;
	return from;
}

/*
 * A method's entry up to where its frame is made: the return address is on top of the stack, is
 * taken off, and comes back on top of the locals.
 */
static void put_entry(struct interpreter *it, size_t at, size_t end)
{
	/* pop %rax; lea -8(%rsp,%rcx,8),%r14 */
	static const uint8_t takes_address[] = { 0x58, 0x4c, 0x8d, 0x74, 0xcc, 0xf8 };
	size_t frame = find(it, at, end, makes_frame, sizeof(makes_frame));
	size_t taken = find(it, at, frame, takes_address, sizeof(takes_address));

	if (taken == frame) {
		it->done = frame + sizeof(makes_frame); /* nothing is known */
		return;
	}
	put_row(it, &entered, taken + 1);
	put_row(it, &address_in_rax, frame + 1);
	put_row(it, &entered, frame + 2);
	put_row(it, &fp_pushed, frame + 5);
	put_row(it, &fp_set, frame + 7);
}

/* pop REG; mov %r13,%rsp; jmp: the end of code that was entered like a method and makes
 * no frame (Math.sin, CRC32.update). */
static bool is_frameless(const struct interpreter *it, size_t at, size_t end)
{
	static const uint8_t rest[] = { 0x49, 0x8b, 0xe5, 0xff };

	for (; at + sizeof(rest) < end; at++)
		if ((it->code.data[at] & 0xf8) == 0x58 && is_at(it, at + 1, rest, sizeof(rest)))
			return true;
	return false;
}

/* Such code's stack pointer can be followed, from which the return address is at a distance. */
static void put_frameless(struct interpreter *it, size_t at, size_t end)
{
	const struct bytes code = { it->code.data + at, end - at };
	struct cfi_track_result ignored = { 0 };
	struct cfi_rows rows = { 0 };

	if (cfi__track(&rows, code, it->addr + at, it->target, NULL, &ignored) == -ENOMEM)
		it->failed = true;
	array__for_each(row, &rows.rows) {
		struct cfi_row rule = entered;
		int64_t distance = row->cfa.offset - 8;
		uint8_t place[] = { DW_OP_breg7, (uint8_t)distance };
		struct bytes expression = { place, sizeof(place) };

		it->done = row->addr - it->addr;
		/* an offset of one byte, without its sign bit */
		if (row->cfa.kind != CFI_RULE_REGISTER || row->cfa.reg != RSP || distance < 0 ||
		    distance >= 0x40)
			continue;
		expression.data = cfi_rows__keep(it->rows, expression);
		if (!expression.data)
			it->failed = true;
		rule.registers[RA].expression = expression;
		put_row(it, &rule, row->addr + row->size - it->addr);
	}
	it->done = end;
	cfi_rows__free(&rows);
	cfi_track_result__free(&ignored);
}

/*
 * leave; pop REG; mov %rbx,%rsp or %rdx, which holds the sender's stack pointer by then; what is
 * behind goes on in the caller.
 */
static bool put_exit(struct interpreter *it, size_t at)
{
	const uint8_t *code = it->code.data + at;
	size_t left = it->code.size - at, high = left > 1 && code[1] == 0x41;
	struct cfi_row row = entered;
	uint16_t popped;

	/* numbers of DWARF are not those of the instruction set */
	static const uint16_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	if (left < 7 + high || code[0] != 0xc9 || (code[1 + high] & 0xf8) != 0x58 ||
	    code[2 + high] != 0x48 || code[3 + high] != 0x8b ||
	    (code[4 + high] != 0xe3 && code[4 + high] != 0xe2))
		return false;
	popped = high ? 8 + (code[2] & 7) : dwarf[code[1] & 7];
	put_row(it, &in_frame, at + 1);
	row.cfa.reg = code[4 + high] == 0xe3 ? RBX : RDX;
	put_row(it, &row, at + 2 + high);
	row.registers[RA] = (struct cfi_rule){ .kind = CFI_RULE_REGISTER, .reg = popped };
	/* with rdx, code goes on to make room for the compiled method that takes over */
	put_row(it, &row, at + 5 + high + (code[4 + high] == 0xe3 ? 3 : 12));
	return true;
}

static void put_codelet(struct interpreter *it, size_t at, size_t end)
{
	if (find(it, at, end, makes_frame, sizeof(makes_frame)) < end) {
		put_row(it, &in_frame, at);
		put_entry(it, at, end);
	} else if (is_frameless(it, at, end)) {
		put_row(it, &in_frame, at);
		put_frameless(it, at, end);
	}
	for (size_t i = it->done > at ? it->done : at; i < end; i++)
		if (it->code.data[i] == 0xc9 && put_exit(it, i))
			i = it->done - 1;
}

bool hotspot__interpreter_rows(struct cfi_rows *rows, const struct code_record *record,
			       const struct cfi_target *target, bool *failed)
{
	struct interpreter it = {
		.rows = rows, .target = target, .code = record->code, .addr = record->addr
	};
	size_t at = 0;

	if (!is_interpreter(record))
		return false;
	while (at < it.code.size) {
		size_t end = at + codelet_size(it.code, at);

		put_codelet(&it, at + CODELET_HEADER, end);
		at = end;
	}
	put_row(&it, &in_frame, it.code.size);
	*failed = it.failed;
	return true;
}
