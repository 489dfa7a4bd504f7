// SPDX-License-Identifier: GPL-2.0-or-later
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): no other way out of a handler */
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

/*
 * What is missing of a mapped file that was cut short reads as zeros, as the rest of its last page
 * does; whoever reads asks in the end whether it was (perfdata__check_whole()).
 */
static void fill_page(int number, siginfo_t *info, void *context)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)info->si_addr & ~(size - 1);
	void *addr;

	(void)context;
	memcpy(&addr, &page, sizeof(addr));
	if (info->si_code != BUS_ADRERR ||
	    mmap(addr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
		signal(number, SIG_DFL);
}

void signals__survive_cuts(void)
{
	struct sigaction action = { .sa_sigaction = fill_page, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
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
