#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Records ../programs/jitprog in all forms of perf.data: record.sh PERF-5.10 PERF-6.1 PERF-7.3
# Needs a perf that may count cpu-clock, and tracefs. What is written here belongs together: perf.data and
# the dump, gzipped; of a directory each file. Recorded paths are below /tmp/perfjit-forms.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=/tmp/perfjit-forms
old=$1 middle=$2 new=$3
rm -rf "$place"
mkdir "$place"
gzip -dc "$here/../programs/jitprog.gz" >"$place/jitprog"
chmod 755 "$place/jitprog"
cd "$place"

keep() { # keep NAME FILE...
	name=$1
	shift
	rm -rf "${here:?}/$name"
	mkdir "$here/$name"
	for file in "$@" jit-*.dump; do
		case $file in
		*/*)	mkdir -p "$here/$name/$(dirname "$file")" ;;
		esac
		gzip -9nc "$file" >"$here/$name/$file.gz"
	done
	echo "$name: $(cat "$@" | wc -c) bytes, $(find "$here/$name" -type f -exec cat {} + | wc -c) compressed"
	rm -rf perf.data* jit-*.dump
}

record() { # record NAME PERF OPTION...
	name=$1 perf=$2
	shift 2
	env -i "$perf" record -q -k mono -F 2999 "$@" -o perf.data ./jitprog nocfi 2>record.log
	case $name in
	threads*) keep "$name" perf.data/* ;;
	*)	keep "$name" perf.data ;;
	esac
}

pipe() { # the same through a pipe
	name=$1 perf=$2
	shift 2
	env -i "$perf" record -q -k mono -F 2999 "$@" -o - ./jitprog nocfi 2>record.log | cat >perf.data
	keep "$name" perf.data
}

pipe pipe-5.10 "$old" -e cpu-clock:u -g
pipe pipe-6.1 "$middle" -e cpu-clock:u -g
pipe pipe-7.3 "$new" -e cpu-clock:u -g
pipe zstd-pipe-6.1 "$middle" -e cpu-clock:u -g -z
pipe zstd-pipe-7.3 "$new" -e cpu-clock:u -g -z
pipe pipe-tracepoint-6.1 "$middle" -e cpu-clock:u -e sched:sched_process_exec -g
record zstd-6.1 "$middle" -e cpu-clock:u -g -z
record zstd-7.3 "$new" -e cpu-clock:u --call-graph dwarf,1024 -z
record threads-7.3 "$new" -e cpu-clock:u -g --threads
record threads-zstd-7.3 "$new" -e cpu-clock:u -g --threads -z
record group-6.1 "$middle" -e '{cpu-clock:u,page-faults:u}:S' -g
record two-6.1 "$middle" -e cpu-clock:u -e page-faults:u
record mixed-7.3 "$new" -e cpu-clock/call-graph=fp,freq=2999/u -e page-faults/call-graph=no/u
record tracepoint-6.1 "$middle" -e cpu-clock:u -e sched:sched_process_exec -g
record sidebands-7.3 "$new" -e cpu-clock:u -g --namespaces --all-cgroups --switch-events -s --buildid-mmap
record no-timestamp-6.1 "$middle" -e cpu-clock:u -g --no-timestamp
record plain-5.10 "$old" -e cpu-clock:u -g

# The whole machine, of which a pid namespace with two runtimes shows pids, all else being pid 0. Whoever
# is at work beside it is in it: record again until nothing is in it that is nobody's business.
env -i PATH=/usr/bin:/bin unshare --pid --fork --mount-proc "$middle" record -q -a -k mono -F 999 \
	-e cpu-clock -g -o perf.data /bin/sh -c './jitprog nocfi & ./jitprog packed & wait' 2>record.log
keep system-wide-6.1 perf.data

# Two files of one run; the second begins when the dump was mapped long ago and does not name it.
env -i "$middle" record -q -k mono -F 2999 -m 2 -e cpu-clock:u -g --switch-output=20K -o perf.data \
	./jitprog nocfi 2>record.log
first=$(ls perf.data.* | head -1)
last=$(ls perf.data.* | tail -1)
cp "$last" last.data
mv "$first" perf.data
cp jit-*.dump last.dump
dump=$(echo jit-*.dump)
keep switched-first-6.1 perf.data
mv last.data perf.data
mv last.dump "$dump"
keep switched-last-6.1 perf.data
