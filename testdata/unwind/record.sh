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

# What perf record has put into the build-id cache: the vdso, and of the kernel's symbols those that
# samples have met, each with the one behind it, as if the kernel had stood elsewhere.
keep_cached()
{
	gzip -9nc .debug/\[vdso\]/*/vdso >"$here/kernel.vdso.gz"
	env -i HOME="$place" "$newest" script -i perf.data --no-inline -F ip,sym 2>/dev/null |
		awk '/^\t/ { print $2 }' | sort -u >met
	awk 'NR == FNR { met[$1]; next }
		$3 == "_text" || $3 == "_stext" || $3 in met || follows { print }
		{ follows = $3 in met }' met .debug/\[kernel.kallsyms\]/*/kallsyms |
		perl -pe 's/^(\w+)/sprintf "%x", hex($1) + 0x600000/e' |
		gzip -9nc >"$here/kernel.kallsyms.gz"
}

build_dynamic()
{
	cxx -fPIC -shared -o libshapes.so "$here/shapes.cc"
	cxx -fPIE -pie -o dynamic "$here/dynamic.cc" libshapes.so -Wl,-rpath,"$place"
}

# The delay of its recordings: without the dynamic linker, which is another file elsewhere.
for name; do
	rm -rf ./* .debug
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
		build_dynamic
		record -D 10 -e cpu-clock:u --call-graph dwarf,1024 ./dynamic 20000
		kept='dynamic libshapes.so' ;;
	deferred)
		build_dynamic
		record -D 10 -e cpu-clock --call-graph fp ./dynamic 20000
		perl "$here/defer.pl" <perf.data >deferred.data
		mv deferred.data perf.data
		kept= ;;
	deep)
		build_dynamic
		record -D 10 -F 49 -e cpu-clock:u --call-graph dwarf,32768 ./dynamic 10000 200
		kept= ;;
	deep-fp)
		build_dynamic
		record -D 10 -F 99 -e cpu-clock:u --call-graph fp ./dynamic 10000 200
		kept= ;;
	kernel)
		gcc -O2 -nostdlib -static -no-pie -fno-stack-protector -fcf-protection=none \
			-Wl,--build-id -ffile-prefix-map="$here"=. -o kernel "$here/kernel.c"
		record -e cpu-clock --call-graph dwarf,1024 ./kernel
		keep_cached
		kept=kernel ;;
	i386)
		gcc -m32 -nostdlib -static -o i386 "$here/i386.S"
		record -F 99 -e cpu-clock:u --call-graph dwarf,256 ./i386
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
