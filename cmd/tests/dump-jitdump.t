#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jitdumps: what perfjit-dump prints is what independent parsers find in them, in text and JSON and
# in both byte orders; selection; what is odd.
. "$(dirname "$0")/tap.sh"

# loads: from JSON, the lines of jitdump-names.pl
loads()
{
	perl -MJSON::PP -ne 'BEGIN { binmode STDOUT, ":utf8" }
		my $r = decode_json($_); next if $r->{type} ne "LOAD";
		printf "%d\t%d\t%s\t%x\t%s\n", $r->{pid}, $r->{time} // $r->{tsc}, substr($r->{code_addr}, 2),
			$r->{code_size}, $r->{name}'
}

# records: from text, place, kind and size of each record
records()
{
	sed -n 's/^0x0*\([0-9a-f]*\) \([A-Z_0-9]*\) size=\([0-9]*\).*/\1 \2 \3/p'
}

unpack_dumps()
{
	for file in "$TESTDATA"/recordings/*/jit-*.dump.gz "$TESTDATA"/programs/*/jit-*.dump.gz \
		"$TESTDATA"/jitdumps/*.dump.gz; do
		name=${file#"$TESTDATA/"}
		gzip -dc "$file" >"$(echo "${name%.gz}" | tr / _)"
	done
}

unpack_dumps
at_least "dumps to read" "$(ls ./*.dump | wc -l)" 20
for dump in *.dump; do
	perl "$ORACLES/jitdump-records.pl" "$dump" >../records || exit 1
	# one that a forked child wrote into has bytes between its records
	case $dump in *fork.dump) continue ;; esac
	succeeds "$dump as text" perfjit-dump "$dump"
	records <../out >../ours
	same_file "  has the records that stand in it" ../ours ../records
	perl "$ORACLES/jitdump-names.pl" "$dump" >../names
	succeeds "  as JSON" perfjit-dump --json "$dump"
	loads <../out >../ours
	same_file "  has the functions that stand in it" ../ours ../names
done

perl "$ORACLES/jitdump-swap.pl" recordings_java17-fp-pfp_jit-16122.dump >big.dump || exit 1
succeeds "a big-endian dump" perfjit-dump big.dump
out_has "  says so" 'byte_order=big'
sed 1d ../out >../big
perfjit-dump recordings_java17-fp-pfp_jit-16122.dump | sed 1d >../little
same_file "  is printed as the little-endian one is" ../big ../little

# selection; names and addresses are those that jitdump-names.pl prints
dump=recordings_py313fpbuild-perfjit-fp_jit-1195.dump
perl "$ORACLES/jitdump-names.pl" $dump >../names
addr=$(awk -F '\t' '$5 ~ /^py::leaf:/ { print $3 }' ../names)
time=$(awk -F '\t' '$5 ~ /^py::leaf:/ { printf "%d.%09d\n", $2 / 1000000000, $2 % 1000000000 }' ../names)
for selection in "--function=py::leaf:*" "--address=$addr" "--address=0x$addr-0x$addr" "--time=$time-$time"; do
	run perfjit-dump --type=LOAD "$selection" $dump
	is "$selection selects one function" "$(grep -c '^0x.* LOAD ' ../out)" 1
	out_has "  the right one" 'name="py::leaf:/'
done
run perfjit-dump "--function=py::leaf:*" $dump
is "its unwind data comes with it" "$(records <../out | cut -d' ' -f2 | tr '\n' ' ')" "UNWINDING_INFO LOAD "
run perfjit-dump --function=py::leaf:* --function=py::middle:* --type=load $dump
is "several patterns" "$(records <../out | wc -l)" 2
run perfjit-dump --type=jit_code_load $dump
is "a type by its long name" "$(records <../out | wc -l)" "$(wc -l <../names)"
run perfjit-dump --pid=1195 $dump
is "the pid of all" "$(records <../out | wc -l)" "$((2 * $(wc -l <../names)))"
run perfjit-dump --pid=1 $dump
is "a pid of none" "$(records <../out | wc -l)" 0
run perfjit-dump --time=-"$time" --type=LOAD $dump
is "up to a time" "$(records <../out | wc -l)" \
	"$(awk -F '\t' '{ n++ } $5 ~ /^py::leaf:/ { print n }' ../names)"

succeeds "bytes" perfjit-dump --json -x --type=load "--function=py::leaf:*" $dump
place=$(perl -MJSON::PP -ne 'my $r = decode_json($_); print $r->{offset} if $r->{body}' ../out)
perl -MJSON::PP -ne 'my $r = decode_json($_); print pack "H*", $r->{body} if $r->{body}' ../out >../body
tail -c +$((place + 17)) $dump | head -c "$(stat -c %s ../body)" >../there
same_file "  are those of the file" ../body ../there
succeeds "bytes as text" perfjit-dump -x --type=load "--function=py::leaf:*" $dump
out_has "  in hexadecimal" '^    0000:  ab 04 00 00 ab 04 00 00 '

# what is odd
run perfjit-dump --summary jitdumps_cpython313-fork.dump
out_has "a dump that a child wrote into" '^odd jitdump.resync: [1-9]'
out_has "  the same function twice" '^odd jitdump.repeated-record: '
out_has "  bytes skipped" ' skipped_bytes=[1-9]'
run perfjit-dump jitdumps_cpython313-fork.dump
out_has "  said where they are" '^  ! warning: at byte 0x[0-9a-f]*: [0-9]* bytes that are no record were skipped'
run perfjit-dump --summary recordings_node20-fp_jit-25044.dump
out_has "V8's bias" '^odd jitdump.biased-lines: 1 time; perf inject --jit goes wrong; the runtime.s doing'
out_has "V8's empty unwind data" '^odd jitdump.empty-unwinding: 2199 times, first at byte 0x28;'
head -c 20000 $dump >cut.dump
run perfjit-dump cut.dump
out_has "a dump that is cut off" 'is cut off after [0-9]* of [0-9]* bytes \[jitdump.truncated-record\]'
perl -e 'binmode STDOUT; print pack("V6 Q2", 0x4A695444, 1, 40, 62, 0, 7, 0, 0),
	pack("V2 Q V2 Q4 Z* C", 0, 65, 1000, 7, 7, 4096, 4096, 1, 1, "a\e[31mb", 0xc3)' >evil.dump
succeeds "a name with control characters" perfjit-dump evil.dump
out_has "  is printed without them" 'name="a\\x1b\[31mb"'
is "  not one of them" "$(grep -c "$(printf '\033')" ../out)" 0
done_testing
