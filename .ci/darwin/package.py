"""The package's targets, as SwiftPM reads them from Package.swift: sources, dependencies and the compiler's flags."""
import json
import os
import re

from common import Failure, output, read

# What SwiftPM writes of a platform, and the triples that stand for it. A 32-bit watch is not among them: the standard library's
# interface is that of a system with 64 bits.
TRIPLES = {
    "macos": ["arm64-apple-macosx{}", "x86_64-apple-macosx{}"],
    "ios": ["arm64-apple-ios{}", "arm64-apple-ios{}-simulator", "arm64-apple-ios{}-macabi"],
    "tvos": ["arm64-apple-tvos{}"],
    "watchos": ["arm64-apple-watchos{}"],
    "visionos": ["arm64-apple-xros{}"],
}
IMPORTS = re.compile(r"^[^/\n]*\bimport\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)", re.M)
INCLUDES_BESIDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
CAN_IMPORT = re.compile(r"\bcanImport\((\w+)")


class Target:
    """A target of the package."""

    def __init__(self, root, description):
        self.root, self.name, self.kind = root, description["name"], description["type"]
        self.module = re.sub(r"\W", "_", self.name)
        self.pkg_config = description.get("pkgConfig")
        self._settings, self._dependencies = description["settings"], description["dependencies"]
        default = os.path.join("Tests" if self.kind == "test" else "Sources", self.name)
        self.path = description.get("path", default)
        self._exclude = [os.path.join(self.path, name) for name in description["exclude"]]
        self._only = [os.path.join(self.path, name) for name in description.get("sources") or []]
        if self.kind not in ("regular", "executable", "test", "system"):
            raise Failure(f"Package.swift: {self.name} is of the kind {self.kind}, which .ci/darwin/package.py does not know")

    @property
    def is_system(self):
        return self.kind == "system"

    def files(self, *suffixes):
        """The target's files with such a suffix, relative to the root."""
        found = []
        for folder, folders, names in os.walk(os.path.join(self.root, self.path)):
            folders.sort()
            found += [os.path.relpath(os.path.join(folder, name), self.root) for name in sorted(names) if name.endswith(suffixes)]
        below = lambda path, places: any(path == place or path.startswith(place + os.sep) for place in places)  # noqa: E731
        return [path for path in found if not below(path, self._exclude) and (not self._only or below(path, self._only))]

    @property
    def is_c(self):
        """Whether it is of C files that SwiftPM compiles."""
        return self.kind in ("regular", "executable") and not self.files(".swift") and bool(self.files(".c"))

    def sources(self):
        found = self.files(".c" if self.is_c else ".swift")
        if not found:
            raise Failure(f"{self.path} has no sources, though Package.swift says that {self.name} lies there")
        return found

    def own_files(self):
        """Its files, and those elsewhere below the root that they include."""
        found, waiting = [], self.files("")
        while waiting:
            path = os.path.normpath(waiting.pop(0))
            if path not in found:
                found.append(path)
                if path.endswith((".c", ".h")):
                    names = INCLUDES_BESIDE.findall(read(os.path.join(self.root, path)))
                    beside = [os.path.join(os.path.dirname(path), name) for name in names]
                    waiting += [name for name in beside if os.path.exists(os.path.join(self.root, name))]
        return found

    def imports(self):
        """The modules that the sources import, or ask for."""
        found = set()
        for path in [] if self.is_c else self.sources():
            text = read(os.path.join(self.root, path))
            found.update(IMPORTS.findall(text), CAN_IMPORT.findall(text))
        return found

    def dependencies(self, platform):
        """The names of the targets that it needs on a platform."""
        found = []
        for dependency in self._dependencies:
            (kind, value), = dependency.items()
            if kind not in ("byName", "target"):
                raise Failure(f"Package.swift: {self.name} needs something by {kind}, which .ci/darwin/package.py does not know")
            name, condition = value
            if applies(condition, platform, None):
                found.append(name)
        return found

    def flags(self, platform, configuration):
        """The compiler's flags from the target's own settings."""
        found = []
        for setting in self._settings:
            (kind, value), = setting["kind"].items()
            value = value.get("_0")
            if setting["tool"] != ("c" if self.is_c else "swift"):
                continue
            if not applies(setting.get("condition"), platform, configuration):
                continue
            if self.is_c and kind == "enableWarning":
                found.append("-W" + value)
            elif self.is_c and kind == "treatAllWarnings":
                found.append("-Werror" if value == "error" else "-Wno-error")
            elif kind == "swiftLanguageMode":
                found += ["-swift-version", value]
            elif kind == "enableUpcomingFeature":
                found += ["-enable-upcoming-feature", value]
            elif kind == "enableExperimentalFeature":
                found += ["-enable-experimental-feature", value]
            elif kind == "define":
                found.append("-D" + value)
            elif kind == "treatAllWarnings":
                found.append("-warnings-as-errors" if value == "error" else "-no-warnings-as-errors")
            else:
                # A setting that is dropped in silence would make the check weaker than the build.
                raise Failure(f"Package.swift: {self.name} has the setting {kind}, which .ci/darwin/package.py does not know")
        return found


