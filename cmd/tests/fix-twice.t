#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fixing what is fixed already changes nothing.
. "$(dirname "$0")/tap.sh"

recording py313fpbuild-perfjit-fp
cp perf.data recorded.data
succeeds "in place" perfjit-fix -q --in-place perf.data
cp perf.data once.data
cp -a perf.data.jit once.jit
run cmp perf.data recorded.data
exits 1 "the profile has changed"
succeeds "in place again" perfjit-fix -q --in-place perf.data
same_file "the same bytes" perf.data once.data
run diff -r perf.data.jit once.jit
exits 0 "the same DSOs, and no others"
succeeds "strip" perfjit-fix -q --strip --in-place perf.data
same_file "what was recorded" perf.data recorded.data
done_testing
