#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# README: its commands work as they stand there, and what it shows is what is printed.
. "$(dirname "$0")/tap.sh"
export TESTDATA

readme=$SRCDIR/README
PATH=$SRCDIR/cmd/tests/stand-in:$PATH

# Displayed lines, those that end in "\" with the next.
displayed()
{
	sed -n 's/^    //p; /^[^ ].*perf record/p' "$readme" | sed -e ':more' -e '/\\$/ { N; s/\\\n *//; b more' -e '}'
}

# ---- before and after

"$SRCDIR/cmd/demo/demo" ../demo >../demo.out 2>../err
ok $? "the demo works" || tell ../err
awk '$2 == "0.00%" { $2 = ""; $0 = $0; $1 = $1; print }' ../demo.out >../out
displayed | grep '^[0-9.]*%' | tr -s ' ' >../shown
at_least "README shows lines of a report" "$(wc -l <../shown)" 6
while read -r line; do
	grep -q -x -F -e "$line" ../out
	ok $? "the demo prints $line"
done <../shown

# ---- commands

unset MAKEFLAGS MAKELEVEL MFLAGS BUILD
displayed | sed -n 's/^\(make [a-z ]*[a-z]\)   .*/\1/p; s/^\(make [a-z -]*\)$/\1/p' >../makes
at_least "README tells what to make" "$(wc -l <../makes)" 3
while read -r line; do
	run sh -c "cd '$SRCDIR' && $(echo "$line" | sed 's/make /make -n /')"
	exits 0 "$line: there are such targets"
done <../makes

displayed | grep -o '\([A-Z][A-Za-z_]*=[^ ]* \)*perf record -k .*' >../records
at_least "README tells how to record" "$(wc -l <../records)" 8
while read -r line; do
	run sh -c "$line"
	exits 0 "$line"
done <../records
rm -f ./*

displayed | sed -n '/^perf record.*node/,/^perf report/p' >../use
at_least "and what to do then" "$(wc -l <../use)" 3
run sh -e ../use
exits 0 "these commands work"
out_has "and show names" 'JS:'
sed -n '/^    Read /,/^    Next /p' "$readme" | sed 's/^    //; s/([0-9.]* [kM]B)/(SIZE)/g' >../shown
sed -n '/^Read /,/^Next /p' ../out | sed 's/([0-9.]* [kM]B)/(SIZE)/g' >../said
mv ../said ../out
out_is "the summary is that of README" <../shown

displayed | grep -e '^\(perf\|make\|sudo\|apt\|git\|sh\|[A-Z_]*=\)' |
	grep -v -F -f ../makes -f ../records -f ../use |
	grep -v -x 'apt install ./build/deb/perfjit-fix_[*].deb' >../out # check-deb does that, below a folder
out_is "nothing else is to be typed" </dev/null

# what is named in the text runs in the folder with that recording
tr '\n' ' ' <"$readme" | grep -o '`perfjit-[^`]*`' | tr -d '`' >../named
at_least "README names commands" "$(wc -l <../named)" 6
while read -r line; do
	case $line in *FILE*) line=$(echo "$line" | sed "s/FILE/$(echo jit-*.dump)/") ;; esac
	case $line in perfjit-fix\ --strip) line="$line perf.fixed.data -o stripped.data" ;; esac
	run sh -c "$line"
	case $line in perfjit-doctor*) [ "$status" -le 1 ]; ok $? "$line" ;;
	*)	exits 0 "$line" ;; esac
done <../named

# ---- when it does not work

run perfjit-fix --force -o none.data "$TESTDATA/recordings/6.1-fp.data"
exits 6 "a profile without jitdump"
err_has "says what README quotes" 'no jitdump is mapped in this profile'
rm jit-*.dump
run perfjit-fix --force perf.data
exits 5 "a jitdump that is gone"
err_has "says what README quotes" 'jitdump of pid .* not found'
for quoted in 'no jitdump is mapped in this profile" (exit code 6)' 'jitdump of pid ... not found" (exit code 5)' \
	'in executable memory that no jitdump describes"'; do
	grep -q -F -e "$quoted" "$readme"
	ok $? "README quotes $quoted"
done
done_testing
