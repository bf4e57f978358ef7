#!/usr/bin/env python3
"""Write hostile archives, tar and zip, and what packing each of them must do.

usage: make_hostile.py OUTDIR [--no-bombs]

OUTDIR is made; each archive has a telling name, and `expect.json` beside them is a list of rows:

    {"file": NAME, "pack": "refuse" | "ok" | "ok-omits", "why": TEXT, "names": NAME or null, "decided": BOOL}

`refuse`: status 2, no output file, nothing outside touched. `ok`: packed, every entry there. `ok-omits`: packed, and
the manifest's Omitted lists the entry. `names` is the entry that an error (or Omitted) should mention, or that an
`ok` is about: UTF-8 as it is, other bytes as \\xNN, a backslash doubled; null where no one entry is at fault or the
damage hides its name. `decided` is false where the design leaves the answer open: what must hold all the same is that
it ends in time, in little memory, and writes nothing outside. A few archives are controls that any reader must take;
a program that refuses everything fails on them.

The archives' bytes are put together here field by field, since archivers refuse to write most of them. They are the
same on every run with the same zlib. The largest, a gzip of 20 GiB of zeros, takes 20 MiB; --no-bombs leaves out it
and the others that expand to over 100 MB.
"""
import argparse
import gzip
import json
import os
import struct
import sys
import zlib

TIME = 1_715_938_200
GIB = 1 << 30


# -- tar -----------------------------------------------------------------------------------------------------------

def number(value, width):
    """A header's number: octal while it fits, else (and when negative) base-256."""
    if 0 <= value < 8 ** (width - 1):
        return b"%0*o\0" % (width - 1, value)
    return (value & (1 << 8 * width) - 1 | 1 << 8 * width - 1).to_bytes(width, "big")


def header(name, size=0, kind=b"0", target=b"", mode=0o644, prefix=b"", magic=b"ustar\00000", device=(0, 0), checksum=None, tail=b""):
    """One 512-byte header; `tail` overlays the bytes from 345 (old-GNU fields), `checksum` replaces the right one."""
    b = bytearray(512)
    for at, field in ((0, name[:100]), (100, number(mode, 8)), (108, number(0, 8)), (116, number(0, 8)), (124, number(size, 12)),
                      (136, number(TIME, 12)), (148, b" " * 8), (156, kind), (157, target[:100]), (257, magic),
                      (329, number(device[0], 8)), (337, number(device[1], 8)), (345, prefix), (345, tail)):
        b[at:at + len(field)] = field
    b[148:156] = b"%06o\0 " % sum(b) if checksum is None else checksum
    return bytes(b)


def padded(data):
    return data + bytes(-len(data) % 512)


def file(name, data=b"content\n", **fields):
    return header(name, len(data), **fields) + padded(data)


def directory(name):
    return header(name, kind=b"5", mode=0o755)


def link(name, target):
    return header(name, kind=b"2", target=target, mode=0o777)


def hard_link(name, target):
    return header(name, kind=b"1", target=target)


def long_name(name, kind=b"L"):
    """A GNU entry that holds the next entry's name (or, K, its target)."""
    return header(b"././@LongLink", len(name) + 1, kind, magic=b"ustar  \0") + padded(name + b"\0")


def pax(**records):
    """A pax header for the next entry; values are bytes."""
    body = b""
    for key, value in records.items():
        rest = b" " + key.replace("_", ".").encode() + b"=" + value + b"\n"
        length = len(rest) + 1
        while len(b"%d" % length) + len(rest) != length:
            length += 1
        body += b"%d" % length + rest
    return header(b"PaxHeaders/x", len(body), b"x") + padded(body)


def tar(*entries):
    return b"".join(entries) + bytes(1024)


# -- zip -----------------------------------------------------------------------------------------------------------

def deflate(data):
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


class ZipEntry:
    """One entry; `local` and `central` override fields of that header, so that the two can contradict each other."""

    def __init__(self, name, data=b"content\n", mode=0o100644, flags=0, host=3, method=0, body=None, local=None, central=None):
        self.body = body if body is not None else deflate(data) if method == 8 else data
        self.common = {"name": name, "flags": flags, "method": method, "crc": zlib.crc32(data), "stored": len(self.body), "size": len(data),
                       "extra": b"", "mode": mode, "host": host, "at": None}
        self.local, self.central = {**self.common, **(local or {})}, {**self.common, **(central or {})}

    @staticmethod
    def fields(f):
        """What both headers share: version, flags, method, time, CRC, sizes, lengths; zip64 where a size needs it."""
        extra, stored, size = f["extra"], f["stored"], f["size"]
        if max(stored, size) > 0xFFFFFFFF:
            extra += struct.pack("<HHQQ", 1, 16, size, stored)
            stored = size = 0xFFFFFFFF
        return extra, struct.pack("<HHHHHIIIHH", 45, f["flags"], f["method"], 0, 0x58B1, f["crc"], stored, size, len(f["name"]), len(extra))

    def local_header(self):
        extra, fields = self.fields(self.local)
        return b"PK\3\4" + fields + self.local["name"] + extra

    def central_header(self, at):
        f = self.central
        extra, fields = self.fields(f)
        at = at if f["at"] is None else f["at"]
        return (b"PK\1\2" + struct.pack("<BB", 45, f["host"]) + fields + struct.pack("<HHHII", 0, 0, 0, f["mode"] << 16, at) + f["name"] + extra)


