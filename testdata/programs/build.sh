#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds jitprog, jitexec and neighbour.so into a folder: build.sh FOLDER. The recordings beside this
# script were made with gcc 12; with another compiler they no longer fit the binaries: record.sh anew
# then.
set -eu
here=$(dirname "$0")
out=$1
flags="-Os -g0 -Wall -Wextra -Werror -ffreestanding -fomit-frame-pointer -fno-stack-protector
	-fasynchronous-unwind-tables -fcf-protection=none -fno-optimize-sibling-calls
	-fno-tree-loop-distribute-patterns -Wl,-z,noseparate-code -Wl,-z,norelro
	-Wl,--eh-frame-hdr -Wl,--build-id=sha1 -nostdlib"
cd "$here"
# shellcheck disable=SC2086
{
	${CC:-gcc} $flags -fno-pic -fno-pie -static -no-pie -o "$out/jitprog" \
		jitprog.c run.c emit.c dump.c start.c
	${CC:-gcc} $flags -fpie -fvisibility=hidden -static-pie -o "$out/jitexec" \
		jitexec.c run.c emit.c dump.c start.c
	${CC:-gcc} $flags -fpic -fvisibility=hidden -shared -Wl,--hash-style=gnu \
		-Wl,-T,neighbour.lds -o "$out/neighbour.so" neighbour.c
}
