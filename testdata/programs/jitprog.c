// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitprog MODE: behaves like a JIT runtime that writes a jitdump, each mode in a way that some perf
 * cannot cope with. Linux on x86-64, no libc, so that it unwinds wherever it is copied to.
 */
#include <string.h>

#include "run.h"
#include "sys.h"

#define PAGE 4096u
#define RWX  (PROT_READ | PROT_WRITE | PROT_EXEC)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static struct ctx ctx;
static struct dump dump;

static void load(struct func *func, uint8_t *addr)
{
	memcpy(addr, func->code, func->size);
	func->addr = addr;
	dump__load(&dump, func, UNWINDING_WRITTEN);
}

static uint8_t *arena(size_t size)
{
	return sys_mmap(NULL, size, RWX, ANON, -1, 0);
}

/* Frame sizes that differ from one function and one round to the next. */
static uint32_t frame_of(uint32_t a, uint32_t b)
{
	return 16 * (1 + (a * 5 + b * 3) % 4);
}

static uint32_t pack(struct func *funcs, uint32_t n, const char *prefix, uint32_t round,
		     uint8_t *addr)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		func__begin(&funcs[i], prefix, round, i);
		func__frame(&funcs[i], i, frame_of(i, round), 300);
		load(&funcs[i], addr + used);
		used += funcs[i].size;
	}
	return used;
}

/* No byte between one function and the next: stock unwind data have no room. */
static void mode_packed(void)
{
	static struct func funcs[48];
	uint8_t *code = arena(PAGE);

	pack(funcs, 48, "packed::f", 0, code);
	for (uint32_t i = 0; i < 9; i++)
		funcs__run(&ctx, funcs + i * 4, 16, 8);
}

struct thread_state {
	struct func *funcs;
	uint32_t depth, end;
};

typedef void *evaluator(struct thread_state *ts, void *frame, int throwing);
typedef void *trampoline(struct thread_state *ts, void *frame, int throwing, evaluator *eval);

static void *evaluate(struct thread_state *ts, void *frame, int throwing)
{
	void *ret;

	spin(500);
	if (ts->depth == ts->end)
		return frame;
	ret = ((trampoline *)ts->funcs[ts->depth++].addr)(ts, frame, throwing, evaluate);
	__asm__ volatile("" : "+r"(ret)); /* so that this is no jump */
	return ret;
}

/* CPython 3.13: one trampoline a Python function, 272 bytes apart, called by the C evaluator. */
static void mode_spaced(void)
{
	static struct func funcs[30];
	uint8_t *code = arena(4 * PAGE);

	for (uint32_t i = 0; i < 30; i++) {
		func__begin(&funcs[i], "py::f", i, 0);
		memcpy(funcs[i].name + strlen(funcs[i].name), ":/srv/app dir/m.py", 19);
		func__trampoline(&funcs[i]);
		load(&funcs[i], code + i * 272);
	}
	for (uint32_t first = 0; first < 10; first++) {
		uint64_t end = sys_clock(CLOCK_PROCESS_CPUTIME_ID) + 7000000;

		do {
			struct thread_state ts = { funcs, first, first + 18 };

			evaluate(&ts, NULL, 0);
		} while (sys_clock(CLOCK_PROCESS_CPUTIME_ID) < end);
	}
}

/*
 * Sixty rounds of eight functions at addresses that were another function's before: mostly at the
 * very same ones with other frames, in every fifth round shifted. One function more is loaded
 * again each round just as it is.
 */
static void mode_reuse(void)
{
	static struct func funcs[9];
	uint8_t *code = arena(PAGE);

	func__begin(&funcs[8], "reuse::same", 0, 0);
	func__frame(&funcs[8], 8, 48, 300);
	for (uint32_t round = 0; round < 60; round++) {
		pack(funcs, 8, "reuse::r", round, code + 64 + (round % 5 ? 0 : 24 + round % 3));
		load(&funcs[8], code);
		funcs__run(&ctx, funcs, 9, 1);
	}
}

/*
 * Much code that comes and goes without ever running, as after a garbage collection: a new layout
 * for each overwritten function would cost far more than the dump itself.
 */
static void mode_churn(void)
{
	static struct func funcs[12];
	static struct func idle;
	uint8_t *code = arena(64 * PAGE);

	for (uint32_t i = 0; i < 500; i++) {
		func__begin(&idle, "churn::idle", i, 0);
		func__frame(&idle, 0, 32, 1);
		load(&idle, code + PAGE + i * 64);
	}
	for (uint32_t round = 0; round < 120; round++) {
		for (uint32_t i = 0; i < 8; i++) {
			func__begin(&idle, "churn::idle", (round * 37 + i * 11) % 500, round + 1);
			func__frame(&idle, 0, frame_of(i, round), 1);
			load(&idle, code + PAGE + (round * 37 + i * 11) % 500 * 64);
		}
		if (round % 20)
			continue;
		pack(funcs, 12, "churn::run", round, code + 256);
		funcs__run(&ctx, funcs, 12, 12);
	}
}

