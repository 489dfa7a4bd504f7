#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# faults.pl [--first=N] [--quick] SHIM FORM...: runs perfjit-fix in each form with one call after
# the other made to fail by SHIM (faults.c), and prints TAP, counted from N on. What must hold is in
# check() below.
#
# For each FORM the current folder has a folder of that name with what is there before, among it
# files named .args (the command's arguments, one a line), .stdin and .stdout (names of files for
# these, in the folder) where needed. The first form is tried with all faults, the others without
# those that the command can't tell apart. --quick leaves out three of four allocations as well.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Errno qw(ENOSPC EIO EINTR EDQUOT ENOMEM EACCES EOPNOTSUPP);
use File::Find;
use POSIX qw(SIGINT SIGTERM SIGHUP SIGKILL WIFSIGNALED WTERMSIG WEXITSTATUS);

my ($first, $quick) = (1, 0);
while ($ARGV[0] =~ /^--(first|quick)(?:=(\d+))?$/) {
	$1 eq "first" ? ($first = $2) : ($quick = 1);
	shift;
}
my ($shim, @forms) = @ARGV;
my ($tests, $failures, $injected) = ($first - 1, 0, 0);

# kind of call, what happens there, and at how manieth of the calls
my @all = (
	(map { ["output", $_, 1] } ENOSPC, EIO, EINTR, EDQUOT, EOPNOTSUPP, -ENOSPC(), "short"),
	(map { my $signal = $_; map { ["output", "$_-$signal", 1] } "before", "after" }
		SIGINT, SIGTERM, SIGHUP, SIGKILL),
	(map { ["input", $_, 1] } EIO, EINTR, EACCES, "short"),
	["memory", ENOMEM, 1],
	["memory", -ENOMEM(), 1],
);
my @different = (
	(map { ["output", $_, 1] } EOPNOTSUPP, EINTR, -ENOSPC(), "short"),
	["output", "before-" . SIGTERM, 1],
	["output", "after-" . SIGKILL, 1],
	(map { ["input", $_, 1] } EIO, EINTR, "short"),
	["memory", ENOMEM, $quick ? 4 : 1],
);

sub ok
{
	my ($good, $name) = @_;
	$tests++;
	$failures++ unless $good;
	print $good ? "" : "not ", "ok $tests - $name\n";
}

# What is below a folder: contents and modes by name.
sub tree
{
	my ($folder) = @_;
	my %tree;
	find({ no_chdir => 1, wanted => sub {
		my $name = substr($_, length $folder);
		return if $name eq "" || $name =~ m{^/\.(args|stdin|stdout)$};
		my $mode = sprintf "%o", (lstat $_)[2];
		if (-l _) {
			$tree{$name} = "link " . readlink $_;
		} elsif (-d _) {
			$tree{$name} = "folder $mode";
		} else {
			$tree{$name} = "file $mode " . md5_hex(slurp($_));
		}
	} }, $folder);
	return \%tree;
}

