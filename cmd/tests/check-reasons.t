#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each reason for which a frame has no name or a chain is not complete, by a profile that has it.
. "$(dirname "$0")/tap.sh"

# reason SLUG FRAMES NAME [OPTION]... PROFILE: that many frames are unnamed for this reason, and
# the report says what to do.
reason()
{
	slug=$1 expected=$2 what=$3
	shift 3
	run perfjit-check --json --symfs=../symfs "$@"
	is "$what" "$(json "\$j->{reasons}{'$slug'} // 0")" "$expected"
	is "  ranges have as many" "$(json "my \$n = 0; \$n += \$_->{frames}
		for grep { \$_->{reason} eq '$slug' } @{\$j->{unresolved}}; \$n")" "$expected"
	run perfjit-check --symfs=../symfs "$@"
	grep -A1 -F "[$slug]" ../out >../advice
	grep -q '^ *-> ..' ../advice
	ok $? "  what to do" || tell ../out
}

# end_of SLUG CHAINS NAME [OPTION]... PROFILE
end_of()
{
	slug=$1 expected=$2 what=$3
	shift 3
	run perfjit-check --json --symfs=../symfs "$@"
	is "$what" "$(json "\$j->{chain_ends}{'$slug'} // 0")" "$expected"
}

program packed
reason not-fixed 190 "a dump describes it, no DSO is mapped" --jitdump-dir=. perf.data
end_of no-cfi 190 "chains end there" --jitdump-dir=. perf.data
err_is "nothing to complain of" </dev/null

rm jit-9128.dump
mkdir ../none
reason dump-missing 190 "the dump is gone" --root=../none perf.data
err_has "it is said where it was looked for" "jit-9128.dump not\|jit-9128.dump: jitdump of pid 9128 not found"

frames_options=--symfs=../symfs
program packed
head -c 5302 jit-9128.dump >../half && cp ../half jit-9128.dump
frames perf.data jit-9128.dump
at_least "half a dump describes some frames" "$frames_described" 50
reason no-record $((190 - frames_described)) "a dump that describes other code" \
	--jitdump-dir=. perf.data

program packed
fix_program
dso=$(ls ../symfs/dsos/*.so)
cp "$dso" ../whole.so
leaf=190
end_of complete 190 "with all DSOs, chains are complete" perf.fixed.data
rm "$dso"
reason dso-missing $leaf "the DSO is gone" perf.fixed.data
run perfjit-check --json --symfs=../symfs perf.fixed.data
is "its path is told" "$(json '$j->{unresolved}[0]{mapping}')" "/dsos/${dso##*/}"
echo "this is no ELF file" >"$dso"
reason dso-unreadable $leaf "the DSO is something else" perf.fixed.data
objcopy --strip-all ../whole.so "$dso"
reason no-symbol 2140 "the DSO has no symbols" perf.fixed.data
perl -0pe 's/packed::f/packed::g/g' ../whole.so >"$dso"
reason wrong-name 2140 "the DSO has other names than the dump" --jitdump-dir=. perf.fixed.data
# the second byte of a row: where the caller's frame is
perl -0pe 's/\x0e\x20/\x0e\x28/g; s/\x0e\x30/\x0e\x38/g' ../whole.so >"$dso"
run cmp ../whole.so "$dso"
exits 1 "unwind data was changed"
run perfjit-check --json --symfs=../symfs perf.fixed.data
at_least "chains lose their way by it" "$(json '$j->{chain_ends}{"bad-cfi"} // 0')" 150
chains perf.fixed.data --symfs=../symfs
is "as many are complete as in perf" "$(json '$j->{chain_ends}{complete} // 0')" "$chains_whole"

# chains that perfjit-fix --unwind wrote, from a folder whose name is as long as the recorded one
place=$(mktemp -d "/tmp/pj-XXXXXXXXXXXXX")
trap 'cd /; rm -rf "$scratch" "$place"' EXIT
cp ../symfs/tmp/perfjit-testdata/jitprog "$place"
mkdir -p "../symfs$place"
cp "$place/jitprog" "../symfs$place"
sed -i "s|/tmp/perfjit-testdata/|$place/|g" perf.data
fix_program --unwind
run perfjit-check --json --symfs=../symfs perf.fixed.data
is "baked chains: all named" "$(json '"$j->{jit_frames_named} $j->{chain_ends}{complete}"')" \
	"2140 190"
rm "$dso"
reason dso-missing 2140 "  without the DSO" --jitdump-dir=. perf.fixed.data

# the same place, another file: the profile tells the build-id of the one that was there
program spaced
perfjit-fix -q --dso-dir=../others perf.data
program packed
fix_program
cp "$(ls ../others/*.so | head -n 1)" "$dso"
reason build-id $leaf "the DSO is of another run" perf.fixed.data

