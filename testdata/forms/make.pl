#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# make.pl aux|branches: what no machine at hand can record, made of plain-5.10 in this folder, after
# perf.data-file-format.txt and perf_event.h of Linux.
#	aux	data of a trace unit (Intel BTS, no branches) in three records, the first before all
#		others, and an index of their places in the file
#	branches	each sample has a branch stack, which alone tells of the functions java16_0 to java25_0
use strict;
use warnings;
no warnings 'portable';
use File::Basename;

my $here = dirname($0);

sub unpacked { my ($name) = @_; open my $in, '-|', "gzip -dc $name" or die; local $/; binmode $in; return scalar <$in> }

my $bytes = unpacked("$here/plain-5.10/perf.data.gz");
my ($data_at, $data_size) = unpack 'x40 Q<2', $bytes;
my @bits = split //, unpack 'x72 b256', $bytes;
my @records;
for (my $at = $data_at; $at < $data_at + $data_size;) {
	my $size = unpack 'x6 S<', substr $bytes, $at, 8;
	push @records, substr $bytes, $at, $size;
	$at += $size;
}
my (%features, $table);
$table = $data_at + $data_size;
for my $bit (grep { $bits[$_] } 0 .. 255) {
	my ($at, $size) = unpack 'Q<2', substr $bytes, $table, 16;
	$features{$bit} = substr $bytes, $at, $size;
	$table += 16;
}
my $head = substr $bytes, 0, $data_at;

sub aux {
	my ($i) = @_;
	my $data = "\0" x 48;
	# the last holds what looks like a record of no size
	$data = pack('L< S< S<', 9, 0, 0) x 6 if $i == 2;
	return pack('L< S< S< Q<3 L<4', 71, 0, 48, length $data, 48 * $i, 0x100 + $i, 0, 0, 0, 0) . $data;
}

if ($ARGV[0] eq 'aux') {
	my $middle = int(@records / 2);
	my $info = pack 'L< S< S< L<2 Q<8', 70, 0, 80, 2, 0, 100, 0, 1, (0) x 5;
	splice @records, $middle, 0, aux(1);
	@records = ($info, aux(0), @records, aux(2));
	my ($at, @index) = ($data_at);
	for (@records) {
		push @index, pack 'Q<2', $at, 48 if unpack('L<', $_) == 71;
		$at += length;
	}
	$features{18} = pack('Q<', scalar @index) . join '', @index;
} else {
	my @loads;
	my ($dump) = glob "$here/plain-5.10/jit-*.gz";
	open my $names, '-|', "gzip -dc $dump >/tmp/make.$$ && perl $here/../../cmd/tests/jitdump-names.pl /tmp/make.$$; rm /tmp/make.$$";
	while (<$names>) {
		my (undef, $time, $addr, $size, $name) = split /\s+/;
		push @loads, hex $addr if $name =~ /::java(1[6-9]|2[0-5])_/;
	}
	die "no such functions\n" if @loads < 10;
	my ($attrs_at) = unpack 'x24 Q<', $bytes;
	my $type = unpack 'Q<', substr $head, $attrs_at + 24, 8;
	substr $head, $attrs_at + 24, 8, pack 'Q<', $type | 1 << 11;
	# PERF_SAMPLE_BRANCH_USER and _ANY
	substr $head, $attrs_at + 72, 8, pack 'Q<', 1 | 1 << 3;
	my $n = 0;
	for (@records) {
		next if unpack('L<', $_) != 9;
		my @branches = map { [$loads[($n + $_) % @loads] + 4, $loads[($n + $_ + 1) % @loads]] } 0 .. 2;
		$_ .= pack('Q<', scalar @branches) . join '', map { pack 'Q<3', @$_, 2 } @branches;
		substr $_, 6, 2, pack 'S<', length;
		$n++;
	}
	# EVENT_DESC holds the attr again
	substr $features{12}, 8 + 24, 8, pack 'Q<', $type | 1 << 11;
	substr $features{12}, 8 + 72, 8, pack 'Q<', 1 | 1 << 3;
	delete $features{19}; # groups need none
	$features{15} = ''; # HEADER_BRANCH_STACK has no contents
}

my $data = join '', @records;
substr $head, 48, 8, pack 'Q<', length $data;
substr $head, 72, 32, pack 'b256', join '', map { exists $features{$_} ? 1 : 0 } 0 .. 255;
my $at = $data_at + length($data) + 16 * keys %features;
my ($sections, $contents) = ('', '');
for my $bit (sort { $a <=> $b } keys %features) {
	$sections .= pack 'Q<2', $at + length $contents, length $features{$bit};
	$contents .= $features{$bit};
}
binmode STDOUT;
print $head, $data, $sections, $contents;
