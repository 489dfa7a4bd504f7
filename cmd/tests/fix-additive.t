#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The rule that holds for every profile: what perfjit-fix writes is what it read, with records added. So for every
# recording in testdata: an independent reader finds the input in the output, --strip gives it back,
# a second run changes nothing, and perf tells of all that is no JIT code what it told before.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

fixtures=0 readable=0 with_jit=0 all_frames=0

script()
{
	timeout 60 perf script --no-inline --max-stack 1024 --ns \
		-F comm,pid,tid,time,event,ip,sym,symoff,dso -i "$1" 2>../perf.err
}

# What perf can't read as it was recorded, it may well read afterwards.
same_script()
{
	script perf.data >../before || return 0
	if ! script perf.fixed.data >../after; then
		ok 1 "$1: perf reads it still"
		tell ../perf.err
		return
	fi
	readable=$((readable + 1))
	unwound=
	case $1 in
	*dwarf*|programs/*|forms/zstd-7.3) unwound=unwound ;;
	esac
	run perl "$ORACLES/script-same.pl" ../before ../after "$PWD/perf.fixed.data.jit" $unwound
	exits 0 "$1: perf tells the same of all that is no JIT code" || return
	eval "$(cat ../out)"
	all_frames=$((all_frames + same))
	case $1 in
	recordings/node*|programs/aliases)
		;;	# built-in functions, which the dump tells of too
	*)	is "$1: no frame that was in a file is JIT code now" "$over" 0 ;;
	esac
	[ "$jit" -eq 0 ] || with_jit=$((with_jit + 1))
	echo "# $(cat ../out)"
}

# One that perf.data in the work folder was recorded as.
additive()
{
	fixtures=$((fixtures + 1))
	status=0
	cp -a perf.data recorded
	perfjit-fix -q --jitdump-dir=. --perf-map-dir=. perf.data >../out 2>../err || status=$?
	case $status in
	0|6)	;;
	*)	ran="perfjit-fix perf.data"
		exits 0 "$1: fix" ;;
	esac
	run perl "$ORACLES/perfdata-compare.pl" perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"
	exits 0 "$1: the output is the input with records added"
	same_script "$1"
	cp -a perf.fixed.data once
	perfjit-fix -q --jitdump-dir=. --perf-map-dir=. --in-place --dso-dir=perf.fixed.data.jit \
		perf.fixed.data >../out 2>../err
	run diff -r once perf.fixed.data
	exits 0 "$1: a second run changes nothing"
	perfjit-fix -q --strip -o back perf.fixed.data >../out 2>../err
	run diff -r back recorded
	exits 0 "$1: strip gives what was recorded"
	run diff -r perf.data recorded
	exits 0 "$1: the input is as it was"
	rm -rf ./*
}

for folder in "$TESTDATA"/recordings/*/perf.data.gz; do
	name=$(basename "$(dirname "$folder")")
	recording "$name"
	additive "recordings/$name"
done
for folder in "$TESTDATA"/forms/*/; do
	name=$(basename "$folder")
	form "$name"
	additive "forms/$name"
done
for folder in "$TESTDATA"/programs/*/perf.data.gz; do
	name=programs/$(basename "$(dirname "$folder")")
	for file in "$(dirname "$folder")"/*.gz; do
		gzip -dc "$file" >"$(basename "$file" .gz)"
	done
	additive "$name"
done
for file in "$TESTDATA"/recordings/*.data "$TESTDATA"/abi/*.data; do
	cp -r "$file" perf.data
	additive "${file#"$TESTDATA"/}"
done

at_least "recordings" $fixtures 80
at_least "of them perf reads" $readable 40
at_least "of them have frames in JIT code" $with_jit 25
at_least "frames that are the same" $all_frames 20000
done_testing
