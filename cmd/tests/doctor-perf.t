#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What perfjit-doctor says of perfs: of the one here, and of it with something taken away.
. "$(dirname "$0")/tap.sh"

perf=$(command -v perf)
TMPDIR=$scratch/tmp
export TMPDIR
mkdir "$TMPDIR"

# status FAULT: what --json said of that probe
status()
{
	json "(grep { \$_->{fault} eq '$1' } @{\$j->{perf}{probes}})[0]{status}"
}

# wrapped NAME COMMAND: a perf that does that to each call, in the shell
wrapped()
{
	printf '#!/bin/sh\nperf=%s\n%s\n' "$perf" "$2" >"$1"
	chmod +x "$1"
}

run perfjit-doctor --json
exits 1 "this machine's perf has faults"
err_is "nothing is complained of" </dev/null
for fault in does-not-run no-libelf no-unwinder no-inject equal-build-ids no-zstd no-pipe \
	drops-failed-chains; do
	is "it is not: $fault" "$(status $fault)" ok
done
# no perf so far goes on
is "it is: inject-missing-dump" "$(status inject-missing-dump)" faulty
# what perf says of itself decides nothing, but of a whole build it is right
if perf version --build-options | grep -q 'libunwind: \[ on'; then
	is "its unwinder" "$(json '$j->{perf}{unwinder}')" libunwind
	is "it is: stops-without-cfi" "$(status stops-without-cfi)" faulty
	is "it is not: jitted-prefix" "$(status jitted-prefix)" ok
	is "it is not: drops-unmapped" "$(status drops-unmapped)" ok
else
	is "its unwinder" "$(json '$j->{perf}{unwinder}')" libdw
	is "it is not: stops-without-cfi" "$(status stops-without-cfi)" ok
	is "it is: jitted-prefix" "$(status jitted-prefix)" faulty
	is "it is: drops-unmapped" "$(status drops-unmapped)" faulty
fi
is "a perf of the size of its own event attributes" \
	"$(json '$j->{perf}{accepted_attr} >= 120 ? 1 : 0')" 1
is "version" "$(json '$j->{perf}{version}')" "$(perf --version | sed 's/perf version //')"

run perfjit-doctor
exits 1 "the same in words"
out_has "the first line is a sentence about it" "^perf ($(perf --version |
	sed 's/perf version //'), lib[a-z]*): .*\.$"
out_has "the last line is what to type" '^Next: perfjit-fix'
is "one next command" "$(grep -c '^Next: ' ../out)" 1
run perfjit-doctor -v
out_has "-v: what is right" '^  ok  *reads symbols of ELF files'
run perfjit-doctor --quiet
is "--quiet: one line" "$(wc -l <../out)" 1

# perfs that lack something
wrapped noelf '[ "$1" = script ] || exec $perf "$@"
$perf "$@" | sed "s/ [^ ]*+0x[0-9a-f]* (/ [unknown] (/"'
run perfjit-doctor --perf=./noelf
exits 1 "a perf without names"
is "the first line says so" "$(sed -n '1s/.*: it is built without libelf.*/yes/p' ../out)" yes
out_has "what avoids it" '^Next: perfjit-fix --for-perf=./noelf perf.data$'
run perfjit-doctor -v --perf=./noelf
out_has "and by which option" '^  Type  *perfjit-fix --perf-map perf.data$'

wrapped nounwind '[ "$1" = script ] || exec $perf "$@"
$perf "$@" | awk "/^\\t/ { if (n++) next } !/^\\t/ { n = 0 } 1"'
run perfjit-doctor --perf=./nounwind
exits 1 "a perf without an unwinder"
is "the first line says so" "$(sed -n '1s/.*no unwinder): it is built without an unwinder.*/yes/p' \
	../out)" yes
out_has "what avoids it" '^Next: perfjit-fix --for-perf=./nounwind perf.data$'
run perfjit-doctor --json --perf=./nounwind
is "nothing is said of how it unwinds" "$(status stale-rows) $(status jitted-prefix)" \
	"unknown unknown"

