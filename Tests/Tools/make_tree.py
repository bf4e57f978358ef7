#!/usr/bin/env python3
"""Make a test tree for packing.

usage: make_tree.py OUT awkward [--prefix N]     names, modes, times, links, attributes and sizes at every limit
       make_tree.py OUT sparse                   one file of 5 GiB with data at three places
       make_tree.py OUT random [--seed N] [--entries N]    a generated tree of all kinds

OUT must not exist. The same arguments make the same tree, times to the nanosecond included; where the file system or
the user can't hold something (extended attributes, a mode 0000 file for anyone but root, who alone can read it again)
it is left out with a line on standard error. Meant for Linux: APFS refuses names that are not UTF-8 and pairs twins.

`awkward` holds paths of every length near the limits of tar headers: their lengths count N bytes more than the path
below OUT, for what an archive puts before it (default: OUT's last component and a slash), and once more with N = 0.
Setuid, setgid and files with the sticky bit are not in any tree: they are not meant to come back.
"""
import argparse
import os
import random
import sys
import zlib

EPOCH = 1_715_938_200
NOFOLLOW = os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW


class Builder:
    """Makes entries below `out`, each step from an open directory so that no path is too long to be made.

    Paths are bytes, parents are made on the way; modes and times are set by `finish`, the deepest entries first.
    """

    def __init__(self, out):
        self.out = os.fsencode(out)
        os.mkdir(self.out)
        self.modes, self.times, self.links = {b"": 0o755}, {}, set()

    def parent(self, path):
        """An open descriptor of the directory that holds `path`, and its last component."""
        descriptor, done = os.open(self.out, NOFOLLOW), []
        *parents, name = path.split(b"/")
        for component in parents:
            done.append(component)
            if b"/".join(done) not in self.modes:
                os.mkdir(component, dir_fd=descriptor)
                self.modes[b"/".join(done)] = 0o755
            below = os.open(component, NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        return descriptor, name

    def make(self, path, action, mode=None, time=None):
        """Run `action(name, descriptor)` in the directory of `path`."""
        descriptor, name = self.parent(path)
        try:
            result = action(name, descriptor)
        finally:
            os.close(descriptor)
        if mode is not None:
            self.modes[path] = mode
        if time is not None:
            self.times[path] = time
        return result

    def file(self, path, data=b"", mode=0o644, time=None):
        def write(name, parent):
            with open(name, "xb", opener=lambda n, flags: os.open(n, flags, 0o600, dir_fd=parent)) as out:
                out.write(data)
        self.make(path, write, mode, time)

    def directory(self, path, mode=0o755, time=None):
        self.make(path, lambda name, parent: os.mkdir(name, dir_fd=parent), mode, time)

    def link(self, path, target, time=None):
        self.make(path, lambda name, parent: os.symlink(target, name, dir_fd=parent), time=time)
        self.links.add(path)

    def hard_link(self, path, existing):
        descriptor, old = self.parent(existing)
        self.make(path, lambda name, parent: os.link(old, name, src_dir_fd=descriptor, dst_dir_fd=parent))
        os.close(descriptor)

    def attribute(self, path, name, value):
        def put(last, parent):
            os.setxattr(os.fsencode(f"/proc/self/fd/{parent}/") + last, name, value, follow_symlinks=False)
        try:
            self.make(path, put)
        except OSError as error:
            print(f"make_tree: left out attribute {name} of {path!r}: {error.strerror}", file=sys.stderr)

    def finish(self):
        """Modes, then times; a directory after what is in it."""
        for path in sorted(self.modes.keys() | self.links, key=lambda p: (p.count(b"/") + bool(p), p), reverse=True):
            time = self.times.get(path, EPOCH * 10**9 + zlib.crc32(path) % 10**9)
            mode = self.modes.get(path)

            def settle(name, parent):
                if mode is not None:
                    os.chmod(name, mode, dir_fd=parent)
                os.utime(name, ns=(time, time), dir_fd=parent, follow_symlinks=False)

            self.make(path, settle) if path else settle(self.out, None)


def noise(size, seed):
    return random.Random(f"noise/{seed}").randbytes(size)


def text(size, seed):
    words = "scene session cache preview overlay manifest gif export window token".split()
    rng, out = random.Random(f"text/{seed}"), ""
    while len(out) < size:
        out += rng.choice(words) + rng.choice(" \n ")
    return out[:size].encode()


def awkward(tree, prefix):
    names = [b"not utf-8 \xff\xfe", b"latin \xe9", b"overlong \xc0\xaf", b"half a surrogate \xed\xa0\x80", b"a:b:c", b"sceneID:com.example-default",
             b"{DEFAULT GROUP}", "emoji 🗂👩‍👩‍👧.gif".encode(), "日本語".encode(), b"line\nbreak", b"carriage\rreturn", b"tab\there", b"escape \x1b[31m",
             b"A", b"a", b"-dash", b"--help", b"trailing ", b" leading", b"back\\slash", b"quote\"s", b"apostrophe's", b"dollar $HOME `id`",
             b"star * [a-z] ?", b"%s%n", b"...", b".hidden", b"~", b"#", b"@2", b"x@latest", b"C:", b"CON", b"dot.", b"semi;colon", b"\x01\x7f",
             b"_CodeSignature", b"._resource", b"n" * 255, "é".encode() * 127, "caf\u00e9".encode(), "cafe\u0301".encode(),
             "\u00c5".encode(), "\u212b".encode(), "A\u030a".encode()]
    for name in names:
        tree.file(b"names/" + name, b"named " + name)
    tree.file("dirs/\u00e9/x".encode(), b"NFC")
    tree.file("dirs/e\u0301/x".encode(), b"NFD")
    tree.file(b"dirs/\xff\x80 /x", b"raw")
    tree.directory(b"dirs/ends in a space ")
    tree.file(b"order/a/x", b"1")  # `a/x` sorts after `a.b` and `a-b` by bytes of the whole path
    for name in (b"a-b", b"a.b", b"a0"):
        tree.file(b"order/" + name, b"2")

    deep = b"deep"
    while len(deep) + 256 < 3_900:
        deep += b"/" + (b"%04d-" % len(deep)).ljust(255, b"d")
    tree.file(deep + b"/" + b"e" * (3_995 - len(deep) - 1), b"at the end of 3,995 bytes")
    tree.file(b"/".join([b"s"] * 400) + b"/shallow names, many levels")

    tree.file(b"empty file")
    tree.directory(b"empty directory")
    for mode in (0o400, 0o444, 0o600, 0o604, 0o640, 0o666, 0o700, 0o755, 0o777):
        tree.file(b"modes/%04o" % mode, b"mode %04o" % mode, mode)
    if os.geteuid() == 0:
        tree.file(b"modes/0000", b"only root reads this", 0)
        tree.directory(b"modes/directory 0000", 0)
    else:
        print("make_tree: left out the files of mode 0000: only root could pack them", file=sys.stderr)
    for mode in (0o500, 0o555, 0o700, 0o755, 0o777, 0o1755, 0o1777):
        tree.file(b"modes/directory %04o/inside" % mode, b"x")
        tree.modes[b"modes/directory %04o" % mode] = mode

    tree.link(b"links/dangling", b"nowhere")
    tree.link(b"links/absolute", b"/etc/passwd")
    tree.link(b"links/climbing", b"../../../../../../etc/passwd")
    tree.link(b"links/to itself", b"to itself")
    tree.link(b"links/to a directory", b"../dirs")
    tree.link(b"links/to the top", b"..")
    tree.link(b"links/not utf-8", b"\xff\xfe \n")
    tree.link(b"links/\xff\xfe", b"dangling")
    for size in (99, 100, 101, 255, 256, 1_023, 1_024, 4_000, 4_095):
        tree.link(b"links/target %d" % size, ((b"t" * 99 + b"/") * 41)[:size])
    for label, seconds, ns in ((b"epoch", 0, 0), (b"before 1970", -86_400 * 365, 0), (b"half a second before 1970", -1, 500_000_000),
                               (b"1 ns before 1970", -1, 999_999_999), (b"1901", -2_147_483_648, 0), (b"2038", 2_147_483_647, 999_999_999),
                               (b"after 2038", 2_147_483_648, 1), (b"2106", 4_294_967_296, 0), (b"2150", 5_680_281_600, 7),
                               (b"the last octal second", 8_589_934_591, 0), (b"beyond octal, 2242", 8_589_934_592, 123_456_789),
                               (b"1 ns", EPOCH, 1), (b"999,999,999 ns", EPOCH, 999_999_999)):
        tree.file(b"times/" + label, label, time=seconds * 10**9 + ns)
    tree.directory(b"times/directory before 1970", time=-1)
    tree.link(b"times/link before 1970", b"x", time=-1_500_000_000)

    for path in (b"attributes/file", b"attributes/directory/inside"):
        tree.file(path, b"has attributes")
    for path in (b"attributes/file", b"attributes/directory"):
        tree.attribute(path, "user.com.apple.metadata:x", b"bplist00\x08")
        tree.attribute(path, "user.other", b"\0\xff not text")
        tree.attribute(path, "user.empty", b"")
    tree.attribute(b"attributes/file", "user.a", b"v" * 1_000)

    made = set()
    for base in {prefix, 0}:
        for total in (98, 99, 100, 101, 102, 154, 155, 156, 157, 200, 254, 255, 256, 257, 258, 356, 357, 400):
            for cut in {4, 50, 98, 99, 100, 101, 102, 153, 154, 155, 156, 157, 254, 255, 256, total - 102, total - 101, total - 100, total - 99, total - 2}:
                length, slash = total - base, cut - base  # the path's length below OUT, and its last slash
                folder, name = slash - len(b"tar/"), length - slash - 1
                if 1 <= folder <= 255 and 1 <= name <= 255 and (length, slash) not in made:
                    made.add((length, slash))
                    tree.file(b"tar/" + b"d" * folder + b"/" + (b"%d" % total)[:name].ljust(name, b"n"), b"%d bytes, slash at %d" % (total, cut))
            length = total - base - len(b"tars/")
            if 1 <= length - 1 <= 255 and (total, base) not in made:  # directories: their entry ends in a slash
                made.add((total, base))
                tree.directory(b"tars/" + (b"%d" % total).ljust(length - 1, b"f" if base else b"g"))

    for size in (0, 1, 511, 512, 513, 4_095, 4_096, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577):
        tree.file(b"sizes/text %d" % size, text(size, size))
        tree.file(b"sizes/noise %d" % size, noise(size, size))
        tree.file(b"sizes/zeros %d" % size, bytes(size))
    middle = bytearray(3 << 20)
    for at, part in ((1, b"\x01"), (65_535, b"across the first 64 KiB"), (700_001, noise(5_003, 1)), (1_500_000, b"even"), (2_097_151, b"xy")):
        middle[at:at + len(part)] = part
    tree.file(b"sizes/3 MiB of zeros with data inside", bytes(middle))
    tree.file(b"sizes/zeros, then data", bytes(1 << 20) + b"end")
    tree.file(b"sizes/data, then zeros", b"begin" + bytes(1 << 20))
    tree.file(b"sizes/text and noise in turn", b"".join(text(40_000, i) + noise(30_000 + i * 4_097, i) for i in range(8)))
    tree.file(b"hard links/first", text(10_000, "hard"))
    tree.hard_link(b"hard links/second", b"hard links/first")
    tree.hard_link(b"dirs/third", b"hard links/first")
    tree.file(b"hard links/same content, another file", text(10_000, "hard"))


def sparse(tree):
    def write(name, parent):
        with open(name, "xb", opener=lambda n, flags: os.open(n, flags, 0o600, dir_fd=parent)) as out:
            for at, data in ((1_048_699, b"near the beginning"), ((2 << 30) - 9, noise(70_001, "middle")), ((4 << 30) + 1, text(4_097, "end"))):
                out.seek(at)
                out.write(data)
            out.truncate(5 << 30)
    tree.make(b"sparse 5 GiB", write, 0o644)
    tree.file(b"beside it", b"an ordinary file\n")


def random_tree(tree, seed, count):
    rng = random.Random(f"tree/{seed}")
    alphabets = [b"abcdefgh", b"AaBbCc", bytes(range(1, 47)) + bytes(range(48, 256)), b" .-_:@"]
    directories, files, taken = [b""], [], set()

    def new_path():
        while True:
            parent = rng.choice(directories)
            size = rng.choice((1, 2, 3, 8, 20, 60, 255)) if rng.random() < 0.9 else rng.randrange(1, 256)
            if rng.random() < 0.2:
                name = "".join(rng.choices("ée\u0301日本🗂ß\u212bÅ", k=min(size, 40))).encode()
            else:
                name = bytes(rng.choices(rng.choice(alphabets), k=size))
            path = parent + b"/" + name if parent else name
            if name not in (b".", b"..") and path not in taken and len(path) < 4_000:
                taken.add(path)
                return path

    def content():
        kind, size = rng.randrange(5), int(2 ** (rng.random() * 18))
        if kind == 0:
            return b""
        if kind == 1:
            return rng.randbytes(size)
        if kind == 2:
            return text(size, rng.random())
        if kind == 3:
            return b"".join(bytes(rng.choice((1, 65_536, 200_000))) + rng.randbytes(rng.randrange(1, 3_000)) for _ in range(rng.randrange(1, 4)))
        return bytes(size)

    for _ in range(count):
        path, time = new_path(), rng.randrange(-2_000_000_000, 8_000_000_000) * 10**9 + rng.choice((0, 1, rng.randrange(10**9)))
        kind = rng.random()
        if kind < 0.25:
            tree.directory(path, 0o700 | rng.randrange(0o1000) | rng.choice((0, 0, 0o1000)), time)
            directories.append(path)
        elif kind < 0.33:
            tree.link(path, rng.choice((b"..", b"/", b"x" * rng.randrange(1, 300), bytes(rng.choices(alphabets[2], k=9)))), time)
        elif kind < 0.38 and files:
            tree.hard_link(path, rng.choice(files))
        else:
            tree.file(path, content(), 0o400 | rng.randrange(0o1000), time)
            files.append(path)
        if kind >= 0.9 or kind < 0.02:
            tree.attribute(path, rng.choice(("user.com.apple.metadata:x", "user.b")), rng.randbytes(rng.randrange(60)))


def main():
    parser = argparse.ArgumentParser(description="Make a test tree for packing.")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("kind", choices=("awkward", "sparse", "random"))
    parser.add_argument("--prefix", type=int, metavar="N", help="awkward: bytes before each path in an archive (default: OUT's name and a slash)")
    parser.add_argument("--seed", type=int, default=1, help="random: which tree (default: 1)")
    parser.add_argument("--entries", type=int, default=200, help="random: how many entries (default: 200)")
    options = parser.parse_args()
    os.umask(0o022)
    tree = Builder(options.out)
    if options.kind == "awkward":
        name = os.path.basename(os.path.abspath(os.fsencode(options.out)))
        awkward(tree, len(name) + 1 if options.prefix is None else options.prefix)
    elif options.kind == "sparse":
        sparse(tree)
    else:
        random_tree(tree, options.seed, options.entries)
    tree.finish()


if __name__ == "__main__":
    main()
