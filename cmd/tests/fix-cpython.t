#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPython 3.13 with -X perf_jit, call chains by frame pointer.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

recording py313fpbuild-perfjit-fp

frames perf.data jit-1195.dump
at_least "before: frames of JIT code are there" "$frames_unnamed" 3500
is "before: none has a name" "$((frames_right + frames_wrong))" 0

succeeds "perfjit-fix" perfjit-fix perf.data
# paths, which differ from machine to machine, are part of the sizes
sed -i 's/([0-9.]* [kM]B\( on disk\)\{0,1\})/(SIZE\1)/g' ../out
out_is "summary" <<EOT
Read      perf.data: 719 samples; 1 process with JIT code, 1 jitdump
Functions 186 named
Samples   none of 719 in JIT code itself
Frames    3549 of recorded call chains in JIT code, all named now
Wrote     perf.fixed.data (SIZE), 186 DSOs (SIZE on disk) in perf.fixed.data.jit
Next      perf report --no-inline -i perf.fixed.data
EOT
err_is "nothing to complain of" </dev/null

names_all perf.fixed.data 3500 jit-1195.dump
sound_dsos perf.fixed.data.jit
only_added perf.data perf.fixed.data "$PWD/perf.fixed.data.jit"

succeeds "the Next line of the summary" \
	perf report -i perf.fixed.data --stdio --no-inline --children -g none
for function in leaf middle outer Größe.método; do
	out_has "report has $function" "9[67]\.[0-9]*% .* py::$function:/home/corpus/src/nest.py"
done
done_testing
