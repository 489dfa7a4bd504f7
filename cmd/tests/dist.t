#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make dist: the same bytes each time, and what is in them builds.
. "$(dirname "$0")/tap.sh"

cp -r "$SRCDIR/.scripts" "$SRCDIR/.packaging" "$SRCDIR/Makefile" "$SRCDIR/lib" "$SRCDIR/cmd" .
ln -s cmd link
unset SOURCE_DATE_EPOCH
succeeds "make dist" make -s dist BUILD=build-1 VERSION=1.2
find . -name '*.c' -exec touch {} +
chmod 0600 lib/perfjit.h
chmod 0700 .scripts/dist
umask 077
succeeds "make dist again" make -s dist BUILD=build-2 VERSION=1.2
same_file "the same, whenever files were changed and whoever may read them" \
	build-1/perfjit-fix-1.2.tar.gz build-2/perfjit-fix-1.2.tar.gz
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
succeeds "make dist of another time" make -s dist BUILD=build-3 VERSION=1.2
tar tvf build-3/perfjit-fix-1.2.tar.gz >../list
at_least "with the files" "$(grep -c ' 2023-11-14 .* perfjit-fix-1\.2/' ../list)" 100
is "and links" "$(grep -c ' perfjit-fix-1\.2/link -> cmd$' ../list)" 1
is "and nothing that was built" "$(grep -c '\.o$' ../list)" 0
tar xf build-1/perfjit-fix-1.2.tar.gz
succeeds "its Makefile reads" make -s -n -C perfjit-fix-1.2 all
done_testing
