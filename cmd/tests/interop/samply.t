#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The parser of samply, a crate that knows perf.data from its own reading of the format, finds our
# mappings, in order, and at their places in the files the symbols that perf shows.
. "$(dirname "$0")/../tap.sh"
. "$ORACLES/interop/chains.sh"

program=$BUILD/interop/perf-data-frames
[ -x "$program" ]
ok $? "the parser is here: cmd/tests/interop/samply/build makes it"

# agrees NAME LEAST FOLDER: the files of FOLDER are below $below
agrees()
{
	run "$program" perf.fixed.data
	exits 0 "$1: linux-perf-data reads it"
	perl "$ORACLES/interop/elf-names.pl" "$3" "$below" <../out >../other
	same_frames "$1" "$2" "$3"
}

symfs='' below=''
agree_on_recordings

# code at addresses that were used again, in processes that forked too; unwound by perfjit-fix, as
# the parser only parses
symfs=--symfs=../symfs below=../symfs
while read -r name least; do
	program "$name"
	fix_program --unwind --symfs=../symfs
	agrees "$name" "$least" dsos
done <<-EOT
	packed-7.3	1900
	reuse-7.3	900
	churn		1500
	fork		1700
	remap		1300
EOT
done_testing
