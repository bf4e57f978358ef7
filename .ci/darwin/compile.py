"""Compiles the package's modules and the stand-ins for frameworks, each only if something it is made of has changed."""
import os
import re
import shutil
import sys
import threading

from common import HERE, Failure, Job, digest, file_digest, output, read, read_if_there, run, write
from package import IMPORTS
import symbols

MOCKS = os.path.join(HERE, "mocks")
DIAGNOSTIC = re.compile(r"^(\S[^:\n]*):(\d+):(\d+): (?:fatal )?(error|warning): (.*)$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
# What SwiftPM gives every module.
COMMON = ["-package-name", "capsule", "-DSWIFT_PACKAGE", "-Onone"]


class Build:
    """One triple in one configuration, with the targets that are compiled for it."""

    def __init__(self, platform, triple, configuration, targets, objects):
        self.platform, self.triple, self.configuration = platform, triple, configuration
        self.targets, self.objects = targets, objects

    @property
    def name(self):
        return f"{self.triple} {self.configuration}"


def builds_of(package):
    """What is compiled for what.

    Each Mac's triple has every module as an object: one in the configuration for debugging, with the tests, the other in
    that for a release. What apps link is checked in both configurations for every platform.
    """
    result, everything, apps = [], package.compiled_targets(), package.app_targets()
    for platform, triple in package.triples():
        if platform == "macos":
            debugging = triple.startswith("arm64")
            targets = everything if debugging else [target for target in everything if target.kind != "test"]
            result.append(Build(platform, triple, "debug" if debugging else "release", targets, objects=True))
            result.append(Build(platform, triple, "release" if debugging else "debug", apps, objects=False))
        else:
            result += [Build(platform, triple, configuration, apps, objects=False) for configuration in ("debug", "release")]
    return result


def mock_dependencies():
    """Each stand-in for a framework, with the others that it imports."""
    names = sorted(name[:-len(".swift")] for name in os.listdir(MOCKS) if name.endswith(".swift"))
    found = {}
    for name in names:
        imported = IMPORTS.findall(read(os.path.join(MOCKS, name + ".swift")))
        found[name] = [other for other in names if other in imported and other != name]
    return found


class Compiler:
    """Compiles what lies below a root into a directory."""

    def __init__(self, toolchain, sdk, package, build):
        self.toolchain, self.sdk, self.package, self.place = toolchain, sdk, package, build
        self.mocks = mock_dependencies()
        self.libraries = os.path.join(build, "libraries")
        self._fingerprints, self._imports = {}, {}
        self.header_digest = ""
        self.problems, self._lock = [], threading.Lock()
        self.compiled = self.unchanged = 0

    # Headers of libraries

    def copy_headers(self):
        """Copies the headers of the libraries that the package names: beside them lie glibc's, which must not be found."""
        aside = self.libraries + ".new"
        shutil.rmtree(aside, ignore_errors=True)
        os.makedirs(aside)
        digests = []
        for target in self.package.targets.values():
            if not target.is_system or not target.pkg_config or not self._is_used(target):
                continue
            name = target.pkg_config
            directories = [word[2:] for word in output(["pkg-config", "--cflags-only-I", name]).split()]
            directories.append(output(["pkg-config", "--variable=includedir", name]).strip())
            own = [read(os.path.join(target.root, path)) for path in target.files(".h")]
            waiting = [header for text in own for header in INCLUDE.findall(text)]
            seen = set()
            while waiting:
                header = waiting.pop(0)
                if header in seen or os.path.exists(os.path.join(self.sdk.path, "usr/include", header)):
                    continue
                seen.add(header)
                found = next((place for place in directories if os.path.exists(os.path.join(place, header))), None)
                if found is None:
                    # The compiler's own, or one for another system.
                    continue
                source, copy = os.path.join(found, header), os.path.join(aside, header)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(source, copy)
                text = read(source)
                digests.append(header + digest(text))
                folder = os.path.dirname(header)
                waiting += [os.path.join(folder, name) for name in INCLUDE.findall(text)] + INCLUDE.findall(text)
        # The same headers keep their times, which the compiler's cache goes by.
        self.header_digest = digest(*sorted(digests))
        if read_if_there(os.path.join(self.libraries, "stamp")) == self.header_digest:
            shutil.rmtree(aside)
            return
        write(os.path.join(aside, "stamp"), self.header_digest)
        shutil.rmtree(self.libraries, ignore_errors=True)
        os.rename(aside, self.libraries)

    def _is_used(self, target):
        return any(target.name in self.package.closure(other.name, "macos") for other in self.package.compiled_targets())

    # Commands

    def modules(self, build):
        return os.path.join(self.place, "modules", build.triple, build.configuration)

    def mock_modules(self, triple):
        return os.path.join(self.place, "modules", triple, "mocks")

    def imports_of(self, target):
        if target.name not in self._imports:
            self._imports[target.name] = target.imports()
        return self._imports[target.name]

    def mocks_of(self, target, triple):
        """The stand-ins that a target's sources see, those behind them included."""
        found, waiting = [], [name for name in sorted(self.imports_of(target)) if name in self.mocks]
        while waiting:
            name = waiting.pop(0)
            if name not in found and is_there(name, triple):
                found.append(name)
                waiting += self.mocks[name]
        return found

    def flags(self, target, build):
        """Everything the compiler needs but sources and outputs."""
        needed = [self.package.targets[name] for name in self.package.closure(target.name, build.platform)]
        flags = self.sdk.flags(build.triple) + ["-module-name", target.module] + COMMON
        flags += target.flags(build.platform, build.configuration)
        flags += ["-I", self.modules(build), "-I", self.mock_modules(build.triple)]
        if build.configuration == "debug":
            flags += ["-enable-testing", "-DDEBUG"]
        for system in needed:
            if system.is_system:
                flags += ["-Xcc", "-fmodule-map-file=" + os.path.join(system.path, "module.modulemap")]
            elif system.is_c:
                flags += ["-Xcc", "-fmodule-map-file=" + self.module_map(system)]
        if any(system.pkg_config for system in needed):
            flags += ["-Xcc", "-I" + self.libraries]
        if target.kind == "test" or "Testing" in self.imports_of(target):
            # Of swift.org's toolchains, some have the plugin in the one directory and some in the other.
            for place in [self.toolchain.plugins, os.path.join(self.toolchain.plugins, "testing")]:
                flags += ["-plugin-path", place]
            flags += ["-in-process-plugin-server-path", self.toolchain.plugin_server]
        if not any(os.path.basename(path) == "main.swift" for path in target.sources()):
            flags.append("-parse-as-library")
        return flags

    def module_map(self, target):
        """The module map of a C target: its own, or what SwiftPM makes of a header with the target's name."""
        own = os.path.join(target.path, "include", "module.modulemap")
        if os.path.exists(os.path.join(self.package.root, own)):
            return own
        header = os.path.join(self.package.root, target.path, "include", target.name + ".h")
        if not os.path.exists(header):
            raise Failure(f"{target.path}/include has neither a module.modulemap nor {target.name}.h")
        made = os.path.join(self.place, "maps", target.name + ".modulemap")
        text = f'module {target.module} {{ umbrella header "{header}" export * }}\n'
        if read_if_there(made) != text:
            write(made, text)
        return made

    def objects(self, target, modules):
        """The target's objects: one of a module of Swift, one of each file of C."""
        base = os.path.join(modules, target.module)
        return [f"{base}.{os.path.basename(path)}.o" for path in target.sources()] if target.is_c else [base + ".o"]

    def commands(self, target, build, modules):
        if target.is_c:
            common = [self.toolchain.clang, "-target", build.triple, "-isysroot", self.sdk.path, "-O0", "-isystem", self.libraries,
                      "-I", os.path.join(target.path, "include"), *target.flags(build.platform, build.configuration),
                      *(["-DDEBUG=1"] if build.configuration == "debug" else [])]
            return [[*common, "-c", source, "-o", made] for source, made in zip(target.sources(), self.objects(target, modules))]
        command = [self.toolchain.frontend, "-c" if build.objects else "-emit-module"] + self.flags(target, build)
        base = os.path.join(modules, target.module)
        if build.objects:
            command += ["-emit-module-path", base + ".swiftmodule", "-o", base + ".o"]
        else:
            command += ["-o", base + ".swiftmodule"]
        return [command + target.sources()]

    # Jobs

    def jobs(self, builds):
        jobs = []
        for triple in dict.fromkeys(build.triple for build in builds):
            mocks = {name: Job(f"{name} {triple}", None) for name in self.mocks if is_there(name, triple)}
            for name, job in mocks.items():
                job.work = self._mock_work(name, triple)
                job.needs = [mocks[other] for other in self.mocks[name] if other in mocks]
            jobs += mocks.values()
            for build in [build for build in builds if build.triple == triple]:
                own = {}
                for target in build.targets:
                    needs = [own[name] for name in target.dependencies(build.platform) if name in own]
                    needs += [mocks[name] for name in self.mocks_of(target, triple)]
                    own[target.name] = Job(f"{target.name} {build.name}", self._work(target, build), needs)
                jobs += own.values()
        return jobs

    def fingerprint(self, target, build):
        """Says by its change that a module has to be compiled anew."""
        key = (target.name, build.name)
        if key not in self._fingerprints:
            parts = [self.sdk.stamp, self.header_digest, *sum(self.commands(target, build, self.modules(build)), [])]
            own = target.own_files() if target.is_c else target.sources()
            parts += [path + file_digest(os.path.join(target.root, path)) for path in own]
            for name in self.package.closure(target.name, build.platform):
                other = self.package.targets[name]
                if other.is_system:
                    parts += [path + file_digest(os.path.join(other.root, path)) for path in other.own_files()]
                else:
                    parts.append(self.fingerprint(other, build))
            parts += [name + self._mock_fingerprint(name, build.triple) for name in self.mocks_of(target, build.triple)]
            self._fingerprints[key] = digest(*parts)
        return self._fingerprints[key]

    def _work(self, target, build):
        def compile_target():
            modules = self.modules(build)
            compiled = self._unless_unchanged(
                self.fingerprint(target, build), os.path.join(modules, target.module), self.commands(target, build, modules),
                build.name)
            if compiled:
                self.compiled += 1
                print(f"ok {target.name} {build.name}", flush=True)
            elif compiled is False:
                self.unchanged += 1
            return compiled is not None

        return compile_target

    def _unless_unchanged(self, fingerprint, base, commands, where):
        """Runs commands unless their result is there. Returns whether they ran, and None if one failed."""
        stamp = base + ".stamp"
        if read_if_there(stamp) == fingerprint:
            return False
        if os.path.exists(stamp):
            os.remove(stamp)
        os.makedirs(os.path.dirname(base), exist_ok=True)
        found = [problem for command in commands for problem in self.diagnose(command, self.package.root)]
        if found:
            self.report(found, where)
            return None
        write(stamp, fingerprint)
        return True

    def _mock_command(self, name, triple):
        place = self.mock_modules(triple)
        return [self.toolchain.frontend, "-emit-module", "-module-name", name, "-parse-as-library", "-swift-version", "6",
                "-enable-upcoming-feature", "InternalImportsByDefault", "-warnings-as-errors", "-I", place,
                "-o", os.path.join(place, name + ".swiftmodule"), *self.sdk.flags(triple), os.path.join(MOCKS, name + ".swift")]

    def _mock_fingerprint(self, name, triple):
        parts = [file_digest(os.path.join(MOCKS, name + ".swift")), *self._mock_command(name, triple)]
        return digest(self.sdk.stamp, *parts, *(self._mock_fingerprint(other, triple) for other in self.mocks[name]))

    def _mock_work(self, name, triple):
        return lambda: self._unless_unchanged(
            self._mock_fingerprint(name, triple), os.path.join(self.mock_modules(triple), name),
            [self._mock_command(name, triple)], triple) is not None

    def report(self, problems, where):
        """Prints problems, each once: a mistake in a file is the same for most triples."""
        for problem in problems:
            with self._lock:
                if problem not in self.problems:
                    self.problems.append(problem)
                    print(f"{problem} [{where}]", file=sys.stderr, flush=True)

    def diagnose(self, command, root):
        """The compiler's errors as FILE:LINE:COL: error: …; none if it succeeds."""
        done = run(command, cwd=root)
        if done.returncode == 0:
            return []
        found = []
        for path, line, column, kind, message in DIAGNOSTIC.findall(done.stdout):
            path = os.path.relpath(path, root) if os.path.isabs(path) and path.startswith(root + os.sep) else path
            if kind == "error":
                found.append(f"{path}:{line}:{column}: error: {message}")
        # Without an error, the compiler crashed, or a flag is wrong.
        if not found:
            return [f"the compiler failed with status {done.returncode}:\n{done.stdout.strip()[-4000:]}"]
        return list(dict.fromkeys(found))

    # Symbols

    def check_symbols(self, build, targets, modules=None, root=None):
        """(problems, symbols) of the C symbols that the build's objects want."""
        modules = modules or self.modules(build)
        objects = {target.name: self.objects(target, modules) for target in targets}
        listed = read(os.path.join(self.sdk.path, "usr/lib/libSystem.tbd"))
        known = symbols.of_library(listed, symbols.targets_of(build.triple)) | symbols.OF_FRAMEWORKS
        known |= symbols.of_pkg_config(self.pkg_config_names(build), self.toolchain)
        for path in sum(objects.values(), []):
            known |= symbols.defined(self.toolchain, path)
        found, count = [], set()
        for target in targets:
            wanted = set().union(*(symbols.wanted(self.toolchain, path) for path in objects[target.name]))
            for symbol in sorted(wanted):
                count.add(symbol)
                if symbol not in known:
                    others = [self.package.targets[name] for name in self.package.closure(target.name, build.platform)]
                    paths = target.sources() + [path for other in others if other.is_system for path in other.files(".h")]
                    paths += [path for path in target.own_files() if path.endswith(".h")] if target.is_c else []
                    place = symbols.place(root or self.package.root, symbol, paths)
                    found.append(f"{place}: error: no library on macOS has the symbol {symbol}, which {target.name} wants")
        return found, count

    def pkg_config_names(self, build):
        names = {name for target in build.targets for name in self.package.closure(target.name, build.platform)}
        return sorted({self.package.targets[name].pkg_config for name in names} - {None})


def is_there(framework, triple):
    """Whether a platform has a framework that is mocked."""
    return not (framework in ("UIKit",) and "-macosx" in triple)

