"""Rows that need no container: start, property lists, rows of a database, growth, and many versions."""
import math
import os
import plistlib
import shutil
import statistics
import subprocess
import sys

from bench import BUILD, HERE, Command, Failed, Measured, check_call, measure, remove
from containers import change_database, make_database, make_plist, make_tiny, put
from report import size

INFO_PLIST = {
    "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)", "CFBundleExecutable": "$(EXECUTABLE_NAME)", "CFBundleVersion": "1",
    "CFBundleShortVersionString": "1.0", "LSRequiresIPhoneOS": True, "UILaunchStoryboardName": "LaunchScreen",
    "UIBackgroundModes": ["fetch", "audio"], "UISupportedInterfaceOrientations": ["UIInterfaceOrientationPortrait"],
    "CFBundleURLTypes": [{"CFBundleURLName": "com.example.app", "CFBundleURLSchemes": ["example"]}],
    "UIApplicationSceneManifest": {"UIApplicationSupportsMultipleScenes": False, "UISceneConfigurations": {
        "UIWindowSceneSessionRoleApplication": [{
            "UISceneConfigurationName": "Default Configuration", "UISceneStoryboardFile": "Main",
            "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).SceneDelegate"}]}},
}
INFO_OVERLAY = {"UIApplicationSceneManifest": {"UISceneConfigurations": {
    "UIWindowSceneSessionRoleApplication": [{"UISceneDelegateClassName": "TestingSceneDelegate"}]}}}

def start(bench):
    ours, = measure([Command([bench.capsule, "--version"])], bench.runs * 10)
    bench.report.add("--version", "-", ours)


def apply(bench):
    """A truncated property list over an Info.plist, the whole process."""
    base, info, overlay = bench.path("base.plist"), bench.path("Info.plist"), bench.path("Test.plist")
    put(base, plistlib.dumps(INFO_PLIST))
    put(overlay, plistlib.dumps(INFO_OVERLAY))
    command = Command([bench.capsule, "apply", overlay, info, "--quiet"], before=lambda: shutil.copyfile(base, info))
    ours, = measure([command], bench.runs * 5)
    bench.report.add("apply to Info.plist", "-", ours)
    remove(base, info, overlay)()


def plist(bench):
    """Reading and writing beside Foundation, in one process, by the program in PropertyLists."""
    print("# building the property list benchmark ...", file=sys.stderr, flush=True)
    check_call([os.environ.get("SWIFT", "swift"), "build", "-c", "release", "--package-path", os.path.join(HERE, "PropertyLists"),
                "--scratch-path", BUILD])
    value, paths = make_plist(20_000), [bench.path("xml.plist"), bench.path("binary.plist")]
    for path, form in zip(paths, (plistlib.FMT_XML, plistlib.FMT_BINARY)):
        put(path, plistlib.dumps(value, fmt=form, sort_keys=False))
    done = subprocess.run([os.path.join(BUILD, "release", "PlistBenchmark"), *paths, str(bench.runs)], stdout=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, check=False)
    if done.returncode:
        raise Failed(f"the property list benchmark ended with status {done.returncode}")
    for line in done.stdout.splitlines():
        work, *figures = line.split()
        wall, cpu, their_wall, their_cpu = map(float, figures)
        bench.report.add("plist " + work.replace("-", " "), "20k", Measured(wall, cpu, 0), Measured(their_wall, their_cpu, 0), "Foundation")
    remove(*paths)()


def sqlite_rows(bench):
    """Two databases that differ in few rows; ours reads and reports two directories, sqldiff prints statements."""
    sides = [bench.path("rows-1"), bench.path("rows-2")]
    files = [os.path.join(side, "Model.sqlite") for side in sides]
    for side in sides:
        os.makedirs(side)
    make_database(files[0], 60_000)
    shutil.copyfile(files[0], files[1])
    change_database(files[1])
    ours, peer = measure([bench.diff(*sides, "--no-cache"), Command(["sqldiff", "--primarykey", *files])], bench.runs * 3)
    bench.report.add("SQLite rows", "60k", ours, peer, "sqldiff --primarykey")
    remove(*sides)()


def growth(bench):
    """What an entry costs: the exponent of time over entries, and the bytes of memory for each more."""
    counts, taken = (3_000, 10_000, 30_000, 100_000), []
    source, capsule, out, other = bench.path("g.xcappdata"), bench.path("g.capsule"), bench.path("g-out"), bench.path("h.capsule")
    for count in counts:
        make_tiny(source, count)
        pack, unpack = measure([bench.pack(source, capsule),
                                bench.ours("unpack", capsule, "-C", out, "--quiet", before=remove(out))], bench.runs)
        # Every hundredth file is another, so that hardly a part of the two indexes is the same.
        for number in range(0, count, 100):
            put(f"{source}/AppData/Library/Index/{number % 256:02x}/{number:07}.idx", b"another")
        bench.pack(source, other).run()
        ls, diff = measure([Command([bench.capsule, "ls", capsule]), bench.diff(capsule, other, "--name-status")], bench.runs * 3)
        taken.append((pack, unpack, ls, diff))
        remove(source, capsule, out, other)()
    for verb, own in zip(("pack", "unpack", "ls", "diff"), zip(*taken)):
        exponents = Measured(*(slope(counts, [each[part] for each in own]) for part in (0, 1)), 0)
        bench.report.add(f"growth, {verb}", "3-100k", exponents, show=lambda value: f"n^{value:.2f}", exact=True)
    peaks = [pack.peak for pack, *_ in taken]
    bench.report.add("pack, peak an entry", "100k", (peaks[-1] - peaks[-2]) / (counts[-1] - counts[-2]), show=size)


def versions(bench):
    """What a version of 60 small files costs, one of them changed in each: the exponents of time over versions."""
    counts, taken, made = (250, 500, 1_000), [], 0
    source, capsule, out = bench.path("v.xcappdata"), bench.path("v.capsule"), bench.path("w.capsule")
    make_tiny(source, 60)

    def change():
        nonlocal made
        made += 1
        put(f"{source}/AppData/Documents/changed", b"version %d" % made)
    append = bench.ours("pack", source, "--append", "-o", capsule, "--quiet", before=change)
    for count in counts:
        while made < count:
            append.run()
        taken.append(measure([bench.ours("verify", capsule, "--quiet"), append, Command([bench.capsule, "log", capsule]),
                              bench.ours("compact", capsule, "--drop", "first", "-o", out, "--quiet", before=remove(out)),
                              Command([bench.capsule, "cat", capsule, "Documents/changed"])], bench.runs))
    for verb, own in zip(("verify", "append", "log", "compact", "cat"), zip(*taken)):
        exponents = Measured(*(slope(counts, [each[part] for each in own]) for part in (0, 1)), 0)
        bench.report.add(f"versions, {verb}", "250-1k", exponents, show=lambda value: f"n^{value:.2f}", exact=True)
    bench.report.add("versions, verify 1,000", "1k", taken[-1][0])
    remove(source, capsule, out)()


def slope(xs, ys):
    """The exponent of the power that fits best: of the straight line through the logarithms."""
    xs, ys = [math.log(x) for x in xs], [math.log(y) for y in ys]
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


# By name: the row; none has a scale.
ROWS = {"start": (start, ()), "apply": (apply, ()), "plist": (plist, ()), "sqlite-rows": (sqlite_rows, ()), "growth": (growth, ()),
        "versions": (versions, ())}
