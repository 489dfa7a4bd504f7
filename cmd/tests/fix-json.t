#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON summary, read by the parser that comes with perl.
. "$(dirname "$0")/tap.sh"

recording java17-fp-pfp
succeeds "perfjit-fix --json" perfjit-fix --json perf.data
is "exit code" "$(json '$j->{exit_code}')" 0
is "input and output" "$(json '"$j->{input} $j->{output}"')" "perf.data perf.fixed.data"
is "samples" "$(json '$j->{samples}')" 753
at_least "samples in JIT code" "$(json '$j->{jit_samples}')" 680
is "a process" "$(json '"$j->{processes}[0]{pid} $j->{processes}[0]{comm}"')" "16122 java"
is "a dump" "$(json '$j->{dumps}[0]{loads}')" 470
is "size of the output" "$(json '$j->{output_bytes}')" "$(stat -c %s perf.fixed.data)"
is "all DSOs are there" "$(json 'join " ", sort map { -f $_->{path} ? () : $_->{path} } @{$j->{dsos}}')" ''
is "as many as in the folder" "$(json 'scalar @{$j->{dsos}}')" "$(ls perf.fixed.data.jit | wc -l)"

rm jit-16122.dump
run perfjit-fix --json perf.data
exits 5 "a dump is missing"
is "exit code" "$(json '$j->{exit_code}')" 5
is "counted" "$(json '$j->{missing_dumps}')" 1
is "reported" "$(json 'join " ", map { $_->{kind} } @{$j->{messages}}')" discover.missing-dump

run perfjit-fix --json none
exits 3 "no input"
is "exit code" "$(json '$j->{exit_code}')" 3
is "reported" "$(json '$j->{messages}[0]{kind}')" file.open
done_testing
