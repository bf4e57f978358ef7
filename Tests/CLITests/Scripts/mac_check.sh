# Tests/mac/check.sh, with stand-ins for what a Mac alone has: each check runs to its end, notices what is wrong, cleans up, and the
# report says all of it.
. "$LIB"
need python3 tar awk
[ "$(uname -s)" = Linux ] || skip 'on a Mac it is run as it is'
command -v swiftc > /dev/null || skip 'swiftc is not in PATH'
root=$(cd "$SAMPLES/.." && pwd)
place=$PWD
mkdir bin home home/Library home/Library/Containers state
HOME=$place/home
export HOME
real_path=$PATH
stand_in() {
    { printf '#!/bin/sh\nplace=%s\nPATH=%s\n' "'$place'" "'$real_path'"; cat; } > "bin/$1"
    chmod +x "bin/$1"
}

# Disk images are directories; a detached one is told.
stand_in hdiutil << 'END'
case "$1" in
    create) for last in "$@"; do :; done; : > "$last" ;;
    attach) echo attached >> "$place/state/volumes" ;;
    detach) echo detached >> "$place/state/volumes" ;;
    *) exit 2 ;;
esac
END
echo 'printf "ProductName:\tmacOS\nProductVersion:\t15.5\nHome:\t%s\n" "$HOME"' | stand_in sw_vers
stand_in xcodebuild << 'END'
case "$1" in -version) echo 'Xcode 26.1' ;; *) [ ! -e "$place/state/no-platform" ] ;; esac
END
echo 'cp "$2" "$3"' | stand_in ditto
echo '[ "$1" != -lO ] || { shift; set -- -l "$@"; echo compressed; }
exec ls "$@"' | stand_in ls
# Lists of access are files beside; one keeps a file from being deleted only where the test says so.
stand_in chmod << 'END'
case "$1" in +a | -N) exit 0 ;; *) exec chmod "$@" ;; esac
END
# Python itself: what stands for it in PATH may be a script of its own.
python=$(python3 -c 'import sys; print(sys.executable)')
cat > bin/xattr << END
#!$python -IS
import os, sys
PREFIX = "user."
words = sys.argv[1:]
flags = words.pop(0) if words[0].startswith("-") else ""
if not flags:
    print("\n".join(name[len(PREFIX):] for name in os.listxattr(words[0]) if name.startswith(PREFIX)))
elif "w" in flags:
    os.setxattr(words[2], PREFIX + words[0], bytes.fromhex(words[1]) if "x" in flags else words[1].encode())
elif "p" in flags:
    value = os.getxattr(words[1], PREFIX + words[0])
    print(value.hex(" ") if "x" in flags else value.decode())
elif "d" in flags:
    os.removexattr(words[1], PREFIX + words[0])
END
chmod +x bin/xattr
# A simulator: its directories are like those of Xcode, and its apps are processes here, with the container as their home.
cat > bin/xcrun << END
#!$python -IS
import os, plistlib, shutil, signal, subprocess, sys, uuid
PLACE, PATH = "$place", "$real_path"
END
cat >> bin/xcrun << 'END'
STATE, SET = PLACE + "/state", os.environ["HOME"] + "/Library/Developer/CoreSimulator/Devices"
words = sys.argv[1:]

def log(*text):
    with open(STATE + "/simctl", "a") as file:
        print(*text, file=file)

def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        plistlib.dump(value, file)

def container(kind):
    top = f"{SET}/{device}/data/Containers/{kind}/Application"
    return os.path.join(top, os.listdir(top)[0])

def running():
    try:
        pid = int(open(STATE + "/pid").read())
        # Nobody may have waited for it: then it is listed, and has ended, and its command line is empty. After thousands of other
        # processes, its number is that of another one, or of a thread.
        return pid if open(f"/proc/{pid}/cmdline", "rb").read().startswith(os.fsencode(SET) + b"/") else None
    except (OSError, ValueError):
        return None

if words[:3] == ["--sdk", "iphonesimulator", "swiftc"]:
    # Compiled for this machine: what differs is the target, and its linker's own flags.
    while "-Xlinker" in words:
        place = words.index("-Xlinker")
        del words[place:place + 2]
    # The second time, what the first one made.
    place, made = words.index("-target"), words[words.index("-o") + 1]
    kept = STATE + "/" + os.path.basename(made)
    if not os.path.exists(kept):
        # A library at once: file by file takes twice as long.
        whole = ["-whole-module-optimization"] if "-emit-library" in words else []
        status = subprocess.call(["swiftc"] + whole + words[3:place] + words[place + 2:], env={**os.environ, "PATH": PATH})
        if status:
            sys.exit(status)
        shutil.copy(made, kept)
    sys.exit(not shutil.copy(kept, made + ".new") or os.rename(made + ".new", made))
