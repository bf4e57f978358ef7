#!/bin/sh
# Run UI tests one by one on the booted simulator, each with the same data in the app's container.
#
# usage: run-tests.sh CAPSULE[@VERSION] TEST...      TEST is a test identifier for xcodebuild -only-testing
set -eu
[ $# -ge 2 ] || { echo "usage: $0 CAPSULE[@VERSION] TEST..." >&2; exit 64; }
version=$1
shift

# First stop the app and the daemon that caches its preferences. On other systems neither runs.
stop=
[ "$(uname)" != Darwin ] || stop=--simctl

failed=0
for test in "$@"; do
    capsule restore -q "$version" sim:booted/com.example.gifs --drop scene-sessions $stop
    xcodebuild test-without-building -scheme Gifs -destination 'platform=iOS Simulator,name=iPhone 16' \
        -only-testing:"$test" || failed=1
done
exit "$failed"