def applies(condition, platform, configuration):
    """Whether something with a condition is there. Without a configuration, one that asks for any is."""
    if not condition:
        return True
    platforms = condition.get("platformNames") or []
    wanted = condition.get("config")
    return (not platforms or platform in platforms) and (not wanted or configuration in (None, wanted))


class Package:
    """The package at a root."""

    def __init__(self, root, description):
        self.root = root
        self.targets = {target["name"]: Target(root, target) for target in description["targets"]}
        self.versions = {platform["platformName"]: platform["version"] for platform in description["platforms"]}
        self._libraries = [product["targets"] for product in description["products"] if "library" in product["type"]]
        unknown = set(self.versions) - set(TRIPLES)
        if unknown:
            raise Failure(f"Package.swift: .ci/darwin/package.py does not know the platform {', '.join(sorted(unknown))}")
        for target in self.targets.values():
            missing = set(target.dependencies("macos")) - set(self.targets)
            if missing:
                raise Failure(f"Package.swift: {target.name} needs {', '.join(sorted(missing))}, which the package does not have")

    def triples(self):
        """(platform, triple) of every Apple platform that Package.swift names, at its least version."""
        return [(platform, form.format(version)) for platform, version in self.versions.items() for form in TRIPLES[platform]]

    def closure(self, name, platform):
        """The target's dependencies on a platform, theirs included, each once."""
        found, waiting = [], list(self.targets[name].dependencies(platform))
        while waiting:
            next_ = waiting.pop(0)
            if next_ not in found:
                found.append(next_)
                waiting += self.targets[next_].dependencies(platform)
        return found

    def compiled_targets(self):
        """Every target with sources, after those it needs."""
        done = []

        def visit(name, path):
            if name in path:
                raise Failure("Package.swift: a circle: " + " → ".join(path + [name]))
            if name not in done:
                for dependency in self.targets[name].dependencies("macos"):
                    visit(dependency, path + [name])
                done.append(name)

        for name in self.targets:
            visit(name, [])
        return [self.targets[name] for name in done if not self.targets[name].is_system]

    def app_targets(self):
        """The targets that an app on any platform links: those of libraries that need no module of C."""
        names = []
        for targets in self._libraries:
            whole = set(targets).union(*(self.closure(name, "ios") for name in targets))
            if not any(self.targets[name].is_system or self.targets[name].is_c for name in whole):
                names += [name for name in whole if name not in names]
        if not names:
            raise Failure("Package.swift: no library is free of C; .ci/darwin/package.py finds what apps link by that")
        return [target for target in self.compiled_targets() if target.name in names]


def describe(root, toolchain, scratch):
    """The package at a root, with the program for fuzzing, which is a part of it only if the environment says so."""
    text = output(
        [toolchain.swift, "package", "--package-path", root, "--scratch-path", scratch, "dump-package"], cwd=root,
        CAPSULE_FUZZ="1")
    return Package(root, json.loads(text))
