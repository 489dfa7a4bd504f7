#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code, unwind rows and source lines: instructions are objdump's, rows are readelf's, lines are
# addr2line's, for our DSOs and for what GCC made.
. "$(dirname "$0")/tap.sh"

# members KEY...: of each instruction, from JSON
members()
{
	perl -MJSON::PP -ne 'BEGIN { @keys = @ARGV; @ARGV = () } my $r = decode_json($_);
		for my $i (@{$r->{instructions} // []}) {
			print join(" ", map { $i->{$_} // "-" } @keys), "\n" }' "$@" <../out
}

# rows FILE: readelf's rows as ranges: "START CFA REGISTERS"
rows()
{
	readelf --wide --debug-dump=frames-interp "$1" 2>/dev/null >../readelf
	perl "$ORACLES/readelf-rows.pl" <../readelf
}

# check_instructions FILE LEAST: they begin where objdump's do.
check_instructions()
{
	members addr bytes | sed 's/^0x//; s/ //; s/ //g' | awk '{ print length($0), $0 }' >../sizes
	members addr | sed 's/^0x//' | sort -u >../ours
	objdump -d -w --no-show-raw-insn -j .text "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' | sort -u >../objdump
	# objdump goes on where no function is
	at_least "  has instructions" "$(wc -l <../ours)" "$2"
	is "  that begin where objdump's do" "$(comm -23 ../ours ../objdump | head -5)" ""
}

# check_bytes FILE: without a disassembler, code is bytes of the file, as many as nm says.
check_bytes()
{
	perl -MJSON::PP -e 'open my $f, "<:raw", $ARGV[0]; local $/; my $file = <$f>; $/ = "\n";
		while (<STDIN>) {
			my $r = decode_json($_);
			next unless length($r->{code} // "");
			index($file, pack "H*", $r->{code}) >= 0 or print "not of the file: ";
			printf "%s %x\n", $r->{addr} =~ s/^0x//r, length($r->{code}) / 2;
		}' "$1" <../out | sort -u >../ours
	nm -S --defined-only "$1" | sed -n 's/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) [tT] .*/\1 \2/p' | sort -u >../nm
	at_least "  has functions" "$(wc -l <../ours)" 1
	is "  of the bytes that nm says" "$(comm -23 ../ours ../nm)" ""
}

# check_file FILE LEAST
check_file()
{
	succeeds "$(basename "$1")" perfjit-dump --json --code "$1"
	if can_disassemble; then
		check_instructions "$1" "$2"
	else
		check_bytes "$1"
	fi
	run perfjit-dump --json --cfi "$1"
	[ "$status" -le 1 ]
	ok $? "  its rows"
	rows "$1" >../rows
	members addr cfa registers >../ours
	perl "$ORACLES/readelf-rows.pl" --compare ../rows <../ours >../compared
	at_least "  are at addresses" "$(sed -n 's/^same //p' ../compared)" "$2"
	is "  and say what readelf's say" "$(grep -v '^same' ../compared | head -5)" ""
}

cat >program.c <<'EOT'
#include <alloca.h>
#include <stdio.h>
#include <string.h>

int leaf(int n)
{
	return n * 3 + 1;
}

int loop(int n, char **names)
{
	char *copy = alloca(n + 16);
	int sum = 0;

	for (int i = 0; i < n; i++) {
		strcpy(copy, names[i]);
		sum += leaf(i) + printf("%s\n", copy);
	}
	return sum;
}

int main(int argc, char **argv)
{
	return loop(argc, argv);
}
EOT
if can_disassemble; then
	right=agrees
else
	right=unchecked
fi
gcc -g -O2 -fcf-protection -o optimized program.c || exit 1
gcc -g -O0 -o plain program.c || exit 1
check_file optimized 45
check_file plain 60
run perfjit-dump --json --cfi --function=leaf --function=loop --function=main optimized
exits 0 "what GCC made is right"
is "  in so many words" "$(grep -o '"verdict":"[a-z]*"' ../out | sort | uniq -c | sed 's/^ *//')" "3 \"verdict\":\"$right\""

succeeds "lines" perfjit-dump --json --lines plain
members addr file line | grep -v ' - ' >../lines
at_least "  there are some" "$(wc -l <../lines)" 10
while read -r addr file line; do
	echo "$file:$line"
done <../lines | sed 's|.*/||' >../ours
cut -d' ' -f1 ../lines | addr2line -e plain | sed 's|.*/||; s/ (discriminator.*//' >../addr2line
same_file "  and they are addr2line's" ../ours ../addr2line

recording py313fpbuild-perfjit-fp
perfjit-fix -q perf.data || exit 1
dso=$(ls perf.fixed.data.jit/*-185-*.so)
check_file "$dso" 4
succeeds "a DSO of a JIT function" perfjit-dump --cfi "--function=py::*" "$dso"
if can_disassemble; then
	out_has "  agrees with its code" 'The unwind table agrees with the code at all 11 bytes'
else
	out_has "  can be read" "The unwind table can be read; code of this machine can't be followed here"
fi
succeeds "the same function in its dump" perfjit-dump --json --cfi '--function=py::leaf:*' jit-1195.dump
members text cfa registers >../of_dump
perfjit-dump --json --cfi "--function=py::*" "$dso" >../out
members text cfa registers >../of_dso
same_file "  has the same rows" ../of_dump ../of_dso
is "all functions of CPython 3.13 are right" "$(perfjit-dump --json --cfi jit-1195.dump |
	grep -o '"verdict":"[a-z]*"' | sort | uniq -c | sed 's/^ *//')" "186 \"verdict\":\"$right\""

run perfjit-dump --json --cfi "$TESTDATA/broken/jit-4242.dump"
exits 1 "CPython 3.13.0's table for aarch64 is wrong"
is "  in each function" "$(grep -c '"verdict":"disagrees".*"kind":"cfi.wrong-pc-begin"' ../out)" 3
run perfjit-dump --cfi --function=sum "$TESTDATA/broken/jit-77.dump"
exits 0 "exit code without a wrong table among those printed"

# An address too many: what only the code tells apart.
run perfjit-dump --color=always --cfi --function=sort "$TESTDATA/broken/jit-77.dump"
if can_disassemble; then
	exits 1 "exit code with a wrong one"
	out_has "  is told at the first place that is wrong" 'at 0x7f3a10000101 the row says CFA = rsp+8, but by the code it is CFA = rsp+16'
	out_has "  in colour when asked for" "$(printf '\033')\[.*The unwind table does not fit"
else
	exits 0 "exit code where nobody can tell"
	out_has "  its rows are printed" '7f3a10000104:  53 .* rbp+8 '
fi

gzip -dc "$TESTDATA/recordings/node20-fp/jit-25044.dump.gz" >node.dump
succeeds "source lines of a dump" perfjit-dump --lines '--function=JS:\*leaf *' node.dump
out_has "  are where the function is" '^    /home/corpus/src/nest.js:1:14'

# code in the frame of what jumps to it: mov (%r14), %rax; sub $8, %rsp; call; add $8, %rsp; jmp
# *(%r15). Its table says CFA = rsp+160 from the first instruction on; with ret in place of the jmp it
# is wrong.
jumped_to()
{
	perl -e 'my $code = pack "H*", "498b064883ec08e8001000004883c408" . $ARGV[0];
		my $table = pack "H*", "14000000000000000" . "17a5200017810011b0c07a001900100" .
			"180000001c000000c8ffffff1300000000470ea801490ea001000000";
		my $search = pack "H*", "011b033bc8ffffff01000000b4ffffffe4ffffff";
		print pack("L<4 L<2 Q<2", 0x4A695444, 1, 40, 62, 0, 7, 1, 0),
			pack("L<2 Q<4", 4, 40 + length $table . $search, 2, length $table . $search, length $search, 80),
			$table, $search,
			pack("L<2 Q< L<2 Q<4", 0, 56 + 6 + length $code, 3, 7, 7, 0x10000, 0x10000, length $code, 1),
			"trace\0", $code' "$1" >jit-7.dump
}
jumped_to 41ff27
run perfjit-dump --cfi jit-7.dump
if can_disassemble; then
	exits 0 "code that is jumped to, and a table that fits it as such"
	out_has "it is said as what" 'agrees with the code at all 19 bytes, which is jumped to, in the frame'
	jumped_to c39090
	run perfjit-dump --cfi jit-7.dump
	exits 1 "the same table of code that returns"
	out_has "is wrong" 'does not fit the code'
fi
done_testing
