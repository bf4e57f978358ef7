#!/usr/bin/env python3
"""A second reader of capsule files, written from the format's description alone: the oracle for the real one.

usage: capsule_reader.py list FILE [--version N]           one JSON line for each entry of the index
       capsule_reader.py extract FILE PATH [--version N] [--root R]    one file's bytes
       capsule_reader.py check FILE                        every digest and every rule; prints ok
       capsule_reader.py members FILE                      one JSON line for each member, walked from offset 0
       capsule_reader.py labels FILE                       a JSON object: each label, with the number of its version

Without --version the last one is read. Names, targets and attribute names are JSON strings in which a byte that is no
UTF-8 is a lone surrogate (Python's surrogateescape); attribute values are hexadecimal; `mtime` is SECONDS.NANOSECONDS,
where the nanoseconds count forward from the second, before 1970 too. Any disagreement with the format ends with a
message and status 1. Needs the `zstd` command for capsules of that codec; everything is read into memory.
"""
import argparse
import functools
import hashlib
import json
import os
import plistlib
import struct
import subprocess
import sys
import zlib

ZEROS, KINDS = bytes(262_144), ("directory", "file", "link", "identity")
# Attributes that no capsule keeps (section 8).
UNKEPT = {b"com.apple.lastuseddate#PS", b"com.apple.macl", b"com.apple.provenance", b"com.apple.quarantine"}
CARRIED = 255  # the root of an overlay capsule's contents that are no files of its tree


class Bad(Exception):
    """The file is not what the format says it is."""


def need(condition, message):
    if not condition:
        raise Bad(message)


def sha(data):
    return hashlib.sha256(data).digest()


def signed(value):
    """The number that zigzag stores as `value`."""
    return value >> 1 ^ -(value & 1)


def unzstd(data):
    done = subprocess.run(["zstd", "-dcq", "--no-progress"], input=data, capture_output=True)
    need(done.returncode == 0, "zstd: " + done.stderr.decode(errors="replace").strip())
    return done.stdout


def inflate(data):
    stream = zlib.decompressobj(-15)
    raw = stream.decompress(data) + stream.flush()
    need(stream.eof and not stream.unused_data, "deflate data ends early or late")
    return raw


class Cursor:
    """Reads a byte string from its start; running past the end is an error."""

    def __init__(self, data, what):
        self.data, self.at, self.what = data, 0, what

    def take(self, count):
        self.at += count
        need(self.at <= len(self.data), f"{self.what} ends too early")
        return self.data[self.at - count:self.at]

    def unpack(self, layout):
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                need((byte or not shift) and value < 1 << 64, f"{self.what} has a bad varint")
                return value
            shift += 7

    def string(self):
        return self.take(self.varint())

    def end(self):
        need(self.at == len(self.data), f"{self.what} has {len(self.data) - self.at} bytes too many")


