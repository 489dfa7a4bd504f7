#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# script-same.pl BEFORE AFTER DSO-DIR [unwound]: whether all that is no JIT code reads the same in both, outputs of
#     perf script --no-inline --max-stack 1024 --ns -F comm,pid,tid,time,event,ip,sym,symoff,dso
# Frames in DSOs of DSO-DIR are JIT code; where stacks are unwound, nothing behind such a frame is
# compared, as perf got no further before, nor is what perf unwinds to only now: without the program
# it finds frames by chance, or none at all. Prints how many samples and frames were compared, and how
# many frames in JIT code were in a file before, as built-in code of runtimes is.
use strict;
use warnings;

my ($before, $after, $folder, $unwound) = @ARGV;

sub samples {
	my ($path) = @_;
	my @samples;
	open my $file, '<:raw', $path or die "$path: $!\n";
	while (my $line = <$file>) {
		chomp $line;
		if ($line =~ /^\s+[0-9a-f]+ /) {
			push @{$samples[-1]}, $line;
		} elsif ($line ne '') {
			# without a call chain the frame stands behind the event
			push @samples, $line =~ /^(.*?: )\s+([0-9a-f]+ .*)$/ ? [$1, $2] : [$line];
		}
	}
	return \@samples;
}

my ($old, $new) = (samples($before), samples($after));
die sprintf "%d samples, not %d\n", scalar @$new, scalar @$old if @$old != @$new;

# Memory without a file, as perf calls it.
my $anonymous = qr{\((?:\[unknown\]|//anon|\[anon:.*|\[heap\]|/memfd:.*|/tmp/perf-\d+\.map|.*/perf-\d+\.map)\)$};

my ($frames, $jit, $over) = (0, 0, 0);
for my $i (0 .. $#$old) {
	my ($was, $is) = ($old->[$i], $new->[$i]);
	my $seen = 0;
	for my $j (0 .. ($#$was > $#$is ? $#$was : $#$is)) {
		if (defined $is->[$j] && $is->[$j] =~ /\(\Q$folder\E\//) {
			$jit++;
			$over++ if defined $was->[$j] && $was->[$j] !~ $anonymous;
			$seen = 1;
			last if $unwound;
			next;
		}
		last if $unwound && !defined $was->[$j];
		die "sample $i, frame $j: ", $is->[$j] // 'none', ', not ', $was->[$j] // 'none', "\n"
			if !defined $is->[$j] || !defined $was->[$j] || $is->[$j] ne $was->[$j];
		$frames++;
	}
}
printf "samples=%d same=%d jit=%d over=%d\n", scalar @$old, $frames, $jit, $over;
