#!/usr/bin/env python3
"""Run the commands that documents show, each document in a directory of its own, and compare what they print.

usage: check_documents.py ROOT DOCUMENT...      ROOT is the project, a DOCUMENT a path below it; CAPSULE is the program

In Markdown a command stands in an indented or fenced block behind `$ `; what stands below it is what it prints, standard error
included, where `…` is any text, and on a line alone any lines. A line that ends with a backslash goes on in the next. Behind
`mac$ ` stands what needs a Mac, behind `server$ ` what needs a server, which examples of manual pages may name as well. If the page's stage has made simulators, a command of capsule that needs no tool of Xcode is run
like any other; else the shell has to parse it, and capsule to take its command line, no more. A command that stands anywhere
else in a block is an error: nothing would check it. In a manual page the lines set as typed, which begin with
a command, are run; they show no output.

A command may end with 0 or 1; with more only if an error is shown. `make` is only asked what it would do; `sudo`, `apt-get`
and the long commands of contributors have only to be there.
"""
import atexit
import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOOLS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, TOOLS)
from document_stages import IN_SEQUENCE, SIMULATOR, STAGES  # noqa: E402

# Words with which a line of a block is a command and nothing else.
COMMANDS = {
    "apt-get", "brew", "capsule", "cat", "cd", "cp", "curl", "diff", "echo", "eval", "export", "fastlane", "find", "git", "grep",
    "jq", "ln", "ls", "make", "man", "mkdir", "mv", "open", "python3", "rm", "rsync", "sed", "sh", "sudo", "swift", "tar", "unzip",
    "xcodebuild", "xcrun", "zip", ".ci/run", "Benchmarks/run", "Fuzz/run", "bin/capsule", "Samples/demo.sh"}
SHELLS = {"bash", "console", "sh", "shell", "zsh"}
# What takes minutes, and is run by people who change the project.
CONTRIBUTORS = [".ci/run", ".ci/test", "Benchmarks/run", "Fuzz/run"]
SIZE = re.compile(r"(?<![0-9.])([0-9]+\.[0-9]+)(?= [kM]B)")
# When everything was captured, so that it can be told.
MOMENT = "1715940000"
# A message may begin with the place that it is about.
ERROR = re.compile(r"(capsule: |[^ ]+:[0-9…:]+ )error: ")
# What made simulators don't have.
XCODE = re.compile(r"--simctl|\b(xcodebuild|xcrun)\b")
# What needs a server, or has no end by itself.
SERVER = re.compile(r"\b(oci|https)://\S*example\.com/|^capsule (watch|serve) ")
PROMPT = re.compile(r"(mac|server)?\$ (.*)")


class Mistake(Exception):
    """A document says what is not so."""


class Command:
    """A command with what stands below it."""

    def __init__(self, line, text, on_mac=False, is_typed=False):
        self.line, self.text, self.on_mac, self.is_typed = line, text, on_mac, is_typed
        self.output = []


def blocks(lines):
    """Each code block of a page of Markdown: the word behind its fence, and its lines with their numbers, unindented."""
    at, before_is_text = 0, False
    while at < len(lines):
        fence = re.match(r"( *)(```+|~~~+) *(\w*)", lines[at])
        if fence:
            end = at + 1
            while end < len(lines) and not lines[end].strip().startswith(fence.group(2)):
                end += 1
            yield fence.group(3), [(number + 1, lines[number][len(fence.group(1)):]) for number in range(at + 1, end)]
            at, before_is_text = end + 1, False
        elif lines[at].startswith("    ") and lines[at].strip() and not before_is_text:
            indent = len(lines[at]) - len(lines[at].lstrip())
            found = []
            while at < len(lines) and (not lines[at].strip() or lines[at].startswith(" " * indent)):
                found.append((at + 1, lines[at][indent:]))
                at += 1
            while not found[-1][1].strip():
                found.pop()
            yield "", found
        else:
            before_is_text = bool(lines[at].strip())
            at += 1