assert words.pop(0) == "simctl", words
verb = words.pop(0)
log(verb, *words)
device = words[0] if words else ""
if verb == "list":
    for name in ["iPhone 15", "iPhone 16", "iPhone 17", "iPad Air"]:
        print(f"{name} (com.apple.CoreSimulator.SimDeviceType.{name.replace(' ', '-')})")
elif verb == "create":
    if words[1].endswith("iPhone-17"):
        sys.exit("Unable to create a device: no runtime takes it")
    device = str(uuid.uuid4()).upper()
    write(f"{SET}/{device}/device.plist", {"UDID": device, "name": words[0], "state": 1,
        "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-26-1"})
    print(device)
elif verb == "bootstatus":
    write(f"{SET}/{device}/device.plist", {"UDID": device, "name": "Check", "state": 3,
        "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-26-1"})
elif verb == "install":
    info = plistlib.load(open(words[1] + "/Info.plist", "rb"))
    for kind in ["Data", "Bundle"]:
        path = f"{SET}/{device}/data/Containers/{kind}/Application/{str(uuid.uuid4()).upper()}"
        write(path + "/.com.apple.mobile_container_manager.metadata.plist", {"MCMMetadataIdentifier": info["CFBundleIdentifier"],
            "MCMMetadataContentClass": 1 if kind == "Bundle" else 2, "MCMMetadataUUID": os.path.basename(path)})
    shutil.copytree(words[1], container("Bundle") + "/Check.app")
    for name in ["Documents", "Library/Preferences", "tmp"]:
        os.makedirs(container("Data") + "/" + name)
elif verb == "get_app_container":
    print(container("Data"))
elif verb == "launch":
    console = words[0] == "--console"
    device = words[1] if console else words[0]
    arguments = words[3:] if console else words[2:]
    if running():
        os.kill(running(), signal.SIGTERM)
    home = container("Data")
    app = subprocess.Popen([container("Bundle") + "/Check.app/Check"] + arguments, env={"HOME": home, "CFFIXED_USER_HOME": home, "PATH": PATH},
        stdout=None if console else subprocess.DEVNULL, stderr=None if console else subprocess.DEVNULL, start_new_session=not console)
    if console:
        sys.exit(app.wait())
    open(STATE + "/pid", "w").write(str(app.pid))
elif verb == "terminate":
    if not running():
        sys.exit("found nothing to terminate")
    os.kill(running(), signal.SIGTERM)
elif verb == "spawn":
    if words[1:3] == ["launchctl", "list"] and running():
        print(f"{running()}\t0\tUIKitApplication:com.example.capsule-check[1]")
elif verb == "delete":
    shutil.rmtree(f"{SET}/{device}")
elif verb != "shutdown":
    sys.exit(f"simctl: {verb}?")
END
chmod +x bin/xcrun
# A capsule that does here what '--simctl' does on a Mac.
stand_in capsule << END
real='$CAPSULE'
END
cat >> bin/capsule << 'END'
simctl=false
first=
for word in "$@"; do
    shift
    case "$word" in --simctl) simctl=true ;; sim:*/*) device=${word#sim:}; set -- "$@" "$word" ;; *) set -- "$@" "$word" ;; esac
done
if $simctl && [ ! -e "$place/state/no-terminate" ]; then
    "$place/bin/xcrun" simctl terminate "${device%%/*}" "${device#*/}" || :
    # What is asked to end takes its time.
    sleep 1
