#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# perf-chains.pl <SCRIPT: the samples of perf script --ns -F tid,time,ip,sym,dso, a line for each:
# tid, time in ns, then each frame, innermost first, as NAME@FILE, NAME being empty where there is
# none; tabs between all.
use strict;
use warnings;

local $/ = '';
while (<STDIN>) {
	my ($head, @frames) = split /\n/;
	my ($tid, $s, $ns) = $head =~ /^\s*(\d+)\s+(\d+)\.(\d{9}):/ or die "not a sample: $head\n";
	for (@frames) {
		my ($name, $file) = /^\s*[0-9a-f]+ (.*) \((.*)\)$/ or die "not a frame: $_\n";
		$_ = ($name eq '[unknown]' ? '' : $name) . "\@$file";
	}
	print join("\t", $tid, "$s$ns" + 0, @frames), "\n";
}
