#!/bin/sh
# Show what Capsule does with a sample container, in a temporary directory that is removed afterwards.
#
# usage: Samples/demo.sh CAPSULE      CAPSULE is the program; `make demo` builds it first
set -eu

[ $# -eq 1 ] || { echo "usage: $0 CAPSULE" >&2; exit 64; }
program=$(command -v "$1") || { echo "$0: $1 is not a program" >&2; exit 1; }
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
samples=$(cd "$(dirname "$0")" && pwd)

place=$(mktemp -d "${TMPDIR:-/tmp}/capsule-demo.XXXXXX")
trap 'rm -rf "$place"' EXIT
trap 'exit 130' INT TERM
cd "$place"
# Names as short as in a real session: `capsule`, and a container that lies here.
mkdir bin
ln -s "$program" bin/capsule
# A checkout lacks empty directories, times and modes.
python3 "$samples/make_samples.py" . > /dev/null 2>&1 || cp -pR "$samples/Gifs-before.xcappdata" "$samples/Gifs-after.xcappdata" .
PATH=$place/bin:$PATH

say() { printf '\n# %s\n' "$1"; }
run() {
    printf '$ %s\n' "$1"
    sh -c "$1"
}

say 'Pack a container downloaded with Xcode into one file:'
run 'capsule pack Gifs-before.xcappdata --label before --note "before the UI test"'
say 'Show its source, contents and digests:'
run 'capsule info Gifs-before.capsule'
say 'List a directory:'
run 'capsule ls -l Gifs-before.capsule Documents'
say 'Print one file without unpacking the others:'
run 'capsule cat Gifs-before.capsule "Documents/Notes/Shopping list.txt"'
say 'Without capsule, any tar opens the file:'
run 'tar -tzf Gifs-before.capsule | head -n 5'
say 'Unpack it and check every digest:'
run 'capsule unpack Gifs-before.capsule@before -C unpacked'
say 'Compare it with the original; diff prints nothing if they are the same:'
run 'diff -r Gifs-before.xcappdata unpacked/Gifs-before.xcappdata && echo identical'
say 'Check every byte of the capsule:'
run 'capsule verify --strict Gifs-before.capsule'
say 'Show what a test run changed, down to the defaults key and the database row:'
run 'capsule diff --exit-zero Gifs-before.capsule Gifs-after.xcappdata'
say 'Restore it exactly, without touching equal files:'
run 'capsule restore Gifs-before.capsule Gifs-after.xcappdata --undo run.capsule'
printf '\nDone. The program is %s\n' "$program"
