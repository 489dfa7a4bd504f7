#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages: well-formed, and their examples work as they stand there.
. "$(dirname "$0")/tap.sh"

for page in "$SRCDIR"/man/*.[1-8]; do
	# which pages of others a system has, and a database of them, is not for ours to say
	mandoc -Tlint "$page" 2>&1 |
		grep -v -e 'mandoc.db lacks' -e 'referenced manual not found' >../out
	[ ! -s ../out ]
	ok $? "mandoc -Tlint ${page##*/}" || tell ../out
done

# examples PAGE: the commands of its section EXAMPLES, one a line
examples()
{
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$1" |
		sed -e 's/\\(dq/"/g' -e "s/[\\](aq/'/g"
}

# work PAGE LEAST
work()
{
	examples "$SRCDIR/man/$1.1" >../examples
	at_least "$1(1) has examples" "$(wc -l <../examples)" "$2"
	while read -r command; do
		succeeds "\$ $command" sh -c "$command"
	done <../examples
}

recording py313fpbuild-perfjit-fp
mkdir dumps && cp jit-1195.dump dumps
work perfjit-fix 5
work perfjit-dump 6
done_testing
