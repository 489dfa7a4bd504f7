#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# perfdata-compare.pl INPUT FIXED DSO-DIR: whether FIXED is INPUT with records added, in any form of
# perf.data. A reader of its own, after perf.data-file-format.txt and perf_event.h of Linux. Dies of
# the first difference that is not allowed; else prints the counts of records, of inserted ones and
# of changed ones. Compressed records are compared as they are.
use strict;
use warnings;

use constant { MMAP => 1, COMM => 3, FORK => 7, SAMPLE => 9, MMAP2 => 10, HEADER_ATTR => 64, EVENT_TYPE => 65,
	TRACING_DATA => 66, HEADER_BUILD_ID => 67, FINISHED_ROUND => 68, AUXTRACE => 71, COMPRESSED => 81,
	COMPRESSED2 => 83 };
use constant { BUILD_ID => 2, AUXTRACE_INDEX => 18 };

my $e; # byte order of both, for pack

sub slurp {
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!\n";
	local $/;
	return scalar <$file>;
}

# Records with what belongs to them, as far as they are whole.
sub read_records {
	my ($bytes, $at, $end) = @_;
	my @records;
	while ($end - $at >= 8) {
		my ($type, $misc, $length) = unpack "L$e S$e S$e", substr $bytes, $at, 8;
		my $payload = 0;
		last if $length < 8;
		$payload = unpack "Q$e", substr $bytes, $at + 8, 8 if $type == AUXTRACE;
		$payload = unpack("L$e", substr $bytes, $at + 8, 4) + 7 & ~7 if $type == TRACING_DATA;
		last if $length + $payload > $end - $at;
		push @records, [$type, $misc, substr($bytes, $at, $length + $payload), $at, $length];
		$at += $length + $payload;
	}
	return \@records;
}

# The bitmap is one of the producer's longs; the host name, which every perf writes, tells.
sub feature_bits {
	my ($bytes) = @_;
	my @words = unpack "Q${e}4", $bytes;
	if ($e eq '>' && !($words[0] & 1 << 3) && $words[0] & 1 << 35) {
		$_ = ($_ << 32 | $_ >> 32) & ~0 for @words;
	}
	return grep { $words[$_ / 64] >> $_ % 64 & 1 } 0 .. 255;
}

sub read_features {
	my ($profile, $bytes, $table) = @_;
	for my $bit (feature_bits(substr $bytes, 72, 32)) {
		last if $table + 16 > length $bytes;
		my ($at, $length) = unpack "Q${e}2", substr $bytes, $table, 16;
		$table += 16;
		$profile->{features}{$bit} = $at + $length > length $bytes ? '' : substr $bytes, $at, $length;
	}
}

sub read_attrs {
	my ($profile, $bytes, $attr_size, $at, $end) = @_;
	for (; $at + $attr_size <= $end; $at += $attr_size) {
		my $attr = substr $bytes, $at, $attr_size - 16;
		my ($ids_at, $ids_size) = unpack "Q${e}2", substr $bytes, $at + $attr_size - 16, 16;
		push @{$profile->{attrs}}, $attr;
		push @{$profile->{ids}}, substr $bytes, $ids_at, $ids_size;
	}
}

# A file that a recorder never finished has neither features nor the size of its records.
sub read_seekable {
	my ($bytes) = @_;
	my ($size, $attr_size, $attrs_at, $attrs_size, $data_at, $data_size) = unpack "x8 Q${e}6", $bytes;
	my %profile;
	my $cut = !$data_size || $data_at + $data_size > length $bytes;
	read_attrs(\%profile, $bytes, $attr_size, $attrs_at, $attrs_at + $attrs_size);
	$data_size = length($bytes) - $data_at if $cut;
	$profile{records} = read_records($bytes, $data_at, $data_at + $data_size);
	read_features(\%profile, $bytes, $data_at + $data_size) if $size >= 104 && !$cut;
	return \%profile;
}

