#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libperfjit(3) and perfjit.h tell the same, and the example is a program that works.
. "$(dirname "$0")/tap.sh"

page=$SRCDIR/man/libperfjit.3
header=$SRCDIR/lib/perfjit.h

# Words of the page that name something in C.
sed -n 's/^\.\(Nm\|It Va\|Dv\|It Bq Er\|Vt\|Va\) //p' "$page" | tr -d '":;.' | tr ' ,' '\n\n' |
	sed -n '/^[a-zA-Z_]/p' | sort -u >../told

# functions, enum constants, members of structs
{
	sed -n 's/.*\(perfjit__[a-z_]*\)(.*/\1/p' "$header"
	sed -n 's/.*\(PERFJIT_[A-Z]*\(_[A-Z]*\)*\) .*/\1/p' "$header" | grep -v -e API -e PERFJIT_H
	sed -n 's|/[*].*||; /^struct/,/^}/s/^\t.*[ *(]\([a-z_]*\)\(;\|)(\).*/\1/p' "$header"
} | sort -u >../there
at_least "the header has names" "$(wc -l <../there)" 30
is "all of them are told of" "$(comm -13 ../told ../there | tr '\n' ' ')" ''

sed -n '/^\.Bd -literal/,/^\.Ed/p' "$page" | sed '/^\.[BE]d/d; s/\\e/\\/g' >program.c
at_least "there is an example" "$(wc -l <program.c)" 20
succeeds "that compiles" sh -c "gcc -Wall -Wextra -Werror @'$BUILD/flags' -I'$SRCDIR/lib' program.c \
	-L'$BUILD' -lperfjit -o program"
recording py313fpbuild-perfjit-fp
# a path that no machine has
perl -pi -e 's{/tmp/jit}{/n/a/jit}g' perf.data
LD_LIBRARY_PATH=$BUILD run ./program
exits 0 "and fixes a profile"
out_is "with all functions" <<EOT
186 functions named
EOT
mv perf.fixed.data perf.data
mv jit-1195.dump ..
LD_LIBRARY_PATH=$BUILD run ./program
exits 0 "and fixes that again, without the jitdump"
same_file "which keeps all it has" perf.fixed.data perf.data
done_testing
