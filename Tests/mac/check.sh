#!/bin/sh
# Run the checks that need a Mac (ten minutes), print a report, and write it to a file.
#
# usage: Tests/mac/check.sh [--program CAPSULE] [--report FILE] [--quick] [CHECK...]
#
#   --program CAPSULE   use this program instead of building one with `make build`
#   --report FILE       write the report to FILE (default: capsule-check-DATE.txt in the current directory)
#   --quick             skip the slow builds: CapsuleRuntime for each system, and the unit tests
#   CHECK...            run only these checks
#
# The checks use a new directory, disk images in it, and a new simulator, and remove them at the end. Nothing else changes, except
# that `make build` installs missing libraries through Homebrew and builds in .build. The report contains no user name: the home
# directory is written as ~.
#
# Exit status: 0 if nothing failed, 1 if something did.
set -eu

usage() { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
root=$(cd "$(dirname "$0")/../.." && pwd)
program=''
quick=false
report=$PWD/capsule-check-$(date +%Y%m%d-%H%M%S).txt
while [ $# -gt 0 ]; do
    case "$1" in
        --program) [ $# -ge 2 ] || usage; program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2"); shift 2 ;;
        --report) [ $# -ge 2 ] || usage; report=$(cd "$(dirname "$2")" && pwd)/$(basename "$2"); shift 2 ;;
        --quick) quick=true; shift ;;
        -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
        -*) usage ;;
        *) break ;;
    esac
done

place=$(mktemp -d "${TMPDIR:-/tmp}/capsule-check.XXXXXX")
# Each name has one way, as Swift's tools and the simulator print it.
place=$(cd "$place" && pwd -P)
device=''
clean_up() {
    set +e
    # What was made and outlives this process: volumes, the simulator, locked files.
    for mount in "$place"/volume.*/mount; do [ ! -d "$mount" ] || hdiutil detach -quiet -force "$mount" >/dev/null 2>&1; done
    if [ -s "$place/device" ]; then
        device=$(cat "$place/device")
        xcrun simctl shutdown "$device" >/dev/null 2>&1
        xcrun simctl delete "$device" >/dev/null 2>&1
    fi
    if command -v chflags >/dev/null 2>&1; then chflags -R nouchg "$place" >/dev/null 2>&1; fi
    chmod -R u+rwx "$place" >/dev/null 2>&1
    rm -rf "$place"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$place/bin" "$place/cache" "$place/tmp"
XDG_CACHE_HOME=$place/cache
# Compilers leave files there.
TMPDIR=$place/tmp
COPYFILE_DISABLE=1
export XDG_CACHE_HOME TMPDIR COPYFILE_DISABLE

# MARK: The report

: >"$place/report"
say() { printf '%s\n' "$*" | hide | tee -a "$place/report"; }
home=${HOME:-/}
[ "$home" != / ] || home=/nowhere
hide() { sed -e "s|$place|PLACE|g" -e "s|$root|SOURCES|g" -e "s|$home|~|g"; }
# fact NAME COMMAND...: what a command prints, on one line; nothing if there is no such command.
fact() {
    name=$1
    shift
    command -v "$1" >/dev/null 2>&1 || return 0
    say "$name: $("$@" 2>/dev/null </dev/null | tr '\n\t' '  ' | sed 's/  */ /g; s/ $//')"
}

# MARK: What checks say

has() { command -v "$1" >/dev/null 2>&1; }
# These three end a check.
skip() { echo "$*" >"$place/reason"; exit 77; }
fail() { echo "$*" >"$place/reason"; exit 1; }
need() { for tool in "$@"; do has "$tool" || skip "$tool is not installed"; done; }
# A line that the report shows whatever comes of the check.
note() { echo "$*" >>"$place/notes"; }
# ends STATUS COMMAND...
ends() {
    wanted=$1
    shift
    echo "\$ $*"
    found=0
    "$@" >out 2>err </dev/null || found=$?
    head -n 40 out err
    [ "$found" -eq "$wanted" ] || fail "exit status $found, expected $wanted: $*"
}
prints() {
    text=$1
    shift
    ends 0 "$@"
    [ "$(cat out)" = "$text" ] || fail "the output is not '$text': $*"
}
says() { grep -q -e "$2" "$1" || fail "the output does not contain: $2"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
modified() { stat -c %.9Y "$1" 2>/dev/null || stat -f %Fm "$1"; }

passed=0
failed=''
skipped=''
# check NAME: runs check_NAME in a directory of its own.
check() {
    case " $selected " in *' all '* | *" $1 "*) ;; *) return 0 ;; esac
    mkdir "$place/$1"
    rm -f "$place/reason" "$place/notes"
    began=$(date +%s)
    set +e
    (
        set -e
        cd "$place/$1"
        "check_$1"
    ) >"$place/log" 2>&1 </dev/null
    status=$?
    set -e
    seconds=$(($(date +%s) - began))
    reason=$(cat "$place/reason" 2>/dev/null || :)
    case $status in
        0) say "passed   $1 ($seconds s)"; passed=$((passed + 1)) ;;
        77) say "skipped  $1: $reason"; skipped="$skipped $1" ;;
        *) say "failed   $1 ($seconds s): ${reason:-status $status}"; failed="$failed $1" ;;
    esac
    if [ -f "$place/notes" ]; then while IFS= read -r line; do say "         $line"; done <"$place/notes"; fi
    case $status in
        0 | 77) ;;
        *) tail -n 40 "$place/log" | while IFS= read -r line; do say "         | $line"; done ;;
    esac
}