def zip_archive(*entries, shared=(), count=None, directory_at=None, comment=b"", before=b""):
    """Entries, the central directory (which also lists `shared`, without their own local headers) and the end record."""
    out, central = before, b""
    for entry in entries:
        central += entry.central_header(len(out))
        out += entry.local_header() + entry.body
    for entry in shared:
        central += entry.central_header(entry.central["at"])
    total = len(entries) + len(shared) if count is None else count
    end = struct.pack("<HHHHIIH", 0, 0, total, total, len(central), len(out) if directory_at is None else directory_at, len(comment))
    return out + central + b"PK\5\6" + end + comment


def overlapping(count, kernel):
    """Files that overlap: each one's data quotes the next one's local header in a stored block and goes on into it.

    All end in one kernel, so that `count` files of the kernel's size take the room of one.
    """
    data, body = bytes(kernel), deflate(bytes(kernel))
    entries = [ZipEntry(b"top/%04d" % (count - 1), data, method=8, body=body)]
    for i in reversed(range(count - 1)):
        quoted = entries[0].local_header()
        data = quoted + data
        body = struct.pack("<BHH", 0, len(quoted), len(quoted) ^ 0xFFFF) + quoted + body
        entries.insert(0, ZipEntry(b"top/%04d" % i, data, method=8, body=body))
    out, central = b"", b""
    for entry, following in zip(entries, [*entries[1:], None]):
        central += entry.central_header(len(out))
        own = len(entry.body) - len(following.local_header()) - len(following.body) if following else len(entry.body)
        out += entry.local_header() + entry.body[:own]
    return out + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(central), len(out), 0)


# -- the archives ---------------------------------------------------------------------------------------------------

class Collection:
    def __init__(self, out):
        self.out, self.rows = out, []

    def add(self, name, parts, pack, why, names=None, decided=True):
        """Write an archive from bytes or an iterable of them, and note what is expected."""
        with open(os.path.join(self.out, name), "wb") as file:
            for part in [parts] if isinstance(parts, bytes) else parts:
                file.write(part)
        self.rows.append({"file": name, "pack": pack, "why": why, "names": None if names is None else escaped(names), "decided": decided})

    def finish(self):
        with open(os.path.join(self.out, "expect.json"), "w", encoding="ascii") as file:
            file.write("[\n" + ",\n".join(json.dumps(row) for row in self.rows) + "\n]\n")


def escaped(data):
    """Bytes as printable text: UTF-8 where it is, else backslash escapes."""
    text = data.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


GOOD = [directory(b"top/"), file(b"top/a.txt"), link(b"top/link", b"a.txt")]


