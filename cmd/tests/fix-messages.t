#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How much is said: many messages of one kind, names that hold escape sequences, progress.
. "$(dirname "$0")/tap.sh"

# bad_dump COUNT: a jitdump with so many functions that claim more code than their record has.
bad_dump()
{
	perl -e 'print pack "L<4 L<2 Q<2", 0x4A695444, 1, 40, 62, 0, 1195, 0, 0;
		print pack("L<2 Q<", 0, 64, 4287102336000 + $_),
			pack("L<2 Q<4 Z8", 1195, 1195, 0x1000 * $_, 0x1000 * $_, 999, $_, "name")
			for 1 .. $ARGV[0]' "$1" >jit-1195.dump
}

recording py313fpbuild-perfjit-fp
bad_dump 8
run perfjit-fix perf.data
exits 5 "nothing of the dump can be used"
is "the first messages of a kind are shown" \
	"$(grep -c '^perfjit-fix: warning: ./jit-1195.dump: at byte [0-9]*: ' ../err)" 5
err_has "the others are counted" \
	'^perfjit-fix: warning: \.\.\. and 3 more like it (jitdump.code-size); -v shows all$'
run perfjit-fix -v perf.data
is "-v shows all" "$(grep -c '^perfjit-fix: warning: ./jit-1195.dump: at byte [0-9]*: ' ../err)" 8
bad_dump 5
run perfjit-fix perf.data
is "five are five" "$(grep -c ' more like it' ../err)" 0

# more_dumps COUNT: as if so many other processes had mapped a jitdump each.
more_dumps()
{
	perl -e 'local $/; open my $f, "+<:raw", "perf.data"; my $d = <$f>;
		my ($at, $size) = unpack "x40 Q<2", $d;
		my ($marker, $table) = ("", $at + $size);
		for (my $r = $at; $r < $table && !$marker; $r += unpack "x6 S<", substr $d, $r, 8) {
			my $record = substr $d, $r, unpack "x6 S<", substr $d, $r, 8;
			$marker = $record if $record =~ m{/jit-1195\.dump\0};
		}
		my $more = join "", map {
			my $copy = $marker;
			substr $copy, 8, 8, pack "L<2", 20000 + $_, 20000 + $_;
			$copy =~ s{/jit-1195\.dump}{sprintf "/jit-%04d.dump", $_}er } 2000 .. 1999 + $ARGV[0];
		my $features = grep { $_ } split //, unpack "x72 b256", $d;
		substr($d, $table + 16 * $_, 8) = pack "Q<", length($more) + unpack "Q<", substr $d, $table + 16 * $_, 8
			for 0 .. $features - 1;
		substr($d, 48, 8) = pack "Q<", $size + length $more;
		substr($d, $table, 0) = $more;
		seek $f, 0, 0; print $f $d' "$1"
}

recording py313fpbuild-perfjit-fp
more_dumps 3000
run perfjit-fix perf.data
is "of the same about many files the first are shown" \
	"$(grep -c '^perfjit-fix: warning: .*/jit-[0-9]*.dump: jitdump of pid 2[0-9]* not found' ../err)" 10
is "and one line counts the others" "$(grep -v -c 'not found' ../err)" 1
err_has "it does" '^perfjit-fix: warning: \.\.\. and 2990 more like it, of 3000 files in all (discover.missing-dump); -v shows all$'
run perfjit-fix -v perf.data
is "-v: all are shown" "$(grep -c 'not found' ../err)" 3000
run perfjit-fix --json perf.data
is "--json: all are there" "$(json 'scalar grep { $_->{kind} eq "discover.missing-dump" } @{$j->{messages}}')" 3000
rm perf.data
recording py313fpbuild-perfjit-fp
bad_dump 5

run perfjit-fix -q perf.data
out_is "-q: no summary" </dev/null
err_has "-q: but what is wrong" 'warning: ./jit-1195.dump: '

name=$(printf 'no\033[31m\nsuch')
run perfjit-fix "$name"
err_is "escape sequences in names are shown, not done" <<'EOT'
perfjit-fix: error: no\x1b[31m\x0asuch: can't open: No such file or directory
EOT
recording py313fpbuild-perfjit-fp
succeeds "an output whose name has blanks" perfjit-fix -o "it's a name.data" perf.data
out_has "is quoted in the command to type next" "^Next      perf report --no-inline -i 'it'\\\\''s a name.data'$"

# what believes to be on a terminal, and work that takes more than a second: the input comes late
echo 'int isatty(int fd) { return fd == 2; }' | gcc -shared -fPIC -x c - -o terminal.so
cat >slowly <<'EOT'
(sleep 3; cat perf.data) |
	LD_PRELOAD=./terminal.so ASAN_OPTIONS=verify_asan_link_order=0 \
	perfjit-fix -o slow.data --jitdump-dir=. -
EOT
run sh slowly
exits 0 "from standard input, on a terminal"
err_has "progress is shown" 'Reading \.\.\.'
is "and is gone at the end" "$(tail -c 4 ../err)" "$(printf '\r\033[K')"
out_has "the summary follows" '186 named'
perfjit-fix -q --strip -o back.data slow.data
same_file "the output is made from all that came" back.data perf.data
done_testing
