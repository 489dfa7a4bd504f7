#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Node 20 with --perf-prof: V8 writes the dump; some of its code lies in a mapped file.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

recording node20-fp

frames perf.data jit-25044.dump
at_least "before: frames of JIT code are there" "$frames_described" 8000
is "before: none has the dump's name" "$frames_right" 0

succeeds "perfjit-fix" perfjit-fix perf.data
err_is "nothing to complain of" </dev/null
out_has "what perf is spared" "^Gained    $(find perf.fixed.data.jit -name '*.so' | wc -l) files for perf to open, not [1-9][0-9]\{3\}, "
names_all perf.fixed.data 8000 jit-25044.dump
# unwind data in a hole of the address space has a mapping, but no segment of its own
sound_dsos perf.fixed.data.jit 'alloc flag set but section not in any loaded segment'
only_added perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"

succeeds "perf report" perf report -i perf.fixed.data --stdio --no-inline --no-children -g none
out_has "the hot function is named" '^ *[78][0-9]\.[0-9]*%.*JS:\*outer /home/corpus/src/nest.js:3:15'
done_testing
