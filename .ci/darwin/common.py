"""What the parts of check-darwin share: where things are, how commands run, and a graph of jobs."""
import hashlib
import json
import os
import subprocess
import threading

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(PROJECT, ".ci", "darwin")
# A compiler takes up to a gigabyte.
WORKERS = min(2, os.cpu_count() or 1)


class Failure(Exception):
    """The check can't be made; the message says why and what to do."""


class Offline(Exception):
    """pip has no network, and nothing was downloaded before."""


def run(command, cwd=PROJECT, **environment):
    """A finished command, its output and errors together as text."""
    command = [str(word) for word in command]
    try:
        return subprocess.run(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            encoding="utf-8", errors="replace", env=dict(os.environ, **environment))
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}; .ci/setup test installs what is missing") from error


def output(command, cwd=PROJECT, **environment):
    """What a command prints on standard output; a failure if it fails."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", errors="replace", env=dict(os.environ, **environment))
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}; .ci/setup test installs what is missing") from error
    if done.returncode:
        raise Failure(f"failed: {' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def digest(*parts):
    """The SHA-256 of texts and bytes, each told from the next."""
    sum_ = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        sum_.update(b"%d:" % len(part) + part)
    return sum_.hexdigest()


def file_digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_if_there(path):
    return read(path) if os.path.exists(path) else ""


def write(path, text):
    """Writes a file as a whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    aside = path + ".new"
    with open(aside, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(aside, path)


class Toolchain:
    """The installed Swift: its compiler, and the standard library's textual interfaces for this system."""

    def __init__(self):
        swift = os.environ.get("SWIFT", "swift")
        found = json.loads(output([swift, "-print-target-info"]))
        self.swift = swift
        self.version = found["compilerVersion"]
        self.resources = found["paths"]["runtimeResourcePath"]
        self.host = found["target"]["unversionedTriple"]
        self.programs = os.path.join(os.path.dirname(os.path.dirname(self.resources)), "bin")
        self.frontend = os.path.join(self.programs, "swift-frontend")
        self.clang = os.path.join(self.programs, "clang")
        self.nm = os.path.join(self.programs, "llvm-nm")
        self.interfaces = os.path.join(self.resources, "linux")
        self.plugin_server = os.path.join(self.resources, "host", "libSwiftInProcPluginServer.so")
        self.plugins = os.path.join(self.resources, "host", "plugins")
        for path in [self.frontend, self.clang, self.nm, self.interface("Swift")]:
            if not os.path.exists(path):
                raise Failure(f"no {path} in this toolchain; one of swift.org for Linux has it")

    def interface(self, module):
        return os.path.join(self.interfaces, module + ".swiftmodule", self.host + ".swiftinterface")


class Job:
    """Work that waits for other work. `work()` returns whether it succeeded."""

    def __init__(self, name, work, needs=()):
        self.name, self.work, self.needs = name, work, list(needs)
        # "waiting", then "running", then one of "passed", "failed", "blocked".
        self.state = "waiting"


def run_jobs(jobs, workers=WORKERS):
    """Runs jobs, each after those it needs. One that needs a failed one is blocked; the others go on."""
    condition, problems = threading.Condition(), []

    def next_job():
        for job in jobs:
            if job.state == "waiting" and any(need.state in ("failed", "blocked") for need in job.needs):
                job.state = "blocked"
        return next(
            (job for job in jobs if job.state == "waiting" and all(need.state == "passed" for need in job.needs)), None)

    def worker():
        while True:
            with condition:
                job = next_job()
                while job is None and not problems and any(other.state == "running" for other in jobs):
                    condition.wait()
                    job = next_job()
                if job is None or problems:
                    condition.notify_all()
                    return
                job.state = "running"
            passed = False
            try:
                passed = job.work()
            except BaseException as problem:  # the main thread raises it again
                with condition:
                    problems.append(problem)
            with condition:
                job.state = "passed" if passed else "failed"
                condition.notify_all()

    threads = [threading.Thread(target=worker, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    stuck = [job.name for job in jobs if job.state == "waiting"]
    if stuck:
        raise Failure("these wait for each other: " + ", ".join(stuck))
