#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# jitdump-swap.pl DUMP: prints a little-endian dump as a big-endian machine would have written it.
# Code stays as it is.
use strict;
use warnings;

# What a record's body begins with: 4 bytes, 8 bytes; LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO.
my @layouts = ('VVQ<4', 'VVQ<5', 'Q<2', '', 'Q<3');

sub swap
{
	my ($layout, $data) = @_;
	my $size = length pack $layout, (0) x 9;
	(my $big = $layout) =~ tr/V</N>/;

	return pack($big, unpack $layout, $data) . substr $data, $size;
}

sub swap_rows
{
	my ($count, $data) = @_;
	my $rows = '';

	for (1 .. $count) {
		my $nul = index $data, "\0", 16;

		$rows .= swap('Q<VV', substr $data, 0, $nul + 1);
		$data = substr $data, $nul + 1;
	}
	return $rows . $data;
}

open my $file, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
local $/;
my $dump = <$file>;
binmode STDOUT;
print swap('VVVVVVQ<Q<', substr $dump, 0, 40);
for (my $at = 40; $at + 16 <= length $dump;) {
	my ($id, $size) = unpack 'V V', substr $dump, $at, 8;
	my $body = substr $dump, $at + 16, $size - 16;
	my $swapped = swap($layouts[$id], $body);

	substr($swapped, 16) = swap_rows(unpack('x8 Q<', $body), substr $body, 16) if $id == 2;
	print swap('VVQ<', substr $dump, $at, 16), $swapped;
	$at += $size;
}
