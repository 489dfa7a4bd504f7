#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call chains put into samples: those that perf unwinds itself, shown by a perf that needs not.
. "$(dirname "$0")/tap.sh"
. "$SRCDIR/cmd/tests/recording.sh"

# perf shows addresses in files as places in them, and those of chains that it unwinds likewise.
chains() # chains PROFILE
{
	perf script -i "$1" --no-inline --no-demangle --ns -F tid,time,ip,sym 2>../perf.err
}

# program NAME: the recording and what it was of, at the path that it names
program()
{
	[ -d "$place" ] || place=$(mktemp -d "/tmp/pj-XXXXXXXXXXXXX")
	gzip -dc "$TESTDATA/programs/jitprog.gz" >"$place/jitprog"
	gzip -dc "$TESTDATA/programs/$1/perf.data.gz" >perf.data
	for dump in "$TESTDATA/programs/$1"/*.dump.gz; do
		base=${dump##*/}
		gzip -dc "$dump" >"$place/${base%.gz}"
	done
	# the recorded folder has a name of as many bytes
	sed -i "s|/tmp/perfjit-testdata/|$place/|g" perf.data
}

place=
trap 'cd /; rm -rf "$scratch" "$place"' EXIT

for name in packed spaced reuse aliases remap fork; do
	program $name
	succeeds "$name: fix" perfjit-fix -q -o fixed.data perf.data
	succeeds "$name: unwind" perfjit-fix -q --unwind -o baked.data perf.data
	chains fixed.data >../theirs
	chains baked.data >../ours
	at_least "$name: perf unwinds to" "$(grep -c ' _start$' ../theirs)" 140
	cmp -s ../theirs ../ours
	ok $? "$name: the chains are those that perf unwinds" || {
		diff ../theirs ../ours | head -20 >../diff
		tell ../diff
	}
	perf evlist -v -i baked.data >../attrs 2>&1
	grep -q CALLCHAIN ../attrs && ! grep -q -e REGS_USER -e STACK_USER ../attrs
	ok $? "$name: neither registers nor stacks are left" || tell ../attrs
	size=$(wc -c <baked.data)
	at_least "$name: a tenth of the size" "$(($(wc -c <perf.data) / size))" 5
done

program packed
succeeds "jit only" perfjit-fix -q --unwind=jit -o jit.data perf.data
perf evlist -v -i jit.data >../attrs 2>&1
grep -q REGS_USER ../attrs && grep -q STACK_USER ../attrs
ok $? "other samples may keep registers and stack" || tell ../attrs
succeeds "all" perfjit-fix -q --unwind -o baked.data perf.data
chains baked.data >../theirs
chains jit.data >../ours
same_file "the chains are the same" ../ours ../theirs

succeeds "stacks kept" perfjit-fix -q --unwind --keep-stacks -o kept.data perf.data
chains kept.data >../ours
same_file "they are shown once" ../ours ../theirs
perf script -i kept.data -F iregs 2>/dev/null | grep -c ' SP:0x' >../count
at_least "registers are those of the interrupt" "$(cat ../count)" 140

succeeds "frames are as many as asked for" perfjit-fix -q --unwind --max-stack=2 -o two.data \
	perf.data
chains two.data | awk '/^\t/ { n++ } !NF { if (n > most) most = n; n = 0 } END { print most }' \
	>../count
is "two of them" "$(cat ../count)" 2

# the files of another machine, below a folder
mkdir -p "../root/$place"
mv "$place/jitprog" "../root/$place/"
succeeds "without the program" perfjit-fix -q --unwind --force -o none.data perf.data
succeeds "with the folder that it is in" perfjit-fix -q --unwind --symfs=../root --force -o symfs.data \
	perf.data
mv "../root/$place/jitprog" "$place/"
chains none.data >../ours
is "chains end where no file is" "$(grep -c ' _start$' ../ours)" 0
chains symfs.data >../ours
same_file "chains are those of the files below the folder" ../ours ../theirs
run perfjit-fix --symfs=../root perf.data
exits 2 "symfs is for --unwind only"

run perfjit-fix --strip -o back.data baked.data
exits 3 "strip of chains is refused"
err_has "says why" 'had call chains put in the place of stacks (--unwind)'
[ ! -e back.data ]
ok $? "and writes nothing"

