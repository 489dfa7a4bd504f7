// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: tells a story of forks, execs and mappings read from the input to processes
 * and to a plain model of them and compares all that can be asked.
 */
#include "codemap/process_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The model takes time in the square of it. */
	if (size <= 1024)
		process_model__check((struct bytes){ data, size });
	return 0;
}
