// SPDX-License-Identifier: GPL-2.0-or-later
#include "failure.h"

#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"

void failure__report(struct diag *diag, const char *kind, const char *file, const char *text)
{
	diag__report(diag, DIAG_ERROR, kind, file, DIAG_NO_OFFSET, "%s", text);
}

enum exit_code failure__code(struct diag *diag, int err, enum exit_code code)
{
	if (err == -ENOMEM)
		failure__report(diag, "memory", NULL, "out of memory");
	return code;
}

bool failure__is_written(FILE *stream)
{
	return fflush(stream) == 0 && !ferror(stream);
}

void failure__end_for_memory(const char *command)
{
	fprintf(stderr, "%s: error: out of memory\n", command);
	exit(EXIT_INPUT);
}
