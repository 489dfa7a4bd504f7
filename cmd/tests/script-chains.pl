#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# script-chains.pl <SCRIPT: counts what `perf script -F ip,sym,dso` says of call chains, one a
# paragraph: samples, user frames, those with a name, and chains whose outermost user frame is where
# processes and threads begin, by its name or, without one, for being in the C library; and chains
# that end without a name in a file.
use strict;
use warnings;
no warnings 'portable';

local $/ = '';
my %count = map { $_ => 0 } qw(samples frames named kernel whole infile);
while (<STDIN>) {
	$count{samples}++;
	my @user;
	for (split /\n/) {
		next unless /^\s+([0-9a-f]+) (.*) \((.*)\)$/;
		# kernel addresses, and the all-ones by which libunwind ends some chains
		if (hex($1) >> 63) { $count{kernel}++ if $1 ne 'f' x 16 } else { push @user, [$2, $3] }
	}
	$count{frames} += @user;
	$count{named} += grep { $_->[0] ne '[unknown]' } @user;
	next unless @user;
	my ($name, $dso) = @{$user[-1]};
	$count{infile}++ if $name eq '[unknown]' && $dso =~ m{^/[^/]};
	next if @user < 2;
	$count{whole}++ if $name =~ /^(_start|__libc_start_.*|(__)?clone3?|start_thread|_dl_start_user)$/ ||
		($name eq '[unknown]' && $dso =~ m{/(libc|ld-linux)[^/]*\.so[^/]*$});
}
print "chains_$_=$count{$_}\n" for sort keys %count;
