#!/bin/sh
# Runs UI tests one by one, each with the same data in the app's container on the simulator that is booted.
#
# usage: run-tests.sh CAPSULE[@VERSION] TEST...      TEST is what xcodebuild's -only-testing takes
set -eu
[ $# -ge 2 ] || { echo "usage: $0 CAPSULE[@VERSION] TEST..." >&2; exit 64; }
version=$1
shift

# The app, and the daemon that keeps its preferences in memory, have to end first. Where there is no Mac, neither runs.
stop=
[ "$(uname)" != Darwin ] || stop=--simctl

failed=0
for test in "$@"; do
    capsule restore -q "$version" sim:booted/com.example.gifs --drop scene-sessions $stop
    xcodebuild test-without-building -scheme Gifs -destination 'platform=iOS Simulator,name=iPhone 16' \
        -only-testing:"$test" || failed=1
done
exit "$failed"
