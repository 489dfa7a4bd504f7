#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A fixed profile and its DSOs are moved: perf finds them where they are now.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

recording py313fpbuild-perfjit-fp
succeeds "fix" perfjit-fix -q perf.data
there=$scratch/moved\ there
mkdir "$there" && mv jit-1195.dump perf.fixed.data.jit "$there"

run perfjit-fix --relocate="$there/perf.fixed.data.jit" perf.fixed.data
exits 2 "a fixed profile is not replaced unasked"
err_has "says so" 'say where to write it with -o, or use --in-place'
succeeds "relocate" perfjit-fix --relocate="$there/perf.fixed.data.jit" -o moved.data \
	perf.fixed.data
out_is "summary" <<EOT
Wrote     moved.data, 186 mappings of DSOs now in $there/perf.fixed.data.jit
Next      perf report -i moved.data
EOT
names_all moved.data 3500 "$there/jit-1195.dump"
succeeds "strip" perfjit-fix -q --strip -o back.data moved.data
same_file "gives what was recorded" back.data perf.data

cp moved.data again.data
succeeds "to where nothing is, in place" perfjit-fix --relocate=/nowhere --in-place again.data
out_has "says what is not there" 'Missing   186 of them are not there'
succeeds "and back" perfjit-fix -q --relocate="$PWD/perf.fixed.data.jit" --in-place again.data
same_file "gives the same profile" again.data perf.fixed.data

cp "$there/jit-1195.dump" .
succeeds "fix for another place" perfjit-fix -q --relocate="$there/perf.fixed.data.jit" \
	-o at-once.data perf.data
same_file "is the same as moving it later" at-once.data moved.data
run diff -r at-once.data.jit "$there/perf.fixed.data.jit"
exits 0 "the DSOs are the same, and here"

run perfjit-fix --relocate=relative perf.data
exits 2 "the folder is an absolute path"
err_has "says so" 'wants an absolute path'
run perfjit-fix --relocate=/nowhere --strip perf.fixed.data
exits 2 "does not go with --strip"
done_testing
