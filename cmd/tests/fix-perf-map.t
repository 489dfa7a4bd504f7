#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of code by address, for a perf that reads nothing else.
. "$(dirname "$0")/tap.sh"

recording py313fpbuild-perfjit-fp
succeeds "perf map" perfjit-fix --perf-map=maps perf.data
out_has "summary" '^Maps      1 perf-PID.map file with 186 functions in maps; put them$'
holds "there are no DSOs" perf.data jit-1195.dump nest.py perf.fixed.data maps maps/perf-1195.map
is "a line for each function" "$(grep -c '^[0-9a-f]* [0-9a-f]* py::' maps/perf-1195.map)" 186
sort -c maps/perf-1195.map
ok $? "by address"
cat >../functions <<'EOT'
py::leaf:
py::middle:
py::outer:
py::Größe.método:
EOT
is "with the names of the dump" "$(grep -c -F -f ../functions maps/perf-1195.map)" 4

succeeds "strip" perfjit-fix -q --strip -o back.data perf.fixed.data
same_file "gives what was recorded" back.data perf.data

rm -r maps
succeeds "by default" perfjit-fix -q --perf-map perf.data
is "they are where DSOs would be" "$(ls perf.fixed.data.jit)" perf-1195.map
run perfjit-fix --perf-map --buildid-cache perf.data
exits 2 "there is nothing to file in a cache"
done_testing
