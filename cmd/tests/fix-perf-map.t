#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPython 3.13 with -X perf: a perf map instead of a jitdump.
. "$(dirname "$0")/tap.sh"

# map_frames PROFILE: what perf makes of the frames in code that the map tells of
map_frames()
{
	perl -ne 'chomp; my ($addr, $size, $name) = split / /, $_, 3;
		print "1230\t0\t$addr\t$size\t$name\n"' ../truth.map >../names
	perf script --show-mmap-events --no-demangle --no-inline --max-stack 1024 --ns \
		-F pid,tid,time,ip,sym,dso -i "$1" 2>../perf.err |
		perl "$ORACLES/script-frames.pl" ../names >../frames
	eval "$(cat ../frames)"
	sed 's/^/# /' ../frames
}

named()
{
	at_least "frames in code that the map tells of" "$frames_described" 3500
	is "all have its names" "$frames_right" "$frames_described"
}

recording py313fpbuild-perfmap-fp
cp perf-1230.map ../truth.map
map_frames perf.data
at_least "before: frames are there" "$frames_unnamed" 3500

succeeds "the map lies beside the profile" perfjit-fix perf.data
out_has "the summary counts it" '1 process with JIT code, 0 jitdumps, 1 perf map$'
out_has "its functions are named" '^Functions 186 named$'
map_frames perf.fixed.data
named

mkdir maps && mv perf-1230.map maps
run perfjit-fix perf.data
exits 6 "no map and no jitdump"
succeeds "--perf-map-dir" perfjit-fix --perf-map-dir=maps perf.data
map_frames perf.fixed.data
named

# lines that two writers mixed up cost themselves
{ echo '7fa09aaccb90 b7fa09aaccb90'; echo 'zz'; cat ../truth.map; } >maps/perf-1230.map
run perfjit-fix --perf-map-dir=maps --json perf.data
exits 0 "a damaged map"
is "JSON: the map" "$(perl -MJSON::PP -e 'local $/; my $m = decode_json(<STDIN>)->{perf_maps}[0];
	print "$m->{path} $m->{pid} $m->{entries} $m->{unusable} $m->{used}"' <../out)" \
	"maps/perf-1230.map 1230 186 2 186"

# what a file holds at an address is no matter of the map's
echo "$(perf script --show-mmap-events -i perf.data 2>../perf.err |
	sed -n 's/.*MMAP2.*\[0x\([0-9a-f]*\)(.*r-xp .*libc\.so\.6$/\1/p' | head -1) 1000 evil" \
	>maps/perf-1230.map
run perfjit-fix --perf-map-dir=maps --json perf.data
out_has "a map that names code of a file" '"entries": *1,'
out_has "is not used" '"used": *0'
out_has "and inserts nothing" '"inserted_records": *0'

# for a perf that can't unwind either: chains as with DSOs, of which nothing is left
rm -rf ./*
recording llvm14-mcjit-nofp-dwarf
succeeds "chains, and maps that name them" perfjit-fix --unwind --perf-map=maps -o maps.data perf.data
out_has "  chains pass through JIT code" '^Unwound .* [1-9][0-9]* through JIT code'
out_has "  maps are written" '^Maps      1 perf-PID.map file'
holds "  no DSO is left" perf.data jit-6393.dump nest.c maps maps/perf-6393.map maps.data
perfjit-fix -q --unwind -o dsos.data perf.data
for name in maps dsos; do
	perf script -F ip --no-inline -i $name.data 2>../perf.err |
		awk '!NF { print n; n = 0 } NF { n++ }' >../$name.depths
done
same_file "  chains are as long as those that DSOs give" ../maps.depths ../dsos.depths
at_least "  frames" "$(awk '{ n += $1 } END { print n }' ../maps.depths)" 500
is "  no DSO is mapped" "$(perf script --show-mmap-events -i maps.data 2>/dev/null |
	grep -c 'maps.data.jit')" 0
is "  of DSOs there are some" "$(($(perf script --show-mmap-events -i dsos.data 2>/dev/null |
	grep -c 'dsos.data.jit') > 0))" 1
done_testing
