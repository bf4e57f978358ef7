#!/usr/bin/env python3
"""Make pairs of containers, the second of which is the first one after all kinds of changes.

usage: make_pairs.py OUT [--seed N] [--count N]      OUT/0/a, OUT/0/b, OUT/1/a, ...

Each pair comes from a seed of its own (N, N + 1, ...), and the same seed makes the same pair, but for what SQLite puts
into its logs. Between the two there are additions, deletions, other contents, large files that change in few places,
modes, attributes (where the file system takes them), links that lead elsewhere, files that swap, chains of renames,
renamed directories, files that become directories, links or nothing and back, property lists in both encodings, and
databases with and without a log and a directory of external blobs. A pair may be equal, too. Only the standard library
is used; names are any bytes, which Linux takes.
"""
import argparse
import os
import plistlib
import random
import shutil
import sqlite3
import stat

IDENTITY = ".com.apple.mobile_container_manager.metadata.plist"
NAMES = ["a", "b", "c", "note.txt", "cat.gif", "NFC \u00e9", "NFD e\u0301", "A", "x y", "{DEFAULT GROUP}", "sceneID:1",
         "#?*[", "-rf", "tr\u00e8s long" * 9, "\U0001f63a", "back\\slash", "new\nline", b"\xff\xfe.bin", b"latin\xe9"]
TOPS = [b"Documents", b"Library", b"Library/Preferences", b"Library/Caches", b"tmp"]


