#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# examples.pl PAGE FOLDER: all that a man page displays, in order, as files of FOLDER: NNN.line for
# what .Dl shows, NNN.block for what stands between .Bd and .Ed.
use strict;
use warnings;

my ($page, $folder) = @ARGV;
my ($number, $block) = (0);

sub plain
{
	my ($text) = @_;

	$text =~ s/\\\(aq/'/g;
	$text =~ s/\\\(dq/"/g;
	$text =~ s/\\e/\\/g;
	$text =~ s/\\&//g;
	return $text;
}

sub put
{
	my ($kind, $text) = @_;
	my $name = sprintf('%s/%03d.%s', $folder, ++$number, $kind);

	open(my $out, '>', $name) or die "$name: $!\n";
	print $out $text;
	close($out) or die "$name: $!\n";
}

open(my $in, '<', $page) or die "$page: $!\n";
while (my $line = <$in>) {
	if ($line =~ /^\.Ed/ && defined $block) {
		put('block', $block);
		undef $block;
	} elsif (defined $block) {
		$block .= plain($line);
	} elsif ($line =~ /^\.Bd /) {
		$block = '';
	} elsif ($line =~ /^\.Dl (.*)/) {
		put('line', plain($1) . "\n");
	}
}
