# SPDX-License-Identifier: GPL-2.0-or-later
# What holds for every recording of a JIT runtime: sourced behind tap.sh.

# names_all PROFILE LEAST DUMP...: perf names all frames of described code, LEAST or more.
names_all()
{
	profile=$1 least=$2
	shift 2
	frames "$profile" "$@"
	at_least "frames in code that the dump describes" "$frames_described" "$least"
	at_least "in 10000 of them those with the dump's name" \
		$((frames_right * 10000 / (frames_described + (frames_described == 0)))) 9900
	is "none has another name" "$frames_wrong" 0
	is "those of code loaded later than the sample have its name too" \
		"$frames_early_right" "$frames_early"
}

# sound_dsos FOLDER [PATTERN]: elfutils and binutils have nothing to say against the DSOs in it but
# what PATTERN allows.
sound_dsos()
{
	count=$(ls "$1" | wc -l)
	at_least "there are DSOs" "$count" 1
	{
		# the names of files, and of sections in front of what is said of them; code at vaddr 0
		# begins before its section
		eu-elflint --gnu-ld "$1"/* 2>&1 | grep -v -e '^No errors$' -e '^$' -e "^$1/.*:$" \
			-e 'symbol 1 .*: st_value out of bounds$' -e "${2:-^$}"
		# by what is said of "," perf knows where an answer of addr2line's ends
		for dso in "$1"/*; do
			echo , | addr2line -fi -e "$dso"
		done | grep -v -x -e '??' -e '??:0'
		readelf -aW "$1"/* 2>&1 >../readelf
		grep '<corrupt' ../readelf
		eu-readelf -a "$1"/* 2>&1 >/dev/null
		readelf -SW "$1"/* >../sections
		for part in .eh_frame .eh_frame_hdr .symtab .text .note.gnu.build-id; do
			have=$(grep -c " $part " ../sections)
			[ "$have" -eq "$count" ] || echo "$have of $count have a $part"
		done
	} >../complaints
	[ ! -s ../complaints ]
	ok $? "eu-elflint, readelf and eu-readelf accept the DSOs" || tell ../complaints
}

# only_added INPUT FIXED FOLDER: an independent reader finds in FIXED what stands in INPUT.
only_added()
{
	run perl "$ORACLES/perfdata-compare.pl" "$1" "$2" "$3"
	exits 0 "the output is the input with records added"
	out_has "records were inserted" 'inserted=[1-9]'
	out_has "the marker was changed" 'changed=[1-9]'
}

# form NAME: brings the recording of testdata/forms into the work folder, unpacked.
form()
{
	from=$TESTDATA/forms/$1
	(cd "$from" && find . -name '*.gz') | while read -r file; do
		mkdir -p "$(dirname "$file")"
		gzip -dc "$from/$file" >"${file%.gz}"
	done
}
