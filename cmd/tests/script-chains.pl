#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# script-chains.pl <SCRIPT: counts what `perf script -F ip,sym,dso` says of call chains, one a
# paragraph: samples, user frames, those with a name, and chains whose outermost user frame is where
# processes and threads begin, by its name or, without one, for being in the C library and called,
# itself or by one more there, from outside of it what is next; and chains that end without a name
# in a file, and how many of those are whole.
use strict;
use warnings;
no warnings 'portable';

my $c_library = qr{/(libc[.-]|libpthread|ld-linux)[^/]*$};

# begins FRAME...: innermost first, each a name and a file
sub begins
{
	my ($name, $dso) = @{$_[-1]};
	return $name =~ /^(_start|__libc_start_.*|(__)?clone3?|start_thread|_dl_start_user)$/
		if $name ne '[unknown]';
	my ($callee) = grep { !/$c_library/ } map { $_->[1] } reverse @_[($#_ > 1 ? -3 : -2) .. -2];
	return $dso =~ $c_library && defined $callee && $callee ne '[unknown]';
}

local $/ = '';
my %count = map { $_ => 0 } qw(samples frames named kernel whole infile arrived);
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
	my $infile = $user[-1][0] eq '[unknown]' && $user[-1][1] =~ m{^/[^/]};
	my $begins = @user > 1 && begins(@user);
	$count{infile} += $infile;
	$count{whole} += $begins;
	$count{arrived} += $infile && $begins;
}
print "chains_$_=$count{$_}\n" for sort keys %count;