fi
[ ! -e "$place/state/lies" ] || { [ "$1" != cat ] || { echo other; exit 0; }; }
exec "$real" "$@"
END
# Another simulator, which is not to be touched.
python3 "$TOOLS/make_simulators.py" home/Library/Developer/CoreSimulator/Devices --devices 1 --apps 1 --booted 0 > others
find home/Library/Developer | sort > before
check() {
    wanted_status=$1
    shift
    rm -f report.txt
    status "$wanted_status" env PATH="$place/bin:$PATH" TMPDIR="$TMPDIR" "$root/Tests/mac/check.sh" --program bin/capsule --report report.txt "$@"
    present report.txt
    [ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(ls -A "$TMPDIR")"
}

# All of it but the builds.
check 0 --quick
says report.txt '^system: ProductName: macOS ProductVersion: 15.5 Home: ~$'
says report.txt '^Xcode: Xcode 26.1$'
says report.txt '^program: capsule [0-9]'
says report.txt '^case: sensitive$'
for name in smoke serve case unicode holes times compressed apfs apfs_case hfs exfat acl attributes; do
    says report.txt "^passed   $name ("
done
says report.txt '^passed   simulator ('
says report.txt '^         simulator: com.apple.CoreSimulator.SimDeviceType.iPhone-16$'
says report.txt "^         the app can't use a keychain here: login: no keychain$"
says report.txt '^skipped  privacy: there are no containers of other apps$'
says report.txt '^summary: 1[45] passed, 0 failed, [23] skipped (.*privacy entitlements)$'
says_not report.txt "$place"
says out '^The report is in .*report.txt. Please attach it'
# What was made is gone, and nothing else is.
find home/Library/Developer | sort > after
same before after
[ "$(grep -c '^attached$' state/volumes)" = 4 ] && [ "$(grep -c '^detached$' state/volumes)" = 4 ] || fail 'volumes are left'
made=$(sed -n 's/^bootstatus \([^ ]*\) -b$/\1/p' state/simctl)
[ "$(sed -n 's/^delete //p' state/simctl)" = "$made" ] || fail 'another simulator was deleted'

# What is wrong is found.
: > state/no-terminate
check 1 simulator
says report.txt '^failed   simulator (.* the app is still running$'
says report.txt '^summary: 0 passed, 1 failed (simulator), 0 skipped$'
rm state/no-terminate
find home/Library/Developer | sort > after
same before after
: > state/lies
check 1 holes times
says report.txt '^failed   holes (.* round 1: data in a hole was packed as zeros$'
says report.txt '^passed   times ('
says report.txt '^summary: 1 passed, 1 failed (holes), 0 skipped$'
rm state/lies
: > state/no-platform
check 1 runtime
says report.txt '^         | build_runtime: CapsuleRuntime does not build for iOS, iOS Simulator, '
rm state/no-platform

# What Xcode built is looked at.
echo 'case "$2" in */With.app/With) echo "  sectname __entitlements" ;; *) echo "  sectname __text" ;; esac' | stand_in otool
check 0 entitlements
says report.txt '^skipped  entitlements: Xcode has built no app for a simulator here$'
products=home/Library/Developer/Xcode/DerivedData/App-abc/Build/Products/Debug-iphonesimulator
mkdir -p "$products/With.app" "$products/Without.app"
check 0 entitlements
says report.txt '^passed   entitlements ('
says report.txt '^         1 of 2 apps have the section __TEXT,__entitlements'

# The data of other apps: read, forbidden with its hint, and forbidden without one.
mkdir -p home/Library/Containers/com.apple.check/Data
check 0 privacy
says report.txt '^skipped  privacy: the terminal can read the data of other apps'
refusing() {
    { printf '#!/bin/sh\n[ "$1" != ls ] || {\n'; cat; printf '    exit 2\n}\nexec "%s" "$@"\n' "$CAPSULE"; } > bin/capsule
}
refusing << 'END'
    echo "capsule: error: x: cannot open: operation not permitted" >&2
    echo "capsule: hint: give the terminal Full Disk Access" >&2
END
check 0 privacy
says report.txt '^passed   privacy ('
refusing << 'END'
    echo "capsule: error: x: cannot open: operation not permitted" >&2
END
check 1 privacy
says report.txt '^failed   privacy (.* the output does not contain: '

# A program that does not build ends it, with what the build said.
cat > bin/make << 'END'
#!/bin/sh
echo 'error: no such module'
exit 2
END
chmod +x bin/make
rm -f report.txt
status 1 env PATH="$place/bin:$PATH" "$root/Tests/mac/check.sh" --report report.txt
says report.txt '^failed   build$'
says report.txt '^         | error: no such module$'
says report.txt '^summary: 0 passed, 1 failed (build), 0 skipped$'
status 64 "$root/Tests/mac/check.sh" --program "$CAPSULE" nothing
says err "^check: unknown check 'nothing'"
status 64 "$root/Tests/mac/check.sh" --no-such-flag
ok "$root/Tests/mac/check.sh" --help
says out '^usage: Tests/mac/check.sh'
[ -z "$(ls -A "$TMPDIR")" ] || fail 'something is left'
bin/xcrun simctl terminate any 2> /dev/null || :
