// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include "sys.h"

void spin(uint32_t cycles)
{
	while (cycles--)
		__asm__ volatile("");
}

void step(struct ctx *ctx)
{
	ctx->after_step[ctx->pos++](ctx);
	__asm__ volatile(""); /* so that this is no jump */
}

__attribute__((optimize("no-omit-frame-pointer"))) void framed_step(struct ctx *ctx)
{
	ctx->after_step[ctx->pos++](ctx);
	__asm__ volatile(""); /* so that this is no jump */
}

void leaf(struct ctx *ctx)
{
	(void)ctx;
	spin(3000);
}

void chain__run(struct ctx *ctx, void *const *functions, const uint32_t *slots, uint32_t n,
		call *via, uint32_t ms)
{
	uint64_t end = sys_clock(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)ms * 1000000;
	uint32_t steps = 0;

	ctx->after_step[steps++] = functions[0];
	for (uint32_t i = 0; i < n; i++) {
		if (i == n - 1)
			ctx->callee[slots[i]] = leaf;
		else if (i % 3 != 2)
			ctx->callee[slots[i]] = functions[i + 1];
		else {
			ctx->callee[slots[i]] = via;
			ctx->after_step[steps++] = functions[i + 1];
		}
	}
	do {
		ctx->pos = 0;
		via(ctx);
	} while (sys_clock(CLOCK_PROCESS_CPUTIME_ID) < end);
}

void funcs__run(struct ctx *ctx, const struct func *funcs, uint32_t n, uint32_t ms)
{
	funcs__run_via(ctx, funcs, n, step, ms);
}

void funcs__run_via(struct ctx *ctx, const struct func *funcs, uint32_t n, call *via, uint32_t ms)
{
	void *functions[SLOTS];
	uint32_t slots[SLOTS];

	for (uint32_t i = 0; i < n; i++) {
		functions[i] = funcs[i].addr;
		slots[i] = funcs[i].slot;
	}
	chain__run(ctx, functions, slots, n, via, ms);
}
