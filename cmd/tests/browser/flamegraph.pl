# SPDX-License-Identifier: GPL-2.0-or-later
# flamegraph.pl FOLDER: tests of the pages in it, which flamegraph.t makes.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename;
use JSON::PP;
use Test::More;

require(dirname(abs_path(__FILE__)) . '/chromium.pl');
binmode Test::More->builder->$_, ':utf8' for qw(output failure_output todo_output);

my ($folder) = @ARGV;
my $browser = Browser->new($folder, 1200, 760);

sub content
{
	my ($name) = @_;
	open my $file, '<:raw', "$folder/$name" or die "$name: $!\n";
	local $/;
	return <$file>;
}

sub json { decode_json(content($_[0])) }
sub text { $browser->value(qq(document.getElementById("$_[0]").innerText)) }
sub first_line { (split /\n/, text('detail'))[0] }
sub quiet { is_deeply([$browser->complaints], [], "$_[0]: nothing is complained of") }

sub open_page
{
	my ($name) = @_;
	$browser->open("file://$folder/$name.html");
	is_deeply([$browser->requests], ["file://$folder/$name.html"], "$name: one request, of a file");
	quiet($name);
}

# The data of a page, by a reader of its own.
sub data
{
	my ($data) = content("$_[0].html") =~ m{<script id="data"[^>]*>(.*?)</script}s;
	return decode_json($data);
}

# Names from the root down, always the widest callee.
sub widest
{
	my ($data, $tree) = @_;
	my @nodes = @{$data->{trees}[$tree]{nodes}};
	my (@list, @path);
	while (my ($depth, $frame, $self) = splice @nodes, 0, 3) {
		$path[$depth] = { frame => $data->{frames}[$frame], total => 0, callees => [] };
		push @{$depth ? $path[$depth - 1]{callees} : \@list}, $path[$depth];
		$path[$_]{total} += $self for 0 .. $depth;
	}
	my @names;
	while (@list) {
		my ($best) = sort { $b->{total} <=> $a->{total} } @list;
		my ($name, undef, undef, $place) = @{$best->{frame}};
		push @names, $name ? $data->{names}[$name]
			: join ' ', '[unknown]', $place ? $data->{names}[$place] : ();
		@list = @{$best->{callees}};
	}
	return @names;
}

sub is_whole_width
{
	my ($what) = @_;
	is($browser->value('(() => { const d = flame.drawn.find(d => d.node === flame.selected);
		return d && d.left === 0 && Math.abs(d.right - flame.canvas.clientWidth) < 1; })()'), 1, $what);
}

# What is drawn: different colours in the canvas of a view.
sub colors
{
	return $browser->value(qq((() => { const c = document.querySelector("#$_[0] canvas");
		const p = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
		return new Set(p).size; })()));
}

subtest 'flame graph' => sub {
	open_page('packed');
	my $data = data('packed');
	my @names = widest($data, 0);
	is(text('title'), 'perf.fixed.data', 'title');
	cmp_ok(colors('flame'), '>', 20, 'something is drawn');
	$browser->key('Home');
	is(first_line(), $names[0], 'Home goes to the command');
	for my $i (1 .. 5) {
		$browser->key('ArrowDown');
		is(first_line(), $names[$i], "down goes to the widest callee, $names[$i]");
	}
	$browser->key('ArrowUp');
	is(first_line(), $names[4], 'up goes to the caller');
	$browser->key('ArrowDown', 'ArrowDown') for 1 .. 4;
	$browser->key('Enter');
	is_whole_width('Enter makes the frame as wide as the page');
	$browser->key('Escape', 'Home');
	is_whole_width('Escape shows all');
	quiet('keys');
};

