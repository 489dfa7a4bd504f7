#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# hotspot-chains.pl FILE: what hotspot-perfparser has written of a profile, a line for each sample:
# tid, time in ns, then each frame, innermost first, as NAME@FILE; tabs between all.
#
# The stream is Qt's: behind a magic word and a version, messages, each its size (little endian) and
# that many bytes (big endian), of which the first is the kind. A location's symbol has the
# location's id; the caller of an inlined function is the location's parent.
use strict;
use warnings;

my ($LOCATION, $SYMBOL, $STRING, $SAMPLE, $TRACEPOINT_SAMPLE) = (3, 4, 5, 13, 14);
my (@strings, %parent, %symbol, @samples);

sub text
{
	my ($id) = @_;

	return $id < 0 ? '' : $strings[$id] // die "no string $id\n";
}

sub frames
{
	my ($id) = @_;
	my @frames;

	for (; $id >= 0; $id = $parent{$id} // -1) {
		my $symbol = $symbol{$id} or next;
		push @frames, text($symbol->[0]) . '@' . text($symbol->[1]);
	}
	return @frames ? @frames : '@';
}

sub message
{
	my ($kind, $bytes) = @_;

	if ($kind == $STRING) {
		my ($id, $string) = unpack 'l> N/a*', $bytes;
		$strings[$id] = $string;
	} elsif ($kind == $LOCATION) {
		my ($id, $caller) = (unpack 'l> Q> l> N l> l> l>', $bytes)[0, 6];
		$parent{$id} = $caller;
	} elsif ($kind == $SYMBOL) {
		my ($id, $name, undef, $path) = unpack 'l> l> l> l>', $bytes;
		$symbol{$id} = [$name, $path];
	} elsif ($kind == $SAMPLE || $kind == $TRACEPOINT_SAMPLE) {
		my (undef, $tid, $time, undef, @frames) = unpack 'N N Q> N N/(l>)', $bytes;
		push @samples, [$tid, $time, @frames];
	}
}

local $/;
open(my $in, '<:raw', $ARGV[0]) or die "$ARGV[0]: $!\n";
my $stream = <$in>;
$stream =~ s/^QPERFSTREAM\0....//s or die "$ARGV[0]: not of hotspot-perfparser\n";
while (length $stream) {
	my $size = unpack 'V', $stream;
	length $stream >= 4 + $size or die "$ARGV[0]: ends in a message\n";
	message(unpack('C', substr($stream, 4)), substr($stream, 5, $size - 1));
	substr($stream, 0, 4 + $size, '');
}
for my $sample (@samples) {
	my ($tid, $time, @frames) = @$sample;
	print join("\t", $tid, $time, map { frames($_) } @frames), "\n";
}