class Capsule:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.file = file.read()
        self.gzip = self.file[:2] == b"\x1f\x8b"
        self.footers = []  # the last first
        at = len(self.file) - (271 if self.gzip else 255)
        while at != (1 << 64) - 1:
            footer = self.footer(at)
            later = self.footers[-1] if self.footers else None
            need(not later or later["previous digest"] == sha(footer["bytes"]) and later["start"] == footer["end"],
                 f"the footers at {at} and later do not fit together")
            self.footers.append(footer)
            at = footer["previous"]
        self.versions = [footer for footer in self.footers if not footer["flags"] & 2]
        numbers = [footer["version"] for footer in self.versions]
        need(numbers == sorted(set(numbers), reverse=True), "the numbers of versions do not increase")
        need(self.versions and self.footers[-1]["start"] == 0 and not self.footers[-1]["flags"] & 2, "the first segment does not start at 0")

    def member(self, at):
        """(kind, whole length, what follows kind and length in the metadata, the compressed data) of the member at `at`."""
        f = Cursor(self.file, f"member at {at}")
        f.at = at
        if self.gzip:
            need(f.take(10) == bytes.fromhex("1f8b08040000000000ff"), f"no gzip member at {at}")
            extra = Cursor(f.take(f.unpack("H")[0]), f"extra field at {at}")
            tag, size = extra.unpack("2sH")
            need(size == len(extra.data) - 4, f"more than one subfield at {at}")
            kind, length = extra.unpack("cI")
            rest, data = extra.data[extra.at:], f.take(length - (f.at - at))
        else:
            magic, size = f.unpack("II")
            if magic == 0xFD2FB528:
                return b"D", self.frame_length(at), b"", b""
            need(magic == 0x184D2A5C, f"no zstd frame at {at}")
            tag, kind, length = f.unpack("2scI")
            need(length == 8 + size, f"the frame at {at} states another length")
            rest, data = f.take(size - 7), b""
        need(tag == b"CP" and kind in b"DBIMF", f"no capsule member at {at}")
        need(kind != b"D" or not rest, f"the data member at {at} has a payload")
        need(kind == b"D" or not data or data == b"\3\0" + bytes(8), f"the metadata member at {at} holds data")
        return kind, length, rest, data

    def frame_length(self, at):
        """The length of a zstd frame, by its block headers; size and checksum must be there."""
        f = Cursor(self.file, f"frame at {at}")
        f.at = at + 4
        flags = f.unpack("B")[0]
        size_code = flags >> 6
        need(flags & 63 == 36, f"the frame at {at} is not one segment with a checksum and nothing else")
        f.take((1, 2, 4, 8)[size_code])
        last = 0
        while not last:
            block = int.from_bytes(f.take(3), "little")
            last = block & 1
            f.take(1 if block >> 1 & 3 == 1 else block >> 3)
        f.take(4)
        return f.at - at

    @functools.lru_cache(maxsize=64)
    def data(self, at):
        """(whole length, stream bytes) of the data member at `at`."""
        kind, length, _, data = self.member(at)
        need(kind == b"D", f"the member at {at} is no data member")
        if not self.gzip:
            raw = unzstd(self.file[at:at + length])
            need(len(raw) <= 1 << 20, f"the frame at {at} holds over 1 MiB")
            return length, raw
        raw = inflate(data[:-8])
        need(data[-8:] == struct.pack("<II", zlib.crc32(raw), len(raw) & 0xFFFFFFFF), f"CRC or size of the member at {at} is wrong")
        return length, raw

    def payload(self, kind, at, stored, digest, what):
        """A block's, root's or manifest's raw bytes, joined from its pieces and checked."""
        joined, end, piece, pieces = b"", at + stored, 0, 1
        while at < end:
            found, length, rest, _ = self.member(at)
            need(found == kind and len(rest) <= 65_004, f"{what}: the member at {at} is of another kind or too large")
            number, pieces = struct.unpack_from("<HH", rest)
            need(number == piece and piece < pieces, f"{what}: the member at {at} is piece {number} of {pieces}, not {piece}")
            joined, at, piece = joined + rest[4:], at + length, piece + 1
        need(at == end and piece == pieces, f"{what}: pieces and stored length disagree")
        coding, length = struct.unpack_from("<BQ", joined)
        need(coding < 3, f"{what}: unknown coding {coding}")
        raw = (bytes, inflate, unzstd)[coding](joined[9:])
        need(len(raw) == length and sha(raw) == digest, f"{what}: length or digest is wrong")
        return raw

    def footer(self, at):
        need(at >= 0, "the file is too short for a footer")
        kind, length, b, _ = self.member(at)
        need(kind == b"F" and len(b) == 240 and sha(b[:208]) == b[208:], f"no footer at {at}, or its digest is wrong")
        magic, major, minor, codec, flags, zero, own, start, version, zero2 = struct.unpack_from("<8sHHBBHQQII", b)
        need(magic == b"CAPSULE\0" and major == 1 and minor > 0, f"the footer at {at} is of format {major}.{minor}")
        need(codec == (1 if self.gzip else 2) and start <= own == at and zero == zero2 == 0 and (version == 0) == (flags == 2), f"the footer at {at} contradicts the file")
        names = ("root", "root stored", "root digest", "manifest", "manifest stored", "manifest digest", "previous", "previous digest", "digest")
        return {**dict(zip(names, struct.unpack_from("<QQ32sQQ32sQ32s32s", b, 40))), "bytes": b, "at": at, "end": at + length,
                "start": start, "version": version, "flags": flags}

    def version(self, number=None):
        for footer in self.versions:
            if number in (None, footer["version"]):
                return footer
        raise Bad(f"no version {number}")

    def index(self, footer):
        """(what the root says, the entries in order); every rule of root and blocks is checked."""
        raw = self.payload(b"I", footer["root"], footer["root stored"], footer["root digest"], "index root")
        f = Cursor(raw, "index root")
        magic, number, tree, content, count, size, blocks = f.unpack("4sH32s32sQQI")
        need(magic == b"CPIX" and number == 2, "the index root begins wrongly")
        entries = []
        for i in range(blocks):
            at, stored, rows, digest, likeness, root = f.unpack("QII32s32sB")
            first = (root, f.string())
            need(at + stored <= footer["at"], f"block {i} lies behind its version's footer")
            block, like = self.block(at, stored, digest, rows)
            need(like == likeness, f"the likeness of block {i} is wrong")
            need((block[0]["root"], block[0]["path"]) == first, f"block {i} begins with another entry")
            cuts = [int.from_bytes(sha(e["path"])[:2], "little") & 0x1FF == 0 for e in block]
            need(not any(cuts[:-1]) and rows <= 2048 and (cuts[-1] or rows == 2048 or i == blocks - 1), f"block {i} is cut wrongly")
            entries += block
        f.end()
        keys = [(e["root"], e["path"]) for e in entries]
        need(all(a < b for a, b in zip(keys, keys[1:])), "entries are out of order")
        need(len(entries) == count and sum(e.get("size", 0) for e in entries) == size, "the root's entries or bytes are wrong")
        for tag, claimed in (("tree", tree), ("content", content)):
            need(tree_digest(tag, entries) == claimed, f"the {tag} digest is wrong")
        return {"tree": tree, "content": content, "entries": count, "bytes": size}, entries

    @functools.lru_cache(maxsize=None)
    def block(self, at, stored, digest, rows):
        f = Cursor(self.payload(b"B", at, stored, digest, f"block at {at}"), f"block at {at}")
        columns = {}
        while f.at < len(f.data):
            number, length = f.unpack("HI")
            need(number not in columns and (number in range(1, 13) or number < 0x8000), f"column {number} is not understood or there twice")
            columns[number] = Cursor(f.take(length), f"column {number} of the block at {at}")
        like = b"".join(sha(b"".join(struct.pack("<HI", n, len(columns[n].data)) + columns[n].data for n in numbers))[:16]
                        for numbers in ((1, 2, 3, 6, 7, 8, 9, 10), (4, 5)))
        c = [columns.get(n, Cursor(b"", f"column {n} of the block at {at}")) for n in range(13)]
        members = [None] + [c[12].unpack("QII") for _ in range(c[12].varint())]
        entries, path, seconds, last, place = [], b"", 0, 1, 512
        for _ in range(rows):
            kind, root, mode, delta, ns = *c[1].take(1), *c[2].take(1), *c[3].unpack("H"), c[4].varint(), *c[5].unpack("I")
            need(kind < 4 and ns < 10**9 and mode < 0o10000, f"{f.what}: kind {kind}, mode {mode:o} or {ns} ns is impossible")
            seconds += signed(delta)
            shared, rest = c[8].varint(), c[8].varint()
            need(shared <= len(path), f"{f.what}: a path shares more than there is")
            path = path[:shared] + c[8].take(rest)
            entry = {"root": root, "kind": KINDS[kind], "mode": mode, "seconds": seconds, "ns": ns, "path": path}
            if kind in (1, 3):
                entry.update(size=c[6].varint(), digest=c[7].take(32))
                entry["extents"], left = [], entry["size"]
                while left:
                    step, inner = c[11].varint(), 0
                    if step:
                        number = last + signed(step - 1)
                        need(0 < number < len(members), f"{path!r}: no member {number}")
                        inner = (place if number == last else 0) + signed(c[11].varint())
                    rest = c[11].varint()
                    need(rest < left and inner >= 0, f"{path!r}: extents and size disagree")
                    entry["extents"].append((members[number] if step else None, inner, left - rest))
                    if step:
                        last, place = number, (inner + left - rest + 511) // 512 * 512 + 512
                    left = rest
            elif kind == 2:
                entry["target"] = c[9].string()
            entry["attributes"] = [(c[10].string(), c[10].string()) for _ in range(c[10].varint())]
            need(entry["attributes"] == sorted(dict(entry["attributes"]).items()), f"{path!r}: attributes out of order")
            for name, _ in entry["attributes"]:
                need(name not in UNKEPT and not name.startswith((b"security.", b"system.")), f"{path!r}: has {name!r}")
            entries.append(entry)
        for column in c[1:]:
            column.end()
        need(entries, f"{f.what} is empty")
        return entries, like

    def content(self, entry):
        """The file's bytes in pieces, its size and digest checked at the end."""
        digest = hashlib.sha256()
        for member, inner, length in entry["extents"]:
            if member:
                stored, raw = self.data(member[0])
                need((stored, len(raw)) == member[1:] and inner + length <= len(raw), f"{entry['path']!r}: the member at {member[0]} is another")
                parts = [raw[inner:inner + length]]
            else:
                parts = (ZEROS[:min(len(ZEROS), length - at)] for at in range(0, length, len(ZEROS)))
            for part in parts:
                digest.update(part)
                yield part
        need(digest.digest() == entry["digest"], f"{entry['path']!r}: the content's digest is wrong")

    def members(self):
        at = 0
        while at < len(self.file):
            kind, length, _, _ = self.member(at)
            yield at, length, kind, len(self.data(at)[1]) if kind == b"D" else 0
            at += length

    def segment_digest(self, at, end):
        """The digest of the members from `at` to `end`."""
        records = b""
        while at < end:
            kind, length, _, _ = self.member(at)
            if kind == b"D":
                checksum = self.file[at + length - 8:at + length - 4] if self.gzip else self.file[at + length - 4:at + length]
                records += struct.pack("<cQII", kind, at, length, len(self.data(at)[1])) + checksum
            else:
                records += kind + sha(self.file[at:at + length])
            at += length
        return sha(records)

    def check(self):
        walked = list(self.members())
        need({f["at"] for f in self.footers} == {at for at, _, kind, _ in walked if kind == b"F"}, "a footer is not in the chain")
        first = [at for at, _, kind, _ in walked if kind == b"D" and at < self.footers[-1]["at"]]
        zeros = [i for i, at in enumerate(first) if self.data(at)[1] == ZEROS]
        ends = [b"".join(self.data(at)[1][-1024:] for at in first[max(0, i - 2):i]) for i in zeros]
        need(any(end.endswith(bytes(1024)) for end in ends), "no zero member after the stream's two zero blocks")
        need(self.footers[-1]["flags"] & 1 or zeros[-1] == len(first) - 1, "data follows the zero member")
        done = set()
        for footer in self.footers:
            need(self.segment_digest(footer["start"], footer["at"]) == footer["digest"], f"the segment's digest at {footer['at']} is wrong")
        self.labels()
        for footer in reversed(self.versions):
            root, entries = self.index(footer)
            manifest = self.manifest(footer)
            says = {"FormatVersion": 1, "Version": footer["version"], "TreeDigest": root["tree"].hex(), "ContentDigest": root["content"].hex(),
                    "IndexDigest": footer["root digest"].hex(), "Entries": root["entries"], "Bytes": root["bytes"]}
            for key, value in says.items():
                need(manifest.get(key) == value, f"version {footer['version']}: the manifest's {key} is {manifest.get(key)}, not {value}")
            for entry in entries:
                if "extents" in entry and (entry["digest"], *entry["extents"]) not in done:
                    for _ in self.content(entry):
                        pass
                    done.add((entry["digest"], *entry["extents"]))
            self.check_overlay(footer, manifest, entries)

    def manifest(self, footer):
        return plistlib.loads(self.payload(b"M", footer["manifest"], footer["manifest stored"], footer["manifest digest"], "manifest"))

    def labels(self):
        """{label: the number of the version that it names}."""
        found = {}
        for footer in self.footers:
            manifest = self.manifest(footer)
            if footer["flags"] & 2:
                need((footer["root"], footer["root stored"], footer["root digest"]) == (footer["start"], 0, bytes(32)), "a label record with an index")
                need(set(manifest) in ({"FormatVersion", "Label"}, {"FormatVersion", "Label", "Version"}), "a label record with other keys")
            if "Label" in manifest:
                found.setdefault(manifest["Label"], manifest.get("Version"))
        numbers = {footer["version"] for footer in self.versions}
        return {label: number for label, number in found.items() if number in numbers}

    def check_overlay(self, footer, manifest, entries):
        """What an overlay capsule carries is what its records need, and nothing else."""
        carried = [e for e in entries if e["root"] == CARRIED]
        if not footer["flags"] & 1:
            need(not carried and "Overlay" not in manifest, f"version {footer['version']}: an overlay's parts in a container")
            return
        need(len(self.footers) == 1 and isinstance(manifest.get("Overlay"), dict), "an overlay capsule without its document, or of several versions")
        for e in carried:
            need(e["kind"] == "file" and e["path"] == e["digest"].hex().encode(), f"{e['path']!r}: no carried content's name")
        sizes = {e["digest"].hex(): e["size"] for e in entries if "digest" in e}
        sizes.setdefault(hashlib.sha256().hexdigest(), 0)
        named, whole = set(), {}
        for record in manifest["Overlay"].get("Files", []):
            path = record["Path"] if isinstance(record["Path"], bytes) else record["Path"].encode()
            for name, other in (("Old", "New"), ("New", "Old")):
                state, source = record.get(name, {}), record.get(other, {})
                if "Digest" not in state:
                    continue
                need(sizes.get(state["Digest"], state["Size"]) == state["Size"], f"{path!r}: the content has another size")
                named.add(state["Digest"])
                if "Chunks" in state:
                    pieces, bytes_carried = state["Chunks"]["Pieces"], 0
                    need(sum(p[-1] for p in pieces) == state["Size"] and all(p[-1] > 0 for p in pieces), f"{path!r}: the pieces do not make up the content")
                    need(all(p[0] + p[1] <= source["Size"] for p in pieces if len(p) == 2), f"{path!r}: a piece goes beyond the other state")
                    bytes_carried = sum(p[0] for p in pieces if len(p) == 1)
                    need(sizes.get(state["Chunks"]["Carried"]) == bytes_carried, f"{path!r}: what the recipe needs is not carried")
                    named.add(state["Chunks"]["Carried"])
                elif name == "New":
                    whole[path] = (state["Digest"], state["Size"])
                    need(state["Digest"] == source.get("Digest") or state["Digest"] in sizes, f"{path!r}: the new content is not carried")
        for e in entries:
            if e["root"] == CARRIED:
                need(e["digest"].hex() in named, f"{e['path']!r}: no record names it")
            elif e["root"] == 1 or e["kind"] == "directory":
                need(e["kind"] == "directory", f"{e['path']!r}: no overlay has such an entry")
            else:
                need(e["kind"] == "file" and whole.get(e["path"]) == (e["digest"].hex(), e["size"]), f"{e['path']!r}: no record makes it")


