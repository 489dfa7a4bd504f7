#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A profile recorded without -k mono: its clock is not that of the jitdump.
. "$(dirname "$0")/tap.sh"

# retime DUMP EXPRESSION: changes the time $t of each record; it is the $nth of $kind in the dump,
# the $record'th of all.
retime()
{
	perl -e 'local $/; my ($name, $expression) = @ARGV; open my $f, "+<:raw", $name or die; my $d = <$f>;
		my ($record, $at, %seen) = (0, unpack "x8 L<", $d);
		while ($at + 16 <= length $d) {
			my ($kind, $size, $t) = unpack "L<L<Q<", substr $d, $at, 16;
			my $nth = $seen{$kind}++;
			eval $expression; die $@ if $@;
			substr $d, $at + 8, 8, pack "Q<", $t;
			$record++;
			$at += $size;
		}
		seek $f, 0, 0; print $f $d or die' "$1" "$2"
}

# without_clock PROFILE: makes it look as if recorded without -k mono: use_clockid of each event
# is cleared, times stay what they are, CLOCK_MONOTONIC.
without_clock()
{
	perl -e 'local $/; open my $f, "+<:raw", shift or die; my $d = <$f>;
		my ($entry, $from, $size) = unpack "x16 Q<3", $d;
		for (my $at = $from; $at < $from + $size; $at += $entry) {
			my $flags = unpack "Q<", substr $d, $at + 40, 8;
			die "no use_clockid" unless $flags >> 25 & 1;
			substr $d, $at + 40, 8, pack "Q<", $flags & ~(1 << 25);
		}
		seek $f, 0, 0; print $f $d or die' "$1"
}

fresh()
{
	rm -rf ./*
	for file in "$TESTDATA/programs/clock"/*.gz; do
		name=${file##*/}
		gzip -dc "$file" >"${name%.gz}"
	done
}

# ms KEY: what --json said about the dump's clock
said()
{
	perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>);
		print $j->{dumps}[0]{$ARGV[0]} // "none"' "$1" <../out
}

fresh
gzip -dc "$TESTDATA/programs/clock/jit-23067.dump.gz" >../truth.dump
succeeds "perfjit-fix" perfjit-fix --jitdump-dir=. perf.data
err_is "nothing to complain of" </dev/null
out_has "the summary tells the offset and its bounds" \
	"^Clock     pid 23067: -*[0-9.]* ms added to the jitdump's times (-*[0-9.]* to -*[0-9.]* ms would fit)$"
# all names stand at one place each, so they are right at any time
frames perf.fixed.data ../truth.dump
at_least "frames in code that the dump describes" "$((frames_described + frames_early))" 1500
is "none has another name" "$frames_wrong" 0
is "each has its name" "$((frames_right + frames_early_right))" \
	"$((frames_described + frames_early))"

run perfjit-fix --json --jitdump-dir=. perf.data
is "JSON: whose clock" "$(said clock)" offset
is "JSON: the bounds hold the offset" \
	"$(($(said clock_offset_min) <= $(said clock_offset) && $(said clock_offset) <= $(said clock_offset_max)))" 1
offset=$(said clock_offset)

# another zero makes another offset and the same frames
retime jit-23067.dump '$t += 3_600_000_000_000'
run perfjit-fix --json --jitdump-dir=. perf.data
exits 0 "a dump of a clock an hour ahead"
is "an hour less is added" "$(said clock_offset)" "$((offset - 3600000000000))"
frames perf.fixed.data ../truth.dump
is "each frame has its name" "$((frames_right + frames_early_right))" \
	"$((frames_described + frames_early))"

# no offset fits half of the functions loaded an hour later than the others
fresh
retime jit-23067.dump '$t += 3_600_000_000_000 if $kind == 0 && $nth % 2'
run perfjit-fix --jitdump-dir=. perf.data
exits 5 "a dump whose times contradict the samples'"
err_has "says which bounds contradict each other, and what to do" \
	"warning: ./jit-23067.dump: .*contradict each other: the record at byte [0-9]* .* ms or more .* that at byte [0-9]* .* ms or less.*record with -k mono"
out_has "the summary names the process" '^Refused   pid 23067: .*record with -k mono$'
run perfjit-fix --json --jitdump-dir=. perf.data
is "JSON: not used" "$(said used)" 0
is "nothing is inserted" "$(json '$j->{inserted_records}')" 0
run perl "$ORACLES/perfdata-compare.pl" perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"
out_has "nor changed" 'inserted=0 changed=0'

# nor one that fits some kind of record and not the others
for which in '$record % 2' '!($record % 2)' '$kind == 0' '$kind == 4'; do
	recording py313fpbuild-perfjit-fp
	without_clock perf.data
	retime jit-1195.dump "\$t += 1_000_000_000_000 if $which"
	run perfjit-fix --force --jitdump-dir=. perf.data
	exits 5 "a thousand seconds later where $which"
	out_has "none named" '^Functions 0 named$'
done

# threads that write one dump are a little out of order
recording py313fpbuild-perfjit-fp
cp jit-1195.dump ../truth.dump
retime jit-1195.dump '$t -= 5_000_000 if $record % 3 == 1'
run perfjit-fix --json --force --jitdump-dir=. perf.data
exits 0 "records 5 ms earlier than those in front of them"
is "all functions are named" "$(json '$j->{functions}')" 186

# one process's contradictions are not another's
rm -rf ./*
program fork
without_clock perf.data
retime jit-9526.dump '$t += 1_000_000_000_000 if $record % 2'
run perfjit-fix --jitdump-dir=. perf.data
exits 5 "a process whose times fit in no way, and its child's, which do"
out_has "the one is refused" '^Refused   pid 9526: '
out_has "the other repaired" '^Clock     pid 9550: '
rm perf.fixed.data
run fix_program
frames_options=--symfs=../symfs
frames perf.fixed.data jit-9550.dump
is "frames of the other are named" "$((frames_right + frames_early_right))" \
	"$((frames_described + frames_early))"
at_least "there are such" "$frames_described" 50

# recorded with -k mono all of these have an offset of 0, and are repaired to about that
repaired=0
for from in "$TESTDATA/recordings"/*/ "$TESTDATA/programs"/*/; do
	[ -f "$from/perf.data.gz" ] && ls "$from"/*.dump.gz >../found 2>&1 || continue
	rm -rf ./*
	for file in "$from"/*.gz; do
		name=${file##*/}
		gzip -dc "$file" >"${name%.gz}"
	done
	without_clock perf.data 2>../err || continue
	repaired=$((repaired + 1))
	run perfjit-fix --json --jitdump-dir=. --dry-run perf.data
	is "$(basename "$from"): each offset is less than 50 ms, of a dump that is used" \
		"$(json 'join " ", map { $_->{used} && $_->{clock} eq "offset" && abs($_->{clock_offset}) < 50e6 ? () : $_->{path} } @{$j->{dumps}}')" ""
done
at_least "so many recordings were repaired" "$repaired" 20
done_testing
