#!/usr/bin/env python3
"""Make databases with logs, as an app that runs has them, or say what databases hold.

usage: make_databases.py make DIR [large]  databases of all kinds below DIR, their logs beside them
       make_databases.py dump FILE    all that a database holds, its logs counted; they are read in a copy
       make_databases.py state DIR    every entry with its bytes' digest, mode, times and inode
       make_databases.py insert FILE N  N rows more, which stay in the log
       make_databases.py write FILE SECONDS  commit to two tables at once, all the time, until killed or so long

Databases are copied while they are open: closing one would fold its log.
"""
import hashlib
import os
import shutil
import signal
import sqlite3
import stat
import struct
import sys
import tempfile
import time

SUFFIXES = ("", "-wal", "-journal")


def log_checksum(header):
    """The checksum of the header of a write-ahead log."""
    one = two = 0
    order = ">" if header[3] & 1 else "<"
    words = struct.unpack(order + "6I", header)
    for at in range(0, 6, 2):
        one = (one + words[at] + two) & 0xFFFFFFFF
        two = (two + words[at + 1] + one) & 0xFFFFFFFF
    return struct.pack(">II", one, two)


def rows(connection, start, count, width=40):
    connection.executemany("INSERT INTO note VALUES (?, ?)",
                           ((n, hashlib.sha256(b"%d" % n).hexdigest() * width) for n in range(start, start + count)))
    connection.commit()


def opened(path, mode="WAL"):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size=4096")
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    if mode == "WAL":
        # No power cut is meant, only speed; a journal's header is another one without syncing.
        connection.execute("PRAGMA synchronous=OFF")
    connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text)")
    connection.execute("CREATE INDEX by_text ON note (text)")
    connection.commit()
    return connection


