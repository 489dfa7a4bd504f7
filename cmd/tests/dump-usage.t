#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line of perfjit-dump: wrong usage, help, colours, what it is given and who reads it.
. "$(dirname "$0")/tap.sh"

for arguments in --no-such-option 'a b' '--color=blue x' '--address= x' '--address=zz x' '--address=2-1 x' \
	'--address=1-2-3 x' '--time=1 x' '--time=2-1 x' '--time=x-1 x' '--pid=x x' '--pid=4294967296 x' \
	'--stats --summary x' '--header --code x' '--stats -x x' '--type' ''; do
	run perfjit-dump $arguments
	exits 2 "usage: $arguments"
	err_has "  says how to get help" "Try .perfjit-dump --help"
done

succeeds "--version" perfjit-dump --version
out_has "is a version" '^perfjit-dump [0-9]*\.[0-9]*\.[0-9]*$'
succeeds "--help" perfjit-dump --help

run perfjit-dump none
exits 3 "no such file"
err_has "  is said" "none: can't open: No such file"
echo 'some text' >text
run perfjit-dump text
exits 3 "a file of another kind"
err_has "  is said" 'text: is no perf.data file'
mkdir folder
run perfjit-dump folder
exits 3 "a folder that is no profile"

recording py313fpbuild-perfjit-fp
gzip -k jit-1195.dump
succeeds "a jitdump" perfjit-dump jit-1195.dump
sed 's/file="[^"]*"/file=""/' ../out >../plain
succeeds "the same packed" perfjit-dump jit-1195.dump.gz
sed 's/file="[^"]*"/file=""/' ../out >../packed
same_file "  is printed the same" ../plain ../packed
succeeds "the same on standard input" sh -c 'perfjit-dump - <jit-1195.dump'
sed 's/file="[^"]*"/file=""/' ../out >../stream
same_file "  is printed the same" ../plain ../stream
succeeds "a packed profile from a pipe" sh -c 'gzip -c perf.data | perfjit-dump --stats -'
sed 1d ../out >../stream
succeeds "is printed" perfjit-dump --stats perf.data
sed 1d ../out >../plain
same_file "  as the file is" ../plain ../stream
mkfifo pipe
cat jit-1195.dump >pipe &
succeeds "a jitdump from a named pipe" timeout 60 perfjit-dump --stats pipe
sed 1d ../out >../stream
wait
succeeds "is printed" perfjit-dump --stats jit-1195.dump
sed 1d ../out >../plain
same_file "  as the file is" ../plain ../stream
rm pipe
run sh -c 'perfjit-dump - <text'
exits 3 "standard input of another kind"
err_has "  is said of it by that name" '^perfjit-dump: error: -: is no perf.data'

succeeds "a reader that goes away" sh -c 'trap "" PIPE; perfjit-dump jit-1195.dump | true'
run sh -c 'trap "" PIPE; { perfjit-dump jit-1195.dump 2>../pipe.err; echo $? >../pipe.status; } | true'
is "is no failure" "$(cat ../pipe.status)" 0
[ ! -s ../pipe.err ]
ok $? "nor is anything said of it" || tell ../pipe.err
run sh -c 'perfjit-dump jit-1195.dump >/dev/full'
exits 4 "a full disk"
err_has "  is said" "can't write to standard output: No space left"

# nothing TYPE FILE: it has no function of a certain name; TYPE lists those it has
nothing()
{
	run perfjit-dump --function=NOPE "$2"
	exits 1 "$2: no function by that name"
	err_is "  is said, and what to do" <<-EOF
		perfjit-dump: error: $2: no function has a name that matches NOPE: 'perfjit-dump --type=$1 $2' lists them, and a pattern is for the whole name, as '*part*'
	EOF
	succeeds "  which" perfjit-dump "--type=$1" "$2"
	at_least "  does so" "$(grep -c ' name="' ../out)" 1
	succeeds "  and it has such" perfjit-dump --function="$3" "$2"
}

succeeds "DSOs" perfjit-fix -q perf.data
cp perf.fixed.data.jit/jit-1195-185-*.so dso.so
echo '1000 10 name' >perf-1.map
nothing load jit-1195.dump 'py::leaf:*'
nothing function dso.so 'py::*'
nothing entry perf-1.map 'na?e'
run perfjit-dump --function=NOPE --function=nor jit-1195.dump
exits 1 "several names, all of none"
err_has "  is said" 'matches any of the patterns: '
succeeds "one of two that is there" perfjit-dump --function=NOPE '--function=py::leaf:*' jit-1195.dump
for arguments in '--type=move jit-1195.dump' '--pid=1 jit-1195.dump' '--address=1 dso.so' '--address=1-2 perf-1.map' \
	'--time=1-2 perf.data' '--type=aux perf.data' '--function=py::leaf:* --pid=1 jit-1195.dump'; do
	run perfjit-dump $arguments
	exits 1 "nothing by $arguments"
	err_has "  is said" "nothing in it is what the options select: 'perfjit-dump --stats ${arguments##* }'"
done
succeeds "a count of none is an answer" perfjit-dump --stats --type=aux perf.data
out_has "  that is given" 'records=0'
succeeds "the header is there whatever is selected" perfjit-dump --header --function=NOPE jit-1195.dump

run perfjit-dump --color=always --type=close jit-1195.dump
run perfjit-dump --color=always --summary jit-1195.dump
out_has "colours when asked for" "$(printf '\033')\["
run perfjit-dump --summary jit-1195.dump
is "none when it is no terminal" "$(grep -c "$(printf '\033')" ../out)" 0
run perfjit-dump --json --color=always jit-1195.dump
is "none in JSON" "$(grep -c "$(printf '\033')" ../out)" 0
done_testing
