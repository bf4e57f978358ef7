"""Makes a stand-in for Apple's SDK in which the compiler on Linux can compile for Apple's platforms.

The standard library and Testing come from the toolchain's own textual interfaces, compiled for another triple. Apple's C
headers and the list of libSystem's symbols come from the wheel `ziglang`; nothing of it runs. The part of the Darwin overlay
that is not C is Darwin.swift beside this file. What the stand-in lacks: frameworks, the Objective-C runtime, libraries to
link with, and Apple's own module map.
"""
import json
import os
import re
import shutil
import sys
import zipfile

from common import HERE, Failure, Job, Offline, digest, file_digest, output, read, read_if_there, run, run_jobs, write

# Modules of the toolchain, each after those it imports. The second list is for tests, which are compiled for one triple.
LIBRARY = [
    "Swift", "SwiftOnoneSupport", "_Concurrency", "_RegexParser", "_StringProcessing", "_Builtin_float", "Darwin",
    "Synchronization",
]
FOR_TESTS = ["_TestDiscovery", "_TestingInterop", "Testing"]

# What `import Darwin` gives. Apple takes headers out of that module over time: mach-o/dyld.h belongs to the module MachO, and
# locale.h and xlocale.h are no longer in Darwin with the SDK of macOS 26 (github.com/swiftlang/swift/issues/83978). A header
# that is listed here and is not in Apple's module hides an error.
DARWIN = """
MacTypes.h TargetConditionals.h Availability.h aio.h alloca.h arpa/inet.h assert.h copyfile.h crt_externs.h ctype.h dirent.h
dlfcn.h err.h errno.h execinfo.h fcntl.h fenv.h fnmatch.h fts.h ftw.h getopt.h glob.h grp.h ifaddrs.h inttypes.h langinfo.h
libgen.h libproc.h limits.h mach/mach.h mach/mach_time.h malloc/malloc.h math.h net/if.h netdb.h netinet/in.h netinet/tcp.h
paths.h poll.h pthread.h pthread/qos.h pwd.h regex.h sched.h search.h semaphore.h setjmp.h signal.h spawn.h stdarg.h
stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h sys/acl.h sys/attr.h sys/clonefile.h sys/event.h sys/file.h
sys/ioctl.h sys/mman.h sys/mount.h sys/param.h sys/proc_info.h sys/random.h sys/resource.h sys/select.h sys/socket.h
sys/stat.h sys/statvfs.h sys/sysctl.h sys/time.h sys/times.h sys/ttycom.h sys/types.h sys/uio.h sys/un.h sys/utsname.h
sys/wait.h sys/xattr.h sysexits.h syslog.h termios.h time.h unistd.h utime.h utmpx.h uuid/uuid.h vis.h wchar.h wctype.h
wordexp.h
""".split()

# The wheel lacks this header. Values and signatures are those of xattr(2), getxattr(2) and setxattr(2) on macOS.
XATTR = """\
#pragma once
#include <sys/types.h>
#define XATTR_NOFOLLOW 0x0001
#define XATTR_CREATE 0x0002
#define XATTR_REPLACE 0x0004
#define XATTR_NOSECURITY 0x0008
#define XATTR_NODEFAULT 0x0010
#define XATTR_SHOWCOMPRESSION 0x0020
#define XATTR_MAXNAMELEN 127
#define XATTR_FINDERINFO_NAME "com.apple.FinderInfo"
#define XATTR_RESOURCEFORK_NAME "com.apple.ResourceFork"
ssize_t getxattr(const char *path, const char *name, void *value, size_t size, uint32_t position, int options);
ssize_t fgetxattr(int fd, const char *name, void *value, size_t size, uint32_t position, int options);
int setxattr(const char *path, const char *name, const void *value, size_t size, uint32_t position, int options);
int fsetxattr(int fd, const char *name, const void *value, size_t size, uint32_t position, int options);
int removexattr(const char *path, const char *name, int options);
int fremovexattr(int fd, const char *name, int options);
ssize_t listxattr(const char *path, char *namebuff, size_t size, int options);
ssize_t flistxattr(int fd, char *namebuff, size_t size, int options);
"""

