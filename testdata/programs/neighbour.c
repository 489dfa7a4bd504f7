// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A shared object of one page: a function near its start and one near its end, each calling the
 * next of a chain. Its last 8 bytes say how far away they are, from each word.
 */
#include "run.h"

__asm__(".section .directory, \"a\", @progbits\n"
	".long neighbour_low - .\n"
	".long neighbour_high - .\n"
	".text\n");

__attribute__((section(".low"))) void neighbour_low(struct ctx *ctx)
{
	for (volatile int i = 0; i < 300; i++)
		;
	ctx->after_step[ctx->pos++](ctx);
	__asm__ volatile("");
}

__attribute__((section(".high"))) void neighbour_high(struct ctx *ctx)
{
	for (volatile int i = 0; i < 300; i++)
		;
	ctx->after_step[ctx->pos++](ctx);
	__asm__ volatile("");
}
