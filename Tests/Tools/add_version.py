#!/usr/bin/env python3
"""Append a version to a capsule, by hand: the same tree again, under another number.

usage: add_version.py FILE [--label L] [--note T] [--captured SECONDS] [--overlay-path OLD=NEW] [--count N]

It adds what format.md asks of an append without changes: an index root, which names the blocks that are there, a
manifest and a footer. The file is written in place, without a lock.
--count adds N versions, which differ in their numbers alone.
--overlay-path gives a record of an overlay capsule another path, whatever that is.
"""
import argparse
import datetime
import os
import plistlib
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from capsule_reader import Capsule, sha


def member(kind, payload, gzip):
    """The bytes of one metadata member."""
    if gzip:
        extra = 4 + 5 + len(payload)
        length = 12 + extra + 10
        head = bytes.fromhex("1f8b08040000000000ff") + struct.pack("<H2sHcI", extra, b"CP", extra - 4, kind, length)
        return head + payload + b"\3\0" + bytes(8)
    length = 8 + 7 + len(payload)
    return struct.pack("<II2scI", 0x184D2A5C, length - 8, b"CP", kind, length) + payload


def members(kind, raw, gzip):
    """The members of a payload, raw."""
    data = struct.pack("<BQ", 0, len(raw)) + raw
    pieces = [data[at:at + 65_000] for at in range(0, len(data), 65_000)]
    return b"".join(member(kind, struct.pack("<HH", n, len(pieces)) + piece, gzip) for n, piece in enumerate(pieces))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("--label")
    parser.add_argument("--note")
    parser.add_argument("--captured", type=int)
    parser.add_argument("--overlay-path")
    parser.add_argument("--count", type=int, default=1)
    options = parser.parse_args()
    capsule = Capsule(options.file)
    last = capsule.version()
    root = capsule.payload(b"I", last["root"], last["root stored"], last["root digest"], "index root")
    manifest = plistlib.loads(
        capsule.payload(b"M", last["manifest"], last["manifest stored"], last["manifest digest"], "manifest"))
    number = last["version"] + 1
    for key, value in (("Label", options.label), ("Note", options.note)):
        manifest.pop(key, None)
        if value:
            manifest[key] = value
    if options.captured is not None:
        manifest["Captured"] = datetime.datetime.fromtimestamp(options.captured, datetime.timezone.utc).replace(tzinfo=None)
    if options.overlay_path:
        old, new = options.overlay_path.split("=", 1)
        records = [record for record in manifest["Overlay"]["Files"] if record["Path"] == old]
        if not records:
            sys.exit(f"add_version: there is no record of {old}")
        for record in records:
            record["Path"] = new
    before, old = capsule.footers[0], len(capsule.file)
    for manifest["Version"] in range(number, number + options.count):
        document = plistlib.dumps(manifest)
        start = before["end"]
        roots = members(b"I", root, capsule.gzip)
        manifests = members(b"M", document, capsule.gzip)
        own = start + len(roots) + len(manifests)
        capsule.file += roots + manifests
        payload = struct.pack("<8sHHBBHQQII", b"CAPSULE\0", 1, 1, 1 if capsule.gzip else 2, 0, 0, own, start, manifest["Version"], 0)
        payload += struct.pack("<QQ32sQQ32sQ32s32s", start, len(roots), sha(root), start + len(roots), len(manifests), sha(document),
                               before["at"], sha(before["bytes"]), capsule.segment_digest(start, own))
        payload += sha(payload)
        capsule.file += member(b"F", payload, capsule.gzip)
        before = {"at": own, "end": len(capsule.file), "bytes": payload}
    with open(options.file, "ab") as file:
        file.write(capsule.file[old:])


if __name__ == "__main__":
    main()
