# SPDX-License-Identifier: GPL-2.0-or-later
# Keeps perl busy for some seconds: recursion, sorting, hashes, regular expressions.
use strict;
use warnings;

sub fib {
	my ($n) = @_;
	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

my %seen;
for my $round (1 .. 130) {
	$seen{int rand 5000} .= "x$_ " for 1 .. 5000;
	my @order = sort { length $seen{$a} <=> length $seen{$b} || $a <=> $b } keys %seen;
	s/x(\d+) /$1,/g for @seen{@order[0 .. 99]};
	fib(14);
}
