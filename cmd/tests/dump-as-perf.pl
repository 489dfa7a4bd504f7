#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# dump-as-perf.pl [--places]: from the JSON of perfjit-dump the lines that
# testdata/recordings/expect.awk makes of `perf script -D`; with --places no more than where each
# record is and its size.
use strict;
use warnings;
use JSON::PP;
no warnings 'portable';

my $kinds = qr/MMAP2?|COMM|FORK|EXIT|SAMPLE/;
my $places = @ARGV && $ARGV[0] eq '--places';

# 0 is all that perf prints without 0x.
sub address
{
	return $_[0] eq '0x0' ? '0' : $_[0];
}

sub mmap
{
	my ($r) = @_;
	my $range = "[" . address($r->{start}) . "(" . address($r->{length}) . ") @ " . address($r->{pgoff});

	return " $r->{pid}/$r->{tid}: $range]: x $r->{name}" if $r->{type} eq 'MMAP';
	my $file = defined $r->{build_id} ? "<$r->{build_id}>"
		: sprintf '%02x:%02x %d %d', @$r{qw(maj min ino ino_generation)};
	return " $r->{pid}/$r->{tid}: $range $file]: $r->{prot} $r->{name}";
}

sub sample
{
	my ($r) = @_;
	my $line = sprintf '(IP, %s): %d/%d: %s period: %d addr: %s', $r->{misc}, $r->{pid}, $r->{tid},
		address($r->{ip}), $r->{period}, address($r->{addr} // '0x0');

	$line .= " chain: $r->{callchain_nr}" if defined $r->{callchain_nr};
	$line .= " stack: $r->{user_stack_bytes}" if $r->{user_stack_bytes};
	return $line;
}

sub detail
{
	my ($r) = @_;

	return mmap($r) if $r->{type} =~ /^MMAP/;
	return sample($r) if $r->{type} eq 'SAMPLE';
	return "($r->{pid}:$r->{tid}):($r->{ppid}:$r->{ptid})" if $r->{type} =~ /FORK|EXIT/;
	return ($r->{exec} ? ' exec' : '') . ": $r->{comm}:$r->{pid}/$r->{tid}";
}

binmode STDOUT, ':utf8';
while (<STDIN>) {
	my $r = decode_json($_);

	if ($places) {
		printf "0x%x [0x%x]\n", $r->{offset}, $r->{size} if defined $r->{size};
	} elsif ($r->{type} =~ /^(?:$kinds)$/) {
		printf "%s [0x%x]: PERF_RECORD_%s%s\n", $r->{time} // 0, $r->{size}, $r->{type}, detail($r);
	}
}
