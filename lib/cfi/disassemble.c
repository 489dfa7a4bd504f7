// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_CAPSTONE

#include "cfi/insn.h"

/* Places for instructions that were met before, a power of two. */
#define MEMO_SIZE 1024

struct disassembler {
	uint16_t machine;
	csh handle;
	cs_insn *insn;
	struct cfi_insn fresh; /* the last one that has no place */
	struct cfi_insn *memo; /* by hash of the first bytes; size is 0 where there is none */
};

static bool mode_of(const struct cfi_target *target, cs_arch *arch, cs_mode *mode)
{
	if (target->order != ORDER_LITTLE || target->class != ELFCLASS64)
		return false;
	*mode = target->machine == EM_X86_64 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN;
	*arch = target->machine == EM_X86_64 ? CS_ARCH_X86 : CS_ARCH_ARM64;
	return target->machine == EM_X86_64 || target->machine == EM_AARCH64;
}

bool disassembler__supports(const struct cfi_target *target)
{
	cs_arch arch;
	cs_mode mode;

	return mode_of(target, &arch, &mode) && cs_support(arch);
}

int disassembler__new(struct disassembler **disassembler, const struct cfi_target *target)
{
	struct disassembler *fresh;
	cs_arch arch;
	cs_mode mode;

	if (!mode_of(target, &arch, &mode) || !cs_support(arch))
		return -ENOTSUP;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	fresh->machine = target->machine;
	if (cs_open(arch, mode, &fresh->handle) != CS_ERR_OK) {
		free(fresh);
		return -ENOMEM;
	}
	cs_option(fresh->handle, CS_OPT_DETAIL, CS_OPT_ON);
	fresh->insn = cs_malloc(fresh->handle);
	fresh->memo = calloc(MEMO_SIZE, sizeof(*fresh->memo));
	if (!fresh->insn || !fresh->memo) {
		disassembler__free(fresh);
		return -ENOMEM;
	}
	*disassembler = fresh;
	return 0;
}

void disassembler__free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->insn)
		cs_free(disassembler->insn, 1);
	cs_close(&disassembler->handle);
	free(disassembler->memo);
	free(disassembler);
}

int disassembler__renew(struct disassembler **disassembler, const struct cfi_target *target)
{
	if (*disassembler && (*disassembler)->machine == target->machine &&
	    disassembler__supports(target))
		return 0;
	disassembler__free(*disassembler);
	*disassembler = NULL;
	return disassembler__new(disassembler, target);
}

const struct cs_insn *disassembler__detail(struct disassembler *disassembler, struct bytes code,
					   uint64_t addr)
{
	const uint8_t *data = code.data;
	size_t size = code.size;

	return cs_disasm_iter(disassembler->handle, &data, &size, &addr, disassembler->insn)
		       ? disassembler->insn
		       : NULL;
}

bool disassembler__read(struct disassembler *disassembler, struct bytes code, uint64_t addr,
			struct instruction *instruction)
{
	const cs_insn *insn = disassembler__detail(disassembler, code, addr);

	if (!insn)
		return false;
	instruction->addr = addr;
	instruction->size = (uint8_t)insn->size;
	snprintf(instruction->text, sizeof(instruction->text), "%s%s%s", insn->mnemonic,
		 *insn->op_str ? " " : "", insn->op_str);
	return true;
}

bool disassembler__is_nop(const cs_insn *insn)
{
	return strncmp(insn->mnemonic, "nop", 3) == 0 || strcmp(insn->op_str, "ax, ax") == 0 ||
	       strcmp(insn->mnemonic, "data16") == 0;
}

