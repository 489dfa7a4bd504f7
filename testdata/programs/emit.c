// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit.h"

#include <string.h>

enum {
	DW_CFA_nop = 0x00,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	RBP = 6,
};

static void put(uint8_t *out, uint32_t *size, const void *data, uint32_t n)
{
	memcpy(out + *size, data, n);
	*size += n;
}

static void put_u8(uint8_t *out, uint32_t *size, uint8_t value)
{
	out[(*size)++] = value;
}

static void put_u32(uint8_t *out, uint32_t *size, uint32_t value)
{
	put(out, size, &value, 4);
}

static char *append_number(char *p, uint32_t value)
{
	char digits[10];
	int n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

void func__begin(struct func *func, const char *prefix, uint32_t a, uint32_t b)
{
	char *p = func->name;

	memset(func, 0, sizeof(*func));
	while (*prefix)
		*p++ = *prefix++;
	p = append_number(p, a);
	*p++ = '_';
	append_number(p, b);
	func->cfa_offset = 8;
}

static void code(struct func *func, const char *bytes, uint32_t n)
{
	put(func->code, &func->size, bytes, n);
}

static void code_u32(struct func *func, uint32_t value)
{
	put_u32(func->code, &func->size, value);
}

/* What follows in the CFI holds from the end of the code so far. */
static void advance(struct func *func)
{
	put_u8(func->cfi, &func->cfi_size,
	       (uint8_t)(DW_CFA_advance_loc | (func->size - func->described)));
	func->described = func->size;
}

static void cfa(struct func *func, uint32_t offset)
{
	put_u8(func->cfi, &func->cfi_size, DW_CFA_def_cfa_offset);
	/* unsigned LEB128, two bytes at most */
	if (offset >= 0x80)
		put_u8(func->cfi, &func->cfi_size, (uint8_t)(0x80 | (offset & 0x7f)));
	put_u8(func->cfi, &func->cfi_size, (uint8_t)(offset >= 0x80 ? offset >> 7 : offset));
	func->cfa_offset = offset;
}

void func__trampoline(struct func *func)
{
	code(func, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
	code(func, "\x48\x83\xec\x08", 4); /* sub $8,%rsp */
	advance(func);
	cfa(func, 16);
	code(func, "\xff\xd1", 2);         /* call *%rcx */
	code(func, "\x48\x83\xc4\x08", 4); /* add $8,%rsp */
	advance(func);
	cfa(func, 8);
	code(func, "\xc3", 1); /* ret */
}

static void spin_and_call(struct func *func, uint32_t slot, uint32_t spin)
{
	func->slot = slot;
	code(func, "\xb8", 1); /* mov $spin,%eax */
	code_u32(func, spin);
	code(func, "\xff\xc8\x75\xfc", 4); /* 1: dec %eax; jnz 1b */
	code(func, "\xff\x97", 2);         /* call *slot*8(%rdi) */
	code_u32(func, slot * 8);
}

void func__frame(struct func *func, uint32_t slot, uint32_t frame, uint32_t spin)
{
	code(func, "\x55", 1); /* push %rbp */
	advance(func);
	cfa(func, 16);
	put_u8(func->cfi, &func->cfi_size, DW_CFA_offset | RBP);
	put_u8(func->cfi, &func->cfi_size, 2);
	code(func, "\x31\xed", 2);     /* xor %ebp,%ebp */
	code(func, "\x48\x81\xec", 3); /* sub $frame,%rsp */
	code_u32(func, frame);
	advance(func);
	cfa(func, 16 + frame);
	spin_and_call(func, slot, spin);
	code(func, "\x48\x81\xc4", 3); /* add $frame,%rsp */
	code_u32(func, frame);
	advance(func);
	cfa(func, 16);
	code(func, "\x5d", 1); /* pop %rbp */
	advance(func);
	cfa(func, 8);
	put_u8(func->cfi, &func->cfi_size, DW_CFA_restore | RBP);
	code(func, "\xc3", 1); /* ret */
}

void func__frame_pointer(struct func *func, uint32_t slot, uint32_t frame, uint32_t spin)
{
	code(func, "\x55\x48\x89\xe5", 4); /* push %rbp; mov %rsp,%rbp */
	code(func, "\x48\x81\xec", 3);     /* sub $frame,%rsp */
	code_u32(func, frame);
	spin_and_call(func, slot, spin);
	code(func, "\xc9\xc3", 2); /* leave; ret */
}

static void end_entry(uint8_t *out, uint32_t *size, uint32_t start)
{
	uint32_t length;

	while (*size % 8)
		put_u8(out, size, DW_CFA_nop);
	length = *size - start - 4;
	memcpy(out + start, &length, 4);
}

static void put_cie(uint8_t *out, uint32_t *size)
{
	/* version, augmentation, alignment 1 and -8, return address, pcrel sdata4 */
	static const char head[] = "\x01zR\0\x01\x78\x10\x01\x1b";
	/* DW_CFA_def_cfa rsp 8, DW_CFA_offset ra 1 */
	static const char rules[] = "\x0c\x07\x08\x90\x01";
	uint32_t start = *size;

	put_u32(out, size, 0);
	put_u32(out, size, 0);
	put(out, size, head, sizeof(head) - 1);
	put(out, size, rules, sizeof(rules) - 1);
	end_entry(out, size, start);
}

static void put_fde(const struct func *func, uint8_t *out, uint32_t *size, uint32_t code_room)
{
	uint32_t start = *size;

	put_u32(out, size, 0);
	put_u32(out, size, start + 4);                /* back to the CIE at 0 */
	put_u32(out, size, 0u - (*size + code_room)); /* the code stands before this section */
	put_u32(out, size, func->size);
	put_u8(out, size, 0);
	put(out, size, func->cfi, func->cfi_size);
	end_entry(out, size, start);
}

uint32_t func__unwinding(const struct func *func, uint8_t *out)
{
	uint32_t code_room = (func->size + 7) & ~7u, size = 0, fde = 0, eh_frame_size;

	if (func->cfi_size) {
		put_cie(out, &size);
		fde = size;
		put_fde(func, out, &size, code_room);
	}
	eh_frame_size = size;
	put_u32(out, &size, 0x3b031b01); /* version; pcrel sdata4, udata4, datarel sdata4 */
	put_u32(out, &size, func->cfi_size ? 0u - (eh_frame_size + 4) : 0);
	put_u32(out, &size, func->cfi_size ? 1 : 0);
	put_u32(out, &size, func->cfi_size ? 0u - (eh_frame_size + code_room) : 0);
	put_u32(out, &size, func->cfi_size ? 0u - (eh_frame_size - fde) : 0);
	return size;
}
