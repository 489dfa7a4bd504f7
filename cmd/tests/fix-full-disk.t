#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files may grow to 100 KiB only: as on a full disk, the output can't be written.
. "$(dirname "$0")/tap.sh"

recording py313fpbuild-perfjit-fp
run sh -c 'trap "" XFSZ; ulimit -f 200; perfjit-fix perf.data'
exits 4 "output does not fit"
err_has "says so" "^perfjit-fix: error: perf.fixed.data: can't write: File too large"
holds "nothing is left, DSOs neither" perf.data jit-1195.dump nest.py

printf old >perf.fixed.data
run sh -c 'trap "" XFSZ; ulimit -f 200; perfjit-fix --force perf.data'
exits 4 "output does not fit where another was"
is "the old one stands" "$(cat perf.fixed.data)" old
holds "and nothing else is left" perf.data jit-1195.dump nest.py perf.fixed.data
done_testing