def controls(c):
    c.add("good.tar", tar(*GOOD), "ok", "a control: nothing is wrong")
    c.add("good.tar.gz", gzip.compress(tar(*GOOD), mtime=0), "ok", "a control: nothing is wrong")
    c.add("good.zip", zip_archive(ZipEntry(b"top/", b"", 0o40755), ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", b"b" * 9_999, method=8)), "ok", "a control: nothing is wrong")
    c.add("good-dot-slash.tar", tar(directory(b"./"), file(b"./a.txt"), directory(b"./d/"), file(b"./d/b.txt")), "ok", "what `tar -c .` writes")
    c.add("good-hard-link.tar", tar(directory(b"top/"), file(b"top/a.txt"), hard_link(b"top/b.txt", b"top/a.txt")), "ok", "a hard link to an earlier file inside")
    c.add("good-links-out.tar", tar(directory(b"top/"), link(b"top/absolute", b"/etc/passwd"), link(b"top/climbing", b"../../../x")), "ok",
          "links are kept as they are, wherever they point; only going through them is wrong")
    c.add("good-case-twins.tar", tar(directory(b"top/"), file(b"top/A", b"1"), file(b"top/a", b"2")), "ok", "two names where case counts; both are kept")
    c.add("good-normalisation-twins.tar", tar(directory(b"top/"), file("top/\u00e9".encode(), b"NFC"), file("top/e\u0301".encode(), b"NFD")), "ok", "two names; both are kept, neither is folded")
    c.add("good-raw-names.tar", tar(directory(b"top/"), file(b"top/\xff\xfe"), link(b"top/l\xff", b"\xff")), "ok", "names and targets are bytes")
    c.add("good-pax-path.tar", tar(directory(b"top/"), pax(path=b"top/" + b"p" * 200), file(b"top/short")), "ok", "a pax record gives the name")
    c.add("good-pax-nfd.tar", tar(directory(b"top/"), pax(path="top/e\u0301".encode()), file(b"top/x")), "ok", "a pax name in NFD stays NFD")


def names(c):
    for label, name in (("climbing", b"../x"), ("climbing-inside", b"a/../../x"), ("climbing-at-the-end", b"top/.."), ("climbing-and-back", b"top/../top/x")):
        c.add(f"tar-{label}.tar", tar(*GOOD, file(name)), "refuse", "the name leaves the top or has a .. in it", name)
        c.add(f"zip-{label}.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(name)), "refuse", "the name leaves the top or has a .. in it", name)
    c.add("tar-absolute.tar", tar(*GOOD, file(b"/tmp/x")), "ok", "the slash before the name is left out, as tar does")
    c.add("zip-absolute.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"/tmp/x")), "ok", "the slash before the name is left out, as unzip does")
    c.add("tar-absolute-climbing.tar", tar(*GOOD, file(b"/../x")), "refuse", "without its slash the name climbs", b"/../x")
    c.add("tar-climbing-directory.tar", tar(*GOOD, directory(b"../d/")), "refuse", "a directory that leaves the top", b"../d/")
    c.add("tar-climbing-link.tar", tar(*GOOD, link(b"../l", b"x")), "refuse", "a link that is made outside", b"../l")
    c.add("tar-climbing-gnu-name.tar", tar(*GOOD, long_name(b"top/" + b"x/" * 60 + b"../" * 70 + b"x"), file(b"top/fine")), "refuse", "the GNU long name climbs, the short one does not")
    c.add("tar-climbing-prefix.tar", tar(*GOOD, file(b"x", prefix=b"../..")), "refuse", "the ustar prefix climbs", b"../../x")
    c.add("tar-climbing-pax.tar", tar(*GOOD, pax(path=b"../x"), file(b"top/fine")), "refuse", "the pax path climbs, the header's name does not", b"../x")
    c.add("tar-climbing.tar.gz", gzip.compress(tar(*GOOD, file(b"../x")), mtime=0), "refuse", "the same in gzip", b"../x")
    c.add("tar-empty-name.tar", tar(*GOOD, file(b"")), "refuse", "a file without a name")
    c.add("zip-empty-name.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"")), "refuse", "a file without a name")
    c.add("tar-only-slashes.tar", tar(*GOOD, file(b"///", b"")), "ok", "nothing but slashes: an old-style directory, the archive's top itself")
    c.add("tar-double-slash.tar", tar(*GOOD, file(b"top//b.txt")), "ok", "an empty component: the usual reading drops it", b"top//b.txt", False)
    c.add("tar-dot-component.tar", tar(*GOOD, file(b"top/./b.txt")), "ok", "a dot component: the usual reading drops it", b"top/./b.txt", False)
    c.add("tar-same-name-by-dot.tar", tar(*GOOD, file(b"top/./a.txt", b"other")), "refuse", "top/a.txt again, written in another way", b"top/./a.txt", False)
    c.add("tar-file-with-slash.tar", tar(*GOOD, file(b"top/b/", b"")), "ok", "an old-style directory: a regular entry whose name ends in a slash", b"top/b/", False)
    c.add("tar-nul-in-name.tar", tar(*GOOD, file(b"top/b.txt\0/../../x")), "ok", "the header's name ends at its NUL: top/b.txt", b"top/b.txt")
    c.add("tar-nul-in-gnu-name.tar", tar(*GOOD, long_name(b"top/b.txt\0/../../x"), file(b"top/fine")), "ok", "the GNU name ends at its NUL: top/b.txt", b"top/b.txt", False)
    c.add("tar-nul-in-pax-path.tar", tar(*GOOD, pax(path=b"top/b.txt\0/../../x"), file(b"top/fine")), "refuse", "a pax path states its length, and no name holds a NUL", b"top/b.txt", False)
    c.add("zip-nul-in-name.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt\0.exe")), "refuse", "a zip name states its length, and no name holds a NUL", b"top/b.txt", False)
    c.add("tar-empty-pax-path.tar", tar(*GOOD, pax(path=b""), file(b"top/b.txt")), "ok", "an empty pax value deletes the record: the header's name counts", b"top/b.txt", False)
    c.add("tar-reserved-name.tar", tar(*GOOD, directory(b"top/.capsule-transaction/"), file(b"top/.capsule-transaction/journal")), "ok-omits",
          "the reserved name of an unfinished transaction: left out and recorded", b"top/.capsule-transaction")
    deep = b"top/" + b"/".join([b"d" * 100] * 41)
    c.add("tar-path-too-long.tar", tar(*GOOD, long_name(deep), file(deep)), "refuse", f"a path of {len(deep)} bytes, over 4,096")
    c.add("zip-path-too-long.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(deep)), "refuse", f"a path of {len(deep)} bytes, over 4,096")
    for size, pack in ((1_023, "ok"), (1_024, "refuse")):
        name = b"top/" + b"c" * size
        c.add(f"tar-component-{size}.tar", tar(*GOOD, long_name(name), file(name)), pack, f"a component of {size} bytes; the limit is 1,023")
    for size, pack in ((4_096, "ok"), (4_097, "refuse")):
        c.add(f"tar-target-{size}.tar", tar(*GOOD, long_name(b"t" * size, b"K"), link(b"top/l", b"t")), pack, f"a link target of {size} bytes; the limit is 4,096", b"top/l")
    c.add("tar-empty-target.tar", tar(*GOOD, link(b"top/l", b"")), "refuse", "a link without a target can't be made anywhere", b"top/l", False)
    c.add("zip-target-too-long.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/l", b"t" * 70_000, 0o120777)), "refuse", "a link target of 70,000 bytes", b"top/l")


def collisions(c):
    c.add("tar-file-through-link.tar", tar(directory(b"top/"), link(b"top/l", b"/tmp"), file(b"top/l/x")), "refuse", "a file whose parent is a link", b"top/l/x")
    c.add("tar-file-through-climbing-link.tar", tar(directory(b"top/"), link(b"top/l", b"../.."), file(b"top/l/x")), "refuse", "a file whose parent is a link", b"top/l/x")
    c.add("tar-file-through-inner-link.tar", tar(directory(b"top/"), directory(b"top/d/"), link(b"top/l", b"d"), file(b"top/l/x")), "refuse", "even a link inside is no directory", b"top/l/x")
    c.add("tar-file-through-later-link.tar", tar(directory(b"top/"), file(b"top/l/x"), link(b"top/l", b"/tmp")), "refuse", "the link comes after the file below it", b"top/l")
    c.add("zip-file-through-link.zip", zip_archive(ZipEntry(b"top/l", b"/tmp", 0o120777), ZipEntry(b"top/l/x")), "refuse", "a file whose parent is a link", b"top/l/x")
    c.add("tar-file-over-link.tar", tar(directory(b"top/"), link(b"top/l", b"/tmp/x"), file(b"top/l")), "refuse", "a file with a link's name: written through it by some", b"top/l")
    c.add("tar-link-and-directory.tar", tar(directory(b"top/"), link(b"top/d", b"/tmp"), directory(b"top/d/")), "refuse", "a name that is both link and directory", b"top/d")
    c.add("tar-directory-and-link.tar", tar(directory(b"top/"), directory(b"top/d/"), file(b"top/d/x"), link(b"top/d", b"/tmp")), "refuse", "a name that is both directory and link", b"top/d")
    c.add("tar-file-and-directory.tar", tar(directory(b"top/"), file(b"top/d"), directory(b"top/d/")), "refuse", "a name that is both file and directory", b"top/d")
    c.add("zip-file-and-directory.zip", zip_archive(ZipEntry(b"top/d"), ZipEntry(b"top/d/", b"", 0o40755)), "refuse", "a name that is both file and directory", b"top/d")
    c.add("tar-file-as-parent.tar", tar(directory(b"top/"), file(b"top/f"), file(b"top/f/x")), "refuse", "a file that is another's parent", b"top/f/x")
    c.add("zip-file-as-parent.zip", zip_archive(ZipEntry(b"top/f"), ZipEntry(b"top/f/x")), "refuse", "a file that is another's parent", b"top/f/x")
    c.add("tar-duplicate.tar", tar(directory(b"top/"), file(b"top/a", b"1"), file(b"top/a", b"2")), "refuse", "two files of one name: readers disagree on which counts", b"top/a", False)
    c.add("zip-duplicate.zip", zip_archive(ZipEntry(b"top/a", b"1"), ZipEntry(b"top/a", b"2")), "refuse", "two files of one name: readers disagree on which counts", b"top/a", False)
    c.add("tar-duplicate-directory.tar", tar(directory(b"top/"), directory(b"top/d/"), file(b"top/d/x"), directory(b"top/d/")), "ok", "a directory listed twice is no contradiction", b"top/d", False)
    c.add("tar-hard-link-climbing.tar", tar(*GOOD, hard_link(b"top/h", b"../../../../etc/passwd")), "refuse", "a hard link out", b"top/h")
    c.add("tar-hard-link-absolute.tar", tar(*GOOD, hard_link(b"top/h", b"/etc/passwd")), "refuse", "a hard link out", b"top/h")
    c.add("tar-hard-link-missing.tar", tar(*GOOD, hard_link(b"top/h", b"top/missing")), "refuse", "a hard link to nothing", b"top/h")
    c.add("tar-hard-link-to-itself.tar", tar(*GOOD, hard_link(b"top/h", b"top/h")), "refuse", "a hard link to itself", b"top/h")
    c.add("tar-hard-link-to-directory.tar", tar(*GOOD, hard_link(b"top/h", b"top")), "refuse", "a hard link to a directory", b"top/h")
    c.add("tar-hard-link-later.tar", tar(directory(b"top/"), hard_link(b"top/h", b"top/z"), file(b"top/z")), "refuse", "a hard link to what comes later", b"top/h", False)
    c.add("tar-hard-link-to-link.tar", tar(*GOOD, hard_link(b"top/h", b"top/link")), "ok", "a hard link to a symbolic link is that link", b"top/h", False)
    c.add("tar-hard-link-through-link.tar", tar(directory(b"top/"), link(b"top/l", b"/etc"), hard_link(b"top/h", b"top/l/passwd")), "refuse", "a hard link through a symbolic link", b"top/h")
    c.add("tar-hard-link-with-data.tar", tar(*GOOD, header(b"top/h", 8, b"1", b"top/a.txt") + padded(b"content\n"), file(b"top/z")), "ok",
          "pax allows a hard link to carry data; the entry after it must still be found", b"top/h", False)
    c.add("tar-two-tops-one-hidden.tar", tar(*GOOD, file(b"top\0x/b.txt")), "refuse", "`top` again, as a file, behind a NUL", b"top")


def special(c):
    for label, kind, device in (("character-device", b"3", (1, 3)), ("block-device", b"4", (8, 0)), ("pipe", b"6", (0, 0))):
        c.add(f"tar-{label}.tar", tar(*GOOD, header(b"top/special", kind=kind, device=device)), "ok-omits", f"a {label.replace('-', ' ')} is left out and recorded", b"top/special")
    c.add("zip-pipe.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/special", mode=0o10644)), "ok", "what Info-ZIP read from a pipe is a file", b"top/special")
    for label, mode in (("socket", 0o140777), ("character-device", 0o20666), ("block-device", 0o60660)):
        c.add(f"zip-{label}.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/special", b"", mode)), "ok-omits", f"a {label.replace('-', ' ')} is left out and recorded", b"top/special", False)
    c.add("tar-unknown-type.tar", tar(*GOOD, file(b"top/strange", kind=b"Q")), "ok", "POSIX: an unknown type is a regular file", b"top/strange", False)
    c.add("tar-socket-like.tar", tar(*GOOD, header(b"top/special", kind=b"s")), "ok-omits", "no tar holds a socket; some writers use the letter s", b"top/special", False)
    c.add("tar-volume-label.tar", tar(header(b"a label", kind=b"V", magic=b"ustar  \0"), *GOOD), "ok", "a GNU volume label is no entry", None, False)
    c.add("tar-multi-volume.tar", tar(header(b"top/m", 8, b"M", magic=b"ustar  \0") + padded(b"content\n"), *GOOD), "refuse", "the rest of a file from an earlier volume", b"top/m", False)
    c.add("tar-setuid.tar", tar(*GOOD, file(b"top/setuid", mode=0o6755)), "ok", "the bits are kept in the index and not restored", b"top/setuid")


