#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON summary, read by the parser that comes with perl.
. "$(dirname "$0")/tap.sh"

recording java17-fp-pfp
succeeds "perfjit-fix --json" perfjit-fix --json perf.data
is "exit code" "$(json '$j->{exit_code}')" 0
is "input and output" "$(json '"$j->{input} $j->{output}"')" "perf.data perf.fixed.data"
is "samples" "$(json '$j->{samples}')" 753
at_least "samples in JIT code" "$(json '$j->{jit_samples}')" 680
is "a process" "$(json '"$j->{processes}[0]{pid} $j->{processes}[0]{comm}"')" "16122 java"
is "a dump" "$(json '$j->{dumps}[0]{loads}')" 470
is "size of the output" "$(json '$j->{output_bytes}')" "$(stat -c %s perf.fixed.data)"
is "all DSOs are there" "$(json 'join " ", sort map { -f $_->{path} ? () : $_->{path} } @{$j->{dsos}}')" ''
is "what they take on the disk" "$(json '$j->{dso_disk_bytes}')" \
	"$(stat -c '%b %B' perf.fixed.data.jit/* | awk '{ n += $1 * $2 } END { print n }')"
is "as many as in the folder" "$(json 'scalar @{$j->{dsos}}')" "$(ls perf.fixed.data.jit | wc -l)"

# -vv: the functions of each DSO, with where their CFI is from
is "functions are only counted" "$(json 'scalar grep { $_->{members} } @{$j->{dsos}}')" 0
# origins NAME DUMP: of the functions in the recording, and sums of what the functions say
origins()
{
	rm -rf ./*
	recording "$1"
	run perfjit-fix -vv --json --dry-run --jitdump-dir=. perf.data
	is "$1: as many as are counted" \
		"$(json 'scalar map { @{$_->{members}} } @{$j->{dsos}}')" "$(json '$j->{functions}')"
	is "$1: origins add up" \
		"$(json 'my %n; $n{$_->{cfi}}++ for map { @{$_->{members}} } @{$j->{dsos}};
			join " ", map { "$_ " . ($n{$_} // 0) } sort keys %{$j->{cfi}}')" \
		"$(json 'join " ", map { "$_ $j->{cfi}{$_}" } sort keys %{$j->{cfi}}')"
	json 'join "\n", sort map { "$_->{address} $_->{size} $_->{name}" } map { @{$_->{members}} } @{$j->{dsos}}' |
		LC_ALL=C tr -d '\200-\377' >../members
}
# CPython writes a table for each function, the JVM for none
origins py313fpbuild-perfjit-fp
is "each has the table that the dump has" "$(json '$j->{cfi}{producer}')" 186
perl "$ORACLES/jitdump-names.pl" jit-1195.dump |
	perl -F'\t' -lane 'printf "0x%s %d %s\n", $F[2], hex $F[3], $F[4]' |
	LC_ALL=C tr -d '\200-\377' | sort >../expected
run diff ../expected ../members
exits 0 "they are those of the dump"
run perfjit-fix -vv --dry-run --jitdump-dir=. perf.data
is "-vv tells the same" \
	"$(grep -a -c '^Function  0x[0-9a-f]*-0x[0-9a-f]*, CFI as the runtime wrote it: ' ../out)" 186
origins java17-nofp-dwarf
is "where the dump has none" \
	"$(json '$j->{cfi}{producer} + $j->{cfi}{repaired}')" 0
if can_disassemble; then
	at_least "it is shown by the code" "$(json '$j->{cfi}{synthesised}')" 10
fi
rm -rf ./*
recording java17-fp-pfp

rm jit-16122.dump
run perfjit-fix --json perf.data
exits 5 "a dump is missing"
is "exit code" "$(json '$j->{exit_code}')" 5
is "counted" "$(json '$j->{missing_dumps}')" 1
is "reported" "$(json 'join " ", map { $_->{kind} } @{$j->{messages}}')" discover.missing-dump

run perfjit-fix --json none
exits 3 "no input"
is "exit code" "$(json '$j->{exit_code}')" 3
is "reported" "$(json '$j->{messages}[0]{kind}')" file.open
done_testing
