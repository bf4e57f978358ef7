"""Puts mistakes into a copy of the sources, one at a time, and sees that each is found in the file it was put in."""
import os
import re
import shutil
import sys
import tempfile

from common import PROJECT, Failure, Job, read, run_jobs, write
import compile as compiling
import package as packages
import sdk as sdks
import symbols


class Mistake:
    """A mistake: what it is, where it goes, and a part of the message that it has to cause."""

    def __init__(self, what, module, code, message, importing=None, configuration="debug", triple="arm64-apple-macosx"):
        self.what, self.module, self.code, self.message = what, module, code, message
        # It goes to the end of the first file that imports this; otherwise into a file of its own.
        self.importing, self.configuration, self.triple = importing, configuration, triple


DARWIN = "#if canImport(Darwin)\nimport Darwin\n"
MISTAKES = [
    Mistake("glibc's name for a field of stat", "CapsuleSystem", "func mistake(_ file: stat) -> Int { file.st_mtim.tv_sec }",
            "no member 'st_mtim'", "Darwin"),
    Mistake("fsetxattr with Linux's parameters", "CapsuleSystem", 'func mistake() -> Int32 { fsetxattr(0, "a", nil, 0, 0) }',
            "missing argument", "Darwin"),
    Mistake("glibc's field of sigaction", "CapsuleSystem",
            "func mistake(_ action: sigaction) -> Bool { action.__sigaction_handler.sa_handler == nil }",
            "no member '__sigaction_handler'", "Darwin"),
    Mistake("a pthread_t that is not optional", "CapsuleSystem",
            "func mistake() { var thread = pthread_t(bitPattern: 1)!; pthread_create(&thread, nil, { _ in nil }, nil) }",
            "to expected argument type 'UnsafeMutablePointer<pthread_t?>'", "Darwin"),
    Mistake("an error number that Darwin lacks", "CapsuleSystem", "func mistake() -> Int32 { EREMOTEIO }",
            "cannot find 'EREMOTEIO'", "Darwin"),
    Mistake("nanoseconds of the wrong width", "CapsuleSystem",
            "func mistake(_ time: timespec) -> Int32 { let part: Int32 = time.tv_nsec; return part }",
            "cannot convert value of type 'Int' to specified type 'Int32'", "Darwin"),
    Mistake("a mode of 32 bits", "CapsuleSystem",
            "func mistake(_ file: stat) -> UInt32 { file.st_mode }",
            "cannot convert return expression of type 'mode_t' (aka 'UInt16') to return type 'UInt32'", "Darwin"),
    Mistake("a type newer than macOS 15", "CapsulePropertyList", "func mistake() -> InlineArray<2, Int> { [1, 2] }",
            "'InlineArray' is only available in macOS 26.0 or newer"),
    Mistake("a function of the module MachO", "CapsuleHashing",
            DARWIN + "func mistake() -> Int32 { var size: UInt32 = 0; return _NSGetExecutablePath(nil, &size) }\n#endif",
            "cannot find '_NSGetExecutablePath'"),
    Mistake("locales without xlocale", "CapsuleHashing",
            DARWIN + 'func mistake() -> Bool { newlocale(0, "C", nil) == nil }\n#endif', "cannot find 'newlocale'"),
    Mistake("an app's framework on a Mac", "CapsuleRuntime", "#if os(macOS)\nimport UIKit\n#endif", "no such module 'UIKit'"),
    Mistake("an app's class on a Mac", "CapsuleRuntime", "func mistake() -> UIApplication { .shared }",
            "cannot find type 'UIApplication'", configuration="release"),
    Mistake("a property that visionOS lacks", "CapsuleRuntime",
            "#if canImport(UIKit)\nimport UIKit\n"
            "@MainActor func mistake() { UIApplication.shared.applicationIconBadgeNumber = 0 }\n#endif",
            "no member 'applicationIconBadgeNumber'", triple="arm64-apple-xros"),
    Mistake("an API newer than iOS 15", "CapsuleRuntime", "func mistake() -> ContinuousClock { ContinuousClock() }",
            "'ContinuousClock' is only available in iOS 16.0 or newer", triple="arm64-apple-ios", configuration="release"),
    Mistake("a call of Linux in a test's support", "TestSupport", "import Foundation\nfunc mistake() -> Int32 { unshare(0) }",
            "cannot find 'unshare'"),
    Mistake("a call of Linux in a test", "CapsuleHashingTests",
            "import Foundation\nimport Testing\n@Test func mistake() { #expect(gettid() == getpid()) }", "cannot find 'gettid'"),
]
# A function that a header declares and no library has.
MISSING_SYMBOL = "capsule_missing_symbol"


