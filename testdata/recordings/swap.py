#!/usr/bin/env python3
"""Writes a recording as a big-endian machine would: swap.py LITTLE BIG.

For seekable files of cpu-clock and page-faults, uncompressed. Of the header features those are
kept whose contents are strings or are known here. perf prints the same of both files."""
import struct
import sys

SAMPLE_FIELDS = ((16, 'Q'), (0, 'Q'), (1, 'II'), (2, 'Q'), (3, 'Q'), (6, 'Q'), (9, 'Q'), (7, 'II'),
                 (8, 'Q'))
TRAILER = ((1, 'II'), (2, 'Q'), (6, 'Q'), (9, 'Q'), (7, 'II'), (16, 'Q'))
STRINGS = {3, 4, 5, 6, 8, 9}
EVENT_DESC, CMDLINE, NRCPUS = 12, 11, 7


def swap(data, layout):
    """data of a known layout, repeated to its end if it is longer"""
    out = b''
    while data:
        size = struct.calcsize('<' + layout)
        out += struct.pack('>' + layout, *struct.unpack('<' + layout, data[:size]))
        data = data[size:]
    return out


def swap_attr(attr):
    reversed_bits = bytes(int(f'{b:08b}'[::-1], 2) for b in attr[40:48])
    out = swap(attr[:8], 'II') + swap(attr[8:40], 'Q') + reversed_bits + swap(attr[48:56], 'II')
    out += swap(attr[56:88], 'Q') + swap(attr[88:96], 'Ii') + swap(attr[96:104], 'Q')
    out += swap(attr[104:112], 'IHH') + swap(attr[112:120], 'II')
    return out + swap(attr[120:], 'Q')


def swap_string(data):
    size, = struct.unpack_from('<I', data)
    return struct.pack('>I', size) + data[4:4 + size], data[4 + size:]


def swap_feature(bit, data):
    if bit in STRINGS:
        return swap_string(data)[0]
    if bit == NRCPUS:
        return swap(data, 'I')
    if bit == CMDLINE:
        out, rest = swap(data[:4], 'I'), data[4:]
        while rest:
            text, rest = swap_string(rest)
            out += text
        return out
    if bit == EVENT_DESC:
        count, size = struct.unpack_from('<II', data)
        out, rest = swap(data[:8], 'I'), data[8:]
        for _ in range(count):
            ids, = struct.unpack_from('<I', rest, size)
            out += swap_attr(rest[:size]) + struct.pack('>I', ids)
            text, rest = swap_string(rest[size + 4:])
            out += text + swap(rest[:8 * ids], 'Q')
            rest = rest[8 * ids:]
        return out
    return None


def fields_size(kinds, sample_type):
    return 8 * sum(1 for bit, _ in kinds if sample_type >> bit & 1)


def swap_fields(data, kinds, sample_type):
    out = b''
    for bit, layout in kinds:
        if sample_type >> bit & 1:
            out += swap(data[:8], layout)
            data = data[8:]
    return out


def swap_sample(body, attr):
    kind, = struct.unpack_from('<Q', attr, 24)
    head = fields_size(SAMPLE_FIELDS, kind)
    out, rest = swap_fields(body[:head], SAMPLE_FIELDS, kind), body[head:]
    if kind >> 5 & 1:                           # call chain
        count, = struct.unpack_from('<Q', rest)
        out, rest = out + swap(rest[:8 + 8 * count], 'Q'), rest[8 + 8 * count:]
    if kind >> 12 & 1:                          # user registers
        abi, = struct.unpack_from('<Q', rest)
        mask, = struct.unpack_from('<Q', attr, 80)
        size = 8 + (8 * bin(mask).count('1') if abi else 0)
        out, rest = out + swap(rest[:size], 'Q'), rest[size:]
    if kind >> 13 & 1:                          # user stack
        size, = struct.unpack_from('<Q', rest)
        out += swap(rest[:8], 'Q') + rest[8:8 + size] + swap(rest[8 + size:], 'Q')
        rest = b''
    assert not rest
    return out