sub read_pipe {
	my ($bytes) = @_;
	my %profile = (records => read_records($bytes, 16, length $bytes));
	push @{$profile{attrs}}, substr $_->[2], 8 for grep { $_->[0] == HEADER_ATTR } @{$profile{records}};
	return \%profile;
}

sub read_file {
	my ($path) = @_;
	my $bytes = slurp($path);
	my ($magic, $size) = unpack 'a8 Q<', $bytes;
	die "$path: no perf.data\n" if $magic !~ /^(PERFILE2|2ELIFREP|PERFFILE)$/;
	$e = $magic eq '2ELIFREP' || $magic eq 'PERFFILE' && $size > 1 << 32 ? '>' : '<';
	$size = unpack "x8 Q$e", $bytes;
	return $size == 16 ? read_pipe($bytes) : read_seekable($bytes);
}

# Of a directory the records of its further files stand behind those of the first.
sub read_profile {
	my ($path) = @_;
	return read_file($path) if !-d $path;
	my $profile = read_file("$path/data");
	my @numbers = sort { $a <=> $b } map { m{/data\.(\d+)$} ? $1 : () } glob "$path/data.*";
	for my $number (@numbers) {
		my $bytes = slurp("$path/data.$number");
		push @{$profile->{records}}, ['part', 0, $number], @{read_records($bytes, 0, length $bytes)};
	}
	return $profile;
}

# The name of a mapping, which stands before the sample_id; undef for other records.
sub mapped {
	my ($record) = @_;
	my %place = (MMAP, 40, MMAP2, 72);
	my $place = $place{$record->[0]};
	return $place ? unpack "x$place Z*", $record->[2] : undef;
}

# Of records but those that perf itself makes; all events have one sample_type.
sub time_of {
	my ($fields, $record) = @_;
	my ($type, undef, $bytes) = @$record;
	return undef if $type eq 'part' || $type >= 64 || !($fields & 1 << 2);
	if ($type == SAMPLE) {
		my $at = 8;
		$at += 8 for grep { $fields & 1 << $_ } 16, 0, 1;
		return unpack "Q$e", substr $bytes, $at, 8;
	}
	my $behind = 8 * grep { $fields & 1 << $_ } 6, 9, 7, 16;
	return unpack "Q$e", substr $bytes, length($bytes) - $behind - 8, 8;
}

# perf puts the records of a round into order only with those of the rounds beside it: nothing may
# be older than what was there two rounds ago. Where events differ or records are compressed, the
# times are not looked at.
sub check_rounds {
	my ($profile, $what) = @_;
	my ($limit, $last, $now) = (0, 0, 0);
	my %fields = map { $_ => 1 } map { unpack "x24 Q$e", $_ } @{$profile->{attrs}};
	return if keys %fields != 1 || grep { $_->[0] eq COMPRESSED || $_->[0] eq COMPRESSED2 } @{$profile->{records}};
	for my $record (@{$profile->{records}}) {
		($limit, $last, $now) = (0, 0, 0) if $record->[0] eq 'part';
		if ($record->[0] eq FINISHED_ROUND) {
			($limit, $last) = ($last, $now);
			next;
		}
		my $time = time_of(keys %fields, $record) or next;
		die "$what: time $time comes after a round that ended at $limit\n" if $time < $limit;
		$now = $time if $time > $now;
	}
}

my ($input_path, $fixed_path, $folder) = @ARGV;
my ($input, $fixed) = map { read_profile($_) } $input_path, $fixed_path;
my $stream = !$input->{ids};

sub is_inserted {
	my ($record) = @_;
	my ($type, $misc, $bytes) = @$record;
	return index(mapped($record), "$folder/") == 0 if $type eq MMAP2;
	# COMM with the exec bit, which makes readers forget what they know of the process
	return $misc & 1 << 13 if $type eq COMM;
	# FORK with the bit by which readers copy no mappings, before an exec
	return $misc & 1 << 13 if $type eq FORK;
	# the build-id of a DSO, and the journal
	return $stream && index($bytes, "$folder/") >= 0 if $type eq HEADER_BUILD_ID;
	return $type eq EVENT_TYPE;
}