# MARK: The program

check_smoke() { "$root/Tests/mac/smoke.sh" "$program" "$place/smoke" || fail 'see below'; }

# The server for UI tests, and a program beside it.
check_serve() {
    need curl
    mkdir -p Data/Documents
    echo one >Data/Documents/note.txt
    capsule init -q Data
    capsule pack -q --label clean
    echo two >Data/Documents/note.txt
    cat >requests <<'END'
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$CAPSULE_PORT_FILE")
token=$(sed 's/.*"token":"\([^"]*\)".*/\1/' "$CAPSULE_PORT_FILE")
for request in restore diff; do
    curl -sS -H "Authorization: Bearer $token" -d '{"version":"clean"}' "http://127.0.0.1:$port/v1/$request" >"$request.json"
done
END
    capsule serve -- sh requests
    says restore.json '"status":0'
    says diff.json '"status":0'
    [ "$(cat Data/Documents/note.txt)" = one ] || fail 'the data was not restored'
}

# MARK: Names

# archive FILE NAME...: a tar of small files whose names may be one on this volume: each lies in a directory of its own meanwhile.
archive() {
    file=$1
    shift
    number=0
    for name in "$@"; do
        number=$((number + 1))
        mkdir "$file.$number"
        echo "$number" >"$file.$number/$name"
        if [ "$number" = 1 ]; then action=-cf; else action=-rf; fi
        tar --format pax "$action" "$file" -C "$file.$number" "$name"
    done
}

# collide NAME NAME: a version with both is unpacked whole, or not at all.
collide() {
    archive both.tar "$1" "$2"
    ends 0 capsule pack both.tar -o both.capsule
    ends 0 capsule verify --strict both.capsule
    ends 0 capsule ls both.capsule
    [ "$(wc -l <out | tr -d ' ')" = 2 ] || fail 'the capsule does not list both names'
    mkdir probe
    : >"probe/$1"
    if [ -e "probe/$2" ]; then
        note "this file system treats '$1' and '$2' as one name"
        ends 2 capsule unpack both.capsule -o unpacked
        [ ! -e unpacked ] || fail 'unpack left a partial result'
        mkdir live
        echo old >live/old
        ends 2 capsule restore both.capsule live
        [ "$(ls -A live)" = old ] || fail 'a refused restore changed the directory'
    else
        note "this file system treats '$1' and '$2' as two names"
        ends 0 capsule unpack both.capsule -o unpacked
        prints '' capsule diff --all both.capsule unpacked
    fi
    # The other spelling is there: a restore puts the version's own.
    archive one.tar "$2"
    ends 0 capsule pack one.tar -o one.capsule
    mkdir other
    echo other >"other/$1"
    ends 0 capsule restore one.capsule other --any-directory
    [ "$(ls -A other)" = "$2" ] || { note "the name is now: $(ls -A other)"; fail 'the old spelling is left'; }
    prints '' capsule diff --all one.capsule other
}
check_case() { collide Name.txt name.txt; }
check_unicode() { collide "$(printf 'caf\303\251')" "$(printf 'cafe\314\201')"; }

