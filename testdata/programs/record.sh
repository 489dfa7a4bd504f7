#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the programs and records them anew: record.sh PERF-5.10 [PERF-6.1 PERF-7.3]
# Needs a perf that may count cpu-clock. What is written here belongs together: binaries, perf.data
# and dumps, all gzipped. Recorded paths are below /tmp/perfjit-testdata, where whoever uses the
# recordings must put the binaries and the dumps again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=/tmp/perfjit-testdata
rm -rf "$place"
mkdir -p "$place"
"$here/build.sh" "$place"
gzip -9nc "$place/jitprog" >"$here/jitprog.gz"
gzip -9nc "$place/jitexec" >"$here/jitexec.gz"
gzip -9nc "$place/neighbour.so" >"$here/neighbour.so.gz"

# Whether jitexec lies further up in the process that ends first, the child: so it does in half of
# the runs, and in those callers can be lost.
child_is_further_up() # child_is_further_up PERF
{
	"$1" script --show-mmap-events -F comm -i perf.data |
		sed -n 's/.*\[0x\([0-9a-f]*\)(.* r-xp .*jitexec$/\1/p' >places
	[ "$(sed -n '$p' places)" != "$(LC_ALL=C sort places | sed -n 1p)" ]
}

record() { # record PERF NAME MODE [OPTION]...
	perf=$1 name=$2 mode=$3
	shift 3
	program=./jitprog
	[ -n "$mode" ] || program=./jitexec
	[ $# -gt 0 ] || set -- -k mono --call-graph dwarf,2560
	cd "$place"
	rm -f jit-*.dump
	env -i "$perf" record -q -e cpu-clock:u -F 2999 "$@" \
		-o perf.data "$program" ${mode:+"$mode"} 2>record.log
	rm -rf "${here:?}/$name"
	mkdir "$here/$name"
	for file in perf.data jit-*.dump; do
		gzip -9nc "$file" >"$here/$name/$file.gz"
	done
	echo "$name: $(wc -c <perf.data) bytes, $(cat "$here/$name"/*.gz | wc -c) compressed"
}

for mode in packed spaced reuse churn aliases remap neighbour wedged fork nocfi nocfi-bare; do
	record "$1" "$mode" "$mode"
done
record "$1" exec ""
until child_is_further_up "$1"; do
	record "$1" exec ""
done
[ $# -lt 2 ] || record "$2" clock nocfi --call-graph fp
[ $# -lt 2 ] || record "$2" short packed -k mono --call-graph dwarf,512
[ $# -lt 2 ] || record "$2" packed-6.1 packed
[ $# -lt 2 ] || record "$2" reuse-6.1 reuse
[ $# -lt 3 ] || record "$3" packed-7.3 packed
[ $# -lt 3 ] || record "$3" reuse-7.3 reuse
