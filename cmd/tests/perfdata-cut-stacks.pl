#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# perfdata-cut-stacks.pl PROFILE BYTES: makes the copies of stacks in a profile of one event, with
# stacks and without READ, RAW and BRANCH_STACK, so short, as if recorded with
# --call-graph dwarf,BYTES. What is over becomes FINISHED_ROUND records of 8 bytes.
use strict;
use warnings;

my ($path, $keep) = @ARGV;
open my $file, '+<:raw', $path or die "$path: $!";
my $data = do { local $/; <$file> };
my ($attrs) = unpack 'x24 Q<', $data;
my ($at, $size) = unpack 'x40 Q< Q<', $data;
my ($stop, $cut) = ($at + $size, 0);
my ($type, $registers) = unpack 'x24 Q< x48 Q<', substr $data, $attrs, 96;
# IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD stand before the chain
my $before = grep { $type & $_ } 1 << 16, 1, 2, 4, 8, 1 << 6, 1 << 9, 1 << 7, 1 << 8;
my $values = unpack '%32b*', pack 'Q<', $registers;
die 'other fields' if $type & (1 << 4 | 1 << 10 | 1 << 11);
while ($at + 8 <= $stop) {
	my ($kind, undef, $length) = unpack 'L< S< S<', substr $data, $at, 8;
	if ($kind == 9) {
		my $chain = $at + 8 + 8 * $before;
		my $regs = $chain + 8 + 8 * unpack 'Q<', substr $data, $chain, 8;
		my $abi = unpack 'Q<', substr $data, $regs, 8;
		my $stack = $regs + 8 + ($abi ? 8 * $values : 0);
		my $room = unpack 'Q<', substr $data, $stack, 8;
		if ($room > $keep) {
			my $end = $at + $length;
			my $tail = substr $data, $stack + 16 + $room, $end - $stack - 16 - $room;
			my $new = pack('Q<', $keep) . substr($data, $stack + 8, $keep) .
				pack('Q<', $keep) . $tail;
			my $over = $end - $stack - length $new;
			substr $data, $stack, $end - $stack,
				$new . pack('L< S< S<', 68, 0, 8) x ($over / 8);
			substr $data, $at + 6, 2, pack 'S<', $length - $over;
			$cut++;
		}
	}
	$at += $length;
}
die 'nothing to cut' unless $cut;
substr $data, $attrs + 88, 4, pack 'L<', $keep;
seek $file, 0, 0;
print $file $data;
