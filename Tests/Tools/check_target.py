#!/usr/bin/env python3
"""Look at what a command left of a target that failed or was killed: it must be the old tree or the new one, exactly.

usage: check_target.py record FILE ROOT...       writes down what the directories ROOT hold
       check_target.py check OLD NEW [--now] [--any] [--untimed PATH] [--undo UNDO] [--next COMMAND...]

`check` is for faults.py, which says with FAULT and STATUS what was done and how it ended; `../err` is what it wrote, and
`../inodes` the inode numbers from before. OLD and NEW are what `record` wrote. What was not killed must be the old tree already
if it failed, with nothing left behind, else the new one. Then, by turns, `$CAPSULE recover t` says in text or in JSON what it
makes of it, or COMMAND follows. A restore recovers by itself and makes it the new one. A check writes nothing; once it is
recovered, its status is 0 for the new tree and 1 for the old one. All is compared: kinds, contents, targets, modes, attributes, times, and the inodes of
whatever is equal before and after. Only where a process was killed between making or deleting a staging and putting the time
of the directory around it back, or putting it back failed, may that time be another one.

--now   the tree is looked at as it is, and nothing is recovered
--untimed  the new time of PATH is that of the moment
--any   COMMAND was a recovery: whatever it ended with, the tree may be either
--undo  the overlay that takes the change back: there if and only if it is new, or it was killed

Status 0, or 1 and what is wrong. Only the standard library is used.
"""
import hashlib
import json
import os
import re
import stat
import subprocess
import sys

STAGING = ".capsule-transaction"


def entry(path):
    status = os.lstat(path)
    kind = stat.S_IFMT(status.st_mode)
    content = ""
    if kind == stat.S_IFLNK:
        content = os.fsencode(os.readlink(path)).hex()
    elif kind == stat.S_IFREG:
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
    labels = {} if kind == stat.S_IFLNK else {name: os.getxattr(path, name).hex() for name in os.listxattr(path)}
    labels = {name: value for name, value in labels.items() if name.startswith("user.")}
    mode = 0 if kind == stat.S_IFLNK else stat.S_IMODE(status.st_mode)
    return [f"{kind:o}", f"{mode:o}", status.st_mtime_ns, labels, content], status.st_ino


def look(roots):
    """What the roots hold, by path; the inodes of it; and what is left of transactions."""
    found, inodes, left = {}, {}, []
    for root in roots:
        found[root], inodes[root] = entry(root)
        for folder, directories, files in os.walk(root):
            if STAGING in directories:
                directories.remove(STAGING)
                left.append(os.path.join(folder, STAGING))
            for name in directories + files:
                path = os.path.join(folder, name)
                found[path], inodes[path] = entry(path)
    return found, inodes, left


