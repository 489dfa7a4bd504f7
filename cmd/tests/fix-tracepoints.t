#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tracepoints with call chains through JIT code, beside samples by time: named by every event, and
# summarised by event.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# by_event: from what frames left, "EVENT SAMPLES FRAMES" of each event, FRAMES those that perf names
# as the dump does.
by_event()
{
	perf script -F event,ip,sym -i "$1" 2>/dev/null | awk '
		/^ *[a-z-]+(:[a-z_]+)?: *$/ { event = $1; sub(/:$/, "", event); samples[event]++ }
		/ (JS|Handler|Builtin|RegExp|BytecodeHandler|Script|Eval|Function):/ { named[event]++ }
		END { for (event in samples) print event, samples[event], named[event] + 0 }' | sort
}

recording node20-tracepoints
by_event perf.data >../before
at_least "before: samples of tracepoints" \
	"$(awk '/:/ { n += $2 } END { print n }' ../before)" 100
is "before: no frame has a name of JIT code" "$(awk '{ n += $3 } END { print n }' ../before)" 0

succeeds "perfjit-fix" perfjit-fix perf.data
err_is "nothing to complain of" </dev/null
cp ../out ../summary
by_event perf.fixed.data >../after
is "the samples are the same" "$(awk '{ print $1, $2 }' ../after)" "$(awk '{ print $1, $2 }' ../before)"
# where that node is installed, its built-in functions are among them: many times as many
while read -r event samples named; do
	at_least "$event: perf names frames of JIT code" "$named" 30
	grep -qx "Event     $event: $samples samples, [0-9]* in JIT code; $named frames of call chains in it" \
		../summary
	ok $? "$event: the summary says as many" || tell ../summary ../after
done <../after

names_all perf.fixed.data 300 jit-19086.dump
only_added perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"
perf script -F event,trace -i perf.data >../before 2>/dev/null
perf script -F event,trace -i perf.fixed.data >../after 2>/dev/null
at_least "fields of tracepoints" "$(grep -c 'next_comm=\|count: 0x' ../before)" 100
same_file "perf prints the same of them" ../before ../after

succeeds "as JSON" perfjit-fix --json --dry-run perf.data
is "events and their samples" "$(perl -MJSON::PP -e 'local $/; open my $f, "<:raw", "../out";
	print map { "$_->{name} $_->{samples}\n" } @{decode_json(<$f>)->{events}}')" \
	"sched:sched_switch 41
syscalls:sys_enter_write 59
cpu-clock 104"
done_testing