run perfjit-fix --keep-stacks perf.data
exits 2 "stacks are kept with --unwind only"
run perfjit-fix -o again.data baked.data
exits 6 "once more"
err_has "  it is said that it was fixed" 'baked.data: was made by perfjit-fix --unwind, and is copied'
run perfjit-fix --relocate=/elsewhere -o moved.data baked.data
exits 3 "it can't be made to name another folder"
err_has "  what to do" 'give --relocate with --unwind, for the profile it was made from'
rm -f again.data moved.data
run perfjit-fix --unwind --strip perf.data
exits 2 "not with --strip"
run perfjit-fix --unwind=some perf.data
exits 2 "all or jit"

succeeds "summary" perfjit-fix --unwind --force -o baked.data perf.data
out_has "counts chains" '^Unwound .* through JIT code: .* frames, .* chains complete$'
succeeds "in JSON" perfjit-fix --unwind --json -o baked.data perf.data
out_has "counts chains" '"complete_chains": *[1-9]'

# A program without any JIT code, linked in a way that this perf can't unwind: libdw can.
gzip -dc "$TESTDATA/unwind/calls.gz" >"$place/calls"
gzip -dc "$TESTDATA/unwind/calls.data.gz" >perf.data
sed -i "s|/tmp/perfjit-testdata/|$place/|g" perf.data
succeeds "no JIT code" perfjit-fix --unwind --force -o baked.data perf.data
names()
{
	sed -e 's/^ *//' -e 's/ *$//' -e 's/^\t *[0-9a-f]* /\t/'
}
gzip -dc "$TESTDATA/unwind/calls.script.gz" | names >../theirs
chains baked.data | names >../ours
at_least "samples" "$(grep -c ':$' ../ours)" 140
same_file "every perf shows the chains that perf 7.3 unwinds" ../ours ../theirs

# ends KIND PROFILE: how many of its chains end so
ends()
{
	run perfjit-check --json "$2"
	json "\$j->{chain_ends}{'$1'} // 0"
}
whole=$(ends complete perf.data)
cut=$(ends stack-short perf.data)
at_least "some stacks are too small" "$cut" 5
is "baked chains are as complete" "$(ends complete baked.data)" "$whole"
is "what is not is no frame pointer's fault" "$(ends baked baked.data)" "$cut"
strip "$place/calls"
is "without symbols it is the unwind data that tells" "$(ends complete baked.data)" "$whole"

# Chains that the kernel recorded behind their samples: only perf 7.x puts them together.
for file in dynamic libshapes.so; do
	gzip -dc "$TESTDATA/unwind/$file.gz" >"$place/$file"
done
gzip -dc "$TESTDATA/unwind/deferred.data.gz" >perf.data
sed -i "s|/tmp/perfjit-testdata/|$place/|g" perf.data
run perfjit-check --json --expect-chain='_start;run;...;_ZN6shapes6circle5twiceEm;...' perf.data
exits 0 "deferred chains are known here"
at_least "reach their end" "$(json '$j->{chain_ends}{complete}')" 200
is "those whose record is lost" "$(json '$j->{chain_ends}{"chain-lost"}')" \
	"$(gzip -dc "$TESTDATA/unwind/deferred.script.gz" | grep -c '\[unknown\]')"
is "no other is without its end" "$(json 'scalar keys %{$j->{chain_ends}}')" 2
succeeds "put into samples" perfjit-fix --unwind --perf-abi=5.10 --force -o baked.data perf.data
chains baked.data >../ours
at_least "every perf shows them" "$(grep -c ' _start$' ../ours)" 200

# Compressed samples are kept until a thread gets to them.
form zstd-7.3
succeeds "compressed samples" perfjit-fix -q --jitdump-dir=. --unwind -o baked.data perf.data
frames baked.data jit-*.dump
at_least "perf names frames of their chains" "$frames_right" 1500
is "all of them" "$frames_right $frames_wrong" "$frames_described 0"
# each chain is its own sample's: as many begin elsewhere as samples were taken elsewhere
perf script -i baked.data -G -F ip 2>../perf.err | sort -u >../taken
perf script -i baked.data --no-inline -F time,ip 2>../perf.err |
	awk 'NF == 1 && /:/ { getline; print }' | sort -u >../begun
at_least "samples were taken at" "$(wc -l <../taken)" 30
at_least "chains begin at" "$(wc -l <../begun)" 30
rm jit-*.dump

recording py313fpbuild-perfjit-fp
succeeds "a profile without stacks" perfjit-fix --unwind -o baked.data perf.data
out_has "has nothing to unwind" '^Unwound .*0 of 0 samples'
done_testing
