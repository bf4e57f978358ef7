"""What all rows share: commands, their measurement, and the container of the present scale."""
import collections
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import containers

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), ".build", "benchmarks")
SPAWN = os.path.join(BUILD, "spawn")
NAME = "bench.xcappdata"

# Seconds, seconds of all processes, and the bytes of the largest process.
Measured = collections.namedtuple("Measured", "wall cpu peak")


class Failed(Exception):
    """A command that ended with a status that means trouble, with its messages."""


def build_spawner():
    """Compiles spawn.c, if it is newer than the program."""
    source = os.path.join(HERE, "spawn.c")
    if os.path.exists(SPAWN) and os.path.getmtime(SPAWN) >= os.path.getmtime(source):
        return
    # The toolchain of Swift has a clang, but no cc.
    compiler = os.environ.get("CC") or next((name for name in ("cc", "clang", "gcc") if shutil.which(name)), "cc")
    os.makedirs(BUILD, exist_ok=True)
    check_call([*shlex.split(compiler), "-O2", "-Wall", "-o", SPAWN, source])


class Command:
    """One program run directly, or a pipeline run by sh; standard output goes to `stdout`, nowhere by default.

    `statuses` are those that are no failure; after `limit` seconds the program is ended, which is one. It runs in `place`.
    """

    def __init__(self, words, stdout=os.devnull, before=None, statuses=(0,), limit=None, place=None):
        self.words = ["/bin/sh", "-c", words] if isinstance(words, str) else [str(word) for word in words]
        self.text = words if isinstance(words, str) else shlex.join(self.words)
        self.stdout, self.before, self.statuses, self.limit = stdout, before, statuses, limit
        self.place = place

    def run(self):
        """Runs the command once. `before` is not part of what is measured."""
        if self.before:
            self.before()
        if not shutil.which(self.words[0]):
            raise Failed(f"{self.words[0]} is not installed; run 'make setup-bench'")
        with open(self.stdout, "wb") as out, tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as figures:
            process = subprocess.Popen([SPAWN, str(figures.fileno()), *self.words], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=errors, pass_fds=[figures.fileno()], cwd=self.place)
            try:
                process.wait(self.limit)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait()
            figures.seek(0)
            errors.seek(0)
            wall, cpu, peak, status = map(int, figures.read().split() or (0, 0, 0, 2 << 8))
            if not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in self.statuses:
                how = f"status {os.WEXITSTATUS(status)}" if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"
                raise Failed(f"{self.text}\nended with {how}: {errors.read().decode(errors='replace').strip()}")
        return Measured(wall / 1e9, cpu / 1e6, peak * 1024)


def measure(commands, runs):
    """The median times of each, taken in turn after one run to warm up, and the highest peak."""
    for command in commands:
        command.run()
    taken = [[command.run() for command in commands] for _ in range(runs)]
    return [Measured(statistics.median(one.wall for one in own), statistics.median(one.cpu for one in own), max(one.peak for one in own))
            for own in zip(*taken)]


def check_call(words, **more):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, **more)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, words))}\nended with status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")


def remove(*paths):
    """For `before`: a result that must not be there; rm is quicker than shutil."""
    return lambda: check_call(["rm", "-rf", *paths])


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Bench:
    """The program, the report, a directory for files, and a container in the state before and after a test run."""

    def __init__(self, options, place, report):
        self.place, self.report, self.runs, self.capsule, self.script = place, report, options.runs, options.capsule, options.corpus_script
        self.jobs, self.source = cores(), self.path(NAME)

    def path(self, name):
        return os.path.join(self.place, name)

    def make_source(self, scale):
        """Replaces the container by the one of a scale."""
        print(f"# creating the container {scale} ...", file=sys.stderr, flush=True)
        remove(self.source, self.path("after.xcappdata"))()
        if self.script:
            check_call([sys.executable, self.script, self.source, "--scale", scale])
        else:
            containers.make_built_in(self.source, scale)
        self.scale, self.made = scale, time.monotonic()

    def after(self):
        """The container of this scale after a test run, in a directory of its own."""
        out = self.path("after.xcappdata")
        if not os.path.exists(out):
            if self.script:
                check_call([sys.executable, self.script, out, "--scale", self.scale, "--after"])
            else:
                check_call(["cp", "-a", self.source, out])
                containers.change_built_in(out)
        return out

    def settle(self):
        """Waits: files that have just been written are not taken for unchanged, whatever their times."""
        time.sleep(max(0, self.made + 4 - time.monotonic()))

    def ours(self, *words, **more):
        """A command of ours that works with as many threads as there are cores."""
        return Command([self.capsule, *words, "--jobs", self.jobs], **more)

    def pack(self, source, out, codec="gzip"):
        return self.ours("pack", source, "-o", out, "--force", "--quiet", "--codec", codec)

    def diff(self, one, other, *flags, **more):
        return self.ours("diff", one, other, "--exit-zero", *flags, **more)

    def tar_zstd(self, out):
        folder, name = map(shlex.quote, os.path.split(self.source))
        return Command(f"tar -cf - -C {folder} {name} | zstd -3 -T{self.jobs} -q -f -o {shlex.quote(out)}")
