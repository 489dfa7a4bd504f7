#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A profile of the whole machine: two runtimes among all else, of which most are pid 0.
. "$(dirname "$0")/tap.sh"
. "$ORACLES/recording.sh"

form system-wide-6.1
succeeds "perfjit-fix" perfjit-fix --jitdump-dir=. perf.data
err_is "nothing to complain of" </dev/null
out_has "both runtimes are told of" '^Read .* 2 processes with JIT code, 2 jitdumps$'
# each process has code of its own at the addresses that the other has code at
for pid in 4 5; do
	frames perf.fixed.data jit-$pid.dump
	at_least "pid $pid: frames in its JIT code" "$frames_described" 50
	is "have their names" "$frames_right $frames_wrong" "$frames_described 0"
done
only_added perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"
samples()
{
	perf script -F pid -i "$1" 2>/dev/null | grep -c '^ *[0-9]'
}
is "all samples are there" "$(samples perf.fixed.data)" "$(samples perf.data)"
at_least "most of them of others" "$(perf script -F pid -i perf.fixed.data 2>/dev/null |
	grep -c -v -x -e ' *[45] *' -e ' *')" 500
done_testing
