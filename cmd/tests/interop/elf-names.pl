#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# elf-names.pl FOLDER [BELOW] <CHAINS: the frames OFFSET@FILE of files of FOLDER as NAME@FILE, by the
# symbols and segments that eu-readelf shows of BELOW/FILE; without a symbol there the name is empty.
use strict;
use warnings;
no warnings 'portable';

my ($folder, $below) = (@ARGV, '');
my %files; # path => [[offset, end, vaddr]...], [[value, end, name]...]

sub file
{
	my ($path) = @_;
	my (@segments, @symbols);

	open(my $in, '-|', 'eu-readelf', '-l', '-s', "$below$path") or die "eu-readelf: $!\n";
	while (<$in>) {
		push @segments, [hex $1, hex($1) + hex $3, hex $2]
			if /^\s*LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+) /;
		push @symbols, [hex $1, hex($1) + $2, $3]
			if /^\s*\d+: (\w{16})\s+(\d+) FUNC\s+\w+\s+\w+\s+\w+ (.*)$/;
	}
	return [\@segments, \@symbols];
}

sub name
{
	my ($offset, $path) = @_;
	my ($segments, $symbols) = @{$files{$path} //= file($path)};

	for my $segment (grep { $offset >= $_->[0] && $offset < $_->[1] } @$segments) {
		my $value = $offset - $segment->[0] + $segment->[2];
		for (@$symbols) {
			return $_->[2] if $value >= $_->[0] && $value < $_->[1];
		}
	}
	return '';
}

while (<STDIN>) {
	chomp;
	my ($tid, $time, @frames) = split /\t/;
	for (@frames) {
		my ($offset, $path) = /^(\w+)@(.*\/\Q$folder\E\/[^\/]*)$/ or next;
		$_ = name(hex $offset, $path) . "\@$path";
	}
	print join("\t", $tid, $time, @frames), "\n";
}