def tree_digest(tag, entries):
    out = hashlib.sha256(b"capsule-%s-1\n" % tag.encode())

    def counted(data):
        return struct.pack("<I", len(data)) + data

    for e in entries:
        if e["root"] in (1, CARRIED) or e["kind"] == "identity" or not e["path"]:
            continue
        out.update(bytes([KINDS.index(e["kind"])]) + counted(e["path"]))
        if tag == "tree":
            out.update(struct.pack("<H", 0 if e["kind"] == "link" else e["mode"]))
        if e["kind"] == "file":
            out.update(struct.pack("<Q", e["size"]) + e["digest"])
        elif e["kind"] == "link":
            out.update(counted(e["target"]))
        if tag == "tree":
            out.update(struct.pack("<I", len(e["attributes"])) + b"".join(counted(n) + counted(v) for n, v in e["attributes"]))
    return out.digest()


def line(e):
    """An entry as the JSON line of `list`; fields that do not apply are null."""
    return {"root": e["root"], "kind": e["kind"], "mode": f"{e['mode']:04o}", "mtime": f"{e['seconds']}.{e['ns']:09}",
            "size": e.get("size"), "digest": e["digest"].hex() if "digest" in e else None,
            "target": os.fsdecode(e["target"]) if "target" in e else None,
            "attributes": {os.fsdecode(n): v.hex() for n, v in e["attributes"]}, "path": os.fsdecode(e["path"])}


