#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# perfdata-compare.pl INPUT FIXED DSO-DIR: whether FIXED is INPUT with records added. A reader of
# its own, after perf.data-file-format.txt and perf_event.h of Linux. Dies of the first difference
# that is not allowed; else prints the counts of records, of inserted ones and of changed ones.
use strict;
use warnings;

use constant { MMAP => 1, COMM => 3, SAMPLE => 9, MMAP2 => 10, FINISHED_ROUND => 68 };
use constant BUILD_ID => 2;

sub slurp {
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!\n";
	local $/;
	return scalar <$file>;
}

sub read_profile {
	my ($path) = @_;
	my $bytes = slurp($path);
	my ($magic, $size, $attr_size, $attrs_at, $attrs_size, $data_at, $data_size) =
		unpack 'a8 Q<6', $bytes;
	die "$path: no seekable perf.data\n" if $magic ne 'PERFILE2' || $size < 104;
	my %profile = (bytes => $bytes, attr_size => $attr_size);
	for (my $at = $attrs_at; $at < $attrs_at + $attrs_size; $at += $attr_size) {
		my $attr = substr $bytes, $at, $attr_size - 16;
		my ($ids_at, $ids_size) = unpack 'Q<2', substr $bytes, $at + $attr_size - 16, 16;
		push @{$profile{attrs}}, $attr;
		push @{$profile{ids}}, substr $bytes, $ids_at, $ids_size;
	}
	$profile{sample_type} = unpack 'x24 Q<', $profile{attrs}[0];
	my ($bits, $section) = ('', $data_at + $data_size);
	$bits = unpack 'b256', substr $bytes, 72, 32;
	for my $bit (grep { substr $bits, $_, 1 } 0 .. 255) {
		my ($at, $length) = unpack 'Q<2', substr $bytes, $section, 16;
		$profile{features}{$bit} = substr $bytes, $at, $length;
		$section += 16;
	}
	for (my $at = $data_at; $at < $data_at + $data_size;) {
		my ($type, $misc, $length) = unpack 'L< S< S<', substr $bytes, $at, 8;
		die "$path: a record of $length bytes at $at\n" if $length < 8;
		push @{$profile{records}}, [$type, $misc, substr $bytes, $at, $length];
		$at += $length;
	}
	return \%profile;
}

# The name of an MMAP2 record, which stands before the sample_id; undef for others.
sub mapped {
	my ($record) = @_;
	return $record->[0] == MMAP2 ? unpack 'x72 Z*', $record->[2] : undef;
}

# Of records but those that perf itself makes; all events have one sample_type here.
sub time_of {
	my ($profile, $record) = @_;
	my ($type, undef, $bytes) = @$record;
	my $fields = $profile->{sample_type};
	return undef if $type >= 64 || !($fields & 1 << 2);
	if ($type == SAMPLE) {
		my $at = 8;
		$at += 8 for grep { $fields & 1 << $_ } 16, 0, 1;
		return unpack 'Q<', substr $bytes, $at, 8;
	}
	my $behind = 8 * grep { $fields & 1 << $_ } 6, 9, 7, 16;
	return unpack 'Q<', substr $bytes, length($bytes) - $behind - 8, 8;
}

# perf puts the records of a round into order only with those of the rounds beside it: nothing may
# be older than what was there two rounds ago.
sub check_rounds {
	my ($profile, $what) = @_;
	my ($limit, $last, $now) = (0, 0, 0);
	for my $record (@{$profile->{records}}) {
		if ($record->[0] == FINISHED_ROUND) {
			($limit, $last) = ($last, $now);
			next;
		}
		my $time = time_of($profile, $record) or next;
		die "$what: time $time comes after a round that ended at $limit\n" if $time < $limit;
		$now = $time if $time > $now;
	}
}

sub is_inserted {
	my ($record, $folder) = @_;
	my $name = mapped($record);
	return 1 if defined $name && index($name, "$folder/") == 0;
	# COMM with the exec bit, which makes readers forget what they know of the process
	return $record->[0] == COMM && $record->[1] & 1 << 13 ? 'maybe' : 0;
}

sub is_changed_marker {
	my ($before, $after) = @_;
	my ($old, $new) = (mapped($before), mapped($after));
	return 0 if !defined $old || !defined $new || $old !~ /\.dump( \(deleted\))?$/;
	(my $expected = $before->[2]) =~ s/\.dump(?=\0| \(deleted\))/.done/;
	return $after->[2] eq $expected;
}

my ($input_path, $fixed_path, $folder) = @ARGV;
my ($input, $fixed) = map { read_profile($_) } $input_path, $fixed_path;

my ($inserted, $changed, $at) = (0, 0, 0);
my @records = @{$input->{records}};
for my $record (@{$fixed->{records}}) {
	my $expected = $records[$at];
	if ($expected && $record->[2] eq $expected->[2]) {
		$at++;
	} elsif ($expected && is_changed_marker($expected, $record)) {
		$changed++;
		$at++;
	} elsif (is_inserted($record, $folder)) {
		$inserted++;
	} else {
		die "$fixed_path: record $at, type $record->[0], is neither the input's nor ours\n";
	}
}
die "$fixed_path: record $at of the input is missing\n" if $at != @records;

check_rounds($_->[0], $_->[1]) for [$input, $input_path], [$fixed, $fixed_path];

die "other attrs\n" if @{$input->{attrs}} != @{$fixed->{attrs}};
for my $i (0 .. $#{$input->{attrs}}) {
	my ($old, $new) = ($input->{attrs}[$i], $fixed->{attrs}[$i]);
	die "ids of attr $i differ\n" if $input->{ids}[$i] ne $fixed->{ids}[$i];
	die "attr $i has grown\n" if length $new > length $old;
	# the size stands in the attr; what is cut off is zero
	substr($_, 4, 4) = "\0" x 4 for $old, $new;
	die "attr $i differs\n" if $old ne $new . "\0" x (length($old) - length $new);
}
for my $bit (sort { $a <=> $b } keys %{$input->{features}}) {
	my ($old, $new) = ($input->{features}{$bit}, $fixed->{features}{$bit});
	die "feature $bit is missing\n" if !defined $new;
	$new = substr $new, 0, length $old if $bit == BUILD_ID;
	die "feature $bit differs\n" if $old ne $new;
}
for my $bit (keys %{$fixed->{features}}) {
	die "feature $bit is new\n" if !defined $input->{features}{$bit} && $bit != BUILD_ID;
}
printf "records=%d inserted=%d changed=%d\n", scalar @records, $inserted, $changed;
