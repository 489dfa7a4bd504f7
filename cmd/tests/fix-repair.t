#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tables that are right in content and wrong in encoding: perf unwinds through those that are written
# in their place, and hardly ever through what the producer wrote. The code of this recording zeroes
# rbp, so that nothing but tables leads to a caller.
. "$(dirname "$0")/tap.sh"

# origin NAME: how many functions the last --json summary says to have their tables from there.
origin()
{
	json '$j->{cfi}{'"$1"'}'
}

# whole OPTION...: writes the profile, and prints how many chains perf then finds to their end.
whole()
{
	rm -rf ../symfs/dsos
	run perfjit-fix --json -v --jitdump-dir=. --dso-dir=../symfs/dsos --relocate=/dsos "$@" \
		-o fixed.data perf.data
	chains fixed.data --symfs=../symfs >../figures
	echo "$chains_whole"
}

# damage WHAT CHANGE: all of the dump's tables so changed.
damage()
{
	perl "$ORACLES/jitdump-damage.pl" ../sound.dump "$2" >"$dump" 2>../changed
	is "$1: tables that have it" "$(cat ../changed)" 48
}

# repairs WHAT MOST CHANGE TEXT: at most so many chains are whole with the tables so changed, all again
# once they are put right.
repairs()
{
	damage "$1" "$3"
	[ "$(whole --cfi=producer)" -le "$2" ]
	ok $? "  with them hardly a chain is whole" || tell ../figures
	is "  all are, put right" "$(whole)" "$sound"
	is "  what was put right is the producer's" "$(origin repaired)" 48
	err_has "  it is said what was wrong" "$4"
}

# repairs_by_code WHAT MOST CHANGE TEXT: the same where only the code tells what is wrong.
repairs_by_code()
{
	if can_disassemble; then
		repairs "$@"
	else
		damage "$1" "$3"
		[ "$(whole)" -le "$2" ]
		ok $? "  without a disassembler nobody can tell" || tell ../figures
		is "  and none is said to be put right" "$(origin repaired)" 0
	fi
}

program packed
dump=$(echo jit-*.dump)
mv "$dump" ../sound.dump
cp ../sound.dump "$dump"
sound=$(whole --cfi=producer)
at_least "with sound tables chains are whole" "$sound" 180
is "they are the producer's" "$(origin producer)" 48

repairs_by_code "code alignment factor" 10 'substr($frame, 12, 1) = "\x04"' \
	'the code alignment factor is 4, but .* if it is 1'
repairs_by_code "data alignment factor" 10 'substr($frame, 13, 1) = "\x7c"' \
	'the data alignment factor is -4, but .* if it is -8'
repairs_by_code "sign of the data alignment factor" 10 'substr($frame, 13, 1) = "\x08"' \
	'the data alignment factor is 8, but .* if it is -8'
repairs_by_code "register of the return address" 10 'substr($frame, 14, 1) = "\x0f"' \
	"the return address's register is 15, but .* if it is 16"
repairs_by_code "rules at entry" "$((sound - 1))" 'substr($frame, 19, 1) = "\x10"' \
	'rules do not hold'
repairs_by_code "size of the augmentation" 10 'substr($frame, 15, 1) = "\x02"' \
	"the size of the CIE's augmentation data is 0x2, but should be 0x1"
repairs "unknown augmentation" 10 'substr($frame, 9, 2) = "zX"' "augmentation is \"zX\""
repairs "GCC's old augmentation" 10 'substr($frame, 9, 2) = "eh"' "augmentation is \"eh\""
repairs "encoding of addresses" 10 'substr($frame, 16, 1) = "\0"' \
	"the encoding of the FDE's addresses is 0x0, but should be 0x1b"
repairs "version" 10 'substr($frame, 8, 1) = "\2"' "the CIE's version is 0x2, but should be 0x1"
repairs "CIE pointer" 10 'substr($frame, 28, 4) = pack "V", 24' \
	"the distance to the CIE is 0x18, but should be 0x1c"
repairs "id of the CIE" 10 'substr($frame, 4, 4) = "\xff" x 4' \
	"the CIE's id is 0xffffffff, but should be 0x0"
repairs "length of the FDE" 10 'substr($frame, 24, 4) = pack "V", 128' \
	"an entry of 0x80 bytes goes past the table's end"

# A record is for the function behind it, wherever its FDE says that begins: so much is put right
# even of tables taken as they are, and the order of the two parts is no fault of either.
repairs "address computed for other code" "$sound" 'substr($frame, 32, 4) = "\xc0\xff\xff\xff"' \
	'FDE begins at 0x[0-9a-f]*8, its code at'
repairs "absolute address" "$sound" 'substr($frame, 32, 4) = pack "V", $addr & 0xffffffff' \
	'FDE begins at 0x'
damage "search table first" '($frame, $hdr) = ($hdr, $frame)'
is "  all chains are whole" "$(whole)" "$sound"
damage "search table of zeroes" '$hdr = "\0" x length $hdr'
is "  all chains are whole" "$(whole)" "$sound"
done_testing
