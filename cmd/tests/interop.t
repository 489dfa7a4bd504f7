#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What other programs make of the output: perf's converters, its scripts in Python, and such as read
# the text of perf script.
. "$(dirname "$0")/tap.sh"

# Chains on a line each, outermost first, as stackcollapse-perf.pl of FlameGraph reads them: a
# header, a frame a line, an empty line.
collapsed()
{
	perf script --no-inline --max-stack 1024 -i "$1" 2>../perf.err | perl -ne '
		if (/^$/) { print join(";", reverse @chain), "\n" if @chain; @chain = (); next; }
		next if !/^\s+[0-9a-f]+ (.+) \((.*)\)$/;
		my ($name, $dso) = ($1, $2);
		$name =~ s/\+0x[0-9a-f]+$//;
		push @chain, ($dso =~ /perf\.fixed\.data\.jit/ ? "JIT " : "") . $name;'
}

# converts RECORDING SAMPLES FRAMES CHAIN: CHAIN is a basic regular expression
converts()
{
	rm -rf ./* ../json
	recording "$1"
	perfjit-fix -q perf.data
	samples=$2

	collapsed perf.fixed.data >../collapsed
	is "$1: perf script tells of all samples" "$(wc -l <../collapsed)" "$samples"
	frames=$(grep -o 'JIT [^;]*' ../collapsed | wc -l)
	at_least "$1: frames of JIT code in its text" "$frames" "$3"
	is "$1: all of them with names" "$(grep -c 'JIT \[unknown\]' ../collapsed)" 0
	at_least "$1: chains with the callers in order" "$(grep -c -e "$4" ../collapsed)" 300

	succeeds "$1: perf data convert --to-json" \
		perf data convert -i perf.fixed.data --to-json ../json
	perl -MJSON::PP -e 'local $/; open my $f, "<:raw", "../json"; my $j = decode_json(<$f>);
		my ($jit, $named);
		for my $sample (@{$j->{samples}}) { for (@{$sample->{callchain}}) {
			next if ($_->{dso} // "") !~ /^jit-/;
			$jit++;
			$named++ if length($_->{symbol} // "");
		} }
		printf "%d %d %d\n", scalar @{$j->{samples}}, $jit, $named;' >../out
	read -r in_json jit named <../out
	is "$1: it has all samples" "$in_json" "$samples"
	at_least "$1: and their frames" "$jit" "$3"
	is "$1: with names" "$named" "$jit"

	run perf data convert -i perf.fixed.data --to-ctf ../ctf
	exits 0 "$1: perf data convert --to-ctf"
	grep -q "($samples samples)" ../err ../out
	ok $? "$1: it has all samples" || tell ../err ../out
	rm -rf ../ctf

	run perf script report stackcollapse -i perf.fixed.data
	exits 0 "$1: perf script report stackcollapse"
	at_least "$1: collapses to lines with the callers in order" \
		"$(grep -c -e "$(echo "$4" | sed 's/JIT //g')" ../out)" 1
}

converts py313fpbuild-perfjit-fp 719 3500 \
	'JIT py::outer:.*;JIT py::middle:.*;JIT py::leaf:'
converts node20-fp 813 8000 'JIT Builtin:JSEntryTrampoline;.*;JIT JS:[*]outer '
converts java17-fp-pfp 753 2500 'JIT Interpreter;'
done_testing
