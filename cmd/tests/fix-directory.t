#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles that are directories: fixed, in place, moved, stripped.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# same_folder NAME A B
same_folder()
{
	run diff -r "$2" "$3"
	exits 0 "$1"
}

modes()
{
	(cd "$1" && find . -exec stat -c '%n %a' {} + | sort)
}

# directory NAME ABI
directory()
{
	form "$1"
	chmod 640 perf.data/data
	chmod 750 perf.data
	mkdir perf.data/kcore_dir
	echo 0 T x >perf.data/kcore_dir/kallsyms
	cp -a perf.data recorded
	succeeds "$1: fix" perfjit-fix --jitdump-dir=. "--perf-abi=$2" perf.data
	out_has "$1: says what it wrote" '^Wrote     perf.fixed.data, [0-9]* DSO.* in perf.fixed.data.jit$'
	same_folder "$1: the input is as it was" perf.data recorded
	run ls perf.fixed.data
	is "$1: the same files" "$(ls perf.fixed.data)" "$(ls perf.data)"
	is "$1: the same modes" "$(modes perf.fixed.data)" "$(modes perf.data)"
	frames perf.fixed.data jit-*.dump
	at_least "$1: perf names frames" "$frames_right" 2000
	is "$1: all of them" "$frames_right $frames_wrong" "$frames_described 0"
	cp -a perf.fixed.data once

	succeeds "$1: fix what is fixed, in place" \
		perfjit-fix -q --jitdump-dir=. "--perf-abi=$2" --in-place perf.fixed.data
	same_folder "$1: the same bytes" perf.fixed.data once
	is "$1: the same modes" "$(modes perf.fixed.data)" "$(modes once)"
	succeeds "$1: fix again" perfjit-fix -q --jitdump-dir=. "--perf-abi=$2" perf.data
	same_folder "$1: replaces what it wrote with the same" perf.fixed.data once

	succeeds "$1: relocate" perfjit-fix --relocate=/srv/a/rather/long/way/to/go -o moved once
	out_has "$1: says what was moved" '^Wrote     moved, [1-9][0-9]* mappings\{0,1\} of DSOs now in /srv/a/'
	succeeds "$1: and back, in place" \
		perfjit-fix -q --relocate="$PWD/perf.fixed.data.jit" --in-place moved
	same_folder "$1: the same bytes" moved once
	perfjit-fix -q --relocate=/srv/a/rather/long/way/to/go --in-place moved

	for what in once moved; do
		succeeds "$1: strip $what" perfjit-fix --strip -o back $what
		same_folder "$1: gives what was recorded" back recorded
		is "$1: the same modes" "$(modes back)" "$(modes recorded)"
		rm -rf back
	done
	succeeds "$1: strip in place" perfjit-fix --strip --in-place once
	out_is "$1: summary of strip" <<-EOT
		Wrote     once, as it was before perfjit-fix
		Next      perf report -i once
	EOT
	same_folder "$1: gives what was recorded" once recorded
	succeeds "$1: fix in place" perfjit-fix -q --jitdump-dir=. --in-place perf.data
	run diff -r perf.data recorded
	exits 1 "$1: changes it"
	succeeds "$1: and back" perfjit-fix -q --strip --in-place perf.data
	same_folder "$1: gives what was recorded" perf.data recorded
	rm -rf once moved
	is "$1: nothing else is left" "$(echo *)" "$(echo jit-*.dump) perf.data perf.data.jit perf.fixed.data perf.fixed.data.jit recorded"
	rm -rf ./*
}

directory threads-7.3 auto
# perf 6.1 does not know its compressed records
directory threads-zstd-7.3 6.1

form threads-7.3
mkdir other
echo precious >other/file
run perfjit-fix -q --jitdump-dir=. --force -o other perf.data
exits 4 "a folder that is no profile is not replaced, with --force neither"
err_has "says so" 'other: is a folder and no profile: name another output with -o'
is "its file is there" "$(cat other/file)" precious
cp -a perf.data another
run perfjit-fix -q --jitdump-dir=. -o another perf.data
exits 4 "another profile is not replaced unasked"
err_has "says so" 'another: exists and is not by perfjit-fix'
succeeds "with --force it is" perfjit-fix -q --jitdump-dir=. --force -o another perf.data
run perfjit-fix -q --jitdump-dir=. -o perf.data/ perf.data
exits 2 "nor is the input"
err_has "says so" 'perf.data/: is the input: name another output with -o'
run perfjit-fix --strip perf.data
exits 3 "strip of what was not fixed"
run sh -c 'perfjit-fix --jitdump-dir=. -o - perf.data | cat'
err_has "a directory is none for a pipe" 'perf reads such from files only'
done_testing
