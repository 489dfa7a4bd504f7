#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# jitdump-records.pl DUMP: prints place, kind and size of each record, after
# jitdump-specification.txt of Linux.
use strict;
use warnings;

my @kinds = qw(LOAD MOVE DEBUG_INFO CLOSE UNWINDING_INFO);
open my $file, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
local $/;
my $dump = <$file>;
my $at = unpack 'x8 V', $dump;
while ($at + 16 <= length $dump) {
	my ($id, $size) = unpack 'V V', substr $dump, $at, 8;
	last if $size < 16 || $at + $size > length $dump;
	printf "%x %s %d\n", $at, $kinds[$id] // 'UNKNOWN', $size;
	$at += $size;
}
