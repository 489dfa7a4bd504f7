#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# cut-dump.py DUMP LOW HIGH: writes to standard output the jitdump without the functions whose code
# lies outside of LOW..HIGH, and without what the records before these say of them.
import struct
import sys

data = open(sys.argv[1], 'rb').read()
low, high = int(sys.argv[2], 16), int(sys.argv[3], 16)
at = struct.unpack_from('<I', data, 8)[0]
out, waiting = [data[:at]], []
while at + 16 <= len(data):
    kind, size = struct.unpack_from('<II', data, at)
    record = data[at:at + size]
    at += size
    waiting.append(record)
    if kind == 0:  # JIT_CODE_LOAD: pid, tid, vma, code_addr
        if low <= struct.unpack_from('<Q', record, 16 + 16)[0] < high:
            out += waiting
        waiting = []
    elif kind not in (2, 4):  # not JIT_CODE_DEBUG_INFO, JIT_CODE_UNWINDING_INFO
        out += waiting
        waiting = []
sys.stdout.buffer.write(b''.join(out))
