#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --perf-abi: what older perfs are to read. testdata/matrix/abi shows that they do.
. "$(dirname "$0")/tap.sh"

# attr_size FILE: of each event, as the header has it: with 16 bytes for the place of its ids
attr_size()
{
	od -A n -t u8 -j 16 -N 8 "$1" | tr -d ' '
}

# records TYPE FILE: how many of that type a seekable file has
records()
{
	perl -e 'my ($type, $path) = @ARGV;
		open my $in, "<:raw", $path or die; local $/; my $bytes = <$in>;
		my ($at, $size) = unpack "Q2", substr $bytes, 40, 16;
		my ($end, $count) = ($at + $size, 0);
		while ($at < $end) {
			my ($this, undef, $length) = unpack "LSS", substr $bytes, $at, 8;
			$count++ if $this == $type;
			$at += $length;
		}
		die if $at != $end;
		print $count' "$1" "$2"
}

cp "$TESTDATA/recordings/7.3-fp.data" perf.data
is "perf 7.3 recorded attrs of 144 bytes" "$(attr_size perf.data)" 160

for abi in auto 5.10 6.1 6.12.3; do
	run perfjit-fix -q --perf-abi=$abi -o $abi.data perf.data
	exits 6 "--perf-abi=$abi"
	is "  attrs of 96 bytes" "$(attr_size $abi.data)" 112
	succeeds "  strip" perfjit-fix -q --strip -o back.data $abi.data
	same_file "  the input is back" back.data perf.data
	rm back.data
done
run perfjit-fix -q -o default.data perf.data
exits 6 "without --perf-abi"
same_file "  is auto" default.data auto.data
run perfjit-fix -q --perf-abi=keep -o keep.data perf.data
exits 6 "--perf-abi=keep"
is "  attrs as they were" "$(attr_size keep.data)" 160
for abi in auto keep 6.1 6.12.3; do
	is "FINISHED_INIT is there with $abi" "$(records 82 $abi.data)" 1
done
is "  and not for perf 5.10" "$(records 82 5.10.data)" 0
done_testing
