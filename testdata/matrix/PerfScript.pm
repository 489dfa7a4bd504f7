# SPDX-License-Identifier: GPL-2.0-or-later
# Reads what `perf script --ns -F pid,tid,time,ip,sym,dso` printed.
package PerfScript;
use strict;
use warnings;
no warnings "portable"; # addresses have 64 bits

# Returns { "PID/TID TIME" => [[ip, symbol, dso], ...] }, leaf first.
sub read_file {
	my ($path) = @_;
	my (%chains, $chain);
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (m{^\s*(\d+)/(\d+)\s+(\d+)\.(\d{9}):\s*$}) {
			$chain = $chains{"$1/$2 " . ($3 * 1_000_000_000 + $4)} = [];
		} elsif (m{^\s+([0-9a-f]+) (.+?) \(([/\[].*)\)$}) {
			push @$chain, [hex $1, $2, $3];
		} elsif (/\S/) {
			die "$path:$.: cannot be read: $_";
		}
	}
	return \%chains;
}

# perf 6.1 prints an address in a file as an offset in it, others as it stood in memory. Tells
# which, from the leaf's address, and makes offsets addresses with the maps of the file read.
sub make_absolute {
	my ($chains, $data) = @_;
	my ($same, $other) = (0, 0);
	for (@{$data->{samples}}) {
		my $chain = $chains->{"$_->{pid}/$_->{tid} $_->{time}"} or next;
		next unless @$chain;
		$chain->[0][0] == $_->{ip} ? $same++ : $other++;
	}
	return if $same > $other;
	my %maps;
	push @{$maps{$_->{name}}}, $_ for @{$data->{maps}};
	my %parent = map { $_->{pid} => $_->{ppid} } @{$data->{forks}};
	for my $key (keys %$chains) {
		my ($pid, $time) = $key =~ m{^(\d+)/\d+ (\d+)};
		$_->[0] = address($maps{$_->[2]}, \%parent, $pid, $time, $_->[0]) // $_->[0]
			for @{$chains->{$key}};
	}
}

sub address {
	my ($maps, $parent, $pid, $time, $offset) = @_;
	for (; defined $pid; $pid = $parent->{$pid}) {
		for (reverse @{$maps // []}) {
			return $offset - $_->{pgoff} + $_->{start} if $_->{pid} == $pid &&
				$_->{time} <= $time && $_->{pgoff} <= $offset &&
				$offset < $_->{pgoff} + $_->{len};
		}
	}
	return undef;
}

1;
