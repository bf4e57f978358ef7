"""Puts mistakes into a copy of the sources, one at a time, and sees that each is found in the file it was put in."""
import os
import shutil
import tempfile

from common import HERE, PROJECT, Failure, Job, read, run_jobs, write
import compile as compiling
import package as packages
import sdk as sdks
import symbols


class Mistake:
    """A mistake: what it is, where it goes, and a part of the message that it has to cause."""

    def __init__(self, what, module, code, message, importing=None, configuration="debug", triple="arm64-apple-macosx", new_file=False):
        self.what, self.module, self.code, self.message = what, module, code, message
        # It goes to the end of the first file that imports this.
        self.importing, self.configuration, self.triple, self.new_file = importing, configuration, triple, new_file


DARWIN = "#if canImport(Darwin)\nimport Darwin\n"
MISTAKES = [
    Mistake("glibc's name for a field of stat", "CapsuleFileSystem", "func mistake(_ file: stat) -> Int { file.st_mtim.tv_sec }",
            "no member 'st_mtim'", "Darwin"),
    Mistake("fsetxattr with Linux's parameters", "CapsuleFileSystem", 'func mistake() -> Int32 { fsetxattr(0, "a", nil, 0, 0) }',
            "missing argument", "Darwin"),
    Mistake("glibc's field of sigaction", "CapsuleFileSystem",
            "func mistake(_ action: sigaction) -> Bool { action.__sigaction_handler.sa_handler == nil }",
            "no member '__sigaction_handler'", "Darwin"),
    Mistake("a pthread_t that is not optional", "CapsuleFileSystem",
            "func mistake() { var thread = pthread_t(bitPattern: 1)!; pthread_create(&thread, nil, { _ in nil }, nil) }",
            "cannot convert value of type 'UnsafeMutablePointer<_opaque_pthread_t>'", "Darwin"),
    Mistake("an error number that Darwin lacks", "CapsuleFileSystem", "func mistake() -> Int32 { EREMOTEIO }",
            "cannot find 'EREMOTEIO'", "Darwin"),
    Mistake("nanoseconds of the wrong width", "CapsuleFileSystem",
            "func mistake(_ time: timespec) -> Int32 { let part: Int32 = time.tv_nsec; return part }",
            "cannot convert value of type 'Int' to specified type 'Int32'", "Darwin"),
    Mistake("a mode of 32 bits", "CapsuleFileSystem",
            "func mistake(_ file: stat) -> UInt32 { file.st_mode }",
            "cannot convert return expression of type 'mode_t' (aka 'UInt16') to return type 'UInt32'", "Darwin"),
    Mistake("a type newer than macOS 15", "CapsulePropertyList", "func mistake() -> InlineArray<2, Int> { [1, 2] }",
            "'InlineArray' is only available in macOS 26.0 or newer"),
    Mistake("a function of the module MachO", "CapsuleHashing",
            DARWIN + "func mistake() -> Int32 { var size: UInt32 = 0; return _NSGetExecutablePath(nil, &size) }\n#endif",
            "cannot find '_NSGetExecutablePath'", new_file=True),
    Mistake("locales without xlocale", "CapsuleHashing", DARWIN + 'func mistake() -> Bool { newlocale(0, "C", nil) == nil }\n#endif',
            "cannot find 'newlocale'", new_file=True),
    Mistake("an app's framework on a Mac", "CapsuleRuntime", "#if os(macOS)\nimport UIKit\n#endif", "no such module 'UIKit'", new_file=True),
    Mistake("an app's class on a Mac", "CapsuleRuntime", "func mistake() -> UIApplication { .shared }", "cannot find type 'UIApplication'",
            configuration="release"),
    Mistake("a property that visionOS lacks", "CapsuleRuntime",
            "#if canImport(UIKit)\nimport UIKit\n@MainActor func mistake() { UIApplication.shared.applicationIconBadgeNumber = 0 }\n#endif",
            "no member 'applicationIconBadgeNumber'", triple="arm64-apple-xros", new_file=True),
    Mistake("an API newer than iOS 15", "CapsuleRuntime", "func mistake() -> ContinuousClock { ContinuousClock() }",
            "'ContinuousClock' is only available in iOS 16.0 or newer", triple="arm64-apple-ios", configuration="release"),
    Mistake("a call of Linux in a test's support", "TestSupport", "import Foundation\nfunc mistake() -> Int32 { unshare(0) }",
            "cannot find 'unshare'", new_file=True),
    Mistake("a call of Linux in a test", "CapsuleHashingTests",
            "import Foundation\nimport Testing\n@Test func mistake() { #expect(gettid() == getpid()) }", "cannot find 'gettid'", new_file=True),
]
# A function that a header declares and no library has: only its object shows it. The module is one that sees the header.
MISSING_SYMBOL = "capsule_missing_symbol"


