#!/usr/bin/env python3
"""Make a live container with something of everything that an apply or a restore can have to change in it.

usage: make_live.py OUT old|new [--small]      OUT/t, a container; OUT/g, the directory of an app group; OUT/Foo.app

Between `old` and `new` there are files replaced, deleted and made, a swap, a chain of names, a renamed directory, a file
and a directory that change places, links that lead elsewhere or turn into files and back, other modes and other attributes
alone, a database with its log and its directory of blobs, a directory without write permission, and what stays as it is.
With --small there is one of each of the few things that take a step of their own, and no group. All times are set, to one
second in `old` and, for what is not the same, to another in `new`. Only the standard library is used.
"""
import argparse
import os
import plistlib
import shutil
import sqlite3

OLD, NEW = 1_690_000_000_123_456_789, 1_720_000_000_987_654_321
IDENTITY = ".com.apple.mobile_container_manager.metadata.plist"


class Maker:
    def __init__(self, top, is_new, is_small):
        self.top, self.is_new, self.is_small = top, is_new, is_small
        self.times, self.modes = {}, {}

    def place(self, path, is_changed):
        full = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        self.times[path] = NEW if self.is_new and is_changed else OLD
        return full

    def file(self, path, old, new=None, modes=(0o644, 0o644), attributes=({}, {})):
        """A file with a content, a mode and attributes before and after; a content of False is none at all."""
        content = old if new is None or not self.is_new else new
        if content is False:
            return
        mode, labels = modes[self.is_new], attributes[self.is_new]
        full = self.place(path, new is not None)
        with open(full, "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        for name, value in labels.items():
            os.setxattr(full, name, value)
        self.modes[path] = mode

    def link(self, path, old, new):
        target = new if self.is_new else old
        if target is not False:
            os.symlink(target, self.place(path, True))

    def directory(self, path, modes=(0o755, 0o755), attributes=({}, {})):
        full = self.place(path, False)
        os.makedirs(full, exist_ok=True)
        for name, value in attributes[self.is_new].items():
            os.setxattr(full, name, value)
        self.modes[path] = modes[self.is_new]

    def property_list(self, path, old, new):
        self.file(path, plistlib.dumps(old), plistlib.dumps(new, fmt=plistlib.FMT_BINARY if "binary" in path else plistlib.FMT_XML))

    def database(self, path):
        """A database in use: its log has what the file has not."""
        full = self.place(path, True)
        work = full + ".work"
        connection = sqlite3.connect(work)
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table note (id integer primary key, body text)")
        connection.executemany("insert into note values (?, ?)", [(i, f"note {i} " * 20) for i in range(60)])
        connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("update note set body = ? where id = 3", ["new" if self.is_new else "old"])
        if self.is_new:
            connection.execute("delete from note where id > 30")
        connection.commit()
        for suffix in ["", "-wal", "-shm"]:
            shutil.copyfile(work + suffix, full + suffix)
            self.times[path + suffix] = NEW if self.is_new else OLD
        connection.close()
        for suffix in ["", "-wal", "-shm"]:
            if os.path.exists(work + suffix):
                os.unlink(work + suffix)

    def small(self):
        self.file("t/Documents/keep", "kept", attributes=({"user.x": b"1"},) * 2)
        self.file("t/Documents/replaced", "old text", "another text")
        self.file("t/Documents/swap1", "first", "second")
        self.file("t/Documents/swap2", "second", "first")
        self.file("t/Documents/turn", "a file", False)
        self.file("t/Documents/turn/inner", False, "inner")
        self.file("t/Documents/facts", "facts", modes=(0o644, 0o600), attributes=({"user.x": b"1"}, {"user.y": b"2"}))
        self.link("t/Documents/link", "keep", "../Library")
        self.file("t/Library/closed/gone", "gone", False)
        self.directory("t/Library/closed", modes=(0o555, 0o555))

    def everything(self):
        self.small()
        self.file("t/Documents/deleted", "deleted", False)
        self.file("t/Documents/made", False, "made", attributes=({}, {"user.m": b"m"}))
        self.file("t/Documents/empty", "", "not any more")
        for name, old, new in [("a", "chain a", False), ("b", "chain b", "chain a"), ("c", False, "chain b")]:
            self.file(f"t/Documents/chain {name}", old, new)
        name = "after" if self.is_new else "before"
        self.file(f"t/Documents/dir {name}/deep/er/file", "deep")
        self.file(f"t/Documents/dir {name}/file", "file", modes=(0o600, 0o600), attributes=({"user.d": b"d"},) * 2)
        self.link(f"t/Documents/dir {name}/link", "deep/er", "deep/er")
        self.directory(f"t/Documents/dir {name}/hollow", modes=(0o700, 0o700))
        self.file("t/Documents/to file/inner", "inner of it", False)
        self.file("t/Documents/to file", False, "a file now") if self.is_new else self.directory("t/Documents/to file", (0o555, 0))
        self.link("t/Documents/link to file", "/nowhere", False)
        self.file("t/Documents/link to file", False, "was a link")
        self.file("t/Documents/file to link", "was a file", False)
        self.link("t/Documents/file to link", False, "keep")
        self.file("t/Documents/mode", "mode", modes=(0o644, 0o400))
        self.file("t/Documents/labels", "labels", modes=(0o444, 0o444),
                  attributes=({"user.x": b"1", "user.y": b"2"}, {"user.x": b"7", "user.z": b"3"}))
        self.directory("t/Documents/labelled", attributes=({"user.l": b"1"}, {"user.l": b"2"}))
        self.directory("t/Documents/moded", modes=(0o755, 0o500))
        self.file("t/Documents/moded/inner", "stays")
        self.file("t/Library/closed/replaced", "in a closed one", "and again")
        self.file("t/Library/closed/made", False, "made in a closed one")
        self.file("t/Library/big", b"0123456789abcdef" * 20_000, b"0123456789abcdef" * 10_000 + b"!" + b"0123456789abcdef" * 9_999)
        self.property_list("t/Library/Preferences/com.example.live.plist", {"a": 1, "b": [1, 2]}, {"a": 2, "c": {"d": True}})
        self.property_list("t/Library/Preferences/binary.plist", {"a": 1}, {"a": 2})
        self.database("t/Library/Application Support/Model.sqlite")
        blobs = "t/Library/Application Support/.Model_SUPPORT/_EXTERNAL_DATA/"
        self.file(blobs + "0001", b"blob" * 3_000, False)
        self.file(blobs + "0002", False, b"other" * 3_000)
        self.file(blobs + "0003", b"both" * 3_000)
        self.file("t/tmp/scratch", "scratch", False)
        self.directory("t/tmp")
        self.file("g/Library/shared.txt", "shared", "shared by others")
        self.file("g/Library/gone", "gone", False)
        self.file("g/made/one", False, "one")
        self.file("g/stays", "stays")
        # It becomes what an overlay makes of it.
        self.file("Foo.app/Info.plist", plistlib.dumps({"CFBundleIdentifier": "com.example.live", "Scene": "Main"}))
        self.file("Foo.app/Foo", "program", modes=(0o755, 0o755))
        identity = {"MCMMetadataIdentifier": "com.example.live", "MCMMetadataUUID": f"{self.is_new:032X}"}
        self.file("t/" + IDENTITY, plistlib.dumps(identity), plistlib.dumps(identity))

    def finish(self):
        """Modes and times, the innermost first."""
        for folder, directories, files in os.walk(self.top, topdown=False):
            for name in files + directories:
                full = os.path.join(folder, name)
                path = os.path.relpath(full, self.top)
                time = self.times.get(path, OLD)
                os.utime(full, ns=(time, time), follow_symlinks=False)
                if not os.path.islink(full):
                    os.chmod(full, self.modes.get(path, 0o755 if os.path.isdir(full) else 0o644))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("out")
    parser.add_argument("state", choices=["old", "new"])
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out)
    maker = Maker(options.out, options.state == "new", options.small)
    maker.small() if options.small else maker.everything()
    maker.finish()


main()
