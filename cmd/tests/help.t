#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What --help, the synopsis and the text of a man page tell of options, their arguments and exit
# codes is the same for each command.
. "$(dirname "$0")/tap.sh"

# Reads text in which each option begins a line, "  -o, --output=FILE"; prints them so, a line each.
options()
{
	sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*[^ ]*\).*/\1\2/p' | tr '[:lower:]' '[:upper:]' |
		LC_ALL=C sort
}

# page COMMAND: its man page as people see it, a paragraph a line, without bold and underlined
page()
{
	mandoc -Tascii -Owidth=500 "$SRCDIR/man/$1.1" | perl -pe 's/.\x08//g'
}

# section NAME: of the man page on standard input
section()
{
	awk -v name="$1" '/^[A-Z]/ { in_it = $0 == name; next } in_it'
}

codes()
{
	grep -o '^[0-9]' | tr '\n' ' '
}

for path in "$BUILD"/perfjit-*; do
	command=${path##*/}
	case $command in *.*) continue ;; esac
	run "$command" --help
	exits 0 "$command --help"
	cp ../out ../help
	is "has no blanks at ends of lines" "$(grep -c ' $' ../help)" 0
	is "nor lines of more than 80 columns" "$(grep -c '.\{81\}' ../help)" 0
	options <../help >../out
	at_least "$command has options" "$(wc -l <../out)" 10
	page "$command" >../page
	section DESCRIPTION <../page | sed -n '/^     -/p' | options >../told
	out_is "the page tells of the same, with the same arguments" <../told

	section SYNOPSIS <../page >../synopsis
	sed 's/[=[].*//' ../told | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort >../all
	grep -o -e '--[a-z-]*' ../synopsis | LC_ALL=C sort -u >../named
	is "its synopsis names no others" "$(sed 's/.* //' ../all | sort | comm -23 ../named -)" ''
	unnamed=
	while read -r short long; do
		case $short in
		-\?,)	continue ;;
		--usage) continue ;;
		-v,)	[ "$long" != --version ] || continue ;;
		--*)	long=$short short= ;;
		esac
		grep -q -x -e "$long" ../named && continue
		letter=${short#-} letter=${letter%,}
		[ -n "$letter" ] && grep -q -e "\[-[a-z]*$letter" ../synopsis && continue
		unnamed="$unnamed $long"
	done <../all
	head -n 1 ../synopsis | grep -q '\[option \.\.\.\]' || is "and all of them" "$unnamed" ''

	sed -n '/^Exit status:/,$p' ../help | tr '\n' ' ' |
		sed 's/Exit status: //; s/\([,;]\|demands\) \([0-9]\) /\n\2 /g' | codes >../in-help
	section 'EXIT STATUS' <../page | sed 's/^ *//' | codes >../in-page
	at_least "exit codes are told" "$(wc -w <../in-help)" 5
	is "the same in the page" "$(cat ../in-page)" "$(cat ../in-help)"
done
done_testing
