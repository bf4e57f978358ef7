"""Rows about differences: comparing, restoring and merging."""
import json
import os
import shlex
import shutil
import subprocess
import time

from bench import Command, Failed, check_call, measure, remove
from containers import edit
from report import SCALES, size


def diff_capsules(bench):
    """Which entries differ: two capsules, beside the two trees."""
    trees = bench.source, bench.after()
    capsules = [bench.path("d1.capsule"), bench.path("d2.capsule")]
    for tree, capsule in zip(trees, capsules):
        bench.pack(tree, capsule).run()
    # As links are entries for us; following one that leads nowhere, diff would end with status 2.
    peer = Command(["diff", "-rq", "--no-dereference", *trees], statuses=(0, 1))
    ours, theirs = measure([bench.diff(*capsules, "--name-status"), peer], bench.runs)
    bench.report.add("diff of capsules", bench.scale, ours, theirs, "diff -rq")
    remove(*capsules)()


def diff_live(bench):
    """A capsule and the unchanged directory that it was made from, with a cache that knows it."""
    capsule, copy = bench.path("d.capsule"), bench.path("copy")
    check_call(["cp", "-a", bench.source, copy])
    bench.settle()
    bench.pack(bench.source, capsule).run()
    # Without --exit-zero: any difference is a failure.
    peer = Command(["rsync", "-nai", bench.source + "/", copy + "/"])
    ours, theirs = measure([bench.ours("diff", capsule, bench.source), peer], bench.runs)
    bench.report.add("diff, live, unchanged", bench.scale, ours, theirs, "rsync -nai")
    remove(capsule, copy)()


def diff_semantic(bench):
    """The whole report of what a test run did, all files read."""
    out, theirs, peer = bench.path("d.txt"), bench.path("diffoscope.txt"), None
    after = bench.after()
    ours, = measure([bench.diff(bench.source, after, "--no-cache", stdout=out)], bench.runs)
    if bench.scale == "medium" and shutil.which("diffoscope"):
        try:
            # Once: it takes a hundred times as long.
            peer = Command(["diffoscope", "--no-progress", "--text", theirs, bench.source, after], statuses=(0, 1), limit=600).run()
        except Failed as failure:
            bench.report.note(f"diffoscope: {failure}")
    with open(out, "rb") as file:
        lines = sum(1 for _ in file)
    command = "diffoscope, once" if peer else "-"
    bench.report.add("diff report", bench.scale, ours, peer, command)
    bench.report.add("diff report, peak", bench.scale, ours.peak, peer and peer.peak, command, size)
    bench.report.add("diff report, size", bench.scale, os.path.getsize(out), os.path.getsize(theirs) if peer else None, command, size)
    bench.report.add("diff report, lines", bench.scale, lines, show=str, exact=True)
    remove(out, theirs)()


def restore_after(bench):
    """The reset between two tests, of a container as a run left it, with a cache that knows it; beside rsync from a copy."""
    capsule, lives, after = bench.path("r.capsule"), [bench.path("live-1"), bench.path("live-2")], bench.after()
    bench.pack(bench.source, capsule).run()
    for live in lives:
        check_call(["cp", "-a", bench.source, live])

    def run(live):
        # What the run did not change keeps its inode and its times.
        check_call(["rsync", "-a", "--delete", after + "/", live + "/"])

    def run_and_look():
        run(lives[0])
        # Files that have just been written are not taken for unchanged, whatever their times.
        time.sleep(2.5)
        bench.diff(capsule, lives[0]).run()
    ours, peer = measure([
        bench.ours("restore", capsule, lives[0], "--quiet", before=run_and_look),
        Command(["rsync", "-a", "--delete", bench.source + "/", lives[1] + "/"], before=lambda: run(lives[1])),
    ], bench.runs)
    # Nothing differs now, noise included.
    Command([bench.capsule, "restore", capsule, lives[0], "--check"]).run()
    bench.report.add("restore after a run", bench.scale, ours, peer, "rsync -a --delete")
    remove(capsule, *lives)()


