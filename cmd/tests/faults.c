// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into a command, makes one of its calls fail (cmd/tests/faults.pl), told by variables:
 *
 *	FAULT_CALLS  which calls count: "output" (what creates, changes and removes files), "input"
 *	             (what reads them) or "memory" (what allocates)
 *	FAULT_AT     the how manieth of them fails, from 1 on
 *	FAULT        what happens there: a number of errno.h, negative if all later ones but those
 *	             that remove fail as well; "short" (half is written or read); or "before-N",
 *	             "after-N": signal N
 *	FAULT_LOG    file that gets a line for the call that failed, "CALL PATH", and at the end one
 *	             with the number of calls
 *
 * Calls that libc makes within itself are not seen. What happens before the command's own
 * constructors isn't counted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum kind { NOT_YET, OUTPUT, INPUT, MEMORY };
enum verdict { PASS, FAIL, SHORT };

static enum kind counted;
static unsigned long at, count;
static int error; /* 0: none */
static bool lasting, shortens;
static int before, after; /* signals */
static int log_fd = -1;

/* Without libc, whose functions are those below. */
static void say(const char *text, size_t size)
{
	syscall(SYS_write, log_fd, text, size);
}

static void log_fault(const char *call, const char *path, int fd)
{
	char link[64], target[4096];
	ssize_t length;

	if (log_fd < 0)
		return;
	say(call, strlen(call));
	say(" ", 1);
	if (!path) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof(target));
		say(target, length > 0 ? (size_t)length : 0);
	} else {
		say(path, strlen(path));
	}
	say("\n", 1);
}

static void send(int number)
{
	syscall(SYS_kill, syscall(SYS_getpid), number);
}

static bool removes(const char *call)
{
	return strncmp(call, "unlink", 6) == 0 || strcmp(call, "rmdir") == 0;
}

/* Whether this call is the one. path, or fd if that is NULL, is what it is about. */
static enum verdict judge(enum kind kind, const char *call, const char *path, int fd,
			  bool can_short)
{
	if (kind != counted || !at || (shortens && !can_short))
		return PASS;
	if (__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != at) {
		if (!lasting || count < at || removes(call))
			return PASS;
		errno = error;
		return FAIL;
	}
	log_fault(call, path, fd);
	if (before)
		send(before);
	if (shortens)
		return SHORT;
	if (!error)
		return PASS;
	errno = error;
	return FAIL;
}

/* Behind the call, so that the signal comes when it is done. */
static void finish(enum kind kind)
{
	if (after && kind == counted && count == at)
		send(after);
}

static void __attribute__((destructor)) end(void)
{
	char line[64];

	if (log_fd >= 0)
		say(line, (size_t)snprintf(line, sizeof(line), "calls %lu\n", count));
}

static void __attribute__((constructor)) begin(void)
{
	const char *calls = getenv("FAULT_CALLS"), *number = getenv("FAULT_AT");
	const char *fault = getenv("FAULT"), *log = getenv("FAULT_LOG");

	if (!calls || !number || !fault)
		return;
	if (log)
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, log,
				      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	at = strtoul(number, NULL, 10);
	if (strncmp(fault, "before-", 7) == 0)
		before = atoi(fault + 7);
	else if (strncmp(fault, "after-", 6) == 0)
		after = atoi(fault + 6);
	else if (strcmp(fault, "short") == 0)
		shortens = true;
	else
		error = abs(atoi(fault));
	lasting = error && *fault == '-';
	counted = strcmp(calls, "output") == 0  ? OUTPUT
		  : strcmp(calls, "input") == 0 ? INPUT
						: MEMORY;
}

static int (*real_main)(int, char **, char **);

/* Once main is done nothing counts: what runs then is libc's, or the instrumentation's of gcov. */
static int main_only(int argc, char **argv, char **envp)
{
	int status = real_main(argc, argv, envp);

	counted = NOT_YET;
	return status;
}

