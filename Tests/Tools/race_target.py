#!/usr/bin/env python3
"""Change a target while apply and restore work on it: nothing outside is touched, and nothing of anybody's is lost.

usage: race_target.py links CAPSULE ROUNDS    in a directory with `a` and `b`, two trees; makes `t`, `outside` and overlays
       race_target.py twins CAPSULE ROUNDS    two commands at once on one target
       race_target.py writer CAPSULE ROUNDS   another program that goes on writing

links: a process swaps a directory and a file of the target for links that lead to `outside`, and back, all the time. Whatever
the command ends with, `t` is one of the trees once the swapping has stopped; with status 0 it is the wanted one; nothing in
`outside` is even opened, and nothing of it turns up in the target or in an overlay that takes a change back.
twins: both end with 0, and the tree is what one of them wanted. writer: the command ends with 0; or says that another program
was at work, and then all that it wrote is there. Ends with a line that counts what came of it. Only the standard library is used.
"""
import gzip
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from audit import Audit

SECRET = b"SECRET of somebody else "


# Messages of commands by how often they came, for the curious.
REASONS = {}


def reason(errors):
    line = errors.split("\n")[0]
    word = " ".join(line.split()[-4:])
    REASONS[word] = REASONS.get(word, 0) + 1


def fail(problem):
    print(problem)
    sys.exit(1)


def state(top):
    """Kinds, modes and contents by path; a tree's own directory is left out."""
    found = {}
    for folder, directories, files in os.walk(top):
        for name in directories + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content = os.readlink(path) if os.path.islink(path) else ""
            if os.path.isfile(path) and not content:
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, top)] = (status.st_mode if not os.path.islink(path) else 0, content)
    return found


