// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files of the made-up functions. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>

#include "base/file.h"
#include "host/made.h"

/* Where perf inject --jit has the code: behind the ELF header and one program header. */
#define INJECTED_TEXT 0x80

/* DW_CFA_advance_loc 4, DW_CFA_def_cfa_offset N; DW_CFA_undefined of the return address. */
static const uint8_t middle_rules[] = { 0x44, 0x0e, MADE_MIDDLE_FRAME };
static const uint8_t root_rules[] = { 0x07, 0x10 };
/* DW_CFA_def_cfa rsp+8, DW_CFA_offset of the return address at CFA-8 */
static const uint8_t cie_rules[] = { 0x0c, 0x07, 0x08, 0x90, 0x01 };

static const struct cfi_target target = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_cie cie = {
	.code_align = 1,
	.data_align = -8,
	.ra_register = 16,
	.instructions = { cie_rules, sizeof(cie_rules) },
};

/* All that an ELF file is made of. */
struct parts {
	char names[MADE_FUNCTIONS][32];
	uint8_t code[MADE_FUNCTION_SIZE];
	uint8_t leaf_rules[3];
	struct code_record records[MADE_FUNCTIONS];
	struct dso_function functions[MADE_FUNCTIONS];
	struct cfi_entry cfi[MADE_FUNCTIONS];
};

static void fill(struct parts *parts, const struct made_code *code)
{
	static const char *const roles[MADE_FUNCTIONS] = { "leaf", "middle", "root" };
	const uint8_t leaf[] = { 0x44, 0x0e,
				 code->leaf_frame ? code->leaf_frame : MADE_LEAF_FRAME };
	const struct bytes rules[MADE_FUNCTIONS] = {
		{ parts->leaf_rules, sizeof(parts->leaf_rules) },
		{ middle_rules, sizeof(middle_rules) },
		{ root_rules, sizeof(root_rules) },
	};

	memcpy(parts->leaf_rules, leaf, sizeof(leaf));
	memset(parts->code, 0x90, sizeof(parts->code));
	for (size_t i = 0; i < MADE_FUNCTIONS; i++) {
		snprintf(parts->names[i], sizeof(parts->names[i]), "%s_%s", code->prefix, roles[i]);
		parts->records[i] = (struct code_record){
			.addr = code->functions[i],
			.size = MADE_FUNCTION_SIZE,
			.name = parts->names[i],
			.code = { parts->code, sizeof(parts->code) },
		};
		parts->functions[i] = (struct dso_function){
			&parts->records[i],
			code->functions[i],
			MADE_FUNCTION_SIZE,
		};
		parts->cfi[i] = (struct cfi_entry){ &cie, rules[i], code->functions[i],
						    MADE_FUNCTION_SIZE };
	}
}

static void place_functions(struct made_code *code, uint64_t first)
{
	for (size_t i = 0; i < MADE_FUNCTIONS; i++)
		code->functions[i] = code->base + first + i * MADE_FUNCTION_SIZE;
}

static int write_region(struct made_code *code, struct parts *parts, struct file_out *out,
			struct diag *diag)
{
	struct dso_layout layout;
	struct dso_spec spec = {
		.target = target,
		.functions = parts->functions,
		.nr_functions = MADE_FUNCTIONS,
		.cfi = parts->cfi,
		.nr_cfi = code->form == MADE_BARE ? 0 : MADE_FUNCTIONS,
		.base = code->base,
		.text_end = code->functions[MADE_FUNCTIONS - 1] + MADE_FUNCTION_SIZE,
		.bare = code->form == MADE_BARE,
		.identity = { &code->identity, 1 },
	};
	int err = dso__layout(&spec, &layout, diag);

	if (err)
		return err;
	code->size = layout.load_end - code->base;
	err = dso__build_id(&spec, code->build_id);
	return err ? err : dso__write(&spec, code->build_id, out, diag);
}

/* What perf inject --jit or a linker would write; sections by number. */
enum { NONE, TEXT, EH_FRAME, EH_FRAME_HDR, SYMTAB, STRTAB, SHSTRTAB, SECTIONS };

static const char section_names[] =
	"\0.text\0.eh_frame\0.eh_frame_hdr\0.symtab\0.strtab\0.shstrtab";

struct writer {
	const struct made_code *code;
	struct buf file;
	Elf64_Shdr sections[SECTIONS];
	uint64_t vaddr; /* of file offset 0 */
};

static void put_section(struct writer *writer, int section, const char *name, Elf64_Shdr header,
			struct bytes bytes)
{
	const char *at = section_names;

	buf__align(&writer->file, header.sh_addralign);
	while (strcmp(at, name) != 0)
		at += strlen(at) + 1;
	header.sh_name = (uint32_t)(at - section_names);
	header.sh_offset = writer->file.size;
	header.sh_size = bytes.size;
	if (header.sh_flags & SHF_ALLOC)
		header.sh_addr = writer->vaddr + header.sh_offset;
	writer->sections[section] = header;
	buf__put(&writer->file, bytes.data, bytes.size);
}

static void put_headers(struct writer *writer)
{
	bool exec = writer->code->form == MADE_EXEC;
	Elf64_Ehdr elf = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = exec ? ET_EXEC : ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = writer->vaddr + INJECTED_TEXT,
		.e_phoff = sizeof(elf),
		.e_ehsize = sizeof(elf),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SHSTRTAB,
	};

	buf__put(&writer->file, &elf, sizeof(elf));
	buf__put_zeros(&writer->file, INJECTED_TEXT - sizeof(elf));
}

