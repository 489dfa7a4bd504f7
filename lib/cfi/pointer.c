// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/pointer.h"

#include <elf.h>

#include "cfi/leb128.h"

bool cfi_pointer__usable(uint8_t encoding)
{
	uint8_t format = encoding & CFI_PE_FORMAT;
	uint8_t base = encoding & CFI_PE_BASE;

	if (encoding & CFI_PE_INDIRECT || (base && base != CFI_PE_PCREL))
		return false;
	return format == CFI_PE_SIGNED ||
	       (format & ~CFI_PE_SIGNED & CFI_PE_FORMAT) <= CFI_PE_UDATA8;
}

static uint64_t wrap(uint64_t address, const struct cfi_target *target)
{
	return target->class == ELFCLASS32 ? (uint32_t)address : address;
}

uint64_t cfi_pointer__read_number(struct cursor *cur, uint8_t encoding,
				  const struct cfi_target *target)
{
	uint64_t number = 0;

	switch (encoding & CFI_PE_FORMAT) {
	case CFI_PE_ABSPTR:
	case CFI_PE_SIGNED:
		number = target->class == ELFCLASS32 ? cursor__u32(cur) : cursor__u64(cur);
		break;
	case CFI_PE_ULEB128:
		number = cursor__uleb128(cur);
		break;
	case CFI_PE_UDATA2:
		number = cursor__u16(cur);
		break;
	case CFI_PE_UDATA4:
		number = cursor__u32(cur);
		break;
	case CFI_PE_UDATA8:
	case CFI_PE_SDATA8:
		number = cursor__u64(cur);
		break;
	case CFI_PE_SLEB128:
		number = (uint64_t)cursor__sleb128(cur);
		break;
	case CFI_PE_SDATA2:
		number = (uint64_t)(int16_t)cursor__u16(cur);
		break;
	case CFI_PE_SDATA4:
		number = (uint64_t)(int32_t)cursor__u32(cur);
		break;
	default:
		cur->overrun = true;
		cur->pos = cur->end;
	}
	return wrap(number, target);
}

uint64_t cfi_pointer__read(struct cursor *cur, uint8_t encoding, const struct cfi_target *target,
			   uint64_t field_address)
{
	uint64_t number = cfi_pointer__read_number(cur, encoding, target);

	if ((encoding & CFI_PE_BASE) == CFI_PE_PCREL)
		number += field_address;
	return wrap(number, target);
}
