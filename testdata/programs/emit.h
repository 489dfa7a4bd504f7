/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code with the call frame information that describes it, instruction by instruction. */
#ifndef JITPROG_EMIT_H
#define JITPROG_EMIT_H

#include <stddef.h>
#include <stdint.h>

#define NAME_SIZE 64

struct func {
	char name[NAME_SIZE];
	uint8_t code[96];
	uint32_t size;
	uint8_t cfi[48];     /* instructions of the FDE */
	uint32_t cfi_size;   /* 0: nothing is said about the frame */
	uint32_t described;  /* code before this has its rows */
	uint32_t cfa_offset; /* from rsp, now */
	void *addr;          /* where it was loaded */
	uint32_t slot;       /* its callee's place in struct ctx */
};

/* name: prefix, two numbers */
void func__begin(struct func *func, const char *prefix, uint32_t a, uint32_t b);

/*
 * sub $8,%rsp; call *%rcx; add $8,%rsp; ret behind an endbr64: CPython 3.13's trampoline, byte
 * for byte.
 */
void func__trampoline(struct func *func);

/*
 * Spins, then calls ctx->callee[slot](ctx). rbp is zeroed, so that nothing but the CFI tells
 * where the caller's frame is; frame (bytes, a multiple of 16) is what it moves rsp by.
 */
void func__frame(struct func *func, uint32_t slot, uint32_t frame, uint32_t spin);

/* The same with a frame pointer and without CFI. */
void func__frame_pointer(struct func *func, uint32_t slot, uint32_t frame, uint32_t spin);

/*
 * The data of a JIT_CODE_UNWINDING_INFO record in the order CPython and V8 write: .eh_frame, then
 * 20 bytes of .eh_frame_hdr; without CFI the header alone, empty, as V8 does. Returns its size.
 */
uint32_t func__unwinding(const struct func *func, uint8_t *out);

#define EH_FRAME_HDR_SIZE 20

#endif
