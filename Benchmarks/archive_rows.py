"""Rows about one capsule: making it, listing it, printing from it, unpacking it, appending to it."""
import os
import shlex

from bench import NAME, Command, Failed, check_call, measure, remove
from report import SCALES, size


def pack(bench, codec):
    ours, zst = bench.path("p.capsule"), bench.path("p.tar.zst")
    mine, peer = measure([bench.pack(bench.source, ours, codec), bench.tar_zstd(zst)], bench.runs)
    command = f"tar | zstd -3 -T{bench.jobs}"
    bench.report.add(f"pack {codec}", bench.scale, mine, peer, command)
    bench.report.add(f"pack {codec}, size", bench.scale, os.path.getsize(ours), os.path.getsize(zst), command, size, exact=True)
    bench.report.add(f"pack {codec}, peak", bench.scale, mine.peak, peer.peak, command, size)
    remove(ours, zst)()


def pack_gzip(bench):
    pack(bench, "gzip")


def pack_zstd(bench):
    pack(bench, "zstd")


def unpack(bench):
    zst = bench.path("u.tar.zst")
    bench.tar_zstd(zst).run()
    outs = [bench.path("u-" + name) for name in ("gzip", "zstd", "bsdtar", "tar")]
    # Each run begins without a result, which is gone again before the next command needs the space.
    clean = remove(*(os.path.join(out, NAME) for out in outs))
    commands = []
    for out in outs:
        os.makedirs(out, exist_ok=True)
    for out, codec in zip(outs, ("gzip", "zstd")):
        capsule = bench.path(f"u-{codec}.capsule")
        bench.pack(bench.source, capsule, codec).run()
        commands.append(bench.ours("unpack", capsule, "-C", out, "--quiet", before=clean))
    commands.append(Command(["bsdtar", "-xf", zst, "-C", outs[2]], before=clean))
    commands.append(Command(f"zstd -dcq {shlex.quote(zst)} | tar -xf - -C {shlex.quote(outs[3])}", before=clean))
    gzip, zstd, bsdtar, piped = measure(commands, bench.runs)
    best, command = min((bsdtar, "bsdtar -x"), (piped, "zstd -d | tar -x"))
    bench.report.add("unpack gzip", bench.scale, gzip, best, command)
    bench.report.add("unpack zstd", bench.scale, zstd, best, command)
    remove(zst, bench.path("u-gzip.capsule"), bench.path("u-zstd.capsule"), *outs)()


def middle_file(container):
    """The tree path of one file of ordinary size and name, in the middle of all."""
    app, found = os.path.join(container, "AppData"), []
    for folder, _, names in os.walk(app):
        for name in names:
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, app)
            is_plain = all(c.isalnum() or c in "/-_. " for c in shown) and shown.isascii() and not name.startswith(".")
            if is_plain and not os.path.islink(path) and os.path.getsize(path) < 1 << 16:
                found.append(shown)
    if not found:
        raise Failed(f"{container} contains no file to print")
    return sorted(found)[len(found) // 2]


def look(bench, row, words, peer):
    """One of our commands on a capsule beside unzip on a zip of the same tree."""
    capsule, archive = bench.path("l.capsule"), bench.path("l.zip")
    bench.pack(bench.source, capsule).run()
    # How hard the zip is squeezed matters neither for listing nor for one small file.
    check_call(["zip", "-q", "-1", "-r", "-y", archive, NAME], cwd=bench.place)
    commands = [Command([bench.capsule, words[0], capsule, *words[1:]]), Command(["unzip", peer[0], archive, *peer[1:]])]
    mine, theirs = measure(commands, bench.runs * 5)  # these take milliseconds
    bench.report.add(row, bench.scale, mine, theirs, f"unzip {peer[0]}")
    remove(capsule, archive)()


def cat(bench):
    path = middle_file(bench.source)
    look(bench, "cat one file", ["cat", path], ["-p", f"{NAME}/AppData/{path}"])


def ls(bench):
    look(bench, "ls", ["ls"], ["-l"])


def first_version(bench):
    """Packs the source; returns a command that appends to the result, capsule and cache as they were then, and the two files."""
    first, capsule, cache = bench.path("v1.capsule"), bench.path("v.capsule"), os.environ["XDG_CACHE_HOME"]
    bench.settle()
    bench.pack(bench.source, first).run()
    remove(cache + "-1")()
    check_call(["cp", "-a", cache, cache + "-1"])

    def restore():
        check_call(["cp", first, capsule])
        remove(cache)()
        check_call(["cp", "-a", cache + "-1", cache])
    return bench.ours("pack", bench.source, "--append", "-o", capsule, "--quiet", before=restore), first, capsule


def append_unchanged(bench):
    copy = bench.path("copy")
    check_call(["cp", "-a", bench.source, copy])
    append, first, capsule = first_version(bench)
    ours, peer = measure([append, Command(["rsync", "-nai", bench.source + "/", copy + "/"])], bench.runs)
    bench.report.add("append, unchanged", bench.scale, ours, peer, "rsync -nai")
    added = os.path.getsize(capsule) - os.path.getsize(first)
    bench.report.add("append, unchanged, adds", bench.scale, added, show=size, exact=True)
    remove(copy, first, capsule)()


def append_after(bench):
    """The container as a test run leaves it: what the run did not change keeps its inode and times. It stays changed."""
    append, first, capsule = first_version(bench)
    check_call(["rsync", "-rlc", "--delete", bench.after() + "/", bench.source + "/"])
    ours, = measure([append], bench.runs)
    bench.report.add("append after a run", bench.scale, ours)
    share = (os.path.getsize(capsule) - os.path.getsize(first)) / os.path.getsize(first)
    bench.report.add("append after, adds", bench.scale, share, show=lambda value: f"{value:.2%}", exact=True)
    remove(first, capsule)()


# By name: the row, and the scales that it is measured on. The last one changes the container.
ROWS = {
    "pack-gzip": (pack_gzip, SCALES), "pack-zstd": (pack_zstd, SCALES), "unpack": (unpack, SCALES), "cat": (cat, SCALES),
    "list": (ls, SCALES), "append-unchanged": (append_unchanged, SCALES), "append-after": (append_after, ("medium",)),
}
