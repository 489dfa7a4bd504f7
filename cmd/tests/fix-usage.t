#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: wrong usage, help, version, colours.
. "$(dirname "$0")/tap.sh"

for arguments in --no-such-option 'a b' '--layout=round x' '--perf-abi=4.19 x' '--color=blue x' '-q -v x' \
	'--in-place -o y x' '--jitdump' '--in-place -'; do
	run perfjit-fix $arguments
	exits 2 "usage: $arguments"
	err_has "  says how to get help" "Try .perfjit-fix --help"
done
run perfjit-fix
exits 3 "without a name it is perf.data that is read"
err_has "  and is not there" "perf.data: can't open"

succeeds "--version" perfjit-fix --version
out_has "is a version" '^perfjit-fix [0-9]*\.[0-9]*\.[0-9]*$'
succeeds "--help" perfjit-fix --help

recording py313fpbuild-perfjit-fp
rm jit-1195.dump
run perfjit-fix --dry-run --color=always perf.data
err_has "colours when asked for" "$(printf '\033')\["
run perfjit-fix --dry-run perf.data
is "none when it is no terminal" "$(grep -c "$(printf '\033')" ../err)" 0
done_testing