# MARK: Contents and metadata

# Data in a hole that is not on the disk yet must not be taken for a hole.
check_holes() {
    mkdir t
    round=0
    while [ "$round" -lt 12 ]; do
        round=$((round + 1))
        rm -f t/sparse
        dd if=/dev/zero of=t/sparse bs=1 count=1 seek=33554431 2>/dev/null
        dd if=/dev/urandom of=t/sparse bs=65536 count=1 seek=$((round * 40)) conv=notrunc 2>/dev/null
        capsule pack -q --no-cache t -o t.capsule --force
        capsule cat t.capsule sparse >copy
        cmp -s t/sparse copy || fail "round $round: data in a hole was packed as zeros"
        capsule unpack -q t.capsule -o back --force
        cmp -s t/sparse back/sparse || fail "round $round: data in a hole was unpacked as zeros"
    done
    note "a sparse file of 32768 KiB takes $(du -k t/sparse | cut -f 1) KiB, unpacked $(du -k back/sparse | cut -f 1) KiB"
}

check_times() {
    mkdir t
    echo x >t/f
    touch -d 2024-05-17T09:30:00.123456789Z t/f || skip 'touch does not set nanoseconds on this system'
    touch -d 2023-04-16T08:20:10.987654321Z t
    wanted_file=$(modified t/f)
    wanted_directory=$(modified t)
    note "the file's time according to the system: $wanted_file"
    ends 0 capsule pack t -o t.capsule
    ends 0 capsule unpack t.capsule -o back
    [ "$(modified back/f)" = "$wanted_file" ] || fail "a file's time is $(modified back/f), not $wanted_file"
    [ "$(modified back)" = "$wanted_directory" ] || fail "a directory's time is $(modified back), not $wanted_directory"
    echo y >back/f
    ends 0 capsule restore t.capsule back
    [ "$(modified back/f)" = "$wanted_file" ] || fail "after a restore, a file's time is $(modified back/f), not $wanted_file"
}

check_locked() {
    found=0
    env CAPSULE="$program" LIB="$root/Tests/CLITests/Scripts/lib.sh" sh "$root/Tests/CLITests/Scripts/locked_files.sh" >told || found=$?
    cat told
    [ "$found" != 77 ] || skip "$(cat told)"
    [ "$found" = 0 ] || fail 'see below'
}

check_acl() {
    mkdir t
    echo before >t/listed
    chmod +a 'everyone deny delete' t/listed 2>/dev/null || skip 'chmod does not set access control lists on this system'
    ends 0 capsule pack t -o t.capsule
    echo after >t/listed
    found=0
    capsule restore t.capsule t >out 2>err || found=$?
    cat out err
    note "restore over a file that can't be deleted: exit status $found: $(head -n 1 err)"
    case $found in
        0) [ "$(cat t/listed)" = before ] || fail 'the file is not restored' ;;
        2) [ "$(cat t/listed)" = after ] || fail 'the file has neither its old nor its restored content' ;;
        *) fail "status $found" ;;
    esac
    [ ! -e t/.capsule-transaction ] || fail 'a transaction is left'
    chmod -N t/listed
    ends 0 capsule restore t.capsule t
    [ "$(cat t/listed)" = before ] || fail 'the file is not restored without the access control list either'
}

check_compressed() {
    need ditto
    mkdir t
    # Text that compresses well, longer than what the attribute itself can hold.
    awk 'BEGIN { for (i = 0; i < 60000; i++) print "line of a text that compresses well" }' >plain
    ditto --hfsCompression plain t/compressed
    flags=$(ls -lO t/compressed 2>/dev/null || ls -l t/compressed)
    case "$flags" in *compressed*) ;; *) skip 'ditto does not compress on this system' ;; esac
    ends 0 capsule pack t -o t.capsule
    ends 0 capsule unpack t.capsule -o back
    same plain back/compressed
    ends 0 capsule diff --all t back
    echo changed >t/compressed
    ends 0 capsule restore t.capsule t
    same plain t/compressed
}

