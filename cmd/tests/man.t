#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages: well-formed, and what they display works as it stands there. An example of a
# kind that is not known here fails.
. "$(dirname "$0")/tap.sh"
export TESTDATA

stand_in=$SRCDIR/cmd/tests/stand-in

# command LINE: perfjit-dump --cfi of a table that is wrong exits with 1, and so does
# perfjit-doctor, as each perf has its faults and the dump is not where it was
command()
{
	run sh -c "$1"
	case $1 in *grep*) exits 0 "\$ $1" ;;
	*--cfi*jit-77.dump | perfjit-doctor*) exits 1 "\$ $1" ;;
	*) exits 0 "\$ $1" ;; esac
}

# shown COMMAND FILE: what the page shows behind COMMAND is what that printed
shown()
{
	if [ "${1#*--cfi}" = "$1" ] || can_disassemble; then
		out_is "what \$ $1 prints" <"$2"
	else
		out_has "what \$ $1 prints without a disassembler" \
			"can't be followed here\|does not fit the code"
	fi
}

# script NAME FILE: commands in a folder where nothing is yet; what is recorded comes from testdata
script()
{
	mkdir -p ../scripts && rm -rf ../scripts/* || return
	run sh -c 'cd ../scripts && PATH="$1:$PATH" sh -e "$2"' sh "$stand_in" "$PWD/$2"
	exits 0 "$1"
}

# steps PAGE FILE: what the steps of a workflow run as this user, all in one folder; what they leave is
# here for the next examples, as an artifact that was fetched is
steps()
{
	perl -ne 'if (/^( *)(?:- )?run: [|]/) { $deep = length $1; $in = 1; next; }
		$in = 0 if /^( *)\S/ && length $1 <= ($deep // 0);
		if ($in || s/^ *(- )?run: (?!sudo)//) { s/^ *//; print; }' "$2" >../steps
	at_least "$1: steps of a workflow" "$(wc -l <../steps)" 3
	script "$1: a workflow" ../steps
	cp -r ../scripts/perf.fixed.data* .
	rm -r ../scripts/perf.fixed.data*
}

# example PAGE FILE: a line or a block that the page displays
example()
{
	case $2 in
	*.line)	line=$(cat "$2")
		case $line in
		'$ '*)	line=${line#??}
			command "$line" ;;
		perf\ * | [A-Z]*=*\ perf\ *)
			script "$1: $line" "$2" ;;
		*)	ok 1 "$1: $line: is tested" ;;
		esac ;;
	*.block) case $1:$(head -n 1 "$2") in
		libperfjit.3:*)	;; # man-library.t
		*:-\ *)	steps "$1" "$2" ;;
		perfjit.7:apt-get\ *linux-source*)	# 190 MB to fetch, and a JDK
			succeeds "$1: making the JVM's agent is a script" sh -n "$2" ;;
		*:perf\ *) script "$1: $(sed -n 's/^\(perfjit-check.*\)/\1/p' "$2")" "$2" ;;
		*)	shown "$line" "$2" ;;
		esac ;;
	esac
}

for path in "$SRCDIR"/man/*.[1-8]; do
	page=${path##*/}
	# which pages of others a system has, and a database of them, is not for ours to say
	mandoc -Tlint "$path" 2>&1 |
		grep -v -e 'mandoc.db lacks' -e 'referenced manual not found' >../out
	[ ! -s ../out ]
	ok $? "mandoc -Tlint $page" || tell ../out

	rm -rf ./* ../examples
	recording py313fpbuild-perfjit-fp
	without_libraries perf.data
	mkdir dumps ../examples
	cp jit-1195.dump dumps
	cp "$TESTDATA/broken/jit-77.dump" .
	perl "$ORACLES/examples.pl" "$path" ../examples
	mandoc -Tutf8 -O width=1000 "$path" | perl -pe '1 while s/.\x08//g' >../rendered
	lost=
	for file in ../examples/*.line; do
		[ ! -e "$file" ] || grep -qFf "$file" ../rendered || lost="$lost $(cat "$file")"
	done
	is "$page: examples are shown as they stand there" "$lost" ''
	line=
	for file in ../examples/*; do
		[ ! -e "$file" ] || example "$page" "$file"
	done
	sed -n 's/^\.[PQ]q* *Q*l* *\(perfjit-[a-z]* .*--.*\)/\1/p' "$path" | tr -d '"' >../named
	unknown=
	while read -r name words; do
		"$name" --help >../help
		for option in $(echo "$words" | grep -o -e '--[a-z][a-z-]*'); do
			grep -q -e " $option\([ =[]\|$\)" ../help || unknown="$unknown $name $option"
		done
	done <../named
	is "$page: commands in the text have such options" "$unknown" ''

	case $page in
	perfjit*) at_least "$page has examples" "$(ls ../examples | wc -l)" 7 ;;
	esac
	case $page in
	perfjit-dump.1)	at_least "and shows output" "$(ls ../examples/*.block | wc -l)" 4 ;;
	esac
done
done_testing
