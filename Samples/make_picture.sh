#!/bin/sh
# Makes docs/images/report.png, the HTML report on a part of the sample run, and docs/images/state.png, the page of the state after it,
# as Chromium shows them.
#
# usage: Samples/make_picture.sh [DIR]      CAPSULE is the program, CHROMIUM the browser
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
images=${1:-$root/docs/images}
capsule=${CAPSULE:-$root/.build/release/capsule}
browser=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    [ -n "$browser" ] || ! command -v "$name" > /dev/null || browser=$name
done
[ -n "$browser" ] || { echo "make_picture.sh: Chromium not found: set CHROMIUM" >&2; exit 1; }
[ -x "$capsule" ] || { echo "make_picture.sh: $capsule not found: run 'make build', or set CAPSULE" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/capsule-picture.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$root/Samples/make_samples.py" . > /dev/null
for side in before after; do
    "$capsule" unpack -q "Gifs-$side.xcappdata" Documents/Notes 'Library/Application Support/Model.sqlite' \
        Library/Preferences/com.example.gifs.plist --as directory -o "$side"
    SOURCE_DATE_EPOCH=1715938800 "$capsule" pack -q "$side" --append -o gifs.capsule --label "$side"
done
"$capsule" diff -q --exit-zero gifs.capsule@before gifs.capsule@after --html report.html
for side in before after; do
    SOURCE_DATE_EPOCH=1715938800 "$capsule" pack -q "Gifs-$side.xcappdata" --append -o all.capsule --label "$side"
done
"$capsule" show -q all.capsule --html state.html
# Root, as in a container, has no sandbox.
sandbox=
[ "$(id -u)" != 0 ] || sandbox=--no-sandbox
mkdir -p "$images"
take() {
    "$browser" --headless $sandbox --disable-gpu --hide-scrollbars "--window-size=$2" "--screenshot=$1.png" "file://$work/$1.html" \
        > /dev/null 2>&1
    [ -s "$1.png" ] || { echo "make_picture.sh: $browser took no screenshot" >&2; exit 1; }
    cp "$1.png" "$images/$1.png"
}
take report 1000,1250
take state 1000,900