# perfjit-fix maps DSOs again after the kernel mapped over them; here it does not
program remap
fix_program
run perfjit-check --json --symfs=../symfs perf.fixed.data
is "mapped again: all named" "$(json '$j->{jit_frames} - $j->{jit_frames_named}')" 0
fix_program --without=reemission
frames perf.fixed.data jit-9360.dump
at_least "mapped once: some unnamed" "$frames_unnamed" 50
run perfjit-check --json --symfs=../symfs perf.fixed.data
is "hidden by later mappings, as in perf" "$(json '$j->{reasons}{hidden}')" \
	"$(json '$j->{jit_frames} - $j->{jit_frames_named}')"
reason hidden "$(json '$j->{reasons}{hidden}')" "hidden" perf.fixed.data

program short
fix_program
end_of stack-short 180 "512 bytes of stack" perf.fixed.data

# programs without JIT code
unwinding()
{
	rm -rf ./*
	gzip -dc "$TESTDATA/unwind/$1.data.gz" >perf.data
	for file in dynamic libshapes.so; do
		gzip -dc "$TESTDATA/unwind/$file.gz" >"../symfs/tmp/perfjit-testdata/$file"
	done
}
unwinding deep
end_of too-deep 11 "200 calls, unwound" perf.data
unwinding deep-fp
end_of too-deep "$(gzip -dc "$TESTDATA/unwind/deep-fp.script.gz" |
	awk 'BEGIN { RS = ""; FS = "\n" } NF > 127 { n++ } END { print n }')" "  recorded" perf.data
# stripped, and with the symbols that were taken out packed into it as Fedora does
unwinding dynamic
program=../symfs/tmp/perfjit-testdata/dynamic
run perfjit-check --json --symfs=../symfs perf.data
named=$(json '$j->{frames_named}')
at_least "symbols" "$named" 1000
gzip -dc "$TESTDATA/unwind/dynamic-minidebug.gz" >packed
objcopy --remove-section=.gnu_debugdata packed "$program"
run perfjit-check --json --symfs=../symfs perf.data
is "stripped, half of them are lost" $(($(json '$j->{frames_named}') < named / 2)) 1
mv packed "$program"
run perfjit-check --json --symfs=../symfs perf.data
is "unless they are in .gnu_debugdata" "$(json '$j->{frames_named}')" "$named"
# or in a file that it names; without a build-id the right one is told by its CRC
unwinding dynamic
perl -0777pi -e 's,.*perfjit-testdata/dynami\Kc,X,s' perf.data
objcopy --remove-section=.note.gnu.build-id "$program"
mkdir "${program%/*}/.debug"
objcopy --only-keep-debug "$program" "${program%/*}/.debug/dynamic.debug"
(cd "${program%/*}/.debug" && objcopy --strip-all --add-gnu-debuglink=dynamic.debug ../dynamic)
cp "$program" "${program%/*}/dynamic.debug"
run perfjit-check --json --symfs=../symfs perf.data
is "or in the file that .gnu_debuglink names" "$(json '$j->{frames_named}')" "$named"
rm -r "${program%/*}/.debug"
run perfjit-check --json --symfs=../symfs perf.data
is "  not in one of that name with another CRC" $(($(json '$j->{frames_named}') < named / 2)) 1
rm "${program%/*}/dynamic.debug"
unwinding i386
end_of no-registers 6 "a 32-bit process" perf.data

# no dump at all, and a perf map
rm -rf ./*
recording py313fpbuild-perfmap-fp
reason perf-map 3539 "a perf map names it" perf.data
run perfjit-check --json --perf-map-dir=. --expect='py::*' perf.data
exits 0 "the user says that maps are there: it counts"
is "  names" "$(json '$j->{jit_frames_named}')" 3539
rm perf-1230.map
reason no-dump 3539 "nothing tells of the code" perf.data
out_has "how CPython tells it" "let CPython tell perf of its code (python3.13 -X perf_jit"

# times that fit in no way: the first half loaded before, the second after all samples
rm -rf ./*
program clock
perl -e 'local $/; open my $f, "+<:raw", shift or die; my $d = <$f>;
	my ($nth, $at) = (0, unpack "x8 L<", $d);
	while ($at + 16 <= length $d) {
		my ($id, $size, $t) = unpack "L<L<Q<", substr $d, $at, 16;
		$t += ++$nth % 2 ? 3_600_000_000_000 : -3_600_000_000_000 if $id == 0;
		substr $d, $at + 8, 8, pack "Q<", $t < 0 ? 0 : $t;
		$at += $size;
	}
	seek $f, 0, 0; print $f $d or die' jit-23067.dump
run perfjit-check --json --symfs=../symfs --jitdump-dir=. perf.data
exits 5 "a dump whose times are wrong"
at_least "the clock is blamed" "$(json '$j->{reasons}{clock} // 0')" 1000

# functions without names get some that say where they are
rm -rf ./*
program packed
perl -e 'open my $f, "+<:raw", shift or die; local $/; my $d = <$f>; my ($at, $n) = (40, 0);
	while ($at + 16 <= length $d) {
		my ($id, $size) = unpack "LL", substr $d, $at, 8;
		substr($d, $at + 56, index($d, "\0", $at + 56) - $at - 56) =~ s/./\0/gs, $n++ if $id == 0;
		$at += $size;
	}
	seek $f, 0, 0; print $f $d or die; print "$n\n"' jit-9128.dump >../blanked
is "names taken out" "$(cat ../blanked)" 48
fix_program
run perfjit-check --json --symfs=../symfs --jitdump-dir=. --min-named=100 perf.fixed.data
exits 0 "a dump without names"
at_least "all frames have one" "$(json '$j->{jit_frames_named}')" 2000

# perf inject: code that ran before its record has no DSO yet; perf maps one from the dump beside
rm -rf ./*
recording java17-fp-pfp
perl -0pi -e 's{(/[^\0]*/)(jit-16122\.dump)\0}{"./$2" . "\0" x (length($1) - 1)}e' perf.data
perf inject -j -i perf.data -o injected.data 2>../perf.err
frames_options=
frames injected.data jit-16122.dump
at_least "perf inject leaves some out" $((frames_early - frames_early_right)) 10
reason loaded-later $((frames_early - frames_early_right)) "before the record's time" injected.data

