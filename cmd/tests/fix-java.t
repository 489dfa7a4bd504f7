#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# OpenJDK 17 with the agent of tools/perf/jvmti.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

recording java17-fp-pfp

frames perf.data jit-16122.dump
at_least "before: frames of JIT code are there" "$frames_unnamed" 2500
is "before: none has a name" "$((frames_right + frames_wrong))" 0

succeeds "perfjit-fix" perfjit-fix perf.data
err_is "nothing to complain of" </dev/null
names_all perf.fixed.data 2500 jit-16122.dump
at_least "code that runs before its LOAD's time is there too" "$frames_early" 11
sound_dsos perf.fixed.data.jit
only_added perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"

succeeds "perf report" perf report -i perf.fixed.data --stdio --no-inline --no-children -g none
out_has "Java methods are named" 'Nest.outer(long)'
done_testing
