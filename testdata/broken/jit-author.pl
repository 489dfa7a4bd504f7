#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# jit-author.pl: writes jit-77.dump, the dump of a small JIT for x86-64 as its author first had it.
# All functions are alike; the table is wrong in another way in each.
use strict;
use warnings;
no warnings 'portable';

# push rbp; mov rbp, rsp; push rbx; sub rsp, 24; call rdi; add rsp, 24; pop rbx; pop rbp; ret
my $code = pack 'H*', '55' . '4889e5' . '53' . '4883ec18' . 'ffd7' . '4883c418' . '5b' . '5d' . 'c3';

sub entry
{
	my ($contents) = @_;

	$contents .= "\0" while (4 + length $contents) % 8;
	return pack('V', length $contents) . $contents;
}

# "zR", code alignment 1, data alignment -8, return address in column 16, pcrel|sdata4;
# CFA = rsp+8, return address at c-8
my $cie = entry(pack 'V C Z* C C C C C C C C C C', 0, 1, 'zR', 1, 0x78, 16, 1, 0x1b,
	0x0c, 7, 8, 0x80 | 16, 1);

# behind push rbp: CFA offset 16, rbp at c-16; behind mov: CFA = rbp+16; behind push rbx: rbx at
# c-24; behind pop rbp: CFA = rsp+8
my @right = (0x40 | 1, 0x0e, 16, 0x80 | 6, 2, 0x40 | 3, 0x0d, 6, 0x40 | 1, 0x80 | 3, 3,
	0x40 | 12, 0x0c, 7, 8);
# without that for the push
my @no_push = (0x40 | 4, 0x0d, 6, 0x80 | 6, 2, 0x40 | 1, 0x80 | 3, 3, 0x40 | 12, 0x0c, 7, 8);

sub fde
{
	my ($back, @rows) = @_;

	return entry(pack 'V l< V C C*', length($cie) + 4, $back, length $code, 0, @rows);
}

sub record
{
	my ($id, $time, $body) = @_;

	return pack('V V Q<', $id, 16 + length $body, $time) . $body;
}

my $addr = 0x7f3a10000000;
my $dump = pack 'V V V V V V Q< Q<', 0x4A695444, 1, 40, 62, 0, 77, 5_000_000_000, 0;
my $nth = 0;
# .eh_frame is read as if it stood at the next multiple of 8 behind the code; the place of the
# code is counted from the field that says it
my $behind = (length($code) + 7 & ~7) + length($cie) + 8;
for (['sum', -$behind, @right], ['sort', -$behind, @no_push], ['join', -length($cie) - 8, @right]) {
	my ($name, @table) = @$_;
	my $frame = $cie . fde(@table) . pack 'V', 0;
	my $hdr = pack 'C4 l< V l< l<', 1, 0x1b, 0x03, 0x3b, -length($frame), 1, $table[0], -16;
	my $time = 5_000_001_000 + 1000 * $nth;
	my $data = $frame . $hdr;

	$dump .= record(4, $time, pack('Q< Q< Q<', length $data, length $hdr,
		(length($data) + 15) & ~15) . $data);
	$dump .= record(0, $time, pack('V V Q< Q< Q< Q<', 77, 77, $addr, $addr, length $code, ++$nth) .
		"$name\0$code");
	$addr += 256;
}
binmode STDOUT;
print $dump;
