#!/usr/bin/env python3
"""Forge capsules: all digests of their structure are right, and what they say is not.

usage: forge_capsule.py KIND OUT.capsule

digest    a file `a` whose bytes are not those that its digest names, beside a sound file `b`
large     the same of a file of 3 MiB
head      a file of 100 kB that begins as a PNG does, and whose bytes are not those that its digest names
sound     `a` and `b`, sound
database BYTES_OF  a file `db.sqlite` with the bytes of the file BYTES_OF, and a wrong digest
log BYTES_OF LOG  a sound file `db.sqlite`, and `db.sqlite-wal` with the bytes of the file LOG and a wrong digest
blob BYTES_OF BLOB PATH  a sound file `Library/S.sqlite`, and a file at PATH with the bytes of the file BLOB and a wrong digest
extents   a file of 1 MB in a million extents of one byte, by turns in 40 members
spread    a file of 64 kB whose every byte lies in one of 20,000 members
tree KIND an index that is no tree: parent, file, link, reserved
facts     a manifest that counts 2^63 - 1 entries, which the index does not have
stream    a tar stream that has a file which the index does not have
attribute NAME  a file `a` with an extended attribute of that name

docs/format.md describes what is written here.
"""
import datetime
import hashlib
import os
import plistlib
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_hostile import header, padded  # noqa: E402

DIRECTORY, FILE, LINK = 0, 1, 2
TREE, WRAPPER = 0, 1
MEMBER = 1 << 20
GZIP = bytes.fromhex("1f8b08040000000000ff")


def sha(data):
    return hashlib.sha256(data).digest()


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value):
    return varint(2 * value if value >= 0 else -2 * value - 1)


def string(data):
    return varint(len(data)) + data


def deflate(raw):
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflater.compress(raw) + deflater.flush()


MADE = {}


def data_member(raw):
    """A data member of format.md, section 2; of the same object it is made once."""
    if id(raw) not in MADE:
        MADE[id(raw)] = (make_data_member(raw), raw)
    return MADE[id(raw)][0]


def make_data_member(raw):
    data = deflate(raw)
    length = 21 + len(data) + 8
    return GZIP + struct.pack("<H2sHcI", 9, b"CP", 5, b"D", length) + data + struct.pack("<II", zlib.crc32(raw), len(raw))


def metadata_member(kind, payload):
    extra = 4 + 5 + len(payload)
    return GZIP + struct.pack("<H2sHcI", extra, b"CP", extra - 4, kind, 12 + extra + 10) + payload + b"\3\0" + bytes(8)


def metadata(kind, raw):
    coded = struct.pack("<BQ", 1, len(raw)) + deflate(raw)
    pieces = [coded[at:at + 65000] for at in range(0, len(coded), 65000)]
    return b"".join(metadata_member(kind, struct.pack("<HH", n, len(pieces)) + piece) for n, piece in enumerate(pieces))


class Entry:
    """An entry of the index. `extents` are (member, inner, length): the n-th of `members`, raw, or 0 for zeros; None puts them after a header."""

    def __init__(self, kind, path, root=TREE, mode=0o644, data=b"", target=b"", attributes=(), digest=None, size=None,
                 members=None, extents=None):
        self.kind, self.path, self.root, self.mode, self.data, self.target = kind, path, root, mode, data, target
        self.attributes, self.members, self.extents = list(attributes), members, extents
        self.size = len(data) if size is None else size
        self.digest = sha(data) if digest is None else digest
        self.places = []


def directory(path, root=TREE):
    return Entry(DIRECTORY, path, root, 0o755)


TOP = directory(b"", WRAPPER)