/* V8's embedded builtins: code in the executable file with frame pointers and no CFI. */
#define BUILTIN(n)                                            \
	__asm__(".pushsection .builtins, \"ax\", @progbits\n" \
		".balign 64\n"                                \
		"builtin" #n ":\n"                            \
		"	pushq %rbp\n"                               \
		"	movq %rsp, %rbp\n"                          \
		"	movl $2000, %eax\n"                         \
		"1:	decl %eax\n"                              \
		"	jnz 1b\n"                                   \
		"	call *(" #n " * 8)(%rdi)\n"           \
		"	popq %rbp\n"                                \
		"	ret\n"                                      \
		".popsection\n")

__asm__(".pushsection .builtins, \"ax\", @progbits\n"
	".balign 4096\n"
	"builtins:\n"
	".popsection\n");
BUILTIN(0);
BUILTIN(1);
BUILTIN(2);
BUILTIN(3);
BUILTIN(4);
BUILTIN(5);
__asm__(".pushsection .builtins, \"ax\", @progbits\n"
	".balign 4096, 0xcc\n"
	".popsection\n");

extern uint8_t builtins[], __ehdr_start[];

/*
 * Builtins described where the executable holds them and called there, and also in a second
 * mapping of the same bytes of the file, of which the dump says nothing.
 */
static void mode_aliases(void)
{
	static struct func funcs[6];
	uint8_t *code = arena(PAGE);
	int fd = (int)sys_open("/proc/self/exe", O_RDONLY);
	uint8_t *again = sys_mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				  (size_t)(builtins - __ehdr_start));
	void *functions[12];
	uint32_t slots[12];

	for (uint32_t i = 0; i < 6; i++) {
		static struct func builtin;

		func__begin(&builtin, "Builtin:b", i, 0);
		builtin.size = 32;
		memcpy(builtin.code, builtins + i * 64, 32);
		builtin.addr = builtins + i * 64;
		dump__load(&dump, &builtin, UNWINDING_WRITTEN);
		func__begin(&funcs[i], "aliases::f", i, 0);
		func__frame(&funcs[i], 6 + i, frame_of(i, 0), 300);
		load(&funcs[i], code + i * 64);
	}
	for (uint32_t round = 0; round < 8; round++) {
		for (uint32_t i = 0; i < 6; i++) {
			functions[2 * i] = (round & 1 ? again : builtins) + i * 64;
			slots[2 * i] = i;
			functions[2 * i + 1] = funcs[i].addr;
			slots[2 * i + 1] = funcs[i].slot;
		}
		chain__run(&ctx, functions, slots, 12, step, 8);
	}
}

/* An arena that grows by mprotect: each time the kernel reports a mapping over the code so far. */
static void remap_growing(void)
{
	static struct func funcs[20];
	uint8_t *code = sys_mmap(NULL, 8 * PAGE, PROT_NONE, ANON, -1, 0);

	for (uint32_t page = 0; page < 5; page++) {
		sys_mprotect(code + page * PAGE, PAGE, RWX);
		for (uint32_t i = 4 * page; i < 4 * page + 4; i++) {
			func__begin(&funcs[i], "remap::grown", page, i);
			func__frame(&funcs[i], i, frame_of(i, page), 300);
			load(&funcs[i], code + page * PAGE + (i % 4) * 64);
		}
		funcs__run(&ctx, funcs, 4 * page + 4, 8);
	}
}

/* .NET's W^X: written through one mapping, run through another that is made anew now and then. */
static void remap_doubled(void)
{
	static struct func funcs[12];
	int fd = (int)must(sys3(SYS_memfd_create, (long)"doublemapper", 0, 0));
	uint8_t *writable, *code;

	must(sys3(SYS_ftruncate, fd, 2 * PAGE, 0));
	writable = sys_mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = sys_mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	for (uint32_t i = 0; i < 12; i++) {
		func__begin(&funcs[i], "remap::doubled", i, 0);
		func__frame(&funcs[i], i, frame_of(i, 1), 300);
		funcs[i].addr = code + i * 64;
		memcpy(writable + i * 64, funcs[i].code, funcs[i].size);
		dump__load(&dump, &funcs[i], UNWINDING_WRITTEN);
	}
	for (uint32_t i = 0; i < 3; i++) {
		funcs__run(&ctx, funcs, 12, 6);
		sys_mmap(code, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0);
	}
	funcs__run(&ctx, funcs, 12, 6);
}

static void mode_remap(void)
{
	remap_growing();
	remap_doubled();
}

/*
 * Code that fills the page below a file mapping to the last byte, and code in the page above from
 * offset above_at on: nothing may be laid over the file's code at either end of it, which is
 * called in between.
 */
