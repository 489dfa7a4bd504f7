#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ctrl-C while files are written takes back what was written. gdb sends the signal at a known place.
. "$(dirname "$0")/tap.sh"

# interrupted SIGNAL FUNCTION PASSES COMMAND...: the signal comes when FUNCTION is called again
interrupted()
{
	signal=$1 place=$2 passes=$3
	shift 3
	# who started this may have set signals to be ignored, as shells do for what is in the background
	ASAN_OPTIONS=detect_leaks=0 run env --default-signal gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex "handle $signal nostop pass" -ex "break $place" -ex "ignore 1 $passes" \
		-ex run -ex 'info breakpoints' -ex delete -ex "signal $signal" --args "$@"
}

recording node20-fp
# the third DSO: two are there already
for signal in SIGINT SIGTERM; do
	interrupted $signal dso__write 2 "$BUILD/perfjit-fix" perf.data
	out_has "$signal: comes at the third DSO" 'already hit 3 times'
	out_has "$signal: the process ends by it" "Program terminated with signal $signal"
	holds "$signal: nothing is left" perf.data jit-25044.dump nest.js
done
interrupted SIGINT perfdata_edits__write 0 "$BUILD/perfjit-fix" perf.data
out_has "at the profile: the process ends by the signal" "Program terminated with signal SIGINT"
holds "at the profile: nothing is left" perf.data jit-25044.dump nest.js
done_testing
