#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make install and uninstall, and the library as a program of its own uses it.
. "$(dirname "$0")/tap.sh"

root=$scratch/root
install()
{
	make -C "$SRCDIR" --no-print-directory "$@" DESTDIR="$root" PREFIX=/usr
}

succeeds "make install" install install
(cd "$root" && find . ! -type d | LC_ALL=C sort) >../out
version=$(perfjit-fix --version | sed -n '1s/.* //p')

# what must be there, of each command, page and the library
{
	for command in $(cd "$SRCDIR/cmd" && ls perfjit-*.c); do
		command=${command%.c}
		cat <<-EOT
			./usr/bin/$command
			./usr/share/bash-completion/completions/$command
			./usr/share/fish/vendor_completions.d/$command.fish
			./usr/share/zsh/site-functions/_$command
		EOT
	done
	for page in $(cd "$SRCDIR/man" && ls); do
		echo "./usr/share/man/man${page##*.}/$page"
	done
	cat <<-EOT
		./usr/include/perfjit.h
		./usr/lib/libperfjit.a
		./usr/lib/libperfjit.so
		./usr/lib/libperfjit.so.0
		./usr/lib/libperfjit.so.$version
		./usr/lib/pkgconfig/perfjit.pc
	EOT
} | LC_ALL=C sort >../wanted
at_least "files are expected" "$(wc -l <../wanted)" 13
out_is "files" <../wanted
succeeds "the installed command runs" "$root/usr/bin/perfjit-fix" --version

PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
is "perfjit.pc has the version" "$(pkg-config --modversion perfjit)" "$version"
cat >program.c <<'EOT'
#include <perfjit.h>
#include <stdio.h>

static void message(void *context, const struct perfjit_message *message)
{
	(void)context;
	fprintf(stderr, "%s\n", message->kind);
}

static bool stop(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	return done > total;
}

int main(int argc, char **argv)
{
	struct perfjit_fix_options options = {
		.size = sizeof(options), .output = "fixed", .message = message,
	};
	struct perfjit_fix_result result = { .size = sizeof(result) };
	int err = perfjit__fix(argv[1], &options, &result);

	printf("%d %d %d\n", err, (int)result.functions, (int)result.missing_jitdumps);
	options.output = "stripped";
	printf("%d\n", perfjit__strip("fixed", &options));
	options.output = "canceled";
	options.progress = stop;
	printf("%d\n", perfjit__fix(argv[1], &options, NULL));
	return argc == 2 ? 0 : 1;
}
EOT
recording py313fpbuild-perfjit-fp
# with the sanitizers that the library was built with, if any
for linking in "$(pkg-config --libs perfjit)" \
	"$root/usr/lib/libperfjit.a $(PKG_CONFIG_SYSROOT_DIR='' pkg-config --libs \
		$(pkg-config --print-requires-private perfjit))"; do
	succeeds "builds with $(echo "$linking" | sed "s|$root||g")" sh -c "
		gcc @'$BUILD/flags' $(pkg-config --cflags perfjit) program.c $linking -o program"
	LD_LIBRARY_PATH=$root/usr/lib run ./program perf.data
	out_is "runs" <<-EOT
		0 186 0
		0
		-125
	EOT
	err_is "without a message" </dev/null
	same_file "strips" stripped perf.data
	[ ! -e canceled ] && [ ! -e canceled.jit ]
	ok $? "takes back what was canceled"
	LD_LIBRARY_PATH=$root/usr/lib run ./program none
	err_has "passes messages on" '^file.open$'
	rm -rf fixed fixed.jit stripped program
done
# shellcheck disable=SC2046
pkg-config --libs-only-l $(pkg-config --print-requires-private perfjit) | tr ' ' '\n' |
	sed -n 's/^-l/lib/p' >../said
is "the library needs nothing of the machine but what perfjit.pc says" \
	"$(readelf -dW "$root/usr/lib/libperfjit.so.0" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
		grep -v -x -e libc -e 'lib.*san' -f ../said)" ''

succeeds "make uninstall" install uninstall
is "leaves nothing" "$(find "$root" ! -type d)" ''
done_testing
