# SPDX-License-Identifier: GPL-2.0-or-later
# What code a jitdump says was where and when. Apart from the project's own reader.
package JitDump;
use strict;
use warnings;

# Returns { pid, loads => [{ time, addr, size, name }, ...] } in file order. A file that ends in
# the middle of a record gives what stands before.
sub read_file {
	my ($path) = @_;
	open my $in, '<:raw', $path or die "$path: $!\n";
	my $bytes = do { local $/; <$in> };
	close $in;
	my ($magic, undef, $header, undef, undef, $pid) = unpack 'L6', $bytes;
	die "$path: no jitdump of this byte order\n" unless $magic == 0x4a695444;
	my %dump = (pid => $pid, loads => []);
	for (my $at = $header; $at + 16 <= length $bytes; ) {
		my ($id, $size, $time) = unpack 'LLQ', substr $bytes, $at, 16;
		last if $size < 16 || $at + $size > length $bytes;
		if ($id == 0) {
			my (undef, undef, undef, $addr, $length) =
				unpack 'LLQQQQ', substr $bytes, $at + 16, 40;
			my $name = unpack 'Z*', substr $bytes, $at + 56, $size - 56 - $length;
			push @{$dump{loads}}, { time => $time, addr => $addr, size => $length,
				name => $name };
		} elsif ($id == 1) {
			die "$path: moves are not read here\n";
		}
		$at += $size;
	}
	return \%dump;
}

# An index over the dumps of a recording: at(PID, TIME, IP) is the load whose code stood there.
# forks: as from PerfData; a child has its parent's code of that time.
sub index {
	my ($class, $dumps, $forks) = @_;
	my $self = bless { buckets => {}, forks => {}, first => {} }, $class;
	$self->{forks}{$_->{pid}} = $_ for @$forks;
	for my $dump (@$dumps) {
		my $buckets = $self->{buckets}{$dump->{pid}} //= {};
		# time orders; where it does not, the file does
		my $nth = 0;
		$_->{nth} = $nth++ for @{$dump->{loads}};
		for my $load (sort { $a->{time} <=> $b->{time} || $a->{nth} <=> $b->{nth} }
			@{$dump->{loads}}) {
			$self->{first}{$dump->{pid}} //= $load->{time};
			next unless $load->{size};
			push @{$buckets->{$_}}, $load
				for $load->{addr} >> 8 .. $load->{addr} + $load->{size} - 1 >> 8;
		}
	}
	return $self;
}

sub at {
	my ($self, $pid, $time, $ip) = @_;
	for my $load (reverse @{($self->{buckets}{$pid} // {})->{$ip >> 8} // []}) {
		return $load if $load->{time} <= $time && $load->{addr} <= $ip &&
			$ip < $load->{addr} + $load->{size};
	}
	my $fork = $self->{forks}{$pid} or return undef;
	return $self->at($fork->{ppid}, $fork->{time} < $time ? $fork->{time} : $time, $ip);
}

# When code of this process, or of the one it came from, is first described; undef: never.
sub begins {
	my ($self, $pid) = @_;
	my $fork = $self->{forks}{$pid};
	return $self->{first}{$pid} unless $fork;
	my $inherited = $self->begins($fork->{ppid});
	return $self->{first}{$pid} unless defined $inherited && $inherited <= $fork->{time};
	return $fork->{time};
}

1;
