#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What `make bench` measures with: generated profiles are what perf and perfjit-fix take them for.
. "$(dirname "$0")/tap.sh"
. "$ORACLES/recording.sh"

# generated FRAMES OPTION...: perf reads it, and of the fixed profile names all.
generated()
{
	least=$1
	shift
	rm -rf ./*
	succeeds "generate $*" "$BUILD/bench/generate" --functions=300 --samples=200 "$@" .
	run perf script -i perf.data -F tid,time
	exits 0 "perf reads it"
	at_least "with all samples" "$(grep -c "^ *4711" ../out)" 200
	succeeds "perfjit-fix takes it" perfjit-fix --quiet perf.data
	names_all perf.fixed.data "$least" jit-4711.dump
	sound_dsos perf.fixed.data.jit
}

generated 1000 --chain=5
generated 1000 --chain=5 --spaced --lines
generated 1000 --chain=5 --uses=3
generated 1600 --stack=1024 --uses=3
run perf inject -j -i perf.data -o injected.data
exits 0 "perf inject -j takes it"
is "and writes a file for each function" "$(ls | grep -c '^jitted-4711-')" 300

run "$BUILD/bench/measure" figures 10 sh -c 'exit 3'
exits 0 "measure runs a command"
is "and tells how it ended" "$(cut -d ' ' -f 1 figures)" 3
run "$BUILD/bench/measure" figures 0.1 sleep 60
is "one that takes too long is killed" "$(cut -d ' ' -f 1 figures)" 137

# what is measured does not matter here
run env PERFS="perf no-such-perf" "$TESTDATA/bench/run" --fix="$BUILD/perfjit-fix" \
	--tools="$BUILD/bench" --work=bench --size=tiny --rounds=1 --only=packed-1k --only=lines-1k
exits 0 "the benchmark runs"
for row in 'cp' 'cp, sync' 'perfjit-fix --no-sync' 'perfjit-fix' 'perf .* inject -j'; do
	is "twice: $row" "$(grep -c "^  $row  .*[0-9]\.[0-9]" ../out)" 2
done
out_has "what is missing is named" '^  no-such-perf: no such perf'
done_testing
