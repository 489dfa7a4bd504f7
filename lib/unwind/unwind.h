/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profiler would show of a sample: its call chain, by REGS_USER and STACK_USER or as it was
 * recorded, and the name of each address in it. For x86-64 and aarch64.
 *
 * An unwinder is what all threads share: processes, mapped files, their symbols and unwind rows.
 * Samples are unwound by unwind_threads, each used by one thread of execution at a time.
 */
#ifndef PERFJIT_UNWIND_UNWIND_H
#define PERFJIT_UNWIND_UNWIND_H

#include "base/array.h"
#include "codemap/process.h"
#include "perfdata/event.h"

struct diag;
struct unwinder;
struct unwind_thread;
struct unwind_module;

struct unwind_options {
	const char *symfs;       /* folder that recorded paths are looked up under; NULL: none */
	const char *debug_dir;   /* of separate debug files; NULL: /usr/lib/debug */
	const char *buildid_dir; /* NULL: $HOME/.debug; "" for none */
	unsigned int max_stack;  /* user frames of a chain; 0: UNWIND_MAX_STACK */
	/* NULL, or adds to what was recorded of processes; not 0: unwinder__new fails with that */
	int (*extend)(void *context, struct processes *processes);
	/* Where the file is that records call name, if not there; NULL, or returns NULL: there. */
	const char *(*locate)(void *context, const char *name);
	void *context;
};

/* As many as perf shows. */
#define UNWIND_MAX_STACK 127

/*
 * Walks the profile for side-band records and deferred call chains. perfdata, what options point
 * to and diag must live as long. 0 or a negative errno, reported.
 */
int unwinder__new(struct unwinder **unwinder, struct perfdata *perfdata,
		  const struct unwind_options *options, struct diag *diag);
void unwinder__free(struct unwinder *unwinder);

const struct processes *unwinder__processes(const struct unwinder *unwinder);

/* Why an address has no name. */
enum unwind_reason {
	UNWIND_NAMED,        /* it has one */
	UNWIND_NO_PROCESS,   /* nothing is known of the process */
	UNWIND_NOT_MAPPED,   /* nothing was ever mapped there */
	UNWIND_MAPPED_LATER, /* nothing was mapped there yet */
	UNWIND_HIDDEN,       /* something without names was mapped over a file */
	UNWIND_ANONYMOUS,    /* memory that is no file */
	UNWIND_NO_FILE,      /* the file is not there, or can't be read */
	UNWIND_OTHER_FILE,   /* the file there has another build-id than the one recorded */
	UNWIND_NOT_ELF,      /* the file is no ELF file of this kind of machine */
	UNWIND_NO_SYMBOL,    /* the file is right and has no symbol for the address */
	UNWIND_KERNEL,       /* the kernel's, and its symbols are not here */
	UNWIND_REASONS,
};

/* How a chain ended. */
enum unwind_end {
	UNWIND_COMPLETE,   /* at the outermost frame */
	UNWIND_RECORDED,   /* where it was recorded to end, which is not known to be outermost */
	UNWIND_LOST,       /* where user space begins: its chain was to be recorded later, and was not */
	UNWIND_NO_USER,    /* the sample says nothing of user space */
	UNWIND_STACK_CUT,  /* the stack goes on behind the copy */
	UNWIND_NO_MAPPING, /* the frame's address is in no mapping */
	UNWIND_NO_CFI,     /* nothing says where the caller is: there are no rules */
	UNWIND_FILE_GONE,  /* the same, in a file that is not the one that ran or can't be read */
	UNWIND_BAD_CFI,    /* the rules can't be applied, or lose the caller */
	UNWIND_BAD_READ,   /* the caller would be where no memory was recorded */
	UNWIND_LOOP,       /* the caller's frame would not be further out */
	UNWIND_TOO_DEEP,   /* max_stack */
	UNWIND_OTHER_ABI,  /* registers of another kind of machine or process */
	UNWIND_ENDS,
};

struct unwind_frame {
	/*
	 * The address as perf shows it: of callers one less than the return address, so that it
	 * is in the function that called.
	 */
	uint64_t ip;
	const struct mapping *mapping;      /* what is mapped there, or NULL */
	const struct unwind_module *module; /* its file, or NULL */
	const char *symbol;     /* as it stands in the file, not demangled; NULL: see reason */
	uint64_t symbol_offset; /* bytes from the symbol's beginning */
	enum unwind_reason reason;
	bool kernel;
	bool jit;    /* in a DSO made for JIT code, or named by a perf map */
	bool caller; /* neither the innermost frame nor one that a signal interrupted */
};

struct unwind_chain {
	ARRAY(struct unwind_frame) frames; /* innermost first, the kernel's before the user's */
	size_t nr_kernel;                  /* of frames */
	enum unwind_end end;
	bool unwound; /* the user part is by registers and stack */
};

/* "stack copy ends", in lower case, to be put into a sentence. */
const char *unwind_end__text(enum unwind_end end);

/* names: frames get symbols; without, only addresses, mapping and module. -ENOMEM. */
int unwind_thread__new(struct unwind_thread **thread, struct unwinder *unwinder, bool names);
void unwind_thread__free(struct unwind_thread *thread);

/*
 * The chain of a sample; chain is cleared first and may be used again. A chain that ends too
 * early is no error. 0 or -ENOMEM.
 */
int unwind_thread__sample(struct unwind_thread *thread, const struct perfdata_sample *sample,
			  struct unwind_chain *chain);
void unwind_chain__free(struct unwind_chain *chain);

/*
 * One address of a process at a time; caller: it is a return address. Not for the kernel's. Always
 * with names. 0 or -ENOMEM.
 */
int unwind_thread__resolve(struct unwind_thread *thread, uint32_t pid, uint64_t time, uint64_t ip,
			   bool caller, struct unwind_frame *frame);

/* The name in the records; whether it is a JIT DSO. */
const char *unwind_module__name(const struct unwind_module *module);
bool unwind_module__is_jit(const struct unwind_module *module);

#endif
