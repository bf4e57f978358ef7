#!/usr/bin/env python3
"""Compare two trees entry by entry and print every difference.

usage: compare_trees.py A B [--times ns|s|none] [--no-link-times] [--modes yes|no] [--xattrs] [--skip GLOB]...

Compared are names (as bytes), types, modes (07777, of all but links), modification times, link targets, the content of
files and, with --xattrs, extended attributes with their names as they stand. The tops of the two trees, written `.`,
are compared as well. Nothing is followed, and paths may be longer than the system's limit: each step is taken from an
open directory. A GLOB matches the whole path below the top (`*` crosses `/`); what lies below a match is skipped too.

Every run ends with `N entries compared, M differences`, so that an empty tree is never taken for success unseen.
Status: 0 equal, 1 different, 2 trouble.
"""
import argparse
import fnmatch
import os
import resource
import stat
import sys

BLOCK = 1 << 20
TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link", stat.S_IFIFO: "pipe",
         stat.S_IFSOCK: "socket", stat.S_IFCHR: "character device", stat.S_IFBLK: "block device"}
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def escaped(data):
    """Bytes as printable text: UTF-8 where it is, else backslash escapes."""
    text = data.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class Comparison:
    def __init__(self, options):
        self.options, self.entries, self.differences = options, 0, 0

    def say(self, path, text):
        self.differences += 1
        shown = escaped(path)
        shown = shown if len(shown) <= 300 else f"{shown[:140]} [...] {shown[-140:]}"
        print(f"{shown}: {text}".encode(errors="backslashreplace").decode())

    def skipped(self, path):
        return any(fnmatch.fnmatchcase(path, os.fsencode(glob)) for glob in self.options.skip)

    def entry(self, path, places):
        """Compare one entry; `places` is (directory descriptor, name) in either tree."""
        self.entries += 1
        a, b = (os.lstat(name, dir_fd=parent) for parent, name in places)
        kinds = [TYPES.get(stat.S_IFMT(s.st_mode), "unknown") for s in (a, b)]
        if kinds[0] != kinds[1]:
            return self.say(path, f"{kinds[0]} became {kinds[1]}")
        kind, options = kinds[0], self.options
        if options.modes == "yes" and kind != "link" and stat.S_IMODE(a.st_mode) != stat.S_IMODE(b.st_mode):
            self.say(path, f"mode {stat.S_IMODE(a.st_mode):04o} became {stat.S_IMODE(b.st_mode):04o}")
        unit = {"ns": 1, "s": 10**9, "none": None}[options.times]
        if unit and not (kind == "link" and options.no_link_times) and a.st_mtime_ns // unit != b.st_mtime_ns // unit:
            self.say(path, "time {}.{:09} became {}.{:09}".format(*divmod(a.st_mtime_ns, 10**9), *divmod(b.st_mtime_ns, 10**9)))
        if options.xattrs:
            self.attributes(path, places)
        if kind == "link":
            targets = [os.readlink(name, dir_fd=parent) for parent, name in places]
            if targets[0] != targets[1]:
                self.say(path, f"target {escaped(targets[0])} became {escaped(targets[1])}")
        elif kind == "file":
            self.content(path, places, (a.st_size, b.st_size))
        elif kind == "directory":
            self.directory(path, places)

    def attributes(self, path, places):
        found = []
        for parent, name in places:  # by way of /proc, since a link has no descriptor of its own
            place = name if parent is None else os.fsencode(f"/proc/self/fd/{parent}/") + name
            names = os.listxattr(place, follow_symlinks=False)
            found.append({n: os.getxattr(place, n, follow_symlinks=False) for n in names})
        for name in sorted(found[0].keys() | found[1].keys()):
            values = [escaped(f[name])[:80] if name in f else "absent" for f in found]
            if found[0].get(name) != found[1].get(name):
                self.say(path, f"attribute {escaped(os.fsencode(name))}: {values[0]} became {values[1]}")

    def content(self, path, places, sizes):
        if sizes[0] != sizes[1]:
            return self.say(path, f"size {sizes[0]} became {sizes[1]}")
        opener = [lambda name, flags, parent=parent: os.open(name, flags | os.O_NOFOLLOW, dir_fd=parent) for parent, _ in places]
        with open(places[0][1], "rb", 0, opener=opener[0]) as a, open(places[1][1], "rb", 0, opener=opener[1]) as b:
            at = 0
            while True:
                left, right = a.read(BLOCK), b.read(BLOCK)
                if left != right:
                    first = next((i for i, (x, y) in enumerate(zip(left, right)) if x != y), min(len(left), len(right)))
                    return self.say(path, f"content differs from byte {at + first} on")
                if not left:
                    return None
                at += len(left)

    def directory(self, path, places):
        opened = [os.open(name, DIRECTORY, dir_fd=parent) for parent, name in places]
        try:
            names = [{os.fsencode(n) for n in os.listdir(descriptor)} for descriptor in opened]
            for name in sorted(names[0] | names[1]):
                below = name if path == b"." else path + b"/" + name
                if self.skipped(below):
                    continue
                if name not in names[1]:
                    self.say(below, "missing in the second tree")
                elif name not in names[0]:
                    self.say(below, "only in the second tree")
                else:
                    self.entry(below, [(descriptor, name) for descriptor in opened])
        finally:
            for descriptor in opened:
                os.close(descriptor)


def main():
    parser = argparse.ArgumentParser(description="Compare two trees; print every difference.")
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--times", choices=("ns", "s", "none"), default="ns", help="how exactly modification times are compared (default: ns)")
    parser.add_argument("--no-link-times", action="store_true", help="leave out the times of symbolic links")
    parser.add_argument("--modes", choices=("yes", "no"), default="yes")
    parser.add_argument("--xattrs", action="store_true", help="compare extended attributes too")
    parser.add_argument("--skip", action="append", default=[], metavar="GLOB", help="leave out paths; may be repeated; '.' is the tops themselves")
    options = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 65_536) if limit != resource.RLIM_INFINITY else 65_536, limit))
    sys.setrecursionlimit(20_000)  # a path of 4,096 bytes has up to 2,048 directories
    comparison = Comparison(options)
    places = [(None, os.fsencode(options.a)), (None, os.fsencode(options.b))]
    try:
        if comparison.skipped(b"."):
            comparison.directory(b".", places)
        else:
            comparison.entry(b".", places)
    except OSError as error:
        print(f"compare_trees: {error}", file=sys.stderr)
        return 2
    print(f"{comparison.entries} entries compared, {comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