def self_test(compiler, builds):
    """Whether every mistake is found. What the mistakes' modules need is compiled already."""
    problems = test_parts(compiler)
    with tempfile.TemporaryDirectory(prefix="capsule-darwin.") as scratch:
        scratch = os.path.realpath(scratch)
        root = os.path.join(scratch, "root")
        copy_sources(compiler.package, root)
        copied = packages.describe(root, compiler.toolchain, os.path.join(scratch, "package"))
        trial = compiling.Compiler(compiler.toolchain, compiler.sdk, copied, compiler.place, "")
        seen = []

        def work(number, mistake):
            def one():
                seen.append(mistake)
                found = try_mistake(trial, builds, mistake, os.path.join(scratch, str(number)), root)
                problems.extend(found)
                return not found

            return one

        # Each works on a copy of its module's sources, so that two can be compiled at a time.
        jobs = [Job(mistake.what, work(number, mistake)) for number, mistake in enumerate(MISTAKES)]
        jobs.append(Job("an unknown symbol", lambda: not collect(problems, try_symbol(trial, builds, os.path.join(scratch, "s"), root))))
        run_jobs(jobs)
        if len(seen) != len(MISTAKES):
            problems.append(f"only {len(seen)} of {len(MISTAKES)} mistakes were tried")
    for problem in problems:
        print(f"check-darwin: self-test: {problem}")
    if not problems:
        print(f"check-darwin: self-test: {len(MISTAKES) + 1} mistakes, all found")
    return not problems


def collect(problems, found):
    problems.extend(found)
    return found


def copy_sources(package, root):
    shutil.copytree(HERE, os.path.join(root, ".ci", "darwin"))
    for path in ["Package.swift"] + [path for target in package.targets.values() for path in target.files("")]:
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(package.root, path), target)


def build_of(builds, mistake):
    found = [build for build in builds if build.triple.startswith(mistake.triple) and build.configuration == mistake.configuration
             and mistake.module in [target.name for target in build.targets]]
    if not found:
        raise Failure(f"self-test: {mistake.module} is not compiled for {mistake.triple} {mistake.configuration}")
    return found[0]


def try_mistake(trial, builds, mistake, scratch, root):
    """Compiles the mistake's module alone. It has to fail with the message in the file that has the mistake, and nowhere else."""
    build = build_of(builds, mistake)
    copy = os.path.join(scratch, "root")
    shutil.copytree(root, copy, symlinks=True)
    target = trial.package.targets[mistake.module]
    if mistake.new_file:
        path = os.path.join(target.path, "Mistake.swift")
        before = ""
    else:
        fitting = [path for path in target.sources() if mistake.importing is None
                   or f"\nimport {mistake.importing}\n" in "\n" + read(os.path.join(copy, path))]
        if not fitting:
            return [f"{mistake.what}: no file of {mistake.module} imports {mistake.importing}"]
        path = fitting[0]
        before = read(os.path.join(copy, path))
    write(os.path.join(copy, path), before + "\n" + mistake.code + "\n")
    command = trial.command(target, build, scratch) + ([path] if mistake.new_file else [])
    found = trial.diagnose(command, copy)
    if not found:
        return [f"{mistake.what}: not found in {path}"]
    elsewhere = [problem for problem in found if not problem.startswith(path + ":")]
    if elsewhere or not any(mistake.message in problem for problem in found):
        return [f"{mistake.what}: found otherwise than with “{mistake.message}” in {path}: " + "; ".join(found)]
    return []


