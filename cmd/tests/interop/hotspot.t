#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hotspot's parser, which reads profiles, symbols and unwind tables by itself, finds the frames and
# names that perf finds.
. "$(dirname "$0")/../tap.sh"
. "$ORACLES/interop/chains.sh"

parser=$(find /usr/lib /usr/lib64 /usr/libexec -name hotspot-perfparser 2>/dev/null | head -n 1)
[ -n "$parser" ]
ok $? "hotspot is here: make deps-interop"

# agrees NAME LEAST FOLDER OPTION...: of the parser, which by that finds the files that perf finds
agrees()
{
	name=$1 least=$2 folder=$3
	shift 3
	run timeout 120 "$parser" "$@" --max-frames 1024 --input perf.fixed.data --output ../stream
	exits 0 "$name: hotspot-perfparser reads it"
	perl "$ORACLES/interop/hotspot-chains.pl" ../stream >../other
	same_frames "$name" "$least" "$folder"
}

symfs=
agree_on_recordings

# copied stacks, which it unwinds by the tables of our DSOs and of files that are at hand everywhere
symfs=--symfs=../symfs
while read -r name least; do
	program "$name"
	fix_program
	agrees "$name" "$least" dsos --sysroot ../symfs
done <<-EOT
	packed-7.3	1900
	spaced		1500
	nocfi		2000
	remap		1300
EOT

# chains that perfjit-fix unwound
program packed-7.3
fix_program --unwind --symfs=../symfs
agrees "packed-7.3 --unwind" 1900 dsos --sysroot ../symfs
done_testing
