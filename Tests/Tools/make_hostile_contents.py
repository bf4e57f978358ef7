#!/usr/bin/env python3
"""Make two directories, A and B, with pairs of files that are made to do harm to whoever compares them, and one honest pair.

usage: make_hostile_contents.py DIR       only the standard library is used

With CAPSULE_LONG_TESTS set, texts and JSON are several times as large.
"""
import gzip, os, plistlib, sqlite3, struct, sys, zlib

root = sys.argv[1]
LONG = bool(os.environ.get("CAPSULE_LONG_TESTS"))


def put(name, old, new):
    for side, data in (("A", old), ("B", new)):
        path = os.path.join(root, side, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def plist_bomb(levels, width):
    """Arrays that name the next one many times: a few hundred bytes that spell out to more than any memory."""
    objects = [bytes([0xA0 | width]) + bytes([level + 1]) * width for level in range(levels)] + [b"\x51x"]
    offsets, body = [], b"bplist00"
    for each in objects:
        offsets.append(len(body))
        body += each
    table = len(body)
    return body + bytes(offset & 255 for offset in offsets) + struct.pack(">6xBBQQQ", 1, 1, len(objects), 0, table)


def database(*statements):
    path = os.path.join(root, "database.tmp")
    db = sqlite3.connect(path)
    db.executescript(";".join(statements))
    db.commit()
    db.close()
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data


os.makedirs(root, exist_ok=True)
put("honest.plist", plistlib.dumps({"a": 1}), plistlib.dumps({"a": 2}))

# Compression that has no end, alone and in layers.
zeros = gzip.compress(bytes(1 << 20), 9, mtime=1)
bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
huge = b"".join(bomb.compress(bytes(1 << 24)) for _ in range(32)) + bomb.flush()
put("bomb.gz", huge, huge[:-8] + b"\0" * 8)
layers = [b"one", b"two"]
for _ in range(12):
    layers = [gzip.compress(layer, mtime=1) for layer in layers]
put("layers.gz", *layers)
put("empty-layer.gz", zeros, zeros[:-4] + b"\1\0\0\0")

# Property lists and JSON: shared, deep, cut, with counts that cannot be.
put("shared.plist", plist_bomb(14, 14), plist_bomb(13, 14))
# As many values as a reader accepts from few bytes, all of them changed.
many = plist_bomb(5, 14)
put("many.plist", many, many.replace(b"\x51x", b"\x51y"))
depth = 200_000 if LONG else 60_000
put("deep.json", b"[" * depth + b"1" + b"]" * depth, b"[" * depth + b"2" + b"]" * depth)
xml = b'<?xml version="1.0"?><plist version="1.0">%s<integer>%d</integer>%s</plist>'
put("deep.plist", xml % (b"<array>" * 50_000, 1, b"</array>" * 50_000), xml % (b"<array>" * 50_000, 2, b"</array>" * 50_000))
put("entities.plist", b'<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><plist><string>&b;</string></plist>',
    b'<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "bbbbbbbbbb"><!ENTITY b "&a;&a;&a;&a;">]><plist><string>&b;</string></plist>')
count = b"bplist00\xaf\x13" + b"\xff" * 8 + b"\x08" + struct.pack(">6xBBQQQ", 1, 1, 1, 0, 18)
put("count.plist", count, count.replace(b"\xaf", b"\xdf"))
archive = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)},
           "$objects": ["$null", {"$class": plistlib.UID(2), "NS.objects": [plistlib.UID(1)] * 50},
                        {"$classname": "NSArray", "$classes": ["NSArray"]}]}
other = {**archive, "$objects": archive["$objects"][:1] + [{**archive["$objects"][1], "NS.objects": [plistlib.UID(1)] * 49}] + archive["$objects"][2:]}
put("circle.archive", plistlib.dumps(archive, fmt=plistlib.FMT_BINARY), plistlib.dumps(other, fmt=plistlib.FMT_BINARY))

# Databases whose schemas work against whoever reads them.
table = "create table t (k integer primary key, v text); insert into t values (1, 'one')"
loop = "create view forever as with recursive r(n) as (select 1 union all select n + 1 from r) select * from r"
put("view.db", database(table, loop), database(table.replace("'one'", "'two'"), loop))
trigger = "create trigger harm after update on t begin delete from t; end"
put("trigger.db", database(table, trigger), database(table.replace("'one'", "'two'"), trigger))
rigged = database(table)
put("rigged.db", rigged, rigged.replace(b"CREATE TABLE t (k integer", b"CREATE TABLE t (k,,,,,,,"))
generated = "create table g (k integer primary key, v, w generated always as (hex(zeroblob(100000000))) virtual); insert into g (k, v) values (1, %d)"
put("generated.db", database(generated % 1), database(generated % 2))
whole = database(table, "create table big (k integer primary key, v blob)", "insert into big select value, zeroblob(3000) from (with recursive c(value) as (select 1 union all select value + 1 from c where value < 200) select value from c)")
put("cut.db", whole, whole[: len(whole) // 2])
broken = bytearray(whole)
for page in range(8, len(whole) // 4096, 16):
    broken[page * 4096:page * 4096 + 64] = b"\xff" * 64
put("broken.db", whole, bytes(broken))
put("pages.db", whole, whole[:28] + b"\xff\xff\xff\xff" + whole[32:])
put("log.db", whole, whole)
put("log.db-wal", b"", struct.pack(">IIIIIIII", 0x377F0682, 3007000, 4096, 0, 1, 2, 3, 4) + b"\xff" * 9000)
put("journal.db", whole, whole)
put("journal.db-journal", b"", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", 0xFFFFFFFF, 1, 0xFFFFFF, 512, 4096) + b"\0" * 600 + b"\xff" * 5000)

# Cookies, images and texts with numbers that lie.
put("lies.binarycookies", b"cook\xff\xff\xff\xff" + b"\xff" * 60, b"cook\0\0\0\1\xff\xff\xff\xff" + b"\0\0\1\0\xff\xff\xff\xff")
png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\xff" * 8 + b"\x08\2\0\0\0"
put("lies.png", png, png + b"\0")
put("lies.jpg", b"\xff\xd8\xff" + b"\xe0\xff\xff" * 30_000, b"\xff\xd8\xff" + b"\xe0\xff\xff" * 30_001)
length, count = (500_000, 50_000) if LONG else (100_000, 15_000)
put("one-line.txt", b"a" * length, b"a" * (length - 1) + b"b")
put("lines.txt", b"a\nb\n" * count, b"b\na\n" * count + b"c\n")
put("escapes.txt", b"calm\n", b"\x1b]0;title\x07\x1b[2J<script>alert(1)</script>\xe2\x80\xae\n")