def try_symbol(trial, builds, scratch, root):
    """Declares a function in a C module's header and calls it: it compiles, and the look-up of symbols has to find it."""
    copy = os.path.join(scratch, "root")
    shutil.copytree(root, copy, symlinks=True)
    package = packages.Package.__new__(packages.Package)
    package.__dict__.update(trial.package.__dict__)
    package.root = copy
    package.targets = {}
    for name, target in trial.package.targets.items():
        package.targets[name] = packages.Target.__new__(packages.Target)
        package.targets[name].__dict__.update(target.__dict__, root=copy)
    other = compiling.Compiler(trial.toolchain, trial.sdk, package, trial.place, "")
    user = next(target for target in package.swift_targets()
                if any(package.targets[name].is_system and not package.targets[name].pkg_config
                       for name in target.dependencies("macos")))
    system = next(package.targets[name] for name in user.dependencies("macos")
                  if package.targets[name].is_system and not package.targets[name].pkg_config)
    build = build_of(builds, Mistake("", user.name, "", ""))
    header = next(path for path in system.files(".h"))
    write(os.path.join(copy, header), read(os.path.join(copy, header)) + f"\nint {MISSING_SYMBOL}(void);\n")
    path = os.path.join(user.path, "Mistake.swift")
    write(os.path.join(copy, path), f"import {system.name}\nfunc mistake() -> CInt {{ {MISSING_SYMBOL}() }}\n")
    found = other.diagnose(other.command(user, build, scratch), copy)
    if found:
        return ["an unknown symbol: does not compile: " + "; ".join(found)]
    found, _ = other.check_symbols(build, [user], scratch)
    if len(found) != 1 or not found[0].startswith(path + ":") or MISSING_SYMBOL not in found[0]:
        return [f"an unknown symbol: found otherwise than in {path}: {found}"]
    return []


# The parts

STUB = """\
--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '/usr/lib/libSystem.B.dylib'
exports:
  - targets:         [ x86_64-macos ]
    symbols:         [ '_stat$INODE64', _of_one,
                       _listed_last ]
  - targets:         [ x86_64-macos,
                       arm64-macos ]
    symbols:         [ _of_both ]
    weak-symbols:    [ _weak ]
undefineds:
  - targets:         [ arm64-macos ]
    symbols:         [ _not_here ]
...
"""
FILLING = "exports:\n  - targets: [ x86_64-macos, arm64-macos ]\n    symbols: [ " + ", ".join(f"_f{n}" for n in range(1000)) + " ]\n"


def test_parts(compiler):
    """What is wrong with parts of the check that a tree without mistakes does not try."""
    problems = []

    def expect(what, holds):
        if not holds:
            problems.append(what)

    text = STUB + "--- !tapi-tbd\ntbd-version:     4\n" + FILLING
    arm, intel = symbols.of_library(text, "arm64-macos"), symbols.of_library(text, "x86_64-macos")
    expect("symbols of arm64", {"_of_both", "_weak", "_f7"} <= arm and not arm & {"_of_one", "_not_here", "_stat$INODE64"})
    expect("symbols of x86_64", {"_of_both", "_of_one", "_listed_last", "_stat$INODE64"} <= intel)
    try:
        symbols.of_library(STUB, "arm64-macos")
        expect("a list of few symbols", False)
    except Failure:
        pass

    ran = []
    broken = Job("broken", lambda: False)
    fine = Job("fine", lambda: ran.append("fine") or True)
    jobs = [Job("blocked", lambda: ran.append("blocked") or True, [broken]), fine, broken, Job("last", lambda: True, [fine])]
    run_jobs(jobs)
    expect("jobs after one that failed", [job.state for job in jobs] == ["blocked", "passed", "failed", "passed"] and ran == ["fine"])

    expect("pip without a network", sdks.is_offline("Max retries exceeded: NewConnectionError(...)")
           and not sdks.is_offline("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES"))
    expect("names of triples", sdks.module_name("arm64-apple-ios15.0-simulator") == "arm64-apple-ios-simulator"
           and sdks.module_name("x86_64-apple-macosx15.0") == "x86_64-apple-macos")

    condition = {"config": "debug", "platformNames": ["macos"]}
    expect("conditions", packages.applies(condition, "macos", "debug") and not packages.applies(condition, "macos", "release")
           and not packages.applies(condition, "ios", "debug"))
    setting = {"tool": "swift", "kind": {"unheardOf": {"_0": "x"}}}
    target = packages.Target(PROJECT, {"name": "A", "type": "regular", "settings": [setting], "dependencies": [], "exclude": []})
    try:
        target.flags("macos", "debug")
        expect("a setting that is unknown", False)
    except Failure:
        pass

    with tempfile.TemporaryDirectory() as place:
        source = os.path.join(place, "Sources", "A", "A.swift")
        write(source, "import Foundation\n")
        target = packages.Target(place, {"name": "A", "type": "regular", "settings": [], "dependencies": [], "exclude": ["B"]})
        write(os.path.join(place, "Sources", "A", "B", "B.swift"), "")
        expect("sources", target.sources() == ["Sources/A/A.swift"] and target.imports() == {"Foundation"})

    stamp = compiler.sdk.stamp
    compiler.sdk.stamp = "of another toolchain"
    expect("an SDK of another toolchain", not compiler.sdk.is_made())
    compiler.sdk.stamp = stamp
    expect("the SDK", compiler.sdk.is_made())
    return [f"{problem} are not as they should be" for problem in problems]
