#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perfjit-check --flamegraph: what the page holds, beside what perf script and the jitdump say, and
# that no name gets out of its place. How it looks and behaves: make check-browser.
. "$(dirname "$0")/tap.sh"

# page FILE EXPRESSION
page()
{
	perl "$ORACLES/page-data.pl" "$@"
}

# fold PROFILE: the stacks that perf script shows
fold()
{
	perf script --symfs=../symfs --no-demangle --no-inline -F comm,ip,sym -i "$1" 2>../perf.err |
		perl -00 -ne 'my ($comm, @frames) = split /\n/; $comm =~ s/^\s+|\s+$//g;
			$sum{join ";", $comm, map { /^\s*\w+ (.*)/ } reverse @frames}++;
			END { print "$_ $sum{$_}\n" for sort keys %sum; print "\n" }'
}

program packed
fix_program
run perfjit-check --symfs=../symfs --flamegraph=out.html perf.fixed.data
exits 0 "a page besides the report"
out_has "  which is there" '190 samples'
out_has "  and tells of the page" '^Wrote     out.html: open it in a browser$'
fold perf.fixed.data >../after
page out.html 'folded(0)' >../out
at_least "different stacks" "$(wc -l <../after)" 80
same_file "the stacks are those of perf script" ../after ../out
fold perf.data >../before
page out.html 'folded(1)' >../out
same_file "those from before are perf's of the profile before" ../before ../out
! cmp -s ../before ../after
ok $? "  which are others"
is "the samples are counted" "$(page out.html 'join " ", map { $_->{samples} } @{$d->{trees}}')" \
	"$(perf script -F time -i perf.data 2>/dev/null | grep -c . | sed 's/.*/& &/')"

# codes, and where samples are
first=$(perf script --ns -F time -i perf.fixed.data 2>/dev/null | head -n 1 | tr -d ' .:')
perl "$ORACLES/jitdump-names.pl" jit-*.dump |
	perl -F'\t' -lane '$F[1] -= '"$first"'; print join "\t", @F' | sort >../loaded
page out.html 'codes()' | grep . >../out
at_least "pieces of code" "$(wc -l <../loaded)" 40
same_file "are where and when the jitdump has them" ../loaded ../out
run perfjit-check --json --symfs=../symfs perf.fixed.data
is "samples in them are marked" "$(page out.html 'scalar @{$d->{memory}[0]{marks}} / 4')" \
	"$(json '$j->{jit_samples}')"
is "and none is without a name" "$(page out.html 'scalar @{$d->{memory}[0]{gaps}}')" 0

mkdir ../away
mv jit-*.dump ../away
run perfjit-check --json --symfs=../symfs --flamegraph=bare.html perf.data
json 'join "", map { "$_\n" } sort keys %{$j->{jit_reasons}}' | grep . >../reasons
mv ../away/* .
is "a profile that was not fixed is one tree" \
	"$(page bare.html 'join " ", map { $_->{label} } @{$d->{trees}}')" Profile
page bare.html 'join "", map { sprintf "%x\n", $_ } do {
	my ($s) = @{$d->{memory}}; my @g = @{$s->{gaps}}; my @r;
	while (my ($region, $offset) = splice @g, 0, 7) {
		push @r, hex($s->{regions}[$region][0]) + $offset } @r }' | grep . | sort -u >../out
perf script --no-inline -F ip,sym --symfs=../symfs -i perf.data 2>/dev/null |
	sed -n 's/^[[:space:]]*\([0-9a-f]*\)[0-9a-f]\{3\} \[unknown\].*/\1000/p' | sort -u >../expected
same_file "the pages where frames have no name are marked" ../expected ../out
page bare.html 'my @g = @{$d->{memory}[0]{gaps}};
	join "", map { "$d->{reasons}[$g[7 * $_ + 5]][0]\n" } 0 .. $#g / 7' | grep . | sort -u >../out
same_file "  with the reasons that the report has" ../reasons ../out

