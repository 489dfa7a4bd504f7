#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# defer.pl <RECORDED >DEFERRED: what perf record --call-graph fp wrote, as a kernel would have it
# written that defers the user's part of call chains (Linux 6.19, perf_event.h): a sample ends its
# chain with a cookie, and a later record of its thread has that cookie and the addresses. Samples
# one after the other from the same place share a cookie, as those from within one call of the
# kernel do. Some records are lost.
use strict;
use warnings;
no warnings 'portable';

use constant { SAMPLE => 9, DEFERRED => 22, USER => -512, USER_DEFERRED => -640 };
# perf_event_attr: sample_type, flags; their bits
use constant { TYPE_AT => 24, FLAGS_AT => 40, DEFER => 1 << 38 | 1 << 39 };
# IP, TID, TIME, ID, PERIOD, CALLCHAIN, in this order
use constant FIELDS => 1 | 2 | 4 | 1 << 6 | 1 << 8 | 1 << 5;

binmode $_ for *STDIN, *STDOUT;
my $bytes = do { local $/; <STDIN> };
my ($attrs_at) = unpack 'x24 Q<', $bytes;
my ($data_at, $data_size) = unpack 'x40 Q<2', $bytes;
my @bits = split //, unpack 'x72 b256', $bytes;
die "other fields in samples\n" if unpack('Q<', substr $bytes, $attrs_at + TYPE_AT, 8) != FIELDS;

my ($out, $cookie, $nth, $lost, %pending) = ('', 1 << 32, 0, 0);

# The record for the samples of a thread that wait for it.
sub deliver {
	my ($tid) = @_;
	my $chain = delete $pending{$tid} or return;
	$cookie++;
	return if ++$nth % 10 == 0 && ++$lost;
	my $body = pack 'Q<2 q< Q<*', $chain->{cookie}, 1 + @{$chain->{user}}, USER, @{$chain->{user}};
	$body .= pack 'L<2 Q<2', $chain->{pid}, $tid, $chain->{time} + 1, $chain->{id};
	$out .= pack('L< S< S<', DEFERRED, 2, 8 + length $body) . $body;
}

for (my ($at, $size) = $data_at; $at < $data_at + $data_size; $at += $size) {
	my ($type, $misc);
	($type, $misc, $size) = unpack 'L< S< S<', substr $bytes, $at, 8;
	my $record = substr $bytes, $at, $size;
	if ($type != SAMPLE) {
		$out .= $record;
		next;
	}
	my ($ip, $pid, $tid, $time, $id, $period, $count) = unpack 'x8 Q< L<2 Q<4', $record;
	my @ips = unpack "x56 q<$count", $record;
	my ($split) = grep { $ips[$_] == USER } 0 .. $#ips;
	$split = @ips unless defined $split;
	my @user = @ips[$split + 1 .. $#ips];
	my $waiting = $pending{$tid};
	deliver($tid) if $waiting && "@{$waiting->{user}}" ne "@user";
	$pending{$tid} //= { cookie => $cookie, user => \@user, pid => $pid, id => $id };
	$pending{$tid}{time} = $time;
	my $body = pack 'Q< L<2 Q<4 q<*', $ip, $pid, $tid, $time, $id, $period, $split + 2,
		@ips[0 .. $split - 1], USER_DEFERRED, $pending{$tid}{cookie};
	$out .= pack('L< S< S<', SAMPLE, $misc, 8 + length $body) . $body;
}
deliver($_) for sort keys %pending;
warn "$nth records, $lost of them lost\n";

my $flags = unpack('Q<', substr $bytes, $attrs_at + FLAGS_AT, 8) | DEFER;
substr $bytes, $attrs_at + FLAGS_AT, 8, pack 'Q<', $flags;
my $head = substr $bytes, 0, $data_at;
substr $head, 48, 8, pack 'Q<', length $out;
my $at = $data_at + $data_size;
my $delta = length($out) - $data_size;
my $features = substr $bytes, $at;
# the features' places in the file
for (grep { $bits[$_] } 0 .. 255) {
	my $entry = $at - ($data_at + $data_size);
	substr $features, $entry, 8, pack 'Q<', $delta + unpack 'Q<', substr $features, $entry, 8;
	$at += 16;
}
print $head, $out, $features;
