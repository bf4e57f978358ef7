#!/usr/bin/env python3
"""Let a command's system calls fail one by one, and look at what it leaves.

usage: faults.py count                     [--from DIR] -- COMMAND...
       faults.py each  [--mode MODE]... [--pairs] [--part N] [--from DIR] --check SCRIPT -- COMMAND...
       faults.py cuts  [--limit N]      [--from DIR] --check SCRIPT -- COMMAND...

Every case runs in a fresh copy of DIR (default: an empty directory), and then `sh -eu` runs SCRIPT there, after lib.sh
if $LIB names it: its status is the case's. FAULT holds the case's name, which can be tried by hand as
`CAPSULE_FAULT=kill:3 COMMAND`; STATUS what COMMAND ended with (137 if it was killed; always 137 with `cuts`); HERE the
directory that faults.py was started in. The command's output is in ../out and ../err; ../inodes has, in JSON, the inode
numbers of what was there before it. The program must be a build for
debugging; with another one all end with status 77. See Sources/CapsuleSystem/Syscalls/Faults.swift.

count  prints how many calls that change something COMMAND makes, and which.
each   for every mode and every call: kill, tear, ENOSPC, ENOSPC+, EIO, EIO+ (`+`: all later writes and syncs fail as
       well). A command that is not killed must end by itself, without a signal. With --pairs it is also killed at every
       call that it makes after a failed one: while it cleans up. With --part only every N-th case is tried, from one drawn
       by lot on.
cuts   what a power cut can leave: all that was synced is there, and of what was done to a file since its last sync, any
       part, in pages; what was written may be zeros instead. Names last when their directory is synced, and are
       otherwise there or not, in order. Cases that come out alike are looked at once; where there are more than
       --limit (default 2000) for one cut, each page is left out and zeroed alone, and kept alone, and the rest is drawn
       with a fixed seed.

Ends with a line `faults: N cases`, so that an empty run is not taken for success. Status: 0 all checks passed, 1 not,
2 trouble, 77 no build for debugging.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

MODES = ["kill", "tear", "ENOSPC", "ENOSPC+", "EIO", "EIO+"]
PAGE = 4096
WORKERS = max(2, os.cpu_count() or 1)


class Bench:
    """Runs cases in directories of their own."""

    def __init__(self, options):
        self.options = options
        self.top = tempfile.mkdtemp(prefix="faults.")
        self.here = os.getcwd()
        self.numbers = itertools.count()
        self.cases = 0
        self.failed = []

    def fresh(self):
        """A directory for one case; what it starts from is in `d`."""
        place = os.path.join(self.top, str(next(self.numbers)))
        if self.options.start:
            os.mkdir(place)
            shutil.copytree(self.options.start, os.path.join(place, "d"), symlinks=True)
            with open(place + "/inodes", "w") as out:
                json.dump(inodes(place + "/d"), out)
        else:
            os.makedirs(os.path.join(place, "d"))
        return place

    def run(self, place, fault):
        """Runs the command; its status."""
        with open(place + "/out", "wb") as out, open(place + "/err", "wb") as err:
            done = subprocess.run(self.options.command, cwd=place + "/d", stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                  env=dict(os.environ, CAPSULE_FAULT=fault), timeout=120)
        return 128 - done.returncode if done.returncode < 0 else done.returncode

    def check(self, place, fault, status):
        """Runs the script on what is in `d`; what is wrong, or None."""
        script = ('. "$LIB"\n' if os.environ.get("LIB") else "") + self.options.check
        done = subprocess.run(["sh", "-euc", script], cwd=place + "/d", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, env=dict(os.environ, FAULT=fault, STATUS=str(status), HERE=self.here))
        return None if done.returncode == 0 else f"{fault}: status {status}, check {done.returncode}\n{text(done.stdout)}"

    def case(self, fault, kills):
        place = self.fresh()
        status = self.run(place, fault)
        if kills and status != 137:
            problem = f"{fault}: status {status}, not killed"
        elif not kills and status > 128:
            problem = f"{fault}: ended by signal {status - 128}\n{read(place + '/err')}"
        else:
            problem = self.check(place, fault, status)
        if problem and os.path.exists(place + "/err"):
            problem += read(place + "/err")
        shutil.rmtree(place)
        return problem

    def calls(self, fault=""):
        """The names of the calls that are made with `fault`."""
        place = self.fresh()
        # Under a name that neither the command nor a check sees.
        log = place + "/calls"
        status = self.run(place, ",".join(filter(None, [fault, "count:" + log])))
        lines = open(log).read().split() if os.path.exists(log) else []
        if status == 99:
            sys.exit(f"faults: {read(place + '/err')}")
        if not fault and status != 0:
            sys.exit(f"faults: status {status}\n{read(place + '/err')}")
        shutil.rmtree(place)
        return lines

    def all(self, jobs):
        """Runs them a few at a time, until some have failed."""
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for problem in pool.map(lambda job: job() if len(self.failed) < 5 else None, jobs):
                self.cases += 1
                if problem:
                    self.failed.append(problem)

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)


def inodes(top):
    """The inode numbers of all that is in a directory, by path."""
    found = {}
    for folder, directories, files in os.walk(top):
        for name in directories + files:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, top)] = os.lstat(path).st_ino
    return found


def text(data):
    return data.decode(errors="backslashreplace")


def read(path):
    with open(path, "rb") as file:
        return text(file.read(2000))


# -- every call ----------------------------------------------------------------------------------------------------

def each(bench, options):
    names = bench.calls()
    if not names:
        print("no call was counted: not a build for debugging?")
        return 77
    faults = []
    for mode in options.mode or MODES:
        for number, name in enumerate(names, 1):
            # What is no write is not torn, it is killed.
            if mode != "tear" or name == "write":
                faults.append((f"{mode.rstrip('+')}:{number}{'+' if mode.endswith('+') else ''}", mode in ("kill", "tear")))
    if options.pairs:
        for mode in ("ENOSPC", "EIO"):
            for number in range(1, len(names) + 1):
                first = f"{mode}:{number}"
                later = range(number + 1, len(bench.calls(first)) + 1)
                faults += [(f"{first},kill:{n}", True) for n in later]
    # The seed says which ones; a failure names its fault.
    faults = faults[int(os.environ.get("CAPSULE_TEST_SEED", 7)) % options.part::options.part]
    bench.all([lambda fault=fault, kills=kills: bench.case(fault, kills) for fault, kills in faults])
    return None


# -- power cuts ----------------------------------------------------------------------------------------------------

class Disk:
    """A directory's files as they lie on the disk: what lasts, and what was done since."""

    def __init__(self, directory):
        self.top = str(os.stat(directory).st_ino)
        self.names = {}
        self.files = {}
        for name in os.listdir(directory):
            path = os.path.join(directory, name)
            if os.path.isfile(path) and not os.path.islink(path):
                inode = str(os.stat(path).st_ino)
                self.names[name.encode()] = inode
                with open(path, "rb") as file:
                    self.files[inode] = file.read()
        self.last_names = dict(self.names)
        self.pending = {}
        self.creating = None

    def is_here(self, directory, name):
        return directory in ("-", self.top) and b"/" not in name

    def replay(self, line):
        word, *rest = line.split(" ")
        if word == "write":
            offset, data = int(rest[1]), bytes.fromhex(rest[2])
            while data:
                count = PAGE - offset % PAGE
                self.pending.setdefault(rest[0], []).append(("write", offset, data[:count]))
                offset, data = offset + len(data[:count]), data[count:]
        elif word == "truncate":
            self.pending.setdefault(rest[0], []).append(("truncate", int(rest[1]), b""))
        elif word == "sync":
            if rest[0] == self.top:
                self.last_names = dict(self.names)
            elif rest[0] in self.files:
                self.files[rest[0]] = apply(self.files[rest[0]], [(step, "done") for step in self.pending.pop(rest[0], [])])
        elif word == "create":
            self.creating = bytes.fromhex(rest[1]) if self.is_here(rest[0], bytes.fromhex(rest[1])) else None
        elif word == "made" and self.creating is not None:
            self.names[self.creating] = rest[0]
            self.files[rest[0]] = b""
        elif word == "remove" and self.is_here(rest[0], bytes.fromhex(rest[1])):
            self.names.pop(bytes.fromhex(rest[1]), None)
        elif word in ("rename", "link"):
            old, new = bytes.fromhex(rest[1]), bytes.fromhex(rest[3])
            if self.is_here(rest[0], old) and self.is_here(rest[2], new) and old in self.names:
                self.names[new] = self.names[old] if word == "link" else self.names.pop(old)

    def states(self, limit, draw):
        """What a cut here can leave, each as {name: bytes}."""
        steps = [(inode, step) for inode, list in self.pending.items() for step in list]
        for names in [self.names] if self.names == self.last_names else [self.names, self.last_names]:
            for fates in fates_of(steps, limit, draw):
                files = dict(self.files)
                for inode in self.pending:
                    own = [(step, fate) for (owner, step), fate in zip(steps, fates) if owner == inode]
                    files[inode] = apply(files.get(inode, b""), own)
                yield {name: files[inode] for name, inode in names.items()}


