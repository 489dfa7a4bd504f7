#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What can go wrong: the exit code, a message that says what to do, nothing half-written.
. "$(dirname "$0")/tap.sh"

recorded='perf.data jit-1195.dump nest.py'

# no jitdump
cp "$TESTDATA/recordings/6.1-fp.data" none.data
run perfjit-fix none.data
exits 6 "no jitdump"
err_has "says so" '^perfjit-fix: error: none.data: no jitdump is mapped in this profile'
out_has "and what tells why" '^Next      perfjit-doctor none.fixed.data$'
holds "gives a copy" none.data none.fixed.data
succeeds "that is the input again" perfjit-fix -q --strip -o back.data none.fixed.data
same_file "byte for byte" none.data back.data
rm -f none.fixed.data back.data
run perfjit-fix --require-jit none.data
exits 6 "no jitdump, and one required"
holds "gives no copy" none.data
rm -rf ./*

# missing dump
recording py313fpbuild-perfjit-fp
mv jit-1195.dump ../elsewhere.dump
# a path that no machine has
LC_ALL=C sed -i "s#/tmp/jit-1195.dump#/n/a/jit-1195.dump#" perf.data
run perfjit-fix perf.data
exits 5 "missing dump"
err_has "says which, and what to do" \
	'warning: /n/a/jit-1195.dump: jitdump of pid 1195 not found.*--jitdump=1195=FILE'
out_has "counts it" '1 missing'
run perfjit-fix --jitdump=1195=../elsewhere.dump perf.data
exits 0 "named by hand"
err_is "nothing is missing" </dev/null
out_has "its functions are named" '^Functions 186 named'
run perfjit-fix --jitdump=../elsewhere.dump perf.data
exits 0 "named by hand, the dump says the pid"
mkdir dumps && mv ../elsewhere.dump dumps/jit-1195.dump
run perfjit-fix --jitdump-dir=dumps perf.data
exits 0 "its folder named by hand"
mkdir -p root/n/a && mv dumps/jit-1195.dump root/n/a
run perfjit-fix --root=root perf.data
exits 0 "below the root of a container"
out_has "its functions are named" '^Functions 186 named'
rm -rf ./*

# a record without a size, in a file and in a pipe
for name in 6.1-fp 6.1-pipe; do
	perl -e 'local $/; open my $in, "<:raw", $ARGV[0]; $_ = <$in>;
		my ($at, $size) = unpack("x8 Q<") == 16 ? (16) : unpack "x40 Q<";
		for my $i (1 .. 30) { $at += unpack "x6 S<", substr $_, $at, 8 }
		substr $_, $at + 6, 2, "\0\0";
		open my $out, ">:raw", "damaged.data"; print $out $_' "$TESTDATA/recordings/$name.data"
	run perf script -i damaged.data
	is "$name: perf accepts no record without a size" "$((status != 0))" 1
	run perfjit-fix damaged.data
	exits 3 "$name: nor is it fixed"
	err_has "$name: says why" 'error: damaged.data: is damaged: no perf gets past the record'
	err_has "$name: says where" 'warning: damaged.data: at byte [1-9][0-9]*: a record.s size cannot be'
	holds "$name: nothing is written" damaged.data
	rm -rf ./*
done

# truncated dump
recording py313fpbuild-perfjit-fp
truncate -s 41000 jit-1195.dump
run perfjit-fix perf.data
exits 0 "truncated dump"
err_has "says so and where" 'warning: .*jit-1195.dump: at byte 4[0-9]*: '
out_has "the others are named" '^Functions 18[0-5] named'
: >jit-1195.dump
run perfjit-fix perf.data
exits 5 "empty dump"
err_has "says so" 'warning: ./jit-1195.dump: describes no function: JIT code of pid 1195 stays'
printf 'no jitdump at all, but long enough for a header of forty bytes' >jit-1195.dump
run perfjit-fix perf.data
exits 5 "a dump that is none"
err_has "says so" 'jit-1195.dump'
rm -rf ./*

# a machine that the process can't be of
recording py313fpbuild-perfjit-fp
perl -pi -e 'BEGIN { $/ = undef } substr $_, 12, 4, pack "V", 3' jit-1195.dump
run perfjit-fix perf.data
exits 0 "a dump that says it is of a 32-bit machine"
out_has "its functions are named" '^Functions 186 named'
rm -rf ./*

# the map's memory is made 4 GiB; in it functions overlap for 2 GiB
recording py313fpbuild-perfmap-fp
perl -pi -e 'BEGIN { $/ = undef } my $start = pack "Q<", 0x7fa09aacc000;
	s/(\Q$start\E)\0\0\x01\0{5}/$1 . pack "Q<", 1 << 32/e' perf.data
cp perf-1230.map short.map
for i in 0 1 2 3 4 5 6 7 8 9; do
	printf '%x f000000 huge%d\n' $((0x7fa09aacd000 + i * 0xe000000)) $i
done >>perf-1230.map
run perfjit-fix perf.data
exits 5 "code where no DSO can be"
err_has "says whose" 'warning: .*/perf-1230.map: code of pid 1230 at 0x7fa09aacc000-.* fits in no DSO: its [0-9]* functions stay unnamed'
out_has "counts it" '^Unnamed   [1-9][0-9]* functions where no DSO can be$'
is "does not say that all is named" "$(grep -c 'all now\|all named now' ../out)" 0
mv short.map perf-1230.map
printf '7fa09aacc500 c0000000 huge\n' >>perf-1230.map
run perfjit-fix perf.data
exits 0 "a function of 3 GiB costs itself"
err_has "says so" 'perf-1230.map: at byte .*more than 256 MiB'
out_has "the others are named" '^Functions 186 named'
rm -rf ./*

# no profile
printf 'this is no profile' >text
run perfjit-fix text
exits 3 "not a perf.data"
err_has "says so" '^perfjit-fix: error: text: '
run perfjit-fix none
exits 3 "no such file"
err_is "says so" <<EOT
perfjit-fix: error: none: can't open: No such file or directory
EOT
: >empty
run perfjit-fix empty
exits 3 "an empty file"
run perfjit-fix .
exits 3 "a folder that is no profile"
holds "nothing was written" text empty
rm -rf ./*

# output
recording py313fpbuild-perfjit-fp
run perfjit-fix --unwind --symfs=nowhere perf.data
exits 3 "a folder of files that is not there"
err_has "is said" 'error: nowhere: --symfs names no folder that can be looked into: No such file'
echo text >file
run perfjit-fix --perf-map=file perf.data
exits 4 "maps that can't be written"
is "are not said to be" "$(grep -c '^Maps' ../out)" 0
rm -f file perf.fixed.data
run perfjit-fix -o perf.data perf.data
exits 2 "output equal to input"
err_has "says what to do" 'perf.data: is the input: name another output with -o.*--in-place'
ln -s perf.data link
run perfjit-fix -o link perf.data
exits 2 "output equal to input by a symlink"
ln perf.data hard
run perfjit-fix -o hard perf.data
exits 2 "output equal to input by a hard link"
rm link hard
holds "nothing was written" $recorded
run perfjit-fix -o nowhere/out perf.data
exits 4 "output in a folder that is not there"
err_is "says so" <<EOT
perfjit-fix: error: nowhere/out: can't open the folder it is to be in: No such file or directory
EOT
echo text >text
# what others may not, for root is not possible
forbidden='Permission denied'
[ "$(id -u)" -ne 0 ] || forbidden='No such file or directory'
while read -r option of; do
	run perfjit-fix $option text
	exits 4 "$option"
	err_is "is said before anything is read" <<-EOT
		perfjit-fix: error: ${option#*[= ]}: $of
	EOT
done <<EOT
--output=nowhere/out can't open the folder it is to be in: No such file or directory
--output=/proc/out can't create: $forbidden
--dso-dir=nowhere/dsos can't make the folder: No such file or directory
--dso-dir=text can't open the folder: Not a directory
--perf-map=nowhere/maps can't make the folder: No such file or directory
EOT
run perfjit-fix --strip -o nowhere/out text
exits 4 "--strip too"
run perfjit-fix --dry-run -o nowhere/out perf.data
exits 0 "--dry-run is to write nothing"
run sh -c 'perfjit-fix -q -o nowhere/out - <text'
exits 4 "nor is a stream read"
rm text
run perfjit-fix -o . perf.data
exits 4 "output is a folder"
echo precious >out
run perfjit-fix -o out perf.data
exits 4 "output exists and is another's"
err_has "says what to do" 'error: out: exists and is not by perfjit-fix.*--force'
is "and is left alone" "$(cat out)" precious
holds "nothing else was written" $recorded out
succeeds "with --force" perfjit-fix -q --force -o out perf.data
succeeds "and once more without" perfjit-fix -q -o out perf.data
rm -rf out out.jit
echo precious >perf.fixed.data.jit
run perfjit-fix perf.data
exits 4 "the folder of DSOs is a file"
holds "nothing was written" $recorded perf.fixed.data.jit
rm perf.fixed.data.jit
run sh -c 'perfjit-fix perf.data >/dev/full'
exits 4 "the summary can't be written"
rm -rf perf.fixed.data perf.fixed.data.jit
run perfjit-fix -o '' perf.data
exits 2 "an empty name"
done_testing
