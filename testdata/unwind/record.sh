#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the programs, records them and keeps what perf makes of their stacks:
# record.sh PERF PERF-7.3 NAME...
# Needs a perf that may count cpu-clock, and one that unwinds by libdw (7.2 and later).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
perf=$1 newest=$2
shift 2
place=/tmp/perfjit-testdata
mkdir -p "$place"
cd "$place"

record()
{
	env -i HOME="$place" "$perf" record -q -F 499 -o perf.data "$@" 2>/dev/null
}

cxx()
{
	g++ -O2 -fno-omit-frame-pointer -fno-exceptions -fno-rtti -fno-stack-protector -nostdlib \
		-Wl,-z,now -Wl,--hash-style=gnu -ffile-prefix-map="$here"=. "$@"
}

# the delay: not the dynamic linker's beginning, which is another file elsewhere
dynamic()
{
	cxx -fPIC -shared -o libshapes.so "$here/shapes.cc"
	cxx -fPIE -pie -o dynamic "$here/dynamic.cc" libshapes.so -Wl,-rpath,"$place"
	record -D 10 "$@" ./dynamic 20000
}

for name; do
	rm -f ./*
	case $name in
	calls)
		gcc -O2 -static -no-pie -pthread -ffile-prefix-map="$here"=. -o calls \
			"$here/calls.c"
		strip -g calls
		record -e cpu-clock:u --call-graph dwarf,4096 ./calls
		kept=calls ;;
	labels)
		gcc -nostdlib -static -no-pie -o labels "$here/labels.S"
		record -e cpu-clock:u --call-graph fp ./labels
		kept=labels ;;
	dynamic)
		dynamic -e cpu-clock:u --call-graph dwarf,1024
		kept='dynamic libshapes.so' ;;
	deferred)
		dynamic -e cpu-clock --call-graph fp
		perl "$here/defer.pl" <perf.data >deferred.data
		mv deferred.data perf.data
		kept= ;;
	esac
	env -i HOME="$place" "$newest" script -i perf.data --no-inline --no-demangle --ns \
		-F tid,time,ip,sym >perf.script 2>/dev/null
	for file in $kept; do
		gzip -9nc "$file" >"$here/$file.gz"
	done
	gzip -9nc perf.data >"$here/$name.data.gz"
	gzip -9nc perf.script >"$here/$name.script.gz"
done
wc -c "$here"/*.gz
