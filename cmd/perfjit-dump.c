// SPDX-License-Identifier: GPL-2.0-or-later
/* perfjit-dump: what stands in a jitdump, a perf.data, a DSO or a perf map. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/spool.h"
#include "base/text.h"
#include "cfi/disassemble.h"
#include "dump.h"
#include "failure.h"
#include "jitdump/jitdump.h"
#include "messages.h"
#include "signals.h"

/* Where what is reported goes: errors to standard error, the rest to where it is printed. */
struct reports {
	struct dump *dump;
	struct messages *messages;
};

static void report(void *context, const struct diag_message *message)
{
	struct reports *reports = context;
	struct diag_message named = *message;

	if (message->level == DIAG_ERROR) {
		/* standard input has another name while it is read */
		if (message->file && strcmp(message->file, reports->dump->path) == 0)
			named.file = reports->dump->name;
		messages__report(reports->messages, &named);
	} else {
		printer__oddity(&reports->dump->printer, message->level, message->kind,
				message->offset, message->text);
	}
}

/* "START SIZE NAME" in hexadecimal, as far as head goes. */
static bool looks_like_perf_map(const char *head)
{
	size_t digits = strspn(head, "0123456789abcdefxABCDEFX");
	const char *second = head + digits;

	if (!digits || *second != ' ')
		return false;
	digits = strspn(++second, "0123456789abcdefxABCDEFX");
	return digits && second[digits] == ' ';
}

static bool is_named(const char *path, const char *prefix, const char *suffix)
{
	const char *name = file__base_name(path);
	size_t length = strlen(name), tail = strlen(suffix);

	return strncmp(name, prefix, strlen(prefix)) == 0 && length >= tail &&
	       strcmp(name + length - tail, suffix) == 0;
}

static bool begins(const char *head, size_t size, const char *magic, size_t length)
{
	return size >= length && memcmp(head, magic, length) == 0;
}

/* Prints path as what its first bytes say it is. */
static int print(struct dump *dump, const char *head, size_t size)
{
	if (jitdump__is_jitdump(dump->path) || (!size && is_named(dump->name, "jit-", ".dump")))
		return dump__jitdump(dump);
	if (begins(head, size, ELFMAG, SELFMAG))
		return dump__elf(dump);
	if (looks_like_perf_map(head) || (!size && is_named(dump->name, "perf-", ".map")))
		return dump__perfmap(dump);
	/* it says itself what is wrong with what is no profile */
	return dump__perfdata(dump);
}

static int print_by_head(struct dump *dump, int fd)
{
	char head[64] = "";
	ssize_t size = pread(fd, head, sizeof(head) - 1, 0);

	return print(dump, head, size > 0 ? (size_t)size : 0);
}

/* A stream is read whole first: what it is shows only then. */
static int print_stream(struct dump *dump, int stream)
{
	char path[64];
	int fd = spool__create(dump->name, dump->diag);
	int err;

	if (fd < 0)
		return fd;
	err = spool__copy(fd, stream, dump->name, dump->diag);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	dump->path = path;
	if (!err)
		err = print_by_head(dump, fd);
	dump->path = dump->name;
	close(fd);
	return err;
}

static int print_path(struct dump *dump)
{
	int fd = open(dump->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat stat = { 0 };
	int err;

	if (fd < 0)
		return diag__errno(dump->diag, "file.open", dump->path, "can't open");
	fstat(fd, &stat);
	if (S_ISDIR(stat.st_mode))
		err = dump__perfdata(dump);
	else if (S_ISFIFO(stat.st_mode))
		err = print_stream(dump, fd);
	else
		err = print_by_head(dump, fd);
	close(fd);
	return err;
}

/* Whether records were to be printed that are not there. */
static bool selects_nothing(const struct dump *dump)
{
	const struct dump_options *options = dump->options;

	return dump_selection__is_partial(&options->select) && !dump->selected &&
	       !options->header && !options->stats && !options->summary;
}

static void report_nothing(const struct dump *dump)
{
	const struct dump_selection *select = &dump->options->select;
	bool one = select->functions.count == 1;
	char *path = text__quoted(dump->name);

	if (dump_selection__is_of_names(select))
		diag__report(dump->diag, DIAG_ERROR, "dump.nothing-selected", dump->path,
			     DIAG_NO_OFFSET,
			     "no function has a name that matches %s: 'perfjit-dump --type=%s %s' "
			     "lists them, and a pattern is for the whole name, as '*part*'",
			     one ? select->functions.items[0] : "any of the patterns",
			     dump->functions, path ? path : "FILE");
	else
		diag__report(dump->diag, DIAG_ERROR, "dump.nothing-selected", dump->path,
			     DIAG_NO_OFFSET,
			     "nothing in it is what the options select: 'perfjit-dump --stats %s' "
			     "counts what there is",
			     path ? path : "FILE");
	free(path);
}

/* A reader that has seen enough is no failure of ours. */
static enum exit_code finish(struct dump *dump)
{
	struct record_printer *printer = &dump->printer;

	if (fflush(printer->stream) == EOF && !printer->error)
		printer->error = errno;
	if (printer->error && printer->error != EPIPE) {
		diag__report(dump->diag, DIAG_ERROR, "output.stdout", NULL, DIAG_NO_OFFSET,
			     "can't write to standard output: %s", strerror(printer->error));
		return EXIT_OUTPUT;
	}
	if (!printer->error && selects_nothing(dump)) {
		report_nothing(dump);
		return EXIT_CHECK;
	}
	return dump->disagrees ? EXIT_CHECK : EXIT_DONE;
}

static enum exit_code run(struct dump *dump)
{
	int err;

	if (strcmp(dump->name, "-") == 0)
		err = print_stream(dump, STDIN_FILENO);
	else
		err = print_path(dump);
	if (dump->printer.writer.failed)
		err = -ENOMEM;
	return err ? failure__code(dump->diag, err, EXIT_INPUT) : finish(dump);
}

int main(int argc, char **argv)
{
	struct dump_options options = { 0 };
	struct messages messages = { .command = "perfjit-dump" };
	struct dump dump = { .options = &options, .printer = { .stream = stdout } };
	struct reports reports = { &dump, &messages };
	enum exit_code code;

	dump_options__parse(&options, argc, argv);
	messages.color = color__wanted(options.color, stderr);
	dump.printer.json = options.json;
	dump.printer.color = !options.json && color__wanted(options.color, stdout);
	dump.path = dump.name = options.input;
	dump.diag = diag__new(report, &reports);
	if (!dump.diag)
		failure__end_for_memory(messages.command);
	signals__survive_cuts();
	code = run(&dump);
	disassembler__free(dump.disassembler);
	messages__summarize(&messages);
	diag__free(dump.diag);
	messages__free(&messages);
	dump_options__free(&options);
	return code;
}
