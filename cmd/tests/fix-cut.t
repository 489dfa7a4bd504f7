#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs that are cut short, or overwritten, while they are read. gdb stops the command at a known
# place.
. "$(dirname "$0")/tap.sh"

command=perfjit-fix

# meanwhile FUNCTION COMMAND ARGUMENT...: COMMAND is done when $command gets to FUNCTION
meanwhile()
{
	place=$1 deed=$2
	shift 2
	ASAN_OPTIONS=detect_leaks=0 run gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex 'handle SIGBUS nostop noprint pass' -ex "break $place" -ex run \
		-ex "shell $deed" -ex delete -ex continue --args "$BUILD/$command" "$@"
	out_has "$command got to $place" '^Breakpoint 1, '
	cat ../out ../err >../both
	mv ../both ../err
}

ends_with()
{
	if [ "$1" = 0 ]; then
		err_has "$2" 'exited normally'
	else
		err_has "$2" "exited with code 0*$1]"
	fi
}

recording py313fpbuild-perfjit-fp
dd if=/dev/zero bs=1M count=20 status=none >>jit-1195.dump
cp jit-1195.dump ../dump
cp perf.data ../perf.data
perfjit-fix -q --no-sync perf.data 2>../err
mv perf.fixed.data ../whole.data
mv perf.fixed.data.jit ../whole.jit

# the dump is big enough to be copied to a file instead of memory; small ones are below
for dump in big small; do
	[ $dump = big ] || head -c -20M ../dump >../smaller
	[ $dump = big ] || mv ../smaller ../dump
	cp ../dump jit-1195.dump
	meanwhile survey__run 'truncate -s 100 jit-1195.dump' perf.data
	ends_with 0 "$dump jitdump cut short"
	same_file "the profile is what it would be" perf.fixed.data ../whole.data
	diff -r perf.fixed.data.jit ../whole.jit >../diff
	ok $? "and so are the DSOs" || tell ../diff
	rm -r perf.fixed.data perf.fixed.data.jit
	cp ../dump jit-1195.dump
	meanwhile survey__run \
		'dd if=/dev/urandom of=jit-1195.dump bs=4k count=10 conv=notrunc status=none' perf.data
	same_file "$dump jitdump overwritten: the profile is what it would be" \
		perf.fixed.data ../whole.data
	rm -r perf.fixed.data perf.fixed.data.jit
done
cp ../dump jit-1195.dump

for place in survey__run perfdata_edits__write; do
	for size in 0 1000 100000; do
		meanwhile $place "truncate -s $size perf.data" perf.data
		ends_with 3 "profile cut short to $size at $place"
		err_has "says so" '^perfjit-fix: error: perf.data: was cut short while it was read$'
		holds "nothing is left" perf.data jit-1195.dump nest.py
		cp ../perf.data perf.data
	done
done

# cut before it was read, within the features at its end: none is told of that is not there
for cut in 1 100 1000 5000; do
	truncate -s -$cut perf.data
	run perfjit-fix -o cut.data perf.data
	exits 0 "the last $cut bytes are missing"
	err_has "  says so" 'warning: perf.data: .*header features* .*\(outside\|cut off\)'
	perl -e 'local $/; open my $f, "<:raw", "cut.data"; $_ = <$f>;
		my ($data, $size) = unpack "x40 Q<Q<"; my $at = $data + $size;
		for my $bit (0 .. 255) {
			next unless vec substr($_, 72, 32), $bit, 1;
			my ($offset, $bytes) = unpack "Q<Q<", substr $_, $at, 16;
			$at += 16;
			print "$bit\n" if $offset + $bytes > length;
		}' >../outside
	is "  all features lie within the output" "$(cat ../outside)" ''
	succeeds "  what was recorded comes back" perfjit-fix -q --strip -o back.data cut.data
	same_file "  as it was" perf.data back.data
	cp ../perf.data perf.data
	rm -rf cut.data cut.data.jit back.data
done

# a few bytes only: no page is missing
meanwhile perfdata_edits__write "truncate -s -3 perf.data" perf.data
ends_with 3 "profile cut short by three bytes"
holds "nothing is left" perf.data jit-1195.dump nest.py
cp ../perf.data perf.data

perfjit-fix -q perf.data
meanwhile perfdata__restore 'truncate -s 1000 perf.fixed.data' --strip -o stripped perf.fixed.data
ends_with 3 "profile to be stripped cut short"
[ ! -e stripped ]
ok $? "nothing is written"

# ---- the others

while read -r command place; do
	cp ../perf.data perf.data
	meanwhile "$place" 'truncate -s 10000 perf.data' perf.data
	ends_with 3 "profile cut short at $place"
	err_has "says so" "^$command: error: perf.data: was cut short while it was read\$"
done <<EOT
perfjit-check check__count
perfjit-doctor check__count
perfjit-dump dump_perfdata__records
EOT
done_testing
