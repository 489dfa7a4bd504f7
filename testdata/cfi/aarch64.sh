#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the aarch64-*.so.gz of this folder: corpus.c by GCC 12.2 (gcc-aarch64-linux-gnu), whose
# .eh_frame is the known truth of lib/cfi/track_test.c.
cd "$(dirname "$0")" || exit 1

# make NAME FLAG...
make()
{
	name=$1
	shift
	aarch64-linux-gnu-gcc -w -g0 -shared -fPIC -nostdlib -Wl,-z,max-page-size=4096 \
		-Wl,-z,noseparate-code -Wl,--build-id=none "$@" corpus.c -o "aarch64-$name.so" &&
		gzip -9 -n -f "aarch64-$name.so"
}

make plain -O0
make optimized -O2
make signed -O2 -mbranch-protection=standard -fstack-clash-protection
