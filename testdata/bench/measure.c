// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure FILE LIMIT COMMAND...: runs the command, at most LIMIT seconds, and writes to FILE, in
 * one line: its exit code (128 and its signal's number if that ended it), seconds of wall clock, of
 * user and of system time, KiB resident at most, and KiB of that in no file.
 *
 * The last is looked for every millisecond; the others are the kernel's own count.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Resident pages of no file: all but the shared ones, field 2 and 3 of statm. */
static long anonymous_kib(pid_t pid)
{
	char path[64];
	long size, resident, shared, kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%ld %ld %ld", &size, &resident, &shared) == 3)
		kib = (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
	fclose(file);
	return kib;
}

/*
 * The child gets a process group of its own, which ends with it, with this program (by a signal to
 * that) or at the limit: commands have children too.
 */
static pid_t group;

static void end_group(int signal)
{
	kill(-group, SIGKILL);
	_exit(128 + signal);
}

static void begin(char **command)
{
	setpgid(0, 0);
	/* should this program be killed; it may have been already */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execvp(command[0], command);
	fprintf(stderr, "measure: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/* Waits for the child or ends it at a time; returns the most it had in memory in no file. */
static long watch(pid_t pid, double end, int *status, struct rusage *usage)
{
	const struct timespec pause = { 0, 1000000 };
	long most = 0;
	pid_t ended;

	while ((ended = wait4(pid, status, WNOHANG, usage)) == 0) {
		long kib = anonymous_kib(pid);

		if (kib > most)
			most = kib;
		if (now() > end)
			kill(-pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	return ended == pid ? most : -1;
}

int main(int argc, char **argv)
{
	struct rusage usage = { 0 };
	double began, end;
	int status = 0;
	long anonymous;
	FILE *file;
	pid_t pid;

	if (argc < 4 || !(file = fopen(argv[1], "we"))) {
		fprintf(stderr, "usage: measure FILE LIMIT COMMAND...\n");
		return 2;
	}
	/* whoever started this may go without a word */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	began = now();
	pid = fork();
	if (pid == 0)
		begin(argv + 3);
	group = pid;
	if (pid > 0) {
		setpgid(pid, pid);
		signal(SIGTERM, end_group);
		signal(SIGINT, end_group);
		signal(SIGHUP, end_group);
	}
	anonymous = pid < 0 ? -1 : watch(pid, began + atof(argv[2]), &status, &usage);
	end = now();
	if (anonymous < 0) {
		fprintf(stderr, "measure: %s\n", strerror(errno));
		return 1;
	}
	fprintf(file, "%d %.4f %.4f %.4f %ld %ld\n",
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), end - began,
		seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss, anonymous);
	return fclose(file) ? 1 : 0;
}
