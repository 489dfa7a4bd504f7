#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perfjit-check's counts beside those of perf script and of the jitdumps, before and after
# perfjit-fix.
. "$(dirname "$0")/tap.sh"

# count NAME: of the last --json
count()
{
	json "\$j->{$1} // 0"
}

for name in java17-fp-pfp py313fpbuild-perfjit-fp; do
	rm -rf ./*
	recording $name
	without_libraries perf.data
	frames perf.data jit-*.dump
	chains perf.data
	run perfjit-check --json perf.data
	exits 5 "$name: JIT code is unnamed"
	at_least "  described frames, by perf and the dump" "$frames_described" 2000
	is "  frames in JIT code" "$(count jit_frames)" $((frames_described + frames_early))
	is "  none has a name" "$(count jit_frames_named)" 0
	is "  why" "$(count 'jit_reasons}{"not-fixed"')" $((frames_described + frames_early))
	is "  samples" "$(count samples)" "$chains_samples"
	is "  kernel frames" "$(count kernel_frames)" "$chains_kernel"
	is "  complete chains" "$(count 'chain_ends}{complete')" "$chains_whole"

	perfjit-fix -q perf.data
	frames perf.fixed.data jit-*.dump
	run perfjit-check --json perf.fixed.data
	exits 0 "$name, fixed: it is named"
	is "  frames in JIT code" "$(count jit_frames)" $((frames_described + frames_early))
	is "  with their name" "$(count jit_frames_named)" $((frames_right + frames_early_right))
done

# by event, tracepoints among them, as perf counts and calls them
rm -rf ./*
recording node20-tracepoints
run perfjit-check --json perf.data
json 'join "\n", map { "$_->{samples} $_->{name}" } @{$j->{events}}' | sort >../events
perf script -G -F event -i perf.data 2>/dev/null | sed 's/^ *//; s/: *$//' | sort | uniq -c |
	sed 's/^ *//' | sort >../perf-events
at_least "events" "$(wc -l <../perf-events)" 3
run diff ../perf-events ../events
exits 0 "by event, as perf counts and calls them"
run perfjit-check --json '--event=sched:*' perf.data
is "only those of one" "$(count samples) $(count samples_left_out)" "$(awk '/sched/ { s += $1; next }
	{ o += $1 } END { print s, o }' ../perf-events)"

# stacks to be unwound: perf 6.1 does it by libunwind
frames_options=--symfs=../symfs
for name in packed reuse remap neighbour wedged nocfi-bare short; do
	program $name
	fix_program
	frames perf.fixed.data jit-*.dump
	chains perf.fixed.data --symfs=../symfs
	run perfjit-check --json --symfs=../symfs perf.fixed.data
	exits 0 "$name: read"
	is "  samples" "$(count samples)" "$chains_samples"
	case $name in
	nocfi-bare)
		# perf 6.1 loses chains where the C code has no frame pointer, and has fewer frames
		at_least "  user frames" "$(count frames)" "$chains_frames"
		is "  complete chains" "$(count 'chain_ends}{complete')" "$chains_samples" ;;
	short)
		# perf 6.1 wants more of the last frame than is there; these are perf 7.3's numbers
		is "  user frames" "$(count frames)" 1976
		is "  frames in JIT code" "$(count jit_frames)" 1292
		is "  complete chains" "$(count 'chain_ends}{complete')" "$chains_whole" ;;
	*)
		is "  user frames" "$(count frames)" "$chains_frames"
		is "  frames in JIT code" "$(count jit_frames)" "$frames_described"
		is "  complete chains" "$(count 'chain_ends}{complete')" "$chains_whole" ;;
	esac
	is "  with their name" "$(count jit_frames_named)" "$(count jit_frames)"
done
done_testing
