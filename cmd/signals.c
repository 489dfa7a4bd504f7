// SPDX-License-Identifier: GPL-2.0-or-later
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void note(int signal)
{
	came = signal;
}

void signals__hold(void)
{
	static const int held[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = note,
				    .sa_flags = SA_RESTART | (int)SA_RESETHAND };
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		/* what nohup and the like ignore stays ignored */
		if (sigaction(held[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(held[i], &action, NULL);
	}
}

bool signals__came(void)
{
	return came != 0;
}

void signals__pass_on(void)
{
	if (!came)
		return;
	signal(came, SIG_DFL);
	raise(came);
}