sub is_changed_marker {
	my ($before, $after) = @_;
	my ($old, $new) = (mapped($before), mapped($after));
	return 0 if !defined $old || !defined $new || $old !~ /\.dump( \(deleted\))?$/;
	(my $expected = $before->[2]) =~ s/\.dump(?=\0| \(deleted\))/.done/;
	return $after->[2] eq $expected;
}

# The journal stands at the end of a stream, and of each further file of a directory.
sub check_journal {
	my ($record, $next) = @_;
	die "$fixed_path: records stand behind the journal\n"
		if $record->[0] eq EVENT_TYPE && $next && $next->[0] ne EVENT_TYPE && $next->[0] ne 'part';
}

my ($inserted, $changed, $at) = (0, 0, 0);
my @records = @{$input->{records}};
my %moved; # where records are that other places of the file tell of
for my $i (0 .. $#{$fixed->{records}}) {
	my $record = $fixed->{records}[$i];
	my $expected = $records[$at];
	if ($expected && $record->[2] eq $expected->[2]) {
		$moved{$expected->[3]} = $record->[3] if defined $expected->[3];
		$at++;
	} elsif ($expected && is_changed_marker($expected, $record)) {
		$changed++;
		$at++;
	} elsif (is_inserted($record)) {
		check_journal($record, $fixed->{records}[$i + 1]);
		$inserted++ if $record->[0] ne EVENT_TYPE;
	} else {
		die "$fixed_path: record $at, type $record->[0], is neither the input's nor ours\n";
	}
}
die "$fixed_path: record $at of the input is missing\n" if $at != @records;

check_rounds($_->[0], $_->[1]) for [$input, $input_path], [$fixed, $fixed_path];

die "other attrs\n" if @{$input->{attrs}} != @{$fixed->{attrs}};
for my $i ($stream ? () : 0 .. $#{$input->{attrs}}) {
	my ($old, $new) = ($input->{attrs}[$i], $fixed->{attrs}[$i]);
	die "ids of attr $i differ\n" if $input->{ids}[$i] ne $fixed->{ids}[$i];
	die "attr $i has grown\n" if length $new > length $old;
	# the size stands in the attr; what is cut off is zero
	substr($_, 4, 4) = "\0" x 4 for $old, $new;
	die "attr $i differs\n" if $old ne $new . "\0" x (length($old) - length $new);
}
# An index of AUXTRACE records: their offsets, and the sizes that are told with them.
sub check_index {
	my ($old, $new) = @_;
	my $count = unpack "Q$e", $old;
	die "index: another number of entries\n" if length $old != length $new || $count != unpack "Q$e", $new;
	for my $i (0 .. $count - 1) {
		my ($from, $size) = unpack "Q${e}2", substr $old, 8 + 16 * $i, 16;
		my ($to, $same) = unpack "Q${e}2", substr $new, 8 + 16 * $i, 16;
		die "index: entry $i is at $to, not at $moved{$from}\n" if $to != $moved{$from} || $size != $same;
	}
}

for my $bit (sort { $a <=> $b } keys %{$input->{features}}) {
	my ($old, $new) = ($input->{features}{$bit}, $fixed->{features}{$bit});
	die "feature $bit is missing\n" if !defined $new;
	$new = substr $new, 0, length $old if $bit == BUILD_ID;
	if ($bit == AUXTRACE_INDEX) {
		check_index($old, $new);
		next;
	}
	die "feature $bit differs\n" if $old ne $new;
}
for my $bit (keys %{$fixed->{features}}) {
	die "feature $bit is new\n" if !defined $input->{features}{$bit} && $bit != BUILD_ID;
}
printf "records=%d inserted=%d changed=%d\n", scalar @records, $inserted, $changed;
