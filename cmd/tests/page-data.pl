#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# page-data.pl PAGE EXPRESSION: its value over the data in a page of --flamegraph, $d being that
# decoded, by a reader of its own. What EXPRESSION can use besides:
#   folded(N)   the stacks of tree N, as `perf script` piped through a stack folder has them
#   codes()     the codes of all processes: "pid time address size name", as jitdump-names.pl
use strict;
use warnings;
use JSON::PP;
no warnings 'portable';

my ($path, $expression) = @ARGV;
open my $file, '<:raw', $path or die "$path: $!\n";
my $page = do { local $/; <$file> };
# as HTML has it: a script element ends at the first "</script", whatever stands around it
my ($text) = $page =~ m{<script id="data" type="application/json">(.*?)</script}s
	or die "$path: no data\n";
die "$path: a comment begins in the data\n" if $text =~ /<!--/;
our $d = decode_json($text);
binmode STDOUT, ':utf8';

sub frame
{
	my ($frame) = @_;
	return $d->{names}[$frame->[0]] if $frame->[0];
	return '[unknown]';
}

sub folded
{
	my ($number) = @_;
	my $nodes = $d->{trees}[$number]{nodes};
	my (@path, @lines);
	for (my $i = 0; $i < @$nodes; $i += 3) {
		$#path = $nodes->[$i] - 1;
		$path[$nodes->[$i]] = frame($d->{frames}[$nodes->[$i + 1]]);
		push @lines, join(';', @path) . " $nodes->[$i + 2]\n" if $nodes->[$i + 2];
	}
	my %sums;
	/^(.*) (\d+)$/s and $sums{$1} += $2 for @lines;
	return join '', map { "$_ $sums{$_}\n" } sort keys %sums;
}

sub codes
{
	my @lines;
	for my $space (@{$d->{memory}}) {
		my @codes = @{$space->{codes}};
		while (my ($region, $offset, $size, $load, $end, $name) = splice @codes, 0, 7) {
			push @lines, sprintf "%d\t%d\t%x\t%x\t%s\n", $space->{pid}, $load,
				hex($space->{regions}[$region][0]) + $offset, $size, $d->{names}[$name];
		}
	}
	return join '', sort @lines;
}

my $value = eval $expression;
die $@ if $@;
print "$value\n";
