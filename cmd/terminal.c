// SPDX-License-Identifier: GPL-2.0-or-later
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

bool color__wanted(enum color_when when, FILE *stream)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return isatty(fileno(stream)) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

void terminal__print_quoted(FILE *stream, const char *path)
{
	struct buf word = BUF(ORDER_LITTLE);

	text__put_quoted(&word, path);
	if (!word.failed)
		fwrite(word.data, 1, word.size, stream);
	buf__free(&word);
}

char *terminal__bytes(char out[32], uint64_t bytes)
{
	static const char units[] = "kMGTPE";
	double value = (double)bytes;
	int unit = -1;

	/* 999.95 would be rounded up to 1000.0 */
	while (value >= (unit < 0 ? 1000.0 : 999.95) && unit < (int)sizeof(units) - 2) {
		value /= 1000;
		unit++;
	}
	if (unit < 0)
		snprintf(out, 32, "%llu byte%s", (unsigned long long)bytes,
			 terminal__plural(bytes));
	else
		snprintf(out, 32, "%.1f %cB", value, units[unit]);
	return out;
}

const char *terminal__plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
