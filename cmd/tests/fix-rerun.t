#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Equal input gives equal output, and a second run takes nothing from the first.
. "$(dirname "$0")/tap.sh"

recording java17-fp-pfp
succeeds "first run" perfjit-fix perf.data
mkdir first
cp -a perf.fixed.data perf.fixed.data.jit first
succeeds "second run, over the first" perfjit-fix perf.data
same_file "the same profile" perf.fixed.data first/perf.fixed.data
run diff -r perf.fixed.data.jit first/perf.fixed.data.jit
exits 0 "the same DSOs, byte for byte, and no others"

succeeds "another output" perfjit-fix -q -o other.data --dso-dir=perf.fixed.data.jit perf.data
same_file "differs in nothing when the DSOs are the same" other.data perf.fixed.data

succeeds "region layout" perfjit-fix -q --layout=region -o region.data perf.data
succeeds "trampoline layout" perfjit-fix -q --layout=trampoline -o trampoline.data perf.data
run diff -r perf.fixed.data.jit first/perf.fixed.data.jit
exits 0 "the first run's DSOs are as they were"
done_testing
