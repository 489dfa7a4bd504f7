#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings made wrong on purpose: the first line of what perfjit-doctor says is the cause.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# cause PATTERN NAME [OPTION]...: of the profile here
cause()
{
	pattern=$1 what=$2
	shift 2
	run perfjit-doctor "$@" perf.data
	exits 1 "$what: something is wrong"
	head -1 ../out >../first
	grep -q -e "^perf.data: $pattern" ../first
	ok $? "$what: the first line is the cause" || tell ../out
	out_has "$what: the last is a command" '^Next: perf'
	err_is "$what: nothing else is said" </dev/null
}

# in_place FROM TO: the profile names another path, as long or shorter, for the dump
in_place()
{
	perl -e 'local $/; my ($from, $to) = @ARGV; open my $f, "+<:raw", "perf.data" or die;
		my $d = <$f>; my $n = $d =~ s/\Q$from\E(\0*)/$to . "\0" x
			(length($from) + length($1) - length($to))/ge or die "no $from";
		seek $f, 0, 0; print $f $d' "$1" "$2"
}

# fresh NAME: the recording alone, with its dump written where nothing can be
fresh()
{
	rm -rf ./*
	recording "$1"
	[ ! -f jit-1195.dump ] || in_place /tmp/jit-1195.dump /nil/jit-1195.dump
}

# as it should be
fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump jit-1195.dump
run perfjit-doctor perf.data
exits 0 "a sound recording"
out_has "says so first" '^perf.data is a sound recording of CPython: 719 samples, 704 of them through JIT'
out_has "and what to do with it" '^Next: perfjit-fix perf.data$'
out_has "and what perfjit-fix will make of it" '^With perfjit-fix: 3549 of 3549 frames in JIT code'
cp ../out ../plain
mkfifo pipe
cat perf.data >pipe &
timeout 60 perfjit-doctor pipe >../out 2>../err
sed 's/^pipe/perf.data/' ../out | grep -v '^Next' >../pipe
wait
grep -v '^Next' ../plain >../file
same_file "  the same when it comes through a pipe" ../pipe ../file

fresh py313fpbuild-perfjit-fp
cause 'the jitdump of pid 1195 is no longer where the profile says' "moved"

rm jit-1195.dump
cause 'the jitdump of pid 1195 is gone: /nil/jit-1195.dump' "missing"
out_has "missing: where it was looked for" 'looked for /nil/jit-1195.dump, ./jit-1195.dump'
out_has "missing: its effect" 'Effect .*704 of 719 samples'

fresh py313fpbuild-perfjit-fp
head -c 20000 jit-1195.dump >cut && mv cut jit-1195.dump
cause 'the jitdump of pid 1195 ends in the middle: the process was killed' "killed"
: >jit-1195.dump
cause 'the jitdump of pid 1195 is empty: the process was killed' "killed early"

fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump /nil/jit-0001.dump
perl -e 'open my $f, "+<:raw", "jit-1195.dump"; seek $f, 20, 0; print $f pack "L<", 1'
mv jit-1195.dump jit-0001.dump
cause 'process 1195 ran in a pid namespace, where it is 1' "container"

fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump "jit-1195.dump (deleted)"
rm jit-1195.dump
cause 'the jitdump of pid 1195 is gone: jit-1195.dump was deleted while it was recorded' "deleted"

# as Bun calls it
fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump jit-1-1195.dump
mv jit-1195.dump jit-1-1195.dump
cause 'the jitdump of pid 1195 is not called jit-PID.dump: perf inject passes over it' "odd name"
out_has "odd name: its effect" 'Effect .*704 of 719 samples'

# the recorder was killed: no size of the records yet, no features, and the last record is a part
fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump jit-1195.dump
perl -e 'open my $f, "+<:raw", "perf.data"; seek $f, 40, 0; read $f, my $d, 16;
	my ($at, $size) = unpack "Q<2", $d; seek $f, 48, 0; print $f "\0" x 8; seek $f, 72, 0;
	print $f "\0" x 32; close $f; truncate "perf.data", $at + $size - 20'
cause 'perf record was killed before it finished the profile' "recorder killed"
out_has "recorder killed: what is left" '71[0-9] samples are there$'
out_has "recorder killed: what helps" '^Next: perfjit-fix perf.data$'
succeeds "recorder killed: and it helps" perfjit-fix perf.data
run perf script -F ip -i perf.fixed.data
exits 0 "recorder killed: perf reads what was made of it"
err_is "recorder killed: without a word" </dev/null

# cut off in the middle of its records
fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump jit-1195.dump
head -c 100000 perf.data >cut && mv cut perf.data
cause 'the profile is cut off' "cut off"

fresh py313fpbuild-perfmap-fp
cause 'pid 1230 wrote a perf map instead of a jitdump' "perf map"

rm perf-1230.map
cause 'no jitdump is mapped in this profile: CPython was not told to write one' "no dump"
out_has "no dump: how CPython is told" 'python3.13 -X perf_jit'

# a mapping that might be of a jitdump by another name, of a file that is no more
fresh py313fpbuild-perfjit-fp
in_place /nil/jit-1195.dump /nil/code.dat
rm jit-1195.dump
cause 'no jitdump is mapped in this profile: CPython was not told to write one' "odd mapping"
out_has "odd mapping: how much it costs" 'Effect .*704 of 719 samples'

rm -rf ./*
for file in perf.data jit-23067.dump; do
	gzip -dc "$TESTDATA/programs/clock/$file.gz" >$file
done
cause 'it was recorded without -k mono' "wrong clock"
out_has "wrong clock: the offset is evidence" 'Seen .*jit-23067.dump.* ms'

rm -rf ./*
form zstd-6.1
cause 'it was recorded with -z' "compressed"

# finds KIND EXPRESSION VALUE: a finding of the profile here
finds()
{
	run perfjit-doctor --json perf.data
	is "it is found: $1" "$(json "(grep { \$_->{kind} eq '$1' } @{\$j->{examined}[0]{findings}})[0]
		{$2}")" "$3"
}

rm -rf ./*
form two-6.1
finds no-chains samples 191
is "the kernel was left out on purpose" "$(json "scalar grep { \$_->{kind} eq 'user-only' }
	@{\$j->{examined}[0]{findings}}")" 0
# perf adds :u to events that this user may not count in the kernel, but not to what was typed
perl -pi -e 's/(cpu-clock|page-faults):u/$1:p/g' perf.data
finds user-only weight note

# cut behind the last sample, within what perf writes at the end
for cut in 1 100 1000 5000; do
	rm -rf ./*
	recording java17-fp-pfp
	truncate -s -$cut perf.data
	run perfjit-doctor --jitdump-dir=. perf.data
	exits 1 "$cut bytes are cut off"
	out_has "  the first line says so" '^perf.data: the profile is cut off behind its samples'
	out_has "  what to do" '^Next: perfjit-fix perf.data'
done

# nothing is left of the samples
head -c 3000 perf.data >few.data
run perfjit-doctor few.data
out_has "cut before the first sample: the cut is the cause" '^few.data: the profile is cut off: '

# perf report --stats: LOST_SAMPLES events: 44
rm -rf ./*
form switched-last-6.1
finds lost-events samples 44
finds lost-events of 82

# eleven samples are older than the code they are in, as one sees who compares by hand the times of
# samples with those of the dump
rm -rf ./*
recording java17-fp-pfp
finds loaded-later samples 11

# callers behind the first frame in JIT code are not there: PERF_CONTEXT_USER says nothing
fresh py313fpbuild-perfjit-fp
succeeds "made so" perl "$ORACLES/perfdata-cut-chains.pl" perf.data 7fda59fb0000 7fda59fc0000
cause 'call chains were recorded by frame pointers, and code without them ends them' \
	"no frame pointers"
out_has "no frame pointers: its effect" 'Effect .*70[0-9] of 719 samples'

# the files that ran are not here
program packed
cause 'call chains end in /[^ ]*, which is not on this machine' "no files" --symfs=/nowhere
out_has "no files: where they are is to be said" '^Next: perfjit-doctor --symfs=DIR perf.data$'

# stacks cut to 48 bytes

run perfjit-doctor --json --symfs=../symfs perf.data
is "stacks as they are: none is too small" \
	"$(json 'scalar grep { $_->{kind} eq "stack-short" } @{$j->{examined}[0]{findings}}')" 0
is "stacks as they are: all chains are complete" "$(json '$j->{examined}[0]{after}{chains_complete}')" 190
succeeds "made so" perl "$ORACLES/perfdata-cut-stacks.pl" perf.data 48
cause 'the copies of stacks are too small' "stacks too small" --symfs=../symfs
out_has "stacks too small: how to copy more" '^Next: perf record -k mono --call-graph dwarf,65528'

# by a newer perf than the one that reads
rm -rf ./*
cp "$TESTDATA/recordings/7.3-fp.data" perf.data
chmod u+w perf.data
if perf script -i perf.data >/dev/null 2>&1; then
	run perfjit-doctor --json perf.data
	is "newer perf: read all the same" \
		"$(json 'scalar grep { $_->{kind} eq "older" } @{$j->{examined}[0]{findings}}')" 0
else
	cause "perf can't read this profile: it refuses profiles recorded" "newer perf"
	out_has "newer perf: what helps" '^Next: perfjit-fix --for-perf=perf perf.data$'
	run perfjit-fix --for-perf=perf perf.data
	exits 6 "newer perf: there is no jitdump in it"
	succeeds "newer perf: perf reads it then" perf script -i perf.fixed.data
fi

# what can't be read
echo nothing >perf.data
run perfjit-doctor perf.data
exits 3 "no profile"
err_has "says so" 'perf.data: is no perf.data file'

# several files, a dump among them
fresh py313fpbuild-perfjit-fp
head -c 20000 jit-1195.dump >cut.dump
run perfjit-doctor perf.data cut.dump
exits 1 "two files"
out_has "the dump's cause" '^Cut.dump: The dump ends within a record\|^cut.dump: .*ends within a record'
run perfjit-doctor --json perf.data cut.dump
is "JSON: both" "$(json 'join " ", map { "$_->{kind} $_->{findings}[0]{kind}" } @{$j->{examined}}')" \
	"recording dump-moved jitdump jitdump.truncated-record"
is "JSON: the effect" "$(json '$j->{examined}[0]{findings}[0]{samples}')" 719

# what nobody else is to see: where things are, with blanks in it, and what the command line says
mkdir -p "Eve Black/my case"
cd "Eve Black/my case"
recording py313fpbuild-perfjit-fp
in_place /tmp/jit-1195.dump "/E B/jit-1195.dump"
succeeds "a secret on the command line" perl -e 'local $/; open my $f, "+<:raw", "perf.data" or die;
	my $d = <$f>; $d =~ s/nest\.py/s3cr\.et/ or die "no argument"; seek $f, 0, 0; print $f $d'
cp jit-1195.dump "cut one.dump"
truncate -s 20000 "cut one.dump"
cp "$(command -v perf)" "an own perf"
secrets='Eve|Black|my case|E B|1195\.dump|own perf|cut one|s3cr|py::|outer|nest'
# of the secrets some are in what is said, and with --redact none
tells_none()
{
	perfjit-doctor --perf="$PWD/an own perf" --symfs="/E B" "$@" perf.data "$PWD/cut one.dump" \
		>../out 2>../err
	is "without --redact it is in it: $*" "$(grep -q -E "$secrets" ../out && echo yes)" yes
	perfjit-doctor --perf="$PWD/an own perf" --symfs="/E B" --redact "$@" perf.data \
		"$PWD/cut one.dump" >../out 2>../err
	is "--redact: nothing of it is: $*" "$(grep -n -E "$secrets|$HOME|$(uname -n)" ../out)" ""
	is "--redact: the findings are there: $*" "$(grep -c '<path>' ../out | sed 's/^[1-9].*/some/')" \
		some
}
tells_none --report
tells_none --report --json
mv jit-1195.dump ..
tells_none --report
rm ../jit-1195.dump
tells_none --report

# what is to be typed can be typed
recording py313fpbuild-perfjit-fp
in_place /tmp/jit-1195.dump "/E B/jit-1195.dump"
mv perf.data "it's perf.data"
run perfjit-doctor "it's perf.data"
sed -n 's/^Next: //p' ../out >next
is "a name in quotes" "$(cat next)" "perfjit-fix 'it'\\''s perf.data'"
succeeds "as one command" sh next
[ -s "it's perf.fixed.data" ]
ok $? "and its output is there"
cd ../..

# -X takes what it does not know
fresh py311-perfjit
cause 'this Python, 3.11, writes no jitdump: 3.13 and later do, by -X perf_jit' "an old Python"
out_has "an old Python: next is a newer" '^Next: .* python3.13 -X perf_jit PROGRAM$'
# the same as if nobody had asked for a jitdump
perl -pi -e 's/perf_jit/dev\0\0\0\0\0/g' perf.data
run perfjit-doctor perf.data
is "nobody who did not ask is told so" "$(grep -c 'writes no jitdump' ../out)" 0
done_testing
