#!/usr/bin/env python3
"""Write the sample containers: the app com.example.gifs before and after a UI-test run.

usage: make_samples.py [DIR]            writes DIR/Gifs-before.xcappdata and DIR/Gifs-after.xcappdata
       make_samples.py --check [DIR]    compares DIR's copies with fresh ones, exit 1 and a list if they differ

DIR is this script's directory by default. The same bytes, modes and times (to the nanosecond) come out on every run,
machine and Python: every format whose bytes would depend on a library's version (deflate, SQLite's pages and WAL,
GIF) is written here by hand, uncompressed, and nothing reads a clock, a locale or a random source.

`--check` compares what git keeps: names, content, link targets and the executable bit; not times, not the other mode
bits, not empty directories. README.md beside this file says what is in the containers and what the run changed.
"""
import argparse
import datetime
import json
import os
import plistlib
import shutil
import stat
import struct
import sys
import tempfile
import zlib
from typing import NamedTuple

BUNDLE = "com.example.gifs"
BEFORE, AFTER = "Gifs-before.xcappdata", "Gifs-after.xcappdata"
INSTALLED = 1_715_938_200  # 2024-05-17 09:30:00 UTC, the time of everything the run left alone
RUN = INSTALLED + 600  # the time of everything the run touched
APPLE_EPOCH = 978_307_200  # Core Data and cookies count seconds from 2001-01-01
HOME = "/var/mobile/Containers/Data/Application/5C3B3E0A-6E0B-4C57-9B1D-0D5B6F0A9C11"


class Node(NamedTuple):
    """One entry: `data` is a file's content, a link's target, or None for a directory."""
    kind: str
    data: object
    mode: int
    seconds: int


def file(data, mode=0o644, seconds=INSTALLED):
    return Node("file", data.encode() if isinstance(data, str) else data, mode, seconds)


def link(target, seconds=INSTALLED):
    return Node("link", target, 0o777, seconds)


def directory(seconds=INSTALLED):
    return Node("directory", None, 0o755, seconds)


# -- formats ---------------------------------------------------------------------------------------------------------

def binary_plist(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


def xml_plist(value):
    return plistlib.dumps(value, sort_keys=False)


def utc(seconds):
    """A plist date: naive, in UTC, as plistlib wants it."""
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)


