/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of calls through generated code. */
#ifndef JITPROG_RUN_H
#define JITPROG_RUN_H

#include "dump.h"

#define SLOTS 64

struct ctx;
typedef void call(struct ctx *ctx);

struct ctx {
	call *callee[SLOTS]; /* where generated code looks: at offset 0 */
	call *after_step[SLOTS];
	uint32_t pos;
};

/* Calls the next function of the chain: the compiled frame between generated ones. */
void step(struct ctx *ctx);
/* The same with a frame pointer. */
void framed_step(struct ctx *ctx);
/* The end of a chain: burns some time. */
void leaf(struct ctx *ctx);

/*
 * Calls through functions[0..n) in this order for ms milliseconds of CPU time. Each calls the
 * next directly, every third by way of via. n is at most SLOTS, slots differ.
 */
void chain__run(struct ctx *ctx, void *const *functions, const uint32_t *slots, uint32_t n,
		call *via, uint32_t ms);
void funcs__run(struct ctx *ctx, const struct func *funcs, uint32_t n, uint32_t ms);
void funcs__run_via(struct ctx *ctx, const struct func *funcs, uint32_t n, call *via, uint32_t ms);

/* Burns about as many cycles. */
void spin(uint32_t cycles);

#endif
