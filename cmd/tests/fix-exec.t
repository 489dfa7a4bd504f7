#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that a recorded one started: perf takes what was mapped before an exec to be mapped still.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

parent=26168 child=26183

# whole PROFILE PID: how many of the process' chains reach _start by perf.
whole()
{
	perf script --symfs=../symfs --no-inline --max-stack 1024 -F pid,ip,sym -i "$1" 2>../perf.err |
		awk -v pid="$2" 'NF == 1 { now = $1 } $2 == "_start" && now == pid { n++ } END { print n + 0 }'
}

program exec
fix_program
is "all chains of the parent are whole" "$(whole perf.fixed.data $parent)" 76
is "all chains of the child are whole" "$(whole perf.fixed.data $child)" 74

run perl "$ORACLES/perfdata-compare.pl" perf.data perf.fixed.data /dsos
exits 0 "the output is the input with records added"

# the kernel's FORK tells of the parent; the one that is added comes between it and the exec
perf script --show-task-events -F pid,comm -i perf.fixed.data 2>../perf.err |
	grep -e "[(:]$child[:/]$child" >../tasks
sed 's/.*PERF_RECORD_\([A-Z]*\).*/\1/' ../tasks | xargs echo >../events
is "a FORK stands before the exec" "$(cat ../events)" "FORK FORK COMM EXIT"
grep -c "FORK($child:$child):($parent:$parent)" ../tasks >../count
is "both are of the same parent" "$(cat ../count)" 2

fix_program --unwind --symfs=../symfs
is "--unwind: all chains of the parent" "$(whole perf.fixed.data $parent)" 76
is "--unwind: all chains of the child" "$(whole perf.fixed.data $child)" 74

fix_program --without=exec-fork
is "without it the parent's chains are whole" "$(whole perf.fixed.data $parent)" 76
case $(perf version) in
"perf version 6."[1-9]*)
	if perf version --build-options | grep -q 'libunwind: .*on'; then
		is "without it libunwind finds no caller of the child" \
			"$(whole perf.fixed.data $child)" 0
	fi ;;
esac

fix_program
run perfjit-check --json --symfs=../symfs perf.fixed.data
is "our own unwinder reads it" "$(json '$j->{chain_ends}{complete}')" 150
succeeds "taken off again" perfjit-fix -q --strip -o stripped.data perf.fixed.data
same_file "the recording as it was" stripped.data perf.data
for round in first second; do
	succeeds "in place: $round" perfjit-fix -q --in-place --jitdump-dir=. perf.data
	cp perf.data ../$round
done
same_file "nothing is added twice" ../second ../first

done_testing