class Tree:
    """A container on disk, changed at random."""

    def __init__(self, top, draw):
        self.top, self.draw = os.fsencode(top), draw

    def path(self, *parts):
        return os.path.join(self.top, *[os.fsencode(part) for part in parts])

    def entries(self, kind=None):
        """Paths of what may be changed, sorted: all that is no fixed directory, identity or part of a database."""
        found = []
        for folder, directories, files in os.walk(self.top):
            for name in directories + files:
                path = os.path.join(folder, name)
                below = os.path.relpath(path, self.top)
                if below in TOPS or below == os.fsencode(IDENTITY) or b"store" in below:
                    continue
                mode = os.lstat(path).st_mode
                if kind is None or kind(mode):
                    found.append(path)
        return sorted(found)

    def directories(self):
        return [self.path(top) for top in TOPS] + self.entries(stat.S_ISDIR)

    def free(self):
        """A path at which nothing is."""
        for _ in range(100):
            path = os.path.join(self.draw.choice(self.directories()), os.fsencode(self.draw.choice(NAMES)))
            if not os.path.lexists(path):
                return path
        return self.path("Documents", f"free {self.draw.getrandbits(40)}")

    def pick(self, kind=None):
        found = self.entries(kind)
        return self.draw.choice(found) if found else None

    # What an entry can be

    def content(self):
        draw = self.draw
        size = draw.choice([0, 1, 100, 4096, 5000, 70_000, 200_000])
        if draw.random() < 0.5:
            return draw.randbytes(size)
        return (b"%d a line of text\n" % draw.getrandbits(20)) * (size // 20 + (size > 0))

    def file(self, path):
        with open(path, "xb") as out:
            out.write(self.content())
        os.chmod(path, self.draw.choice([0o644, 0o600, 0o444, 0o755, 0o640]))
        self.attribute(path, 0.2)

    def plist(self, path):
        with open(path, "wb") as out:
            plistlib.dump(self.value(), out, fmt=self.draw.choice([plistlib.FMT_XML, plistlib.FMT_BINARY]))

    def value(self, depth=3):
        draw = self.draw
        kind = draw.randrange(8 if depth else 5)
        if kind < 5:
            return [draw.getrandbits(40), draw.random() < 0.5, f"text {draw.getrandbits(9)} \u00e9 <&>", draw.randbytes(9),
                    draw.getrandbits(12) / 8][kind]
        if kind == 5:
            return [self.value(depth - 1) for _ in range(draw.randrange(5))]
        return {f"key{draw.randrange(9)}": self.value(depth - 1) for _ in range(draw.randrange(6))}

    def link(self, path):
        os.symlink(self.draw.choice([b"nowhere", b"../x", b"/etc/passwd", b"a/b", b"\xff", b"x" * 200]), path)

    def directory(self, path):
        os.mkdir(path)
        for _ in range(self.draw.randrange(3)):
            inner = os.path.join(path, os.fsencode(self.draw.choice(NAMES)))
            if not os.path.lexists(inner):
                self.make(inner)
        self.attribute(path, 0.1)
        if self.draw.random() < 0.2:
            os.chmod(path, self.draw.choice([0o700, 0o555, 0o750]))

    def make(self, path):
        self.draw.choices([self.file, self.link, self.directory], [5, 1, 2])[0](path)

    def attribute(self, path, chance):
        if self.draw.random() >= chance:
            return
        try:
            os.setxattr(path, self.draw.choice(["user.note", "user.tag"]), self.draw.randbytes(self.draw.randrange(40)),
                        follow_symlinks=False)
        except OSError:
            pass

    def remove(self, path):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            shutil.rmtree(path)
        else:
            os.unlink(path)

    # Databases

    def database(self, name, has_log):
        """A database, whose log stays beside it as an app leaves it that was killed."""
        path = self.path("Library", name)
        work = path + b".work"
        connection = sqlite3.connect(os.fsdecode(work))
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table note (id integer primary key, title text, body blob)")
        connection.executemany("insert into note values (?, ?, ?)",
                               [(i, f"note {i}", self.draw.randbytes(300)) for i in range(self.draw.choice([3, 400]))])
        connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)")
        self.change_rows(connection)
        self.keep(connection, work, path, has_log)

    def change_rows(self, connection):
        for _ in range(3):
            connection.execute("insert or replace into note values (?, ?, ?)",
                               (self.draw.randrange(500), f"title {self.draw.getrandbits(30)}", self.draw.randbytes(50)))
        connection.commit()

    def change_database(self, path, has_log):
        work = path + b".work"
        for suffix in [b"", b"-wal"]:
            if os.path.exists(path + suffix):
                shutil.copyfile(path + suffix, work + suffix)
        connection = sqlite3.connect(os.fsdecode(work))
        self.change_rows(connection)
        self.keep(connection, work, path, has_log)

    def keep(self, connection, work, path, has_log):
        if not has_log:
            connection.execute("pragma wal_checkpoint(truncate)")
        for suffix in [b"", b"-wal", b"-shm"]:
            if os.path.lexists(path + suffix):
                os.unlink(path + suffix)
            if os.path.exists(work + suffix) and (has_log or not suffix):
                shutil.copyfile(work + suffix, path + suffix)
        connection.close()
        for suffix in [b"", b"-wal", b"-shm"]:
            if os.path.lexists(work + suffix):
                os.unlink(work + suffix)

    def blob(self):
        support = self.path("Library", ".store_SUPPORT", "_EXTERNAL_DATA")
        os.makedirs(support, exist_ok=True)
        with open(os.path.join(support, b"%032X" % self.draw.getrandbits(128)), "wb") as out:
            out.write(self.content())

    # Changes

    def change(self):
        draw = self.draw
        step = draw.choice([self.add, self.add_plist, self.delete, self.rewrite, self.touch_up, self.chmod, self.relabel,
                            self.rename, self.swap, self.chain, self.retype, self.edit_plist, self.store, self.blobs])
        step()

    def add(self):
        self.make(self.free())

    def add_plist(self):
        self.plist(self.free())

    def delete(self):
        if path := self.pick():
            self.remove(path)

    def rewrite(self):
        if path := self.pick(stat.S_ISREG):
            os.unlink(path)
            self.file(path)

    def touch_up(self):
        """Few bytes of a large file, with and without another length."""
        large = [path for path in self.entries(stat.S_ISREG) if os.lstat(path).st_size > 50_000]
        path = self.draw.choice(large) if large else self.free()
        if not large:
            with open(path, "xb") as out:
                out.write(self.draw.randbytes(300_000))
            return
        with open(path, "rb") as file:
            data = bytearray(file.read())
        place = self.draw.randrange(len(data))
        data[place:place + self.draw.choice([0, 5, 40])] = self.draw.randbytes(self.draw.choice([5, 40]))
        with open(path, "r+b") as out:
            out.write(data)
            out.truncate()

    def chmod(self):
        if path := self.pick(lambda mode: not stat.S_ISLNK(mode)):
            is_directory = os.path.isdir(path)
            os.chmod(path, self.draw.choice([0o755, 0o700, 0o711] if is_directory else [0o644, 0o600, 0o400, 0o777]))

    def relabel(self):
        if path := self.pick(lambda mode: not stat.S_ISLNK(mode)):
            self.attribute(path, 1)

    def rename(self):
        if path := self.pick():
            target = self.free()
            if not target.startswith(path + b"/"):
                os.rename(path, target)

    def swap(self):
        one, other = self.pick(), self.pick()
        if one and other and one != other and not (one + b"/").startswith(other + b"/") and \
                not (other + b"/").startswith(one + b"/"):
            aside = self.path("aside")
            os.rename(one, aside)
            os.rename(other, one)
            os.rename(aside, other)

    def chain(self):
        """a to b, b to c, c to somewhere new."""
        files = self.entries(stat.S_ISREG)
        if len(files) < 3:
            return
        chosen = self.draw.sample(files, 3)
        os.rename(chosen[2], self.free())
        os.rename(chosen[1], chosen[2])
        os.rename(chosen[0], chosen[1])

    def retype(self):
        if path := self.pick():
            self.remove(path)
            self.make(path)

    def edit_plist(self):
        found = [path for path in self.entries(stat.S_ISREG) if self.is_plist(path)]
        if not found:
            return self.add_plist()
        path = self.draw.choice(found)
        with open(path, "rb") as file:
            data = file.read()
        value = plistlib.loads(data)
        if isinstance(value, dict):
            value[f"key{self.draw.randrange(9)}"] = self.value(1)
        else:
            value = {"was": value}
        fmt = plistlib.FMT_BINARY if data.startswith(b"bplist") else plistlib.FMT_XML
        with open(path, "r+b") as out:
            out.truncate()
            plistlib.dump(value, out, fmt=fmt)

    @staticmethod
    def is_plist(path):
        with open(path, "rb") as file:
            return file.read(6) in (b"bplist", b"<?xml ")

    def store(self):
        name = self.draw.choice(["store.sqlite", "other store.db"])
        path, has_log = self.path("Library", name), self.draw.random() < 0.6
        if not os.path.exists(path):
            self.database(name, has_log)
        elif self.draw.random() < 0.15:
            for suffix in [b"", b"-wal", b"-shm"]:
                if os.path.exists(path + suffix):
                    os.unlink(path + suffix)
        else:
            self.change_database(path, has_log)

    def blobs(self):
        support = self.path("Library", ".store_SUPPORT")
        if os.path.exists(support) and self.draw.random() < 0.3:
            shutil.rmtree(support)
        else:
            self.blob()


def pair(out, seed):
    draw = random.Random(seed)
    os.makedirs(out)
    a, b = os.path.join(out, "a"), os.path.join(out, "b")
    os.mkdir(a)
    tree = Tree(a, draw)
    for top in TOPS:
        os.makedirs(tree.path(top))
    with open(tree.path(IDENTITY), "wb") as file:
        plistlib.dump({"MCMMetadataIdentifier": "com.example.pairs", "MCMMetadataUUID": f"{seed:032X}"}, file)
    for _ in range(draw.randrange(2, 12)):
        tree.add()
    for _ in range(draw.randrange(3)):
        tree.add_plist()
    if draw.random() < 0.5:
        tree.store()
    if draw.random() < 0.3:
        tree.blobs()
    shutil.copytree(a, b, symlinks=True)
    changed = Tree(b, draw)
    for _ in range(draw.choice([0, 1, 2, 5, 10, 20])):
        changed.change()
    with open(changed.path(IDENTITY), "wb") as file:
        plistlib.dump({"MCMMetadataIdentifier": "com.example.pairs", "MCMMetadataUUID": f"{seed + 1:032X}"}, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    options = parser.parse_args()
    for number in range(options.count):
        pair(os.path.join(options.out, str(number)), options.seed + number)


main()
