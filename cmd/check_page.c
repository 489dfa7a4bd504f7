// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of --flamegraph, made part of the program from the files that it is written in. */
#include "check_pictures.h"

__asm__(".pushsection .rodata\n"
	".hidden check_page_start\n"
	".globl check_page_start\n"
	"check_page_start:\n"
	".incbin \"cmd/flamegraph/head.html\"\n"
	".incbin \"cmd/flamegraph/style.css\"\n"
	".incbin \"cmd/flamegraph/body.html\"\n"
	".incbin \"cmd/flamegraph/common.js\"\n"
	".incbin \"cmd/flamegraph/flame.js\"\n"
	".incbin \"cmd/flamegraph/memory.js\"\n"
	".incbin \"cmd/flamegraph/page.js\"\n"
	".incbin \"cmd/flamegraph/tail.html\"\n"
	".hidden check_page_end\n"
	".globl check_page_end\n"
	"check_page_end:\n"
	".byte 0\n"
	".popsection\n");

extern const uint8_t check_page_start[], check_page_end[];

struct bytes check_page__source(void)
{
	return (struct bytes){ check_page_start, (size_t)(check_page_end - check_page_start) };
}
