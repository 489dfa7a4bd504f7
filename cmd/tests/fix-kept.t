#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A fixed profile is fixed again, and its jitdumps are gone: JIT code keeps the names it has. What
# is right is what perf reads of the profile that was fixed while they were there.
. "$(dirname "$0")/tap.sh"
. "$ORACLES/recording.sh"

# names PROFILE: what perf calls each frame; addresses are relative to DSOs
names()
{
	perf script --no-inline --max-stack 1024 --ns -F pid,tid,time,event,ip,sym -i "$1" \
		2>../perf.err | sed 's/^[[:blank:]]*[0-9a-f]* //' | cksum
}

# keeps_names PROFILE NAME
keeps_names()
{
	is "$2: perf names all as before" "$(names "$1")" "$before"
}

# fixed FROM NAME: a recording whose jitdumps no machine has at their recorded paths, fixed while
# they were beside it, and then moved to the folder ../dumps; $before is what perf says then
fixed()
{
	rm -rf ./* ../dumps
	"$1" "$2"
	perl -pi -e 's{/tmp/}{/n/a/}g; s{/root/}{/n/a//}g' perf.data
	perfjit-fix -q --jitdump-dir=. perf.data
	before=$(names perf.fixed.data)
	is "$2: the fix has named something" "$([ "$before" != "$(names perf.data)" ] && echo yes)" yes
	cp -r perf.fixed.data ../once.data
	mkdir ../dumps
	mv jit-*.dump ../dumps
}

mkdir ../nowhere
# all gone, in place and elsewhere
fixed recording py313fpbuild-perfjit-fp
cp -a perf.fixed.data.jit ../once.jit
succeeds "in place" perfjit-fix --in-place perf.fixed.data
err_has "the jitdump is told to be gone, and what that means" \
	'jit-1195.dump: jitdump of pid 1195 not found .*: its JIT code stays as it was fixed before; name'
sed -i 's/ ([0-9.]* kB)$//' ../out
out_is "and so in the summary" <<EOT
Read      perf.fixed.data: 719 samples; 1 process with JIT code, 0 jitdumps, 1 missing
Kept      1 process as fixed before, for want of jitdumps: 186 DSOs, 0 of 719 samples and 3549 recorded frames in them
Wrote     perf.fixed.data
Next      perf report --no-inline -i perf.fixed.data
EOT
same_file "the profile is the same, byte for byte" perf.fixed.data ../once.data
run diff -r perf.fixed.data.jit ../once.jit
exits 0 "and so are the DSOs, and no others"
names_all perf.fixed.data 3500 ../dumps/jit-1195.dump

run perfjit-fix -o perf.fixed.data perf.fixed.data
exits 2 "the input as output"
err_has "is refused as ever" 'perf.fixed.data: is the input: .*--in-place'

succeeds "another output" perfjit-fix -o other.data perf.fixed.data
out_has "its folder gets the DSOs" '^Wrote     other.data (.*), 186 copied DSOs in other.data.jit$'
run diff -r other.data.jit ../once.jit
exits 0 "all of them"
only_added perf.data other.data "$PWD/other.data.jit"
mv perf.fixed.data.jit ../away.jit
keeps_names other.data "without the first folder"
mv ../away.jit perf.fixed.data.jit
succeeds "strip" perfjit-fix -q --strip -o back.data other.data
same_file "gives what was recorded" back.data perf.data

run perfjit-fix --json -o json.data perf.fixed.data
exits 0 "for programs"
is "DSOs kept, lost and made; samples, frames" "$(json 'join " ", map { $j->{$_} } qw(
	kept_dsos kept_dsos_lost functions kept_samples kept_frames missing_dumps)')" "186 0 0 0 3549 1"
is "the process is one that was kept" "$(json '$j->{processes}[0]{kept} ? 1 : 0')" 1
run perfjit-fix --dry-run -vv -o dry.data perf.fixed.data
exits 0 "--dry-run"
is "tells each DSO" "$(grep -c '^DSO .*: kept as it is$' ../out)" 186
is "and each record" "$(grep -c '^Record    MMAP2 .*; kept as it is$' ../out)" 186
[ ! -e dry.data ] && [ ! -e dry.data.jit ]
ok $? "and writes nothing"
succeeds "--buildid-cache" perfjit-fix -q --buildid-cache="$PWD/cache" -o cached.data perf.fixed.data
is "has them too" "$(find cache -name elf | wc -l)" 186
run perfjit-fix --perf-map=maps -o maps.data perf.fixed.data
exits 5 "--perf-map"
err_has "can't make a map of it, and says so" 'whose jitdump is gone gets no perf map: it keeps its DSOs$'
keeps_names maps.data "--perf-map"

cp ../dumps/jit-1195.dump .
succeeds "the jitdump is there again" perfjit-fix -q --in-place perf.fixed.data
same_file "which changes nothing" perf.fixed.data ../once.data
: >jit-1195.dump
succeeds "or it is there and empty" perfjit-fix -q --in-place perf.fixed.data
err_has "which is told" 'perf.fixed.data: neither jitdump nor perf map of pid 1195 is there any more'
same_file "and changes nothing" perf.fixed.data ../once.data
rm jit-1195.dump

# moved, both together
mkdir ../there
mv perf.fixed.data perf.fixed.data.jit ../there
succeeds "moved with its folder" perfjit-fix -q -o moved.data ../there/perf.fixed.data
keeps_names moved.data "moved with its folder"
succeeds "in place there" perfjit-fix -q --in-place ../there/perf.fixed.data
keeps_names ../there/perf.fixed.data "in place there"

perfjit-fix -q --root=../nowhere --jitdump-dir=../dumps --dso-dir=dsos -o named.data perf.data
mkdir ../both
mv named.data dsos ../both
succeeds "moved with a folder of another name" perfjit-fix -q -o moved.data ../both/named.data
keeps_names moved.data "moved with a folder of another name"
mv ../both/named.data ../both/new.data
mv ../both/dsos ../both/new.data.jit
succeeds "both with another name" perfjit-fix -q -o moved.data ../both/new.data
keeps_names moved.data "both with another name"

# the DSOs are gone too
mv ../there/perf.fixed.data.jit ../away.jit
run perfjit-fix -o lost.data ../there/perf.fixed.data
exits 5 "the DSOs are gone too"
err_has "which one, and what helps" \
	'/there/perf.fixed.data.jit/jit-1195-0-0-[0-9a-f]*.so: is not there any more, .* (as others): .*--relocate=DIR'
out_has "how many" '^Missing   186 of these DSOs are not there: their code stays unnamed$'
[ ! -e lost.data.jit ]
ok $? "there is no folder of nothing"
mv ../away.jit ../there/perf.fixed.data.jit
keeps_names lost.data "once they are back"
mv ../there/perf.fixed.data.jit lost.data.jit
succeeds "or --relocate says where they are" perfjit-fix -q --in-place --relocate="$PWD/lost.data.jit" lost.data
keeps_names lost.data "relocated"

# what only has the name of a DSO is not copied to where others may read it
dso=$(cd lost.data.jit && ls | head -1)
cp lost.data.jit/"$(cd lost.data.jit && ls | tail -1)" "lost.data.jit/$dso"
run perfjit-fix -o wrong.data lost.data
exits 5 "another file in a DSO's place"
out_has "is none" '^Missing   1 of these DSOs is not there'
[ ! -e "wrong.data.jit/$dso" ]
ok $? "and is not copied"
echo precious >../precious
ln -sf ../../precious "lost.data.jit/$dso"
run perfjit-fix -o wrong.data lost.data
exits 5 "a link to something else"
[ ! -e "wrong.data.jit/$dso" ]
ok $? "is not followed to a copy"

# one of two processes
fixed form system-wide-6.1
cp ../dumps/jit-5.dump .
succeeds "one of two is there" perfjit-fix --layout=trampoline -o one.data perf.fixed.data
out_has "the other is kept" '^Process   4 (jitprog): kept as fixed before, 33 of 80 samples in its DSOs$'
out_has "the one is fixed anew" '^Process   5 (jitprog): 1 dump, 48 functions, 48 DSOs; '
out_has "both are in one folder" ', 48 DSOs (.*) and 2 copied DSOs in one.data.jit$'
keeps_names one.data "one of two is there"
only_added perf.data one.data "$PWD/one.data.jit"
rm jit-5.dump
succeeds "none is there" perfjit-fix -q -o none.data one.data
keeps_names none.data "none is there"
succeeds "in all that, what was recorded" perfjit-fix -q --strip -o back.data none.data
same_file "is not lost" back.data perf.data

# a child shares its parent's memory: both stay as they are, or what hides what would be wrong
for gone in 9526 9550; do
	fixed program fork
	cp ../dumps/*.dump .
	rm jit-$gone.dump
	succeeds "fork: jit-$gone.dump is gone" perfjit-fix -q -o other.data perf.fixed.data
	err_has "the other is not used" 'jit-.*.dump: is not used: another jitdump for the memory of pid'
	keeps_names other.data "fork: jit-$gone.dump is gone"
done
perfjit-fix -q --jitdump-dir=../dumps --unwind -o unwound.data perf.data
before=$(names unwound.data)
rm jit-*.dump
succeeds "--unwind by DSOs that are kept" perfjit-fix -q --unwind -o other.data perf.fixed.data
rm -rf perf.fixed.data.jit
keeps_names other.data "--unwind"

# where they were recorded there may be some
# forms: a stream, a directory, compressed, without times
for name in pipe-6.1 zstd-pipe-6.1 threads-zstd-7.3 zstd-6.1 no-timestamp-6.1 mixed-7.3; do
	rm -rf ./*
	form $name
	mkdir ../dumps-$name
	mv jit-*.dump ../dumps-$name
	perfjit-fix -q --root=../nowhere --jitdump-dir=../dumps-$name perf.data
	cp -r perf.fixed.data once.data
	succeeds "$name" perfjit-fix --root=../nowhere --in-place perf.fixed.data
	out_has "$name: is kept" '^Kept      1 process'
	run diff -r perf.fixed.data once.data
	exits 0 "$name: nothing has changed"
done
rm -rf ./*
form pipe-6.1
mv jit-*.dump ../dumps
perfjit-fix -q --root=../nowhere --jitdump-dir=../dumps perf.data
run sh -c 'perfjit-fix -q --root=../nowhere - <perf.fixed.data >stream.data'
exits 0 "from a stream to one"
same_file "nothing has changed" stream.data perf.fixed.data

# what had no marker: a perf map, a jitdump that the user named
rm -rf ./* ../dumps
recording py313fpbuild-perfmap-fp
perfjit-fix -q --force perf.data
before=$(names perf.fixed.data)
rm perf-1230.map
succeeds "a perf map is gone" perfjit-fix -q --root=../nowhere --in-place perf.fixed.data
err_has "which is told" 'neither jitdump nor perf map of pid 1230 is there any more'
keeps_names perf.fixed.data "a perf map is gone"
rm -rf ./*
form switched-last-6.1
perfjit-fix -q --jitdump=jit-8423.dump perf.data
before=$(names perf.fixed.data)
succeeds "a jitdump is not named again" perfjit-fix -q --in-place perf.fixed.data
keeps_names perf.fixed.data "a jitdump is not named again"
done_testing
