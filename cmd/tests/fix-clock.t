#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A profile recorded without -k mono: its clock is not that of the jitdump.
. "$(dirname "$0")/tap.sh"

# retime EXPRESSION: changes the time $t of the $nth LOAD in the dump.
retime()
{
	perl -e 'local $/; my $expression = shift; open my $f, "+<:raw", shift or die; my $d = <$f>;
		my ($nth, $at) = (0, unpack "x8 L<", $d);
		while ($at + 16 <= length $d) {
			my ($id, $size, $t) = unpack "L<L<Q<", substr $d, $at, 16;
			eval $expression; die $@ if $@;
			substr $d, $at + 8, 8, pack "Q<", $t;
			$nth++ if $id == 0;
			$at += $size;
		}
		seek $f, 0, 0; print $f $d or die' "$1" jit-23067.dump
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
succeeds "perfjit-fix" perfjit-fix perf.data
err_is "nothing to complain of" </dev/null
out_has "the summary tells the offset and its bounds" \
	"^Clock     pid 23067: -*[0-9.]* ms added to the jitdump's times (between -*[0-9.]* ms and -*[0-9.]* ms)$"
# all names stand at one place each, so they are right at any time
frames perf.fixed.data ../truth.dump
at_least "frames in code that the dump describes" "$((frames_described + frames_early))" 1500
is "none has another name" "$frames_wrong" 0
is "each has its name" "$((frames_right + frames_early_right))" \
	"$((frames_described + frames_early))"

run perfjit-fix --json perf.data
is "JSON: whose clock" "$(said clock)" offset
is "JSON: the bounds hold the offset" \
	"$(($(said clock_offset_min) <= $(said clock_offset) && $(said clock_offset) <= $(said clock_offset_max)))" 1
offset=$(said clock_offset)

# another zero makes another offset and the same frames
retime '$t += 3_600_000_000_000'
run perfjit-fix --json perf.data
exits 0 "a dump of a clock an hour ahead"
is "an hour less is added" "$(said clock_offset)" "$((offset - 3600000000000))"
frames perf.fixed.data ../truth.dump
is "each frame has its name" "$((frames_right + frames_early_right))" \
	"$((frames_described + frames_early))"

# no offset fits half of the functions loaded an hour later than the others
fresh
retime '$t += 3_600_000_000_000 if $nth % 2'
run perfjit-fix perf.data
exits 5 "a dump whose times contradict the samples'"
err_has "says so" 'warning: ./jit-23067.dump: no offset puts its times .*record with -k mono'
out_has "the summary names the process" '^Refused   pid 23067: '
run perfjit-fix --json perf.data
is "JSON: not used" "$(said used)" 0
done_testing
