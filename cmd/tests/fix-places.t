#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs and outputs that are no files, and places where there can be none. What waits or goes on
# without end is ended by timeout, with 124.
. "$(dirname "$0")/tap.sh"

recording py313fpbuild-perfjit-fp
recorded='perf.data jit-1195.dump nest.py'

run timeout 60 perfjit-fix -o out /dev/zero
exits 3 "a stream that is no profile and has no end"
run sh -c 'yes | timeout 60 perfjit-fix -o out -'
exits 3 "and as standard input"
run sh -c '{ head -c 8 perf.data; sleep 1; tail -c +9 perf.data; } | perfjit-fix -q -o out -'
exits 0 "a stream that comes in pieces"
rm -rf out out.jit

mkfifo fifo
run timeout 60 perfjit-fix -o fifo perf.data
exits 4 "a FIFO is no output"
err_has "says what to do" 'error: fifo: is neither a file nor a folder: name another output with -o'
run timeout 60 perfjit-fix --force -o fifo perf.data
exits 4 "nor with --force"
[ -p fifo ]
ok $? "and is still there"
ln -s fifo link
run timeout 60 perfjit-fix --force -o link perf.data
exits 4 "nor by a symlink"
run timeout 60 perfjit-fix -o /dev/full perf.data
exits 4 "nor is a device"
cat perf.data >fifo &
run timeout 60 perfjit-fix --in-place fifo
exits 4 "a FIFO can't be replaced"
err_has "says what to do" 'error: fifo: .* leave --in-place out'
wait
rm fifo link
run perfjit-fix --in-place /dev/stdin
exits 2 "nor can standard input under its other name"
run sh -c 'cat perf.data | perfjit-fix /dev/stdin | cat >&2'
err_has "which gives a stream, as - does" 'was recorded to a file, and perf reads such from files'
run perfjit-fix -o new/ perf.data
exits 4 "a folder that is not there is no output"
err_has "says what to do" 'error: new/: is the name of a folder: name a file with -o'
run perfjit-fix -o new/out perf.data
exits 4 "nor is a file in it"
err_has "says why" "error: new/out: can't open the folder it is to be in: No such file"
run perfjit-fix --dso-dir= perf.data
exits 2 "a folder of DSOs without a name"
run perfjit-fix "--relocate=/$(printf '%04096d' 0)" perf.data
exits 2 "a folder whose files perf could not open"
holds "nothing was written" $recorded

# ---- one place by several names: records name DSOs in one way

run perfjit-fix -q -o out perf.data
exits 0 "an output beside the profile"
cp out ../expected
mkdir sub
for named in ./out .//out "$PWD/./out" "$PWD//out"; do
	run perfjit-fix -q -o "$named" perf.data
	exits 0 "the same by $named"
	cmp -s out ../expected
	ok $? "gives the same"
done
run perfjit-fix -q -o out --dso-dir=./out.jit/ perf.data
exits 0 "a folder with a slash behind it"
cmp -s out ../expected
ok $? "gives the same"
run perfjit-fix -q -o out --dso-dir=sub/../out.jit perf.data
exits 0 "a folder by way of another"
perf script --show-mmap-events -i out 2>../err | grep -q "$PWD/sub/../out.jit/jit-"
ok $? "may be a link's target: is as it was named"
rm -rf out out.jit sub

mkdir gone
run sh -c 'cd gone && rmdir ../gone && perfjit-fix -o ../out "$OLDPWD/perf.data"'
exits 4 "a current folder that was removed"
err_has "says what to do" "the current folder can't be told .*: give absolute paths"
run sh -c 'mkdir gone; cd gone; rmdir ../gone; perfjit-fix -o "$OLDPWD/out" "$OLDPWD/perf.data"'
exits 0 "does not matter with absolute paths"
rm -rf out out.jit

# behind what is wrapped
{ gzip -c perf.data; echo rest; } >perf.data.gz
{ zstd -qc perf.data; zstd -qc </dev/null; echo rest; } >perf.data.zst
for name in perf.data.gz perf.data.zst; do
	rm -rf out out.jit
	run perfjit-fix -o out $name
	exits 0 "$name: what stands behind is ignored"
	err_has "$name: and told" "warning: $name: at byte [1-9][0-9]*: 5 bytes behind what is wrapped"
	out_has "$name: functions are named" '^Functions 186 named'
done
rm -rf out out.jit
done_testing
