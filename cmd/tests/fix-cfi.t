#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where unwind tables come from: --cfi, what is counted, and that perf's call chains are right. The
# programs that the stacks go through need not be here: chains are looked at within JIT code.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# origin NAME: how many functions the last --json summary says to have their tables from there.
origin()
{
	perl -MJSON::PP -e 'local $/; open my $f, "<:raw", "../out"; my $j = decode_json(<$f>);
		print $j->{cfi}{$ARGV[0]} // "none such", "\n"' "$1"
}

# chains PROFILE: perf's chains, a line each, the symbols from the innermost on.
chains()
{
	perf script --no-inline --no-demangle --max-stack 1024 -F ip,sym -i "$1" 2>../perf.err |
		awk 'BEGIN { RS = ""; FS = "\n" }
		{
			chain = ""
			for (i = 1; i <= NF; i++) {
				sub(/^[ \t]*[0-9a-f]+ /, "", $i)
				sub(/\(.*/, "", $i)
				chain = chain " < " $i
			}
			print chain
		}' >../chains
}

# count_chains PATTERN
count_chains()
{
	grep -c -e "$1" ../chains
}

# rows FOLDER: for each function its address within the DSO, CFA and return address, row by row.
rows()
{
	for dso in "$1"/*; do
		readelf --debug-dump=frames-interp "$dso" 2>/dev/null |
			awk '/ FDE / { sub(/.*pc=/, ""); print }
				/^[0-9a-f]+ .* c-[0-9]+ *$/ { print $1, $2, $NF }'
	done
}

mkdir java llvm python
cd java || exit 1
recording java17-nofp-dwarf
succeeds "Java without frame pointers" perfjit-fix --json perf.data
at_least "functions that the code shows" "$(origin synthesised)" 450
is "none has a table of the runtime" "$(origin producer)" 0
is "all are counted" "$(($(origin synthesised) + $(origin frame_pointer) + $(origin none)))" \
	"$(perl -MJSON::PP -e 'local $/; open my $f, "<:raw", "../out"; print decode_json(<$f>)->{functions}')"
chains perf.fixed.data
at_least "leaf, middle, their callers down to where Java was entered" "$(count_chains \
	'^ < LNest;leaf < LNest;middle < \(Interpreter\|LNest;outer\) < Interpreter < call_stub')" 100
is "leaf is called by middle alone" "$(count_chains 'LNest;leaf < [^L]')" \
	"$(count_chains 'LNest;leaf < Interpreter <')"
is "middle by outer, compiled or not" "$(count_chains 'LNest;middle < \(LNest;[^o]\|[^LI]\)')" 0
sound_dsos perf.fixed.data.jit
run perfjit-fix --dry-run perf.data
out_has "the summary counts, dry too" '^CFI       of functions: 4[0-9]* shown by the code, '

for option in --cfi=producer --cfi=none; do
	succeeds "$option" perfjit-fix --json "$option" perf.data
	is "  no tables" "$(origin none)" 475
	chains perf.fixed.data
	is "  hardly a chain" "$(($(count_chains 'leaf < .* < call_stub') > 5))" 0
done
succeeds "without following code" perfjit-fix --json --without=synthesis perf.data
is "  nothing is shown by it" "$(origin synthesised)" 0
chains perf.fixed.data
is "  hardly a chain" "$(($(count_chains 'leaf < .* < call_stub') > 5))" 0

cd ../llvm || exit 1
recording llvm14-mcjit-nofp-dwarf
succeeds "LLVM MCJIT without frame pointers" perfjit-fix --json perf.data
is "all functions are shown" "$(origin synthesised)" 4
chains perf.fixed.data
at_least "outer is called by main" "$(count_chains '< outer < main')" 29

# CPython's tables say what its trampolines do, and so must what is found without them.
cd ../python || exit 1
recording py313fpbuild-perfjit-fp
succeeds "CPython's own tables" perfjit-fix --json --cfi=producer -o own.data perf.data
at_least "they are taken" "$(($(origin producer) + $(origin repaired)))" 186
rows own.data.jit >../own
succeeds "the code of the same" perfjit-fix --json --cfi=synth -o code.data perf.data
is "is followed" "$(origin synthesised)" 186
rows code.data.jit >../code
at_least "rows" "$(wc -l <../own)" 186
run cmp ../own ../code
exits 0 "both say the same"

# damage FROM TO: the dump with bytes of its tables (hexadecimal, of one length) changed.
damage()
{
	perl -e 'local $/; my ($from, $to, $path) = @ARGV; open my $f, "<:raw", $path;
		my $dump = <$f>; my $n = $dump =~ s/\Q${\ pack "H*", $from}\E/pack "H*", $to/ge;
		open $f, ">:raw", "damaged.dump"; print $f $dump; print "$n\n"' "$1" "$2" jit-*.dump
}

# repairs WHAT KIND FROM TO: so damaged, the tables that are written are still those of the sound ones.
repairs()
{
	at_least "$1: tables that have it" "$(damage "$3" "$4")" 150
	succeeds "  put right" perfjit-fix --json -v --jitdump="$PWD/damaged.dump" -o damaged.data \
		perf.data
	at_least "  they are counted" "$(origin repaired)" 150
	err_has "  it is said what was wrong" "$2"
	rows damaged.data.jit >../damaged
	run cmp ../own ../damaged
	exits 0 "  they say what the sound ones say"
	rm -rf damaged.data damaged.data.jit
}

if perfjit-fix --version | grep -q 'without a disassembler'; then
	echo "# built without a disassembler: tables are not held against code"
else
	repairs "a code alignment factor of 4" 'the code alignment factor is 4' \
		7a520001781001 7a520004781001
	repairs "a wrong register of the return address" "the return address's register is 15" \
		7a520001781001 7a520001780f01
	repairs "rules at entry that do not hold" "rules do not hold" 1b0c07089001 1b0c07109001
	repairs "an FDE's address computed for other code" "FDE begins at" \
		1c000000d0ffffff 1c000000c0ffffff
fi
cd ..

run perfjit-fix --cfi=guess perf.data
exits 2 "--cfi=guess"
err_has "  says what there is" "auto, producer, synth or none, not 'guess'"
done_testing
