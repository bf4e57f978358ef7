#!/usr/bin/env python3
"""Run random sequences of commands, some of them killed, beside a model that says what has to be there afterwards.

usage: check_model.py CAPSULE --sequences N --steps N [--seed N]

Each sequence has a live directory, a capsule of it and, in memory, what every version and the directory hold. A step edits the
directory or runs a command, and compares what is there with the model: names, kinds, modes, contents, targets of links. After a
kill the directory is what it was or what it was to become, and so is the capsule. Works in the current directory and leaves nothing
there. Status: 0, or 1 with the seed, the sequence and its commands on standard output. Only the standard library is used.
"""
import argparse, json, os, plistlib, random, shutil, signal, sqlite3, stat, subprocess, sys, time

# Not Documents beside Library: with both the directory is a container, and no version of a plain one.
NAMES = ["a", "b.txt", "c.json", "d.plist", "e.sqlite", "é", "a b", "-x", "Library", "Caches"]


class Wrong(Exception):
    pass


def look(top):
    """What a directory holds, by path; '' is the directory itself."""
    found = {}
    def visit(path, full):
        status = os.lstat(full)
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            found[path] = ("link", os.readlink(full))
        elif stat.S_ISREG(status.st_mode):
            with open(full, "rb") as file:
                found[path] = ("file", mode, file.read())
        elif stat.S_ISDIR(status.st_mode):
            found[path] = ("directory", mode)
            for name in os.listdir(full):
                visit(f"{path}/{name}" if path else name, f"{full}/{name}")
        else:
            found[path] = ("other",)
    visit("", top)
    return found


def make(top, tree):
    """Write a tree of the model to a new directory."""
    for path in sorted(tree):
        full, entry = f"{top}/{path}" if path else top, tree[path]
        if entry[0] == "directory":
            os.mkdir(full)
        elif entry[0] == "file":
            with open(full, "wb") as file:
                file.write(entry[2])
            os.chmod(full, entry[1])
        else:
            os.symlink(entry[1], full)
    for path in tree:
        if tree[path][0] == "directory":
            os.chmod(f"{top}/{path}" if path else top, tree[path][1])


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def difference(found, wanted):
    paths = [path for path in sorted(set(found) | set(wanted)) if found.get(path) != wanted.get(path)]
    return [(path, str(found.get(path))[:80], str(wanted.get(path))[:80]) for path in paths[:5]]


