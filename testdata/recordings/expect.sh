#!/bin/sh
# Writes beside each recording what perf says stands in it, NAME.expect: expect.sh PERF, the newest
# there is. A line for each record, without its offset; the records of each file are sorted,
# since perf prints them in order of time.
perf=$1
cd "$(dirname "$0")" || exit
for recording in *.data; do
	case $recording in *-be.data) continue ;; esac
	"$perf" script -D --no-inline -f -i "$recording" 2>/dev/null | LC_ALL=C awk -f expect.awk |
		LC_ALL=C sort >"${recording%.data}.expect"
done
