#!/bin/sh
# The main verbs on the sample containers: what has to work on a system before anything else is worth a look. It runs on Linux and
# on a Mac, with the system's own tools.
#
# usage: Tests/mac/smoke.sh CAPSULE [DIR]      works in a new directory in DIR (default: TMPDIR), and deletes it
#
# Each step is told as it begins; the first that fails ends it, with what it printed.
set -eu

[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
samples=$(cd "$(dirname "$0")/../../Samples" && pwd)
parent=${2:-${TMPDIR:-/tmp}}
place=$(mktemp -d "$parent/capsule-smoke.XXXXXX")
trap 'rm -rf "$place"' EXIT
trap 'exit 130' INT TERM
# What is found in a cache was not read here.
XDG_CACHE_HOME=$place/cache
export XDG_CACHE_HOME
# Without it the tar of macOS writes a second entry, `._NAME`, for a file that has an attribute.
COPYFILE_DISABLE=1
export COPYFILE_DISABLE
cd "$place"
mkdir bin cache
ln -s "$program" bin/capsule
PATH=$place/bin:$PATH
cp -R "$samples/Gifs-before.xcappdata" "$samples/Gifs-after.xcappdata" .

fail() {
    echo "smoke: failed: $*" >&2
    exit 1
}
# step WORDS: what comes next.
step() { echo "- $*"; }
# ends STATUS COMMAND...: the command ends so; what it printed is told if it does not.
ends() {
    wanted=$1
    shift
    found=0
    "$@" >out 2>err || found=$?
    [ "$found" -eq "$wanted" ] && return 0
    cat out err >&2
    fail "status $found, not $wanted: $*"
}
# prints TEXT COMMAND...: the command prints that text and no more.
prints() {
    text=$1
    shift
    ends 0 "$@"
    [ "$(cat out)" = "$text" ] || { cat out >&2; fail "it does not print '$text': $*"; }
}

step 'the program starts'
ends 0 capsule --version
cat out

step 'pack a bundle, append a version, verify'
ends 0 capsule pack Gifs-before.xcappdata -o gifs.capsule --label before
ends 0 capsule pack Gifs-after.xcappdata -o gifs.capsule --append --label after
ends 0 capsule verify --strict gifs.capsule
ends 0 capsule info gifs.capsule
ends 0 capsule log gifs.capsule

step 'list, and print one file'
ends 0 capsule ls gifs.capsule@before
ends 0 capsule cat gifs.capsule@before 'Documents/Notes/Shopping list.txt'
cmp -s out 'Gifs-before.xcappdata/AppData/Documents/Notes/Shopping list.txt' || fail 'cat prints another content'

step 'unpack, and find what was packed'
ends 0 capsule unpack gifs.capsule@before -o unpacked.xcappdata
ends 0 diff -r Gifs-before.xcappdata unpacked.xcappdata
prints '' capsule diff --all gifs.capsule@before unpacked.xcappdata
prints '' capsule diff --all --no-cache Gifs-before.xcappdata unpacked.xcappdata

step 'the stock tar reads a capsule'
ends 0 tar -tzf gifs.capsule
grep -q '^Gifs-before.xcappdata/AppData/Documents/Notes/Shopping list.txt$' out || fail 'tar does not list a file'

step 'find what a run changed'
ends 1 capsule diff gifs.capsule@before gifs.capsule@after
grep -q 'favourite 0 → 1' out || fail 'diff does not show a row of the database'
grep -q '/launches: 6 → 7' out || fail 'diff does not show a default'
ends 0 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --expect "$samples/expectations/run.plist"
ends 0 capsule diff -q --exit-zero gifs.capsule@before gifs.capsule@after --overlay run.capsule

step 'restore a live container, undo it, apply an overlay'
cp -R Gifs-after.xcappdata Live.xcappdata
ends 0 capsule restore gifs.capsule@before Live.xcappdata --undo undo.capsule
prints '' capsule diff --all gifs.capsule@before Live.xcappdata
prints 'Live.xcappdata: nothing to change' capsule restore gifs.capsule@before Live.xcappdata
ends 0 capsule apply undo.capsule Live.xcappdata
prints '' capsule diff --all gifs.capsule@after Live.xcappdata
ends 0 capsule restore -q gifs.capsule@before Live.xcappdata
ends 0 capsule apply run.capsule Live.xcappdata
prints '' capsule diff --all gifs.capsule@after Live.xcappdata

step 'merge two containers, and overlay a property list'
cp -R Gifs-before.xcappdata Ann.xcappdata
ends 0 capsule plist set -q Ann.xcappdata/AppData/Library/Preferences/com.example.gifs.plist /theme --string light
ends 0 capsule merge Gifs-before.xcappdata Gifs-after.xcappdata Ann.xcappdata -o both.capsule
cp "$samples/overlays/scene-delegate/Info.plist" Info.plist
ends 0 capsule apply "$samples/overlays/scene-delegate/Test.plist" Info.plist
prints 'Info.plist: nothing to change' capsule apply "$samples/overlays/scene-delegate/Test.plist" Info.plist

step 'the other codec, and other forms'
ends 0 capsule pack Gifs-before.xcappdata --codec zstd -o zstd.capsule
ends 0 capsule verify --strict zstd.capsule
for form in zip tar.gz tar.zst; do
    ends 0 capsule unpack gifs.capsule@before --as "$form" -o "form.$form"
    prints '' capsule diff --all gifs.capsule@before "form.$form"
done

# libarchive decodes names by the locale; one that it can't decode would come out as `caf?`. On APFS the two spellings of é are one
# name, so that each has a directory of its own.
step 'names in foreign archives: é as one character and as two'
nfc=$(printf 'caf\303\251.txt')
nfd=$(printf 'cafe\314\201.txt')
mkdir -p names/nfc names/nfd
echo one >"names/nfc/$nfc"
echo two >"names/nfd/$nfd"
printf '%s\n' nfc "nfc/$nfc" nfd "nfd/$nfd" >wanted
listed() {
    ends 0 capsule ls "$1"
    cmp -s out wanted || { cat out >&2; fail "$1 lists other names"; }
}
tar --format pax -cf pax.tar -C names nfc nfd
tar --format ustar -cf ustar.tar -C names nfc nfd
set -- pax.tar ustar.tar
if command -v zip >/dev/null 2>&1; then
    (cd names && zip -qr ../names.zip nfc nfd)
    set -- "$@" names.zip
fi
for archive in "$@"; do
    for locale in C en_US.UTF-8 ''; do
        LC_ALL=$locale
        export LC_ALL
        listed "$archive"
        ends 0 capsule pack "$archive" -o names.capsule --force
        listed names.capsule
        prints two capsule cat names.capsule "nfd/$nfd"
    done
    unset LC_ALL
done

step 'what is damaged is found'
printf damaged | dd of=gifs.capsule bs=1 seek=5000 conv=notrunc 2>/dev/null
ends 2 capsule verify gifs.capsule
grep -q 'gifs.capsule: damaged: ' err || fail 'verify does not say that it is damaged'
echo 'smoke: passed'
