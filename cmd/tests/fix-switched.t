#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The files that perf record --switch-output makes of one run: each by itself. Only the first has
# the mapping of the jitdump.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

form switched-first-6.1
succeeds "the first" perfjit-fix --jitdump-dir=. perf.data
names_all perf.fixed.data 500 jit-*.dump
rm -rf ./*

form switched-last-6.1
run perfjit-fix --jitdump-dir=. perf.data
exits 6 "the last names no jitdump"
err_has "and what helps is said" '--jitdump=PID=FILE'
succeeds "named, it is used" perfjit-fix --force --jitdump=jit-8423.dump perf.data
names_all perf.fixed.data 300 jit-*.dump
done_testing
