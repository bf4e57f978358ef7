#!/bin/sh
# Build CapsuleRuntime by xcodebuild for each system that an app may run on. Nothing runs.
#
# usage: Tests/mac/build_runtime.sh [DIR]      DIR is where what is built goes (default: .build/xcode)
set -eu

[ $# -le 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
cd "$(dirname "$0")/../.."
place=${1:-.build/xcode}
failed=''
for system in iOS 'iOS Simulator' tvOS watchOS visionOS macOS; do
    echo "== CapsuleRuntime for $system"
    xcodebuild build -quiet -scheme CapsuleRuntime -destination "generic/platform=$system" -derivedDataPath "$place" \
        CODE_SIGNING_ALLOWED=NO </dev/null || failed="$failed, $system"
done
[ -z "$failed" ] && exit 0
echo "build_runtime: CapsuleRuntime does not build for${failed#,}" >&2
echo "build_runtime: 'xcodebuild -downloadPlatform NAME' brings a platform that Xcode does not have" >&2
exit 1