def self_test(compiler, builds):
    """Whether every mistake is found. What the mistakes' modules need is compiled already."""
    problems, tried = test_parts(compiler), []

    def job(what, attempt, *arguments):
        def work():
            with tempfile.TemporaryDirectory(prefix="capsule-darwin.") as scratch:
                found = attempt(compiler, builds, os.path.realpath(scratch), *arguments)
            tried.append(what)
            problems.extend(f"{what}: {problem}" for problem in found)
            return not found

        return Job(what, work)

    jobs = [job(mistake.what, try_mistake, mistake) for mistake in MISTAKES] + [job("a symbol of no library", try_symbol)]
    run_jobs(jobs)
    if len(tried) != len(jobs):
        problems.append(f"only {len(tried)} of {len(jobs)} mistakes were tried")
    for problem in problems:
        print(f"check-darwin: self-test: {problem}", file=sys.stderr)
    if not problems:
        print(f"check-darwin: self-test: {len(jobs)} mistakes, all found")
    return not problems


def copy_sources(package, target, platform, root):
    """Copies a target's sources, and the C modules that it sees."""
    others = [package.targets[name] for name in package.closure(target.name, platform)]
    seen = [path for other in others if other.is_system or other.is_c for path in other.own_files()]
    for path in dict.fromkeys(target.sources() + seen):
        copy = os.path.join(root, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(os.path.join(package.root, path), copy)


def build_of(builds, module, configuration, triple):
    """The build that has a module as an object, if there is one, for a triple that starts so."""
    found = [build for build in builds if build.triple.startswith(triple) and build.configuration == configuration
             and module in [target.name for target in build.targets]]
    if not found:
        raise Failure(f"self-test: {module} is not compiled for {triple} {configuration}")
    return sorted(found, key=lambda build: not build.objects)[0]


def try_mistake(compiler, builds, scratch, mistake):
    """Compiles a copy of the module with the mistake. It has to fail with the message, in the file that has the mistake alone."""
    build = build_of(builds, mistake.module, mistake.configuration, mistake.triple)
    target = compiler.package.targets.get(mistake.module)
    copy_sources(compiler.package, target, build.platform, scratch)
    path, before = os.path.join(target.path, "Mistake.swift"), ""
    if mistake.importing:
        line = f"import {mistake.importing}\n"
        fitting = [source for source in target.sources() if line in read(os.path.join(scratch, source))]
        if not fitting:
            return [f"no file of {mistake.module} imports {mistake.importing}; .ci/darwin/selftest.py puts it into one that does"]
        path = fitting[0]
        before = read(os.path.join(scratch, path)) + "\n"
    write(os.path.join(scratch, path), before + mistake.code + "\n")
    command = compiler.commands(target, build, scratch)[0] + ([] if mistake.importing else [path])
    found = compiler.diagnose(command, scratch)
    if not found:
        return [f"not found in {path}"]
    if not all(problem.startswith(path + ":") for problem in found) or not any(mistake.message in problem for problem in found):
        return [f"it should be “{mistake.message}” in {path}, and it is: " + "; ".join(found)]
    return []


def try_symbol(compiler, builds, scratch):
    """Declares a function in a C module's header and calls it: this compiles, and the look-up of symbols has to find it."""
    package = compiler.package

    def own_headers(target):
        needed = [package.targets[name] for name in target.dependencies("macos")]
        return [other.name for other in needed if other.is_system and not other.pkg_config]

    target = next(target for target in package.compiled_targets() if own_headers(target) and not target.is_c)
    system = package.targets[own_headers(target)[0]]
    build = build_of(builds, target.name, "debug", "arm64-apple-macosx")
    copy_sources(package, target, build.platform, scratch)
    # The header that the module map names is the one that is seen.
    module_map = read(os.path.join(scratch, system.path, "module.modulemap"))
    header = os.path.join(system.path, re.search(r'header "([^"]+)"', module_map).group(1))
    write(os.path.join(scratch, header), read(os.path.join(scratch, header)) + f"\nint {MISSING_SYMBOL}(void);\n")
    path = os.path.join(target.path, "Mistake.swift")
    write(os.path.join(scratch, path), f"import {system.name}\nfunc mistake() -> CInt {{ {MISSING_SYMBOL}() }}\n")
    found = compiler.diagnose(compiler.commands(target, build, scratch)[0] + [path], scratch)
    if found:
        return ["it does not compile: " + "; ".join(found)]
    found, _ = compiler.check_symbols(build, [target], scratch, root=scratch)
    if len(found) != 1 or not found[0].startswith(header + ":") or MISSING_SYMBOL not in found[0]:
        return [f"it should be found in {header}, and it is: " + "; ".join(found)]
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
MANY = ", ".join(f"_f{number}" for number in range(1000))
FILLING = "exports:\n  - targets: [ x86_64-macos, arm64-macos ]\n    symbols: [ " + MANY + " ]\n"


def test_parts(compiler):
    """What is wrong with parts of the check that a tree without mistakes does not try."""
    problems = []

    def expect(what, holds):
        if not holds:
            problems.append(what)

    text = STUB + "--- !tapi-tbd\ntbd-version:     4\n" + FILLING
    arm, intel = symbols.of_library(text, ["arm64-macos"]), symbols.of_library(text, ["x86_64-macos"])
    expect("symbols of arm64", {"_of_both", "_weak", "_f7"} <= arm and not arm & {"_of_one", "_not_here", "_stat$INODE64"})
    expect("symbols of x86_64", {"_of_both", "_of_one", "_listed_last", "_stat$INODE64"} <= intel)
    try:
        symbols.of_library(STUB, ["arm64-macos"])
        expect("a list of few symbols", False)
    except Failure:
        pass

    ran = []
    broken = Job("broken", lambda: False)
    fine = Job("fine", lambda: ran.append("fine") or True)
    jobs = [Job("blocked", lambda: ran.append("blocked") or True, [broken]), fine, broken, Job("last", lambda: True, [fine])]
    run_jobs(jobs)
    states = [job.state for job in jobs]
    expect("jobs after one that failed", states == ["blocked", "passed", "failed", "passed"] and ran == ["fine"])

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
        write(os.path.join(place, "Sources", "C", "c.c"), '#include "../D/d.h"\n#include <stdio.h>\n')
        write(os.path.join(place, "Sources", "D", "d.h"), "")
        strict = [{"tool": "c", "kind": {"enableWarning": {"_0": "all"}}}, {"tool": "c", "kind": {"treatAllWarnings": {"_0": "error"}}}]
        of_c = packages.Target(place, {"name": "C", "type": "executable", "settings": strict, "dependencies": [], "exclude": []})
        expect("files of C", of_c.is_c and not target.is_c and of_c.own_files() == ["Sources/C/c.c", "Sources/D/d.h"])
        expect("flags of C", of_c.flags("macos", "debug") == ["-Wall", "-Werror"])
        expect("sources", target.sources() == ["Sources/A/A.swift"] and target.imports() == {"Foundation"})

    with tempfile.TemporaryDirectory() as place:
        described = [{"name": name, "type": "regular", "settings": [], "dependencies": needs, "exclude": []}
                     for name, needs in [("A", []), ("B", [{"byName": ["A", None]}])]]
        package = packages.Package(place, {"targets": described, "platforms": [], "products": []})
        prints = []
        for text in ["let a = 1\n", "let a = 2\n", "let a = 1\n"]:
            write(os.path.join(place, "Sources", "A", "A.swift"), text)
            write(os.path.join(place, "Sources", "B", "B.swift"), "")
            again = compiling.Compiler(compiler.toolchain, compiler.sdk, package, place)
            build = compiling.Build("macos", "arm64-apple-macosx15.0", "debug", list(package.targets.values()), True)
            prints.append(again.fingerprint(package.targets["B"], build))
        expect("fingerprints of modules", prints[0] == prints[2] != prints[1])

    stamp = compiler.sdk.stamp
    compiler.sdk.stamp = "of another toolchain"
    expect("an SDK of another toolchain", not compiler.sdk.is_made())
    compiler.sdk.stamp = stamp
    expect("the SDK", compiler.sdk.is_made())
    return [f"{problem} are not as they should be" for problem in problems]