class Sequence:
    def __init__(self, capsule, seed, number, slow):
        self.capsule, self.draw = capsule, random.Random(f"{seed}/{number}")
        self.commands, self.versions, self.slow = [], [], slow
        self.tree = {"": ("directory", 0o755)}
        for _ in range(self.draw.randint(3, 15)):
            self.edit(self.tree)
        make("live", self.tree)
        self.codec = self.draw.choice(["gzip", "zstd"])
        self.kills = 0

    # MARK: The model

    def content(self, path, before=None):
        """Contents of the kind that a name tells; where there is a file, often a changed one of the same kind."""
        draw = self.draw
        if path.endswith((".json", ".plist")):
            value = {}
            if before is not None and draw.random() < 0.8:
                try:
                    value = json.loads(before) if path.endswith(".json") else plistlib.loads(before)
                except Exception:
                    value = {}
            if not isinstance(value, dict):
                value = {}
            for _ in range(draw.randint(1, 4)):
                value[draw.choice("abcdefgh")] = draw.choice(
                    [draw.randint(-5, 1 << 40), "text", True, 1.5, [0] * draw.randint(0, 9) + [draw.randint(0, 3)], {"k": draw.randint(0, 9)}])
            if path.endswith(".json"):
                return json.dumps(value, indent=draw.choice([None, 2])).encode()
            return plistlib.dumps(value, fmt=draw.choice([plistlib.FMT_XML, plistlib.FMT_BINARY]))
        if path.endswith(".sqlite"):
            remove("database")
            if before is not None:
                with open("database", "wb") as file:
                    file.write(before)
            try:
                connection = sqlite3.connect("database")
                connection.execute("PRAGMA page_size=1024")
                connection.execute("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a, b TEXT)")
                for _ in range(draw.randint(1, 30)):
                    connection.execute("INSERT OR REPLACE INTO t VALUES (?, ?, ?)",
                                       (draw.randint(0, 60), draw.choice([None, 1, 2.5, "x", b"\0\1"]), "é" * draw.randint(0, 9)))
                connection.execute("DELETE FROM t WHERE id=?", (draw.randint(0, 60),))
                connection.commit()
            except sqlite3.DatabaseError:
                return b"no database"
            finally:
                connection.close()
                with open("database", "rb") as file:
                    content = file.read()
                remove("database")
            return content
        if before and draw.random() < 0.5:
            lines = before.split(b"\n")
            lines[draw.randrange(len(lines))] = b"line %d" % draw.randint(0, 99)
            return b"\n".join(lines)
        if draw.random() < 0.1:
            return draw.randbytes(draw.randint(1, 300_000))
        return b"".join(b"line %d\n" % draw.randint(0, 9) for _ in range(draw.randint(0, 20)))

    def paths(self, tree, kind):
        return sorted(path for path in tree if tree[path][0] == kind)

    def edit(self, tree):
        """Change a tree of the model as an app does."""
        draw = self.draw
        files, links = self.paths(tree, "file"), self.paths(tree, "link")
        parent = draw.choice(self.paths(tree, "directory"))
        new = f"{parent}/{draw.choice(NAMES)}" if parent else draw.choice(NAMES)
        what = draw.choice(["write", "write", "write", "change", "change", "delete", "rename", "directory", "link", "mode", "tree"])
        if what == "write" and new not in tree:
            tree[new] = ("file", draw.choice([0o644, 0o600, 0o755]), self.content(new))
        elif what == "change" and files:
            path = draw.choice(files)
            tree[path] = ("file", tree[path][1], self.content(path, tree[path][2]))
        elif what == "delete" and files + links:
            del tree[draw.choice(files + links)]
        elif what == "rename" and files and new not in tree:
            tree[new] = tree.pop(draw.choice(files))
        elif what == "directory" and new not in tree and parent.count("/") < 4:
            tree[new] = ("directory", draw.choice([0o755, 0o700]))
        elif what == "link" and new not in tree:
            tree[new] = ("link", draw.choice(["a", "../b", "/nowhere", "é"]))
        elif what == "mode" and files:
            path = draw.choice(files)
            tree[path] = ("file", draw.choice([0o644, 0o600, 0o400, 0o755]), tree[path][2])
        elif what == "tree" and parent and draw.random() < 0.3:
            for path in [path for path in tree if path == parent or path.startswith(parent + "/")]:
                del tree[path]

    # MARK: Commands

    def run(self, *words, wanted=0):
        self.commands.append(" ".join(words))
        done = subprocess.run([self.capsule, *words], capture_output=True)
        if done.returncode != wanted:
            raise Wrong(f"status {done.returncode}, not {wanted}: {done.stderr.decode(errors='replace')[:2000]}")
        return done.stdout

    def killed(self, *words):
        """Run a command, and kill it at some moment. Return whether it had ended by itself."""
        self.commands.append("killed: " + " ".join(words))
        process = subprocess.Popen([self.capsule, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.draw.random() * self.slow)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.kills += process.returncode != 0
        for name in os.listdir("."):
            if name.startswith(".") and name.endswith(".tmp"):
                remove(name)
        return process.returncode == 0

    def same(self, place, tree):
        found = look(place)
        if found != tree:
            raise Wrong(f"{place} is not as the model has it: {difference(found, tree)}")

    def sync(self):
        """Bring the model's edits into the live directory, each entry by itself, as an app would."""
        found = look("live")
        for path in sorted(found, reverse=True):
            if path and (path not in self.tree or self.tree[path][0] != found[path][0]):
                remove(f"live/{path}")
        for path in sorted(self.tree):
            full, entry = f"live/{path}" if path else "live", self.tree[path]
            if found.get(path) == entry:
                continue
            if entry[0] == "directory":
                os.makedirs(full, exist_ok=True)
            elif entry[0] == "link":
                remove(full)
                os.symlink(entry[1], full)
            else:
                remove(full) if self.draw.random() < 0.3 or not os.access(full, os.W_OK) else None
                with open(full, "wb") as file:
                    file.write(entry[2])
            if entry[0] != "link":
                os.chmod(full, entry[1])

    def version(self):
        number = self.draw.randrange(len(self.versions))
        return f"c.capsule@{self.numbers()[number]}", self.versions[number]

    def listed(self):
        return sorted(version["number"] for version in json.loads(self.run("log", "c.capsule", "--json"))["versions"])

    def numbers(self):
        numbers = self.listed()
        if len(numbers) != len(self.versions):
            raise Wrong(f"there are {len(numbers)} versions, not {len(self.versions)}")
        return numbers

    # MARK: Steps

    def step_edit(self):
        for _ in range(self.draw.randint(1, 6)):
            self.edit(self.tree)
        self.sync()
        self.same("live", self.tree)

    def step_pack(self):
        words = ["pack", "live", "-o", "c.capsule", "-q"]
        self.run(*words, *(["--append"] if self.versions else ["--codec", self.codec]))
        self.versions.append(dict(self.tree))
        self.same("live", self.tree)

    def step_unpack(self):
        name, tree = self.version()
        self.run("unpack", name, "-o", "out", "-q", "--as", "directory")
        self.same("out", tree)
        remove("out")

    def step_restore(self):
        name, tree = self.version()
        before = dict(self.tree)
        self.run("restore", name, "live", "-q", "--any-directory", "--undo", "undo.capsule")
        self.same("live", tree)
        self.tree = dict(tree)
        if os.path.exists("undo.capsule"):
            if self.draw.random() < 0.5:
                self.run("apply", "undo.capsule", "live", "-q")
                self.same("live", before)
                self.tree = before
            remove("undo.capsule")
        elif before != tree:
            raise Wrong("nothing to undo, though something changed")

    def step_diff(self):
        (left, old), (right, new) = self.version(), self.version()
        self.run("diff", left, right, "-q", wanted=0 if old == new else 1)
        self.run("diff", left, "live", "-q", wanted=0 if old == self.tree else 1)

    def step_overlay(self):
        (left, old), (right, new) = self.version(), self.version()
        self.run("diff", left, right, "-q", "--exit-zero", "--overlay", "o.capsule")
        self.run("unpack", left, "-o", "out", "-q", "--as", "directory")
        self.run("apply", "o.capsule", "out", "-q")
        self.same("out", new)
        self.run("overlay", "invert", "o.capsule", "-o", "back.capsule", "-q")
        self.run("apply", "back.capsule", "out", "-q")
        self.same("out", old)
        for path in "out", "o.capsule", "back.capsule":
            remove(path)

    def step_merge(self):
        """Two sides that changed different files: both changes, whatever they are."""
        name, base = self.version()
        sides, changed = [dict(base), dict(base)], {}
        for path in self.paths(base, "file"):
            side = self.draw.choice([0, 1, None])
            if side is None:
                continue
            if self.draw.random() < 0.3:
                changed[path] = None
                del sides[side][path]
            else:
                changed[path] = sides[side][path] = ("file", base[path][1], self.content(path, base[path][2]))
        for side in 0, 1:
            path = f"new {side}"
            if path not in base:
                changed[path] = sides[side][path] = ("file", 0o644, b"of side %d\n" % side)
        wanted = dict(base)
        for path, entry in changed.items():
            wanted.pop(path, None)
            if entry:
                wanted[path] = entry
        make("ours", sides[0])
        make("theirs", sides[1])
        # A file that vanished on one side and has come up as new on the other was renamed there.
        contents = [entry[2] for entry in base.values() if entry[0] == "file"]
        if not any(entry and entry[2] in contents for entry in changed.values()):
            self.run("merge", name, "ours", "theirs", "-o", "merged", "-q")
            self.same("merged", wanted)
            remove("merged")
        remove("ours")
        remove("theirs")

    def step_compact(self):
        keep = self.draw.randint(1, len(self.versions))
        numbers = self.numbers()
        kept = sorted(self.draw.sample(range(len(numbers)), keep))
        self.run("compact", "c.capsule", "-q", "--keep", ",".join(str(numbers[place]) for place in kept))
        self.versions = [self.versions[place] for place in kept]
        self.numbers()

    def step_verify(self):
        self.run("verify", "c.capsule", "-q", "--strict")

    def step_kill_live(self):
        name, tree = self.version()
        before = dict(self.tree)
        ended = self.killed("restore", name, "live", "-q", "--any-directory", "--undo", "undo.capsule")
        self.run("recover", "live", "-q")
        found = look("live")
        if found not in ([tree] if ended else [before, tree]):
            raise Wrong(f"neither old nor new: {difference(found, before)} {difference(found, tree)}")
        if found != before and not os.path.exists("undo.capsule"):
            raise Wrong("the directory has changed, and nothing leads back")
        if os.path.exists("undo.capsule") and found != before:
            self.run("apply", "undo.capsule", "live", "-q")
            self.same("live", before)
            found = before
        remove("undo.capsule")
        self.tree = found

    def step_kill_append(self):
        ended = self.killed("pack", "live", "-o", "c.capsule", "--append", "-q")
        self.run("repair", "c.capsule", "-q")
        count = len(self.listed())
        if count == len(self.versions) + 1:
            self.versions.append(dict(self.tree))
        elif ended or count != len(self.versions):
            raise Wrong(f"{count} versions, after {len(self.versions)}")
        remove("c.capsule.damaged")
        self.step_verify()

    def step_kill_compact(self):
        numbers = self.numbers()
        ended = self.killed("compact", "c.capsule", "-q", "--keep", "latest")
        count = len(self.listed())
        if count == 1:
            self.versions = self.versions[-1:]
        elif ended or count != len(numbers):
            raise Wrong(f"{count} versions, of {len(numbers)}")
        self.step_verify()

    def run_steps(self, count):
        steps = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("step_")]
        self.step_pack()
        for _ in range(count):
            self.draw.choice(steps + [self.step_edit, self.step_edit, self.step_pack])()
        # All that was ever promised is still there.
        self.same("live", self.tree)
        for number, tree in zip(self.numbers(), self.versions):
            self.run("unpack", f"c.capsule@{number}", "-o", "out", "-q", "--as", "directory")
            self.same("out", tree)
            remove("out")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("capsule")
    parser.add_argument("--sequences", type=int, default=10)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CAPSULE_TEST_SEED", 7)))
    options = parser.parse_args()
    began = time.monotonic()
    subprocess.run([options.capsule, "--version"], stdout=subprocess.DEVNULL, check=True)
    slow = max(0.03, 4 * (time.monotonic() - began))
    commands = kills = done = 0
    for number in range(options.sequences):
        sequence = Sequence(options.capsule, options.seed, number, slow)
        try:
            sequence.run_steps(options.steps)
        except Wrong as wrong:
            print(f"seed {options.seed}, sequence {number}: {wrong}", *sequence.commands[-30:], sep="\n  ")
            sys.exit(1)
        commands += len(sequence.commands)
        kills += sequence.kills
        done += 1
        for name in os.listdir("."):
            if name in ("live", "c.capsule") or name.startswith("."):
                remove(name)
        left = os.listdir(".")
        if left:
            print(f"seed {options.seed}, sequence {number}: left behind: {left}")
            sys.exit(1)
    print(f"seed {options.seed}: {done} sequences, {commands} commands, {kills} of them killed")


main()
