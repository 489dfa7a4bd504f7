#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jitdumps as they may be handed over: packed, with holes, cut off; and where they are said to be.
. "$(dirname "$0")/tap.sh"

# peak: the memory in KiB that the last command under measure had resident at most
peak()
{
	cut -d ' ' -f 5 figures
}

recording py313fpbuild-perfjit-fp
cp jit-1195.dump ../whole.dump

for pack in "gzip -n" "zstd -q --rm"; do
	cp ../whole.dump jit-1195.dump
	$pack jit-1195.dump
	run perfjit-fix --json --force --jitdump="$(echo jit-1195.dump.*)" perf.data
	exits 0 "a dump packed by $pack"
	is "all functions of it are named" "$(json '$j->{functions}')" 186
	mv jit-1195.dump.* jit-1195.dump
	run perfjit-fix --json --force perf.data
	is "also where it has the name of the dump" "$(json '$j->{functions}')" 186
	run perfjit-dump --summary jit-1195.dump
	exits 0 "perfjit-dump reads it"
	rm jit-1195.dump
done

# four gigabytes of nothing behind the records, or between them
cp ../whole.dump jit-1195.dump
truncate -s 4G jit-1195.dump
run "$BUILD/bench/measure" figures 60 perfjit-fix -q --force perf.data
is "a hole behind all records" "$(cut -d ' ' -f 1 figures)" 0
at_least "takes no memory, nor minutes: KiB left of 512 MiB" "$((524288 - $(peak)))" 1
cp ../whole.dump jit-1195.dump
perl -e 'local $/; open my $in, "<:raw", "../whole.dump"; my $d = <$in>;
	open my $f, "+<:raw", "jit-1195.dump"; truncate $f, 20000;
	seek $f, 4 << 30, 0; print $f substr $d, 20000'
run "$BUILD/bench/measure" figures 60 perfjit-fix --json --force perf.data
is "a hole between the records" "$(cut -d ' ' -f 1 figures)" 0
at_least "takes neither: KiB left of 512 MiB" "$((524288 - $(peak)))" 1
at_least "what is behind it is found" "$(json '$j->{functions}')" 180
# the last record says that the hole is its code
cp ../whole.dump jit-1195.dump
perl -e 'open my $f, ">>:raw", "jit-1195.dump";
	print $f pack("L<2 Q<", 0, 0xfffffff0, 4287102336000),
		pack("L<2 Q<4 Z8", 1195, 1195, 0x7f0000000000, 0x7f0000000000, 0xffffff00, 999, "huge");
	truncate $f, 0xfffffff0 + -s "../whole.dump"'
run "$BUILD/bench/measure" figures 60 perfjit-fix --json --force perf.data
is "a function of four gigabytes" "$(cut -d ' ' -f 1 figures)" 0
at_least "is left out: KiB left of 512 MiB" "$((524288 - $(peak)))" 1
err_has "it says why" 'jit-1195.dump: at byte [0-9]*: .*more than 256 MiB of code'
is "the others are named" "$(json '$j->{functions}')" 186

# the last function lost its code, not what it is called
program packed
perl -e 'local $/; my ($name) = glob "jit-*.dump"; open my $f, "+<:raw", $name; my $d = <$f>;
	my ($at, $last) = unpack "x8 L<", $d;
	for (; $at < length $d; $at += unpack "x4 L<", substr $d, $at, 8) {
		$last = $at if !unpack "L<", substr $d, $at, 4;
	}
	truncate $f, $last + unpack("x4 L<", substr $d, $last, 8) - 1'
run perfjit-fix --json --jitdump-dir=. perf.data
err_has "a function that is cut off" 'the last function is cut off: its code is lost'
at_least "samples in its dump's code" "$(json '$j->{jit_samples}')" 100
is "is none of a perf map's" "$(json '$j->{jit_samples_perf_map}')" 0

# where there is nothing
recording py313fpbuild-perfjit-fp
for option in jitdump-dir perf-map-dir root; do
	for where in nowhere perf.data; do
		run perfjit-fix --$option=$where perf.data
		exits 3 "--$option=$where"
		err_has "is no folder" "error: $where: --$option names no folder"
	done
	run perfjit-fix --$option= perf.data
	exits 2 "--$option="
	err_has "wants a name" "^perfjit-fix: --$option wants a name: '' is none"
done
for file in '' 1195=; do
	run perfjit-fix --jitdump=$file perf.data
	exits 2 "--jitdump=$file"
	err_has "wants a name" "^perfjit-fix: --jitdump wants a name: '' is none"
done
for command in fix check doctor dump; do
	run perfjit-$command ''
	exits 2 "perfjit-$command ''"
	err_has "wants a name" "^perfjit-$command: FILE wants a name: '' is none"
done

# the current folder is gone
cp perf.data jit-1195.dump ..
mkdir gone
run sh -c 'cd gone && rmdir ../gone && exec perfjit-fix "$0"/../perf.data -o perf.fixed.data' "$PWD"
exits 4 "a folder that is gone is no place for an output"
err_has "says what to do" 'give absolute paths, or work in a folder that exists$'
mkdir gone
run sh -c 'cd gone && rmdir ../gone && exec perfjit-fix "$0"/../perf.data' "$PWD"
exits 0 "absolute paths are all right there"
done_testing
