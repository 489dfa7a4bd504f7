#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# perfdata-cut-chains.pl PROFILE BEGIN END: in the call chains of a profile of one event (sample_type
# IP, TID, TIME, PERIOD and CALLCHAIN or fewer), what stands behind the first address between BEGIN
# and END becomes PERF_CONTEXT_USER, which says nothing: as if code there had no frame pointer.
use strict;
use warnings;

my ($path, $begin, $end) = ($ARGV[0], hex $ARGV[1], hex $ARGV[2]);
open my $file, '+<:raw', $path or die "$path: $!";
my $data = do { local $/; <$file> };
my ($attrs) = unpack 'x24 Q<', $data;
my ($at, $size) = unpack 'x40 Q< Q<', $data;
my ($type) = unpack 'Q<', substr $data, $attrs + 24, 8;
# IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD stand before the chain; no READ
my $before = grep { $type & $_ } 1 << 16, 1, 2, 4, 8, 1 << 6, 1 << 9, 1 << 7, 1 << 8;
die 'no chains' unless $type & 1 << 5 and not $type & 1 << 4;
my ($stop, $cut) = ($at + $size, 0);
while ($at + 8 <= $stop) {
	my ($kind, undef, $length) = unpack 'L< S< S<', substr $data, $at, 8;
	if ($kind == 9) {
		my $chain = $at + 8 + 8 * $before;
		my $count = unpack 'Q<', substr $data, $chain, 8;
		my $in = 0;
		for my $i (1 .. $count) {
			my $ip = unpack 'Q<', substr $data, $chain + 8 * $i, 8;
			substr($data, $chain + 8 * $i, 8, pack 'Q<', ~0 - 511), $cut++ if $in;
			$in ||= $ip >= $begin && $ip < $end;
		}
	}
	$at += $length;
}
die 'nothing to cut' unless $cut;
seek $file, 0, 0;
print $file $data;
