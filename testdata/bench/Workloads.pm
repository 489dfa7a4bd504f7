# SPDX-License-Identifier: GPL-2.0-or-later
# What is measured: generated profiles, and programs recorded on the spot. Recordings are kept in the
# work folder and used again.
package Workloads;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Path qw(make_path remove_tree);
use FindBin;

my $here = $FindBin::Bin;

sub generated {
	my ($name, $functions, @options) = @_;
	return bless { name => $name, functions => $functions, options => "@options",
		stacks => scalar("@options" =~ /--stack/) }, 'Workloads::Generated';
}

sub recorded {
	my ($name, %more) = @_;
	return bless { name => $name, read => 1, %more }, 'Workloads::Recorded';
}

# A profile that is there, with its dump where it names it.
sub given {
	my ($file) = @_;
	return bless { name => "profile $file", file => $file }, 'Workloads::Given';
}

sub all {
	my ($size) = @_;
	my $full = $size eq 'full';
	my @all;
	my %counts = (tiny => [1000], small => [10000, 100000], full => [10000, 100000, 1000000]);
	for my $count (@{$counts{$size}}) {
		my $suffix = $count == 1000000 ? '1M' : $count / 1000 . 'k';
		push @all,
			generated("packed-$suffix", $count, '--chain=12 --samples=20000'),
			generated("spaced-$suffix", $count, '--chain=12 --samples=20000 --spaced'),
			generated("reuse-$suffix", $count, '--chain=12 --samples=20000 --uses=4'),
			generated("reuse-unwind-$suffix", $count, '--stack=1024 --samples=20000 --uses=4'),
			generated("lines-$suffix", $count, '--chain=12 --samples=20000 --lines');
	}
	return @all if $size eq 'tiny'; # shows that all of this works
	push @all, map { generated("samples-${_}k", 10000, "--chain=12 --samples=${_}000") }
		$full ? (100, 1000, 10000) : 100;
	my $samples = $full ? 24600 : 3000;
	push @all, generated('stacks', 7700, "--spaced --alike --stack=32768 --samples=$samples"),
		recorded('node', record => \&node, argument => $full ? 14500 : 2500),
		recorded('java', record => \&java, argument => $full ? 25 : 6),
		recorded('python', record => \&python, argument => $full ? '2500 27' : '500 4', stacks => 1);
	return @all;
}

sub node {
	my ($count) = @_;
	return 'no node here' if system('node --version >/dev/null 2>&1');
	return ('', '-g', "node --perf-prof $here/functions.js $count");
}

sub java {
	my ($seconds) = @_;
	return 'no java here' if system('java -version >/dev/null 2>&1');
	my ($agent) = grep { $_ && -e } $ENV{JVMTI}, glob('/usr/lib/libperf-jvmti.so ' .
		'/usr/lib*/libperf-jvmti.so /usr/lib/*/libperf-jvmti.so');
	return 'no libperf-jvmti.so here (JVMTI=FILE names one)' unless $agent;
	return ('', '-g', "env JITDUMPDIR=. java -agentpath:$agent -XX:+PreserveFramePointer " .
		"$here/Compile.java classes $seconds");
}

sub python {
	my ($arguments) = @_;
	for my $python ($ENV{PYTHON} || (), qw(python3.15 python3.14 python3.13 python3)) {
		next if system("$python -X perf_jit -c 'import sys; " .
			"sys.exit(sys.version_info < (3, 13))' >/dev/null 2>&1");
		return ('', '--call-graph dwarf,32768',
			"$python -X perf_jit $here/functions.py $arguments");
	}
	return 'no Python of 3.13 or later here that writes jitdumps (PYTHON names one)';
}

package Workloads::Generated;

# Makes folder/perf.data; returns what is wrong, or nothing.
sub make {
	my ($self, $option) = @_;
	$self->{folder} = $self->{dump_folder} = "$option->{work}/$self->{name}";
	File::Path::remove_tree($self->{folder});
	File::Path::make_path($self->{folder});
	system("'$option->{tools}/generate' --functions=$self->{functions} $self->{options} " .
		"'$self->{folder}'") == 0 or return 'could not be generated';
	$self->{data_bytes} = -s "$self->{folder}/perf.data";
	$self->{dump_bytes} = -s "$self->{folder}/jit-4711.dump";
	$self->{pid} = 4711;
	return;
}

package Workloads::Recorded;

# The dump that the profile names, by its path.
sub dump_of {
	my ($profile) = @_;
	open my $in, '<:raw', $profile or return;
	read $in, my $bytes, 64 << 20;
	return (grep { -e } $bytes =~ m{(/[^\0]*/jit-\d+\.dump)\0}g)[0];
}

sub make {
	my ($self, $option) = @_;
	my $folder = $self->{folder} = "$option->{work}/$self->{name}-$option->{size}";
	my ($why, $graph, $command) = $self->{record}->($self->{argument});
	return $why if $why;
	my $dump = dump_of("$folder/perf.data");
	if (!$dump) {
		File::Path::remove_tree($folder);
		File::Path::make_path("$folder/classes");
		system("cd '$folder' && perf record -q -k mono -e cpu-clock -F 999 $graph " .
			"-o perf.data -- $command >program.out 2>record.err");
		$dump = dump_of("$folder/perf.data")
			or return "could not be recorded: see $folder/record.err";
	}
	$self->tell_of($dump);
	return;
}

sub tell_of {
	my ($self, $dump) = @_;
	$self->{dump_folder} = File::Basename::dirname($dump);
	($self->{pid}) = $dump =~ /(\d+)\.dump$/;
	$self->{data_bytes} = -s "$self->{folder}/perf.data";
	$self->{dump_bytes} = -s $dump;
	$self->{functions} = loads($dump);
}

# How many functions a dump loads.
sub loads {
	my ($dump) = @_;
	my ($count, $at) = (0, 40);
	open my $in, '<:raw', $dump or return 0;
	while (seek($in, $at, 0) && read($in, my $prefix, 8) == 8) {
		my ($id, $size) = unpack 'LL', $prefix;
		last if $size < 16;
		$count++ if $id == 0;
		$at += $size;
	}
	return $count;
}

# For JSON: what tells of the workload, without what makes it.
sub TO_JSON {
	my %plain = %{$_[0]};
	delete @plain{qw(record folder dump_folder pid file)};
	return \%plain;
}

package Workloads::Given;
our @ISA = 'Workloads::Recorded';

sub make {
	my ($self, $option) = @_;
	my $file = Cwd::abs_path($self->{file}) // '';
	my $folder = $self->{folder} = "$option->{work}/given";
	my $dump = -e $file ? Workloads::Recorded::dump_of($file) : return 'no such file';
	return 'its dump is not where it was written' unless $dump;
	File::Path::remove_tree($folder);
	File::Path::make_path($folder);
	symlink $file, "$folder/perf.data" or return "can't be linked to: $!";
	$self->tell_of($dump);
	$self->{stacks} = has_stacks($file);
	return;
}

# Whether the first event copies stacks: PERF_SAMPLE_STACK_USER in its sample_type.
sub has_stacks {
	my ($file) = @_;
	open my $in, '<:raw', $file or return 0;
	read $in, my $header, 32;
	seek $in, unpack('x24 Q<', $header), 0;
	read $in, my $attr, 32;
	return unpack('x24 Q<', $attr) >> 13 & 1;
}

package Workloads::Recorded;
*Workloads::Generated::TO_JSON = \&TO_JSON;

1;
