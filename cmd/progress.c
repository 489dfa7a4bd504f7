// SPDX-License-Identifier: GPL-2.0-or-later
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BAR_WIDTH 30

/* A thread of its own prints: the work need not call back while it reads. */
struct progress {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t ended;
	bool stop;
	bool shown;
	const char *phase;
	uint64_t done, total;
};

static void erase(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}

static void show(struct progress *progress)
{
	char bar[BAR_WIDTH + 1];
	int filled = progress->total
			     ? (int)(progress->done * (double)BAR_WIDTH / (double)progress->total)
			     : 0;

	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < filled ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	if (progress->total)
		fprintf(stderr, "\r%s [%s]\033[K", progress->phase, bar);
	else
		fprintf(stderr, "\r%s ...\033[K", progress->phase);
	fflush(stderr);
	progress->shown = true;
}

static void add_milliseconds(struct timespec *time, long milliseconds)
{
	time->tv_nsec += milliseconds * 1000000;
	time->tv_sec += time->tv_nsec / 1000000000;
	time->tv_nsec %= 1000000000;
}

static void *run(void *context)
{
	struct progress *progress = context;
	struct timespec next;

	clock_gettime(CLOCK_REALTIME, &next);
	add_milliseconds(&next, 1000);
	pthread_mutex_lock(&progress->lock);
	while (!progress->stop) {
		if (pthread_cond_timedwait(&progress->ended, &progress->lock, &next) != ETIMEDOUT)
			continue;
		if (progress->phase)
			show(progress);
		add_milliseconds(&next, 100);
	}
	erase(progress);
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

struct progress *progress__start(bool wanted)
{
	struct progress *progress;
	sigset_t all, before;
	int err;

	if (!wanted || !isatty(STDERR_FILENO))
		return NULL;
	progress = calloc(1, sizeof(*progress));
	if (!progress)
		return NULL;
	pthread_mutex_init(&progress->lock, NULL);
	pthread_cond_init(&progress->ended, NULL);
	/* signals are for the thread that does the work */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&progress->thread, NULL, run, progress);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		free(progress);
		return NULL;
	}
	return progress;
}

void progress__stop(struct progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->stop = true;
	pthread_cond_signal(&progress->ended);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	pthread_cond_destroy(&progress->ended);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}

void progress__phase(struct progress *progress, const char *phase)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->phase = phase;
	progress->done = progress->total = 0;
	pthread_mutex_unlock(&progress->lock);
}

void progress__advance(struct progress *progress, uint64_t done, uint64_t total)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->done = done < total ? done : total;
	progress->total = total;
	pthread_mutex_unlock(&progress->lock);
}

void progress__hide(struct progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	erase(progress);
	pthread_mutex_unlock(&progress->lock);
}