MODULES = """\
module Darwin [system] [extern_c] { header "DarwinUmbrella.h" %s export * }
module MachO [system] [extern_c] { module dyld { header "mach-o/dyld.h" export * } }
module xlocale [system] [extern_c] { header "xlocale.h" export * }
module CommonCrypto [system] [extern_c] { umbrella header "CommonCrypto/CommonCrypto.h" export * }
"""
# The headers that clang's own modules of the same names continue; they can't belong to Darwin, and it needs them.
BELOW_DARWIN = ["stdint.h", "inttypes.h", "limits.h", "stddef.h", "float.h"]
# Headers for one processor.
OF_MACHINE = ("arm/", "i386/", "machine/", "mach/arm/", "mach/i386/", "mach/machine/")

# Which version of one platform has what a version of another has: without it, nothing that iOS has is there on visionOS.
def version_map():
    """The map of SDKSettings.json. A version without an entry takes that of its major number: each of these has one."""
    to_vision = {f"{major}.0": "1.0" for major in range(2, 18)}
    to_vision.update({"17.4": "1.1", "17.5": "1.2", "18.0": "2.0", "18.2": "2.2", "18.4": "2.4", "26.0": "26.0"})
    from_vision = {"1.0": "17.1", "1.1": "17.4", "1.2": "17.5", "2.0": "18.0", "2.2": "18.2", "2.4": "18.4", "26.0": "26.0"}
    to_catalyst = {"10.15": "13.1", "11.0": "14.2", "12.0": "15.0", "13.0": "16.1"}
    from_catalyst = {"13.1": "10.15", "14.0": "11.0", "15.0": "12.0", "16.0": "13.0"}
    for table, both in [(to_catalyst, [(14, 17), (15, 18), (26, 26)]), (from_catalyst, [(17, 14), (18, 15), (26, 26)])]:
        table.update({f"{key}.0": f"{value}.0" for key, value in both})
    return {
        "iOS_visionOS": to_vision, "visionOS_iOS": from_vision, "macOS_iOSMac": to_catalyst, "iOSMac_macOS": from_catalyst,
    }


SETTINGS = {"Version": "26.0", "CanonicalName": "standin26.0", "MaximumDeploymentTarget": "26.99", "VersionMap": version_map()}


FLOAT80 = """
@usableFromInline internal func _stdlib_remainderl(_ a: Swift.Float80, _ b: Swift.Float80) -> Swift.Float80
@usableFromInline internal func _stdlib_squareRootl(_ a: Swift.Float80) -> Swift.Float80
"""


def module_name(triple):
    """The name of a module's file for a triple, which has no version: arm64-apple-ios-simulator."""
    return re.sub(r"-macosx\b", "-macos", re.sub(r"(apple-[a-z]+)[0-9.]+", r"\1", triple))


class Wheel:
    """The headers and the list of symbols from the wheel that requirements.txt pins, downloaded once."""

    FROM = "ziglang/lib/libc/"
    HEADERS, SYMBOLS = "include/any-darwin-any/", "darwin/libSystem.tbd"

    def __init__(self, build):
        self.requirements = os.path.join(HERE, "requirements.txt")
        found = re.match(r"ziglang==([\d.]+) --hash=sha256:[0-9a-f]{64}$", read(self.requirements).strip())
        if not found:
            raise Failure(".ci/darwin/requirements.txt pins no version of ziglang with its hash")
        self.version = found.group(1)
        self.place = os.path.join(build, "ziglang-" + self.version)

    @property
    def headers(self):
        return os.path.join(self.place, self.HEADERS)

    @property
    def symbols(self):
        return os.path.join(self.place, self.SYMBOLS)

    def download(self):
        if os.path.isdir(self.place):
            return
        aside = self.place + ".new"
        shutil.rmtree(aside, ignore_errors=True)
        os.makedirs(aside)
        if run([sys.executable, "-m", "pip", "--version"]).returncode:
            raise Failure(f"{sys.executable} has no pip; .ci/setup test installs it")
        print(f"check-darwin: downloading ziglang {self.version} (100 MB) for Apple's headers", flush=True)
        # The wheels of all systems hold the same headers. One of them is enough, so that there is one hash.
        done = run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
             "--only-binary", ":all:", "--platform", "manylinux_2_12_x86_64", "--require-hashes", "--retries", "2",
             "--timeout", "30", "--requirement", self.requirements, "--dest", aside])
        if done.returncode:
            shutil.rmtree(aside, ignore_errors=True)
            if is_offline(done.stdout):
                raise Offline(f"pip can't reach a package index: {last_line(done.stdout)}")
            raise Failure(f"pip can't download ziglang {self.version}:\n{done.stdout.strip()}")
        wheel, = [os.path.join(aside, name) for name in os.listdir(aside)]
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                part = name[len(self.FROM):]
                if name.startswith(self.FROM) and not name.endswith("/") and part.startswith((self.HEADERS, self.SYMBOLS)):
                    target = os.path.join(aside, part)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with archive.open(name) as source, open(target, "wb") as file:
                        shutil.copyfileobj(source, file)
        os.remove(wheel)
        for path in [os.path.join(aside, self.HEADERS, "stdio.h"), os.path.join(aside, self.SYMBOLS)]:
            if not os.path.exists(path):
                missing = os.path.relpath(path, aside)
                raise Failure(f"the wheel ziglang {self.version} has no {missing}; pin a version that has it")
        os.rename(aside, self.place)


