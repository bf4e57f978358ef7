#!/usr/bin/env python3
"""Make the capsules of this directory, elsewhere. See README.md: those that are here stay as they are.

usage: CAPSULE=PROGRAM make.py OUT

OUT must not exist. The same program makes the same bytes.
"""
import os
import plistlib
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Tools"))
from capsule_reader import Capsule

CAPTURED = 1_700_000_000
CAPSULE = os.path.abspath(os.environ.get("CAPSULE", "capsule"))


def run(*arguments, at=CAPTURED):
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(at), LC_ALL="C.UTF-8")
    subprocess.run([CAPSULE, *map(os.fsencode, arguments), "--quiet"], check=True, env=environment)


class Tree:
    """Files below a directory; times are set last."""

    def __init__(self, top):
        self.top, self.times = os.fsencode(top), {}
        os.mkdir(self.top)

    def path(self, name):
        return os.path.join(self.top, name)

    def parents(self, name):
        parts = name.split(b"/")
        for count in range(1, len(parts)):
            if not os.path.isdir(self.path(b"/".join(parts[:count]))):
                self.directory(b"/".join(parts[:count]))

    def directory(self, name, mode=0o755, time=1_715_938_200.25):
        self.parents(name)
        os.mkdir(self.path(name))
        os.chmod(self.path(name), mode)
        self.times[name] = time

    def file(self, name, data, mode=0o644, time=1_715_938_200.5, attributes=()):
        self.parents(name)
        with open(self.path(name), "wb") as file:
            file.write(data)
        for key, value in attributes:
            os.setxattr(self.path(name), key, value)
        os.chmod(self.path(name), mode)
        self.times[name] = time

    def link(self, name, target, time=1_715_938_201):
        self.parents(name)
        if os.path.islink(self.path(name)):
            os.unlink(self.path(name))
        os.symlink(target, self.path(name))
        self.times[name] = time

    def rename(self, old, new):
        os.rename(self.path(old), self.path(new))
        self.times[new] = self.times.pop(old)

    def finish(self):
        for name in sorted(self.times, reverse=True) + [b""]:
            seconds, part = divmod(self.times.get(name, 1_715_938_200), 1)
            nanoseconds = int(seconds) * 10**9 + int(part * 10**9)
            os.utime(self.path(name), ns=(nanoseconds, nanoseconds), follow_symlinks=False)


def noise(seed, count):
    return random.Random(seed).randbytes(count)


def plain(top):
    tree = Tree(top)
    tree.file(b"plain", b"a few bytes\n")
    tree.file(b"empty", b"", mode=0o400)
    tree.file("Cafe\u0301".encode(), b"decomposed")
    tree.file("Caf\u00e9".encode(), b"composed")
    tree.file(b"\xff\xfe raw\n", b"no UTF-8", mode=0o755)
    tree.file(b"old", b"old", time=-1_000_000.75)
    tree.file(b"new", b"new", time=8_000_000_000.125)
    tree.file(b"d/marked", b"x", attributes=[("user.com.apple.metadata:kMDItem", b"\0\1"), ("user.empty", b"")])
    tree.file(b"d/holes", noise(1, 20_000) + bytes(400_000) + b"the end")
    tree.file(b"d/all hole", bytes(131_072))
    tree.file(b"d/twin", noise(1, 20_000))
    tree.directory(b"d/nothing", mode=0o1700)
    tree.directory(b"closed", mode=0o500)
    tree.file(b"long/" + b"/".join([b"component" * 12] * 3) + b"/file", b"deep")
    tree.link(b"link", b"../outside")
    tree.link(b"raw link", b"\xff" * 120)
    tree.finish()