def copy(path, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    for suffix in SUFFIXES + ("-shm",):
        if os.path.exists(path + suffix):
            shutil.copyfile(path + suffix, target + suffix)


def make(top, large):
    work = tempfile.mkdtemp()
    library = os.path.join(top, "Library")
    for name in ("Documents", "Library", "tmp"):
        os.makedirs(os.path.join(top, name))

    def place(connection, name, into=library):
        copy(os.path.join(work, name), os.path.join(into, name))
        connection.close()

    def wal(name, into=library, count=60, first=0):
        connection = opened(os.path.join(work, name))
        if first:
            rows(connection, 0, first)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows(connection, first, count)
        place(connection, name, into)

    wal("Model.sqlite", first=50)
    # Told by its content, whatever its name.
    wal("odd name", os.path.join(top, "Documents"))
    # All of it is in the log.
    if large:
        wal("large.sqlite", count=1000)
    # What is deleted in the log makes no row, and the vacuum a shorter file.
    connection = opened(os.path.join(work, "shrunk.sqlite"))
    rows(connection, 0, 100)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("DELETE FROM note WHERE id > 9")
    connection.commit()
    connection.execute("VACUUM")
    place(connection, "shrunk.sqlite")
    # Views, triggers, and a table that needs a module.
    connection = opened(os.path.join(work, "schema.sqlite"))
    connection.executescript("""CREATE VIEW v AS SELECT count(*) FROM note; CREATE TABLE log (a UNIQUE, b CHECK (b > 0)) STRICT;
        CREATE TRIGGER t AFTER INSERT ON note BEGIN INSERT INTO log VALUES (new.id, 1); END;""".replace(" STRICT", ""))
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(word)")
        connection.execute("INSERT INTO words VALUES ('one two')")
    except sqlite3.OperationalError:
        pass
    rows(connection, 0, 30)
    place(connection, "schema.sqlite")
    # A transaction that a crash ended: the database has half of it, the journal what was there before.
    connection = opened(os.path.join(work, "hot.sqlite"), "DELETE")
    rows(connection, 0, 100)
    connection.execute("PRAGMA cache_size=3")
    connection.execute("BEGIN")
    connection.execute("UPDATE note SET text = upper(text) || id")
    connection.execute("DELETE FROM note WHERE id % 2")
    place(connection, "hot.sqlite")
    # A journal that says that it holds nothing.
    connection = opened(os.path.join(work, "cold.sqlite"), "PERSIST")
    rows(connection, 0, 20)
    place(connection, "cold.sqlite")
    # No log, or an empty one.
    connection = opened(os.path.join(work, "plain.sqlite"), "DELETE")
    rows(connection, 0, 20)
    place(connection, "plain.sqlite")
    connection = opened(os.path.join(work, "quiet.sqlite"))
    rows(connection, 0, 20)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    place(connection, "quiet.sqlite")
    # A log whose last write was cut short: what stands before it counts, as it does for the app.
    wal("cut.sqlite")
    with open(os.path.join(library, "cut.sqlite-wal"), "r+b") as file:
        # In the second of two transactions.
        frames = (os.path.getsize(file.name) - 32) // 4120
        file.truncate(32 + frames // 2 * 4120 + 1000)
    # A log that was begun anew, and whose frames are of before: none of them counts.
    wal("stale.sqlite", first=50)
    with open(os.path.join(library, "stale.sqlite-wal"), "r+b") as file:
        header = file.read(16) + b"\x00\x01\x02\x03\x04\x05\x06\x07"
        file.seek(0)
        file.write(header + log_checksum(header))

    # Names that mean nothing.
    for name in ("junk.sqlite", "junk.sqlite-wal", "junk.sqlite-journal", "alone.sqlite-wal", "note.txt", "note.txt-journal"):
        with open(os.path.join(library, name), "wb") as file:
            file.write(b"nothing that SQLite knows\n" * 99)
    os.mkdir(os.path.join(library, "directory.sqlite"))
    with open(os.path.join(library, "directory.sqlite-wal"), "wb") as file:
        file.write(b"\x37\x7f\x06\x82")
    os.symlink("Model.sqlite", os.path.join(library, "link.sqlite"))
    shutil.rmtree(work)


def dump(path):
    with tempfile.TemporaryDirectory() as work:
        copied = os.path.join(work, "copy")
        for suffix in SUFFIXES:
            if os.path.exists(path + suffix):
                shutil.copyfile(path + suffix, copied + suffix)
        connection = sqlite3.connect(copied)
        print(connection.execute("PRAGMA integrity_check").fetchall())
        for line in connection.iterdump():
            print(line)
        connection.close()


def state(top):
    paths = [top] + [os.path.join(place, name) for place, directories, files in os.walk(top) for name in directories + files]
    for path in sorted(paths):
        status = os.lstat(path)
        digest = ""
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
        print(path, digest, oct(status.st_mode), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def insert(path, count):
    with tempfile.TemporaryDirectory() as work:
        copied = os.path.join(work, "copy")
        for suffix in SUFFIXES:
            if os.path.exists(path + suffix):
                shutil.copyfile(path + suffix, copied + suffix)
        connection = sqlite3.connect(copied)
        connection.execute("PRAGMA wal_autocheckpoint=0")
        start = connection.execute("SELECT max(id) + 1 FROM note").fetchone()[0]
        rows(connection, start, count)
        copy(copied, path)
        connection.close()


def write(path, seconds):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=20")
    connection.execute("CREATE TABLE a (x)")
    connection.execute("CREATE TABLE b (x)")
    connection.commit()
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        connection.execute("INSERT INTO a VALUES (?)", (str(number) * 300,))
        connection.execute("INSERT INTO b VALUES (?)", (str(number) * 300,))
        connection.commit()
        time.sleep(0.02)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    verb, path, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    if verb == "make":
        make(path, rest == ["large"])
    elif verb == "dump":
        dump(path)
    elif verb == "state":
        state(path)
    elif verb == "insert":
        insert(path, int(rest[0]))
    elif verb == "write":
        write(path, float(rest[0]))
    else:
        sys.exit(__doc__)
