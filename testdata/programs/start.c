// SPDX-License-Identifier: GPL-2.0-or-later
/* What a libc would bring: the entry point, and what the compiler calls by itself. */
#include <stddef.h>

#include "sys.h"

int main(int argc, char **argv);
void start_c(long *stack);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
size_t strlen(const char *string);
int strcmp(const char *a, const char *b);

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	xorl %ebp, %ebp\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call start_c\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");

void start_c(long *stack)
{
	sys_exit(main((int)stack[0], (char **)(stack + 1)));
}

void *memcpy(void *to, const void *from, size_t size)
{
	void *ret = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return ret;
}

void *memset(void *to, int byte, size_t size)
{
	void *ret = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return ret;
}

size_t strlen(const char *string)
{
	const char *p = string;

	while (*p)
		p++;
	return (size_t)(p - string);
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *(const unsigned char *)a - *(const unsigned char *)b;
}