def in_markdown(text):
    found = []
    for word, block in blocks(text.split("\n")):
        command = None
        for number, line in block:
            prompt = PROMPT.match(line)
            if command and command.text.endswith("\\"):
                command.text += "\n" + line
            elif prompt:
                command = Command(number, prompt.group(2), on_mac=bool(prompt.group(1)))
                found.append(command)
            elif command:
                command.output.append(line)
            elif line.split(" ")[0] in COMMANDS and "→" not in line:
                raise Mistake(f"line {number}: a command without '$ ' in front, which nothing checks: {line}")
        if word in SHELLS and not command:
            raise Mistake(f"line {block[0][0]}: a block of {word} without '$ ' in it, which nothing checks")
    for command in found:
        while command.output and not command.output[-1].strip():
            command.output.pop()
    return found


def in_manual(text):
    """The lines set as typed that begin with a command."""
    found, is_typed = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line in (".nf", ".fi"):
            is_typed = line == ".nf"
        elif is_typed and not line.startswith("."):
            plain = re.sub(r"\\f[BIR]", "", line)
            for escape, character in [("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~"), ("\\(ha", "^"), ("\\(ga", "`"),
                                      ("\\&", ""), ("\\e", "\\")]:
                plain = plain.replace(escape, character)
            if plain.split(" ")[0] in COMMANDS:
                found.append(Command(number, plain, is_typed=True))
    return found


def is_like(wanted, line):
    """Whether a line is as wanted. What something takes compressed may differ a little where another library compresses."""
    sizes = SIZE.findall(wanted)
    pattern = "([0-9.]+)".join(".*".join(re.escape(part) for part in text.split("…")) for text in SIZE.split(wanted)[::2])
    found = re.fullmatch(pattern, line)
    return found is not None and all(
        abs(float(there) - float(size)) <= 0.05 * float(size) for size, there in zip(sizes, found.groups()))


def fits(wanted, lines):
    """Whether the lines are as wanted."""
    if not wanted:
        return not lines
    if wanted[0].strip() == "…":
        return any(fits(wanted[1:], lines[start:]) for start in range(len(lines) + 1))
    return bool(lines) and is_like(wanted[0], lines[0]) and fits(wanted[1:], lines[1:])


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


@functools.lru_cache
def fresh_samples(root):
    """A directory with the samples, which every document has a copy of."""
    place = tempfile.mkdtemp(prefix="documents.")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    samples = os.path.join(place, "Samples")
    shutil.copytree(
        os.path.join(root, "Samples"), samples, symlinks=True, ignore=shutil.ignore_patterns("*.xcappdata", "__pycache__"))
    subprocess.run([sys.executable, os.path.join(root, "Samples/make_samples.py"), samples], check=True, stdout=subprocess.DEVNULL)
    for folder, _, names in os.walk(samples):
        if ".xcappdata" in folder:
            continue
        for name in names:
            # Whatever mask the checkout was made with. The containers have the modes that make_samples.py sets.
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)
    return samples


