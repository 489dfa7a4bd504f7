/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of many kinds, to be unwound: through qsort, deep recursion, frames of any size, a signal
 * handler, functions that the C library chooses when it starts (by the PLT), a thread, a child that
 * becomes another program.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;

NOINLINE static unsigned long spin(unsigned long n)
{
	unsigned long s = n;

	for (unsigned long i = 0; i < n; i++)
		s = s * 31 + (s >> 7);
	return s;
}

static int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	sink += spin(20);
	return x < y ? -1 : x > y;
}

NOINLINE static void sort(void)
{
	unsigned int v[300];

	for (int i = 0; i < 300; i++)
		v[i] = (unsigned int)rand();
	qsort(v, 300, sizeof(*v), compare);
	sink += v[7];
}

NOINLINE static unsigned long deep(int n, unsigned long x)
{
	char buf[64];

	memset(buf, (int)x, sizeof(buf));
	sink += (unsigned char)buf[n & 63];
	return n ? deep(n - 1, x * 3 + 1) + 1 : spin(2000);
}

NOINLINE static unsigned long any_size(size_t n)
{
	char *b = __builtin_alloca(n);

	memset(b, (int)n, n);
	sink += (unsigned char)b[n / 2];
	return spin(3000) + (unsigned char)b[0];
}

static void handler(int number)
{
	(void)number;
	sink += spin(400000);
}

NOINLINE static void strings(void)
{
	char a[400], b[400];

	memset(a, 'x', sizeof(a));
	a[399] = 0;
	for (int i = 0; i < 100; i++) {
		strcpy(b, a);
		sink += strlen(b) + (unsigned long)strcmp(a, b);
	}
}

NOINLINE static void print(void)
{
	char b[200];

	for (int i = 0; i < 50; i++)
		sink += (unsigned long)snprintf(b, sizeof(b), "%d %s %f", i, "text", i * 1.5);
}

NOINLINE static void work(int times)
{
	for (int i = 0; i < times; i++) {
		sort();
		sink += deep(12, 5);
		sink += any_size(300);
		strings();
		print();
	}
}

static void *thread(void *arg)
{
	(void)arg;
	work(700);
	return NULL;
}

int main(int argc, char **argv)
{
	struct itimerval timer = { { 0, 3000 }, { 0, 3000 } }, none = { 0 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t started;
	pid_t child;

	if (argc > 1) {
		work(700);
		return 0;
	}
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
	work(1500);
	setitimer(ITIMER_PROF, &none, NULL);
	pthread_create(&started, NULL, thread, NULL);
	pthread_join(started, NULL);
	child = fork();
	if (!child) {
		work(400);
		execl(argv[0], argv[0], "again", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	return 0;
}
