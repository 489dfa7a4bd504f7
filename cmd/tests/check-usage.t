#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line of perfjit-check: wrong usage, help, version, and what the man page says of it.
. "$(dirname "$0")/tap.sh"

for arguments in --no-such-option 'a b' '--min-named=101 x' '--min-named=x x' '--min-complete=-1 x' \
	'--min-named=nan x' '--min-samples=-1 x' '--min-frames=1.5 x' '--expect= x' '--forbid= x' \
	'--expect-chain=...  x' '--expect-chain=a;;b x' '--pid=x x' '--json --tap x' '-q -v x' \
	'--color=blue x' '--max-differ=200 x' --perf; do
	run perfjit-check $arguments
	exits 2 "usage: $arguments"
	err_has "  says how to get help" "Try .perfjit-check --help"
done
run perfjit-check
exits 3 "without a name it is perf.data that is read"
err_has "  and is not there" "perf.data: can't open"
echo "no profile" >text
run perfjit-check text
exits 3 "what is no profile"
run sh -c 'perfjit-check --tap "$1" >/dev/full' sh text
exits 4 "an output that is full"

succeeds "--version" perfjit-check --version
out_has "is a version" '^perfjit-check [0-9]*\.[0-9]*\.[0-9]*$'
succeeds "--help" perfjit-check --help
done_testing