class Runner:
    def __init__(self, capsule):
        self.capsule = capsule

    def start(self, *arguments):
        return subprocess.Popen([self.capsule, *arguments, "--no-cache"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process):
        output, errors = process.communicate(timeout=120)
        return process.returncode, errors.decode(errors="replace")

    def run(self, *arguments):
        return self.end(self.start(*arguments))

    def must(self, *arguments):
        done = subprocess.run([self.capsule, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            fail(f"{arguments}: {done.stderr.decode()}")

    def prepare(self):
        for name in "a", "b":
            self.must("pack", name, "-o", name + ".capsule", "--quiet", "--no-cache")
        self.must("diff", "a", "b", "--overlay", "to b.capsule", "--exit-zero", "--quiet", "--no-cache")
        self.must("diff", "b", "a", "--overlay", "to a.capsule", "--exit-zero", "--quiet", "--no-cache")
        self.trees = {name: state(name) for name in "ab"}
        shutil.copytree("a", "t", symlinks=True)

    def which(self, place):
        found = state("t")
        for name, tree in self.trees.items():
            if found == tree:
                return name
        differences = {name: sorted(path for path in set(found) | set(tree) if found.get(path) != tree.get(path))
                       for name, tree in self.trees.items()}
        fail(f"{place}: the tree is neither: {differences}")


def drop(path, aside):
    """Deletes a link; what has taken its place meanwhile is put back."""
    if os.path.islink(path):
        os.rename(path, aside)
        if os.path.islink(aside):
            os.unlink(aside)
        else:
            os.rename(aside, path)


def swapping(directory, file, outside, pause):
    """A process that swaps until it is told to stop, and waits for up to `pause` seconds between two times."""
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    stop, draw = [], random.Random(parent)
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    while not stop and os.getppid() == parent:
        for path, target in (directory, outside), (file, outside + "/a"):
            aside = "aside/" + os.path.basename(path)
            for step in (lambda: os.rename(path, aside), lambda: os.symlink(target, path), lambda: drop(path, aside + ".link"),
                         lambda: os.rename(aside, path)):
                try:
                    step()
                except OSError:
                    pass
        time.sleep(draw.random() * pause)
    os._exit(0)


def links(runner, rounds):
    runner.prepare()
    outside = os.path.realpath("outside")
    for name in "a", "e/b", "gone", "same", "x":
        os.makedirs(os.path.dirname(f"{outside}/{name}"), exist_ok=True)
        with open(f"{outside}/{name}", "wb") as out:
            out.write(SECRET + hashlib.sha256(name.encode()).hexdigest().encode())
    os.mkdir("aside")
    snapshot = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "snapshot.py"), "outside"]
    before = subprocess.run(snapshot, stdout=subprocess.PIPE, check=True).stdout
    audit = Audit("outside")
    counts = {}
    for number in range(rounds):
        now = runner.which(f"round {number}")
        wanted = "b" if now == "a" else "a"
        undo = ["--undo", "undo.capsule"] if number % 3 == 0 else []
        command = ["apply", f"to {wanted}.capsule", "t"] if number % 2 else ["restore", f"{wanted}.capsule", "t"]
        child = swapping("t/d", "t/x", outside, (0, 0.02, 0.1)[number // 2 % 3])
        try:
            status, errors = runner.run(*command, *undo)
        finally:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
        place = f"round {number}, {' '.join(command)}: status {status}: {errors}"
        if events := audit.events():
            fail(f"{place}\n" + "\n".join(events))
        # What was swapped in goes; what is aside goes back, unless something else has taken its place.
        for name in "d", "x":
            if os.path.islink("t/" + name):
                os.unlink("t/" + name)
            if os.path.lexists("aside/" + name):
                if not os.path.lexists("t/" + name):
                    os.rename("aside/" + name, "t/" + name)
                else:
                    (shutil.rmtree if os.path.isdir("aside/" + name) else os.unlink)("aside/" + name)
        if status not in (0, 2):
            fail(place)
        if status == 2:
            reason(errors)
        if status == 2 and os.path.exists("t/.capsule-transaction"):
            recovered, said = runner.run_recover()
            place += f", recover {recovered}: {said}"
            if recovered != 0 or os.path.exists("t/.capsule-transaction"):
                fail(place)
        if os.path.exists("undo.capsule"):
            with gzip.open("undo.capsule") as file:
                if SECRET in file.read():
                    fail(f"{place}: it is in the overlay that takes the change back")
            os.unlink("undo.capsule")
        found = runner.which(place)
        if status == 0 and found != wanted:
            fail(f"{place}: done, and the tree is the old one")
        word = {(0, True): "done", (2, True): "refused, and it is the new one", (2, False): "refused"}[status, found == wanted]
        counts[word] = counts.get(word, 0) + 1
    if subprocess.run(snapshot, stdout=subprocess.PIPE, check=True).stdout != before:
        fail("what lies outside has changed")
    if audit.descriptor is None:
        print("no inotify: that nothing was opened is not known")
    return counts


def twins(runner, rounds):
    runner.prepare()
    counts = {}
    for number in range(rounds):
        now = runner.which(f"round {number}")
        other = "b" if now == "a" else "a"
        pairs = [(["restore", "a.capsule", "t"], ["restore", "b.capsule", "t"]),
                 (["apply", f"to {other}.capsule", "t"], ["apply", f"to {other}.capsule", "t"]),
                 (["apply", f"to {other}.capsule", "t"], ["restore", f"{other}.capsule", "t"])]
        processes = [runner.start(*command) for command in pairs[number % 3]]
        ends = [runner.end(process) for process in processes]
        if any(status != 0 for status, _ in ends):
            fail(f"round {number}: {ends}")
        found = runner.which(f"round {number}: {ends}")
        if number % 3 and found != other:
            fail(f"round {number}: done, and the tree is the old one")
        if os.path.exists("t/.capsule-transaction"):
            fail("left behind")
        counts[found] = counts.get(found, 0) + 1
    return counts


def writer(runner, rounds):
    runner.prepare()
    counts = {}
    draw = random.Random(7)
    for number in range(rounds):
        shutil.rmtree("t")
        shutil.copytree("a", "t", symlinks=True)
        command = ["restore", "b.capsule", "t"] if number % 2 else ["apply", "to b.capsule", "t"]
        process = runner.start(*command)
        written, last = {}, b""
        log = open("t/x", "ab")
        while process.poll() is None:
            count = len(written)
            name = f"t/d/new {count}"
            last = f"round {number}, {count}\n".encode()
            try:
                # A file of its own, one that is put in the place of another, and one that is written to where it is.
                with open(name, "wb") as out:
                    out.write(last)
                written[name] = last
                with open("t/next", "wb") as out:
                    out.write(last)
                os.rename("t/next", "t/d/a")
                written["t/d/a"] = last
            except FileNotFoundError:
                pass
            if number % 4 == 3:
                log.write(last)
                log.flush()
                written["log"] = written.get("log", b"") + last
            time.sleep(draw.random() * (0.002, 0.1)[number // 4 % 2])
        log.close()
        status, errors = runner.end(process)
        place = f"round {number}, {' '.join(command)}: status {status}: {errors}"
        if status == 2:
            if "by another program in the meantime" not in errors and "was made for" not in errors and "changed while" not in errors:
                fail(place)
            if os.path.exists("t/.capsule-transaction"):
                fail(f"{place}: left behind")
            lines = written.pop("log", b"")
            for name, content in written.items():
                if not os.path.exists(name) or open(name, "rb").read() != content:
                    fail(f"{place}: {name} is not as it was written")
            with open("t/x", "rb") as file:
                if file.read() != runner.trees["a"]["x"][1] + lines:
                    fail(f"{place}: t/x has lost something")
            found = state("t")
            for path, item in runner.trees["a"].items():
                if path not in ("d/a", "x") and found.get(path) != item:
                    fail(f"{place}: {path} is not as it was")
        elif status == 0:
            found = state("t")
            for path, item in runner.trees["b"].items():
                if path not in ("d/a", "x") and found.get(path) != item:
                    fail(f"{place}: {path} is not as it was to become")
        else:
            fail(place)
        counts[status] = counts.get(status, 0) + 1
    return counts


def main():
    runner = Runner(sys.argv[2])
    runner.run_recover = lambda: runner.end(subprocess.Popen(
        [runner.capsule, "recover", "t"], stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    print({"links": links, "twins": twins, "writer": writer}[sys.argv[1]](runner, int(sys.argv[3])), REASONS or "")


main()
