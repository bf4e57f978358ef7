"""Containers that need no other file, generated, and what a test run and a second developer do to one."""
import datetime
import json
import os
import plistlib
import random
import shutil
import sqlite3

WORDS = "scene session archive document thumbnail cache token launch message region frame sticker export model store".split()
# documents, media files, bytes of each, tiny files
BUILT_IN = {"medium": (1_500, 200, 300_000, 1_000), "large": (4_000, 700, 400_000, 3_000), "files": (2_000, 50, 60_000, 98_000)}


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def text(source, words):
    return " ".join(source.choices(WORDS, k=words)).encode()


def make_built_in(out, scale):
    """A container of text, of bytes that do not compress, and of tiny files; the same on every run."""
    source = random.Random(scale)
    documents, media, media_length, tiny = BUILT_IN[scale]
    app = os.path.join(out, "AppData")
    put(os.path.join(out, "AppDataInfo.plist"), b'<plist version="1.0"><dict/></plist>\n')
    for number in range(documents):
        put(f"{app}/Documents/Notes/{number % 17}/note-{number}.txt", text(source, source.randrange(40, 900)))
    for number in range(media):
        put(f"{app}/Documents/Media/{number:05}.gif", source.getrandbits(8 * media_length).to_bytes(media_length, "little"))
    for number in range(tiny):
        put(f"{app}/Library/Index/{number % 256:02x}/{number:07}.idx", text(source, source.randrange(1, 30)))
    put(f"{app}/Library/Preferences/com.example.app.plist", plistlib.dumps(make_plist(500), fmt=plistlib.FMT_BINARY))
    os.makedirs(f"{app}/Library/Application Support", exist_ok=True)
    make_database(f"{app}/Library/Application Support/Model.sqlite", 10_000)
    os.makedirs(f"{app}/tmp", exist_ok=True)


def make_tiny(out, count):
    """Only tiny files, `count` of them: what each entry costs."""
    source = random.Random(count)
    for number in range(count):
        put(f"{out}/AppData/Library/Index/{number % 256:02x}/{number:07}.idx", text(source, source.randrange(1, 30)))
    os.makedirs(f"{out}/AppData/Documents", exist_ok=True)


def make_plist(count):
    """A property list of dictionaries of all types; 20,000 of them are 7 MB of XML, 3 MB in binary."""
    source, out = random.Random(count), {}
    for number in range(count):
        out[f"com.example.item.{number}"] = {
            "name": f"Gr\u00f6\u00dfe {number}" if number % 5 == 0 else f"Item number {number}",
            "count": source.randrange(100_000), "ratio": source.randrange(1_000_000) / 1000, "on": source.random() < 0.5,
            "opened": datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=source.randrange(700_000_000)),
            "tags": ["alpha", f"tag {source.randrange(50)}"],
        }
    return out


def make_database(path, rows):
    """A database of one table, of 150 bytes a row, with an index; in one file, as a closed app leaves it."""
    source = random.Random(rows)
    database = sqlite3.connect(path)
    database.executescript("create table item (id integer primary key, rating integer, opened real, title text, thumb blob);"
                           "create index item_title on item (title);")
    database.executemany("insert into item values (?, ?, ?, ?, ?)", (
        (number, source.randrange(6), source.random() * 1e9, text(source, 5).decode(), bytes(source.choices(range(256), k=80)))
        for number in range(1, rows + 1)))
    database.commit()
    database.close()


def change_database(path):
    """One row in 997 has another value, one in 1,499 is gone, and one is new."""
    database = sqlite3.connect(path)
    database.execute("update item set rating = 9 where id % 997 = 0")
    database.execute("delete from item where id % 1499 = 0")
    database.execute("insert into item (rating, opened, title) values (3, 7e8, 'added by the test run')")
    database.commit()
    database.close()


def change_built_in(out):
    """What a test run might do to a built-in container."""
    source = random.Random("after")
    app = os.path.join(out, "AppData")
    change_database(f"{app}/Library/Application Support/Model.sqlite")
    defaults = make_plist(500)
    defaults["com.example.item.7"]["count"] = -1
    defaults["LaunchCount"] = 2
    put(f"{app}/Library/Preferences/com.example.app.plist", plistlib.dumps(defaults, fmt=plistlib.FMT_BINARY))
    for number in range(20):
        put(f"{app}/Documents/Notes/{number % 17}/note-{number}.txt", text(source, 500))
    for number in range(30):
        put(f"{app}/Library/Index/new/{number:07}.idx", text(source, 20))
    shutil.rmtree(f"{app}/Library/Index/00")


def edit_store(path):
    """Titles of rows, in one transaction; nothing is left in a log."""
    with open(path, "rb") as file:
        if not file.read(16).startswith(b"SQLite format 3"):
            return
    base = sqlite3.connect(path)
    tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'ZITEM'")]
    for table in tables:
        base.execute(f"UPDATE {table} SET ZTITLE = 'edited by hand ' || Z_PK WHERE Z_PK % 1000 = 3")
    base.commit()
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    for suffix in "-wal", "-shm":
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)


def edit_defaults(path):
    with open(path, "rb") as file:
        data = file.read()
    value = plistlib.loads(data)
    value["editedByHand"] = {"name": "second developer", "count": 3}
    kind = plistlib.FMT_BINARY if data.startswith(b"bplist") else plistlib.FMT_XML
    with open(path, "wb") as file:
        plistlib.dump(value, file, fmt=kind, sort_keys=False)


def edit_json(path):
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    value["editedByHand"] = True
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)


def edit(source, out):
    """Makes a copy as a second developer leaves it: other rows, keys, lines and files are changed than by a test run, so that the
    three merge cleanly."""
    shutil.copytree(source, out, symlinks=True)
    documents, pictures = [], []
    for folder, directories, files in os.walk(out):
        directories.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith(".sqlite"):
                edit_store(path)
            elif os.path.basename(folder) == "Preferences" and name.endswith(".plist"):
                edit_defaults(path)
            elif name.endswith(".json"):
                documents.append(path)
            elif name.endswith(".gif") and "Documents" in folder:
                pictures.append(path)
    # The first ones are those that a test run changes.
    if len(documents) > 1:
        edit_json(documents[-1])
    if len(pictures) > 9:
        os.rename(pictures[-1], os.path.join(os.path.dirname(pictures[-1]), "by hand.gif"))
        with open(os.path.join(os.path.dirname(pictures[-1]), "notes by hand.txt"), "w", encoding="utf-8") as file:
            file.write("Kept by the second developer.\n")
