/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few system calls of Linux on x86-64 that jitprog needs, so that it links without a libc. */
#ifndef JITPROG_SYS_H
#define JITPROG_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static inline long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long sys3(long nr, long a, long b, long c)
{
	return sys6(nr, a, b, c, 0, 0, 0);
}

static inline void sys_exit(int status)
{
	for (;;)
		sys3(SYS_exit_group, status, 0, 0);
}

/* Every failure ends the program: a recording of half a run is of no use. */
static inline long must(long ret)
{
	if (ret < 0 && ret > -4096)
		sys_exit(100);
	return ret;
}

static inline long sys_open(const char *path, int flags)
{
	return must(sys3(SYS_open, (long)path, flags, 0644));
}

static inline void sys_write(int fd, const void *data, size_t size)
{
	if (must(sys3(SYS_write, fd, (long)data, (long)size)) != (long)size)
		sys_exit(101);
}

static inline void *sys_mmap(void *addr, size_t size, int prot, int flags, int fd, size_t offset)
{
	return (void *)must(sys6(SYS_mmap, (long)addr, (long)size, prot, flags, fd, (long)offset));
}

static inline void sys_mprotect(void *addr, size_t size, int prot)
{
	must(sys3(SYS_mprotect, (long)addr, (long)size, prot));
}

static inline int sys_getpid(void)
{
	return (int)sys3(SYS_getpid, 0, 0, 0);
}

static inline uint64_t sys_clock(clockid_t clock)
{
	struct timespec ts;

	must(sys3(SYS_clock_gettime, clock, (long)&ts, 0));
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
