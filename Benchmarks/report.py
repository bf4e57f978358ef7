"""The goals, the lines of the report with their status, and what is known of the machine."""
import datetime
import os
import platform
import re
import resource
import subprocess
import time

from bench import Failed, Measured, cores

SCALES = ("medium", "large", "files")
MARGIN = 0.1  # of a goal: a time or a peak so little above it may be below it on another day
BUSY = 0.05   # of the machine's CPU time, used by others
HEAD = ("row", "scale", "ours", "CPU", "peer", "CPU", "ratio", "CPU", "goal", "status", "peer's command")
WIDTHS = (23, 8, 10, 10, 10, 10, 6, 6, 10, 6, 0)

# The most that a line may show: one limit, or one each for medium, large and files. It is the ratio to the peer's time or size;
# without a peer, and in the lines of ABSOLUTE, it is ours: seconds, bytes, a share, lines, or an exponent.
GOALS = {
    "--version": 0.0018,
    "apply to Info.plist": 0.004,
    "plist parse xml": 0.1, "plist parse binary": 0.1, "plist write xml": 0.1, "plist write binary": 0.1,
    "SQLite rows": 1.2,
    "pack gzip": (0.72, 0.78, 1.0), "pack gzip, size": (1.015, 1.015, 1.24), "pack gzip, peak": (None, 24e6, None),
    "pack zstd": (0.62, 0.7, 0.85), "pack zstd, size": (1.005, 1.005, 1.25),
    "unpack gzip": (0.68, 0.55, 0.6), "unpack zstd": (0.68, 0.55, 0.6),
    "cat one file": (1.3, 1.1, 0.3),
    "ls": (0.45, 0.2, 0.08),
    "diff of capsules": (0.18, 0.035, 0.01),
    "diff, live, unchanged": 0.35,
    "append, unchanged": 0.4, "append, unchanged, adds": 64e3,
    "append after a run": 0.1, "append after, adds": 0.01,
    "restore after a run": (0.5, None, 0.35),
    "restore @clean": (1.2, None, None), "restore through serve": (0.01, None, None),
    "redact": (3.0, None, None),
    "diff report": (0.2, None, None), "diff report, peak": (40e6, None, None), "diff report, lines": (1000, None, None),
    "merge into a directory": 2, "merge into a capsule": 2.6,
    "growth, pack": 1.05, "growth, unpack": 1.05, "growth, ls": 1.05, "growth, diff": 1.05,
    "pack, peak an entry": 250,
    "versions, verify": 1.05, "versions, append": 0.2, "versions, log": 1.05, "versions, compact": 1.1, "versions, cat": 0.1,
    "versions, verify 1,000": 0.3,
}
ABSOLUTE = {"pack gzip, peak", "diff report", "diff report, peak"}


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def size(value):
    return f"{value / 1e6:.2f} MB" if value >= 1e6 else f"{value / 1e3:.1f} KB" if value >= 1e3 else f"{value:.0f} B"


class Report:
    """Prints lines as they are added, and keeps them."""

    def __init__(self):
        self.notes, self.lines, self.count = [], [], {"met": 0, "close": 0, "missed": 0}

    def note(self, text):
        self.notes.append(text)
        print("# " + text, flush=True)

    def add(self, row, scale, ours, peer=None, command="-", show=seconds, exact=False):
        """Adds a line. `ours` and `peer` are from `measure`, or numbers. What is `exact` is never close to its goal."""
        def figures(side):
            return [None, None] if side is None else [side.wall, side.cpu] if isinstance(side, Measured) else [side, None]
        sides = [figures(ours), figures(peer)]
        ratios = [None if None in pair else pair[0] / pair[1] if pair[1] else float("inf") for pair in zip(*sides)]
        goal, is_absolute = GOALS.get(row), peer is None or row in ABSOLUTE
        if isinstance(goal, tuple):
            goal = goal[SCALES.index(scale)]
        cells = [row, scale] + ["-" if value is None else show(value) for side in sides for value in side]
        cells += ["-" if ratio is None else f"{ratio:.3f}" for ratio in ratios]
        if goal is None:
            cells += ["-", "-"]
        else:
            value = sides[0][0] if is_absolute else ratios[0]
            status = "met" if value <= goal else "close" if not exact and value < goal * (1 + MARGIN) else "missed"
            self.count[status] += 1
            cells += ["<= " + (show(goal) if is_absolute else f"{goal:g}"), status]
        if not self.lines:
            self.print(HEAD)
        self.lines.append(cells + [command])
        self.print(self.lines[-1])

    def print(self, cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip(), flush=True)

    def write(self, path):
        """Replaces the section Results, which is the last one, of a Markdown file; appends it to a file that has none."""
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        head = re.split(r"^## Results$", old, maxsplit=1, flags=re.M)[0].rstrip()
        table = [HEAD, ["---"] * len(HEAD)] + self.lines
        lines = [*([head, ""] if head else []), "## Results", "", *("- " + note for note in self.notes), ""]
        lines += ("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in table)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


class Load:
    """How busy others keep the machine, from the moment this is made."""

    def __init__(self):
        self.start = self.now()

    def now(self):
        """(seconds that all processors were busy, seconds of them in all, seconds of ours)."""
        own = sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        try:
            with open("/proc/stat", encoding="ascii") as file:
                # user nice system idle iowait irq softirq steal
                ticks = [int(word) / os.sysconf("SC_CLK_TCK") for word in file.readline().split()[1:9]]
        except OSError:
            return None
        return sum(ticks) - ticks[3] - ticks[4], sum(ticks), own

    def note(self, when):
        """A note for the report that says whether the machine was busy."""
        average, end = os.getloadavg()[0], self.now()
        if end is None:
            return f"load {when}: {average:.2f} of {cores()} cores"
        busy, total, own = (after - before for before, after in zip(self.start, end))
        share = max(0, busy - own) / total if total else 0
        verdict = "busy: compare the CPU times" if share > BUSY else "quiet"
        return f"machine {when}: {verdict} (others used {share:.0%} of its CPU; load average {average:.2f})"


def describe(options, report):
    """Notes the date, the program, the machine and the containers."""
    def said(*words):
        try:
            return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""
    model = said("sysctl", "-n", "machdep.cpu.brand_string")
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = (re.findall(r"^model name\s*: (.*)$", file.read(), re.M) or [platform.machine()])[0]
    version, memory = said(options.capsule, "--version"), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    if not version:
        raise Failed(f"{options.capsule} does not run")
    script = options.corpus_script and os.path.basename(options.corpus_script)
    report.note(f"{datetime.date.today()}, {version}; rows: {','.join(options.rows)}; scales: {','.join(options.scales)}")
    report.note(f"{cores()} cores, {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}")
    report.note(f"containers: {script or 'built in (smaller than those the goals were set on)'}; "
                f"medians of {options.runs} runs each, after one to warm up; ratio = ours / peer")
    load = Load()
    time.sleep(1)
    report.note(load.note("before"))
