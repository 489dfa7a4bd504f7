#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# jitdump-names.pl DUMP...: prints for each JIT_CODE_LOAD a line of pid, time, address, size and
# name, with tabs between. A parser of its own, after jitdump-specification.txt of Linux: tests
# compare with it what perf says about our output.
use strict;
use warnings;
no warnings 'portable';

binmode STDOUT;
for my $path (@ARGV) {
	open my $file, '<:raw', $path or die "$path: $!\n";
	local $/;
	my $dump = <$file>;
	next if !length $dump;
	my $magic = unpack 'L<', $dump;
	my $e = $magic == 0x4A695444 ? '<' : $magic == 0x4454694A ? '>' : die "$path: no jitdump\n";
	my $at = unpack "x8 L$e", $dump;
	while ($at + 16 <= length $dump) {
		my ($id, $size, $time) = unpack "L$e L$e Q$e", substr $dump, $at, 16;
		last if $size < 16 || $at + $size > length $dump;
		if ($id == 0) {
			my $body = substr $dump, $at + 16, $size - 16;
			my ($pid, undef, undef, $addr, $code_size, undef, $name) =
				unpack "L$e L$e Q$e Q$e Q$e Q$e Z*", $body;
			printf "%d\t%d\t%x\t%x\t%s\n", $pid, $time, $addr, $code_size, $name;
		}
		$at += $size;
	}
}
