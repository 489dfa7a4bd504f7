// SPDX-License-Identifier: GPL-2.0-or-later
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void note(int signal)
{
	came = signal;
}

static void pass_over(int signal)
{
	(void)signal;
}

/* Once: a second signal does what signals do. */
static void handle_once(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_RESTART | (int)SA_RESETHAND };
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	/* what nohup and the like ignore stays ignored */
	if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(signal, &action, NULL);
}

void signals__hold(void)
{
	static const int held[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		handle_once(held[i], note);
}

void signals__leave_to_writer(void)
{
	handle_once(SIGINT, pass_over);
}

void signals__ignore_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
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
