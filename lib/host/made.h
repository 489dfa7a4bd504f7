/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up files whose right reading is known: profiles, jitdumps and ELF files of JIT code, for
 * x86-64. Written from the formats' descriptions, apart from what lib/perfdata and lib/jitdump do.
 */
#ifndef PERFJIT_HOST_MADE_H
#define PERFJIT_HOST_MADE_H

#include "base/buf.h"
#include "dso/dso.h"

struct diag;

/* Code of three functions: the innermost, its caller and that one's caller, which has none. */
#define MADE_FUNCTIONS     3
#define MADE_FUNCTION_SIZE 64

/* What a function's CFI says of the distance from the stack pointer to its frame's end. */
#define MADE_LEAF_FRAME   16
#define MADE_MIDDLE_FRAME 32

enum made_form {
	MADE_REGION,   /* as perfjit-fix writes it: file offset == address - base */
	MADE_BARE,     /* the same without any CFI */
	MADE_INJECTED, /* as perf inject --jit: loaded from 0x80 on, nothing before */
	MADE_EXEC,     /* an executable of fixed address */
};

struct made_code {
	enum made_form form;
	uint64_t base;      /* address of file offset 0 */
	uint8_t leaf_frame; /* bytes; 0: MADE_LEAF_FRAME */
	const char *prefix; /* of the functions' names, "jit" for "jit_leaf" */
	uint8_t identity;   /* makes another build-id */
	/* set by made_code__write */
	uint64_t functions[MADE_FUNCTIONS]; /* addresses, the innermost first */
	uint64_t size;                      /* bytes from base to the end of the unwind data */
	uint8_t build_id[DSO_BUILD_ID_SIZE];
};

/* Writes the ELF file. 0 or a negative errno, reported. */
int made_code__write(struct made_code *code, const char *path, struct diag *diag);

enum made_samples {
	MADE_FLAT,   /* address alone */
	MADE_STACKS, /* with user registers and a copy of the stack */
};

struct made_profile {
	enum made_samples samples;
	uint32_t attr_size; /* bytes; 0: that of Linux 5.10, which all perfs read */
	uint64_t time;      /* ns, of the next record; each record moves it on */
	struct buf records;
};

#define MADE_ATTR_SIZE 120

void made_profile__begin(struct made_profile *profile, enum made_samples samples);
void made_profile__comm(struct made_profile *profile, uint32_t pid);
void made_profile__map(struct made_profile *profile, uint32_t pid, uint64_t start, uint64_t size,
		       uint64_t pgoff, const char *name);

/* Registers that matter and the stack from sp on. */
struct made_stack {
	uint64_t ip, bp;
	uint64_t words[16];
};

#define MADE_STACK_POINTER UINT64_C(0x7ffd00001000)

/* Returns the sample's time, which is like no other's. */
uint64_t made_profile__sample(struct made_profile *profile, uint32_t pid,
			      const struct made_stack *stack);

/* The stack of a sample in the innermost function, callers by CFI. */
struct made_stack made_code__stack(const struct made_code *code);

enum made_container {
	MADE_FILE,
	MADE_PIPE,        /* as perf record -o - */
	MADE_COMPRESSED,  /* records in a COMPRESSED record */
	MADE_COMPRESSED2, /* in a COMPRESSED2 record, as perf 6.16 and newer write */
};

/* Writes what was recorded so far. 0 or a negative errno, reported. */
int made_profile__write(const struct made_profile *profile, enum made_container container,
			const char *path, struct diag *diag);
void made_profile__free(struct made_profile *profile);

/* One function in a jitdump. */
struct made_dump {
	uint32_t pid;
	uint64_t time, addr;
	const char *name;
};

#define MADE_DUMP_CODE_SIZE 32

int made_dump__write(const struct made_dump *dump, const char *path, struct diag *diag);

#endif