subtest 'search' => sub {
	$browser->key('/', split(//, 'f0_1'));
	my $matching = content('matching');
	like(text('found'), qr/^$matching samples \(/, "as many samples as perf script has: $matching");
	$browser->key('Enter');
	like(first_line(), qr/f0_1/, 'Enter goes to the first match');
	$browser->key('n', 'n', 'N');
	like(first_line(), qr/f0_1/, 'n goes on among the matches');
	$browser->key('Escape', 'Escape');
	is(text('found'), '', 'Escape ends it');
	$browser->key('/', split(//, '/^PACKED::f0_[12]$/'));
	like(text('found'), qr/^[1-9]\d* samples/, 'a regular expression');
	$browser->key('Escape');
	$browser->key('/', split(//, '/(/'));
	like(text('found'), qr/^0 samples/, 'one that is none');
	$browser->key('Escape');
	quiet('search');
};

subtest 'before and after' => sub {
	my ($after, $before) = (json('packed.json'), json('before.json'));
	my $summary = sub {
		my ($counts) = @_;
		my $all = reverse $counts->{jit_frames};
		$all =~ s/(\d{3})(?=\d)/$1,/g;
		return qr/ of @{[scalar reverse $all]} frames in JIT code named/;
	};
	like(text('summary'), $summary->($after), 'frames in JIT code after');
	$browser->key('b');
	like(text('summary'), $summary->($before), 'and before');
	is($browser->value('document.querySelector("#trees [aria-pressed=true]").textContent'), 'Before',
		'the switch tells');
	my @names = widest(data('packed'), 1);
	$browser->key('Home', 'ArrowDown');
	is(first_line(), $names[1], 'the other tree is shown');
	$browser->key('b');
	like(text('summary'), $summary->($after), 'back');
	quiet('switch');
};

subtest 'mouse' => sub {
	my $box = $browser->value('(() => { const r = flame.canvas.getBoundingClientRect();
		return [r.left, r.top]; })()');
	my @at = ($box->[0] + 40, $box->[1] + 2 * 19 + 9);
	my @names = widest(data('packed'), 0);
	$browser->mouse('mouseMoved', @at);
	is(first_line(), $names[2], 'the frame under it is told');
	$browser->mouse($_, @at, button => 'left', clickCount => 1) for qw(mousePressed mouseReleased);
	is_whole_width('a click zooms');
	$browser->key('Escape');
};

subtest 'JIT memory' => sub {
	open_page('reuse');
	$browser->key('m');
	is($browser->value('document.getElementById("flame").hidden'), 1, 'm shows it');
	cmp_ok(colors('memory'), '>', 5, 'something is drawn');
	like(text('detail'), qr/^jitprog \(pid 9221\).*: 540 pieces of code/, 'what there is');
	my $data = data('reuse');
	my $codes = $data->{memory}[0]{codes};
	$browser->key('n');
	is(first_line(), $data->{names}[$codes->[5]], 'n goes to the first code');
	like(text('detail'), qr/$data->{memory}[0]{regions}[0][0], /, 'with its address');
	$browser->key('n') for 1 .. 3;
	like(text('detail'), qr/Before it, here: /, 'code in a place that was used before says so');
	$browser->key('Escape');
	my $bounds = sub { $browser->value('[memory.bounds.from, memory.bounds.to, memory.bounds.low]') };
	my $all = $bounds->();
	$browser->key('+', '+');
	my $near = $bounds->();
	cmp_ok($near->[1] - $near->[0], '<', ($all->[1] - $all->[0]) * 0.5, 'plus zooms');
	$browser->key('ArrowRight', 'ArrowDown');
	my $moved = $bounds->();
	ok($moved->[0] > $near->[0] && $moved->[2] > $near->[2], 'arrows move');
	$browser->key('Escape');
	is_deeply($bounds->(), $all, 'Escape shows all');
	$browser->value('memory.select(memory.space.codes.find(c => c.end < data.duration / 4)), 1');
	$browser->key('+') for 1 .. 12;
	my $seen = '[memory.selected.load < memory.bounds.to, memory.selected.end > memory.bounds.from,
		memory.selected.top < memory.bounds.high, memory.selected.bottom > memory.bounds.low]';
	is_deeply($browser->value($seen), [map { JSON::PP::true } 1 .. 4], 'plus goes to what is selected');
	$browser->value('memory.step(1), 1') for 1 .. 2;
	is_deeply($browser->value($seen), [map { JSON::PP::true } 1 .. 4], 'the next one is in view');
	$browser->key('Escape');
	quiet('memory');
	open_page('without');
	$browser->key('m');
	like(text('detail'), qr/jitdump was not at hand: perfjit-check --jitdump-dir=/, 'no jitdump');
	open_page('missing');
	$browser->key('m');
	my $frames = json('missing.json')->{jit_frames};
	$frames =~ s/(\d)(\d{3})$/$1,$2/;
	like(text('detail'), qr/$frames frames without a name, in hatched places/, 'what is missing');
};

subtest 'a real program' => sub {
	open_page('node');
	$browser->key('/', split(//, 'JS:*outer'), 'Enter');
	like(first_line(), qr/^JS:\*outer .*nest\.js:3:15$/, 'a function of JavaScript');
	like(text('detail'), qr/JIT code of Node\.js/, 'of its runtime');
	$browser->key('b');
	is(text('found'), '0 samples (0.0 %)', 'has no name before');
	my $summary = text('summary');
	unlike($summary, qr/ 100 % /, 'not all have one');
	$browser->key('m', 'n');
	like(first_line(), qr/^JS:\*outer/, 'and is in memory');
	like(text('summary'), qr/ 100 % /, 'which is told of as it is, not as it was before');
	$browser->key('b');
	like(first_line(), qr/^JS:\*outer/, 'there is no before of it');
	$browser->key('m');
	is(text('summary'), $summary, 'the flame graph is the one that it was');
	quiet('node');
};

subtest 'names as they are written in the source' => sub {
	open_page('java');
	my %perf = map { $_ => 1 } split /\n/, content('java.names');
	# perf 6.1 misreads arrays and drops the dot before <init>
	my @methods = grep { /\w\.\w+\(/ && !/\[/ } @{$browser->value('frameNames.filter((name, i) =>
		data.frames[i][KIND] === JIT)')};
	cmp_ok(scalar @methods, '>', 2, "methods of Java: @{[scalar @methods]}");
	is_deeply([grep { !$perf{$_} } @methods], [], 'are called as perf calls them');
	is($browser->value('frameNames.filter(name => /^L[^ ]*;/.test(name)).length'), 0,
		'none as the agent writes it');
	my %names = (
		'Ljava/util/Arrays;copyOf([Ljava/lang/Object;I[[J)[I' =>
			'java.util.Arrays.copyOf(java.lang.Object[], int, long[][])',
		'LNest$Entry;<init>(LNest;Z)V' => 'Nest$Entry.<init>(Nest, boolean)',
		'LNest;of(Q)V' => 'LNest;of(Q)V',
		'JS:*L;f() nest.js:1' => 'JS:*L;f() nest.js:1');
	is($browser->value('demangled(' . encode_json([$_]) . '[0])'), $names{$_}, $_) for sort keys %names;
	quiet('java');
};

subtest 'what has no name' => sub {
	my $legend = text('legend');
	like($legend, qr/Other code without a name/, 'code of files is told apart');
	open_page('missing');
	like(text('legend'), qr/JIT code without a name/, 'from JIT code');
};

subtest 'hostile names' => sub {
	open_page('hostile');
	is(text('title'), '<b>bold.data', 'the title is a text');
	is($browser->value('document.querySelectorAll("b:not(#summary b), img").length'), 0,
		'no elements of names');
	is($browser->value('document.scripts.length'), 2, 'no scripts of names');
	$browser->key('/', split(//, '</script>'), 'Enter');
	is(first_line(), '</script><b>', 'a name is shown as it is');
	is($browser->value('(() => { const s = document.createElement("script");
		s.textContent = "window.ran = 1"; document.body.append(s);
		return window.ran === undefined; })()'), 1, 'another script does not run');
};

subtest 'many stacks' => sub {
	open_page('large');
	is($browser->value('flame.tree.samples'), 100000, 'all of them');
	cmp_ok($browser->value('flame.drawn.length'), '<', 40000, 'narrow ones are drawn as one');
	cmp_ok($browser->value('flame.drawn.filter(d => d.merged).length'), '>', 0, '  and kept as that');
	$browser->key('Home', 'ArrowDown', 'Enter');
	is_whole_width('they can be zoomed');
};

subtest 'light and dark' => sub {
	my $ground = 'getComputedStyle(document.body).backgroundColor';
	my $light = $browser->value($ground);
	$browser->call('Emulation.setEmulatedMedia',
		{ features => [{ name => 'prefers-color-scheme', value => 'dark' }] });
	$browser->settle;
	isnt($browser->value($ground), $light, 'the page follows');
	quiet('dark');
};

subtest 'narrow frames' => sub {
	open_page('narrow');
	is($browser->value('flame.drawn.length'), 2, '5000 of them are drawn as one');
	is($browser->value('(() => { const d = flame.drawn[1], paint = flame.canvas.getContext("2d")
		.getImageData(d.left + (d.right - d.left) / 2, d.y + 3, 1, 1).data;
		return paint[1] > paint[0] + 20; })()'), 1, 'in the colour of the runtime');
	my $at = $browser->value('(() => { const d = flame.drawn[1], r = flame.canvas.getBoundingClientRect();
		return [r.left + (d.left + d.right) / 2, r.top + d.y + 9]; })()');
	$browser->mouse('mouseMoved', @$at);
	is(first_line(), '5,000 frames too narrow to be drawn', 'are told of');
	$browser->mouse($_, @$at, button => 'left', clickCount => 1) for qw(mousePressed mouseReleased);
	is($browser->value('flame.selected'), 2501, 'a click goes to the one in the middle');
	is_whole_width('  which is as wide as the page');
	like(text('detail'), qr/1 sample \(0\.02 %\)/, '  and not 0 % of the samples');
};

subtest 'no samples' => sub {
	open_page('empty');
	is(text('summary'), '0 samples', 'is said');
	$browser->key('Home', 'ArrowDown', 'Enter', 'n', 'b', '/', 'x', 'Enter', 'Escape', 'Escape', 'm', 'n', '+',
		'ArrowLeft', ']', 'm');
	quiet('empty');
};

subtest 'names of C++' => sub {
	for my $name (qw(_ZN7CompileC2EP5ciEnvP8ciMethodib _ZN4node11EnvironmentD0Ev _ZNKSt5mutex4lockEv
			_ZL19thread_native_entryP6Thread _Z10plain_namei _ZN12_GLOBAL__N_14leafEi)) {
		chomp(my $right = `c++filt -p $name`);
		$right =~ s/\(anonymous namespace\)/(anonymous)/;
		is($browser->value("demangled('$name')"), $right, $right);
	}
	is($browser->value("demangled('$_')"), $_, "$_ is left")
		for qw(_ZNSt6vectorIiSaIiEE9push_backEOi plain _Z _ZN _ZNE _ZN9shortE);
};

done_testing();
