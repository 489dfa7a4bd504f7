// SPDX-License-Identifier: GPL-2.0-or-later
// A position-independent C++ program that calls a shared library and is called back, and enters
// the kernel: dynamic ROUNDS [DEPTH].
#include "shapes.h"

static volatile unsigned long sink;

NOINLINE static unsigned long visit(shape *shape, unsigned long n)
{
	return shape->twice(n) + spin(n) + 1;
}

NOINLINE static unsigned long deeper(unsigned long depth, unsigned long n)
{
	volatile char room[64];

	room[depth % sizeof(room)] = 1;
	return (depth ? deeper(depth - 1, n) : for_each_shape(n, visit)) + room[depth % sizeof(room)];
}

static unsigned long number(const char *digits)
{
	unsigned long value = 0;

	while (digits && *digits)
		value = 10 * value + static_cast<unsigned long>(*digits++ - '0');
	return value;
}

extern "C" NOINLINE void run(const char *const *stack)
{
	unsigned long rounds = number(stack[2]), depth = stack[3] ? number(stack[3]) : 0;

	while (rounds--)
		sink = sink + deeper(depth ? depth : rounds % 7, 2000) + ask_kernel(20);
	__asm__ volatile("syscall" : : "a"(231), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	call run\n"
	"	hlt\n"
	".cfi_endproc\n"
	".size _start, . - _start\n");
