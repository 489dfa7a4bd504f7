# SPDX-License-Identifier: GPL-2.0-or-later
# A headless Chromium that is told what to do by its DevTools protocol over a pipe: messages are
# JSON, each ends with a NUL. Loaded by what does the telling:
#
#   my $page = Browser->new($folder, $width, $height);
#   $page->open("file:///..."); $page->key("ArrowDown"); $page->value("document.title");
package Browser;

use strict;
use warnings;
use Fcntl;
use JSON::PP;
use MIME::Base64;
use POSIX ();

my %codes = (Enter => 13, Escape => 27, Home => 36, ArrowLeft => 37, ArrowUp => 38,
	ArrowRight => 39, ArrowDown => 40);
my @names = qw(chromium chromium-browser);

# folder: for its profile; what it says goes to a file in it.
sub new
{
	my ($class, $folder, $width, $height) = @_;
	my ($program) = grep { -x } map { my $name = $_; map { "$_/$name" } split /:/, $ENV{PATH} } @names;
	die "no Chromium is here: 'make deps-browser' installs it\n" unless $program;
	pipe(my $read_commands, my $commands) or die;
	pipe(my $answers, my $write_answers) or die;
	my $pid = fork // die;
	if (!$pid) {
		# descriptors above those that they become
		my ($in, $out) = map { fcntl($_, F_DUPFD, 10) } $read_commands, $write_answers;
		open STDERR, '>', "$folder/chromium.log";
		open STDOUT, '>&', \*STDERR;
		POSIX::dup2($in, 3);
		POSIX::dup2($out, 4);
		# root in a container can have no sandbox
		my @command = ($program, qw(--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
			--no-first-run --disable-extensions --disable-background-networking
			--disable-component-update --force-device-scale-factor=1
			--remote-debugging-pipe), "--user-data-dir=$folder/chromium",
			"--window-size=$width,$height", 'about:blank');
		exec @command or POSIX::_exit(127);
	}
	close $_ for $read_commands, $write_answers;
	$commands->autoflush(1);
	my $self = bless { pid => $pid, commands => $commands, answers => $answers, id => 0,
		buffer => '', events => [] }, $class;
	my $target = $self->call('Target.createTarget', { url => 'about:blank' })->{targetId};
	$self->{session} = $self->call('Target.attachToTarget', { targetId => $target,
		flatten => JSON::PP::true })->{sessionId};
	$self->call($_) for qw(Page.enable Runtime.enable Network.enable Log.enable);
	$self->call('Emulation.setDeviceMetricsOverride', { width => $width, height => $height,
		deviceScaleFactor => 1, mobile => JSON::PP::false });
	return $self;
}

# The next message; dies when there is none for a minute.
sub message
{
	my ($self) = @_;
	my $end;
	while (($end = index $self->{buffer}, "\0") < 0) {
		local $SIG{ALRM} = sub { die "Chromium does not answer\n" };
		alarm 60;
		my $got = sysread $self->{answers}, $self->{buffer}, 65536, length $self->{buffer};
		alarm 0;
		die "Chromium ended\n" unless $got;
	}
	my $message = substr $self->{buffer}, 0, $end + 1, '';
	chop $message;
	return decode_json($message);
}

sub call
{
	my ($self, $method, $parameters) = @_;
	my %call = (id => ++$self->{id}, method => $method, params => $parameters // {});
	$call{sessionId} = $self->{session} if $self->{session};
	print { $self->{commands} } encode_json(\%call), "\0";
	while (1) {
		my $message = $self->message;
		if (($message->{id} // 0) == $self->{id}) {
			die "$method: $message->{error}{message}\n" if $message->{error};
			return $message->{result};
		}
		push @{$self->{events}}, $message if $message->{method};
	}
}

sub open
{
	my ($self, $url) = @_;
	@{$self->{events}} = ();
	$self->call('Page.navigate', { url => $url });
	until (grep { $_->{method} eq 'Page.loadEventFired' } @{$self->{events}}) {
		push @{$self->{events}}, $self->message;
	}
	$self->settle;
}

# Until what is to be drawn is drawn.
sub settle
{
	my ($self) = @_;
	$self->value('new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))');
}

# The value of a JavaScript expression.
sub value
{
	my ($self, $expression) = @_;
	my $result = $self->call('Runtime.evaluate', { expression => $expression,
		returnByValue => JSON::PP::true, awaitPromise => JSON::PP::true });
	die "$expression: $result->{exceptionDetails}{exception}{description}\n"
		if $result->{exceptionDetails};
	return $result->{result}{value};
}

# As a keyboard does it.
sub key
{
	my ($self, @keys) = @_;
	for my $key (@keys) {
		my %key = (key => $key);
		$key{text} = $key if length $key == 1;
		$key{text} = "\r" if $key eq 'Enter';
		$key{windowsVirtualKeyCode} = $codes{$key} if $codes{$key};
		$self->call('Input.dispatchKeyEvent', { %key, type => 'keyDown' });
		delete $key{text};
		$self->call('Input.dispatchKeyEvent', { %key, type => 'keyUp' });
	}
	$self->settle;
}

sub mouse
{
	my ($self, $type, $x, $y, %more) = @_;
	$self->call('Input.dispatchMouseEvent', { type => $type, x => $x + 0, y => $y + 0, %more });
	$self->settle;
}

sub screenshot
{
	my ($self, $path) = @_;
	CORE::open(my $file, '>:raw', $path) or die "$path: $!\n";
	print $file decode_base64($self->call('Page.captureScreenshot', { format => 'png' })->{data});
	close $file;
}

# What was asked of a network, and what went wrong, since the page was opened.
sub requests
{
	my ($self) = @_;
	return map { $_->{params}{request}{url} } grep { $_->{method} eq 'Network.requestWillBeSent' }
		@{$self->{events}};
}

sub complaints
{
	my ($self) = @_;
	return map { $_->{method} eq 'Runtime.exceptionThrown'
			? $_->{params}{exceptionDetails}{exception}{description}
			: $_->{params}{entry}{text} }
		grep { $_->{method} =~ /^(Runtime\.exceptionThrown|Log\.entryAdded)$/ } @{$self->{events}};
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $@, $!);
	eval { $self->call('Browser.close') };
	waitpid $self->{pid}, 0;
}

1;
