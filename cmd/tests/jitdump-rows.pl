#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# jitdump-rows.pl DUMP: prints for each entry of JIT_CODE_DEBUG_INFO a line of the record's place,
# address, line, discriminator and file, after jitdump-specification.txt of Linux.
use strict;
use warnings;

open my $file, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
local $/;
my $dump = <$file>;
my $at = unpack 'x8 V', $dump;
while ($at + 16 <= length $dump) {
	my ($id, $size) = unpack 'V V', substr $dump, $at, 8;
	last if $size < 16 || $at + $size > length $dump;
	if ($id == 2) {
		my (undef, $count) = unpack 'Q< Q<', substr $dump, $at + 16, 16;
		my $entries = substr $dump, $at + 32, $size - 32;

		for (1 .. $count) {
			my ($addr, $line, $discriminator, $name) = unpack 'Q< V V Z*', $entries;

			printf "%d\t0x%x\t%d\t%d\t%s\n", $at, $addr, $line, $discriminator, $name;
			$entries = substr $entries, 17 + length $name;
		}
	}
	$at += $size;
}
