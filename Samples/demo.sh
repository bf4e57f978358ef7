#!/bin/sh
# Capsule's main job on a sample container, in a temporary directory that is gone afterwards.
#
# usage: Samples/demo.sh CAPSULE      CAPSULE is the program; `make demo` builds and names it
set -eu

[ $# -eq 1 ] || { echo "usage: $0 CAPSULE" >&2; exit 64; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
samples=$(cd "$(dirname "$0")" && pwd)

place=$(mktemp -d "${TMPDIR:-/tmp}/capsule-demo.XXXXXX")
trap 'rm -rf "$place"' EXIT
trap 'exit 130' INT TERM
cd "$place"
# Names as short as in a real session: `capsule`, and a container that lies here.
mkdir bin
ln -s "$program" bin/capsule
cp -pR "$samples/Gifs-before.xcappdata" "$samples/Gifs-after.xcappdata" .
PATH=$place/bin:$PATH

say() { printf '\n# %s\n' "$1"; }
run() {
    printf '$ %s\n' "$1"
    sh -c "$1"
}

say 'Pack a container that Xcode downloaded from a device into one file:'
run 'capsule pack Gifs-before.xcappdata --label before --note "before the UI test"'
say 'Where it comes from, what it holds, its digests:'
run 'capsule info Gifs-before.capsule'
say 'A part of its tree:'
run 'capsule ls -l Gifs-before.capsule Documents'
say 'One file, without unpacking the others:'
run 'capsule cat Gifs-before.capsule "Documents/Notes/Shopping list.txt"'
say 'The same file to a machine without capsule: any tar opens it.'
run 'tar -tzf Gifs-before.capsule | head -n 5'
say 'Unpack it; every digest is checked:'
run 'capsule unpack Gifs-before.capsule@before -C unpacked'
say 'Is it what was packed? diff prints nothing if it is.'
run 'diff -r Gifs-before.xcappdata unpacked/Gifs-before.xcappdata && echo identical'
say 'And is every byte of the capsule accounted for?'
run 'capsule verify --strict Gifs-before.capsule'
say 'What did a test run change? Down to the defaults key and the database row:'
run 'capsule diff --exit-zero Gifs-before.capsule Gifs-after.xcappdata'
say 'Put it back, exactly; what is equal is not touched:'
run 'capsule restore Gifs-before.capsule Gifs-after.xcappdata --undo run.capsule'
printf '\nDone. The program is %s\n' "$program"