def main():
    parser = argparse.ArgumentParser(description="Read a capsule file independently of the capsule program.")
    parser.add_argument("command", choices=("list", "extract", "check", "members", "labels"))
    parser.add_argument("file")
    parser.add_argument("path", nargs="?", help="extract: the entry's whole path in the index")
    parser.add_argument("--version", type=int, help="list, extract: the version's number (default: the last)")
    parser.add_argument("--root", type=int, help="extract: 0 tree, 1 wrapper, 2 and over groups (default: the first that has the path)")
    arguments = parser.parse_args()
    if (arguments.path is None) == (arguments.command == "extract"):
        parser.error("extract takes a PATH, the other commands none")
    try:
        capsule = Capsule(arguments.file)
        if arguments.command == "members":
            for at, length, kind, raw in capsule.members():
                print(json.dumps({"offset": at, "length": length, "kind": kind.decode(), "raw": raw}))
        elif arguments.command == "labels":
            print(json.dumps(capsule.labels(), sort_keys=True))
        elif arguments.command == "check":
            capsule.check()
            print("ok")
        else:
            _, entries = capsule.index(capsule.version(arguments.version))
            if arguments.command == "list":
                for entry in entries:
                    print(json.dumps(line(entry)))
            else:
                match = [e for e in entries if e["path"] == os.fsencode(arguments.path) and arguments.root in (None, e["root"])]
                need(match and "extents" in match[0], "no such file")
                for part in capsule.content(match[0]):
                    sys.stdout.buffer.write(part)
    except (Bad, OSError, struct.error, IndexError, zlib.error, plistlib.InvalidFileException) as error:
        sys.exit(f"capsule_reader: {arguments.file}: {error}")


if __name__ == "__main__":
    main()
