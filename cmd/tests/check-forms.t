#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The forms of perfjit-check's report, each read by a parser that others wrote, with names that
# each of them must escape.
. "$(dirname "$0")/tap.sh"

# What is in the way of XML, TAP, JSON, workflow commands and terminals.
odd='<a&b>"q" %25 ::error::x, # skip \d ü'"$(printf '\001\033[31m\302\233\377\357\277\276')"
demands()
{
	set -- --symfs=../symfs perf.fixed.data --min-named=100 "--expect=packed::f0_*" \
		"--expect=$odd" '--forbid=step' "$@"
	run perfjit-check "$@"
}

program packed
fix_program

# TAP, by perl's own parser
demands --tap
exits 1 "--tap"
cat >../tap.pl <<'EOT'
use TAP::Parser;
open my $file, '<:raw', '../out' or die;
my $parser = TAP::Parser->new({ source => $file });
my @lines;
while (my $result = $parser->next) {
	push @lines, ($result->is_actual_ok ? 'ok' : 'not ok') . ($result->has_skip ? ' skip' : '')
		if $result->is_test;
}
print join(', ', @lines), '; planned ', $parser->tests_planned, ', errors ',
	scalar($parser->parse_errors), ', version ', $parser->version, "\n";
EOT
is "TAP::Parser reads it" "$(perl ../tap.pl)" \
	"ok, ok, not ok, not ok; planned 4, errors 0, version 13"
cat >../sub.t <<-EOT
	perfjit-check --tap --symfs=../symfs perf.fixed.data --min-named=100 --expect=step
EOT
succeeds "prove runs it" prove -e sh ../sub.t
run perfjit-check --tap none.data
exits 3 "no profile"
out_has "bails out" '^Bail out!'

# JUnit, by libxml2
demands --junit
exits 1 "--junit"
cp ../out ../junit.xml
succeeds "xmllint reads it" xmllint --noout ../junit.xml
value()
{
	xmllint --xpath "string($1)" ../junit.xml
}
is "tests" "$(value /testsuites/testsuite/@tests)" 4
is "failures" "$(value /testsuites/testsuite/@failures)" 2
is "as many are there" "$(value 'count(//testcase)') $(value 'count(//failure)')" "4 2"
is "a name with all that is odd" "$(value '//testcase[3]/@name')" \
	"--expect=<a&b>\"q\" %25 ::error::x, # skip \\d ü\\x01\\x1b[31m\\xc2\\x9b\\xff$(printf '\357\277\275')"
run perfjit-check --junit none.data
cp ../out ../junit.xml
is "no profile is an error" "$(value 'count(//error)')" 1
demands --junit=report.xml
exits 1 "--junit=FILE"
out_has "text besides" '^FAILED'
succeeds "xmllint reads the file" xmllint --noout report.xml
demands --junit=report.xml
exits 1 "--junit=FILE that replaces one"
cp report.xml ../whole.xml
{
	(
		trap '' XFSZ
		ulimit -f 0
		perfjit-check --min-samples=1 --junit=report.xml perf.fixed.data
	)
	echo $? >../status
} 2>&1 | cat >../out
is "--junit=FILE that does not fit" "$(cat ../status)" 4
same_file "  the one that was there stands" report.xml ../whole.xml
succeeds "--junit=FILE to a device" perfjit-check -q --min-samples=1 --junit=/dev/null perf.fixed.data

# JSON
demands --json
exits 1 "--json"
is "checks" "$(json 'join " ", map { $_->{passed} ? "ok" : "no" } @{$j->{checks}}')" "ok ok no no"
is "advice where it failed" "$(json 'join " ", map { defined $_->{advice} ? "yes" : "no" }
	@{$j->{checks}}')" "no no yes yes"
is "exit code" "$(json '$j->{exit_code}')" 1
is "samples" "$(json '$j->{samples}')" 190
is "events" "$(json 'join ",", map { "$_->{name} $_->{samples}" } @{$j->{events}}')" \
	"cpu-clock:u 190"
is "processes" "$(json 'join ",", map { "$_->{pid} $_->{name} $_->{samples}" } @{$j->{processes}}')" \
	"9128 jitprog 190"
run perfjit-check --json none.data
exits 3 "no profile"
is "is told" "$(json '"$j->{exit_code} $j->{messages}[0]{kind}"')" "3 file.open"

# Workflow commands, read as the runner does: one a line, properties, then data; %XX decoded
cat >../commands.pl <<'EOT'
use strict;
open my $file, '<:raw', '../out' or die;
while (<$file>) {
	die "no command: $_" unless /^::(\w+) title=([^,:]*)::(.*)$/;
	my ($command, @text) = ($1, $2, $3);
	for (@text) { die "control: $_" if /[\x00-\x1f\x7f]/; s/%(0D|0A|25|3A|2C)/chr hex $1/ge }
	print "$command|$text[0]|", $text[1] =~ tr/\n//, "\n";
}
EOT
demands --github
exits 1 "--github"
perl ../commands.pl >../commands
out='error|--expect=<a&b>"q" %25 ::error::x, # skip \d ü\x01\x1b[31m\xc2\x9b\xff'"$(printf '\357\277\276')"
is "an error for each that failed" "$(head -n 1 ../commands)" "$out|1"
is "and for no other" "$(cut -d '|' -f 1 ../commands | tr '\n' ' ')" "error error "
run perfjit-check --github --symfs=../symfs perf.fixed.data --min-named=100
is "a notice when all passed" "$(perl ../commands.pl)" "notice|perfjit-check|0"
run perfjit-check --github none.data
is "an error when there is no profile" "$(perl ../commands.pl)" "error|none.data|0"

GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_STEP_SUMMARY
echo "# before" >summary.md
demands --github
is "the summary is added to" "$(head -n 1 summary.md)" "# before"
is "a row for each check" "$(grep -c -e '^| ok' -e '^| \*\*failed' summary.md)" 4
is "of four cells" "$(grep '^| ok' summary.md | sed 's/\\|//g' | tr -dc '|\n' | sort -u)" "|||||"
GITHUB_STEP_SUMMARY=$PWD/none/summary.md
demands --github
exits 4 "a summary that can't be written"
unset GITHUB_STEP_SUMMARY
echo text >text
for file in none/junit.xml .; do
	run perfjit-check -q --junit=$file text
	exits 4 "--junit=$file"
	is "is said before anything is read" "$(sed "s/can't .*/can't/" ../err)" \
		"perfjit-check: error: $file: can't"
done
rm text

# text: colours only where they are wanted, and no control characters of others
demands
is "no escapes" "$(LC_ALL=C tr -d '\n -~\200-\377' <../out | wc -c)" 0
demands --color=always
out_has "colours" "$(printf '\033')\[1;31mFAILED"
demands -q
is "quietly, what failed" "$(grep -c . ../out)" 4
is "by two lines each" "$(grep -c '^FAILED' ../out)" 2
run perfjit-check -q --symfs=../symfs perf.fixed.data --min-named=100
out_is "and nothing when nothing did" </dev/null
done_testing