def prepare(root, place, stage):
    """A checkout as far as documents need it, a home directory, and commands that stand for what a test must not do."""
    shutil.copytree(fresh_samples(root), os.path.join(place, "Samples"), symlinks=True)
    shutil.copy(os.path.join(root, "LICENSE"), os.path.join(place, "LICENSE"))
    os.makedirs(os.path.join(place, "home"))
    binary = os.path.join(place, "bin")
    os.makedirs(binary)
    os.symlink(os.environ["CAPSULE"], os.path.join(binary, "capsule"))
    # Another python3 in PATH may be a script that looks for one at each start.
    os.symlink(sys.executable, os.path.join(binary, "python3"))
    make = shlex.quote(shutil.which("make") or "make")
    write(os.path.join(binary, "make"), f'#!/bin/sh\nexec {make} -n -C {shlex.quote(root)} "$@" > /dev/null\n')
    write(os.path.join(binary, "sudo"), '#!/bin/sh\n[ "$1" != make ] || exec "$@"\ncommand -v "$1" > /dev/null\n')
    write(os.path.join(binary, "apt-get"), "#!/bin/sh\nexit 0\n")
    write(os.path.join(binary, "ssh"), '#!/bin/sh\nshift\nmkdir -p host\ncd host\nexec sh -c "$*"\n')
    for path in CONTRIBUTORS:
        if os.access(os.path.join(root, path), os.X_OK):
            write(os.path.join(place, path), "#!/bin/sh\nexit 0\n")
    environment = {
        **os.environ, "HOME": os.path.join(place, "home"), "PATH": binary + os.pathsep + os.environ["PATH"], "TOOLS": TOOLS,
        # What examples take from a script or a CI system.
        "CONTAINER": "Samples/Gifs-after.xcappdata", "BUILD": "42", "SOURCE_DATE_EPOCH": MOMENT,
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "tester", "GIT_AUTHOR_EMAIL": "tester@example.com",
        "GIT_COMMITTER_NAME": "tester", "GIT_COMMITTER_EMAIL": "tester@example.com"}
    for name in ["XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "MAKEFLAGS", "MAKELEVEL"]:
        environment.pop(name, None)
    done = subprocess.run(["sh", "-eu", "-c", stage], cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Mistake("its stage can't be set:\n" + done.stdout.decode(errors="replace"))
    return environment


def parse(command, place, environment):
    """Sees that the shell takes a command, and capsule its command lines, where nothing is that they could do anything to."""
    done = subprocess.run(["sh", "-n", "-c", command.text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Mistake(f"line {command.line}: no shell takes this: {command.text}\n{done.stdout}")
    empty = os.path.join(place, "nothing")
    os.makedirs(empty, exist_ok=True)
    # Short command lines need a project.
    if os.path.exists(os.path.join(place, ".capsule.plist")):
        shutil.copy(os.path.join(place, ".capsule.plist"), empty)
    for part in re.split(r"&&|\|\||[;|\n]", command.text.replace("\\\n", " ")):
        if part.split()[:1] != ["capsule"]:
            continue
        done = subprocess.run(
            ["sh", "-c", part], cwd=empty, env={**environment, "HOME": empty}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        # A server in a project would not end.
        is_without_project = part.split()[:2] == ["capsule", "serve"] and "no '.capsule.plist' here" in done.stdout
        if done.returncode == 64 and not is_without_project:
            raise Mistake(f"line {command.line}: {part.strip()}\n{done.stdout}")


def run(command, place, environment):
    shell = ["sh", "-c"]
    if command.text.endswith("| source"):
        # What it says is for fish, which may not be there.
        if not shutil.which("fish"):
            return
        shell = ["fish", "--no-config", "-c"]
    elif "completions bash" in command.text:
        shell = ["bash", "-c"]
    done = subprocess.run(
        shell + [command.text], cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = done.stdout.splitlines()
    is_error = any(ERROR.match(line) for line in command.output)
    if (done.returncode > 1) != is_error:
        raise Mistake(f"line {command.line}: {command.text}: status {done.returncode}\n" + "\n".join(lines))
    if not command.is_typed and not fits(command.output, lines):
        raise Mistake(f"line {command.line}: {command.text}: prints\n" + "\n".join(lines))


def check(root, document):
    """How many commands of the document were run, and how many only parsed."""
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = file.read()
    commands = in_markdown(text) if document.endswith(".md") else in_manual(text)
    if SIMULATOR in STAGES.get(document, ""):
        for command in commands:
            command.on_mac = command.on_mac and not (command.text.startswith("capsule ") and not XCODE.search(command.text))
    for command in commands:
        command.on_mac = command.on_mac or command.is_typed and bool(SERVER.search(command.text))
    place = os.path.join(os.getcwd(), document.replace("/", "."))
    if commands:
        environment = prepare(root, place, STAGES.get(document, ""))
        if commands[0].is_typed:
            # What the names in the examples stand for is made; the samples are not among them.
            shutil.rmtree(os.path.join(place, "Samples"))
            shutil.copytree(place, place + ".fresh", symlinks=True)
    for command in commands:
        (parse if command.on_mac else run)(command, place, environment)
        if command.is_typed and document not in IN_SEQUENCE:
            # Most examples of manual pages have nothing to do with each other.
            shutil.rmtree(place)
            shutil.copytree(place + ".fresh", place, symlinks=True)
    return sum(not command.on_mac for command in commands), sum(command.on_mac for command in commands)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    root, mistakes = os.path.abspath(sys.argv[1]), 0
    os.umask(0o022)
    for document in sorted({*STAGES, *IN_SEQUENCE}):
        if not os.path.exists(os.path.join(root, document)):
            sys.exit(f"document_stages.py sets a stage for {document}, which is not there")
    for document in sys.argv[2:]:
        try:
            ran, parsed = check(root, document)
            print(f"{document}: {ran} commands run, {parsed} parsed")
        except Mistake as mistake:
            print(f"{document}: {mistake}", file=sys.stderr)
            mistakes += 1
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
