// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump.h"

#include <elf.h>
#include <string.h>

#include "sys.h"

enum { JIT_CODE_LOAD = 0, JIT_CODE_UNWINDING_INFO = 4 };

struct header {
	uint32_t magic, version, size, elf_mach, reserved, pid;
	uint64_t time, flags;
};

struct record {
	uint32_t id, size;
	uint64_t time;
};

struct load {
	struct record record;
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct unwinding {
	struct record record;
	uint64_t size, hdr_size, mapped_size;
};

void dump__open(struct dump *dump)
{
	struct header header = {
		.magic = 0x4a695444,
		.version = 1,
		.size = sizeof(header),
		.elf_mach = EM_X86_64,
		.pid = (uint32_t)sys_getpid(),
		.time = sys_clock(CLOCK_MONOTONIC),
	};
	char name[32] = "jit-", digits[10], *p = name + 4;
	uint32_t pid = header.pid;
	int n = 0;

	for (; pid; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n)
		*p++ = digits[--n];
	memcpy(p, ".dump", 6);
	dump->fd = (int)sys_open(name, O_CREAT | O_TRUNC | O_RDWR);
	dump->next_index = 1;
	sys_mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump->fd, 0);
	sys_write(dump->fd, &header, sizeof(header));
}

static void put_unwinding(struct dump *dump, const struct func *func)
{
	uint8_t buffer[512] = { 0 };
	struct unwinding *head = (struct unwinding *)buffer;
	uint32_t size = func__unwinding(func, buffer + sizeof(*head));

	head->size = size;
	head->hdr_size = EH_FRAME_HDR_SIZE;
	head->mapped_size = func->cfi_size ? (size + 15) & ~15u : 0;
	head->record.id = JIT_CODE_UNWINDING_INFO;
	head->record.size = (uint32_t)(sizeof(*head) + size + 7) & ~7u;
	head->record.time = sys_clock(CLOCK_MONOTONIC);
	sys_write(dump->fd, buffer, head->record.size);
}

void dump__load(struct dump *dump, const struct func *func, enum unwinding_record unwinding)
{
	size_t name_size = strlen(func->name) + 1;
	uint8_t buffer[512] = { 0 };
	struct load *head = (struct load *)buffer;

	if (unwinding == UNWINDING_WRITTEN)
		put_unwinding(dump, func);
	memcpy(buffer + sizeof(*head), func->name, name_size);
	memcpy(buffer + sizeof(*head) + name_size, func->code, func->size);
	head->record.id = JIT_CODE_LOAD;
	head->record.size = (uint32_t)(sizeof(*head) + name_size + func->size);
	head->record.time = sys_clock(CLOCK_MONOTONIC);
	head->pid = head->tid = (uint32_t)sys_getpid();
	head->vma = head->code_addr = (uint64_t)func->addr;
	head->code_size = func->size;
	head->code_index = dump->next_index++;
	sys_write(dump->fd, buffer, head->record.size);
}
