#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the recordings of this folder: record.sh PERF NAME, with NAME what PERF is called here,
# "7.3" for one. Needs the right to count cpu-clock. The recordings are not made by the tests:
# each run gives other bytes.
perf=$1 name=$2
here=$(dirname "$0")
record() {
	file=$1
	shift
	"$perf" record -q -F 499 "$@" -o "$name-$file.data" sh "$here/workload.sh"
	chmod 644 "$name-$file.data"
}

record fp -g -e cpu-clock
record dwarf --call-graph dwarf,1024 -e cpu-clock
record two -e cpu-clock -e page-faults
record zstd -z -g -e cpu-clock
record group -e '{cpu-clock,page-faults}:S'
record read -s -e cpu-clock -e page-faults
record fields -W -d --code-page-size --data-page-size --phys-data -g -e cpu-clock