check_attributes() {
    need xattr
    mkdir t
    echo x >t/f
    xattr -w com.example.note kept t/f || skip 'extended attributes are not supported'
    xattr -w com.apple.quarantine '0081;00000000;check;' t/f
    xattr -w com.apple.metadata:kMDItemComment text t/f
    # An empty Finder record, and one that says something.
    echo y >t/zero
    zeros=0000000000000000000000000000000000000000000000000000000000000000
    xattr -wx com.apple.FinderInfo "$zeros" t/zero 2>/dev/null || note 'the system rejects a FinderInfo of zeros'
    echo z >t/type
    xattr -wx com.apple.FinderInfo 5445585400000000000000000000000000000000000000000000000000000000 t/type
    note "a new file has: $(xattr t/f | tr '\n' ' ')"
    ends 0 capsule pack t -o t.capsule
    ends 0 capsule unpack t.capsule -o back
    [ ! -s err ] || note "unpack printed: $(head -n 2 err | tr '\n' ' ')"
    [ "$(xattr -p com.example.note back/f)" = kept ] || fail 'an attribute is lost'
    [ "$(xattr -p com.apple.metadata:kMDItemComment back/f)" = text ] || fail 'an Apple attribute is lost'
    [ "$(xattr -px com.apple.FinderInfo back/type | tr -d ' \n' | cut -c 1-8)" = 54455854 ] || fail 'a file type is lost'
    if xattr back/f | grep -q quarantine; then note 'an unpacked file is quarantined, possibly because of the terminal'; fi
    ends 0 capsule diff --all t back
    # What only the system sets is no difference, and no reason to touch a file.
    xattr -d com.apple.quarantine t/f
    prints 't: nothing to change' capsule restore t.capsule t
    xattr -w com.example.note other t/f
    ends 0 capsule restore t.capsule t
    [ "$(xattr -p com.example.note t/f)" = kept ] || fail 'an attribute is not restored'
}

# MARK: Volumes

# volume FS: a disk image of 96 MB with that file system, and the steps that have to work on it.
volume() {
    need hdiutil
    mkdir "$place/volume.$1" "$place/volume.$1/mount"
    hdiutil create -quiet -size 96m -fs "$2" -volname CapsuleCheck "$place/volume.$1/image.dmg" || skip "hdiutil can't create a $2 image"
    hdiutil attach -quiet -nobrowse -mountpoint "$place/volume.$1/mount" "$place/volume.$1/image.dmg" ||
        fail "hdiutil can't attach a $2 image"
    mount=$place/volume.$1/mount
    mkdir "$mount/t"
    echo one >"$mount/t/one.txt"
    echo two >"$mount/t/two.txt"
    # Made elsewhere, so that what it holds is not what this file system could tell.
    mkdir source
    echo one >source/one.txt
    echo three >source/three.txt
    ends 0 capsule pack source -o source.capsule
    # A capsule made and grown there: renamed, locked and flushed.
    ends 0 capsule pack source -o "$mount/a.capsule"
    ends 0 capsule pack "$mount/t" -o "$mount/a.capsule" --append --different-app
    ends 0 capsule verify --strict "$mount/a.capsule"
    ends 2 capsule pack source -o "$mount/a.capsule"
    says err 'already exists'
    ends 2 capsule pack source -o "$mount/a.capsule" --force
    rm "$mount/a.capsule"
    ends 0 capsule pack source -o "$mount/a.capsule"
    ends 0 capsule pack source -o "$mount/a.capsule" --force
    ends 0 capsule verify --strict "$mount/a.capsule"
    # A live directory: unpacked, replaced, restored, undone.
    ends 0 capsule unpack "$mount/a.capsule" -o "$mount/back"
    same source/three.txt "$mount/back/three.txt"
    ends 0 capsule unpack "$mount/a.capsule" -o "$mount/back" --force
    ends 0 capsule restore source.capsule "$mount/t" --any-directory --undo "$mount/undo.capsule"
    [ ! -s err ] || note "restore printed: $(head -n 2 err | tr '\n' ' ')"
    same source/three.txt "$mount/t/three.txt"
    [ ! -e "$mount/t/two.txt" ] || fail 'restore did not delete the extra file'
    ends 0 capsule apply "$mount/undo.capsule" "$mount/t"
    [ "$(cat "$mount/t/two.txt")" = two ] || fail 'the undo file did not restore it'
    [ ! -e "$mount/t/.capsule-transaction" ] || fail 'a transaction is left'
    # A property list is replaced at once.
    printf '{"a":1}' >"$mount/list.json"
    ends 0 capsule plist set -q "$mount/list.json" /a --integer 2
    says "$mount/list.json" 2
}
check_apfs() { volume apfs APFS; }
check_apfs_case() { volume apfs_case 'Case-sensitive APFS'; }
check_hfs() { volume hfs HFS+; }
check_exfat() { volume exfat ExFAT; }