def container(top, version):
    """A bundle in one of three states."""
    tree = Tree(top)
    draw = random.Random(7)
    words = [b"%08x\n" % draw.getrandbits(32) * 150 for _ in range(1_700)]
    if version > 1:
        words[600] = b"changed in version 2\n" * 40
    if version > 2:
        words[1_200:1_210] = [b"shorter since version 3\n"]
    large = b"".join(words)
    assert len(large) > 2 << 20
    tree.file(b"AppDataInfo.plist", plistlib.dumps({"CFBundleIdentifier": "com.example.fixture"}))
    identity = plistlib.dumps({"MCMMetadataIdentifier": "com.example.fixture", "MCMMetadataContentClass": 2})
    tree.file(b"AppData/.com.apple.mobile_container_manager.metadata.plist", identity)
    settings = {"launches": version, "name": "fixture"}
    tree.file(b"AppData/Library/Preferences/com.example.fixture.plist", plistlib.dumps(settings, fmt=plistlib.FMT_BINARY))
    tree.file(b"AppData/Documents/large", large, time=1_715_938_000 + version)
    tree.file(b"AppData/Documents/count", b"%d\n" % version)
    tree.file(b"AppData/Documents/noise", noise(2, 5_000))
    tree.file(b"AppData/Documents/twin 1", b"twins of %d" % (version // 2))
    tree.file(b"AppData/Documents/twin 2", b"twins of %d" % (version // 2))
    tree.file("AppData/Documents/日本語 メモ.txt".encode(), b"memo")
    tree.link(b"AppData/Documents/latest", b"count")
    tree.directory(b"AppData/tmp")
    tree.directory(b"AppData/SystemData")
    os.mkfifo(tree.path(b"AppData/Documents/pipe"))
    if version == 2:
        tree.file(b"AppData/Documents/sparse", bytes(200_000) + b"behind a hole")
        tree.rename(b"AppData/Documents/noise", b"AppData/Documents/moved")
    tree.finish()


def group(top, version):
    tree = Tree(top)
    tree.file(b"Library/shared", b"shared %d" % (version == 2))
    tree.finish()


def expected(path, state):
    """What the second reader finds, as lines."""
    capsule, lines = Capsule(path), [state]
    for footer in capsule.footers:
        root, entries = capsule.index(footer)
        manifest = plistlib.loads(capsule.payload(
            b"M", footer["manifest"], footer["manifest stored"], footer["manifest digest"], "manifest"))
        lines.append(f"version {footer['version']} {manifest.get('Label', '-')} {root['tree'].hex()} {root['content'].hex()} "
                     f"{root['entries']} {root['bytes']}")
        for e in entries:
            digest = e["digest"].hex() if "digest" in e else "-"
            attributes = ",".join(f"{n.hex()}={v.hex()}" for n, v in e["attributes"])
            lines.append(f"{e['root']} {e['kind']} {e['mode']:04o} {e['seconds']}.{e['ns']:09} {e.get('size', 0)} {digest} "
                         f"{e['path'].hex() or '-'} {e.get('target', b'').hex() or '-'} {attributes or '-'}")
    return "\n".join(lines) + "\n"


def main():
    out = os.path.abspath(sys.argv[1])
    if os.path.realpath(out) == os.path.realpath(HERE):
        sys.exit("make.py: what is here stays as it is")
    os.mkdir(out)
    os.umask(0o022)

    def record(name, whole, state="whole"):
        """Writes what is in a capsule; `whole` is one without its tail, for the reader that knows no tails."""
        with open(os.path.join(out, name + ".txt"), "w") as file:
            file.write(expected(whole, state))

    def write(name, data):
        with open(os.path.join(out, name + ".capsule"), "wb") as file:
            file.write(data)

    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        plain("plain")
        overlay = {"name": "overlaid"}
        with open("overlay.plist", "wb") as file:
            plistlib.dump(overlay, file)
        for version in (1, 2, 3):
            os.mkdir(f"v{version}")
            container(f"v{version}/Fixture.xcappdata", version)
            group(f"v{version}/group", version)
        for codec in ("gzip", "zstd"):
            one = f"{out}/one-{codec}.capsule"
            run("pack", "plain", "-o", one, "--codec", codec, "--label", "only-one", "--note", "Names, holes,\nlinks.")
            record(f"one-{codec}", one)
            three = f"{out}/three-{codec}.capsule"
            for version, more in ((1, ["--label", "first-one", "--codec", codec]), (2, ["--label", "v2.0", "--note", "changed"]), (3, [])):
                place = f"v{version}"
                if version != 2:
                    more += ["--overlay", "Library/Preferences/com.example.fixture.plist=overlay.plist"]
                run("pack", f"{place}/Fixture.xcappdata", "--group", f"group.com.example={place}/group", "--append", "-o", three,
                    "--no-cache", *more, at=CAPTURED + version)
            record(f"three-{codec}", three)
            gaps = f"{out}/gaps-{codec}.capsule"
            run("compact", three, "--keep", "1,3", "-o", gaps)
            record(f"gaps-{codec}", gaps)
            if codec == "gzip":
                latest = f"{out}/latest-{codec}.capsule"
                run("compact", three, "--keep", "latest", "-o", latest)
                record(f"latest-{codec}", latest)
            # Small ones, for what stands behind two versions.
            if os.path.exists("small.capsule"):
                os.remove("small.capsule")
            run("pack", "v1/group", "-o", "small.capsule", "--codec", codec, "--label", "one")
            run("pack", "v2/group", "--append", "-o", "small.capsule", "--no-cache", at=CAPTURED + 1)
            with open("small.capsule", "rb") as file:
                two = file.read()
            with open("two.capsule", "wb") as file:
                file.write(two)
            run("pack", "v1/group", "--append", "-o", "small.capsule", "--no-cache", at=CAPTURED + 2)
            with open("small.capsule", "rb") as file:
                third = bytearray(file.read())
            write(f"torn-{codec}", third[:-9])
            record(f"torn-{codec}", "two.capsule", "torn")
            if codec == "gzip":
                write(f"zeros-{codec}", two + bytes(4_096))
                record(f"zeros-{codec}", "two.capsule", "torn")
            third[-100] ^= 8
            write(f"damaged-{codec}", third)
            record(f"damaged-{codec}", "two.capsule", "damaged")
        os.chdir("/")


if __name__ == "__main__":
    main()