def block(entries, members):
    """A raw index block of format.md, section 5, and its likeness."""
    columns = {number: [] for number in range(1, 13)}
    last, member, place = b"", 1, 512
    for number, entry in enumerate(entries):
        columns[1].append(bytes([entry.kind]))
        columns[2].append(bytes([entry.root]))
        columns[3].append(struct.pack("<H", entry.mode))
        columns[4].append(varint(0 if number else 2 * 1_700_000_000))
        columns[5].append(bytes(4))
        if entry.kind == FILE:
            columns[6].append(varint(entry.size))
            columns[7].append(entry.digest)
        shared = len(os.path.commonprefix([last, entry.path]))
        columns[8].append(varint(shared) + string(entry.path[shared:]))
        last = entry.path
        if entry.kind == LINK:
            columns[9].append(string(entry.target))
        columns[10].append(varint(len(entry.attributes)))
        columns[10] += [string(name) + string(value) for name, value in entry.attributes]
        if entry.kind == FILE:
            left = entry.size
            for which, inner, length in entry.extents:
                left -= length
                if not which:
                    columns[11].append(varint(0))
                else:
                    step = which - member
                    columns[11].append(varint((2 * step if step >= 0 else -2 * step - 1) + 1))
                    columns[11].append(zigzag(inner - (place if which == member else 0)))
                    member, place = which, (inner + length + 511) // 512 * 512 + 512
                columns[11].append(varint(left))
    columns[12] = [varint(len(members))] + [struct.pack("<QII", *member) for member in members]
    joined = {number: b"".join(column) for number, column in columns.items()}
    whole = {number: struct.pack("<HI", number, len(column)) + column for number, column in joined.items()}
    likeness = b"".join(sha(b"".join(whole[n] for n in numbers))[:16] for numbers in ((1, 2, 3, 6, 7, 8, 9, 10), (4, 5)))
    return b"".join(whole.values()), likeness


def tree_digest(tag, entries):
    digest = hashlib.sha256(b"capsule-%s-1\n" % tag)

    def string32(data):
        return struct.pack("<I", len(data)) + data

    for entry in entries:
        if entry.root == WRAPPER:
            continue
        digest.update(bytes([entry.kind]) + string32(entry.path))
        if tag == b"tree":
            digest.update(struct.pack("<H", 0 if entry.kind == LINK else entry.mode))
        if entry.kind == FILE:
            digest.update(struct.pack("<Q", entry.size) + entry.digest)
        elif entry.kind == LINK:
            digest.update(string32(entry.target))
        if tag == b"tree":
            digest.update(struct.pack("<I", len(entry.attributes)))
            for name, value in entry.attributes:
                digest.update(string32(name) + string32(value))
    return digest.digest()


def tar_header(entry):
    name = b"x/" + entry.path if entry.path else b"x"
    if entry.kind == DIRECTORY:
        return header(name + b"/", kind=b"5", mode=entry.mode)
    if entry.kind == LINK:
        return header(name, kind=b"2", target=entry.target, mode=0o777)
    return header(name, entry.size, mode=entry.mode)


def build(entries, smuggled=b"", claimed=None):
    """The bytes of a capsule of one version, a plain directory named x, whose manifest claims so many entries."""
    entries = sorted(entries, key=lambda entry: (entry.root, entry.path))
    out = bytearray()
    members = []
    for entry in sorted(entries, key=lambda entry: entry.path):
        raws = entry.members
        if raws is None:
            raw = tar_header(entry) + padded(entry.data)
            raws = [raw[at:at + MEMBER] for at in range(0, len(raw), MEMBER)]
            left, inner, entry.extents = entry.size if entry.kind == FILE else 0, 512, []
            for number, part in enumerate(raws):
                length = min(left, len(part) - inner)
                if length > 0:
                    entry.extents.append((number + 1, inner, length))
                left, inner = left - length, 0
        entry.extents = [(number and number + len(members), inner, length) for number, inner, length in entry.extents or []]
        for raw in raws:
            data = data_member(raw)
            members.append((len(out), len(data), len(raw)))
            out += data
    if smuggled:
        out += data_member(smuggled)
    out += data_member(bytes(1024)) + data_member(bytes(262144))
    raw, likeness = block(entries, members)
    stored = metadata(b"B", raw)
    table = struct.pack("<QII", len(out), len(stored), len(entries)) + sha(raw) + likeness + bytes([entries[0].root]) + string(entries[0].path)
    out += stored
    tree, content = tree_digest(b"tree", entries), tree_digest(b"content", entries)
    total = sum(entry.size for entry in entries if entry.kind == FILE)
    root = b"CPIX" + struct.pack("<H", 2) + tree + content + struct.pack("<QQI", len(entries), total, 1) + table
    root_at, root_stored = len(out), metadata(b"I", root)
    out += root_stored
    document = plistlib.dumps({
        "FormatVersion": 1, "Version": 1, "Name": "x", "Captured": datetime.datetime(2024, 1, 1),
        "Source": {"Kind": "directory"}, "Layout": "directory", "TreeDigest": tree.hex(), "ContentDigest": content.hex(),
        "IndexDigest": sha(root).hex(), "Entries": claimed or len(entries), "Bytes": total}, sort_keys=False)
    manifest_at, manifest_stored = len(out), metadata(b"M", document)
    out += manifest_stored
    own, records, at = len(out), b"", 0
    while at < own:
        kind, length = struct.unpack_from("<cI", out, at + 16)
        if kind == b"D":
            checksum, size = struct.unpack_from("<II", out, at + length - 8)
            records += struct.pack("<cQIII", kind, at, length, size, checksum)
        else:
            records += kind + sha(bytes(out[at:at + length]))
        at += length
    footer = struct.pack("<8sHHBBHQQII", b"CAPSULE\0", 1, 1, 1, 0, 0, own, 0, 1, 0)
    footer += struct.pack("<QQ32sQQ32sQ32s32s", root_at, len(root_stored), sha(root), manifest_at, len(manifest_stored),
                          sha(document), (1 << 64) - 1, bytes(32), sha(records))
    return bytes(out) + metadata_member(b"F", footer + sha(footer))