chains perf.data
# this may be the very kernel that was recorded: with --symfs, it is not asked
run perfjit-check --json --symfs=/ --buildid-dir=../none perf.data
is "the kernel" "$(json '$j->{reasons}{kernel}')" "$chains_kernel"
# who is not root gets no names of the kernel's addresses from perf
is "nothing mapped" "$(json '$j->{reasons}{"no-map"}')" \
	"$(perf script -F ip,sym,dso -i perf.data 2>/dev/null |
		grep '^[[:space:]]*[0-9a-f]* \[unknown\] (\[unknown\])$' |
		grep -vc '^[[:space:]]*ffffffff')"
# what is advised is not what was done: Java had -XX:+PreserveFramePointer on its command line
perl -e 'local $/; open my $f, "<:raw", "perf.data"; $_ = <$f>;
	s/\0\K-XX:\+Preserve/-XX:-Preserve/ or die; open $f, ">:raw", "without.data"; print $f $_'
run perfjit-check perf.data
out_has "frame pointers were kept" '\[frame-pointer\]$'
out_has "  so stacks are what helps" '^ *-> record with --call-graph dwarf,16384'
run perfjit-check without.data
out_has "frame pointers were not kept" '^ *-> let JVM keep frame pointers: -XX:+PreserveFramePointer'
# without any of the files
chains perf.data --symfs=../none
run perfjit-check --json --symfs=../none --buildid-dir=../none perf.data
at_least "where the C library called out is where threads begin" "$chains_arrived" 700
is "  such chains are complete" "$(json '$j->{chain_ends}{complete}')" "$chains_arrived"
is "  as many as with the C library that ran" "$chains_arrived" 742
is "  others that end in files" "$(json '$j->{chain_ends}{"no-file"}')" \
	$((chains_infile - chains_arrived))
is "  code without frame pointers" "$(json '$j->{chain_ends}{"frame-pointer"}')" \
	$((chains_samples - chains_infile))
is "  files that --symfs has not are missing" "$(json '$j->{reasons}{"dso-unreadable"} // 0')" 0
# Python without frame pointers: with the C library that ran, none is complete either
rm -rf ./*
cp "$TESTDATA/recordings/5.10-fp.data" perf.data
end_of no-file 24 "code without frame pointers, without the files" --buildid-dir=../none perf.data
is "  none is called complete" "$(json '$j->{chain_ends}{complete} // 0')" 0
# unwinding: the program itself is not there
program packed
fix_program
rm ../symfs/tmp/perfjit-testdata/jitprog
end_of complete 0 "nor are those that are unwound" perf.fixed.data
end_of no-file 190 "  they end in the program" perf.fixed.data
run perfjit-fix --unwind --symfs=../symfs --jitdump-dir=. -o unwound.data perf.data
out_has "perfjit-fix --unwind says so" '^Cut short 190 chains: the file is not here, or another one$'
done_testing
