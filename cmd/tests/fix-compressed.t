#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles with compressed records: they stay compressed, unless an older perf is to read them.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# types PROFILE TYPE: how many records of the type there are; the walk knows nothing but sizes
types()
{
	perl -e '
		local $/;
		open my $file, "<:raw", $ARGV[0] or die;
		my $bytes = <$file>;
		my ($at, $end, $count) = (16, length $bytes, 0);
		($at, $end) = unpack "x40 Q<2", $bytes if unpack("x8 Q<", $bytes) != 16;
		$end += $at if $at != 16;
		while ($at < $end) {
			my ($type, $size) = unpack "L< x2 S<", substr $bytes, $at, 8;
			$count++ if $type == $ARGV[1];
			$at += $size;
		}
		print "$count\n"' "$1" "$2"
}

for name in zstd-6.1 zstd-7.3 zstd-pipe-6.1 zstd-pipe-7.3; do
	form $name
	type=81 least=1500
	case $name in
	*-7.3)	type=83 ;;
	esac
	# of stacks without the program that ran below the code, perf unwinds the innermost frames only
	[ $name != zstd-7.3 ] || least=200
	succeeds "$name: fix" perfjit-fix -q --jitdump-dir=. perf.data
	at_least "$name: has compressed records" "$(types perf.data $type)" 1
	is "$name: they stay" "$(types perf.fixed.data $type)" "$(types perf.data $type)"

	succeeds "$name: fix for perf 5.10" perfjit-fix -q --jitdump-dir=. --perf-abi=5.10 -o old.data perf.data
	is "$name: none is left" "$(types old.data 81) $(types old.data 83)" '0 0'
	grep -a -c "/jit-[0-9]*\.dump" old.data >../count
	is "$name: no jitdump for perf inject is left either" "$(cat ../count)" 0
	run grep -a "/tmp/perfjit-forms/jit-[0-9]*\.done" old.data
	exits 0 "$name: it is there by another name"
	for profile in perf.fixed.data old.data; do
		succeeds "$name: strip $profile" perfjit-fix -q --strip -o back.data $profile
		same_file "$name: gives what was recorded" back.data perf.data
		rm back.data
	done
	frames old.data jit-*.dump
	at_least "$name: perf names frames" "$frames_right" $least
	is "$name: all of them" "$frames_right $frames_wrong" "$frames_described 0"
	rm -rf ./*
done

# What perf inject has written has no journal any more, and the jitdump's name is still in it.
form zstd-6.1
succeeds "fix" perfjit-fix -q --jitdump-dir=. perf.data
succeeds "perf inject" perf inject -i perf.fixed.data -o injected.data
succeeds "fix again" perfjit-fix -q --jitdump-dir=. -o again.data injected.data
frames again.data jit-*.dump
at_least "perf names frames" "$frames_right" 1500
is "all of them" "$frames_right $frames_wrong" "$frames_described 0"
done_testing
