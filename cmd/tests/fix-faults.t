#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One system call or allocation after the other fails, is cut short or comes with a signal: nothing
# half-written is left, what was there stands, the exit code and a message say what happened. With
# FAULTS=all (make check-faults) in every form of the output and at every call.
. "$(dirname "$0")/tap.sh"

# form NAME RECORDING ARGUMENT...: a folder with the recording, and perfjit-fix's arguments for it
form()
{
	name=$1 from=$2
	shift 2
	cp -r "$TESTDATA/forms/$from" "$name"
	chmod -R u+w "$name"
	find "$name" -name '*.gz' -exec gzip -d {} +
	printf '%s\n' "$@" >"$name/.args"
	forms="$forms $name"
}

# within NAME COMMAND...: in the folder at whose path it will be run
within()
{
	name=$1
	shift
	mv "$name" work
	(cd work && "$@" >/dev/null)
	ok $? "$name: made by $*"
	mv work "$name"
}

forms=
form plain plain-5.10 -q perf.data
form strip plain-5.10 -q --strip -o stripped --force perf.fixed.data
within strip perfjit-fix perf.data
echo old >strip/stripped
form strip-directory threads-7.3 -q --strip --in-place perf.fixed.data
within strip-directory perfjit-fix perf.data
if [ "$FAULTS" = all ]; then
	least=9000
	form again two-6.1 -q perf.data
	within again perfjit-fix --layout=trampoline perf.data
	form in-place group-6.1 -q --in-place perf.data
	form zstd zstd-6.1 -q perf.data
	form directory threads-7.3 -q perf.data
	form directory-again threads-7.3 -q perf.data
	within directory-again perfjit-fix --layout=trampoline perf.data
	form directory-in-place threads-7.3 -q --in-place perf.data
	form stream pipe-6.1 -q -
	echo perf.data >stream/.stdin
	echo fixed >stream/.stdout
	form pipe pipe-6.1 -q perf.data
	form relocate plain-5.10 -q --relocate=/elsewhere -o moved perf.fixed.data
	within relocate perfjit-fix perf.data
	form perf-map plain-5.10 -q --perf-map=maps perf.data
	form buildid-cache plain-5.10 -q "--buildid-cache=$PWD/work/cache" perf.data
else
	least=500
	set -- --quick
fi
# shellcheck disable=SC2086
perl "$ORACLES/faults.pl" --first=$((tests_run + 1)) "$@" "$BUILD/test/faults.so" $forms >../faults
[ $? -eq 0 ] || tests_failed=$((tests_failed + 1))
grep -v '^1\.\.' ../faults
tests_run=$((tests_run + $(grep -c '^ok\|^not ok' ../faults)))
at_least "calls that were made to fail" "$(sed -n 's/^# injected=//p' ../faults)" $least
done_testing