def reset(bench):
    """The reset of a project's app after a test run, which `undo` can take back; beside one that it can't, and a copy."""
    project, live, after = bench.path("project"), bench.path("project/Live.xcappdata"), bench.after()
    os.mkdir(project)
    check_call(["cp", "-a", bench.source, live])
    for words in (["init", "-q", "Live.xcappdata"], ["pack", "-q", "--label", "clean"]):
        check_call([bench.capsule, *words], cwd=project)

    def run_and_look():
        check_call(["rsync", "-a", "--delete", after + "/", live + "/"])
        time.sleep(2.5)
        check_call([bench.capsule, "diff", "-q", "@clean", "--exit-zero"], cwd=project)
    with Server(bench.capsule, project) as server:
        kept, plain, served, copied = measure([
            bench.ours("restore", "@clean", "--quiet", before=run_and_look, place=project),
            bench.ours("restore", "@clean", "--quiet", "--no-undo", before=run_and_look, place=project),
            Command(server.curl("restore", '{"version":"clean"}'), before=run_and_look),
            Command(f"rm -rf {shlex.quote(live)} && cp -R {shlex.quote(bench.source)} {shlex.quote(live)}", before=run_and_look),
        ], bench.runs)
    bench.report.add("restore @clean", bench.scale, kept, plain, "the same with --no-undo")
    bench.report.add("restore @clean, copy", bench.scale, kept, copied, "rm -rf, cp -R")
    bench.report.add("restore through serve", bench.scale, served.wall - kept.wall)
    remove(project)()


def redact(bench):
    """A capsule without secrets, proven; beside one of the same files as they are."""
    capsule = bench.path("redacted.capsule")
    ours, peer = measure([
        bench.ours("redact", bench.source, "-o", capsule, "--quiet", before=remove(capsule)),
        bench.ours("pack", bench.source, "-o", capsule, "--quiet", "--drop", "caches,tmp,splashboard", before=remove(capsule)),
    ], bench.runs)
    bench.report.add("redact", bench.scale, ours, peer, "pack, ours")
    bench.report.add("redact, peak", bench.scale, ours.peak, peer.peak, "pack, ours", size)
    remove(capsule)()


class Server:
    """`capsule serve` of a project, as long as the block runs."""

    def __init__(self, capsule, project):
        self.words, self.file = [capsule, "serve", "-q", "--json", "--port-file", "port.json"], os.path.join(project, "port.json")
        self.project = project

    def __enter__(self):
        self.process = subprocess.Popen(self.words, cwd=self.project, stdout=subprocess.PIPE)
        if not self.process.stdout.readline():
            raise Failed("capsule serve does not begin")
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()

    def curl(self, action, body):
        with open(self.file) as file:
            found = json.load(file)
        return ["curl", "-sf", "-H", f"Authorization: Bearer {found['token']}", "-d", body, f"http://127.0.0.1:{found['port']}/v1/{action}"]


def merge(bench):
    """What a run and a second developer did to a container, merged into a third; beside one diff that reads all of two."""
    edited, outs = bench.path("edited.xcappdata"), [bench.path("merged.xcappdata"), bench.path("merged.capsule")]
    after = bench.after()
    edit(bench.source, edited)
    merges = [bench.ours("merge", bench.source, after, edited, "-o", out, "--quiet", before=remove(out)) for out in outs]
    *ours, peer = measure(merges + [bench.diff(bench.source, after, "--no-cache")], bench.runs)
    for form, own in zip(("directory", "capsule"), ours):
        bench.report.add(f"merge into a {form}", bench.scale, own, peer, "diff --no-cache, ours")
    remove(edited, *outs)()


# By name: the row, and the scales that it is measured on.
ROWS = {
    "diff-capsules": (diff_capsules, SCALES), "diff-live": (diff_live, SCALES), "diff-semantic": (diff_semantic, SCALES),
    "restore-after": (restore_after, ("medium", "files")), "reset": (reset, ("medium",)), "redact": (redact, ("medium",)), "merge": (merge, ("medium",)),
}