# MARK: Other apps' data

# Nothing of it is kept or shown: the names go nowhere.
check_privacy() {
    found=''
    for data in "$HOME"/Library/Containers/com.apple.*/Data; do
        if [ -d "$data" ]; then found=$data; break; fi
    done
    [ -n "$found" ] || skip 'there are no containers of other apps'
    status=0
    capsule ls "$found" >/dev/null 2>err || status=$?
    case $status in
        0) skip 'the terminal can read the data of other apps, so access is not refused' ;;
        2)
            grep -v '^capsule: error: ' err || :
            if grep -q 'operation not permitted' err; then
                says err '^capsule: hint: .*Full Disk Access'
            else
                note "refused for a different reason: $(sed -n 's/.*: \(cannot .*\)/\1/p' err | head -n 1)"
            fi ;;
        *) fail "status $status" ;;
    esac
}

# MARK: Entitlements

# Whether Xcode puts entitlements in the executables of its builds for simulators, where Capsule reads them.
check_entitlements() {
    need otool
    find "$home/Library/Developer/Xcode/DerivedData" -maxdepth 6 -path '*-iphonesimulator/*.app' -prune >apps 2>/dev/null || :
    [ -s apps ] || skip 'Xcode has built no app for a simulator here'
    count=0
    found=0
    while IFS= read -r app; do
        count=$((count + 1))
        executable=$app/$(plutil -extract CFBundleExecutable raw "$app/Info.plist" 2>/dev/null || basename "$app" .app)
        ! otool -l "$executable" 2>/dev/null | grep -q 'sectname __entitlements$' || found=$((found + 1))
    done <apps
    note "$found of $count apps have the section __TEXT,__entitlements (those without entitlements have none)"
}

# MARK: A simulator

# A simulator of our own: the newest iPhone for which there is a system.
make_device() {
    need xcrun
    xcrun simctl list devicetypes >types 2>&1 || skip "xcrun can't find simctl: is Xcode selected?"
    sed -n 's/.*(\(com\.apple\.CoreSimulator\.SimDeviceType\.iPhone-[^)]*\)).*/\1/p' types >iphones
    [ -s iphones ] || skip 'there are no iPhones among the device types'
    # Listed from old to new.
    awk '{ line[NR] = $0 } END { for (i = NR; i > 0; i--) print line[i] }' iphones >newest
    while IFS= read -r type; do
        if xcrun simctl create "Capsule check $$" "$type" >made 2>&1 </dev/null; then
            tail -n 1 made >"$place/device"
            device=$(cat "$place/device")
            case "$device" in ????????-????-????-????-????????????) ;; *) : >"$place/device"; fail "simctl made '$device'" ;; esac
            note "simulator: $type"
            return 0
        fi
    done <newest
    skip 'the iOS simulator runtime is not installed: xcodebuild -downloadPlatform iOS'
}

