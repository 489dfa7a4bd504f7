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

# Java's methods by their code: leaf, middle, their callers down to where Java was entered.
java_by_code()
{
	at_least "functions that the code shows" "$(origin synthesised)" 12
	at_least "most are in no chain" "$(origin not_needed)" 400
	chains perf.fixed.data
	at_least "leaf is called by middle, by outer, by the interpreter" "$(count_chains \
		'^ < LNest;leaf < LNest;middle < \(Interpreter\|LNest;outer\) < Interpreter < call_stub')" 100
	is "leaf is called by middle alone" "$(count_chains 'LNest;leaf < [^L]')" \
		"$(count_chains 'LNest;leaf < Interpreter <')"
	is "middle by outer, compiled or not" "$(count_chains 'LNest;middle < \(LNest;[^o]\|[^LI]\)')" 0
}

# Without a disassembler the interpreter's frame is still known, and prologues are seen.
java_by_prologue()
{
	is "functions that are shown: the interpreter" "$(origin synthesised)" 1
	at_least "functions with a prologue" "$(origin frame_pointer)" 100
	chains perf.fixed.data
	is "hardly a chain" "$(($(count_chains 'leaf < .* < call_stub') > 5))" 0
}

mkdir java llvm python
cd java || exit 1
recording java17-nofp-dwarf
succeeds "Java without frame pointers" perfjit-fix --json perf.data
is "none has a table of the runtime" "$(origin producer)" 0
is "all are counted" \
	"$(($(origin synthesised) + $(origin frame_pointer) + $(origin none) + $(origin not_needed)))" \
	"$(perl -MJSON::PP -e 'local $/; open my $f, "<:raw", "../out"; print decode_json(<$f>)->{functions}')"
if can_disassemble; then
	java_by_code
	least='[1-9][0-9]*'
	unneeded=' not needed$'
else
	java_by_prologue
	least=1
	unneeded=
fi
sound_dsos perf.fixed.data.jit
run perfjit-fix --dry-run perf.data
out_has "the summary counts, dry too" "^CFI       of functions: $least shown by the code, .*$unneeded"

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
chains perf.fixed.data
if can_disassemble; then
	is "all functions are shown" "$(origin synthesised)" 4
	at_least "outer is called by main" "$(count_chains '< outer < main')" 29
else
	is "no function is shown" "$(origin synthesised)" 0
	is "outer's caller is not found" "$(count_chains '< outer < main')" 0
fi

# CPython's tables say what its trampolines do, and so must what is found without them.
cd ../python || exit 1
recording py313fpbuild-perfjit-fp
succeeds "CPython's own tables" perfjit-fix --json --cfi=producer -o own.data perf.data
at_least "they are taken" "$(($(origin producer) + $(origin repaired)))" 186
rows own.data.jit >../own
at_least "rows" "$(wc -l <../own)" 186
succeeds "the code of the same" perfjit-fix --json --cfi=synth -o code.data perf.data
rows code.data.jit >../code
if can_disassemble; then
	is "is followed" "$(origin synthesised)" 186
	same_file "both say the same" ../own ../code
else
	is "is not followed" "$(origin synthesised)" 0
	is "and nothing is said of it" "$(wc -l <../code)" 0
fi

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

# repairs_by_code: the same of what only the code tells.
repairs_by_code()
{
	if can_disassemble; then
		repairs "$@"
	else
		at_least "$1: tables that have it" "$(damage "$3" "$4")" 150
		succeeds "  not held against code" perfjit-fix --json \
			--jitdump="$PWD/damaged.dump" -o damaged.data perf.data
		is "  none is put right" "$(origin repaired)" 0
		rm -rf damaged.data damaged.data.jit
	fi
}

repairs_by_code "a code alignment factor of 4" 'the code alignment factor is 4' \
	7a520001781001 7a520004781001
repairs_by_code "a wrong register of the return address" "the return address's register is 15" \
	7a520001781001 7a520001780f01
repairs_by_code "rules at entry that do not hold" "rules do not hold" 1b0c07089001 1b0c07109001
repairs "an FDE's address computed for other code" "FDE begins at" \
	1c000000d0ffffff 1c000000c0ffffff
repairs "an augmentation that nobody knows" 'augmentation is "zX"' 7a520001781001 7a580001781001
cd ..

run perfjit-fix --cfi=guess perf.data
exits 2 "--cfi=guess"
err_has "  says what there is" "auto, producer, synth or none, not 'guess'"
done_testing
