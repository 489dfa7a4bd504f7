// SPDX-License-Identifier: GPL-2.0-or-later
#include "check_result.h"

char *check_result__percent(char out[16], uint64_t part, uint64_t whole)
{
	double percent = check__percent(part, whole);

	if (!whole)
		snprintf(out, 16, "-");
	else if (part == whole)
		snprintf(out, 16, "100");
	/* nothing but all of them is told as 100 */
	else
		snprintf(out, 16, "%.1f", percent > 99.9 ? 99.9 : percent);
	return out;
}

const char *check_result__error(const struct check_result *result)
{
	array__for_each(message, &result->messages->kept)
		if (message->level == DIAG_ERROR)
			return message->text;
	return NULL;
}