def is_offline(text):
    """Whether pip's errors tell of the network, and not of the package."""
    return bool(re.search(
        r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|ConnectionResetError"
        r"|[Nn]ame resolution|Network is unreachable|Connection refused", text))


def last_line(text):
    return text.strip().split("\n")[-1]


def adapted(module, text, triple):
    """A module's interface for Linux as one for an Apple triple."""
    flags = re.search(r"^// swift-module-flags: .*$", text, re.M)
    changed = re.sub(r"-target \S+", f"-target {triple}", flags.group())
    # Bodies that others inline need no optimizing before; that takes half as long.
    changed = changed.replace(" -O ", " ").replace("flags: ", "flags: -disable-availability-checking ", 1)
    if not triple.startswith(("arm64-apple-macosx", "x86_64-apple-macosx")):
        # For these triples nothing but types is checked, and bodies are of no use.
        changed = changed.replace("flags: ", "flags: -experimental-skip-all-function-bodies ", 1)
    text = text.replace(flags.group(), changed).replace("\nimport Glibc\n", "\nimport Darwin\n")
    # An interface for Linux leaves out the bodies that back-deployment needs.
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if "@backDeployed" in line:
            declaration = next(later for later in lines[at:] if re.search(r"\b(func|var|init|subscript)\b", later))
            if not declaration.rstrip().endswith("{"):
                lines[at] = re.sub(r"@backDeployed\(before:[^)]*\)\s*", "", line)
    text = "\n".join(lines)
    # Helpers that the bodies call on these systems, and that an interface for Linux does not declare.
    if module == "Swift" and not triple.startswith("x86_64"):
        text += FLOAT80
    if module == "Synchronization":
        text += "\n@usableFromInline internal func _swift_stdlib_gettid() -> Swift.UInt32\n"
    return text


