#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# readelf-rows.pl: from `readelf --debug-dump=frames-interp` a line for each row: start and end of
# its range, CFA, registers. With --compare FILE, which holds such lines: reads "ADDR CFA
# REGISTERS..." and prints each that says something else, and how many say the same.
use strict;
use warnings;
no warnings 'portable';

sub print_rows
{
	# of the entry that is being read; an FDE of which no row is printed has its CIE's
	my ($start, $end, $cie, @columns, @rows, %initial);
	my $flush = sub {
		if (!defined $end) {
			$initial{$cie} = $rows[0] if defined $cie;
		} else {
			@rows = ([ $start, @{$initial{$cie}}[1 .. $#{$initial{$cie}}] ]) if !@rows;
			for my $i (0 .. $#rows) {
				my $to = $i < $#rows ? $rows[$i + 1][0] : $end;

				print join(' ', $rows[$i][0], $to, @{$rows[$i]}[1 .. $#{$rows[$i]}]), "\n";
			}
		}
		@rows = ();
	};

	while (<STDIN>) {
		if (/ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)/) {
			$flush->();
			($cie, $start, $end) = ($1, $2, $3);
		} elsif (/^([0-9a-f]+) .* CIE /) {
			$flush->();
			($cie, $end) = ($1, undef);
		} elsif (/^\s+LOC\s+CFA\s*(.*)/) {
			@columns = split ' ', $1;
		} elsif (!/ ZERO / && /^([0-9a-f]{8,})\s+(\S+)\s*(.*)/) {
			my ($at, $cfa, @values) = ($1, $2, split ' ', $3);

			push @rows, [ $at, $cfa, map { "$columns[$_]=$values[$_]" }
				grep { $values[$_] ne 'u' } 0 .. $#values ];
		}
	}
	$flush->();
}

sub compare
{
	my ($file) = @_;
	my ($same, @ranges) = (0);

	open my $rows, '<', $file or die "$file: $!\n";
	while (<$rows>) {
		my ($from, $to, @rest) = split;
		push @ranges, [ hex $from, hex $to, join ' ', @rest ];
	}
	while (<STDIN>) {
		my ($addr, @rest) = split;
		# what is not known readelf says of all columns
		my $ours = join ' ', grep { !/=u$/ } @rest;
		my ($range) = grep { hex $addr >= $_->[0] && hex $addr < $_->[1] } @ranges;
		my $theirs = $range ? $range->[2] : '- -';

		if ($ours eq $theirs) {
			$same++;
		} else {
			print "$addr: '$ours', not '$theirs'\n";
		}
	}
	print "same $same\n";
}

if (@ARGV && $ARGV[0] eq '--compare') {
	compare($ARGV[1]);
} else {
	print_rows();
}
