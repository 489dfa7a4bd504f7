// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>

struct disassembler {
	csh handle;
	cs_insn *insn;
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
	if (cs_open(arch, mode, &fresh->handle) != CS_ERR_OK) {
		free(fresh);
		return -ENOMEM;
	}
	cs_option(fresh->handle, CS_OPT_DETAIL, CS_OPT_ON);
	fresh->insn = cs_malloc(fresh->handle);
	if (!fresh->insn) {
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
	free(disassembler);
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

size_t disassembler__written(struct disassembler *disassembler, const struct cs_insn *insn,
			     uint16_t *registers, size_t max)
{
	cs_regs read, written;
	uint8_t nr_read = 0, nr_written = 0;
	size_t count = 0;

	if (cs_regs_access(disassembler->handle, insn, read, &nr_read, written, &nr_written) !=
	    CS_ERR_OK)
		return 0;
	while (count < nr_written && count < max) {
		registers[count] = written[count];
		count++;
	}
	return count;
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
