/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: an image of three functions for each machine. */
#ifndef PERFJIT_DSO_TARGETS_TEST_H
#define PERFJIT_DSO_TARGETS_TEST_H

#include <fcntl.h>

#include "dso/image_test.h"

#define CODE UINT64_C(0x40001000)
#define GAP  272

/* CPython 3.13.5's trampoline and rules: sub $8, %rsp; call *%rcx; add $8, %rsp; ret. */
static const uint8_t code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
static const uint8_t rules[] = { 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08 };

struct target_case {
	const char *machine; /* as readelf says it */
	struct cfi_target target;
	struct cfi_cie cie;
};

#define RULES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct target_case cases[] = {
	{ "Advanced Micro Devices X86-64",
	  { EM_X86_64, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 16, false, false, RULES("\x0c\x07\x08\x90\x01") } },
	{ "Intel 80386",
	  { EM_386, ELFCLASS32, ORDER_LITTLE },
	  { 1, -4, 8, false, false, RULES("\x0c\x04\x04") } },
	{ "AArch64",
	  { EM_AARCH64, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 30, false, true, RULES("\x0c\x1f\x00") } },
	{ "ARM",
	  { EM_ARM, ELFCLASS32, ORDER_LITTLE },
	  { 1, -4, 14, false, false, RULES("\x0c\x0d\x00") } },
	{ "RISC-V",
	  { EM_RISCV, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 1, false, false, RULES("\x0c\x02\x00") } },
	{ "PowerPC64",
	  { EM_PPC64, ELFCLASS64, ORDER_LITTLE },
	  { 1, -8, 65, false, false, RULES("\x0c\x01\x00") } },
	{ "IBM S/390",
	  { EM_S390, ELFCLASS64, ORDER_BIG },
	  { 1, -8, 14, true, false, RULES("\x0c\x0f\x08") } },
};

#define NR_FUNCTIONS 3

struct fixture {
	struct code_record records[NR_FUNCTIONS];
	struct dso_function functions[NR_FUNCTIONS];
	struct cfi_entry cfi[NR_FUNCTIONS];
	struct dso_spec spec;
};

static const char *const names[NR_FUNCTIONS] = {
	"py::handler:/srv/app.py",
	"LazyCompile:~a b:1 \xc3\xa9",
	"",
};

static inline struct fixture *make_fixture(struct fixture *fixture, const struct target_case *c)
{
	for (uint64_t i = 0; i < NR_FUNCTIONS; i++) {
		fixture->records[i] = (struct code_record){ .addr = CODE + GAP * i,
							    .size = sizeof(code),
							    .name = names[i],
							    .code = BYTES(code) };
		fixture->functions[i] = (struct dso_function){ .record = &fixture->records[i],
							       .addr = fixture->records[i].addr,
							       .size = sizeof(code) };
		fixture->cfi[i] = (struct cfi_entry){ &c->cie, BYTES(rules),
						      fixture->records[i].addr, sizeof(code) };
	}
	fixture->spec = (struct dso_spec){
		.target = c->target,
		.functions = fixture->functions,
		.nr_functions = NR_FUNCTIONS,
		.cfi = fixture->cfi,
		.nr_cfi = NR_FUNCTIONS,
		.base = CODE - dso__header_size(c->target.class, DSO_HEADERS_BEFORE),
		.text_end = CODE + GAP * (NR_FUNCTIONS - 1) + sizeof(code),
	};
	return fixture;
}

static inline void read_file(const char *path, uint8_t *bytes, size_t size)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, size, 0), size);
	close(fd);
}

#endif