def damage(c):
    whole = tar(*GOOD[:2], file(b"top/b.txt", b"b" * 1_000), file(b"top/c.txt"))
    second = 512 + 1024  # where the header of b.txt begins
    for label, size, name in (("first-header", 300, None), ("second-header", second + 100, None), ("checksum", second + 150, None), ("data", second + 512 + 300, b"top/b.txt"),
                              ("padding", second + 512 + 1_010, b"top/b.txt")):
        c.add(f"tar-cut-in-{label}.tar", whole[:size], "refuse", f"the archive ends at byte {size}, inside {label.replace('-', ' ')}", name, label != "padding")
    c.add("tar-cut-before-zero-blocks.tar", whole[:-1024], "ok", "no zero blocks: tar takes the end of the file for the end", None, False)
    c.add("tar-cut-between-zero-blocks.tar", whole[:-512], "ok", "one zero block of two", None, False)
    c.add("tar-cut-after-header.tar", whole[:second + 512], "refuse", "a header, and none of its data", b"top/b.txt")
    c.add("tar-empty-file.tar", b"", "refuse", "nothing at all", None, False)
    c.add("tar-only-zeros.tar", bytes(10_240), "refuse", "an archive without entries", None, False)
    squeezed = gzip.compress(tar(*GOOD, file(b"top/n", bytes(range(256)) * 40)), mtime=0)
    c.add("gzip-cut.tar.gz", squeezed[:-30], "refuse", "the gzip stream ends early")
    c.add("gzip-cut-trailer.tar.gz", squeezed[:-4], "refuse", "the gzip trailer ends early", None, False)
    c.add("gzip-cut-header.tar.gz", squeezed[:7], "refuse", "not even a whole gzip header")
    c.add("gzip-bad-crc.tar.gz", squeezed[:-8] + bytes([squeezed[-8] ^ 1]) + squeezed[-7:], "refuse", "gzip's CRC is wrong", None, False)
    c.add("gzip-garbage-after.tar.gz", squeezed + b"garbage" * 9, "ok", "what follows a gzip stream and is none is left alone by gzip, with a warning", None, False)
    c.add("gzip-two-members.tar.gz", gzip.compress(tar(*GOOD)[:700], mtime=0) + gzip.compress(tar(*GOOD)[700:], mtime=0), "ok", "two gzip members are one stream")
    c.add("tar-bad-checksum-first.tar", tar(header(b"top/", kind=b"5", checksum=b"000001\0 "), *GOOD), "refuse", "the first header's checksum is wrong")
    c.add("tar-bad-checksum-second.tar", tar(*GOOD[:2], header(b"top/b.txt", 8, checksum=b"000001\0 ") + padded(b"content\n"), GOOD[2]), "refuse",
          "a later header's checksum is wrong: what follows can't be told from data")
    c.add("tar-checksum-not-octal.tar", tar(*GOOD[:2], header(b"top/b.txt", 8, checksum=b"99zz99\0 ") + padded(b"content\n")), "refuse", "the checksum is no number")
    c.add("tar-size-huge-octal.tar", tar(*GOOD, header(b"top/huge", 8 ** 11 - 1) + padded(b"content\n")), "refuse", "8 GiB declared, 8 bytes there", b"top/huge")
    c.add("tar-size-huge-base-256.tar", tar(*GOOD, header(b"top/huge", 1 << 62) + padded(b"content\n")), "refuse", "4 EiB declared, 8 bytes there", b"top/huge")
    c.add("tar-size-over-64-bits.tar", tar(*GOOD, header(b"top/huge", (1 << 94) - 1)), "refuse", "a size of 94 bits", b"top/huge", False)
    c.add("tar-size-negative.tar", tar(*GOOD, header(b"top/negative", -512), GOOD[1]), "refuse", "a negative size", b"top/negative")
    c.add("tar-size-minimum.tar", tar(*GOOD, header(b"top/negative", -(1 << 63)), GOOD[1]), "refuse", "the smallest 64-bit size", b"top/negative")
    c.add("tar-size-not-octal.tar", tar(*GOOD, (lambda h: h[:124] + b"zzzzzzzzzzz\0" + h[136:148] + b"%06o\0 " % (sum(h[:124]) + sum(b"zzzzzzzzzzz\0") + sum(h[136:148]) + 256 + sum(h[156:])) + h[156:])(header(b"top/z", 8))), "refuse",
          "the size is no number", b"top/z", False)
    c.add("tar-directory-with-size.tar", tar(directory(b"top/"), header(b"top/d/", 8, b"5") + padded(b"content\n"), file(b"top/z")), "ok", "a directory that states a size", b"top/d/", False)
    c.add("tar-link-with-size.tar", tar(directory(b"top/"), header(b"top/l", 512, b"2", b"x"), file(b"top/z")), "ok", "a link that states a size has no data all the same", b"top/l", False)
    c.add("tar-pax-size-huge.tar", tar(*GOOD, pax(size=b"9223372036854775807"), file(b"top/huge")), "refuse", "8 EiB by a pax record", b"top/huge")
    c.add("tar-pax-size-negative.tar", tar(*GOOD, pax(size=b"-1"), file(b"top/negative")), "refuse", "a negative size by a pax record", b"top/negative", False)
    c.add("tar-pax-bad-length.tar", tar(*GOOD, header(b"PaxHeaders/x", 20, b"x") + padded(b"99999 path=top/b.txt\n"), file(b"top/fine")), "refuse", "a pax record longer than its header", None, False)
    c.add("tar-pax-no-equals.tar", tar(*GOOD, header(b"PaxHeaders/x", 8, b"x") + padded(b"8 path \n"), file(b"top/fine")), "refuse", "a pax record without a value", None, False)
    c.add("tar-pax-header-huge.tar", tar(*GOOD, header(b"PaxHeaders/x", 1 << 40, b"x") + padded(b"x")), "refuse", "a pax header of 1 TiB")
    c.add("tar-gnu-name-huge.tar", tar(*GOOD, header(b"././@LongLink", 1 << 40, b"L", magic=b"ustar  \0") + padded(b"x"), file(b"top/x")), "refuse", "a GNU name of 1 TiB")
    c.add("tar-gnu-name-last.tar", tar(*GOOD, long_name(b"top/nothing follows")), "refuse", "a GNU name and no entry for it", None, False)
    c.add("tar-many-gnu-names.tar", tar(*GOOD, *[long_name(b"top/%d" % i) for i in range(2_000)], file(b"top/x")), "refuse", "2,000 names for one entry", None, False)

    def sparse(offset, count, size, stored=512):
        return header(b"top/sparse", stored, b"S", magic=b"ustar  \0", tail=bytes(41) + number(offset, 12) + number(count, 12) + bytes(72) + b"\0" + number(size, 12)) + bytes(stored)
    c.add("good-sparse.tar", tar(*GOOD, sparse(1 << 20, 512, 2 << 20)), "ok", "a control: 512 bytes in the middle of 2 MiB", b"top/sparse")
    c.add("tar-sparse-behind-the-end.tar", tar(*GOOD, sparse(1 << 40, 512, 2 << 20)), "refuse", "data behind the file's end", b"top/sparse", False)
    c.add("tar-sparse-negative.tar", tar(*GOOD, sparse(-512, 512, 2 << 20)), "refuse", "data before the file's beginning", b"top/sparse", False)
    c.add("tar-sparse-size-negative.tar", tar(*GOOD, sparse(0, 512, -1)), "refuse", "a negative real size", b"top/sparse", False)