static void around_a_file(uint32_t above_at)
{
	static struct func below[24], above[24];
	uint8_t *space = sys_mmap(NULL, 32 * PAGE, PROT_NONE, ANON, -1, 0);
	uint8_t *library = space + 16 * PAGE;
	int fd = (int)sys_open("neighbour.so", O_RDONLY);
	uint32_t used = above_at;

	sys_mmap(library - PAGE, PAGE, RWX, ANON | MAP_FIXED, -1, 0);
	sys_mmap(library, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	sys_mmap(library + PAGE, PAGE, RWX, ANON | MAP_FIXED, -1, 0);
	func__begin(&below[0], "neighbour::size", 0, 0);
	func__frame(&below[0], 0, 16, 1);
	pack(below, 24, "neighbour::below", 0, library - 24 * below[0].size);
	for (uint32_t i = 0; i < 24; i++) {
		func__begin(&above[i], "neighbour::above", 0, i);
		func__frame(&above[i], 24 + i, frame_of(i, 1), 300);
		load(&above[i], library + PAGE + used);
		used += above[i].size;
	}
	for (uint32_t round = 0; round < 8; round++) {
		int32_t *away = (int32_t *)(library + PAGE - 8) + (round & 1);
		void *functions[18];
		uint32_t slots[18];

		for (uint32_t i = 0; i < 9; i++) {
			functions[2 * i] = below[(2 * round + i) % 24].addr;
			slots[2 * i] = below[(2 * round + i) % 24].slot;
			functions[2 * i + 1] = above[(2 * round + i) % 24].addr;
			slots[2 * i + 1] = above[(2 * round + i) % 24].slot;
		}
		chain__run(&ctx, functions, slots, 18, (call *)((uint8_t *)away + *away), 8);
	}
}

/* The unwind data have no room behind the code below. */
static void mode_neighbour(void)
{
	around_a_file(1024);
}

/* And an ELF header has none before the code above. */
static void mode_wedged(void)
{
	around_a_file(0);
}

/*
 * A child that inherits code, loads more behind it and other code over some of it, while its
 * parent does the same at the same addresses.
 */
static void mode_fork(void)
{
	static struct func funcs[20];
	uint8_t *code = arena(PAGE);
	uint32_t inherited = pack(funcs, 8, "fork::before", 0, code);
	const char *who = "fork::parent";
	long pid;

	funcs__run(&ctx, funcs, 8, 16);
	pid = must(sys3(SYS_fork, 0, 0, 0));
	if (!pid) {
		who = "fork::child";
		dump__open(&dump);
	}
	for (uint32_t round = 0; round < 3; round++) {
		uint32_t first = round == 2 ? 4 : 8;
		uint32_t used = round == 2 ? 4 * funcs[0].size : inherited + round * 24;

		for (uint32_t i = first; i < first + 6; i++) {
			func__begin(&funcs[i], who, round, i);
			func__frame(&funcs[i], i, frame_of(i, round + (pid ? 1 : 2)), 300);
			load(&funcs[i], code + used);
			used += funcs[i].size;
		}
		funcs__run(&ctx, funcs, first + 6, 10);
	}
	if (pid)
		must(sys6(SYS_wait4, pid, 0, 0, 0, 0, 0));
}

/* Frame pointers alone: V8 writes an empty header, the JVM's agent nothing. */
static void without_cfi(call *via)
{
	static struct func funcs[32];
	uint8_t *code = arena(16 * PAGE);

	for (uint32_t i = 0; i < 32; i++) {
		func__begin(&funcs[i], i < 16 ? "nocfi::v8" : "nocfi::java", i, 0);
		func__frame_pointer(&funcs[i], i, frame_of(i, 0), 300);
		funcs[i].addr = code + (i < 16 ? 0 : 8 * PAGE) + i * 64;
		memcpy(funcs[i].addr, funcs[i].code, funcs[i].size);
		dump__load(&dump, &funcs[i], i < 16 ? UNWINDING_WRITTEN : UNWINDING_NONE);
	}
	for (uint32_t i = 0; i < 9; i++)
		funcs__run_via(&ctx, funcs + i * 2, 16, via, 8);
}

static void mode_nocfi(void)
{
	without_cfi(framed_step);
}

/* Called by compiled code that has no frame pointer, which old libunwinds cannot cope with. */
static void mode_nocfi_bare(void)
{
	without_cfi(step);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "packed", mode_packed },
		{ "spaced", mode_spaced },
		{ "reuse", mode_reuse },
		{ "churn", mode_churn },
		{ "aliases", mode_aliases },
		{ "remap", mode_remap },
		{ "neighbour", mode_neighbour },
		{ "wedged", mode_wedged },
		{ "fork", mode_fork },
		{ "nocfi", mode_nocfi },
		{ "nocfi-bare", mode_nocfi_bare },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(argv[1], modes[i].name))
			continue;
		dump__open(&dump);
		modes[i].run();
		return 0;
	}
	return 2;
}