sub differences
{
	my ($have, $want) = @_;
	my %all = (%$have, %$want);
	return grep { ($have->{$_} // "") ne ($want->{$_} // "") } sort keys %all;
}

sub slurp
{
	my ($path) = @_;
	open my $file, "<:raw", $path or return "";
	local $/;
	return <$file> // "";
}

sub lines
{
	my ($path) = @_;
	return split /\n/, slurp($path);
}

# The state that every run begins with; at one path, which is part of what is written.
sub reset_work
{
	my ($form) = @_;
	system("rm", "-rf", "work") == 0 && system("cp", "-a", $form, "work") == 0
		or die "can't make the work folder anew";
}

# Runs the command, with a fault or without: ($status, $call) of wait and of the call that failed.
sub run
{
	my ($form, $kind, $fault, $at) = @_;
	my @args = lines("$form/.args");
	my ($in) = lines("$form/.stdin");
	my ($out) = lines("$form/.stdout");
	unlink "log";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		chdir "work" or die;
		open STDIN, "<", $in // "/dev/null" or die;
		open STDOUT, ">", $out // "../out" or die;
		open STDERR, ">", "../err" or die;
		if ($kind) {
			@ENV{qw(FAULT_CALLS FAULT FAULT_AT FAULT_LOG LD_PRELOAD)} =
				($kind, $fault, $at, "../log", $shim);
			# which wants to come before all other libraries, and need not
			$ENV{ASAN_OPTIONS} = "verify_asan_link_order=0:" . ($ENV{ASAN_OPTIONS} // "");
		}
		exec "perfjit-fix", @args;
		die "perfjit-fix: $!";
	}
	waitpid $pid, 0;
	my $status = $?;
	my ($call) = lines("log");
	return ($status, $kind && defined $call && $call !~ /^calls / ? $call : undef);
}

# What a message must say of a call that failed.
sub reason
{
	my ($kind, $fault) = @_;
	return qr/^perfjit-fix: error: (.*: )?(out of memory|Cannot allocate memory)$/m
		if $kind eq "memory";
	local $! = abs $fault;
	return qr/\Q$!\E/;
}

# What a run that was killed left must be no worse than before, and not be in the way of the next.
sub check_killed
{
	my ($form, $before, $after, $stream) = @_;
	my $have = tree("work");
	my @wrong = $stream ? () : grep { ($have->{$_} // "") ne $before->{$_} &&
		($have->{$_} // "") ne ($after->{$_} // "") } keys %$before;
	return "killed, and lost: @wrong" if @wrong;
	@wrong = $stream ? () : grep { !exists $before->{$_} && !/\.tmp-/ &&
		$have->{$_} ne ($after->{$_} // "") } keys %$have;
	return "killed, and half there: @wrong" if @wrong;
	# it was done already
	return undef unless grep { !/\.tmp-/ } differences($have, $after);
	my ($again) = run($form);
	@wrong = grep { !/\.tmp-/ } differences(tree("work"), $after);
	return $again || @wrong ? "killed, and then run again: $again, @wrong " . slurp("err") : undef;
}

# What is wrong with what a run said that ended with a code that is not 0.
sub check_words
{
	my ($kind, $fault, $code, $err) = @_;
	my @codes = $kind eq "output" ? (4) : $kind eq "input" ? (3, 4, 5) : (3, 4);
	return "exited with $code: $err" unless grep { $_ == $code } @codes;
	return "need not have failed: $err" if $fault !~ /^-?\d+$/;
	return "doesn't say why: $err" unless $err =~ reason($kind, $fault);
	return "doesn't say of what: $err"
		unless $kind eq "memory" || $err =~ /^perfjit-fix: (error|warning): (standard output|[^ ]+): /m;
	return undef;
}

# Whether a path is in a temporary folder that a warning names.
sub is_told_of
{
	my ($path, $err) = @_;
	my ($folder) = $path =~ m{^/([^/]*\.tmp-[^/]*)} or return 0;
	return $err =~ /^perfjit-fix: warning: \Q$folder\E: can't remove this folder/m;
}

# What is wrong with how a run with a fault ended, or undef.
sub check
{
	my ($form, $kind, $fault, $status, $before, $after, $call) = @_;
	my $stream = -e "$form/.stdout";
	my $code = WEXITSTATUS($status);
	my $have = tree("work");
	# a stream has what was written of it
	my @changed = $stream ? () : differences($have, $before);

	if (WIFSIGNALED($status)) {
		my $signal = WTERMSIG($status);
		return "died by signal $signal" if $fault !~ /-$signal$/;
		return check_killed($form, $before, $after, $stream) if $signal == SIGKILL;
		return @changed ? "stopped by a signal, and changed: @changed" : undef;
	}
	if ($code == 0) {
		my @wrong = differences($have, $after);
		# a folder that was replaced, when it was the taking away that failed
		@wrong = grep { !is_told_of($_, slurp("err")) } @wrong if $call =~ /\.tmp-/;
		return @wrong ? "exited with 0, and differ: @wrong" : undef;
	}
	my $wrong = check_words($kind, $fault, $code, slurp("err"));
	return $wrong if $wrong || $code == 5;
	# what comes beside a profile that is in place already
	@changed = grep { ($have->{$_} // "") ne ($after->{$_} // "") } @changed
		if grep { /^--(perf-map|buildid-cache)/ } lines("$form/.args");
	return @changed ? "exited with $code, and changed: @changed" : undef;
}

sub try_form
{
	my ($form, @faults) = @_;
	my $before = tree($form);
	my ($points, %seen) = (0);

	reset_work($form);
	my ($status) = run($form);
	my $after = tree("work");
	my @made = differences($before, $after);
	ok($status == 0 && @made > 0, "$form: without a fault it is written");
	for (@faults) {
		my ($kind, $fault, $every) = @$_;
		my ($at, @wrong) = (1);
		for (;; $at += $every) {
			reset_work($form) if differences(tree("work"), $before);
			my ($status, $call) = run($form, $kind, $fault, $at);
			last unless $call;
			my $wrong = check($form, $kind, $fault, $status, $before, $after, $call);
			push @wrong, "$at $call: $wrong" if $wrong;
			$points++;
			$seen{(split ' ', $call)[0]}++;
		}
		ok(!@wrong, "$form: $kind $fault at " . ($at - 1) . " calls");
		print "# $_\n" for map { s/\n/ /gr } @wrong > 10 ? (@wrong[0 .. 9], "...") : @wrong;
	}
	$injected += $points;
	print "# $form: $points faults, in ", join(" ", map { "$_:$seen{$_}" } sort keys %seen), "\n";
}

$| = 1;
for (@forms) {
	try_form($_, $_ eq $forms[0] && !$quick ? @all : @different);
}
print "# injected=$injected\n";
print "1..$tests\n" if $first == 1;
exit($failures != 0);