def zips(c):
    c.add("zip-cut-end.zip", zip_archive(ZipEntry(b"top/a.txt"))[:-10], "refuse", "the end record is cut")
    c.add("zip-cut-middle.zip", zip_archive(*[ZipEntry(b"top/%d" % i, b"x" * 999) for i in range(9)])[:5_000], "refuse", "no central directory at all")
    c.add("zip-empty.zip", zip_archive(), "refuse", "an archive without entries", None, False)
    c.add("zip-count-too-small.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt"), count=1), "refuse", "the end record counts fewer entries than there are", None, False)
    c.add("zip-count-too-large.zip", zip_archive(ZipEntry(b"top/a.txt"), count=9_999), "refuse", "the end record counts more entries than there are", None, False)
    c.add("zip-directory-elsewhere.zip", zip_archive(ZipEntry(b"top/a.txt"), directory_at=4), "refuse", "the end record points into the data", None)
    c.add("zip-directory-behind-the-end.zip", zip_archive(ZipEntry(b"top/a.txt"), directory_at=0x7FFFFFFF), "refuse", "the end record points behind the file", None)
    c.add("zip-entry-behind-the-end.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", central={"at": 0x7FFFFFF0})), "refuse", "a local header behind the file", b"top/b.txt")
    c.add("zip-entry-elsewhere.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", central={"at": 3})), "refuse", "no local header where the directory says", b"top/b.txt")
    c.add("zip-names-differ.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", local={"name": b"top/c.txt"})), "refuse", "the directory says b.txt, the local header c.txt", b"top/b.txt", False)
    c.add("zip-local-name-climbs.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", local={"name": b"../../x.y"})), "refuse", "the local header alone climbs", b"top/b.txt", False)
    c.add("zip-central-name-climbs.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", central={"name": b"../../x.y"})), "refuse", "the directory's name climbs", b"../../x.y")
    c.add("zip-sizes-differ.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", b"b" * 99, central={"size": 50, "stored": 50}), ZipEntry(b"top/c.txt")), "refuse", "the directory says 50 bytes, the local header 99", b"top/b.txt")
    c.add("zip-bad-crc.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", local={"crc": 1}, central={"crc": 1})), "refuse", "the CRC is wrong", b"top/b.txt")
    c.add("zip-bad-deflate.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", b"b" * 999, method=8, body=b"\xff" * 40)), "refuse", "the deflate stream is garbage", b"top/b.txt")
    c.add("zip-expands-beyond.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", b"small", method=8, body=deflate(bytes(50_000_000)))), "refuse", "5 bytes declared, 50 MB in the stream", b"top/b.txt")
    c.add("zip-encrypted.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", b"?" * 30, flags=1)), "refuse", "an encrypted entry", b"top/b.txt")
    c.add("zip-unknown-method.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/b.txt", method=77)), "refuse", "a compression method that does not exist", b"top/b.txt")
    c.add("zip-two-directories.zip", zip_archive(ZipEntry(b"top/new.txt"), before=zip_archive(ZipEntry(b"top/old.txt"))), "refuse", "an archive behind another, which would be left out in silence", None, False)
    c.add("zip-end-record-in-comment.zip", zip_archive(ZipEntry(b"top/a.txt"), comment=zip_archive(ZipEntry(b"top/b.txt"))), "refuse", "the comment holds a whole archive: tools disagree on which counts", None, False)
    same = {"at": 0}
    c.add("zip-shared-local-header.zip", zip_archive(ZipEntry(b"top/a.txt"), shared=[ZipEntry(b"top/b.txt", central=same)]), "refuse", "two entries with one local header", b"top/b.txt", False)
    c.add("zip-shared-same-length.zip", zip_archive(ZipEntry(b"top/a.txt", b"x" * 50_000, method=8), shared=[ZipEntry(b"top/%05d" % i, b"x" * 50_000, method=8, central=same) for i in range(1_000)]),
          "refuse", "a thousand entries with one local header: 50 MB from one stream", None, False)
    c.add("zip-overlapping.zip", overlapping(20, 100_000), "refuse", "entries that overlap (each quotes the next one's header)", None, False)
    for label, name, flags, host, pack, decided, why in (
            ("raw-name", b"top/\xff\xfe\x80", 0, 3, "ok", True, "a name that is no UTF-8 comes through exactly"),
            ("raw-name-claims-utf-8", b"top/\xff\xfe\x80", 0x800, 3, "ok", False, "bit 11 lies; the bytes are the name all the same"),
            ("utf-8-with-bit-11", "top/日本 é.txt".encode(), 0x800, 3, "ok", True, "UTF-8, and bit 11 says so"),
            ("utf-8-without-bit-11", "top/日本 é.txt".encode(), 0, 3, "ok", True, "UTF-8 without bit 11: the same bytes"),
            ("nfd-with-bit-11", "top/e\u0301".encode(), 0x800, 3, "ok", True, "an NFD name is not folded to NFC"),
            ("backslash", b"top/a\\b.txt", 0, 3, "ok", True, "made on Unix: a backslash is a letter"),
            ("backslash-dos", b"top\\b.txt", 0, 0, "ok", False, "made on DOS: some take the backslash for a slash"),
            ("backslash-climbing", b"top\\..\\..\\x", 0, 3, "ok", False, "made on Unix: one harmless component"),
            ("backslash-climbing-dos", b"..\\..\\x", 0, 0, "refuse", False, "made on DOS: climbs if backslashes are taken for slashes"),
            ("drive", b"C:\\x", 0, 0, "ok", False, "made on DOS: a drive, or a strange name"),
            ("link-out", b"top/l", 0, 3, "ok", True, "a link may point anywhere")):
        entry = ZipEntry(name, b"/etc/passwd", 0o120777) if label == "link-out" else ZipEntry(name, flags=flags, host=host)
        c.add(f"zip-{label}.zip", zip_archive(ZipEntry(b"top/a.txt", flags=flags, host=host), entry), pack, why, name, decided)
    both = [ZipEntry("top/\u00e9".encode(), b"NFC", flags=0x800), ZipEntry("top/e\u0301".encode(), b"NFD", flags=0x800)]
    c.add("zip-normalisation-twins.zip", zip_archive(*both), "ok", "NFC and NFD are two names")
    unicode_path = b"top/\xe9"
    extra = struct.pack("<HHBI", 0x7075, 5 + len(b"../../x"), 1, zlib.crc32(unicode_path)) + b"../../x"
    c.add("zip-unicode-path-climbs.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(unicode_path, local={"extra": extra}, central={"extra": extra})), "refuse",
          "Info-ZIP's Unicode path field climbs, the name does not: the field counts", "../../x".encode())


