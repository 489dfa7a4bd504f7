# Of the output of `perf script -D`: for each record its time, size, type and what perf read in it.
function finish() {
	if (line != "")
		print line
	line = ""
}
/^[0-9]+( [0-9]+)? (0x[0-9a-f]+|0)(@[^ ]*)? \[(0x[0-9a-f]+|0)\]: PERF_RECORD_/ {
	finish()
	# a CPU may stand before the time
	time = $2 ~ /^[0-9]+$/ && $3 !~ /^\[/ ? $2 : $1
	sub(/^[^[]*/, "")
	# types whose contents are not compared
	if (!/PERF_RECORD_(MMAP2?|COMM|FORK|EXIT|SAMPLE)[ (:]/)
		$0 = $1 " " $2
	sub(/:? unhandled!$/, "")
	sub(/[:,]$/, "")
	line = time " " $0
	next
}
/^\.\.\. (FP|LBR) chain: nr:/ { line = line " " substr($3, 1) " " $4; sub(/ nr:/, " ", line) }
/^\.\.\. ustack: size / { line = line " stack: " $4; sub(/,$/, "", line) }
/^\.\.\. branch stack: nr:/ { line = line " branches: " substr($4, 4) }
END { finish() }
