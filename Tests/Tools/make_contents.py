#!/usr/bin/env python3
"""Make two directories, A and B, with a pair of files for each kind of content that can be compared, or can't be.

usage: make_contents.py DIR       makes DIR/A and DIR/B; only the standard library is used
"""
import datetime, gzip, json, os, plistlib, random, sqlite3, struct, sys, zlib

UID = plistlib.UID


def archive(title, order, child):
    """A keyed archive of one window with a title and a child, its objects numbered in an order."""
    objects = {
        "null": "$null",
        "window": lambda at: {"$class": at("WindowClass"), "title": at("title"), "child": at(child)},
        "title": title,
        "one": lambda at: {"$class": at("ViewClass"), "tag": 1},
        "two": lambda at: {"$class": at("ViewClass"), "tag": 2},
        "WindowClass": {"$classname": "Window", "$classes": ["Window", "NSObject"]},
        "ViewClass": {"$classname": "View", "$classes": ["View", "NSObject"]},
    }
    names = ["null"] + order

    def at(name):
        return UID(names.index(name))
    return {
        "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": at("window")},
        "$objects": [value(at) if callable(value) else value for value in (objects[name] for name in names)]}


ORDER = ["window", "title", "one", "two", "WindowClass", "ViewClass"]
BINARY, XML = plistlib.FMT_BINARY, plistlib.FMT_XML


def binary(value):
    return plistlib.dumps(value, fmt=BINARY)


def png(width, height):
    def chunk(tag, body):
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))
    rows = (b"\0" + b"\x40\x80\xc0" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def cookie(domain, name, path, value, expires):
    texts, body = [domain, name, path, value], b""
    places = []
    for text in texts:
        places.append(56 + len(body))
        body += text.encode() + b"\0"
    return struct.pack("<IIIIIIIIQdd", 56 + len(body), 0, 1, 0, *places, 0, expires, 1e8) + body


def cookies(*records):
    offsets, body = [], b""
    start = 4 + 4 + 4 * len(records) + 4
    for record in records:
        offsets.append(start + len(body))
        body += record
    page = b"\0\0\1\0" + struct.pack("<I", len(records)) + b"".join(struct.pack("<I", at) for at in offsets) + b"\0\0\0\0" + body
    total = sum(page[::4]) & 0xFFFFFFFF
    return b"cook" + struct.pack(">II", 1, len(page)) + page + struct.pack(">I", total) + b"\x07\x17\x20\x05\0\0\0\x4b"


def database(*statements):
    path = "database.tmp"
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data


SIDE = random.Random("bytes")
NOISE = SIDE.randbytes(300_000)
STATE = {"count": 1, "name": "scene"}
TABLE = "create table t (k integer primary key, v text)"
FILLED = "insert into t values (1, 'one')"

PAIRS = {
    "encoding.plist": (binary({"a": 1, "b": [True]}), plistlib.dumps({"a": 1, "b": [True]})),
    "layout.plist": (b"<?xml version='1.0'?>\n<plist version='1.0'><dict><key>a</key><true/></dict></plist>",
                     b"<?xml version='1.0'?>\n<!-- said --><plist version='1.0'><dict><key>a</key><true/></dict></plist>"),
    "renumbered.archive": (binary(archive("Home", ORDER, "one")), binary(archive("Home", ORDER[::-1], "one"))),
    "other-object.archive": (binary(archive("Home", ORDER, "one")), binary(archive("Home", ORDER, "two"))),
    "title.archive": (binary(archive("Home", ORDER, "one")), binary(archive("Away", ORDER[::-1], "one"))),
    "nested.plist": (binary({"state": binary(STATE), "same": binary(STATE)}),
                     binary({"state": plistlib.dumps({**STATE, "count": 2}), "same": plistlib.dumps(STATE)})),
    "types.plist": (binary({"a": 1, "b": True, "c": "1"}), binary({"a": 1.0, "b": 1, "c": b"1"})),
    "value.json": (b'{"a": null, "b": [1, 2], "c": 1}', b'{"b": [1, 2, 3], "a": false, "c": 1}'),
    "space.json": (b'{"a": 1}', b'{\n  "a": 1\n}\n'),
    "log.txt": ("".join(f"line {n}\n" for n in range(40)).encode(),
                "".join(f"line {n}\n" for n in range(40) if n != 7).replace("line 30\n", "line thirty\n").encode()),
    "utf16.txt": ("one\ntwo\n".encode("utf-16"), "one\n2\n".encode("utf-16")),
    "recoded.txt": ("één\n".encode("utf-8"), "één\n".encode("utf-16")),
    "began.txt": (b"", b"first words\n"),
    "Cookies.binarycookies": (
        cookies(cookie(".example.com", "sid", "/", "secret-one", 7e8), cookie(".example.com", "theme", "/", "dark", 7e8)),
        cookies(cookie(".example.com", "theme", "/", "dark", 7e8), cookie(".example.com", "sid", "/", "secret-two", 7e8))),
    "order.binarycookies": (
        cookies(cookie("a.com", "x", "/", "1", 7e8), cookie("b.com", "y", "/", "2", 7e8)),
        cookies(cookie("b.com", "y", "/", "2", 7e8), cookie("a.com", "x", "/", "1", 7e8))),
    "data.json.gz": (gzip.compress(b'{"level": 1}', mtime=1), gzip.compress(b'{"level": 2}', mtime=2)),
    "again.gz": (gzip.compress(b"the same" * 100, 1, mtime=1), gzip.compress(b"the same" * 100, 9, mtime=2)),
    "values.z": (zlib.compress(binary({"deep": 1})), zlib.compress(binary({"deep": 2}))),
    "picture.png": (png(16, 16), png(24, 16)),
    "moved.bin": (NOISE, NOISE[:150_000] + b"inserted" + NOISE[150_000:]),
    "vault.sqlite": (database(TABLE, FILLED), SIDE.randbytes(8192)),
    "encrypted.sqlite": (SIDE.randbytes(8192), SIDE.randbytes(8192)),
    "cut.plist": (binary({"a": list(range(50))}), binary({"a": list(range(50))})[:-20]),
    "cut.gz": (gzip.compress(NOISE[:1000], mtime=1), gzip.compress(NOISE[:1000], mtime=1)[:-9]),
    "rows.db": (database(TABLE, FILLED), database(TABLE, "insert into t values (1, 'uno'), (2, 'dos')")),
    "schema.db": (database(TABLE, FILLED),
                  database(TABLE.replace("v text", "v text, added integer default 0"), "create index by_v on t (v)",
                           "insert into t (k, v) values (1, 'one')")),
    "stored.db": (database(TABLE, FILLED, "insert into t values (9, '" + "x" * 9000 + "')", "delete from t where k = 9"),
                  database(TABLE, FILLED)),
    "blob.db": (database("create table s (k integer primary key, p blob)",
                         f"insert into s values (1, x'{binary(STATE).hex()}')"),
                database("create table s (k integer primary key, p blob)",
                         f"insert into s values (1, x'{binary({**STATE, 'count': 5}).hex()}')")),
}


def main():
    root = sys.argv[1]
    for side in (0, 1):
        folder = os.path.join(root, "AB"[side], "Library")
        os.makedirs(folder)
        for name, pair in PAIRS.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(pair[side])
    os.symlink("old", os.path.join(root, "A", "link"))
    os.symlink("new", os.path.join(root, "B", "link"))
    with open(os.path.join(root, "A", "turns"), "w") as file:
        file.write("a file")
    os.mkdir(os.path.join(root, "B", "turns"))


main()
