// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unwind/elf_file.h"

static void take_build_id(struct module_file *file, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const uint8_t *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0 ||
		    note.n_descsz > sizeof(file->build_id))
			continue;
		memcpy(file->build_id, bytes + desc, note.n_descsz);
		file->build_id_size = note.n_descsz;
		return;
	}
}

static void read_build_id(struct module_file *file)
{
	size_t count = 0;

	elf_getphdrnum(file->elf, &count);
	for (size_t i = 0; i < count && !file->build_id_size; i++) {
		GElf_Phdr header;
		Elf_Data *data;

		if (!gelf_getphdr(file->elf, (int)i, &header) || header.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(file->elf, (int64_t)header.p_offset, header.p_filesz,
					    header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			take_build_id(file, data);
	}
	/* debug files and JIT DSOs of perf inject have sections only */
	for (Elf_Scn *scn = NULL; !file->build_id_size && (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		if (data)
			take_build_id(file, data);
	}
}

static bool finish_open(struct module_file *file)
{
	size_t size = 0;
	const char *data = file->elf ? elf_rawfile(file->elf, &size) : NULL;

	if (!data || elf_kind(file->elf) != ELF_K_ELF) {
		module_file__close(file);
		return false;
	}
	file->bytes = (struct bytes){ (const uint8_t *)data, size };
	read_build_id(file);
	return true;
}

/* The descriptor is closed at once: there may be thousands of JIT DSOs. */
bool module_file__open(struct module_file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat stat;

	*file = (struct module_file){ 0 };
	elf_version(EV_CURRENT);
	if (fd < 0)
		return false;
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
		file->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (file->elf)
		elf_cntl(file->elf, ELF_C_FDDONE);
	close(fd);
	return finish_open(file);
}

bool module_file__open_vdso(struct module_file *file)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr header;

	*file = (struct module_file){ 0 };
	elf_version(EV_CURRENT);
	if (!image)
		return false;
	memcpy(&header, image, sizeof(header));
	/* its section headers are its last part */
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	/* libelf takes no pointer to const, and writes nothing when it only reads */
	file->elf = elf_memory((char *)(uintptr_t)image,
			       header.e_shoff + (size_t)header.e_shnum * header.e_shentsize);
	return finish_open(file);
}

void module_file__close(struct module_file *file)
{
	elf_end(file->elf);
	*file = (struct module_file){ 0 };
}

bool module_file__is(const struct module_file *file, struct bytes build_id)
{
	return file->build_id_size == build_id.size &&
	       memcmp(file->build_id, build_id.data, build_id.size) == 0;
}
