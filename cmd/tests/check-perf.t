#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perfjit-check --perf: frame by frame beside what a perf's script prints.
. "$(dirname "$0")/tap.sh"

program packed
fix_program
run perfjit-check --json --symfs=../symfs --perf=perf perf.fixed.data
exits 0 "this machine's perf"
is "sees the same frames" "$(json '"$_->{samples_differing} $_->{frames_differing}" for
	@{$j->{comparisons}}[0]; my $c = $j->{comparisons}[0];
	"$c->{samples} $c->{samples_differing} $c->{frames} $c->{frames_differing}"')" \
	"190 0 4420 0"
# the DSOs can't be found by it: every chain is another
run perfjit-check --json --symfs=../symfs --perf=./blind perf.fixed.data
exits 3 "a perf that is not there"
err_has "  is named" './blind: can.t be run: No such file'

# fake NAME BODY: a perf that prints what BODY changes of what the real one prints
fake()
{
	cat >"$1" <<-EOT
		#!/bin/sh
		case " \$* " in
		*' version '*)	echo "perf version ${version:-6.12.3}"
				echo "  libelf: [ ${libelf:-on}  ]  # HAVE_LIBELF_SUPPORT"
				echo "  libunwind: [ ${libunwind:-on}  ]  # HAVE_LIBUNWIND_SUPPORT"
				echo "  libdw-dwarf-unwind: [ ${libdw:-on}  ]  # HAVE_DWARF_SUPPORT"
				echo "  dwarf-unwind: [ ${unwinder:-on}  ]  # HAVE_DWARF_UNWIND_SUPPORT" ;;
		*)		perf "\$@" 2>/dev/null | $2 ;;
		esac
	EOT
	chmod +x "$1"
}

# compares NAME EXPECTED: how many samples and frames differ by what kind, and the fault
compares()
{
	run perfjit-check --json --symfs=../symfs --perf=./fake perf.fixed.data
	is "$1" "$(json 'my $c = $j->{comparisons}[0]; my $d = $c->{differences};
		join " ", $c->{samples_differing}, $c->{frames_differing},
			(map { "$_=$d->{$_}" } sort keys %$d), $c->{fault} // "-"')" "$2"
}

fake fake cat
compares "one that prints the same" "0 0 -"
fake fake 'sed "s/packed::f0_1+/packed::renamed+/"'
run perfjit-check --symfs=../symfs --perf=./fake perf.fixed.data
exits 0 "another name at the same place is an alias"
fake fake 'sed "s/packed::f0_1+0x/packed::renamed+0x1/"'
renamed=$(perf script --symfs=../symfs --no-inline -F ip,sym -i perf.fixed.data 2>/dev/null |
	grep -c 'packed::f0_1$')
at_least "frames that get another name" "$renamed" 20
run perfjit-check --json --symfs=../symfs --perf=./fake perf.fixed.data
exits 1 "other names"
is "  in that many samples" "$(json '$j->{comparisons}[0]{differences}{name}')" "$renamed"
is "  examples" "$(json '"$_->{kind} $_->{own_name} $_->{perf_name}" for 1;
	my $e = $j->{comparisons}[0]{examples}[0]; "$e->{kind} $e->{own_name} $e->{perf_name}"')" \
	"name packed::f0_1 packed::renamed"
is "  the names of another run" "$(json '$j->{comparisons}[0]{fault}')" stale-cache
run perfjit-check --symfs=../symfs --perf=./fake --max-differ=100 perf.fixed.data
exits 0 "all may differ"

# one with no unwinder: the sample's own address only
unwinder=OFF libunwind=OFF libdw=OFF
fake fake 'perl -00 -ne "my @l = split /\n/; print qq(\$l[0]\n\$l[1]\n\n)"'
compares "leaf only, no unwinder" "190 4230 shorter=190 no-unwinder"
unwinder=on libunwind=on libdw=OFF version=7.3.4
fake fake 'perl -00 -ne "my @l = split /\n/; print qq(\$l[0]\n\$l[1]\n\n)"'
compares "leaf only, perf 7 with libunwind alone" "190 4230 shorter=190 drops-failed-chains"
unset unwinder libunwind libdw
libelf=OFF version=6.1.2
fake fake 'perl -pe "s/^(\s+[0-9a-f]+) .* (\(.*\))$/\$1 [unknown] \$2/"'
compares "no names, no libelf" "190 4420 unnamed=190 no-libelf"
unset libelf version
fake fake 'head -n 1000'
run perfjit-check --json --symfs=../symfs --perf=./fake perf.fixed.data
at_least "samples that are not shown" "$(json '$j->{comparisons}[0]{differences}{absent}')" 100

cat >fake <<'EOT'
#!/bin/sh
echo "incompatible file format (rerun with -v to learn more)" >&2
exit 255
EOT
compares "one that is too old" "190 4420 absent=190 older"
run perfjit-check --symfs=../symfs --perf=./fake perf.fixed.data
exits 1 "  fails"
out_has "  with what it said" "exited with 255 and said 'incompatible file format"
out_has "  and what to do" 'perfjit-fix --perf-abi='

# the environment: nobody's settings, and nothing left behind
cat >fake <<'EOT'
#!/bin/sh
case " $* " in *' script '*) echo "$HOME,$PERF_CONFIG,$DEBUGINFOD_URLS,$PERF_BUILDID_DIR" >seen ;; esac
EOT
PERF_BUILDID_DIR=/somewhere perfjit-check --symfs=../symfs --perf=./fake perf.fixed.data >../out
is "settings of nobody" "$(sed 's|^.*/perfjit-home-......,|HOME,|' seen)" "HOME,/dev/null,,"
[ ! -e "$(cut -d , -f 1 seen)" ]
ok $? "its home is gone"
run perfjit-check --perf=perf - <perf.fixed.data
exits 2 "standard input can't be read twice"

# not fixed: what is made of it here ends where perf ends, too
run perfjit-check --json --symfs=../symfs --perf=perf --jitdump-dir=. perf.data
is "before perfjit-fix" "$(json '$j->{comparisons}[0]{samples_differing}')" 0
done_testing
