#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Surroundings that others could have prepared: links, folders and files of other people, names that
# lead elsewhere; several at work on one output; who may read and who owns what is written.
. "$(dirname "$0")/tap.sh"

nobody=65534

fresh()
{
	cd .. && rm -rf work && mkdir work && cd work || exit 1
	for file in "$TESTDATA"/forms/plain-5.10/*.gz; do
		gzip -dc "$file" >"$(basename "$file" .gz)"
	done
	dump=$(echo jit-*.dump)
}

mode()
{
	stat -c %a "$1"
}

# ---- links

fresh
mkdir ../elsewhere
echo precious >../elsewhere/file
ln -s ../elsewhere/file perf.fixed.data
run perfjit-fix perf.data
exits 4 "a link to someone's file as output is not replaced unasked"
succeeds "but with --force" perfjit-fix -q --force perf.data
is "where it leads nothing is written" "$(cat ../elsewhere/file)" precious
[ ! -L perf.fixed.data ]
ok $? "the link is replaced by the profile"

fresh
ln -s ../elsewhere/none perf.fixed.data
run perfjit-fix perf.data
exits 4 "a link to nothing is not replaced unasked either"
succeeds "a link to nothing as output" perfjit-fix -q --force perf.data
[ ! -e ../elsewhere/none ] && [ ! -L perf.fixed.data ]
ok $? "is replaced, and leads nowhere"

fresh
ln -s ../elsewhere perf.fixed.data.jit
run perfjit-fix perf.data
exits 4 "a link as the DSOs' folder is not followed"
err_has "says so" 'perf.fixed.data.jit: .*Not a directory'
is "nothing is written where it leads" "$(ls ../elsewhere)" file
holds "and nothing here" perf.data "$dump" perf.fixed.data.jit
succeeds "one that the user names is" perfjit-fix -q --dso-dir=perf.fixed.data.jit perf.data
at_least "DSOs are there" "$(ls ../elsewhere | grep -c '\.so$')" 1
rm ../elsewhere/*.so

# one that takes the place of the folder just made, before that is opened and given to its owner
fresh
ASAN_OPTIONS=detect_leaks=0 run gdb -nx -batch -ex 'set debuginfod enabled off' \
	-ex 'set breakpoint pending on' -ex 'break mkdir' -ex run -ex finish \
	-ex 'shell rmdir dsos && ln -s ../elsewhere dsos' -ex delete -ex continue \
	--args "$BUILD/perfjit-fix" -q --dso-dir=dsos perf.data
out_has "a link that comes while the folder is made" 'exited with code 04'
is "is not followed, though the user named the folder" "$(ls ../elsewhere)" file

fresh
perfjit-fix -q perf.data
dso=$(ls perf.fixed.data.jit | head -1)
cp "perf.fixed.data.jit/$dso" ../dso
ln -sf "$PWD/../elsewhere/file" "perf.fixed.data.jit/$dso"
succeeds "a link as DSO" perfjit-fix -q perf.data
same_file "is replaced by it" "perf.fixed.data.jit/$dso" ../dso
is "and not written through" "$(cat ../elsewhere/file)" precious

fresh
ln -s perf.data link
succeeds "--in-place of a link" perfjit-fix -q --in-place link
[ ! -L link ] && run perfjit-fix --strip -q -o stripped link && cmp -s stripped perf.data
ok $? "makes it a file of its own; what it led to stays as it was"

# temporary names as they would be, planted: whatever the process id
fresh
cat >../planted.sh <<'EOT'
for i in 0 1 2; do ln -s ../elsewhere/file perf.fixed.data.tmp-$$-$i; done
exec perfjit-fix -q perf.data
EOT
run sh ../planted.sh
exits 0 "links with temporary names"
is "are not followed" "$(cat ../elsewhere/file)" precious
[ -f perf.fixed.data ] && [ ! -L perf.fixed.data ]
ok $? "the output is a file"

# the same where files under way have names from the start, as file systems without O_TMPFILE make
# perfjit-fix do
cat >../planted.sh <<'EOT'
for i in 0 1 2; do ln -s ../elsewhere/new perf.fixed.data.tmp-$$-$i; done
LD_PRELOAD=$BUILD/test/faults.so FAULT_CALLS=output FAULT_AT=$1 FAULT=95 FAULT_LOG=../log \
	ASAN_OPTIONS=verify_asan_link_order=0:$ASAN_OPTIONS exec perfjit-fix -q perf.data
EOT
named=0 failed=0
for at in 1 2 3 4 5 6; do
	fresh
	rm -f ../log
	run sh ../planted.sh $at
	grep -q '^openat.* \.$' ../log || continue
	named=$((named + 1))
	[ "$status" -eq 0 ] && [ -f perf.fixed.data ] && [ ! -L perf.fixed.data ] ||
		failed=$((failed + 1))
done
at_least "files under way with names" $named 2
is "find others than those that are taken" $failed 0
[ ! -e ../elsewhere/new ]
ok $? "planted links of such names are not followed"

# ---- one file as input and output

fresh
ln perf.data hard
run perfjit-fix -o hard perf.data
exits 2 "another name of the input as output"
run perfjit-fix --force -o perf.data perf.data
exits 2 "the input as output"
cp "$dump" ../dump
run perfjit-fix -o "$dump" perf.data
exits 4 "the jitdump as output"
same_file "which stays as it was" "$dump" ../dump
succeeds "--in-place" perfjit-fix -q --in-place perf.data
[ ! perf.data -ef hard ] && [ "$(stat -c %s hard)" -lt "$(stat -c %s perf.data)" ]
ok $? "leaves the input's other names what they were"

# ---- who may read it

for input in 600 640 644 666; do
	fresh
	chmod $input perf.data
	sh -c 'umask 000; exec perfjit-fix -q perf.data'
	is "of an input of mode $input: profile and DSO" \
		"$(mode perf.fixed.data) $(mode "perf.fixed.data.jit/$dso")" "$input $input"
	case $input in
	600) folder=700 ;; 640) folder=750 ;; *) folder=755 ;;
	esac
	[ $input != 666 ] || folder=777
	is "and folder" "$(mode perf.fixed.data.jit)" $folder
	sh -c 'umask 000; exec perfjit-fix -q --perf-map=maps perf.data'
	is "and perf maps" "$(mode maps) $(mode maps/perf-*.map)" "$folder $input"
	sh -c 'umask 000; exec perfjit-fix -q --strip -o stripped perf.fixed.data'
	is "and what is stripped" "$(mode stripped)" $input
done
fresh
chmod 666 perf.data
sh -c 'umask 077; exec perfjit-fix -q perf.data'
is "the umask is obeyed" "$(mode perf.fixed.data) $(mode perf.fixed.data.jit)" "600 700"

# ---- other people's

if [ "$(id -u)" = 0 ]; then
	fresh
	chown $nobody:$nobody perf.data
	succeeds "root fixes another's profile" perfjit-fix -q perf.data
	is "all is theirs" "$(find perf.fixed.data* -printf '%U:%G\n' | sort -u)" "$nobody:$nobody"
	succeeds "root strips it" perfjit-fix -q --strip -o stripped perf.fixed.data
	is "it is theirs" "$(stat -c %u stripped)" $nobody

	fresh
	mkdir -m 777 perf.fixed.data.jit
	chown 12345 perf.fixed.data.jit
	run perfjit-fix perf.data
	exits 4 "a stranger's folder where the DSOs' is to be"
	err_has "says what to do" "perf.fixed.data.jit: is another user's folder: .*--dso-dir"
	holds "nothing is written" perf.data "$dump" perf.fixed.data.jit
	succeeds "one that the user names is taken" \
		perfjit-fix -q --dso-dir=perf.fixed.data.jit perf.data

	fresh
	mkdir -m 1777 shared
	echo theirs >shared/perf.fixed.data
	chown 12345 shared/perf.fixed.data
	chmod 644 perf.data "$dump"
	chmod 755 . ..
	chown $nobody .
	perfjit_fix=$(command -v perfjit-fix)
	run setpriv --reuid=$nobody --regid=$nobody --clear-groups "$perfjit_fix" --force \
		-o shared/perf.fixed.data perf.data
	exits 4 "a stranger's file in a folder with the sticky bit"
	err_has "says why" 'shared/perf.fixed.data: .*Operation not permitted'
	is "it stays as it was" "$(cat shared/perf.fixed.data)" theirs
	is "nothing else is there" "$(ls shared)" perf.fixed.data

	# anyone may leave such a file in /tmp
	cd .. && rm -rf work && mkdir work && cd work || exit 1
	recording py313fpbuild-perfmap-fp
	chmod 644 ./*
	chmod 755 . ..
	chown $nobody .
	chown 12345 perf-1230.map
	run setpriv --reuid=$nobody --regid=$nobody --clear-groups "$perfjit_fix" perf.data
	exits 6 "a stranger's perf map"
	err_has "says why it is not used" \
		"perf-1230.map: is another user's: .*--perf-map-dir"
	run setpriv --reuid=$nobody --regid=$nobody --clear-groups "$perfjit_fix" -q \
		--perf-map-dir=. perf.data
	exits 0 "a stranger's perf map in a folder that the user names"
	chown 12345 perf.data
	run setpriv --reuid=$nobody --regid=$nobody --clear-groups "$perfjit_fix" -q perf.data
	exits 0 "the perf map of the profile's owner"
	chown 0 perf.data
	rm -r perf.fixed.data perf.fixed.data.jit
	succeeds "a stranger's perf map when root looks at all there is" perfjit-fix -q perf.data
else
	fresh
	perfjit-fix -q perf.data
	is "all is the user's" "$(find perf.fixed.data* -printf '%U\n' | sort -u)" "$(id -u)"
fi

# ---- names in the jitdump

# The dump's names replaced by ones of the same length that lead elsewhere or write to terminals.
fresh
ls .. >../beside
perl -0777 -i -pe 'my $n = s{nocfi}{../\e\n}g; print STDERR "$n\n"' "$dump" 2>../count
at_least "names changed" "$(cat ../count)" 30
run perfjit-fix -vv --jitdump="$dump" perf.data
exits 0 "a jitdump with names that lead elsewhere"
is "no control character is printed" "$(cat ../out ../err | tr -d '\n\11\40-\176\200-\377' | wc -c)" 0
ls .. | grep -v -x -e count -e beside2 >../beside2
is "nothing is written elsewhere" "$(comm -13 ../beside ../beside2)" ''
holds "but where it belongs" perf.data "$dump" perf.fixed.data perf.fixed.data.jit \
	$(cd perf.fixed.data.jit && printf 'perf.fixed.data.jit/%s ' *)
for so in perf.fixed.data.jit/*.so; do nm "$so"; done >../names
is "symbols, which perf prints as they are, have no control character" \
	"$(tr -d '\n\40-\176\200-\377' <../names | wc -c)" 0
at_least "but their escapes" "$(grep -c 'T \.\./\\x1b\\x0a::' ../names)" 30
perf script -F ip,sym -i perf.fixed.data >../out 2>../err
is "nor has what perf prints" "$(tr -d '\n\t\40-\176\200-\377' <../out | wc -c)" 0
at_least "frames have the names" "$(grep -c '\.\./\\x1b\\x0a::' ../out)" 1000
succeeds "perfjit-check takes them for the dump's" \
	perfjit-check -q --min-named=100 --jitdump="$dump" perf.fixed.data
succeeds "perf maps" perfjit-fix -q --perf-map=maps --jitdump="$dump" perf.data
is "have no control character" "$(cat maps/*.map | tr -d '\n\40-\176\200-\377' | wc -c)" 0
is "and a line for each function" "$(grep -c '^[0-9a-f]* [0-9a-f]* [^ ]' maps/*.map)" \
	"$(wc -l <"$(ls maps/*.map)")"

# The same in the path of a jitdump that is not there.
fresh
rm "$dump"
perl -0777 -i -pe 's{/perfjit-forms/jit-}{/per\e\xc2\x9bt-forms/jit-}g' perf.data
run perfjit-fix -vv perf.data
err_has "what is said of a path has escapes" 'warning: /tmp/per\\x1b\\xc2\\x9bt-forms/jit-'
err_has "in the text too" 'looked for /tmp/per\\x1b\\xc2\\x9bt-forms/jit-'
is "and no control character" "$(cat ../out ../err | tr -d '\n\11\40-\176\200-\377' | wc -c)" 0

# ---- several at once

fresh
perfjit-fix -q perf.data
mv perf.fixed.data ../alone.data
mv perf.fixed.data.jit ../alone.jit
for round in 1 2 3; do
	for i in 1 2 3 4; do perfjit-fix -q perf.data 2>../err$i & done
	# one that fails must not take away what the others need
	(trap '' XFSZ; ulimit -f 16; perfjit-fix -q perf.data 2>/dev/null) &
	wait
	cat ../err1 ../err2 ../err3 ../err4 >../err
	err_is "at once, round $round: nothing to complain of" </dev/null
	same_file "the output is one" perf.fixed.data ../alone.data
	diff -r perf.fixed.data.jit ../alone.jit >../diff
	ok $? "with its DSOs" || tell ../diff
	rm -r perf.fixed.data perf.fixed.data.jit
done
holds "nothing else is left" perf.data "$dump"

# a run that can't write the profile, after one that could
perfjit-fix -q perf.data
(trap '' XFSZ; ulimit -f 16; perfjit-fix -q perf.data 2>/dev/null)
ok $((! $?)) "a profile that is too large for what may be written"
diff -r perf.fixed.data.jit ../alone.jit >../diff
ok $? "takes no DSOs away that were there" || tell ../diff

# A run that waits for another, which takes the folder away.
fresh
mkdir perf.fixed.data.jit
exec 9<perf.fixed.data.jit
flock 9
perfjit-fix -q perf.data 9<&- 2>../err &
until ls -l /proc/$!/fd 2>/dev/null | grep -q 'perf\.fixed\.data\.jit$'; do
	kill -0 $! 2>/dev/null || break
	sleep 0.05
done
rmdir perf.fixed.data.jit
exec 9<&-
wait $!
ok $? "a folder that goes away while it is waited for" || tell ../err
diff -r perf.fixed.data.jit ../alone.jit >../diff
ok $? "is made anew, with all DSOs" || tell ../diff
done_testing