class Check:
    def __init__(self, old, new):
        self.roots = old["roots"]
        self.old, self.new = old["entries"], new["entries"]
        with open("../inodes") as file:
            self.inodes = json.load(file)
        self.fault = os.environ["FAULT"]
        self.untimed = None
        self.status = int(os.environ["STATUS"])
        with open("../err", errors="backslashreplace") as file:
            self.errors = file.read()

    def state(self, is_exact):
        """Which tree it is; ends the check if it is neither."""
        found, inodes, left = look(self.roots)
        problems = {}
        for name, wanted in ("old", self.old), ("new", self.new):
            problem = self.difference(wanted, found, inodes, is_exact, name)
            if problem is None:
                return name, left
            problems[name] = problem
        fail(f"neither the old tree nor the new one: not the old one for {problems['old']}; not the new one for {problems['new']}")

    def difference(self, wanted, found, inodes, is_exact, name):
        for path in sorted(set(wanted) | set(found)):
            one, other = wanted.get(path), found.get(path)
            if one is None or other is None:
                return f"{path}, which is {'left' if one is None else 'missing'}"
            if one != other:
                if name == "new" and path == self.untimed and one[:2] + one[3:] == other[:2] + other[3:]:
                    continue
                if path in self.roots and not is_exact and one[:2] + one[3:] == other[:2] + other[3:]:
                    continue
                return f"{path}: {other}, not {one}"
            same = one == self.old.get(path) and (name == "old" or self.new.get(path) == self.old[path])
            if same and inodes[path] != self.inodes.get(path):
                return f"{path}, which is another inode"
        return None

    def run(self, arguments):
        environment = {name: value for name, value in os.environ.items() if name != "CAPSULE_FAULT"}
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=120)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def before(self):
        """What was not killed has left one of the trees by itself; whether there may be something to recover."""
        if self.status == 137:
            return True
        # Only where syncs fail, or it was killed while it did so, is undoing in vain.
        if self.status == 2 and "the rollback failed too" in self.errors and "+" in self.fault:
            return True
        # The very last call of all puts the time of a root back.
        is_exact = "can't be deleted: cannot set its times" not in self.errors
        state, left = self.state(is_exact)
        if self.status == 0:
            if state != "new":
                fail("it says that it is done, and the tree is the old one")
            if left and "can't be deleted" not in self.errors:
                fail(f"it is done, and left without a word: {left}")
            return bool(left)
        if self.status != 2:
            fail(f"status {self.status}")
        if state != "old":
            fail("it failed, and the tree is the new one")
        if left and not ("the staged files can't be deleted" in self.errors and "+" in self.fault):
            fail(f"it failed, and left {left}")
        return bool(left)

    def recover(self, is_json):
        status, output, errors = self.run([os.environ["CAPSULE"], "recover", "t"] + (["--json"] if is_json else []))
        if status != 0:
            fail(f"recover: status {status}: {errors}")
        if is_json:
            said = {(item["path"], item["outcome"]) for item in json.loads(output)["recovered"]}
            outcomes = {{"rolledBack": "old", "finished": "new"}[outcome] for _, outcome in said}
        else:
            lines = [line for line in output.splitlines() if not line.endswith(": nothing to recover")]
            outcomes = set()
            for line in lines:
                match = re.fullmatch(r"(rolled back|finished): (.*) is in its (old|new) state", line)
                if not match or (match[1] == "finished") != (match[3] == "new"):
                    fail(f"recover says: {line}")
                outcomes.add("new" if match[1] == "finished" else "old")
        if len(outcomes) > 1:
            fail(f"recover tells of both trees: {output}")
        self.recover_others()
        return outcomes

    def recover_others(self):
        """What was not committed yet is unknown to the first of several directories: the others tell of it themselves."""
        for path in look(self.roots)[2]:
            root = os.path.dirname(path)
            status, output, errors = self.run([os.environ["CAPSULE"], "recover", root])
            if root == "t" or status != 0 or output not in (f"rolled back: {root} is in its old state\n", f"{root}: nothing to recover\n"):
                fail(f"recover {root}: status {status}: {output}{errors}")
            # At the very end its staging is empty, and says nothing any more.
            if self.state(is_exact=False)[0] != "old" and "nothing to recover" not in output:
                fail(f"{root} was left with a staging, and the tree is the new one")

    def follow(self, command):
        if "--check" in command:
            # It writes nothing: what is unfinished is refused, and stays.
            before = look(self.roots)
            status, output, errors = self.run(command)
            if look(self.roots) != before:
                fail("a check has written")
            said = self.recover(False)
            if status == 2 and before[2] and "is in progress or unfinished" in errors:
                status, output, errors = self.run(command)
            if status not in (0, 1):
                fail(f"the next one: status {status}: {errors}")
            return said | {"old" if status == 1 else "new"}
        status, output, errors = self.run(command)
        if status != 0:
            fail(f"the next one: status {status}: {errors}")
        return {"new"}


def fail(problem):
    print(problem)
    sys.exit(1)


def check(arguments):
    split = arguments.index("--next") if "--next" in arguments else len(arguments)
    command, arguments = arguments[split + 1:], arguments[:split]
    flags = set(arguments[2:])
    undo = arguments[arguments.index("--undo") + 1] if "--undo" in flags else None
    with open(arguments[0]) as old, open(arguments[1]) as new:
        case = Check(json.load(old), json.load(new))
    if "--untimed" in flags:
        case.untimed = arguments[arguments.index("--untimed") + 1]
    if "--any" in flags:
        is_open = True
    else:
        is_open = case.before()
    if "--now" not in flags:
        numbers = [int(number) for number in re.findall(r"\d+", case.fault)]
        turn = sum(numbers) % 4
        said = case.follow(command) if command and turn % 2 else case.recover(turn == 2)
        if command and turn % 2 and "restore" in command:
            # What takes this one back was not asked for.
            undo = None
    is_exact = case.status != 137 and "--any" not in flags and "cannot set its times" not in case.errors
    state, left = case.state(is_exact)
    if "--now" not in flags:
        if said - {state}:
            fail(f"the tree is the {state} one, and it was said to be the {' and the '.join(said)} one")
        if left:
            fail(f"left: {left}")
    if undo and not os.path.exists(undo) and state == "new":
        fail("there is no overlay that takes the change back")
    if undo and os.path.exists(undo) and case.status == 2 and not is_open:
        fail("it failed, and the overlay that takes the change back is there")


def main():
    if sys.argv[1] == "record":
        roots = sys.argv[3:]
        with open(sys.argv[2], "w") as out:
            json.dump({"roots": roots, "entries": look(roots)[0]}, out)
    else:
        check(sys.argv[2:])


if __name__ == "__main__":
    main()
