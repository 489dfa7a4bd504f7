#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of perfjit-check --flamegraph in a headless Chromium, by keys and mouse: flamegraph.pl
# does it with pages that are made here.
. "$(dirname "$0")/../tap.sh"

# page NAME PROFILE [OPTION]...
page()
{
	name=$1 profile=$2
	shift 2
	perfjit-check --json "$@" --flamegraph="../$name.html" "$profile" >"../$name.json"
}

program packed
fix_program
page packed perf.fixed.data --symfs=../symfs
perfjit-check --json --symfs=../symfs perf.data >../before.json
perf script --symfs=../symfs --no-demangle --no-inline -F ip,sym -i perf.fixed.data 2>../perf.err |
	perl -00 -ne '$n++ if /f0_1/; END { print $n }' >../matching

program reuse
fix_program
page reuse perf.fixed.data --symfs=../symfs
rm -rf ./*
recording node20-fp
perfjit-fix -q --jitdump-dir=. perf.data
page node perf.fixed.data
rm jit-*.dump
page without perf.fixed.data
rm -rf ./*
recording java17-fp-pfp
perfjit-fix -q --jitdump-dir=. perf.data
page java perf.fixed.data
perf script --no-inline -F ip,sym -i perf.fixed.data 2>../perf.err |
	sed -n 's/^[[:space:]]*[0-9a-f]* //p' | sort -u >../java.names
rm jit-*.dump
page missing perf.data 2>../missing.err

rm -rf ./*
program packed
perl -0777 -pi -e 's{packed::f0_1\0}{</script><b>\0}g; s{packed::f0_2\0}{<img src=x/>\0}g' jit-*.dump
fix_program
cp perf.fixed.data '<b>bold.data'
page hostile '<b>bold.data' --symfs=../symfs

(cd "$SRCDIR" && cat $(sed -n 's|.*incbin ."\(cmd/[a-z/.]*\).*|\1|p' cmd/check_page.c)) >../source
# 100000 stacks, 25 deep, none like another
perl -e 'my $n = 100000; my @nodes = (0, 0, 0); my @frames = ([1, 0, 0, 0, -1]);
	push @frames, [2, 3, 0, 0, -1] for 1 .. 1000;
	for my $i (0 .. $n - 1) {
		my $from = $i % 100 ? $i % 10 ? 20 : 10 : 1;
		push @nodes, $_, 1 + ($i * 7 + $_ * 13) % 1000, $_ == 25 ? 1 : 0 for $from .. 25;
	}
	local ($/, @ARGV) = (undef, $ARGV[0]);
	$_ = <>;
	my $data = sprintf q({"input":"large","events":["e"],"frames":[%s],"runtimes":["other"],) .
		q("trees":[{"label":"Profile","samples":%d,"jitFrames":1,"jitFramesNamed":1,"chains":1,) .
		q("chainsComplete":1,"nodes":[%s]}],"reasons":[],"duration":1,"memory":[],) .
		q("names":["","comm","frame"]}), join(",", map { "[" . join(",", @$_) . "]" } @frames), $n,
		join(",", @nodes);
	s/\@DATA\@/$data/;
	print' ../source >../large.html

# synthetic SAMPLES FRAMES NODES: a page of one tree
synthetic()
{
	perl -0777 -e 'my ($samples, $frames, $nodes) = splice @ARGV, 0, 3;
		my $data = qq({"input":"synthetic","events":[],"frames":[$frames],"runtimes":["other","R"],) .
			qq("trees":[{"label":"Profile","samples":$samples,"jitFrames":$samples,) .
			qq("jitFramesNamed":$samples,"chains":0,"chainsComplete":0,"nodes":[$nodes]}],) .
			q("reasons":[],"duration":0,"memory":[],"names":["","comm","frame"]});
		$_ = <>;
		s/\@DATA\@/$data/;
		print' "$@" ../source
}
synthetic 0 '' '' >../empty.html
# a caller of 5000 functions
synthetic 5000 "[1,0,0,0,-1]$(perl -e 'print ",[2,3,1,0,-1]" x 5000')" \
	"0,0,0$(perl -e 'print ",1,$_,1" for 1 .. 5000')" >../narrow.html

perl "$ORACLES/browser/flamegraph.pl" "$scratch"
