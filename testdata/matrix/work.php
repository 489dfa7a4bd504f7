<?php
// What the matrix runs: leaf under middle under outer for a while, with branches that traces leave.
function leaf(int $n): int {
	$sum = 0;
	for ($i = 0; $i < $n; $i++) {
		$sum += $i & 8 ? $i * $i % 7 : strlen("$i");
	}
	return $sum;
}
function middle(int $n): int {
	return leaf($n) + leaf($n >> 1);
}
function outer(float $seconds): int {
	$count = 0;
	while (clock() < $seconds) {
		$count += middle(300);
	}
	return $count;
}
// Time spent, not passed: as many samples on a busy machine.
function clock(): float {
	$usage = getrusage();
	return $usage['ru_utime.tv_sec'] + $usage['ru_utime.tv_usec'] / 1e6;
}
echo outer(1.2), "\n";
