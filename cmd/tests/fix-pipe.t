#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record -o - ... | perfjit-fix - | perf report -i -
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# through NAME [ABI]: the stream is fixed, perf reads the stream that comes out
through()
{
	form "$1"
	abi=${2:-auto}
	run sh -c "cat perf.data | perfjit-fix --perf-abi=$abi --jitdump-dir=. - >out.pipe"
	exits 0 "$1: from a pipe to a pipe"
	is "$1: the summary stands elsewhere" "$(cat ../out)" ''
	err_has "$1: on standard error" '^Wrote     standard output, [0-9]* DSO.* in perf.fixed.data.jit$'
	err_has "$1: it says what was found" '^Samples   [0-9]* of [0-9]* in JIT code'
	is "$1: what is there" "$(ls | tr '\n' ' ')" "$(echo jit-*.dump) out.pipe perf.data perf.fixed.data.jit "
	frames - jit-*.dump <out.pipe
	at_least "$1: perf names frames" "$frames_right" 170
	is "$1: all of them" "$frames_right $frames_wrong" "$frames_described 0"
	succeeds "$1: the same to a file" perfjit-fix -q --perf-abi="$abi" --jitdump-dir=. \
		--dso-dir=perf.fixed.data.jit -o file.data perf.data
	same_file "$1: the same bytes" file.data out.pipe
	run sh -c 'perfjit-fix -q --strip - <out.pipe | cmp - perf.data'
	exits 0 "$1: strip from a pipe to a pipe gives what was recorded"
	run sh -c "perfjit-fix -q --perf-abi=$abi --jitdump-dir=. - <out.pipe | cmp - out.pipe"
	exits 0 "$1: what was fixed comes out as it is"
	run sh -c 'perf report -i - --stdio -g none <out.pipe 2>&1 | grep -c "jit-.*\.so .*nocfi::"'
	out_has "$1: perf report shows them" '^[1-9]'
	rm -rf ./*
}

through pipe-6.1
through pipe-tracepoint-6.1
through zstd-pipe-6.1
through pipe-5.10 6.1	# perf 6.1 finds no ids in a pipe by a perf whose attrs have another size

form pipe-6.1
run perfjit-fix -q --jitdump-dir=. -o - perf.data
exits 0 "from a file to a pipe"
run sh -c 'perfjit-fix --jitdump-dir=. --json - <perf.data >out.pipe'
err_has "JSON stands on standard error too" '"output":"-"'
rm -rf out.pipe perf.fixed.data.jit

run sh -c '{ perfjit-fix --jitdump-dir=. - <perf.data; echo $? >&3; } 3>status | true'
is "nobody reads: the status" "$(cat status)" 4
err_has "says so" 'error: standard output: can.t write: Broken pipe'
rm status
holds "takes the DSOs back" "$(echo jit-*.dump)" perf.data

run sh -c 'perfjit-fix --jitdump-dir=. - <perf.data >/dev/full'
exits 4 "a full disk: the status"
err_has "says so" 'error: standard output: can.t write: No space left on device'
holds "takes the DSOs back" "$(echo jit-*.dump)" perf.data

run perl -e 'open STDIN, "<", "perf.data"; open STDOUT, "+<", "/dev/ptmx" or die; exec "perfjit-fix", "-"'
exits 2 "a terminal gets no profile"
err_has "says what to do" 'not for the terminal: pipe it to perf report -i -, or name a file with -o'
holds "nothing is written" "$(echo jit-*.dump)" perf.data
run perfjit-fix -q --jitdump-dir=. --dry-run -
exits 3 "an empty stream"

# ^C ends the recording; what was recorded so far is fixed all the same
cat >interrupted <<'EOT'
trap '' INT
(trap - INT; exec perl -e '
	$SIG{INT} = "DEFAULT";
	pipe my $read, my $write;
	my $pid = fork // die;
	if (!$pid) { open STDIN, "<&", $read; close $write; exec "perfjit-fix", "-q", "--jitdump-dir=.", "-" }
	open my $in, "<:raw", "perf.data";
	local $/;
	my $bytes = <$in>;
	syswrite $write, substr($bytes, 0, 20000);
	# until it waits for more: nothing but its first read says that it is ready
	select undef, undef, undef, 0.05 while `cat /proc/$pid/wchan /proc/$pid/stat` !~ /pipe_read|\) S /;
	kill "INT", $pid;
	syswrite $write, substr($bytes, 20000);
	close $write;
	waitpid $pid, 0;
	exit($? & 127 ? 1 : $? >> 8);
')
EOT
run sh -c 'sh interrupted >out.pipe'
exits 0 "interrupted while the recorder still writes"
at_least "all is there" "$(wc -c <out.pipe)" "$(wc -c <perf.data)"
rm -rf ./*

recording py313fpbuild-perfjit-fp
run perfjit-fix -o - perf.data
exits 2 "a profile that was recorded to a file is none for a pipe"
err_has "says what to do" 'perf reads such from files only: name one with -o'
run sh -c 'perfjit-fix - <perf.data'
exits 2 "nor when it comes through one"
succeeds "to a file it goes" sh -c 'perfjit-fix -q -o fixed.data - <perf.data'
done_testing
