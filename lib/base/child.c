// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

struct child {
	const struct child_options *options;
	struct child_result *result;
	pid_t pid;
	int64_t deadline; /* ms of CLOCK_MONOTONIC, if there is a timeout */
	int out, err;     /* ends to read from; -1: at their end */
	char *line;       /* room for CHILD_LINE_MAX bytes and a NUL */
	size_t length, errors;
};

static bool has_name(const char *variable, const char *name, size_t length)
{
	return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool is_replaced(const struct child_options *options, const char *variable)
{
	for (const char *const *set = options->set; set && *set; set++)
		if (has_name(variable, *set, strcspn(*set, "=")))
			return true;
	for (const char *const *unset = options->unset; unset && *unset; unset++)
		if (has_name(variable, *unset, strlen(*unset)))
			return true;
	return false;
}

/* NULL: memory. The strings stay the caller's. */
static char **make_environment(const struct child_options *options)
{
	ARRAY(char *) environment = { 0 };
	bool ok = true;

	for (char **variable = environ; ok && *variable; variable++)
		if (!is_replaced(options, *variable))
			ok = array__push(&environment, *variable);
	for (const char *const *set = options->set; ok && set && *set; set++)
		ok = array__push(&environment, (char *)(uintptr_t)*set);
	if (ok && array__push(&environment, NULL))
		return environment.items;
	array__free(&environment);
	return NULL;
}

static int spawn(struct child *child, int out, int err, char **environment)
{
	const char *input = child->options->input ? child->options->input : "/dev/null";
	short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, pipe;
	int failed;

	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, flags);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &pipe);
	failed = posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&actions, err, 2);
	if (!failed)
		failed = posix_spawnp(&child->pid, child->options->argv[0], &actions, &attr,
				      (char *const *)(uintptr_t)child->options->argv, environment);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -failed;
}

static int start(struct child *child)
{
	char **environment = make_environment(child->options);
	int out[2], err[2], failed;

	if (!environment)
		return -ENOMEM;
	failed = pipe2(out, O_CLOEXEC) < 0 ? -errno : 0;
	if (!failed && pipe2(err, O_CLOEXEC) < 0) {
		failed = -errno;
		close(out[0]);
		close(out[1]);
	}
	if (!failed) {
		failed = spawn(child, out[1], err[1], environment);
		close(out[1]);
		close(err[1]);
		child->out = out[0];
		child->err = err[0];
		if (failed) {
			close(out[0]);
			close(err[0]);
		}
	}
	free(environment);
	return failed;
}

static int end_line(struct child *child)
{
	child->line[child->length] = '\0';
	child->length = 0;
	return child->options->line ? child->options->line(child->options->context, child->line)
				    : 0;
}

static int take_output(struct child *child, const char *data, size_t size)
{
	while (size) {
		const char *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;
		size_t room = CHILD_LINE_MAX - child->length;
		int got;

		memcpy(child->line + child->length, data, length < room ? length : room);
		child->length += length < room ? length : room;
		if (!end)
			return 0;
		got = end_line(child);
		if (got)
			return got;
		data += length + 1;
		size -= length + 1;
	}
	return 0;
}

static void take_errors(struct child *child, const char *data, size_t size)
{
	size_t room = CHILD_ERRORS_MAX - 1 - child->errors;

	memcpy(child->result->errors + child->errors, data, size < room ? size : room);
	child->errors += size < room ? size : room;
}

/* Reads once from one of both ends, and closes it at its end. */
static int take(struct child *child, int *fd)
{
	char data[16384];
	ssize_t got = read(*fd, data, sizeof(data));

	if (got < 0 && errno == EINTR)
		return 0;
	if (got <= 0) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	if (fd == &child->err) {
		take_errors(child, data, (size_t)got);
		return 0;
	}
	return take_output(child, data, (size_t)got);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until both ends are closed. */
static int read_all(struct child *child)
{
	int got = 0;

	while (!got && (child->out >= 0 || child->err >= 0)) {
		struct pollfd fds[] = { { child->out, POLLIN, 0 }, { child->err, POLLIN, 0 } };
		int64_t left = child->deadline - now_ms();

		if (child->options->timeout && left <= 0) {
			child->result->timed_out = true;
			return 0;
		}
		if (poll(fds, 2, child->options->timeout ? (int)left : -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			got = take(child, &child->out);
		if (!got && fds[1].revents)
			got = take(child, &child->err);
	}
	return got || !child->length ? got : end_line(child);
}

/* One that has closed both ends may go on: up to the end of its time. */
static void await_end(struct child *child)
{
	siginfo_t ended = { 0 };

	while (waitid(P_PID, (id_t)child->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       !ended.si_pid && !child->result->timed_out) {
		poll(NULL, 0, 1);
		child->result->timed_out = now_ms() >= child->deadline;
	}
}

static void finish(struct child *child, bool kill_it)
{
	int status = 0;

	if (kill_it)
		kill(-child->pid, SIGKILL);
	if (child->out >= 0)
		close(child->out);
	if (child->err >= 0)
		close(child->err);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->result->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child__run(const struct child_options *options, struct child_result *result)
{
	struct child child = { .options = options, .result = result, .out = -1, .err = -1 };
	int err;

	*result = (struct child_result){ 0 };
	child.line = malloc(CHILD_LINE_MAX + 1);
	if (!child.line)
		return -ENOMEM;
	err = start(&child);
	if (!err) {
		child.deadline = now_ms() + (int64_t)options->timeout * 1000;
		err = read_all(&child);
		if (!err && options->timeout)
			await_end(&child);
		finish(&child, err || result->timed_out);
	}
	free(child.line);
	return err;
}
