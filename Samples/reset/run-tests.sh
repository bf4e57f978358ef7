#!/bin/sh
# Run UI tests one by one on a simulator, each with the same data in the app's container.
#
# usage: run-tests.sh TEST...      TEST is a test identifier for xcodebuild -only-testing
# Exits with the highest status of a restore or a test.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 TEST..." >&2; exit 64; }

# Change these, or set them in the environment.
# The version in the project's capsule.
: "${CAPSULE_VERSION:=@clean}"
# The scheme with the UI tests, and the destination, for xcodebuild.
: "${CAPSULE_SCHEME:=Gifs}"
: "${CAPSULE_DESTINATION:=platform=iOS Simulator,name=iPhone 16}"

worst=0
for test in "$@"; do
    status=0
    { capsule restore -q "$CAPSULE_VERSION" &&
        xcodebuild test-without-building -scheme "$CAPSULE_SCHEME" -destination "$CAPSULE_DESTINATION" -only-testing:"$test"; } || status=$?
    [ "$status" -le "$worst" ] || worst=$status
done
exit "$worst"
