#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Round trips: what was put in is taken out again.
. "$(dirname "$0")/tap.sh"

for name in py313fpbuild-perfjit-fp node20-fp java17-fp-pfp; do
	recording $name
	succeeds "$name: fix" perfjit-fix -q perf.data
	succeeds "$name: strip" perfjit-fix --strip -o back.data perf.fixed.data
	out_is "$name: summary of strip" <<-EOT
		Wrote     back.data, as it was before perfjit-fix
		Next      perf report -i back.data
	EOT
	same_file "$name: the input is back" back.data perf.data
	rm -rf ./*
done

recording py313fpbuild-perfjit-fp
run perfjit-fix --strip perf.data
exits 3 "strip of a profile that was not fixed"
err_has "says so" 'perf.data: was not written by perfjit-fix'
holds "writes nothing" perf.data jit-1195.dump nest.py

succeeds "fix in place" perfjit-fix -q --in-place perf.data
succeeds "strip in place" perfjit-fix -q --strip --in-place perf.data
mkdir original && gzip -dc "$TESTDATA/recordings/py313fpbuild-perfjit-fp/perf.data.gz" >original/x
same_file "the input is back in its place" perf.data original/x
done_testing