# names that would get out of the script, of JSON or of the text: as long as those that they replace
perl -0777 -pi -e 's{packed::f0_1\0}{</script><b>\0}g; s{packed::f0_2\0}{<!--<script>\0}g;
	s{packed::f0_3\0}{"\\\x27&\xe2\x80\xa8]]>`x\0}g; s{packed::f0_4\0}{\x1b[31m\x07\xff\r\nabc\0}g;
	s{packed::f0_5\0}{\@DATA\@ \$& \\n\0}g' jit-*.dump
fix_program
cp perf.fixed.data "<img src=x onerror=alert(1)>.data"
run perfjit-check -q --symfs=../symfs --flamegraph=hostile.html "<img src=x onerror=alert(1)>.data"
exits 0 "hostile names"
page hostile.html 'join "\n", sort grep { /script|\]\]|31m|DATA/ }
	map { $d->{names}[$_->[0]] } @{$d->{frames}}' >../out
out_is "are told as they are, but for what is not printable" <<EOT
"\\'&\\xe2\\x80\\xa8]]>\`x
<!--<script>
</script><b>
@DATA@ \$& \\n
\\x1b[31m\\x07\\xff\\x0d\\x0aabc
EOT
source=$(sed -n 's|.*incbin ."\(cmd/[a-z/.]*\).*|\1|p' "$SRCDIR/cmd/check_page.c")
at_least "files that the page is made of" "$(echo "$source" | wc -l)" 5
(cd "$SRCDIR" && cat $source) >../source
for text in '</script' '<!--' '<script' '<img' '<b>'; do
	is "as often in the page as in its source: $text" "$(grep -o -F -e "$text" hostile.html | wc -l)" \
		"$(grep -o -F -e "$text" ../source | wc -l)"
done
is "no line separators of JavaScript" \
	"$(perl -0777 -ne 'print scalar(() = /\xe2\x80[\xa8\xa9]/g)' hostile.html)" 0
is "no control characters" "$(LC_ALL=C tr -d '\n\t -~\200-\377' <hostile.html | wc -c)" 0

# nothing from elsewhere
is "no address of a network" "$(grep -c -i -e 'https\?:' -e '[=(]["'\'']\?//' out.html)" 0
is "nothing that is loaded" 0 \
	"$(grep -c -i -e ' src=' -e ' href=' -e 'url(' -e '@import' -e 'import(' out.html)"
for element in style script; do
	sum=$(perl -MDigest::SHA=sha256_base64 -0777 -ne 'm{<'$element'>(.*?)</'$element'>}s or die;
		my $s = sha256_base64($1); $s .= "=" while length($s) % 4; print $s' out.html)
	is "the policy allows the one $element" \
		"$(sed -n "s/.*$element-src '\\([^']*\\)'.*/\\1/p" out.html)" "sha256-$sum"
done
is "and nothing else" "$(grep -c "content=\"default-src 'none'; style-src 'sha256-" out.html)" 1

# complete or not there
mkdir full
run perfjit-check -q --symfs=../symfs --flamegraph=none/out.html perf.fixed.data
exits 4 "a folder that is not there"
echo text >text
for page in none/out.html /proc/out.html full; do
	run perfjit-check --flamegraph=$page text
	exits 4 "--flamegraph=$page"
	is "is said before anything is read" "$(sed 's/: can.t .*//' ../err)" \
		"perfjit-check: error: $page"
	is "and nothing else" "$(cat ../out)" ''
done
rm text
run perfjit-check -q --flamegraph=full/out.html none.data
exits 3 "a profile that is not there"
is "has no page" "$(ls full)" ''
ln -s ../out.html full/link.html
cp out.html ../kept
run perfjit-check -q --symfs=../symfs --flamegraph=full/link.html perf.fixed.data
same_file "a link is replaced, not followed" ../kept out.html
cp perf.fixed.data mine.data
run perfjit-check -q --symfs=../symfs --flamegraph mine.data
exits 4 "the profile in the place of the page"
err_has "says how it is meant" 'mine.data: exists and is no web page.*--flamegraph=profile.html'
same_file "the profile is still there" perf.fixed.data mine.data
: >empty.html
run perfjit-check -q --symfs=../symfs --flamegraph=empty.html perf.fixed.data
mkfifo pipe
cat pipe >piped.html &
timeout 60 perfjit-check -q --symfs=../symfs --flamegraph=pipe perf.fixed.data
wait $!
run perfjit-check -q --symfs=../symfs --flamegraph=plain.html perf.fixed.data
same_file "a pipe is written to" piped.html plain.html
same_file "an empty file is replaced" empty.html plain.html
[ -p pipe ]
ok $? "  and stays one"
rm piped.html plain.html pipe
run perfjit-check -q --symfs=../symfs --flamegraph=a.html --perf=perf --max-differ=100 \
	perf.fixed.data
exits 0 "with a comparison"
run perfjit-check -q --symfs=../symfs --flamegraph=b.html perf.fixed.data
same_file "the same page each time" a.html b.html
done_testing