int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
		      void (*)(void), void *);

/* The function of that name that this one hides: libc's, or a sanitizer's. */
#define REAL(name)                     \
	static __typeof__(name) *real; \
	if (!real)                     \
	real = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name)

EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
			     void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
			     void *stack_end)
{
	REAL(__libc_start_main);
	real_main = main;
	return real(main_only, argc, argv, init, fini, rtld_fini, stack_end);
}

/* A function whose result is negative when it fails. */
#define WRAP(kind, type, name, parameters, arguments, path, fd)  \
	EXPORT type name parameters                              \
	{                                                        \
		type result = -1;                                \
		REAL(name);                                      \
		if (judge(kind, #name, path, fd, false) != PASS) \
			return result;                           \
		result = real arguments;                         \
		finish(kind);                                    \
		return result;                                   \
	}

/* The same of one that may do less than it is asked to. */
#define WRAP_SIZED(kind, name, parameters, arguments, fd, size)   \
	EXPORT ssize_t name parameters                            \
	{                                                         \
		enum verdict verdict;                             \
		ssize_t result = -1;                              \
		REAL(name);                                       \
		verdict = judge(kind, #name, NULL, fd, size > 1); \
		if (verdict == FAIL)                              \
			return result;                            \
		if (verdict == SHORT)                             \
			size /= 2;                                \
		result = real arguments;                          \
		finish(kind);                                     \
		return result;                                    \
	}

WRAP_SIZED(OUTPUT, write, (int fd, const void *data, size_t size), (fd, data, size), fd, size)
WRAP_SIZED(OUTPUT, pwrite, (int fd, const void *data, size_t size, off_t offset),
	   (fd, data, size, offset), fd, size)
WRAP_SIZED(OUTPUT, pwrite64, (int fd, const void *data, size_t size, off64_t offset),
	   (fd, data, size, offset), fd, size)
WRAP_SIZED(OUTPUT, copy_file_range,
	   (int in, off64_t *from, int out, off64_t *to, size_t size, unsigned int flags),
	   (in, from, out, to, size, flags), out, size)
WRAP_SIZED(INPUT, read, (int fd, void *data, size_t size), (fd, data, size), fd, size)
WRAP_SIZED(INPUT, pread, (int fd, void *data, size_t size, off_t offset), (fd, data, size, offset),
	   fd, size)
WRAP_SIZED(INPUT, pread64, (int fd, void *data, size_t size, off64_t offset),
	   (fd, data, size, offset), fd, size)
WRAP(OUTPUT, ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n), NULL, fd)
WRAP(OUTPUT, int, fsync, (int fd), (fd), NULL, fd)
WRAP(OUTPUT, int, fdatasync, (int fd), (fd), NULL, fd)
WRAP(OUTPUT, int, ftruncate, (int fd, off_t size), (fd, size), NULL, fd)
WRAP(OUTPUT, int, ftruncate64, (int fd, off64_t size), (fd, size), NULL, fd)
WRAP(OUTPUT, int, fallocate, (int fd, int mode, off_t from, off_t size), (fd, mode, from, size),
     NULL, fd)
WRAP(OUTPUT, int, fchmod, (int fd, mode_t mode), (fd, mode), NULL, fd)
WRAP(OUTPUT, int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid), NULL, fd)
WRAP(OUTPUT, int, chmod, (const char *path, mode_t mode), (path, mode), path, -1)
WRAP(OUTPUT, int, fchmodat, (int dir, const char *path, mode_t mode, int flags),
     (dir, path, mode, flags), path, -1)
WRAP(OUTPUT, int, mkdir, (const char *path, mode_t mode), (path, mode), path, -1)
WRAP(OUTPUT, int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), path, -1)
WRAP(OUTPUT, int, link, (const char *from, const char *to), (from, to), to, -1)
WRAP(OUTPUT, int, linkat, (int in, const char *from, int dir, const char *to, int flags),
     (in, from, dir, to, flags), to, -1)
