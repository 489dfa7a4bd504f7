#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# DSOs in perf's build-id cache: perf finds them there when the folder is gone, and packs them.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

recording py313fpbuild-perfjit-fp
succeeds "fix" perfjit-fix --buildid-cache perf.data
out_has "says how many are new" "^Cached    186 new DSOs in $HOME/.debug\$"
succeeds "fix once more" perfjit-fix --buildid-cache perf.data
out_has "adds none" '^Cached    0 new DSOs'

is "a link for each" "$(find "$HOME/.debug/.build-id" -type l | wc -l)" 186
is "to a file" "$(find -L "$HOME/.debug/.build-id" -name elf -type f | wc -l)" 186
cat perf.fixed.data.jit/* | cksum >../expected
for dso in perf.fixed.data.jit/*; do
	cat "$HOME/.debug$PWD/$dso"/*/elf
done | cksum >../got
same_file "the same content" ../got ../expected

run perf buildid-list -i perf.fixed.data
is "the profile knows their build-ids" "$(grep -c perf.fixed.data.jit ../out)" 186
run perf buildid-cache -l
is "perf lists them" "$(grep -c perf.fixed.data.jit ../out)" 186

rm -r perf.fixed.data.jit
names_all perf.fixed.data 3500 jit-1195.dump

recording py313fpbuild-perfjit-fp 2>/dev/null
succeeds "another folder" perfjit-fix -q --buildid-cache="$PWD/cache/deep" perf.data
is "is made" "$(find cache/deep/.build-id -type l | wc -l)" 186
run perfjit-fix --buildid-cache=relative perf.data
exits 2 "it is an absolute path"
mkdir file && : >file/x
run perfjit-fix -q --buildid-cache="$PWD/file/x" perf.data
exits 4 "a file is no folder"
err_has "says so" 'build-id cache: Not a directory'
done_testing
