#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# script-frames.pl NAMES <SCRIPT: counts how perf names the frames that lie in code of NAMES, as
# jitdump-names.pl prints it. SCRIPT is the output of
#     perf script --show-mmap-events --no-demangle --no-inline --max-stack 1024 --ns \
#         -F pid,tid,time,ip,sym,dso
# where addresses in files are told as places in them: the mappings say which address that was.
#
# Which code was at an address is decided here alone: the last one loaded at or before the sample's
# time. A frame of code that is loaded only later counts as early; early_right are those of them
# that have its name.
use strict;
use warnings;
no warnings 'portable';

my %loads;    # page -> [pid, time, address, end, name], in order of time
open my $names, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my @all;
while (<$names>) {
	chomp;
	my ($pid, $time, $addr, $size, $name) = split /\t/, $_, 5;
	push @all, [$pid, $time, hex $addr, hex($addr) + hex $size, $name];
}
for my $load (sort { $a->[1] <=> $b->[1] } @all) {
	push @{$loads{$_}}, $load for ($load->[2] >> 12) .. (($load->[3] - 1) >> 12);
}

sub find {
	my ($pid, $time, $addr) = @_;
	my ($found, $early);
	for my $load (@{$loads{$addr >> 12} || []}) {
		next if $load->[0] != $pid || $addr < $load->[2] || $addr >= $load->[3];
		if ($load->[1] <= $time) { $found = $load } else { $early //= $load }
	}
	return ($found, $early);
}

my %maps;    # path -> [start, end, pgoff], those of a pid under "pid path" too

# The addresses that a frame told as $told in $path may have had.
sub addresses {
	my ($pid, $told, $path) = @_;
	my $maps = $maps{"$pid $path"} || $maps{$path} or return $told;
	my @found = map { $told - $_->[2] + $_->[0] }
		grep { $told >= $_->[2] && $told < $_->[2] + $_->[1] - $_->[0] } @$maps;
	return @found ? @found : $told;
}

my %count = map { $_ => 0 } qw(described right wrong unnamed early early_right);

sub count_frame {
	my ($pid, $time, $addr, $name) = @_;
	my ($load, $early) = find($pid, $time, $addr);
	# a call may be the last instruction of its function
	($load) = find($pid, $time, $addr - 1) if !$load && !$early;
	if (!$load) {
		return 0 if !$early;
		$count{early}++;
		$count{early_right}++ if $name eq $early->[4];
		return 1;
	}
	$count{described}++;
	my $how = $name eq $load->[4] ? 'right' : $name eq '[unknown]' ? 'unnamed' : 'wrong';
	$count{$how}++;
	printf STDERR "%d %d %x: %s, not %s\n", $pid, $time, $addr, $name, $load->[4]
		if $how eq 'wrong' && $ENV{FRAMES_VERBOSE};
	return 1;
}

my ($pid, $time);
while (<STDIN>) {
	if (m{PERF_RECORD_MMAP2? (-?\d+)/\d+: \[0x(\w+)\(0x(\w+)\) @ (?:0x)?(\w+).*?\]: \S+ (.*)$}) {
		my $map = [hex $2, hex($2) + hex $3, hex $4];
		push @{$maps{$_}}, $map for "$1 $5", $5;
	} elsif (m{^\s*(\d+)/\d+\s+(\d+)\.(\d{9}):}) {
		($pid, $time) = ($1, $2 * 1_000_000_000 + $3);
	} elsif (/^\s+([0-9a-f]+) (.*) \((.*)\)$/) {
		my ($told, $name, $path) = (hex $1, $2, $3);
		next if $told >> 63;
		for my $addr (addresses($pid, $told, $path)) {
			last if count_frame($pid, $time, $addr, $name);
		}
	}
}
print "frames_$_=$count{$_}\n" for sort keys %count;
