/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: images written to a folder of their own, and what other tools say about them. */
#ifndef PERFJIT_DSO_IMAGE_TEST_H
#define PERFJIT_DSO_IMAGE_TEST_H

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "dso/dso.h"

#define SIZE(array)  (sizeof(array) / sizeof(*(array)))
#define BYTES(array) ((struct bytes){ array, sizeof(array) })

/* One image, in a folder that is removed. */
struct image_file {
	char folder[64];
	char path[96];
	uint8_t build_id[DSO_BUILD_ID_SIZE];
	struct dso_layout layout;
};

static inline void print_report(void *context, const struct diag_message *message)
{
	(void)context;
	print_error("%s: %s\n", message->kind, message->text);
}

static inline void write_image(struct image_file *file, const struct dso_spec *spec)
{
	struct diag *diag = diag__new(print_report, NULL);
	struct file_out out;

	strcpy(file->folder, "/tmp/perfjit-dso-XXXXXX");
	assert_non_null(mkdtemp(file->folder));
	snprintf(file->path, sizeof(file->path), "%s/jit.so", file->folder);
	assert_int_equal(dso__layout(spec, &file->layout, diag), 0);
	assert_int_equal(dso__build_id(spec, file->build_id), 0);
	assert_int_equal(file_out__open(&out, file->path, 0644, diag), 0);
	assert_int_equal(dso__write(spec, file->build_id, &out, diag), 0);
	assert_int_equal(file_out__commit(&out, false, diag), 0);
	diag__free(diag);
}

static inline void remove_image(struct image_file *file)
{
	unlink(file->path);
	rmdir(file->folder);
}

/* What a shell command prints, standard error too; it must end with success. */
static inline char *output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline char *output_of(const char *format, ...)
{
	char command[1024], *text = NULL;
	size_t size = 0, got;
	va_list args;
	FILE *pipe;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	fflush(NULL);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	do {
		text = realloc(text, size + 65536 + 1);
		assert_non_null(text);
		got = fread(text + size, 1, 65536, pipe);
		size += got;
	} while (got);
	text[size] = '\0';
	status = pclose(pipe);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s: status %d\n%s", command, status, text);
	return text;
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static inline void assert_prints(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

/* Whether all that check ELF files find nothing to say. */
static inline void assert_clean(const struct image_file *file, bool has_lines)
{
	const char *debug = has_lines ? "-w" : "";

	/* code at vaddr 0 begins before its section */
	assert_prints(output_of("eu-elflint --gnu-ld %s 2>&1 | "
				"grep -v 'symbol 1 .*: st_value out of bounds$' || echo No errors",
				file->path),
		      "No errors\n");
	assert_prints(output_of("readelf -aW --debug-dump %s 2>&1 >/dev/null", file->path), "");
	assert_prints(output_of("eu-readelf -a %s %s 2>&1 >/dev/null", debug, file->path), "");
	assert_prints(output_of("llvm-readelf -a --unwind %s 2>&1 >/dev/null", file->path), "");
	assert_prints(output_of("llvm-dwarfdump --verify --quiet %s 2>&1", file->path), "");
}

#endif