class SDK:
    """The stand-in for a list of triples, below the directory of builds."""

    def __init__(self, toolchain, wheel, build, triples, triples_of_tests):
        self.toolchain, self.wheel, self.build = toolchain, wheel, build
        self.triples, self.triples_of_tests = list(triples), set(triples_of_tests)
        self.path = os.path.join(os.path.dirname(build), "darwin-sdk")
        self.cache = os.path.join(build, "cache")
        own = [file_digest(os.path.join(HERE, name)) for name in ("sdk.py", "Darwin.swift", "requirements.txt")]
        self.stamp = digest(toolchain.version, toolchain.resources, wheel.version, *own, *self.triples, *sorted(triples_of_tests))

    def is_made(self):
        return read_if_there(os.path.join(self.path, "stamp")) == self.stamp

    def flags(self, triple, sdk=None):
        """The compiler's flags that make it compile for a triple with nothing but the stand-in."""
        return ["-target", triple, "-sdk", sdk or self.path, "-module-cache-path", self.cache, "-disable-objc-interop"]

    def make(self):
        """Makes it aside and puts it into its place as a whole."""
        self.wheel.download()
        print(f"check-darwin: making the SDK for {len(self.triples)} triples", flush=True)
        aside = self.path + ".new"
        shutil.rmtree(aside, ignore_errors=True)
        self.headers(aside)
        jobs = []
        for triple in self.triples:
            before = []
            for module in LIBRARY + (FOR_TESTS if triple in self.triples_of_tests else []):
                job = Job(f"{module} for {triple}", self.work(aside, module, triple), before)
                jobs.append(job)
                before = [job]
        run_jobs(jobs)
        if not all(job.state == "passed" for job in jobs):
            raise Failure("the toolchain's own modules do not compile; .ci/darwin/sdk.py adapts them")
        write(os.path.join(aside, "stamp"), self.stamp)
        shutil.rmtree(self.path, ignore_errors=True)
        os.rename(aside, self.path)

    def headers(self, sdk):
        include, lib = os.path.join(sdk, "usr/include"), os.path.join(sdk, "usr/lib")
        shutil.copytree(self.wheel.headers, include)
        os.makedirs(lib)
        shutil.copy(self.wheel.symbols, lib)
        if not os.path.exists(os.path.join(include, "sys/xattr.h")):
            write(os.path.join(include, "sys/xattr.h"), XATTR)
        # Apple hides this name of classic Mac OS from Swift. Here it would hide Swift.Duration.
        types = os.path.join(include, "MacTypes.h")
        write(types, re.sub(r"^typedef SInt32\s+Duration;.*$", "", read(types), flags=re.M))
        write(os.path.join(include, "DarwinUmbrella.h"), "".join(f"#include <{name}>\n" for name in DARWIN))
        # With an SDK of version 15 or newer, clang does not look for the toolchain's own modules in directories below.
        shims = os.path.join(self.toolchain.resources, "shims", "module.modulemap")
        toolchains = [f'extern module {name} "{shims}"\n' for name in re.findall(r"^module (\w+)", read(shims), re.M)]
        write(os.path.join(include, "module.modulemap"), MODULES % self.headers_of_darwin(sdk, include) + "".join(toolchains))
        write(os.path.join(sdk, "SDKSettings.json"), json.dumps(SETTINGS, indent=4))

    def headers_of_darwin(self, sdk, include):
        """The headers that the umbrella includes, as a part of the module map.

        A header that belongs to no module belongs to each that includes it. Then the members of its types would be seen as
        another module's, and as missing where that one is not imported.
        """
        def included(source):
            listed = output([self.toolchain.clang, "-target", self.triples[0], "-isysroot", sdk, "-M", "-x", "c", source])
            paths = listed.replace("\\\n", " ").split()[1:]
            paths = [os.path.relpath(path, include) for path in paths if path.startswith(include + os.sep)]
            if not paths:
                raise Failure(f"clang finds none of Apple's headers in {source}")
            return paths

        below = os.path.join(self.build, "below.h")
        write(below, "".join(f"#include <{name}>\n" for name in BELOW_DARWIN))
        others = set(included(below)) | {"DarwinUmbrella.h", "assert.h"}
        found = []
        for name in included(os.path.join(include, "DarwinUmbrella.h")):
            text = read(os.path.join(include, name))
            # Single types of C, which clang's own modules include.
            snippet = re.match(r"(sys/)?_types/", name) and not re.search(r"\b(struct|union)\b[^;]*\{|_STRUCT_\w+\s*\{", text)
            # Some may only be included by another.
            part = re.search(r"#\s*error\b.*(include|direct)", text)
            if name not in others and not name.startswith(OF_MACHINE) and not snippet and not part:
                found.append(f'header "{name}"')
        return " ".join(found)

    def work(self, sdk, module, triple):
        def compile_module():
            target = os.path.join(sdk, "usr/lib/swift", module + ".swiftmodule", module_name(triple) + ".swiftmodule")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            command = [self.toolchain.frontend, "-module-name", module, "-o", target] + self.flags(triple, sdk)
            if module == "Darwin":
                command += ["-emit-module", "-parse-as-library", "-swift-version", "5", os.path.join(HERE, "Darwin.swift")]
            else:
                interface = os.path.join(self.build, "interfaces", triple, module + ".swiftinterface")
                write(interface, adapted(module, read(self.toolchain.interface(module)), triple))
                command += ["-compile-module-from-interface", interface] + (["-parse-stdlib"] if module == "Swift" else [])
            done = run(command)
            if done.returncode:
                print(f"check-darwin: {module} for {triple}:\n{done.stdout}", flush=True)
            return done.returncode == 0

        return compile_module