WRAP(OUTPUT, int, symlink, (const char *target, const char *path), (target, path), path, -1)
WRAP(OUTPUT, int, unlink, (const char *path), (path), path, -1)
WRAP(OUTPUT, int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), path, -1)
WRAP(OUTPUT, int, rmdir, (const char *path), (path), path, -1)
WRAP(OUTPUT, int, rename, (const char *from, const char *to), (from, to), to, -1)
WRAP(OUTPUT, int, renameat, (int in, const char *from, int dir, const char *to),
     (in, from, dir, to), to, -1)
WRAP(OUTPUT, int, renameat2,
     (int in, const char *from, int dir, const char *to, unsigned int flags),
     (in, from, dir, to, flags), to, -1)

/* The descriptor is gone, whatever close says. */
EXPORT int close(int fd)
{
	enum verdict verdict;
	int result;

	REAL(close);
	verdict = judge(OUTPUT, "close", NULL, fd, false);
	result = real(fd);
	finish(OUTPUT);
	if (verdict == PASS)
		return result;
	errno = error;
	return -1;
}

static enum kind kind_of(int flags)
{
	return (flags & O_ACCMODE) == O_RDONLY ? INPUT : OUTPUT;
}

static mode_t mode_of(int flags, va_list rest)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define WRAP_OPEN(name, parameters, arguments)                             \
	EXPORT int name parameters                                         \
	{                                                                  \
		int result = -1;                                           \
		va_list rest;                                              \
		mode_t mode;                                               \
		REAL(name);                                                \
		va_start(rest, flags);                                     \
		mode = mode_of(flags, rest);                               \
		va_end(rest);                                              \
		if (judge(kind_of(flags), #name, path, -1, false) != PASS) \
			return result;                                     \
		result = real arguments;                                   \
		finish(kind_of(flags));                                    \
		return result;                                             \
	}

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
WRAP_OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))

#define WRAP_MMAP(name, offset_type)                                            \
	EXPORT void *name(void *addr, size_t size, int prot, int flags, int fd, \
			  offset_type offset)                                   \
	{                                                                       \
		enum kind kind = fd < 0 ? MEMORY : INPUT;                       \
		void *result;                                                   \
		REAL(name);                                                     \
		if (judge(kind, #name, fd < 0 ? "" : NULL, fd, false) != PASS)  \
			return MAP_FAILED;                                      \
		result = real(addr, size, prot, flags, fd, offset);             \
		finish(kind);                                                   \
		return result;                                                  \
	}

WRAP_MMAP(mmap, off_t)
WRAP_MMAP(mmap64, off64_t)

/* What dlsym asks for while it looks for the real functions; never given back. */
static char early[4096] __attribute__((aligned(16)));
static size_t early_used;
static __thread bool looking __attribute__((tls_model("initial-exec")));

static void *take_early(size_t size)
{
	void *memory = early + early_used;

	early_used += (size + 15) & ~(size_t)15;
	return early_used <= sizeof(early) ? memory : NULL;
}

#define WRAP_MEMORY(name, parameters, arguments, size)                                 \
	EXPORT void *name parameters                                                   \
	{                                                                              \
		static __typeof__(name) *real;                                         \
		if (!real) {                                                           \
			if (looking)                                                   \
				return take_early(size);                               \
			looking = true;                                                \
			real = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name); \
			looking = false;                                               \
		}                                                                      \
		if (judge(MEMORY, #name, "", -1, false) != PASS)                       \
			return NULL;                                                   \
		return real arguments;                                                 \
	}

WRAP_MEMORY(malloc, (size_t size), (size), size)
WRAP_MEMORY(calloc, (size_t n, size_t size), (n, size), n *size)
WRAP_MEMORY(realloc, (void *memory, size_t size), (memory, size), size)
WRAP_MEMORY(reallocarray, (void *memory, size_t n, size_t size), (memory, n, size), n *size)
