#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# chains-compare.pl PERF OTHER FOLDER: of samples as perf-chains.pl prints them, by perf and by
# another program, the frames in files of FOLDER. As variables: samples that both have, those in
# which these frames are not the same, and the frames; named and unnamed are the other program's. The
# first that are not the same go to standard error.
use strict;
use warnings;

my ($perf, $other, $folder) = @ARGV;
my %count = map { $_ => 0 } qw(samples missing differ frames named unnamed);

# TID TIME => the frames in files of FOLDER
sub chains
{
	my ($path) = @_;
	my %chains;

	open(my $in, '<:raw', $path) or die "$path: $!\n";
	while (<$in>) {
		chomp;
		my ($tid, $time, @frames) = split /\t/;
		push @{$chains{"$tid $time"}},
			join("\t", grep { /\@.*\/\Q$folder\E\/[^\/]*$/ } @frames);
	}
	return \%chains;
}

my ($expected, $found) = (chains($perf), chains($other));
for my $when (sort keys %$expected) {
	my @samples = @{$expected->{$when}};
	my @others = @{$found->{$when} // []};

	$count{samples} += @samples;
	$count{missing} += @samples - @others if @others < @samples;
	for my $number (0 .. $#others) {
		my @frames = split /\t/, $others[$number];
		my $same = $others[$number] eq ($samples[$number] // '');

		$count{frames} += @frames;
		$count{unnamed} += grep { /^@/ } @frames;
		$count{named} += grep { !/^@/ } @frames;
		print STDERR "$when\n  $samples[$number]\n  $others[$number]\n"
			if !$same && $count{differ}++ < 3;
	}
}
print "chains_$_=$count{$_}\n" for sort keys %count;