wrapped noinject '[ "$1" != inject ] || { echo "Error: unknown switch" >&2; exit 129; }
exec $perf "$@"'
run perfjit-doctor --json --perf=./noinject
is "a perf without inject --jit" "$(status no-inject) $(status equal-build-ids)" "faulty unknown"

# finds FAULT [FAULT]: exactly that more than without the wrapper
run perfjit-doctor --json
faults_here=$(json 'join " ", sort map { $_->{fault} } grep { $_->{status} eq "faulty" }
	@{$j->{perf}{probes}}')
finds()
{
	run perfjit-doctor --json --perf="./$1"
	is "a perf with the fault $1" "$(json 'join " ", sort map { $_->{fault} }
		grep { $_->{status} eq "faulty" } @{$j->{perf}{probes}}')" \
		"$(printf '%s\n' $faults_here "$@" | sort -u | xargs)"
}

# cuts FAULT FILE FRAMES: chains of samples in that file end early
cuts()
{
	wrapped "$1" "[ \"\$1\" = script ] || exec \$perf \"\$@\"
\$perf \"\$@\" | awk '/^\\t/ && !n { cut = /$2/ } /^\\t/ { if (cut && ++n > $3) next; n += !cut }
	!/^\\t/ { n = 0 } 1'"
	finds "$1"
	rm "$1"
}
cuts pgoff-table '\/pgoff.so' 1
cuts jitted-prefix '\/injected.so' 1
cuts drops-unmapped '\/unmapped.so' 1
cuts stale-rows '\/new.so' 1

wrapped loses-remapped '[ "$1" = script ] || exec $perf "$@"
$perf "$@" | awk "/^[^\t]/ { n = 0 } /program/ && !n++ { nth++ } nth < 3 || n < 2"'
finds loses-remapped
rm loses-remapped

# perf inject with one build-id for all files
wrapped equal-build-ids '$perf "$@"; status=$?
[ "$1" != inject ] || for out; do :; done
[ "$1" != inject ] || perl -e "for (glob \"\$ARGV[0]/jitted-*\") { open my \$f, q(+<:raw), \$_;
	local \$/; my \$d = <\$f>; \$d =~ s/(.{4})(\\x03\\0\\0\\0GNU\\0)(.{20})/
		\$1 . \$2 . q(x) x unpack(q(V), \$1) . substr(\$3, unpack q(V), \$1)/es;
	seek \$f, 0, 0; print \$f \$d }" "${out%/*}"
exit $status'
# it was filed by the one that perf gave it
finds equal-build-ids inject-not-cached
rm equal-build-ids

# lines of source asked for one by one
wrapped slow-lines 'case " $* " in
*" script "*--no-inline*) ;;
*" script "*) for i in 0 1 2 3 4 5 6 7 8 9 a b; do addr2line </dev/null >/dev/null 2>&1; done ;;
esac
exec $perf "$@"'
finds slow-lines
rm slow-lines

# one that drops a chain when a step fails
wrapped drops-failed-chains 'case " $* " in *stacks.data*) ;; *) exec $perf "$@" ;; esac
$perf "$@" | awk "/^[^\t]/ { sample = \$0; n = 0; next } /^\t/ { chain[++n] = \$0; next }
	{ print sample; if (chain[1] !~ /\/bare.so|\/unmapped.so/)
		for (i = 1; i <= n; i++) print chain[i]; print \"\" }"'
finds drops-failed-chains stops-without-cfi
run perfjit-doctor --json --perf=./drops-failed-chains
is "nothing is said of what else would end them" "$(status drops-unmapped)" unknown
rm drops-failed-chains

wrapped broken 'echo "./perf: error while loading shared libraries" >&2; exit 127'
run perfjit-doctor --perf=./broken
exits 1 "a perf that does not run"
is "the first line says so" "$(sed -n '1s/.*: it prints no samples.*/yes/p' ../out)" yes
out_has "and what it said" 'error while loading shared libraries'

cp noelf "no elf"
run perfjit-doctor --perf="./no elf"
out_has "a name to be quoted" "^Next: perfjit-fix --for-perf='./no elf' perf.data$"
rm "no elf"

run perfjit-doctor "$(command -v sort)"
exits 3 "a program is no recording"
err_has "says how a perf is named" 'sort: is a program: a perf is named with --perf=PATH'

run perfjit-doctor --perf=./none
exits 3 "no such perf"
err_has "says so" 'error: ./none: can.t be run: No such file'

# perfjit-fix does what follows
recording llvm14-mcjit-nofp-dwarf
succeeds "perfjit-fix for a perf without an unwinder" perfjit-fix --for-perf=./nounwind perf.data
out_has "says what it chose" '^For       perf [0-9.]*, no unwinder:.* --unwind$'
out_has "and did so" '^Unwound   [1-9]'
run perf script -F ip,sym -i perf.fixed.data
is "chains are in the profile" \
	"$(awk '/^\t/ { n++ } !NF { if (n > 2) long++; n = 0 } END { print (long > 9) }' ../out)" 1
succeeds "for one without names" perfjit-fix --for-perf=./noelf -o maps.data perf.data
out_has "maps are written" '^Maps      1 perf-PID.map'
wrapped neither '[ "$1" = script ] || exec $perf "$@"
$perf "$@" | sed "s/ [^ ]*+0x[0-9a-f]* (/ [unknown] (/" |
	awk "/^\\t/ { if (n++) next } !/^\\t/ { n = 0 } 1"'
succeeds "for one that has neither" perfjit-fix --for-perf=./neither -o both.data perf.data
out_has "says what it chose" '^For  .*: .*--perf-map --unwind$'
out_has "chains are written" '^Unwound   [1-9]'
out_has "and maps" '^Maps      1 perf-PID.map'
rm neither
succeeds "what is given stays" perfjit-fix --force --for-perf=./nounwind --unwind=jit perf.data
out_has "and is not said to be chosen" '^For       perf [0-9.]*, no unwinder: --perf-abi=[0-9.]*$'
run perfjit-fix --for-perf=./none perf.data
exits 3 "for one that is not there"
run perfjit-fix --for-perf=/bin/true -o true.data perf.data
exits 3 "for one that is no perf"
err_has "  is said" 'error: /bin/true: is no perf, or a broken one'
rm -rf ./*.data ./*.dump ./*.jit nest.c

# the report
run perfjit-doctor --report --redact
exits 1 "a report"
out_has "has versions" '^perf [0-9.]*'
out_has "has all probes" '^  ok  *reads symbols of ELF files'
run perfjit-doctor --report=report.txt
holds "--report=FILE writes it there" report.txt noelf nounwind noinject broken
is "and nothing else" "$(cat ../out)" ""
cp report.txt ../whole.txt
{
	(
		trap '' XFSZ
		ulimit -f 0
		perfjit-doctor --report=report.txt /dev/null
	)
	echo $? >../status
} 2>&1 | cat >../out
is "a report that does not fit" "$(cat ../status)" 4
same_file "  the one that was there stands" report.txt ../whole.txt
run perfjit-doctor --report=no/where
exits 4 "a report that can't be written"
run perfjit-doctor --report=no/where none.data
exits 4 "is told of before anything is looked at"
err_is "which is all" <<EOT
perfjit-doctor: error: no/where: can't open the folder it is to be in: No such file or directory
EOT
run perfjit-doctor --redact
exits 2 "--redact alone"

# interrupted while it probes
perfjit-doctor >../out 2>../err &
child=$!
until [ "$(ls "$TMPDIR")" ]; do sleep 0.1; done
kill $child
wait $child
is "it ends by the signal" $? 143
is "nothing is left in TMPDIR" "$(ls "$TMPDIR")" ""
done_testing
