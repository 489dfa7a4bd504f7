#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# cpython-aarch64.pl: writes jit-4242.dump, a dump as CPython 3.13.0 wrote it on aarch64, whose unwind table is
# wrong in the ways that https://github.com/python/cpython/issues/136541 names: what Python's
# assembler trampoline is, and the table that Python/perf_jit_trampoline.c made for it then.
use strict;
use warnings;
no warnings 'portable';

# stp x29, x30, [sp, #-16]!; mov x29, sp; blr x3; ldp x29, x30, [sp], #16; ret
my $code = pack 'V*', 0xa9bf7bfd, 0x910003fd, 0xd63f0060, 0xa8c17bfd, 0xd65f03c0;

# length, contents, padded by DW_CFA_nop so that all is a multiple of 8
sub entry
{
	my ($contents) = @_;

	$contents .= "\0" while (4 + length $contents) % 8;
	return pack('V', length $contents) . $contents;
}

# id 0, version 1, "zR", code alignment 1, data alignment -8, return address in x30, pcrel|sdata4;
# DW_CFA_def_cfa sp, 8 (should be 0); DW_CFA_offset x30, 1 (should not be there)
my $cie = entry(pack 'V C Z* C C C C C C C C C C', 0, 1, 'zR', 1, 0x78, 30, 1, 0x1b,
	0x0c, 31, 8, 0x80 | 30, 1);
# back to the CIE, where the code is by the layout on x86-64 (should be -0x38), its size, no
# augmentation; advance 4, CFA offset 16, x29 at c-16, x30 at c-8;
# advance 12, x29 and x30 restored, CFA offset 0
my $fde = entry(pack 'V l< V C C C C C C C C C C C C C', length($cie) + 4, -0x30, length $code, 0,
	0x40 | 4, 0x0e, 16, 0x80 | 29, 2, 0x80 | 30, 1,
	0x40 | 12, 0xc0 | 29, 0xc0 | 30, 0x0e, 0);
my $frame = $cie . $fde . pack 'V', 0;
my $hdr = pack 'C4 l< V l< l<', 1, 0x1b, 0x03, 0x3b, -length($frame), 1, -64, -length $fde;

sub record
{
	my ($id, $time, $body) = @_;

	return pack('V V Q<', $id, 16 + length $body, $time) . $body;
}

my $addr = 0xffff88a10000;
my $dump = pack 'V V V V V V Q< Q<', 0x4A695444, 1, 40, 183, 0, 4242, 5_000_000_000, 0;
my $nth = 0;
for my $name ('py::<module>:/home/you/app.py', 'py::outer:/home/you/app.py',
	      'py::leaf:/home/you/app.py') {
	my $time = 5_000_001_000 + 1000 * $nth;
	my $data = $frame . $hdr;

	$dump .= record(4, $time, pack('Q< Q< Q<', length $data, length $hdr,
		(length($data) + 15) & ~15) . $data);
	$dump .= record(0, $time, pack('V V Q< Q< Q< Q<', 4242, 4242, $addr, $addr, length $code,
		++$nth) . "$name\0$code");
	$addr += 288;
}
binmode STDOUT;
print $dump;
