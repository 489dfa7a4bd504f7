# SPDX-License-Identifier: GPL-2.0-or-later
# A reader of seekable, little-endian perf.data files, apart from the project's own: what the
# matrix holds against perf's output must not come from the code under test.
package PerfData;
use strict;
use warnings;

use constant {
	MMAP => 1, COMM => 3, FORK => 7, SAMPLE => 9, MMAP2 => 10, COMPRESSED => 81,
};

# Bits of sample_type in the order of the fields in a sample; sizes of the fixed ones.
use constant { IDENTIFIER => 1 << 16, IP => 1, TID => 2, TIME => 4, ADDR => 8, READ => 16,
	CALLCHAIN => 32, ID => 64, CPU => 128, PERIOD => 256, STREAM_ID => 512, RAW => 1024,
	BRANCH_STACK => 2048, REGS_USER => 4096, STACK_USER => 8192 };

# Returns { samples => [...], maps => [...], forks => [...] }, each in file order. A sample is
# { pid, tid, time, ip, user, stack (bytes as copied, or undef), full (the copy filled its room) }.
sub read_file {
	my ($path) = @_;
	open my $in, '<:raw', $path or die "$path: $!\n";
	my $bytes = do { local $/; <$in> };
	close $in;
	die "$path: no perf.data\n" unless $bytes =~ /^PERFILE2.{40}/s;
	my (undef, $attr_size, $attrs, $attrs_size, $data, $size) = unpack 'Q6', substr $bytes, 8, 48;
	my $attr = substr $bytes, $attrs, $attr_size;
	my $self = {
		type => unpack('Q', substr $attr, 24, 8),
		regs => unpack('Q', substr $attr, 80, 8),
		samples => [], maps => [], forks => [],
	};
	my $end = $data + $size;
	$end = length $bytes if $end > length $bytes;
	for (my $at = $data; $at + 8 <= $end; ) {
		my ($type, $misc, $length) = unpack 'LSS', substr $bytes, $at, 8;
		die "$path: impossible record at $at\n" if $length < 8;
		record($self, $type, $misc, substr $bytes, $at + 8, $length - 8);
		$at += $length;
	}
	return $self;
}

sub record {
	my ($self, $type, $misc, $body) = @_;
	if ($type == SAMPLE) {
		push @{$self->{samples}}, sample($self, $misc, $body);
	} elsif ($type == MMAP2 || $type == MMAP) {
		my ($pid, $tid, $start, $len, $pgoff) = unpack 'LLQQQ', $body;
		my $name = unpack 'Z*', substr $body, $type == MMAP2 ? 64 : 32;
		push @{$self->{maps}}, { pid => $pid, start => $start, len => $len,
			pgoff => $pgoff, name => $name, time => trailer_time($self, $body) };
	} elsif ($type == FORK) {
		my ($pid, $ppid, undef, undef, $time) = unpack 'LLLLQ', $body;
		push @{$self->{forks}}, { pid => $pid, ppid => $ppid, time => $time }
			if $pid != $ppid;
	} elsif ($type == COMPRESSED) {
		die "compressed records are not read here\n";
	}
}

# The time of the fields at the end of a record that is no sample.
sub trailer_time {
	my ($self, $body) = @_;
	return 0 unless $self->{type} & TIME;
	my $behind = 0;
	$self->{type} & $_ and $behind += 8 for IDENTIFIER, CPU, STREAM_ID, ID;
	return unpack 'Q', substr $body, -($behind + 8), 8;
}

sub sample {
	my ($self, $misc, $body) = @_;
	my ($type, $at) = ($self->{type}, 0);
	my %sample = (user => ($misc & 7) == 2);
	my $u64 = sub { my $value = unpack 'Q', substr $body, $at, 8; $at += 8; $value };
	$u64->() if $type & IDENTIFIER;
	$sample{ip} = $u64->() if $type & IP;
	@sample{qw(pid tid)} = unpack 'LL', pack 'Q', $u64->() if $type & TID;
	$sample{time} = $u64->() if $type & TIME;
	$type & $_ and $u64->() for ADDR, ID, STREAM_ID, CPU, PERIOD;
	die "read values are not read here\n" if $type & READ;
	$at += 8 * $u64->() if $type & CALLCHAIN;
	die "raw data and branches are not read here\n" if $type & (RAW | BRANCH_STACK);
	if ($type & REGS_USER && $u64->()) {
		$at += 8 * unpack '%32b*', pack 'Q', $self->{regs};
	}
	if ($type & STACK_USER and my $room = $u64->()) {
		my $size = unpack 'Q', substr $body, $at + $room, 8;
		$sample{stack} = substr $body, $at, $size;
		$sample{full} = $size == $room;
	}
	return \%sample;
}

1;
