#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages: well-formed, and their examples work as they stand there.
. "$(dirname "$0")/tap.sh"

for page in "$SRCDIR"/man/*.[1-8]; do
	# which pages of others a system has, and a database of them, is not for ours to say
	mandoc -Tlint "$page" 2>&1 |
		grep -v -e 'mandoc.db lacks' -e 'referenced manual not found' >../out
	[ ! -s ../out ]
	ok $? "mandoc -Tlint ${page##*/}" || tell ../out
done

# examples PAGE: the commands of its section EXAMPLES, one a line
examples()
{
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$1" |
		sed -e 's/\\(dq/"/g' -e "s/[\\](aq/'/g"
}

# work PAGE LEAST: perfjit-dump --cfi of a table that is wrong exits with 1, and so does
# perfjit-doctor, as each perf has its faults and the dump is not where it was
work()
{
	examples "$SRCDIR/man/$1.1" >../examples
	at_least "$1(1) has examples" "$(wc -l <../examples)" "$2"
	while read -r command; do
		run sh -c "$command"
		case $command in *grep*) exits 0 "\$ $command" ;;
		*--cfi*jit-77.dump | perfjit-doctor*) exits 1 "\$ $command" ;;
		*) exits 0 "\$ $command" ;; esac
	done <../examples
}

# shows PAGE LEAST: where the page shows what a command prints, the command prints it
shows()
{
	perl -ne '$command = $1 if /^\.Dl \$ (.*)/;
		if (/^\.Bd -literal/) { $nth++; $in = 1; open $out, ">", "../shown.$nth";
			open $do, ">", "../command.$nth";
			$command =~ s/\\\(aq/\x27/g; print $do $command; close $do; next; }
		if (/^\.Ed/ && $in) { close $out; $in = 0; }
		s/\\e/\\/g, print $out $_ if $in;' "$SRCDIR/man/$1.1"
	at_least "$1(1) shows output" "$(ls ../shown.* | wc -l)" "$2"
	for shown in ../shown.*; do
		command=$(cat "../command.${shown#../shown.}")
		run sh -c "$command"
		if [ "${command#*--cfi}" = "$command" ] || can_disassemble; then
			out_is "what \$ $command prints" <"$shown"
		else
			out_has "what \$ $command prints without a disassembler" \
				"can't be followed here\|does not fit the code"
		fi
	done
}

recording py313fpbuild-perfjit-fp
mkdir dumps && cp jit-1195.dump dumps
cp "$TESTDATA/broken/jit-77.dump" .
work perfjit-fix 5
work perfjit-check 7
work perfjit-doctor 7
work perfjit-dump 10
shows perfjit-dump 4
done_testing
