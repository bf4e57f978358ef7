"""Rows about differences: comparing, restoring and merging."""
import os
import shutil
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
    "restore-after": (restore_after, ("medium", "files")), "merge": (merge, ("medium",)),
}
