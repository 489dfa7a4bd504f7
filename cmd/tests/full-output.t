#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What can't be written, as on a full disk, is said and is exit code 4, whatever a command prints.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

recording py313fpbuild-perfjit-fp
succeeds "a profile to look at" perfjit-fix -q -o fixed.data perf.data
for dso in fixed.data.jit/*; do :; done
echo '1000 10 name' >perf-1.map
mkdir pipe
(cd pipe && form pipe-6.1)

# full COMMAND [ARGUMENT]...
full()
{
	run sh -c '"$@" >/dev/full' sh "$@"
	exits 4 "$*"
	err_has "  is said" "^$1: error: .*can't write"
}

# what COMMAND prints besides the answers that all have, a line each
outputs()
{
	case $1 in
	perfjit-check)
		printf '%s\n' perf.data '-q --min-named=99 perf.data' '-v perf.data' '--json perf.data' \
			'--tap perf.data' '--junit perf.data' '--github perf.data'
		;;
	perfjit-doctor)
		printf '%s\n' jit-1195.dump '-q jit-1195.dump' '-v perf.data' '--json perf.data' \
			'--report perf.data' '--report --redact jit-1195.dump' \
			'--report=/dev/full jit-1195.dump'
		;;
	perfjit-dump)
		printf '%s\n' jit-1195.dump '-x jit-1195.dump' '--code jit-1195.dump' \
			'--lines jit-1195.dump' '--cfi jit-1195.dump' '--json jit-1195.dump' \
			'--header jit-1195.dump' '--summary jit-1195.dump' '--stats jit-1195.dump' \
			perf.data '--json perf.data' '--header perf.data' '--stats perf.data' \
			"$dso" "--cfi $dso" "--json --cfi $dso" "--stats $dso" perf-1.map \
			'--json perf-1.map'
		;;
	perfjit-fix)
		printf '%s\n' '-o out.data perf.data' '-v -o out.data perf.data' \
			'--json -o out.data perf.data' '--dry-run perf.data' '--strip -o out.data fixed.data' \
			'-o - pipe/perf.data' '--unwind -o - pipe/perf.data'
		;;
	esac
}

for path in "$BUILD"/perfjit-*; do
	command=${path##*/}
	case $command in *.*) continue ;; esac
	for question in --help --usage --version; do
		full "$command" $question
	done
	outputs "$command" >../outputs
	at_least "$command prints more than that" "$(wc -l <../outputs)" 5
	while read -r arguments; do
		full "$command" $arguments
	done <../outputs
done
run sh -c 'perfjit-fix --help >&-'
exits 4 "no standard output at all"
done_testing
