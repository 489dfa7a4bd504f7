#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What else perfjit-dump prints: source lines of jitdumps, fields of tracepoints, perf maps, ELF
# files. Independent parsers and other tools say what is right.
. "$(dirname "$0")/tap.sh"

# rows: from JSON, a line for each row of debug info
rows()
{
	perl -MJSON::PP -ne 'BEGIN { binmode STDOUT, ":utf8" } my $r = decode_json($_);
		next if $r->{type} ne "DEBUG_INFO" || $r->{rows_are} ne "as_written";
		print join("\t", $r->{offset}, @{$_}{qw(addr line column file)}), "\n" for @{$r->{rows}}' ../out
}

gzip -dc "$TESTDATA/recordings/java17-fp-pfp/jit-16122.dump.gz" >java.dump
perl "$ORACLES/jitdump-rows.pl" java.dump >../rows
at_least "source lines of the JVM" "$(wc -l <../rows)" 200
succeeds "are printed" perfjit-dump --json java.dump
rows >../ours
same_file "  as they stand there" ../ours ../rows
perl "$ORACLES/jitdump-swap.pl" java.dump >big.dump
succeeds "in big-endian, too" perfjit-dump --json big.dump
rows >../ours
same_file "  the same" ../ours ../rows
gzip -dc "$TESTDATA/recordings/node20-fp/jit-25044.dump.gz" >node.dump
succeeds "tables whose names V8 damaged" perfjit-dump --json --type=debug_info node.dump
is "  are all there" "$(grep -c '"type":"DEBUG_INFO"' ../out)" 20
at_least "  some of them mended" "$(grep -c '"rows_are":"mended"' ../out)" 1
is "  no garbage is printed" "$(grep -c '\\\\x' ../out)" 0
grep '"rows_are":"mended"' ../out | grep -o '"file":"[^"]*"' | sort -u >../files
is "  but names of files" "$(grep -v -e '/home/corpus/src/nest.js"' -e '"node:' -e '"file":""' ../files)" ""

recording node20-tracepoints
perf script -F event,trace -i perf.data 2>/dev/null | sed -n \
	's/^ *sched:sched_switch: *prev_comm=\(.*\) prev_pid=\([0-9]*\) prev_prio=\([0-9]*\) .*==> next_comm=\(.*\) next_pid=\([0-9]*\) next_prio=\([0-9]*\)/\1 \2 \3 \4 \5 \6/p' |
	sort >../fields
at_least "samples of sched_switch" "$(wc -l <../fields)" 20
succeeds "fields of tracepoints" perfjit-dump --json --type=sample perf.data
perl -MJSON::PP -ne 'my $r = decode_json($_); next if ($r->{event} // "") ne "sched:sched_switch";
	my %f = map { $_->{field} => $_->{value} } @{$r->{fields}};
	print join(" ", @f{qw(prev_comm prev_pid prev_prio next_comm next_pid next_prio)}), "\n"' ../out | sort >../ours
same_file "  are perf's" ../ours ../fields
is "  of all events" "$(perfjit-dump --header perf.data | sed -n 's/^event .* name="\([^"]*\)".*/\1/p' | sort)" \
	"$(perf evlist -i perf.data 2>/dev/null | grep -v '^#' | sort)"

rm ./*
recording py313fpbuild-perfmap-fp
succeeds "a perf map" perfjit-dump --json perf-1230.map
out_has "  has the pid of its name" '"type":"perfmap".*"pid":1230'
perl -MJSON::PP -ne 'BEGIN { binmode STDOUT, ":utf8" } my $r = decode_json($_); next if $r->{type} ne "ENTRY";
	printf "%s %x %s\n", substr($r->{addr}, 2), $r->{size}, $r->{name}' ../out >../ours
same_file "  has its lines" ../ours perf-1230.map
is "  of a function" "$(perfjit-dump --type=entry --function='py::leaf:*' perf-1230.map | grep -c ^ENTRY)" \
	"$(grep -c ' py::leaf:' perf-1230.map)"
addr=$(sed -n '7s/ .*//p' perf-1230.map)
is "  at an address" "$(perfjit-dump --address="$addr" perf-1230.map | sed -n 's/^ENTRY.* name="\(.*\)"/\1/p')" \
	"$(sed -n '7s/^[^ ]* [^ ]* //p' perf-1230.map)"
succeeds "  from standard input" sh -c 'perfjit-dump - <perf-1230.map'

gcc -g -xc -o program - <<'EOT' || exit 1
static int one(int n) { return n + 1; }
int main(int argc, char **argv) { (void)argv; return one(argc); }
EOT
succeeds "an ELF file" perfjit-dump program
sed -n 's/^FUNCTION addr=0x\([0-9a-f]*\) size=\([0-9]*\) name="\(.*\)"/\1 \2 \3/p' ../out | sort >../ours
readelf -sW program | awk '$4 == "FUNC" && $7 != "UND" && /\.symtab/ { on = 1 }
	/\.symtab/ { on = 1 } on && $4 == "FUNC" && $7 != "UND" { sub(/^0+/, "", $2); print $2, $3, $8 }' | sort >../symbols
same_file "  has the functions that readelf finds" ../ours ../symbols
sed -n 's/^section name="\(.*\)" section_type=[0-9]* addr=0x\([0-9a-f]*\) .*/\1 \2/p' ../out >../ours
readelf -SW program | sed -n 's/^  \[ *[1-9][0-9]*\] \([^ ]*\) *[A-Z_0-9]* *0*\([0-9a-f]*[0-9a-f]\) .*/\1 \2/p' >../sections
same_file "  and the sections" ../ours ../sections
is "  segments" "$(grep -c ^segment ../out)" "$(readelf -lW program | sed -n 's/^There are \([0-9]*\) program headers.*/\1/p')"
strip program
succeeds "a stripped one" perfjit-dump program
head -c 3000 program >cut
run perfjit-dump --cfi cut
exits 0 "one that is cut off"
done_testing
