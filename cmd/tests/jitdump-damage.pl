#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# jitdump-damage.pl DUMP CHANGE: prints the dump with CHANGE, perl code, done to every unwinding
# record: to $frame, its .eh_frame, and $hdr, its .eh_frame_hdr, for the code of $addr and $size.
# After jitdump-specification.txt of Linux. Says on standard error how many are no longer the same.
use strict;
use warnings;

my $change = eval "sub { my (\$addr, \$size, \$frame, \$hdr) = \@_; $ARGV[1]; \$frame . \$hdr }" or die $@;
open my $file, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
binmode STDOUT;
local $/;
my $dump = <$file>;
my $at = unpack 'x8 V', $dump;
my ($unwinding, $changed) = (undef, 0);
while ($at + 16 <= length $dump) {
	my ($id, $size) = unpack 'V V', substr $dump, $at, 8;
	if ($id == 4) {
		$unwinding = $at;
	} elsif ($id == 0 && defined $unwinding) {
		my ($all, $hdr) = unpack 'x16 Q< Q<', substr $dump, $unwinding, 40;
		my $table = substr $dump, $unwinding + 40, $all;
		my $new = $change->(unpack('x32 Q< Q<', substr $dump, $at, 48),
			substr($table, 0, $all - $hdr), substr($table, $all - $hdr));

		die "not of the size before\n" if length $new != $all;
		$changed += $new ne $table;
		substr($dump, $unwinding + 40, $all) = $new;
		undef $unwinding;
	}
	$at += $size;
}
print $dump;
print STDERR "$changed\n";