def bombs(c):
    zeros = deflate(bytes(190_000_000))
    big = {"size": 20 * 10**9}
    c.add("bomb-zip-ratio.zip", zip_archive(ZipEntry(b"top/a.txt"), ZipEntry(b"top/bomb", b"", method=8, body=zeros, local=big, central=big)), "refuse",
          "20 GB declared; the stream ends after 190 MB", b"top/bomb")
    c.add("bomb-zip-overlapping.zip", overlapping(250, 4 << 20), "refuse", "250 entries that overlap: 1 GB from a few kilobytes", None, False)
    member = gzip.compress(bytes(64 << 20), mtime=0)
    parts = [gzip.compress(tar(*GOOD)[:-1024] + header(b"top/bomb", 20 * GIB), mtime=0), *[member] * 320, gzip.compress(bytes(1024), mtime=0)]
    c.add("bomb-gzip.tar.gz", parts, "ok", "20 GiB of zeros, honestly declared: takes no space, but memory must stay bounded", b"top/bomb", False)
    c.add("bomb-gzip-undeclared.tar.gz", [gzip.compress(tar(*GOOD), mtime=0), *[member] * 40], "ok", "2.5 GiB of zeros behind the archive's end: not to be read into memory", None, False)
    tail = bytes(41) + number(0, 12) + number(512, 12) + bytes(72) + b"\0" + number(1 << 62, 12)
    c.add("bomb-sparse.tar", tar(*GOOD, header(b"top/sparse", 512, b"S", magic=b"ustar  \0", tail=tail) + bytes(512)), "refuse",
          "a hole of 4 EiB: hashing its zeros would never end", b"top/sparse", False)


def main():
    parser = argparse.ArgumentParser(description="Write hostile archives and what packing each of them must do.")
    parser.add_argument("out", metavar="OUTDIR")
    parser.add_argument("--no-bombs", action="store_true", help="leave out what expands to over 100 MB")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    collection = Collection(options.out)
    for group in (controls, names, collisions, special, damage, zips) + (() if options.no_bombs else (bombs,)):
        group(collection)
    collection.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
