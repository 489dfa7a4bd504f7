#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perfjit__strip gives back what perfjit__fix was given, whatever its form, owner and mode.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

cat >program.c <<'EOT'
#include <errno.h>
#include <perfjit.h>
#include <stdio.h>

static void say(void *context, const struct perfjit_message *message)
{
	(void)context;
	fprintf(stderr, "%s\n", message->kind);
}

int main(int argc, char **argv)
{
	struct perfjit_fix_options options = { .size = sizeof(options), .no_sync = true };

	if (argc != 3)
		return 1;
	options.message = say;
	if (perfjit__strip(NULL, &options) != -EINVAL)
		printf("no input\n");
	if (perfjit__strip(argv[1], &options) != -EINVAL)
		printf("no output\n");
	options.output = argv[2];
	printf("%d\n", perfjit__strip(argv[1], &options));
	return 0;
}
EOT
succeeds "a program for the library" sh -c "gcc -Wall -Wextra -Werror @'$BUILD/flags' \
	-I'$SRCDIR/lib' program.c -L'$BUILD' -lperfjit -o ../program"
rm program.c

# modes PROFILE
modes()
{
	find "$1" -exec stat -c '%n %a %u %g' {} + | sed 's|^[^/ ]*||' | sort
}

form threads-7.3
chmod 640 perf.data/data
chmod 750 perf.data
# root gives files to those whose input it was
[ "$(id -u)" -ne 0 ] || chown -R 1234:1235 perf.data
succeeds "fix a directory" perfjit-fix -q --jitdump-dir=. perf.data
at_least "which has several files" "$(ls perf.fixed.data | wc -l)" 2
LD_LIBRARY_PATH=$BUILD run ../program perf.fixed.data back
out_is "it is stripped" <<EOT
0
EOT
run diff -r back perf.data
exits 0 "all of it is as it was"
is "the same modes and owners" "$(modes back)" "$(modes perf.data)"
rm -rf ./*

recording py313fpbuild-perfjit-fp
chmod 640 perf.data
[ "$(id -u)" -ne 0 ] || chown 1234:1235 perf.data
succeeds "fix a file" perfjit-fix -q --jitdump-dir=. perf.data
LD_LIBRARY_PATH=$BUILD run ../program perf.fixed.data back
out_is "a file is stripped" <<EOT
0
EOT
same_file "all of it is as it was" back perf.data
is "the same mode and owner" "$(modes back)" "$(modes perf.data)"
LD_LIBRARY_PATH=$BUILD run ../program perf.data again
out_is "what was not fixed can't be" <<EOT
-22
EOT
err_is "and says so" <<EOT
perfdata.not-edited
EOT
[ ! -e again ]
ok $? "and nothing is left"
done_testing
