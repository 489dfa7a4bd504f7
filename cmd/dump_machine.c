// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_machine.h"

#include <elf.h>
#include <stddef.h>

const char *machine__name(uint32_t machine)
{
	static const struct {
		uint32_t machine;
		const char *name;
	} names[] = {
		{ EM_NONE, "none" },       { EM_386, "i386" },        { EM_X86_64, "x86-64" },
		{ EM_AARCH64, "aarch64" }, { EM_ARM, "arm" },         { EM_PPC64, "ppc64" },
		{ EM_PPC, "ppc" },         { EM_S390, "s390" },       { EM_RISCV, "riscv" },
		{ EM_MIPS, "mips" },       { EM_SPARCV9, "sparc64" }, { EM_LOONGARCH, "loongarch" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "unknown";
}

#if defined(__x86_64__)
#define HOST EM_X86_64
#elif defined(__aarch64__)
#define HOST EM_AARCH64
#else
#define HOST EM_NONE
#endif

struct cfi_target machine__target(uint32_t machine, enum byte_order order)
{
	bool narrow = machine == EM_386 || machine == EM_ARM || machine == EM_PPC;

	return (struct cfi_target){
		.machine = machine ? (uint16_t)machine : HOST,
		.class = narrow ? ELFCLASS32 : ELFCLASS64,
		.order = order,
	};
}
