// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is often in the kernel's code, by system calls and in [vdso]. Without a C library: the vdso is
 * found by the auxiliary vector, its function by its symbols.
 */
#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <time.h>

typedef int clock_fn(clockid_t, struct timespec *);

static const char name[] = "__vdso_clock_gettime";

static int same(const char *x, const char *y)
{
	while (*x && *x == *y)
		x++, y++;
	return *x == *y;
}

static long call(long number, long a)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(0), "d"(0)
			 : "rcx", "r11", "memory");
	return ret;
}

static clock_fn *find(unsigned long vdso)
{
	const ElfW(Ehdr) *elf = (void *)vdso;
	const ElfW(Phdr) *segments = (void *)(vdso + elf->e_phoff);
	const ElfW(Dyn) *dynamic = 0;
	const ElfW(Sym) *symbols = 0;
	const char *names = 0;

	for (int i = 0; i < elf->e_phnum; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = (void *)(vdso + segments[i].p_offset);
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (void *)(vdso + dynamic->d_un.d_ptr);
		if (dynamic->d_tag == DT_STRTAB)
			names = (void *)(vdso + dynamic->d_un.d_ptr);
	}
	/* the names stand behind the symbols */
	for (const ElfW(Sym) *symbol = symbols; (const char *)symbol < names; symbol++)
		if (same(names + symbol->st_name, name))
			return (void *)(vdso + symbol->st_value);
	return 0;
}

__attribute__((noinline)) static long ask_clock(clock_fn *clock, long count)
{
	struct timespec now = { 0 };
	long sum = 0;

	for (long i = 0; i < count; i++) {
		clock(CLOCK_MONOTONIC, &now);
		sum += now.tv_nsec;
	}
	return sum;
}

__attribute__((noinline)) static long ask_kernel(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += call(SYS_getpriority, 0);
	return sum;
}

__attribute__((used)) static void run(unsigned long *stack)
{
	unsigned long *at = stack + 1 + stack[0] + 1;
	clock_fn *clock = 0;

	while (*at++)
		;
	for (; *at != AT_NULL; at += 2)
		if (*at == AT_SYSINFO_EHDR)
			clock = find(at[1]);
	for (int i = 0; i < 80; i++) {
		ask_clock(clock, 150000);
		ask_kernel(20000);
	}
	call(SYS_exit_group, 0);
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call run\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");
