// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitexec [again]: a JIT runtime whose file lies at another address in each process, as that of any
 * position-independent program; it starts itself again.
 */
#include <string.h>

#include "run.h"
#include "sys.h"

#define PAGE 4096u
#define RWX  (PROT_READ | PROT_WRITE | PROT_EXEC)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static struct ctx ctx;
static struct dump dump;

static void run(const char *who)
{
	static struct func funcs[16];
	uint8_t *code = sys_mmap(NULL, PAGE, RWX, ANON, -1, 0);

	dump__open(&dump);
	for (uint32_t i = 0; i < 16; i++) {
		func__begin(&funcs[i], who, 0, i);
		func__frame(&funcs[i], i, 16 * (1 + i % 4), 300);
		memcpy(code, funcs[i].code, funcs[i].size);
		funcs[i].addr = code;
		dump__load(&dump, &funcs[i], UNWINDING_WRITTEN);
		code += funcs[i].size;
	}
	funcs__run(&ctx, funcs, 16, 30);
}

int main(int argc, char **argv)
{
	char *again[] = { argv[0], "again", NULL }, *environment[] = { NULL };
	long pid;

	if (argc > 1) {
		run("exec::child");
		return 0;
	}
	run("exec::parent");
	pid = must(sys3(SYS_fork, 0, 0, 0));
	if (!pid)
		must(sys3(SYS_execve, (long)argv[0], (long)again, (long)environment));
	must(sys6(SYS_wait4, pid, 0, 0, 0, 0, 0));
	return 0;
}
