#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/tap.sh"

recording java17-fp-pfp
chmod a-w .
succeeds "dry run" perfjit-fix --dry-run perf.data
out_has "says what it would write" '^To write  perf.fixed.data, [0-9]* DSOs ([0-9.]* kB with holes) in perf.fixed.data.jit$'
holds "and does not" perf.data jit-16122.dump Nest.java
succeeds "told in full" perfjit-fix --dry-run -vv perf.data
at_least "each DSO" "$(grep -c '^DSO ' ../out)" 2
at_least "each record" "$(grep -c '^Record ' ../out)" 2
holds "writes nothing" perf.data jit-16122.dump Nest.java
done_testing