def keyed_archive(root, classes):
    """NSKeyedArchiver's layout. A value {"$is": NAME, ...} becomes an object of class NAME, lists become NSArray.

    `classes` maps a class name to its chain of superclasses. Equal strings are stored once, as the real archiver does.
    """
    objects, strings, class_ids = ["$null"], {}, {}

    def class_id(name):
        if name not in class_ids:
            objects.append({"$classname": name, "$classes": [name, *classes[name], "NSObject"]})
            class_ids[name] = plistlib.UID(len(objects) - 1)
        return class_ids[name]

    def add(value):
        if value is None:
            return plistlib.UID(0)
        if isinstance(value, str) and value in strings:
            return strings[value]
        at = len(objects)
        objects.append(value)
        if isinstance(value, str):
            strings[value] = plistlib.UID(at)
        elif isinstance(value, list):
            objects[at] = {"NS.objects": [add(v) for v in value], "$class": class_id("NSArray")}
        elif isinstance(value, dict):
            plain = (bool, int, float)  # the archiver keeps numbers of a class's own keys inline
            fields = {k: v if isinstance(v, plain) else add(v) for k, v in value.items() if k != "$is"}
            objects[at] = {**fields, "$class": class_id(value["$is"])}
        return plistlib.UID(at)

    top = {"root": add(root)}
    return binary_plist({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": top, "$objects": objects})


def png(side, seed):
    """A greyscale PNG whose deflate stream holds stored blocks only."""
    rows = b"".join(b"\0" + bytes((seed * 37 + x * y + x * 3) & 255 for x in range(side)) for y in range(side))
    blocks = b""
    for at in range(0, len(rows), 65_535):
        part = rows[at:at + 65_535]
        blocks += struct.pack("<BHH", at + 65_535 >= len(rows), len(part), len(part) ^ 0xFFFF) + part

    def chunk(tag, body):
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", b"\x78\x01" + blocks + struct.pack(">I", zlib.adler32(rows))) + chunk(b"IEND", b""))


def gif(side, seed, frames=2):
    """An animated GIF: 128 colours, so that each LZW code is one byte as long as the table is cleared in time."""
    palette = b"".join(bytes(((i * 2 + seed * 40) & 255, (i * 5) & 255, (255 - i) & 255)) for i in range(128))
    out = b"GIF89a" + struct.pack("<HHBBB", side, side, 0xF6, 0, 0) + palette
    out += b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    for frame in range(frames):
        pixels = bytes((x * (seed + 1) + y * (frame + 2)) & 127 for y in range(side) for x in range(side))
        codes = b"".join(b"\x80" + pixels[at:at + 120] for at in range(0, len(pixels), 120)) + b"\x81"
        blocks = b"".join(bytes([len(codes[at:at + 255])]) + codes[at:at + 255] for at in range(0, len(codes), 255))
        out += b"!\xf9\x04\x04\x0a\0\0\0" + b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\x07" + blocks + b"\0"
    return out + b";"


def binary_cookies(pages):
    """Cookies.binarycookies: pages of (domain, name, path, value, flags, expiry, creation), times as Unix seconds."""
    def cookie(domain, name, path, value, flags, expires, created):
        strings, offsets = b"", []
        for text in (domain, name, path, value):
            offsets.append(56 + len(strings))
            strings += text.encode() + b"\0"
        return (struct.pack("<4I", 56 + len(strings), 0, flags, 0) + struct.pack("<6I", *offsets, 0, 0)
                + struct.pack("<2d", expires - APPLE_EPOCH, created - APPLE_EPOCH) + strings)

    bodies = []
    for page in pages:
        cookies = [cookie(*c) for c in page]
        at, offsets = 12 + 4 * len(cookies), []
        for c in cookies:
            offsets.append(at)
            at += len(c)
        bodies.append(b"\0\0\1\0" + struct.pack(f"<I{len(cookies)}I", len(cookies), *offsets) + b"\0\0\0\0" + b"".join(cookies))
    checksum = sum(sum(body[::4]) for body in bodies)
    policy = binary_plist({"NSHTTPCookieAcceptPolicy": 2})
    return (b"cook" + struct.pack(f">I{len(bodies)}I", len(bodies), *map(len, bodies)) + b"".join(bodies)
            + struct.pack(">I", checksum) + b"\x07\x17\x20\x05" + struct.pack(">I", len(policy)) + policy)


# -- SQLite, by hand: each table and index is one leaf page, so that no library's version shows in the bytes -----------

PAGE = 4096
SALT = bytes.fromhex("0102030405060708")


def varint(n):
    """SQLite's big-endian variable-length integer, for values below 2^56."""
    out = [n & 127]
    while n > 127:
        n >>= 7
        out.append(n & 127 | 128)
    return bytes(reversed(out))


def record(values):
    """SQLite's record format: a header of serial types, then the values."""
    types, body = b"", b""
    for v in values:
        if v is None:
            types += varint(0)
        elif isinstance(v, int) and v in (0, 1):
            types += varint(8 + v)
        elif isinstance(v, int):
            code, size = next((c, s) for c, s in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (6, 8)) if -1 << 8 * s - 1 <= v < 1 << 8 * s - 1)
            types += varint(code)
            body += v.to_bytes(size, "big", signed=True)
        elif isinstance(v, float):
            types += varint(7)
            body += struct.pack(">d", v)
        else:
            raw = v.encode() if isinstance(v, str) else v
            types += varint(2 * len(raw) + (13 if isinstance(v, str) else 12))
            body += raw
    assert len(types) < 126
    return bytes([len(types) + 1]) + types + body


def leaf(kind, cells, reserved=b""):
    """A b-tree leaf page (13 a table's, 10 an index's); page 1 begins with the file header, `reserved`."""
    content, pointers = b"", []
    for cell in cells:
        content = cell + content
        pointers.append(PAGE - len(content))
    head = reserved + struct.pack(">BHHHB", kind, 0, len(cells), PAGE - len(content), 0)
    head += struct.pack(f">{len(pointers)}H", *pointers)
    assert len(head) + len(content) <= PAGE, "a sample table must fit into one page"
    return head + bytes(PAGE - len(head) - len(content)) + content


class Database:
    """Tables as {name: {rowid: values}} under a fixed schema; `pages()` is the file's image."""

    def __init__(self, schema, rows, wal):
        self.schema, self.rows, self.wal = schema, rows, wal  # schema: [(type, name, table, sql, indexed column)]

    def pages(self, change=1):
        roots = range(2, 2 + len(self.schema))
        header = (b"SQLite format 3\0" + struct.pack(">HBBBBBB", PAGE, 1 + self.wal, 1 + self.wal, 0, 64, 32, 32)
                  + struct.pack(">IIII", change, 1 + len(self.schema), 0, 0)  # change counter, pages, no free list
                  + struct.pack(">8I", 1, 4, 0, 0, 1, 0, 0, 0)  # schema cookie, format 4, …, UTF-8, …
                  + bytes(20) + struct.pack(">II", change, 3_043_002))
        assert len(header) == 100
        master = [self.table_cell(i + 1, [kind, name, table, root, sql])
                  for i, ((kind, name, table, sql, _), root) in enumerate(zip(self.schema, roots))]
        pages = [leaf(13, master, header)]
        for kind, name, table, _, column in self.schema:
            if kind == "table":
                pages.append(leaf(13, [self.table_cell(i, v) for i, v in sorted(self.rows[name].items())]))
            else:
                keys = sorted((v[column].encode(), i) for i, v in self.rows[table].items())
                cells = [record([key.decode(), i]) for key, i in keys]
                pages.append(leaf(10, [varint(len(c)) + c for c in cells]))
        return pages

    @staticmethod
    def table_cell(rowid, values):
        payload = record(values)
        return varint(len(payload)) + varint(rowid) + payload


def wal_checksum(data, s0=0, s1=0):
    for a, b in struct.iter_unpack("<II", data):
        s0 = s0 + a + s1 & 0xFFFFFFFF
        s1 = s1 + b + s0 & 0xFFFFFFFF
    return s0, s1


def write_ahead_log(states):
    """The WAL that takes the first of `states` (page images) to the last, and the shared-memory index beside it.

    Each step is a transaction: one frame for each page it changed, the last one a commit frame.
    """
    head = struct.pack(">IIII", 0x377F0682, 3_007_000, PAGE, 0) + SALT
    sums = wal_checksum(head)
    out, numbers = head + struct.pack(">II", *sums), []
    for old, new in zip(states, states[1:]):
        changed = [i for i, page in enumerate(new) if page != old[i]]
        for i in changed:
            first = struct.pack(">II", i + 1, len(new) if i == changed[-1] else 0)
            sums = wal_checksum(new[i], *wal_checksum(first, *sums))
            out += first + SALT + struct.pack(">II", *sums) + new[i]
            numbers.append(i + 1)
    # the index: its header twice, how far was checkpointed and read, then page numbers and a hash table of them
    info = struct.pack("<IIIBBHII", 3_007_000, 0, len(states), 1, 0, PAGE, len(numbers), len(states[0]))
    info += struct.pack("<II", *sums) + SALT
    info += struct.pack("<II", *wal_checksum(info))
    marks = struct.pack("<I5I8xII", 0, 0, len(numbers), *[0xFFFFFFFF] * 3, 0, 0)
    table = [0] * 8192
    for frame, page in enumerate(numbers, 1):
        slot = page * 383 % 8192
        while table[slot]:
            slot = (slot + 1) % 8192
        table[slot] = frame
    index = info * 2 + marks + struct.pack(f"<{len(numbers)}I", *numbers)
    return out, index.ljust(16_384, b"\0") + struct.pack("<8192H", *table)


# -- the app's databases -----------------------------------------------------------------------------------------------

MODEL_SCHEMA = [
    ("table", "ZCATEGORY", "ZCATEGORY", "CREATE TABLE ZCATEGORY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )", None),
    ("table", "ZGIF", "ZGIF", "CREATE TABLE ZGIF ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFAVOURITE INTEGER, "
     "ZCATEGORY INTEGER, ZADDED TIMESTAMP, ZTITLE VARCHAR, ZIMAGE BLOB )", None),
    ("index", "Z_Gif_byTitleIndex", "ZGIF", "CREATE INDEX Z_Gif_byTitleIndex ON ZGIF (ZTITLE COLLATE BINARY ASC)", 6),
    ("table", "Z_PRIMARYKEY", "Z_PRIMARYKEY", "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)", None),
    ("table", "Z_METADATA", "Z_METADATA", "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)", None),
    ("table", "Z_MODELCACHE", "Z_MODELCACHE", "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)", None),
    ("table", "ACHANGE", "ACHANGE", "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
     "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )", None),
    ("table", "ATRANSACTION", "ATRANSACTION", "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
     "ZTIMESTAMP TIMESTAMP, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR )", None),
]
CATEGORY, GIF, CHANGE, TRANSACTION = 1, 2, 16001, 16002  # entity numbers, the history's as Core Data numbers them
INSERT, UPDATE, DELETE = 0, 1, 2  # ZCHANGETYPE
EXTERNAL = "4E6C8A30-93B5-4A57-8C61-2B7F0D1E5A44"  # the picture that is too large for a row


class Model:
    """The Core Data store, moved from state to state; each `commit` is one transaction of the WAL."""

    def __init__(self):
        metadata = {"NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1327, "NSStoreModelVersionHashesVersion": 3,
                    "NSStoreModelVersionHashes": {"Category": bytes(range(32)), "Gif": bytes(range(32, 64))},
                    "NSStoreModelVersionIdentifiers": ["2"], "_NSAutoVacuumLevel": "2"}
        self.rows = {
            "ZCATEGORY": {1: [None, CATEGORY, 1, "animals"], 2: [None, CATEGORY, 1, "party 🎉"]},
            "ZGIF": {i: self.gif(*fields) for i, fields in enumerate([
                ("cat", 1, 0, b"\x01" + png(6, 1)), ("dog", 1, 0, b"\x01" + png(6, 2)), ("old joke", 2, 0, None),
                ("otter", 1, 1, b"\x02" + EXTERNAL.encode())], 1)},
            "Z_PRIMARYKEY": {CATEGORY: [None, "Category", 0, 2], GIF: [None, "Gif", 0, 4],
                             CHANGE: [None, "CHANGE", 0, 0], TRANSACTION: [None, "TRANSACTION", 0, 0]},
            "Z_METADATA": {1: [None, "6F1E1D2C-7A0B-4B7E-9E3F-5D8C1A2B3C4D", binary_plist(metadata)]},
            "Z_MODELCACHE": {1: [b"model, compiled"]},
            "ACHANGE": {}, "ATRANSACTION": {},
        }
        self.states = [self.image()]

    @staticmethod
    def gif(title, category, favourite, image, seconds=INSTALLED - 86_400):
        return [None, GIF, 1, favourite, category, seconds - APPLE_EPOCH + 0.25, title, image]

    def image(self):
        return Database(MODEL_SCHEMA, self.rows, wal=True).pages()

    def commit(self, seconds, *changes):
        history, keys = self.rows["ACHANGE"], self.rows["Z_PRIMARYKEY"]
        transaction = len(self.rows["ATRANSACTION"]) + 1
        self.rows["ATRANSACTION"][transaction] = [None, TRANSACTION, 1, seconds - APPLE_EPOCH + 0.5, "app", BUNDLE]
        keys[TRANSACTION][3] = transaction
        for kind, rowid in changes:
            history[len(history) + 1] = [None, CHANGE, 1, kind, GIF, rowid, transaction, b"\x0c" if kind == UPDATE else None]
        keys[CHANGE][3], keys[GIF][3] = len(history), max(keys[GIF][3], *self.rows["ZGIF"])
        self.states.append(self.image())

    def launch(self):
        """What the app wrote since its last checkpoint, before the run: two new rows."""
        self.rows["ZGIF"][5] = self.gif("party parrot", 2, 0, b"\x01" + png(6, 5), INSTALLED)
        self.rows["ZGIF"][6] = self.gif("猫", 1, 1, None, INSTALLED)
        self.commit(INSTALLED, (INSERT, 5), (INSERT, 6))

    def run(self):
        """What the UI test did: a favourite set, a row added, a row deleted, one transaction each."""
        row = self.rows["ZGIF"][2] = list(self.rows["ZGIF"][2])
        row[2], row[3] = 2, 1
        self.commit(RUN - 30, (UPDATE, 2))
        self.rows["ZGIF"][7] = self.gif("fox", 1, 0, b"\x01" + png(6, 7), RUN - 20)
        self.commit(RUN - 20, (INSERT, 7))
        del self.rows["ZGIF"][3]
        self.commit(RUN - 10, (DELETE, 3))

    def files(self, seconds):
        """The database as last checkpointed, with the -wal and -shm that a killed app leaves beside it."""
        wal, shm = write_ahead_log(self.states)
        return {"": file(b"".join(self.states[0])), "-wal": file(wal, seconds=seconds), "-shm": file(shm, seconds=seconds)}


def url_cache(urls):
    """A database without a WAL: rollback journal, all in its pages."""
    schema = [("table", "cfurl_cache_response", "cfurl_cache_response", "CREATE TABLE cfurl_cache_response(entry_ID INTEGER PRIMARY KEY, "
               "version INTEGER, hash_value INTEGER, storage_policy INTEGER, request_key TEXT, time_stamp TEXT, partition TEXT)", None)]
    rows = {i: [None, 0, zlib.crc32(u.encode()) * 3 - 2**33, 0, u, f"2024-05-17 09:{30 + i}:00", BUNDLE] for i, u in enumerate(urls, 1)}
    return b"".join(Database(schema, {"cfurl_cache_response": rows}, wal=False).pages(change=len(urls)))


# -- the app's other files ---------------------------------------------------------------------------------------------

def nested_state(count):
    return {"count": count, "open": ["cat", "otter"], "scroll": 128.5}


def player(position):
    """A keyed archive inside the defaults, with the container's own path in it as real ones have."""
    return keyed_archive({"$is": "Gifs.PlayerState", "position": position, "looping": True,
                          "file": HOME + "/Documents/Gifs/otter.gif", "queue": ["cat", "otter", "cat"]},
                         {"Gifs.PlayerState": [], "NSArray": []})


def scene_sessions(*sessions):
    archived = [{"$is": "UISceneSession", "_persistentIdentifier": identifier, "_role": "UIWindowSceneSessionRoleApplication",
                 "_configuration": {"$is": "UISceneConfiguration", "_name": "Default Configuration",
                                    "_delegateClassName": delegate, "_sceneClassName": "UIWindowScene",
                                    "_storyboardName": "Main", "_isDefault": True}} for identifier, delegate in sessions]
    return keyed_archive(archived, {"UISceneSession": [], "UISceneConfiguration": [], "NSArray": []})


def preferences():
    return {
        "launches": 6,
        "onboarding": {"done": False, "page": 2},
        "lastLaunch": utc(INSTALLED),
        "debugMenu": True,
        "theme": "dark",
        "volume": 0.75,
        "speed": 1.0,
        "quota": 2**63 - 1,
        "AppleLanguages": ["en-GB", "ja"],
        "recentSearches": ["cat", "dancing otter", "猫"],
        "filters": [{"name": "favourites", "enabled": True}, {"name": "large", "enabled": False, "bytes": 1_000_000}],
        "deviceToken": bytes(range(0, 256, 8)),
        "downloads": HOME + "/Documents/Gifs",
        "caf\u00e9": "one code point",
        "cafe\u0301": "two code points",
        "emptyList": [], "emptyDictionary": {}, "emptyText": "", "emptyData": b"",
        "state": binary_plist(nested_state(3)),
        "player": player(12.5),
    }


FEEDS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<!-- Edited by hand: the order is the order in the app. -->
<dict>
\t<key>Version</key>
\t<integer>3</integer>
\t<key>Feeds</key>
\t<array>
\t\t<!-- the first is the home screen's -->
\t\t<dict>
\t\t\t<key>Name</key>      <string>Cats &amp; dogs</string>
\t\t\t<key>URL</key>       <string>https://gifs.example.com/feeds/cats?limit=50&#38;sort=new</string>
\t\t\t<key>Refresh</key>   <real>0.5</real>
\t\t</dict>
\t\t<dict>
\t\t\t<key>Name</key>      <string>Party 🎉</string>
\t\t\t<key>URL</key>       <string>https://gifs.example.com/feeds/party</string>
\t\t\t<key>Muted</key>     <true/>
\t\t</dict>
\t</array>
\t<key>Checked</key>
\t<date>2024-05-16T21:05:00Z</date>
</dict>
</plist>
"""

THEME = """// !$*UTF8*$!
{
\tname = %s;
\t/* colours are red, green, blue */
\tcolours = {
\t\tbackground = <%s>;
\t\t"button.tint" = <ff6a00>;
\t};
\tfonts = ( Menlo, "SF Pro", Georgia );
\tsizes = (11, 13, 17);
}
"""

STRINGS = """/* The main screen */
"title" = "Gifs";
"empty.message" = "No gifs yet.\\nTap \\"+\\" to add one.";

/* Plain keys need no quotes */
share = "Share…";
"delete.confirm" = "Delete “%@”?";
"日本語" = "Japanese";
"""

SETTINGS = {"schema": 4, "endpoint": "https://gifs.example.com/api", "proxy": None, "retries": [1, 2, 4.5],
            "flags": {"newPlayer": False, "逆再生": True}, "user": {"id": 900719925474099, "name": "Zoë"}}

CATALOG = {"Collections": [{"Identifier": "animals", "Gifs": ["cat.gif", "dog.gif"]},
                           {"Identifier": "party", "Gifs": ["party 🎉 parrot.gif"]}],
           "Revision": 41, "Updated": utc(INSTALLED - 3_600), "Fingerprint": b"\x00\x01\x02catalog"}

SHOPPING = "Gifs to look for\n\n- a cat on a keyboard\n- an otter with a pebble\n- fireworks\n- rain on a window\n\n(ask Zoë about the last two)\n"


def cookies(session, seconds):
    year = 365 * 86_400
    return binary_cookies([
        [("gifs.example.com", "session", "/", session, 5, INSTALLED + year, seconds),
         ("gifs.example.com", "locale", "/", "en-GB", 0, INSTALLED + year, INSTALLED)],
        [(".ads.example.net", "visitor", "/pixel", "a1b2c3", 1, INSTALLED + 30 * 86_400, INSTALLED)]])


def before():
    """The container as downloaded before the run: {path in the bundle: Node}."""
    tree = {
        "AppDataInfo.plist": file(xml_plist({
            "CFBundleIdentifier": BUNDLE, "CFBundleName": "Gifs", "CFBundleShortVersionString": "2.4",
            "XCExecutableVersion": "15F31d", "Version": 1, "bundleIdentifier": BUNDLE})),
    }
    app = {
        ".com.apple.mobile_container_manager.metadata.plist": file(binary_plist({
            "MCMMetadataIdentifier": BUNDLE, "MCMMetadataContentClass": 2, "MCMMetadataSchemaVersion": 1,
            "MCMMetadataUUID": "5C3B3E0A-6E0B-4C57-9B1D-0D5B6F0A9C11", "MCMMetadataUserIdentity": {"version": 1}})),
        "Documents/Gifs/cat.gif": file(gif(24, 1)),
        "Documents/Gifs/dog.gif": file(gif(24, 2)),
        "Documents/Gifs/old joke.gif": file(gif(16, 3)),
        "Documents/Gifs/otter.gif": file(gif(32, 4)),
        "Documents/Gifs/party 🎉 parrot.gif": file(gif(20, 5, frames=3)),
        "Documents/Gifs/猫.gif": file(gif(16, 6)),
        "Documents/Notes/Shopping list.txt": file(SHOPPING),
        "Documents/Notes/Cafe\u0301 menu.txt": file("The name of this file is in decomposed form (NFD).\n"),
        "Documents/Notes/日本語 メモ.txt": file("これは短いメモです。\n"),
        "Documents/Exports/week 19.csv": file("title,views\ncat,41\notter,17\n"),
        "Documents/empty.txt": file(b""),
        "Documents/latest.gif": link("Gifs/otter.gif"),
        f"Library/Preferences/{BUNDLE}.plist": file(binary_plist(preferences()), 0o600),
        f"Library/Preferences/group.{BUNDLE}.plist": file(xml_plist(
            {"widget": {"size": "medium", "gifs": ["cat", "otter"]}, "shared.token": bytes(16), "migrated": True}), 0o600),
        "Library/Application Support/Feeds.plist": file(FEEDS),
        "Library/Application Support/Catalog.plist": file(xml_plist(CATALOG)),
        "Library/Application Support/Themes/Dark.plist": file(THEME % ("Dark", "1c1c1e")),
        "Library/Application Support/Themes/Light.plist": file(THEME % ('"Light (default)"', "ffffff")),
        "Library/Application Support/Themes/current": link("Dark.plist"),
        "Library/Application Support/Localizable.strings": file(b"\xff\xfe" + STRINGS.encode("utf-16-le")),
        "Library/Application Support/settings.json": file(json.dumps(SETTINGS, ensure_ascii=False, indent=2) + "\n"),
        "Library/Application Support/Scripts/export.sh": file("#!/bin/sh\n# makes an export of the week\nexec printf 'title,views\\n'\n", 0o755),
        "Library/Application Support/Scripts/clean.sh": file("#!/bin/sh\nrm -f -- \"$TMPDIR\"/upload-*.tmp\n"),
        "Library/Application Support/device.key": file(bytes((i * 7 + 3) & 255 for i in range(48)), 0o600),
        f"Library/Application Support/.Model_SUPPORT/_EXTERNAL_DATA/{EXTERNAL}": file(png(80, 4)),
        f"Library/Caches/{BUNDLE}/Cache.db": file(url_cache(["https://gifs.example.com/feeds/cats", "https://gifs.example.com/feeds/party"])),
        f"Library/Caches/{BUNDLE}/fsCachedData/0B7D1A52-3A6E-4C25-8C0F-7E4B5D9A1F03": file('{"feed":"cats","items":[1,2,3]}'),
        f"Library/Caches/{BUNDLE}/fsCachedData/7A40C3EE-51D2-4B8F-A0B9-6D2F3C8E4B17": file('{"feed":"party","items":[]}'),
        "Library/Caches/thumbnails/cat.png": file(png(12, 1)),
        "Library/Cookies/Cookies.binarycookies": file(cookies("0f3c9d2ab81e", INSTALLED)),
        f"Library/Saved Application State/{BUNDLE}.savedState/KnownSceneSessions/data.data": file(scene_sessions(
            ("A2C4E6F8-0B1D-4F35-9A7C-1E2D3C4B5A69", "Gifs.SceneDelegate"))),
        f"Library/SplashBoard/Snapshots/sceneID:{BUNDLE}-default/3F2504E0-4F89-41D3-9A0C-0305E82C3301@2x.png": file(png(16, 8)),
        f"Library/SplashBoard/Snapshots/{BUNDLE} - {{DEFAULT GROUP}}/9B2D0C1E-77AA-4B0D-8E55-6C1F2A3B4C5D@2x.png": file(png(16, 9)),
        "SystemData/com.apple.chrono/placeholders.json": file('{"generation":1}\n'),
        "tmp/upload-1.tmp": file("half an upload"),
        "tmp/empty": directory(),
    }
    model = Model()
    model.launch()
    app.update({f"Library/Application Support/Model.sqlite{suffix}": node for suffix, node in model.files(INSTALLED).items()})
    tree.update({f"AppData/{path}": node for path, node in app.items()})
    return with_directories(tree)


def after(old):
    """The container after the run."""
    tree = {path: node for path, node in old.items() if node.kind != "directory" or path == "AppData/tmp/empty"}

    def put(path, data):
        """New content under the old mode, at the run's time."""
        path = "AppData/" + path
        tree[path] = file(data, tree[path].mode if path in tree else 0o644, RUN)

    defaults = preferences()
    del defaults["debugMenu"]
    defaults.update({"launches": 7, "onboarding": {"done": True, "page": 2}, "lastLaunch": utc(RUN), "lastExport": utc(RUN - 5),
                     "recentSearches": ["fox", *defaults["recentSearches"]],
                     "state": binary_plist(nested_state(4)), "player": player(14.0)})
    put(f"Library/Preferences/{BUNDLE}.plist", binary_plist(defaults))
    put("Library/Application Support/Catalog.plist", binary_plist(CATALOG))  # the same value in another encoding
    put("Library/Application Support/settings.json", json.dumps(
        {**SETTINGS, "flags": {**SETTINGS["flags"], "newPlayer": True}}, ensure_ascii=False, indent=2) + "\n")
    put("Documents/Notes/Shopping list.txt", SHOPPING.replace("- fireworks\n", "- fireworks over water\n- a fox\n"))
    put("Documents/Exports/week 20.csv", "title,views\ncat,44\nfox,3\notter,21\n")
    del tree["AppData/Documents/Gifs/old joke.gif"]
    tree["AppData/Documents/Gifs/good dog.gif"] = tree.pop("AppData/Documents/Gifs/dog.gif")
    for path, mode in (("Documents/Gifs/otter.gif", 0o600), ("Library/Application Support/Scripts/clean.sh", 0o755)):
        tree["AppData/" + path] = tree["AppData/" + path]._replace(mode=mode)
    tree["AppData/Library/Application Support/Themes/current"] = link("Light.plist", RUN)
    put("Library/Cookies/Cookies.binarycookies", cookies("77e01fd4c96b", RUN - 40))
    put(f"Library/Saved Application State/{BUNDLE}.savedState/KnownSceneSessions/data.data", scene_sessions(
        ("A2C4E6F8-0B1D-4F35-9A7C-1E2D3C4B5A69", "Gifs.TestingSceneDelegate"),
        ("C7D9E1F3-2A4B-4C6D-8E0F-9A1B2C3D4E5F", "Gifs.SceneDelegate")))
    put(f"Library/Caches/{BUNDLE}/Cache.db", url_cache([f"https://gifs.example.com/feeds/{f}" for f in ("cats", "party", "foxes")]))
    put(f"Library/Caches/{BUNDLE}/fsCachedData/0B7D1A52-3A6E-4C25-8C0F-7E4B5D9A1F03", '{"feed":"cats","items":[1,2,3,4]}')
    put(f"Library/Caches/{BUNDLE}/fsCachedData/E81F6B94-0C3D-4E5A-9B72-5A6C7D8E9F01", '{"feed":"foxes","items":[7]}')
    del tree[f"AppData/Library/Caches/{BUNDLE}/fsCachedData/7A40C3EE-51D2-4B8F-A0B9-6D2F3C8E4B17"]
    put("SystemData/com.apple.chrono/placeholders.json", '{"generation":2}\n')
    del tree["AppData/tmp/upload-1.tmp"]
    put("tmp/upload-2.tmp", "another half")
    model = Model()
    model.launch()
    model.run()
    for suffix, node in model.files(RUN).items():
        tree[f"AppData/Library/Application Support/Model.sqlite{suffix}"] = node
    return with_directories(tree, old)


def with_directories(tree, old=None):
    """`tree` with the parents of its entries; a directory whose names differ from `old`'s has the run's time."""
    def names(entries):
        children = {}
        for path in entries:
            while path:
                parent, _, name = path.rpartition("/")
                children.setdefault(parent, set()).add(name)
                path = parent
        return children

    now, then = names(tree), names(old or tree)
    made = {path: directory(INSTALLED if then.get(path) == children else RUN) for path, children in now.items()}
    return {**made, **tree}


# -- disk --------------------------------------------------------------------------------------------------------------

def write(root, tree):
    """Make `root` from `tree`, replacing what was there; children before their directory's time."""
    root = os.fsencode(root)
    if os.path.lexists(root):
        shutil.rmtree(root)
    paths = {path: os.path.join(root, path.encode()) if path else root for path in tree}
    for path in sorted(tree):
        node, place = tree[path], paths[path]
        if node.kind == "directory":
            os.mkdir(place)
        elif node.kind == "link":
            os.symlink(node.data.encode(), place)
        else:
            with open(place, "wb") as out:
                out.write(node.data)
        if node.kind != "link":
            os.chmod(place, node.mode)
    for path in sorted(tree, reverse=True):
        time = tree[path].seconds * 10**9 + zlib.crc32(path.encode()) % 10**9
        os.utime(paths[path], ns=(time, time), follow_symlinks=False)


def scan(root):
    """{path: (kind, content or target, executable)} of the files and links below `root`, by bytes."""
    root, found = os.fsencode(root), {}
    for place, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(place, name)
            key, mode = os.path.relpath(path, root), os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[key] = ("link", os.readlink(path), False)
            elif stat.S_ISREG(mode) and name != b".DS_Store":
                with open(path, "rb") as content:
                    found[key] = ("file", content.read(), bool(mode & stat.S_IXUSR))
    return found


def differences(committed, fresh):
    """One line for each path that differs."""
    old, new = scan(committed), scan(fresh)
    for path in sorted(old.keys() | new.keys()):
        name = f"{os.path.basename(committed)}/{path.decode(errors='backslashreplace')}"
        if path not in old:
            yield f"missing: {name}"
        elif path not in new:
            yield f"not one of the sample's: {name}"
        elif old[path] != new[path]:
            what = [w for w, a, b in zip(("kind", "content", "executable bit"), old[path], new[path]) if a != b]
            yield f"different {' and '.join(what)}: {name}"


def main():
    parser = argparse.ArgumentParser(description="Write or check the sample containers.")
    parser.add_argument("directory", nargs="?", default=os.path.dirname(os.path.abspath(__file__)),
                        help="the directory of the two containers (default: the directory of this script)")
    parser.add_argument("--check", action="store_true",
                        help="compare the containers with new ones; list differences and exit 1 if there are any")
    arguments = parser.parse_args()
    old = before()
    trees = {BEFORE: old, AFTER: after(old)}
    if not arguments.check:
        os.makedirs(arguments.directory, exist_ok=True)
        for name, tree in trees.items():
            write(os.path.join(arguments.directory, name), tree)
        return 0
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, tree in trees.items():
            write(os.path.join(temporary, name), tree)
            found += differences(os.path.join(arguments.directory, name), os.path.join(temporary, name))
    for line in found:
        print(line.encode(errors="backslashreplace").decode(), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