# The app, built by the compiler alone: no project, no signing.
build_app() {
    mkdir -p Check.app Seed/Documents build
    echo seeded >Seed/Documents/seed.txt
    cp -R Seed Check.app/Seed
    cat >Check.app/Info.plist <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleExecutable</key>
	<string>Check</string>
	<key>CFBundleIdentifier</key>
	<string>com.example.capsule-check</string>
	<key>CFBundleName</key>
	<string>Check</string>
	<key>CFBundlePackageType</key>
	<string>APPL</string>
	<key>CFBundleShortVersionString</key>
	<string>1.0</string>
	<key>CFBundleVersion</key>
	<string>1</string>
	<key>LSRequiresIPhoneOS</key>
	<true/>
	<key>MinimumOSVersion</key>
	<string>15.0</string>
	<key>UILaunchScreen</key>
	<dict/>
</dict>
</plist>
PLIST
    # Without entitlements, an app on a simulator has no keychain. They are in a section, as Xcode links them.
    cat >Check.entitlements <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>application-identifier</key>
	<string>com.example.capsule-check</string>
	<key>keychain-access-groups</key>
	<array>
		<string>com.example.capsule-check</string>
	</array>
</dict>
</plist>
PLIST
    find "$root/Sources/CapsuleRuntime" -name '*.swift' >sources
    set --
    while IFS= read -r source; do set -- "$@" "$source"; done <sources
    target=$(uname -m)-apple-ios15.0-simulator
    xcrun --sdk iphonesimulator swiftc -target "$target" -swift-version 6 -D DEBUG -parse-as-library -static -emit-library \
        -emit-module -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility -package-name Capsule -module-name CapsuleRuntime \
        -emit-module-path build/CapsuleRuntime.swiftmodule -o build/libCapsuleRuntime.a "$@" ||
        fail 'CapsuleRuntime does not compile for the simulator'
    xcrun --sdk iphonesimulator swiftc -target "$target" -swift-version 6 -D DEBUG -I build -L build -lCapsuleRuntime \
        -Xlinker -sectcreate -Xlinker __TEXT -Xlinker __entitlements -Xlinker Check.entitlements \
        -o Check.app/Check "$root/Tests/mac/CheckApp/main.swift" || fail 'the app does not compile for the simulator'
}

# launched ARGUMENT...: what the app prints, which then ends.
launched() {
    echo "launched $*"
    xcrun simctl launch --console "$device" com.example.capsule-check "$@" >console 2>&1 </dev/null || {
        cat console
        fail "the app can't be launched"
    }
    cat console
}

check_simulator() {
    make_device
    build_app
    xcrun simctl bootstatus "$device" -b >/dev/null || fail 'the simulator does not boot'
    xcrun simctl install "$device" Check.app || fail "the app can't be installed"
    app=sim:$device/com.example.capsule-check

    # CapsuleRuntime as an app has it.
    launched --seed
    says console 'seed: installed'
    launched --seed
    says console 'seed: nothing installed'
    launched --write one --show
    says console 'default: one'
    launched --seed --ResetData
    says console 'reset: '
    launched --show
    says console 'default: none'
    launched --write before

    # Found by reading directories, where the system says it is.
    data=$(xcrun simctl get_app_container "$device" com.example.capsule-check data)
    data=$(cd "$data" && pwd -P)
    capsule locate com.example.capsule-check --device "$device" --kind data >located
    located=$(cd "$(cat located)" && pwd -P)
    [ "$located" = "$data" ] || fail "found in $located, expected in $data"
    [ "$(cat "$data/Documents/seed.txt")" = seeded ] || fail 'the seed is not in the container'
    [ "$(cat "$data/Documents/note.txt")" = before ] || fail 'the app wrote to a different container'

    # The daemon that keeps preferences writes them when it likes, and when it ends.
    xcrun simctl spawn "$device" launchctl stop com.apple.cfprefsd.xpc.daemon || note 'cfprefsd did not stop'
    sleep 2
    ends 0 capsule pack "$app" -o start.capsule --label start
    ends 0 capsule verify --strict start.capsule

    # A restore under an app that runs: it ends, and what it and the daemon had in memory does not come back.
    xcrun simctl launch "$device" com.example.capsule-check --write after --stay >/dev/null || fail "the app can't be launched"
    sleep 2
    [ "$(cat "$data/Documents/note.txt")" = after ] || fail 'the app did not write'
    ends 1 capsule diff start.capsule "$app"
    is_running || fail 'the app quit'
    ends 0 capsule restore start.capsule "$app" --simctl
    [ ! -s err ] || note "restore printed: $(head -n 3 err | tr '\n' ' ')"
    ! is_running || fail 'the app is still running'
    [ "$(cat "$data/Documents/note.txt")" = before ] || fail 'the file is not restored'
    launched --show
    says console 'note: before'
    says console 'default: before'
    check_keychain
}

