#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What perfjit-check can be asked to see to: each demand met and not met.
. "$(dirname "$0")/tap.sh"

# passes OPTION..., fails OPTION...: on the fixed profile
passes()
{
	run perfjit-check --symfs=../symfs perf.fixed.data "$@"
	exits 0 "passes: $*"
	out_has "  says so" '^ok    '
	is "  and nothing else" "$(grep -c '^FAILED' ../out)" 0
}

fails()
{
	run perfjit-check --symfs=../symfs perf.fixed.data "$@"
	exits 1 "fails: $*"
	out_has "  says so" '^FAILED'
	is "  with what to do" "$(grep -A1 '^FAILED' ../out | grep -c '^ *-> ..')" \
		"$(grep -c '^FAILED' ../out)"
}

program packed
perfjit-fix -q --jitdump-dir=. --dso-dir=../symfs/dsos --relocate=/dsos perf.data
passes --min-named=100
passes --min-named-all=100%
passes --min-complete=100
passes --min-samples=190
fails --min-samples=191
out_has "  how many there are" 'there are 190 samples'
passes --min-frames=2140
fails --min-frames=2141
passes --min-named=100 --min-frames=2140
fails --min-complete=50 --min-samples=191
passes '--expect=packed::f0_1'
passes '--expect=packed::f0_*' --expect=step --expect=_start
fails '--expect=packed::f0'
fails --expect=step --expect=no_such_function
is "  one of two" "$(grep -c '^FAILED' ../out)" 1
passes '--forbid=\[unknown]'
passes '--forbid=packed::f1*'
fails '--forbid=packed::f0_1*'
out_has "  the first one" "the first is 'packed::f0_1"
passes '--expect-chain=_start;start_c;main;...;step'
passes '--expect-chain=chain__run;step;packed::f*_3?;packed::f*_3?'
fails '--expect-chain=_start;step'
fails '--expect-chain=step;main'
passes --pid=9128 --min-samples=190
fails --pid=9127 --min-samples=1
passes '--comm=jitp*' --min-samples=190
fails --comm=java --min-samples=1
passes '--event=cpu-clock*' --min-samples=190
fails --event=cycles --min-samples=1

# a percentage of nothing, or of next to nothing
fails --pid=9127 --min-named=0
out_has "  why" 'a percentage of fewer than 10 frames'
fails --pid=9127 --min-complete=0
passes --pid=9127 --min-named=100 --min-frames=0

# what is not there
rm ../symfs/dsos/*
fails --min-named=1
out_has "  why" 'the mapped file is not on this machine'
fails --min-complete=50
fails '--forbid=\[unknown]'
fails '--expect=packed::*'
fails '--expect-chain=_start;main'
passes --min-named-all=40
fails --min-named-all=50
run perfjit-check --symfs=../symfs perf.fixed.data
exits 5 "without demands: a process is unnamed"
run perfjit-check --symfs=../symfs --pid=9127 perf.fixed.data
exits 6 "without demands: no JIT code"
out_has "  what to do" 'no sample counts: see --pid'

# 512 bytes of stack
rm -rf ./*
program short
perfjit-fix -q --jitdump-dir=. --dso-dir=../symfs/dsos --relocate=/dsos perf.data
fails --min-complete=1
out_has "  the stack copies are named" 'the copy of the stack is too small: copy more'
passes --min-complete=0
fails --min-complete=1 --ignore-short
out_has "  none is left" '180 with short stacks left out'

# names with semicolons, and chains as the kernel recorded them
rm -rf ./*
recording java17-fp-pfp
fails()
{
	run perfjit-check perf.fixed.data "$@"
	exits 1 "fails: $*"
}
perfjit-fix -q perf.data
run perfjit-check perf.fixed.data '--expect-chain=Interpreter;LNest\;outer*' --min-complete=98
exits 0 "a chain of Java methods"
fails '--expect-chain=LNest\;outer*;call_stub'
out_has "  how chains are seen" 'perf script --no-demangle'
fails '--expect=Nest.outer(int)'
out_has "  where names are seen as they are matched" 'perf report --no-demangle'
perf report --stdio --no-inline --no-demangle -g none -i perf.fixed.data >../names 2>&1
name=$(sed -n 's/.*\[\.\] \(LNest;outer([^ ]*\) *$/\1/p' ../names | head -n 1)
run perfjit-check perf.fixed.data "--expect=$name"
exits 0 "a name from there: $name"
fails --min-complete=99
done_testing
