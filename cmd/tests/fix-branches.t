#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Branch stacks in JIT code, in functions that nothing else refers to.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

form made-branches
# branches PROFILE: each branch of each sample, a line
branches()
{
	perf script -F brstacksym -i "$1" 2>/dev/null | tr ' ' '\n' | grep /
}

branches perf.data >before
at_least "branches were recorded" "$(wc -l <before)" 500
is "perf names none of them" "$(grep -vc '^\[unknown\]/\[unknown\]/P/' before)" 0
for abi in auto 5.10; do
	succeeds "fix for $abi" perfjit-fix -q --jitdump-dir=. --perf-abi=$abi --force perf.data
	branches perf.fixed.data >after
	is "as many branches" "$(wc -l <after)" "$(wc -l <before)"
	is "perf names all of them" "$(grep -c '^nocfi::java[0-9_]*[^/]*/nocfi::java[0-9_]*[^/]*/P/' after)" \
		"$(wc -l <before)"
	sed 's,_0[^/]*/nocfi::,>,; s,_0.*,,; s,nocfi::,,' after | sort | uniq -c | sort -k2 >pairs
	is "from each function to the next" "$(awk '{ print $2 }' pairs | tr '\n' ' ')" \
		"java16>java17 java17>java18 java18>java19 java19>java20 java20>java21 java21>java22 java22>java23 java23>java24 java24>java25 java25>java16 "
	perf script -F brstack -i perf.data 2>/dev/null >raw.before
	perf script -F brstack -i perf.fixed.data 2>/dev/null >raw.after
	same_file "addresses are what was recorded" raw.after raw.before
done
done_testing
