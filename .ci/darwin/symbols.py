"""Which C symbols a program on macOS finds: those of libSystem, and of the libraries that the package names to pkg-config."""
import os
import re

from common import Failure, output, read

# The Swift runtime and what Swift modules define. The libraries that have them are not here.
OF_SWIFT = re.compile(r"_\$s|_swift_|__swift_|__swift[A-Z]")
# What Sources/CSystem/apple_events.h declares of CoreServices, whose headers and stub library are not here.
OF_FRAMEWORKS = {"_" + name for name in (
    "CFArrayCreate", "CFRelease", "CFStringCreateWithFileSystemRepresentation", "FSEventStreamCreate", "FSEventStreamInvalidate",
    "FSEventStreamRelease", "FSEventStreamSetDispatchQueue", "FSEventStreamStart", "FSEventStreamStop")}
LISTS = re.compile(r"^\s+(?:- )?(targets|[a-z-]*symbols|objc-[a-z-]+):\s*\[(.*?)\]", re.M | re.S)
SECTIONS = re.compile(r"^(\S[^:\n]*):", re.M)


def of_library(text, wanted_targets):
    """The symbols of a text-based stub library (.tbd, version 4) for any of some targets, such as arm64-macos."""
    found = set()
    for document in re.split(r"^--- .*$", text, flags=re.M):
        if not document.strip():
            continue
        if not re.search(r"^tbd-version:\s+4$", document, re.M):
            raise Failure("libSystem.tbd is not of version 4, which .ci/darwin/symbols.py reads")
        starts = [(match.start(), match.group(1)) for match in SECTIONS.finditer(document)] + [(len(document), "")]
        for (start, name), (end, _) in zip(starts, starts[1:]):
            if name not in ("exports", "reexports"):
                continue
            targets = []
            for kind, items in LISTS.findall(document[start:end]):
                items = [quoted or plain for quoted, plain in re.findall(r"'([^']*)'|([^\s,']+)", items)]
                if kind == "targets":
                    targets = items
                elif kind.endswith("symbols") and set(targets) & set(wanted_targets):
                    found.update(items)
    if len(found) < 1000:
        raise Failure(f"libSystem.tbd has only {len(found)} symbols for {' '.join(wanted_targets)}")
    return found


def targets_of(triple):
    """What a stub library calls the triple of a Mac. The system's own libraries may be there for arm64e alone."""
    processor = triple.split("-")[0]
    return [name + "-macos" for name in {"arm64": ["arm64", "arm64e"]}.get(processor, [processor])]


def of_pkg_config(names, toolchain):
    """The symbols that installed libraries export, as a Mac's linker writes them."""
    found = set()
    for name in names:
        directories = [output(["pkg-config", "--variable=libdir", name]).strip()]
        directories += [word[2:] for word in output(["pkg-config", "--libs-only-L", name]).split()]
        for library in [word[2:] for word in output(["pkg-config", "--libs-only-l", name]).split()]:
            # libdeflate's own file names a directory that Debian does not use: the compiler knows better.
            paths = [os.path.join(directory, f"lib{library}.so") for directory in directories]
            paths.append(output([toolchain.clang, f"-print-file-name=lib{library}.so"]).strip())
            path = next((path for path in paths if os.path.isabs(path) and os.path.exists(path)), None)
            if path is None:
                raise Failure(f"no lib{library}.so in {' '.join(directories)}; .ci/setup installs what {name} needs")
            listed = output([toolchain.nm, "--dynamic", "--defined-only", "--format=just-symbols", path])
            found.update("_" + symbol.split("@")[0] for symbol in listed.split())
    return found


def wanted(toolchain, path):
    """The C symbols that an object wants from elsewhere."""
    listed = output([toolchain.nm, "--undefined-only", "--format=just-symbols", path]).split()
    return {symbol for symbol in listed if not OF_SWIFT.match(symbol)}


def defined(toolchain, path):
    return set(output([toolchain.nm, "--defined-only", "--format=just-symbols", path]).split())


def place(root, symbol, paths):
    """FILE:LINE:COL of the first mention of a symbol in one of the files."""
    name = re.escape(symbol.lstrip("_").split("$")[0])
    for path in paths:
        for number, line in enumerate(read(os.path.join(root, path)).split("\n"), 1):
            found = re.search(rf"\b_*{name}\b", line)
            if found:
                return f"{path}:{number}:{found.start() + 1}"
    return f"{paths[0]}:1:1"
