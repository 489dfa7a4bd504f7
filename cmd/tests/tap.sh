# SPDX-License-Identifier: GPL-2.0-or-later
# What command tests are made of: sourced by each case, which runs in a scratch folder of its own
# and prints TAP. A case ends with done_testing; one that stops before has no plan and fails.
#
# Nothing is skipped: what a test needs is what `make deps` installs.

SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SRCDIR/build}
PATH=$BUILD:$PATH
TESTDATA=$SRCDIR/testdata
ORACLES=$SRCDIR/cmd/tests
export SRCDIR BUILD PATH

scratch=$(mktemp -d "${TMPDIR:-/tmp}/perfjit-test-XXXXXX") || exit 1
scratch=$(cd "$scratch" && pwd -P)
trap 'cd /; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
mkdir "$scratch/home" "$scratch/work"
cd "$scratch/work" || exit 1

# Neither the user's perf settings, build-id cache and debuginfod servers nor the terminal matter.
HOME=$scratch/home PERF_CONFIG=/dev/null DEBUGINFOD_URLS='' TERM=dumb LC_ALL=C.UTF-8
export HOME PERF_CONFIG DEBUGINFOD_URLS TERM LC_ALL
unset NO_COLOR PERF_BUILDID_DIR

tests_run=0
tests_failed=0

# ok STATUS NAME
ok()
{
	tests_run=$((tests_run + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests_run - $2"
	else
		echo "not ok $tests_run - $2"
		tests_failed=$((tests_failed + 1))
	fi
	return "$1"
}

# Shows files as the diagnostics of a failure.
tell()
{
	for file; do sed 's/^/# /' "$file"; done
}

# run COMMAND...: its output in the files out and err, its exit code in $status.
run()
{
	status=0
	"$@" >../out 2>../err </dev/null || status=$?
	ran=$*
}

# exits STATUS NAME: how the last run ended.
exits()
{
	if [ "$status" -ne "$1" ]; then
		ok 1 "$2"
		echo "# '$ran' exited with $status, not $1"
		tell ../out ../err
		return 1
	fi
	ok 0 "$2"
}

# out_is NAME, err_is NAME: what the last run printed is exactly what stands on standard input.
out_is()
{
	stream_is out "$1"
}

err_is()
{
	stream_is err "$1"
}

stream_is()
{
	cat >../expected
	if diff -u ../expected "../$1" >../diff; then
		ok 0 "$2"
	else
		ok 1 "$2"
		tell ../diff
	fi
}

# out_has NAME PATTERN, err_has NAME PATTERN: a line matches the basic regular expression.
out_has()
{
	stream_has out "$1" "$2"
}

err_has()
{
	stream_has err "$1" "$2"
}

stream_has()
{
	if grep -q -e "$3" "../$1"; then
		ok 0 "$2"
	else
		ok 1 "$2"
		echo "# no line matches '$3' in:"
		tell "../$1"
	fi
}

# json EXPRESSION: its value over what the last run printed, $j being that decoded.
json()
{
	perl -MJSON::PP -e 'local $/; open my $f, "<:raw", "../out"; my $j = decode_json(<$f>);
		print eval($ARGV[0]), "\n"; die $@ if $@' "$1"
}

# succeeds NAME COMMAND...
succeeds()
{
	what=$1
	shift
	run "$@"
	exits 0 "$what"
}

# is NAME ACTUAL EXPECTED
is()
{
	if [ "$2" = "$3" ]; then
		ok 0 "$1"
	else
		ok 1 "$1"
		echo "# is '$2', not '$3'"
	fi
}

# at_least NAME ACTUAL LEAST
at_least()
{
	if [ "$2" -ge "$3" ]; then
		ok 0 "$1 ($2)"
	else
		ok 1 "$1"
		echo "# is $2, not $3 or more"
	fi
}

# same_file NAME A B
same_file()
{
	if cmp -s "$2" "$3"; then
		ok 0 "$1"
	else
		ok 1 "$1"
		cmp "$2" "$3" 2>&1 | sed 's/^/# /'
	fi
}

# holds NAME FILE...: the work folder holds exactly these (and what recording brought is one of
# them when named). Nothing half-written is left.
holds()
{
	what=$1
	shift
	printf '%s\n' "$@" | sort >../expected
	find . -mindepth 1 | sed 's|^\./||' | sort >../found
	if diff -u ../expected ../found >../diff; then
		ok 0 "$what"
	else
		ok 1 "$what"
		tell ../diff
	fi
}

# recording NAME: brings the recording into the work folder, unpacked.
recording()
{
	for file in "$TESTDATA/recordings/$1"/*; do
		case $file in
		*.gz)	gzip -dc "$file" >"$(basename "$file" .gz)" ;;
		*/recipe) ;;
		*)	cp "$file" . ;;
		esac
	done
	chmod u+w ./*
}

# without_libraries PROFILE: the machine's libraries that ran are neither here nor, by the C library's
# build-id, their debug files, whatever this machine has: perf would name code by another build.
without_libraries()
{
	perl -0777 -pi -e 's{/x86_64-linux-gnu/}{/x86_64-linux-out/}g or die;
		s{\x93\xac\x61\xec\x5a\x8e\xb1\x39}{not here}g or die' "$1"
}

# program NAME: brings the recording of testdata/programs into the work folder, unpacked, and what
# it ran to the folder ../symfs, below its recorded path.
program()
{
	rm -rf ./*
	for file in "$TESTDATA/programs/$1"/*.gz; do
		gzip -dc "$file" >"$(basename "$file" .gz)"
	done
	mkdir -p ../symfs/tmp/perfjit-testdata
	for file in jitprog jitexec neighbour.so; do
		gzip -dc "$TESTDATA/programs/$file.gz" >"../symfs/tmp/perfjit-testdata/$file"
	done
}

# frames PROFILE DUMP...: what perf ($frames_options besides) makes of the frames in code that the dumps describe, as
# variables: frames_described, frames_right, frames_wrong, frames_unnamed, frames_early,
# frames_early_right.
frames()
{
	profile=$1
	shift
	perl "$ORACLES/jitdump-names.pl" "$@" >../names || return 1
	perf script ${frames_options:-} --show-mmap-events --no-demangle --no-inline --max-stack 1024 --ns \
		-F pid,tid,time,ip,sym,dso -i "$profile" 2>../perf.err |
		perl "$ORACLES/script-frames.pl" ../names >../frames || return 1
	eval "$(cat ../frames)"
	sed 's/^/# /' ../frames
}

# chains PROFILE [OPTION]...: what perf makes of all call chains, as variables: chains_samples,
# chains_frames, chains_named, chains_kernel, chains_whole, chains_infile,
# chains_arrived.
chains()
{
	profile=$1
	shift
	perf script "$@" --no-demangle --no-inline -F ip,sym,dso -i "$profile" 2>../perf.err |
		perl "$ORACLES/script-chains.pl" >../chains || return 1
	eval "$(cat ../chains)"
	sed 's/^/# /' ../chains
}

# can_disassemble: whether this build looks at code at all; what needs it is tested otherwise if not.
can_disassemble()
{
	! perfjit-fix --version | grep -q 'built without a disassembler'
}

# fix_program: perfjit-fix on what program brought; its DSOs are found below ../symfs like all else.
fix_program()
{
	rm -rf ../symfs/dsos
	perfjit-fix -q --jitdump-dir=. --dso-dir=../symfs/dsos --relocate=/dsos "$@" perf.data
}

done_testing()
{
	echo "1..$tests_run"
	[ "$tests_failed" -eq 0 ]
	exit
}
