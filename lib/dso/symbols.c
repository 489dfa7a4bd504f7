// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "dso/image.h"

void image__put_name(struct buf *buf, const char *name)
{
	text__put_printable(buf, name);
	buf__put_u8(buf, 0);
}

void image__put_function_name(struct buf *buf, const struct dso_function *function)
{
	char made_up[32];

	snprintf(made_up, sizeof(made_up), "unnamed_%" PRIx64, function->addr);
	image__put_name(buf, *function->record->name ? function->record->name : made_up);
}

struct bytes image__function_code(const struct dso_function *function)
{
	struct bytes code = function->record->code;

	if (code.size > function->size)
		code.size = function->size;
	return code;
}

static void set_symbol64(uint8_t *place, uint32_t name, uint64_t value, uint64_t size)
{
	Elf64_Sym symbol = { .st_name = name,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			     .st_shndx = SECTION_TEXT,
			     .st_value = value,
			     .st_size = size };

	memcpy(place, &symbol, sizeof(symbol));
}

static void set_symbol32(uint8_t *place, uint32_t name, uint64_t value, uint64_t size)
{
	Elf32_Sym symbol = { .st_name = name,
			     .st_value = (uint32_t)value,
			     .st_size = (uint32_t)size,
			     .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
			     .st_shndx = SECTION_TEXT };

	memcpy(place, &symbol, sizeof(symbol));
}

int image__make_symbols(const struct dso_spec *spec, struct buf *symtab, struct buf *strtab)
{
	bool narrow = spec->target.class == ELFCLASS32;
	size_t entry_size = narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	uint8_t *place = buf__extend(symtab, (spec->nr_functions + 1) * entry_size);

	if (!place)
		return -ENOMEM;
	memset(place, 0, entry_size);
	buf__put_u8(strtab, 0);
	for (size_t i = 0; i < spec->nr_functions; i++) {
		const struct dso_function *function = &spec->functions[i];
		uint32_t name = (uint32_t)strtab->size;

		if (strtab->size > UINT32_MAX)
			return -ERANGE;
		image__put_function_name(strtab, function);
		place += entry_size;
		if (narrow)
			set_symbol32(place, name, function->addr - spec->base, function->size);
		else
			set_symbol64(place, name, function->addr - spec->base, function->size);
	}
	return strtab->failed ? -ENOMEM : 0;
}