def fates_of(steps, limit, draw):
    """What becomes of each step: done, lost, or, of a write, zeros."""
    kinds = [("done", "lost", "zeros") if kind == "write" else ("done", "lost") for _, (kind, _, _) in steps]
    total = 1
    for kind in kinds:
        total *= len(kind)
    if total <= limit:
        yield from itertools.product(*kinds)
        return
    count = len(steps)
    for fate, rest in [("lost", "done"), ("done", "lost"), ("zeros", "done"), ("done", "zeros"), ("zeros", "lost")]:
        for number in range(count + 1):
            # From `number` on, and it alone.
            yield [fate if at >= number and fate in kinds[at] else rest if rest in kinds[at] else "lost" for at in range(count)]
            yield [fate if at == number and fate in kinds[at] else rest if rest in kinds[at] else "lost" for at in range(count)]
    for _ in range(limit // 4):
        yield [draw.choice(kind) for kind in kinds]


def apply(data, steps):
    data = bytearray(data)
    for (kind, offset, new), fate in steps:
        if fate == "lost":
            continue
        if kind == "truncate":
            data = data[:offset] + bytes(max(0, offset - len(data)))
        else:
            data += bytes(max(0, offset + len(new) - len(data)))
            data[offset:offset + len(new)] = new if fate == "done" else bytes(len(new))
    return bytes(data)


def cuts(bench, options):
    place = bench.fresh()
    disk = Disk(place + "/d")
    trace = place + "/trace"
    status = bench.run(place, "trace:" + trace)
    if not os.path.exists(trace):
        print("no call was traced: not a build for debugging?")
        return 77
    if status != 0:
        sys.exit(f"faults: status {status}\n{read(place + '/err')}")
    with open(trace) as file:
        lines = file.read().splitlines()
    draw = random.Random(1)
    seen = set()

    def jobs():
        for number, line in enumerate(lines + ["end"], 1):
            # A cut before a sync leaves all that one earlier could, and more.
            if line.startswith("sync ") or line == "end":
                for state in disk.states(options.limit, draw):
                    key = frozenset((name, hash(data)) for name, data in state.items())
                    if key not in seen:
                        seen.add(key)
                        yield lambda state=state, number=number: look(state, number)
            disk.replay(line)

    def look(state, number):
        place = bench.fresh()
        for name in os.listdir(place + "/d"):
            path = os.path.join(place, "d", name)
            if os.path.isfile(path):
                os.unlink(path)
        for name, data in state.items():
            with open(os.path.join((place + "/d").encode(), name), "wb") as file:
                file.write(data)
        lengths = ", ".join(f"{text(name)} {len(data)}" for name, data in sorted(state.items()))
        problem = bench.check(place, f"cut before call {number} ({lengths})", 137)
        shutil.rmtree(place)
        return problem

    bench.all(jobs())
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("action", choices=["count", "each", "cuts"])
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--from", dest="start")
    parser.add_argument("--check")
    if "--" not in sys.argv:
        parser.error("no command behind '--'")
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    options.command = sys.argv[split + 1:]
    if options.action != "count" and not options.check:
        parser.error("no --check")
    bench = Bench(options)
    try:
        if options.action == "count":
            names = bench.calls()
            print(len(names), *names)
            return 0 if names else 77
        outcome = (each if options.action == "each" else cuts)(bench, options)
        if outcome is not None:
            return outcome
    finally:
        bench.close()
    for problem in bench.failed:
        print(problem)
    print(f"faults: {bench.cases} cases" + (", not all tried" if bench.failed else ""))
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