/* Once all sizes are known. */
static void finish_headers(struct writer *writer, uint64_t loaded)
{
	bool exec = writer->code->form == MADE_EXEC;
	uint64_t offset = exec ? 0 : INJECTED_TEXT;
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = offset,
		.p_vaddr = writer->vaddr + offset,
		.p_paddr = writer->vaddr + offset,
		.p_filesz = loaded - offset,
		.p_memsz = loaded - offset,
		.p_align = exec ? 0x1000 : 8,
	};
	uint64_t table;

	buf__align(&writer->file, 8);
	table = writer->file.size;
	buf__put(&writer->file, writer->sections, sizeof(writer->sections));
	if (writer->file.failed)
		return;
	memcpy(writer->file.data + offsetof(Elf64_Ehdr, e_shoff), &table, sizeof(table));
	memcpy(writer->file.data + sizeof(Elf64_Ehdr), &segment, sizeof(segment));
}

static void put_symbols(struct writer *writer, const struct parts *parts)
{
	Elf64_Sym symbols[MADE_FUNCTIONS + 1] = { 0 };
	char strings[128] = { 0 };
	size_t size = 1;

	for (size_t i = 0; i < MADE_FUNCTIONS; i++) {
		symbols[i + 1] = (Elf64_Sym){
			.st_name = (uint32_t)size,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = TEXT,
			.st_value = writer->sections[TEXT].sh_addr + i * MADE_FUNCTION_SIZE,
			.st_size = MADE_FUNCTION_SIZE,
		};
		memcpy(strings + size, parts->names[i], strlen(parts->names[i]) + 1);
		size += strlen(parts->names[i]) + 1;
	}
	put_section(writer, SYMTAB, ".symtab",
		    (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				  .sh_addralign = 8,
				  .sh_link = STRTAB,
				  .sh_info = 1,
				  .sh_entsize = sizeof(Elf64_Sym) },
		    (struct bytes){ (const uint8_t *)symbols, sizeof(symbols) });
	put_section(writer, STRTAB, ".strtab",
		    (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1 },
		    (struct bytes){ (const uint8_t *)strings, size });
	put_section(writer, SHSTRTAB, ".shstrtab",
		    (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1 },
		    (struct bytes){ (const uint8_t *)section_names, sizeof(section_names) });
}

/* 0 or a negative errno. */
static int put_unwind(struct writer *writer, const struct parts *parts)
{
	const Elf64_Shdr header = { .sh_type = SHT_PROGBITS,
				    .sh_flags = SHF_ALLOC,
				    .sh_addralign = 8 };
	struct buf eh_frame = BUF(ORDER_LITTLE), table = BUF(ORDER_LITTLE);
	uint64_t addr = writer->code->base + align_up(writer->file.size, 8);
	struct cfi_size size;
	int err = cfi__measure(parts->cfi, MADE_FUNCTIONS, &target, &size);

	if (!err)
		err = cfi__encode(parts->cfi, MADE_FUNCTIONS, &target, addr,
				  align_up(addr + size.eh_frame, 8), &eh_frame, &table);
	if (!err) {
		put_section(writer, EH_FRAME, ".eh_frame", header, buf__bytes(&eh_frame));
		put_section(writer, EH_FRAME_HDR, ".eh_frame_hdr", header, buf__bytes(&table));
	}
	buf__free(&eh_frame);
	buf__free(&table);
	return err;
}

static int write_other(struct made_code *code, struct parts *parts, struct file_out *out,
		       struct diag *diag)
{
	struct writer writer = {
		.code = code,
		.file = BUF(ORDER_LITTLE),
		.vaddr = code->form == MADE_EXEC ? code->base : 0,
	};
	uint8_t text[MADE_FUNCTIONS * MADE_FUNCTION_SIZE];
	int err;

	memset(text, 0x90, sizeof(text));
	put_headers(&writer);
	put_section(&writer, TEXT, ".text",
		    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addralign = 16 },
		    (struct bytes){ text, sizeof(text) });
	err = put_unwind(&writer, parts);
	code->size = writer.file.size;
	put_symbols(&writer, parts);
	finish_headers(&writer, code->size);
	if (!err && writer.file.failed)
		err = -ENOMEM;
	if (!err)
		err = file_out__write(out, buf__bytes(&writer.file), diag);
	buf__free(&writer.file);
	return err;
}

int made_code__write(struct made_code *code, const char *path, struct diag *diag)
{
	bool region = code->form == MADE_REGION || code->form == MADE_BARE;
	struct parts parts = { 0 };
	struct file_out out;
	int err = file_out__open(&out, path, 0600, diag);

	if (err)
		return err;
	place_functions(code,
			region ? align_up(dso__header_size(ELFCLASS64, DSO_HEADERS_BEFORE), 64)
			       : INJECTED_TEXT);
	fill(&parts, code);
	err = region ? write_region(code, &parts, &out, diag)
		     : write_other(code, &parts, &out, diag);
	if (!err)
		err = file_out__commit(&out, false, diag);
	file_out__abort(&out);
	return err;
}