def swap_body(kind, misc, body):
    if kind in (1, 10):                         # MMAP, MMAP2
        out, rest = swap(body[:8], 'I') + swap(body[8:32], 'Q'), body[32:]
        if kind == 10:
            build_id = misc & 1 << 14
            out += rest[:24] if build_id else swap(rest[:8], 'I') + swap(rest[8:24], 'Q')
            out, rest = out + swap(rest[24:32], 'I'), rest[32:]
        return out + rest
    if kind == 3:                               # COMM
        return swap(body[:8], 'I') + body[8:]
    if kind in (4, 7):                          # EXIT, FORK
        return swap(body[:16], 'I') + swap(body[16:], 'Q')
    if kind == 69:                              # ID_INDEX
        return swap(body, 'Q')
    if kind == 73:                              # THREAD_MAP of one thread
        return swap(body[:16], 'Q') + body[16:]
    if kind == 74:                              # CPU_MAP
        return swap(body[:2], 'H') + body[2:4] + swap(body[4:], 'H')
    if kind == 78:                              # EVENT_UPDATE
        what, = struct.unpack_from('<Q', body)
        rest = body[16:]
        return swap(body[:16], 'Q') + (swap(rest, 'Q') if what == 1 else
                                       swap(rest, 'H') if what == 3 else rest)
    assert kind in (68, 82), kind               # FINISHED_ROUND, FINISHED_INIT
    return body


def main(source, target):
    data = open(source, 'rb').read()
    magic, size, attr_size, at, attrs_size, begin, data_size = struct.unpack_from('<8s6Q', data)
    assert magic == b'PERFILE2' and size == 104
    attrs, by_id = [], {}
    head = bytearray(struct.pack('>Q', 0x32454c4946524550) + swap(data[8:104], 'Q'))
    body = bytearray(swap(data[104:begin], 'Q'))    # ids, and attrs that are replaced below
    for place in range(at, at + attrs_size, attr_size):
        attr = data[place:place + attr_size - 16]
        body[place - 104:place - 104 + len(attr)] = swap_attr(attr)
        ids = struct.unpack_from('<QQ', data, place + len(attr))
        attrs.append(attr)
        for i in range(ids[0], ids[0] + ids[1], 8):
            by_id[struct.unpack_from('<Q', data, i)[0]] = attr
    place = begin
    while place < begin + data_size:
        kind, misc, size = struct.unpack_from('<IHH', data, place)
        record = data[place + 8:place + size]
        attr = attrs[0]
        if len(attrs) > 1 and kind < 64:
            attr = by_id.get(struct.unpack_from('<Q', record, 0 if kind == 9 else size - 16)[0],
                             attr)
        sample_type, = struct.unpack_from('<Q', attr, 24)
        trailer = fields_size(TRAILER, sample_type) if kind < 64 and kind != 9 else 0
        body += struct.pack('>IHH', kind, misc, size)
        if kind == 9:
            body += swap_sample(record, attr)
        else:
            rest = len(record) - trailer
            body += swap_body(kind, misc, record[:rest])
            body += swap_fields(record[rest:], TRAILER, sample_type)
        place += size
    bits, = struct.unpack_from('<Q', data, 72)
    features, kept = [], 0
    for bit in range(64):
        if bits >> bit & 1:
            start, length = struct.unpack_from('<QQ', data, place)
            swapped = swap_feature(bit, data[start:start + length])
            place += 16
            if swapped is not None:
                features.append(swapped)
                kept |= 1 << bit
    head[72:104] = struct.pack('>4Q', kept, 0, 0, 0)
    place = 104 + len(body) + 16 * len(features)
    for feature in features:
        body += struct.pack('>QQ', place, len(feature))
        place += len(feature)
    open(target, 'wb').write(bytes(head) + bytes(body) + b''.join(features))


main(*sys.argv[1:])
