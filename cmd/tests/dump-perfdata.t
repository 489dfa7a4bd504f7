#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles: what perfjit-dump prints is what perf prints of them: of all forms by the perf that
# testdata/recordings/README names, of what this machine's perf can read by that.
. "$(dirname "$0")/tap.sh"

kinds='PERF_RECORD_(MMAP2?|COMM|FORK|EXIT|SAMPLE)[ (:]'

for profile in "$TESTDATA"/recordings/*.data; do
	name=${profile##*/}
	expected=${profile%.data}
	grep -E "$kinds" "${expected%-be}.expect" >../expected
	succeeds "$name" perfjit-dump --json "$profile"
	perl "$ORACLES/dump-as-perf.pl" <../out | LC_ALL=C sort >../ours
	at_least "  has records" "$(wc -l <../ours)" 50
	same_file "  says what perf said of them" ../ours ../expected
done

# what perf tells of the place of records is right for files alone
for profile in "$TESTDATA"/recordings/5.10-fp.data "$TESTDATA"/recordings/6.1-fp.data \
	"$TESTDATA"/recordings/6.1-two.data "$TESTDATA"/abi/6.1-fields.data; do
	perf script -D -i "$profile" 2>/dev/null | LC_ALL=C sed -nE \
		's/^(-?[0-9]+ )?[0-9]+ (0x[0-9a-f]+ \[0x[0-9a-f]+\]): PERF_RECORD_.*/\2/p' | sort -u >../places
	succeeds "places in ${profile##*/}" perfjit-dump --json "$profile"
	perl "$ORACLES/dump-as-perf.pl" --places <../out | sort -u >../ours
	at_least "  are those of records" "$(wc -l <../ours)" 50
	same_file "  that perf tells" ../ours ../places
done

recording java17-fp-pfp
succeeds "counts" perfjit-dump --stats perf.data
perf report --stats -i perf.data 2>/dev/null >../stats
for type in MMAP COMM EXIT FORK SAMPLE MMAP2 ID_INDEX; do
	is "$type" "$(sed -n "s/^count of=$type records=\([0-9]*\) .*/\1/p" ../out)" \
		"$(sed -n "s/^ *$type events: *\([0-9]*\).*/\1/p" ../stats | head -1)"
done

# value FEATURE MEMBER: as the last run printed it
value()
{
	sed -n "s/^feature nr=[0-9]* name=$1 .* $2=\(\"[^\"]*\"\|[^ ]*\).*/\1/p" ../out | tr -d '"'
}

# header NAME: as perf prints it
header()
{
	sed -n "s/^# $1 *: //p" ../header
}

succeeds "header" perfjit-dump --header perf.data
perf report --header-only -i perf.data >../header 2>/dev/null
is "host" "$(value HOSTNAME value)" "$(header hostname)"
is "release" "$(value OSRELEASE value)" "$(header 'os release')"
is "version" "$(value VERSION value)" "$(header 'perf version')"
is "machine" "$(value ARCH value)" "$(header arch)"
is "cpu" "$(value CPUDESC value) $(value CPUID value)" "$(header cpudesc) $(header cpuid)"
is "cpus" "$(value NRCPUS available) $(value NRCPUS online)" \
	"$(header 'nrcpus avail') $(header 'nrcpus online')"
is "memory" "$(value TOTAL_MEM kib) kB" "$(header 'total memory')"
is "command" "$(sed -n 's/^    word="\(.*\)"$/\1/p' ../out | tr '\n' ' ')" "$(header cmdline)"
is "times" "$(value SAMPLE_TIME first | cut -c-11) $(value SAMPLE_TIME last | cut -c-11)" \
	"$(header 'time of first sample' | cut -c-11) $(header 'time of last sample' | cut -c-11)"
is "pmus" "$(sed -n 's/^    pmu_type=\([0-9]*\) name="\(.*\)"$/\2 = \1/p' ../out | tr '\n' ',')" \
	"$(header 'pmu mappings' | sed 's/, /,/g'),"
perf buildid-list -i perf.data 2>/dev/null | sort >../ids
sed -n 's/^    build_id=\([0-9a-f]*\) pid=[-0-9]* name="\(.*\)"$/\1 \2/p' ../out | sort >../ours
same_file "build-ids" ../ours ../ids
event=$(sed -n 's/^event nr=0 //p' ../out)
header event >../event
is "what samples hold" "$(echo "$event" | sed 's/.* sample_type=\([^ ]*\) .*/\1/')" \
	"$(sed 's/.* sample_type = \([^,]*\),.*/\1/' ../event)"
is "what counts hold" "$(echo "$event" | sed 's/.* read_format=\([^ ]*\) .*/\1/')" \
	"$(sed 's/.* read_format = \([^,]*\),.*/\1/' ../event)"
is "flags" "$(echo "$event" | sed 's/.* flags=\([^ ]*\) .*/\1/' | tr '|' '\n')" \
	"$(sed 's/.* read_format = [^,]*, //' ../event | tr ',' '\n' | sed -n 's/^ *\([a-z_0-9]*\) = 1$/\1/p' | grep -v '^clockid')"
is "clock" "$(echo "$event" | sed 's/.* clock=\([^ ]*\) .*/\1/')" "monotonic"

# selection
perf script --show-mmap-events -F time,event -i perf.data >../script 2>/dev/null
succeeds "a type" perfjit-dump --json --type=mmap2 perf.data
is "is all there is" "$(grep -c '"type":"MMAP2"' ../out)" \
	"$(perf script --show-mmap-events -i perf.data 2>/dev/null | grep -c PERF_RECORD_MMAP2)"
is "  and nothing else" "$(grep -c -v -e '"type":"MMAP2"' -e '"type":"count"' -e '"type":"summary"' ../out)" 0
time=$(perf script -F time --ns -i perf.data 2>/dev/null | sed -n '100s/^ *\([0-9.]*\):.*/\1/p')
is "up to a time" "$(perfjit-dump --stats --type=sample --time=-"$time" perf.data | sed -n 's/^summary records=//p')" 100
perf script -F pid,tid -i perf.data 2>/dev/null | awk '{ n[$1]++ } END { for (p in n) print p, n[p] }' >../pids
at_least "a process" "$(wc -l <../pids)" 1
while read -r pid count; do
	is "samples of pid ${pid%/*}" "$(perfjit-dump --stats --type=sample --pid="${pid%/*}" perf.data |
		sed -n 's/^summary records=//p')" "$count"
done <<EOT
$(perf script -F pid -i perf.data 2>/dev/null | sort | uniq -c | awk '{ print $2, $1 }')
EOT
ip=$(perf script -G -F ip -i perf.data 2>/dev/null | sed -n '50s/ //gp')
perfjit-dump --json --type=sample --address="$ip" perf.data >../out
at_least "samples with an address in their chain" "$(grep -c '"type":"SAMPLE"' ../out)" 1
is "  all of them have it" "$(grep '"type":"SAMPLE"' ../out | grep -vc "0x$ip\"")" 0
is "  and no others" "$(perfjit-dump --json --type=sample perf.data | grep -c "0x$ip\"")" \
	"$(grep -c '"type":"SAMPLE"' ../out)"

for option in --function=x --cfi --code --lines; do
	run perfjit-dump $option perf.data
	exits 3 "$option of a profile"
	err_has "  is refused" "is a profile, which holds no code"
done
done_testing