# Whether iOS accepts a keychain that was restored: an item of the app as it was packed, not as it was changed since.
check_keychain() {
    launched --login packed
    grep -q '^login: saved' console || { note "the app can't use a keychain here: $(grep '^login: ' console)"; return 0; }
    xcrun simctl shutdown "$device" || fail 'the simulator does not shut down'
    ends 0 capsule pack "$app" --keychain -o keychain.capsule
    says err "the device's whole keychain"
    xcrun simctl bootstatus "$device" -b >/dev/null || fail 'the simulator does not boot'
    launched --login changed
    ends 0 capsule restore keychain.capsule "$app" --keychain --simctl
    xcrun simctl bootstatus "$device" -b >/dev/null || fail 'the simulator does not boot after a restore of its keychain'
    launched --show
    says console '^login: packed'
    note 'iOS accepts a restored keychain'
}
is_running() { xcrun simctl spawn "$device" launchctl list 2>/dev/null | grep -q 'com.example.capsule-check'; }

# MARK: Builds

check_runtime() {
    need xcodebuild
    "$root/Tests/mac/build_runtime.sh" "$place/xcode" || fail 'see below'
}

# Deep recursion in unit tests, on the small stacks of threads.
check_suites() {
    need swift make
    cd "$root"
    make build-debug || fail 'the debug build fails'
    .ci/test --filter 'CapsuleCoreTests|CapsulePropertyListTests|CapsuleSystemTests' || fail 'see below'
}

# MARK: All of it

checks='smoke serve case unicode holes times locked acl compressed attributes apfs apfs_case hfs exfat privacy entitlements simulator'
$quick || checks="$checks runtime suites"
selected=all
if [ $# -gt 0 ]; then
    selected="$*"
    for name in "$@"; do
        case " $checks runtime suites " in *" $name "*) ;; *) echo "check: unknown check '$name'; use one of: $checks" >&2; exit 64 ;; esac
    done
    checks=$selected
fi

say "Capsule on a Mac: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
fact system sw_vers
fact kernel uname -srm
fact Xcode xcodebuild -version
fact developer xcode-select -p
fact swift swift --version
fact Homebrew brew --version
fact pkg-config pkg-config --version
if has git; then fact commit git -C "$root" rev-parse HEAD; fi
# The file system that the checks run on: its mount line, without what the mount point is called.
disk=$(df -P "$place" | awk 'NR == 2 { print $1 }')
say "file system: $(mount | awk -v disk="$disk" '$1 == disk' | sed -n 's/.* type \([^ ]*\) .*/\1/p; s/.*(\(.*\)).*/\1/p')"
: >"$place/Case"
if [ -e "$place/case" ]; then say 'case: insensitive'; else say 'case: sensitive'; fi
rm -f "$place/Case"
say ''

if [ -z "$program" ]; then
    say 'building (takes minutes) ...'
    if make -C "$root" build >"$place/log" 2>&1 </dev/null; then
        program=$root/.build/release/capsule
        say 'passed   build'
    else
        say 'failed   build'
        tail -n 60 "$place/log" | while IFS= read -r line; do say "         | $line"; done
        failed=' build'
    fi
fi
if [ -z "$failed" ]; then
    ln -s "$program" "$place/bin/capsule"
    PATH=$place/bin:$PATH
    fact program capsule --version
    for name in $checks; do check "$name"; done
fi

say ''
# count WORD...: how many.
count() { echo $#; }
# shellcheck disable=SC2086 # lists of words
say "summary: $passed passed, $(count $failed) failed${failed:+ (${failed# })}, $(count $skipped) skipped${skipped:+ (${skipped# })}"
cp "$place/report" "$report"
echo "The report is in $report. Please attach it to a new issue of the project, even if everything passed."
[ -z "$failed" ]