/* The general registers that it writes, mask by DWARF number. */
static uint64_t written_by(const struct disassembler *disassembler, const cs_insn *insn)
{
	bool is_x86 = disassembler->machine == EM_X86_64;
	uint8_t nr_read = 0, nr_written = 0;
	cs_regs read, written;
	uint64_t mask = 0;

	if (cs_regs_access(disassembler->handle, insn, read, &nr_read, written, &nr_written) !=
	    CS_ERR_OK)
		return 0;
	for (size_t i = 0; i < nr_written; i++) {
		uint16_t reg =
			is_x86 ? cfi_x86__register(written[i]) : cfi_arm64__register(written[i]);

		if (reg < 64)
			mask |= UINT64_C(1) << reg;
	}
	return mask;
}

/*
 * Whether its operands are the same wherever it stands: those of jumps and calls are told as
 * addresses, and on aarch64 those of other instructions, too.
 */
static bool can_move(const struct disassembler *disassembler, const cs_insn *insn)
{
	return disassembler->machine == EM_X86_64 &&
	       !cs_insn_group(disassembler->handle, insn, CS_GRP_JUMP) &&
	       !cs_insn_group(disassembler->handle, insn, CS_GRP_CALL) &&
	       !cs_insn_group(disassembler->handle, insn, CS_GRP_BRANCH_RELATIVE) &&
	       insn->id != X86_INS_XBEGIN;
}

static void take(struct disassembler *disassembler, struct cfi_insn *taken, struct bytes code)
{
	const cs_insn *insn = disassembler->insn;
	const cs_detail *detail = insn->detail;

	*taken = (struct cfi_insn){ .address = insn->address,
				    .written = written_by(disassembler, insn),
				    .id = insn->id,
				    .size = (uint8_t)insn->size,
				    .is_nop = disassembler__is_nop(insn) };
	memcpy(taken->bytes, code.data, insn->size);
	if (disassembler->machine == EM_X86_64) {
		taken->op_count = detail->x86.op_count;
		memcpy(taken->x86, detail->x86.operands, sizeof(taken->x86));
		return;
	}
	taken->op_count = detail->arm64.op_count;
	taken->update_flags = detail->arm64.update_flags;
	taken->writeback = detail->arm64.writeback;
	taken->cc = (uint8_t)detail->arm64.cc;
	memcpy(taken->arm64, detail->arm64.operands, sizeof(taken->arm64));
}

static struct cfi_insn *memo_of(struct disassembler *disassembler, struct bytes code)
{
	uint32_t first = code.data[0];

	/* prefix, opcode, operands by registers, and what is often a displacement */
	for (size_t i = 1; i < 4 && i < code.size; i++)
		first |= (uint32_t)code.data[i] << 8 * i;
	return &disassembler->memo[(first * UINT32_C(0x9e3779b1)) >> 22 & (MEMO_SIZE - 1)];
}

const struct cfi_insn *disassembler__insn(struct disassembler *disassembler, struct bytes code,
					  uint64_t addr)
{
	struct cfi_insn *memo;

	if (!code.size)
		return NULL;
	memo = memo_of(disassembler, code);
	/* none of these is the beginning of another */
	if (memo->size && memo->size <= code.size &&
	    memcmp(memo->bytes, code.data, memo->size) == 0) {
		memo->address = addr;
		return memo;
	}
	if (!disassembler__detail(disassembler, code, addr))
		return NULL;
	if (!can_move(disassembler, disassembler->insn))
		memo = &disassembler->fresh;
	take(disassembler, memo, code);
	return memo;
}

#else /* !HAVE_CAPSTONE */

bool disassembler__supports(const struct cfi_target *target)
{
	(void)target;
	return false;
}

int disassembler__new(struct disassembler **disassembler, const struct cfi_target *target)
{
	(void)target;
	*disassembler = NULL;
	return -ENOTSUP;
}

void disassembler__free(struct disassembler *disassembler)
{
	(void)disassembler;
}

int disassembler__renew(struct disassembler **disassembler, const struct cfi_target *target)
{
	return disassembler__new(disassembler, target);
}

bool disassembler__read(struct disassembler *disassembler, struct bytes code, uint64_t addr,
			struct instruction *instruction)
{
	(void)disassembler;
	(void)code;
	(void)addr;
	(void)instruction;
	return false;
}

#endif
