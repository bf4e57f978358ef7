#!/usr/bin/env python3
"""Make a container whose entries are spelled in one of two ways that APFS takes for one.

usage: make_spellings.py OUT one|two [--small]      OUT/t, a container

Between `one` and `two` names change in case alone, in normalization alone, or by case folding: of files whose content stays and of
such whose content changes, of directories with children, of links, of a property list, of a database with its log, of a file that
becomes a directory and of a directory that becomes a file. Other entries stay. With --small there is one of each of the few things
that take a step of their own. Made on a file system that tells all names apart. Only the standard library is used.
"""
import argparse
import os
import plistlib
import shutil
import sqlite3

TIMES = {"one": 1_690_000_000_123_456_789, "two": 1_720_000_000_987_654_321}
# What is one name on APFS: by case, composed and decomposed, folded to more letters or to other ones.
PAIRS = [
    ("Case", "cASE"), ("caf\u00e9", "cafe\u0301"), ("\u00c9cole", "e\u0301cole"), ("stra\u00dfe", "STRASSE"), ("\u017fpell", "Spell"),
    ("273\u212a", "273k"), ("\u1e9eharp", "\u00dfHARP"), ("\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
]


class Maker:
    def __init__(self, top, state):
        self.top, self.state = top, state
        self.changed = set()

    def place(self, path, is_changed):
        full = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if is_changed:
            self.changed.add(full)
        return full

    def file(self, path, text, is_changed=False, attributes=None):
        full = self.place(path, is_changed)
        with open(full, "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        for name, value in (attributes or {}).items():
            os.setxattr(full, name, value)

    def small(self, pair):
        name = pair[self.state == "two"]
        self.file(f"t/Documents/{name} same.txt", f"same {pair[0]}", attributes={"user.s": b"1"})
        self.file(f"t/Documents/{name} other.txt", f"{self.state} {pair[0]}", True)
        self.file(f"t/Documents/{name} dir/{name}", f"inner {pair[0]}")

    def more(self, pair):
        name = pair[self.state == "two"]
        self.file(f"t/Documents/{name} dir/deep/{name}/file.txt", f"{self.state} deep {pair[0]}", True)
        self.file(f"t/Documents/{name} dir/stays.txt", "stays")
        os.makedirs(self.place(f"t/Documents/{name} dir/{name} hollow", False))
        os.symlink(f"{name} same.txt", self.place(f"t/Documents/{name} link", True))
        # Each turns into what the other one was.
        for title, is_file in ("turn", self.state == "one"), ("return", self.state == "two"):
            if is_file:
                self.file(f"t/Documents/{name} {title}", "a file", True)
            else:
                self.file(f"t/Documents/{name} {title}/inner", "in a directory", True)
        # What stays where its directory does.
        self.file(f"t/Library/{pair[0]}/{name}", f"kept directory {self.state}", True)

    def documents(self):
        name = "Model" if self.state == "one" else "model"
        values = {"name": name, "state": self.state}
        self.file(f"t/Library/Preferences/com.example.{name}.plist", plistlib.dumps(values, fmt=plistlib.FMT_BINARY), True)
        full = self.place(f"t/Library/{name}.sqlite", True)
        work = self.top + "/work.sqlite"
        connection = sqlite3.connect(work)
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table note (id integer primary key, body text)")
        connection.executemany("insert into note values (?, ?)", [(i, f"note {i}") for i in range(30)])
        connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("update note set body = ? where id = 3", [self.state])
        connection.commit()
        for suffix in ["", "-wal", "-shm"]:
            shutil.copyfile(work + suffix, full + suffix)
            self.changed.add(full + suffix)
        connection.close()
        for suffix in ["", "-wal", "-shm"]:
            if os.path.exists(work + suffix):
                os.unlink(work + suffix)

    def finish(self):
        """Times and modes, the innermost first."""
        for folder, directories, files in os.walk(self.top, topdown=False):
            for name in files + directories:
                full = os.path.join(folder, name)
                time = TIMES[self.state if full in self.changed else "one"]
                os.utime(full, ns=(time, time), follow_symlinks=False)
                if not os.path.islink(full):
                    os.chmod(full, 0o755 if os.path.isdir(full) else 0o644)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("out")
    parser.add_argument("state", choices=["one", "two"])
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out)
    maker = Maker(options.out, options.state)
    os.makedirs(options.out + "/t/Library")
    maker.file("t/Documents/stays.txt", "stays")
    if options.small:
        maker.small(("Caf\u00e9", "cafe\u0301"))
    else:
        for pair in PAIRS:
            maker.small(pair)
            maker.more(pair)
        maker.documents()
    maker.finish()


main()
