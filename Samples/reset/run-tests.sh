#!/bin/sh
# Run UI tests one by one on a simulator, each with the same data in the app's container.
#
# usage: run-tests.sh CAPSULE[@VERSION] TEST...      TEST is a test identifier for xcodebuild -only-testing
set -eu
[ $# -ge 2 ] || { echo "usage: $0 CAPSULE[@VERSION] TEST..." >&2; exit 64; }

# Change these, or set them in the environment.
# The app's bundle identifier.
: "${CAPSULE_APP:=com.example.gifs}"
# The simulator of the app's container: 'booted', a name or a UDID.
: "${CAPSULE_DEVICE:=booted}"
# The scheme with the UI tests, and the destination, for xcodebuild.
: "${CAPSULE_SCHEME:=Gifs}"
: "${CAPSULE_DESTINATION:=platform=iOS Simulator,name=iPhone 16}"
# What to leave out of the data: classes of noise, as for capsule restore --drop.
: "${CAPSULE_DROP:=scene-sessions}"

version=$1
shift

# On a Mac, first stop the app and the daemon that caches its preferences.
stop=
[ "$(uname)" != Darwin ] || stop=--simctl

failed=0
for test in "$@"; do
    capsule restore -q "$version" "sim:$CAPSULE_DEVICE/$CAPSULE_APP" --drop "$CAPSULE_DROP" $stop
    xcodebuild test-without-building -scheme "$CAPSULE_SCHEME" -destination "$CAPSULE_DESTINATION" -only-testing:"$test" ||
        failed=1
done
exit "$failed"