def main():
    kind, out = sys.argv[1:3]
    more = sys.argv[3:]
    wrong = sha(b"other bytes")
    sound = Entry(FILE, b"b", data=b"keep\n")
    smuggled = b""
    claimed = None
    if kind in ("sound", "facts"):
        entries = [Entry(FILE, b"a", data=b"ho\n"), sound]
        claimed = (1 << 63) - 1 if kind == "facts" else None
    elif kind == "digest":
        entries = [Entry(FILE, b"a", data=b"hi\n", digest=wrong), sound]
    elif kind == "large":
        data = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(3 << 15))
        entries = [Entry(FILE, b"a", data=data, digest=wrong), sound]
    elif kind == "head":
        image = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + struct.pack(">IIBBBBB", 30, 20, 8, 2, 0, 0, 0)
        entries = [Entry(FILE, b"a", data=image + bytes(100_000), digest=wrong), sound]
    elif kind == "database":
        with open(more[0], "rb") as file:
            entries = [Entry(FILE, b"db.sqlite", data=file.read(), digest=wrong)]
    elif kind == "log":
        with open(more[0], "rb") as file, open(more[1], "rb") as log:
            entries = [Entry(FILE, b"db.sqlite", data=file.read()), Entry(FILE, b"db.sqlite-wal", data=log.read(), digest=wrong)]
    elif kind == "blob":
        with open(more[0], "rb") as file, open(more[1], "rb") as blob:
            path = more[2].encode()
            entries = [Entry(FILE, b"Library/S.sqlite", data=file.read()), Entry(FILE, path, data=blob.read(), digest=wrong)]
            entries += [directory(path[:at]) for at in range(len(path)) if path[at:at + 1] == b"/"]
    elif kind == "extents":
        count = 1_000_000
        members = [bytes([65 + n]) * MEMBER for n in range(40)]
        data = b"".join(bytes([65 + n % 40]) for n in range(count))
        entries = [Entry(FILE, b"f", data=data, members=members, extents=[(1 + n % 40, 0, 1) for n in range(count)])]
    elif kind == "spread":
        members = [bytes(MEMBER)] * 20_000
        order = [(n * 7919) % 20_000 for n in range(65_536)]
        entries = [Entry(FILE, b"f", data=bytes(65_536), members=members, extents=[(1 + n, 0, 1) for n in order])]
    elif kind == "tree":
        entries = {
            "parent": [Entry(FILE, b"d/a", data=b"hi\n")],
            "file": [Entry(FILE, b"d", data=b"hi\n"), Entry(FILE, b"d/a", data=b"hi\n")],
            "link": [Entry(LINK, b"d", target=b"/tmp"), Entry(FILE, b"d/a", data=b"hi\n")],
            "reserved": [directory(b".capsule-transaction")],
        }[more[0]]
    elif kind == "stream":
        entries = [sound]
        smuggled = header(b"x/run.sh", 3) + padded(b"id\n")
    elif kind == "attribute":
        entries = [Entry(FILE, b"a", data=b"hi\n", attributes=[(more[0].encode(), b"y")]), sound]
    else:
        sys.exit(__doc__)
    with open(out, "wb") as file:
        file.write(build([TOP] + entries, smuggled, claimed))


if __name__ == "__main__":
    main()
