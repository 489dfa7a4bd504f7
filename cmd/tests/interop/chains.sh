# SPDX-License-Identifier: GPL-2.0-or-later
# Another program's frames beside perf's: sourced behind tap.sh. Arguments of perf script, by which
# it finds the same files, are in $symfs.

# same_frames NAME LEAST FOLDER: in perf.fixed.data perf sees the samples that stand in ../other, as
# perf-chains.pl prints them, and the same frames in files of FOLDER, LEAST or more.
same_frames()
{
	# shellcheck disable=SC2086
	perf script $symfs --no-inline --no-demangle --max-stack 1024 --ns \
		-F tid,time,ip,sym,dso -i perf.fixed.data 2>../perf.err |
		perl "$ORACLES/interop/perf-chains.pl" >../perf
	perl "$ORACLES/interop/chains-compare.pl" ../perf ../other "$3" >../out 2>../differ
	eval "$(cat ../out)"
	at_least "$1: samples" "$chains_samples" 100
	is "$1: all of them are there" "$chains_missing" 0
	at_least "$1: frames of JIT code" "$chains_frames" "$2"
	is "$1: with names" "$chains_unnamed" 0
	is "$1: those that perf shows" "$chains_differ" 0 || tell ../differ
}

# agree_on_recordings: agrees NAME LEAST FOLDER is called for each whose chains are recorded
agree_on_recordings()
{
	while read -r name least; do
		rm -rf ./*
		recording "$name"
		perfjit-fix -q perf.data
		agrees "$name" "$least" perf.fixed.data.jit
	done <<-EOT
		py313fpbuild-perfjit-fp	3500
		node20-fp		8000
		java17-fp-pfp		2500
	EOT
}
