// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfjit.h"

const char *perfjit__version(void)
{
	return PERFJIT_VERSION;
}
