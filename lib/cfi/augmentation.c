// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/augmentation.h"

#include <elf.h>

#include "cfi/pointer.h"

/* A pointer that is of no use here, but stands before what is. */
static void skip_personality(struct cursor *data, uint64_t address, const struct cfi_target *target)
{
	const uint8_t *start = data->pos;
	uint8_t encoding = cursor__u8(data);

	if (encoding == CFI_PE_OMIT)
		return;
	if ((encoding & CFI_PE_BASE) == CFI_PE_ALIGNED) {
		uint64_t width = target->class == ELFCLASS32 ? 4 : 8;
		uint64_t place = address + (uint64_t)(data->pos - start);

		cursor__take(data, (size_t)(align_up(place, width) - place));
		encoding = CFI_PE_ABSPTR;
	}
	cfi_pointer__read_number(data, encoding, target);
}

bool cfi_augmentation__read(struct cfi_augmentation *augmentation, const char *letters,
			    struct cursor *data, uint64_t address, const struct cfi_target *target)
{
	const uint8_t *start = data->pos;

	*augmentation = (struct cfi_augmentation){ .encoding = CFI_PE_ABSPTR };
	for (const char *letter = letters + 1; *letter; letter++) {
		switch (*letter) {
		case 'R':
			augmentation->encoding = cursor__u8(data);
			break;
		case 'L':
			augmentation->lsda = true;
			cursor__u8(data);
			break;
		case 'P':
			skip_personality(data, address + (uint64_t)(data->pos - start), target);
			break;
		case 'S':
			augmentation->signal_frame = true;
			break;
		case 'B':
			augmentation->pauth_b_key = true;
			break;
		case 'G': /* aarch64: memory tagged stack; no data, nothing for unwinding */
			break;
		default:
			return false;
		}
	}
	return true;
}
