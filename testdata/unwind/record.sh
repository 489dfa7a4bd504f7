#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds calls, records it and keeps what perf makes of its stacks: record.sh PERF PERF-7.3
# Needs a perf that may count cpu-clock, and one that unwinds by libdw (7.2 and later).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=/tmp/perfjit-testdata
rm -rf "$place"
mkdir -p "$place"
cd "$place"
gcc -O2 -static -no-pie -pthread -ffile-prefix-map="$here"=. -o calls "$here/calls.c"
strip -g calls
env -i HOME="$place" "$1" record -q -F 499 -e cpu-clock:u --call-graph dwarf,4096 -o perf.data \
	./calls 2>/dev/null
env -i HOME="$place" "$2" script -i perf.data --no-inline --ns -F tid,time,ip,sym \
	>perf.script 2>/dev/null
for file in calls perf.data perf.script; do
	gzip -9nc "$file" >"$here/$file.gz"
done
wc -c "$here"/*.gz
