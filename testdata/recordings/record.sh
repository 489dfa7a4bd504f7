#!/bin/sh
# Makes the recordings of this folder: record.sh PERF NAME, with NAME what PERF is called here,
# "7.3" for one. Needs the right to count cpu-clock. The recordings are not made by the tests:
# each run gives other bytes.
perf=$1 name=$2
here=$(dirname "$0")
record() {
	file=$1
	shift
	"$perf" record -q -e cpu-clock -F 499 -k mono "$@" -o "$name-$file" sh "$here/workload.sh"
}

record fp.data -g
record dwarf.data --call-graph dwarf,512
"$perf" record -q -e cpu-clock -F 499 -k mono -g -o - sh "$here/workload.sh" >"$name-pipe.data"
"$perf" record -q -e cpu-clock,page-faults -c 2000000 -k mono -o "$name-two.data" \
	sh "$here/workload.sh"
case $name in
5.10) exit ;;
esac
record zstd.data -g -z
"$perf" record -q -e cpu-clock -F 499 -k mono -g -z -o - \
	sh "$here/workload.sh" >"$name-zstd-pipe.data"
case $name in
7.3) ;;
*) exit ;;
esac
record threads.data --threads -g
record threads-zstd.data --threads -g -z
# two events with different fields
"$perf" record -q -e cpu-clock/call-graph=fp,freq=499/,page-faults/call-graph=no/ -k mono \
	-o "$name-mixed.data" sh "$here/workload.sh"
