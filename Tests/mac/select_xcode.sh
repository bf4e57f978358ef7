#!/bin/sh
# Select the newest Xcode of a major version for all that follows, as a runner of GitHub needs it, and print what that is.
#
# usage: Tests/mac/select_xcode.sh MAJOR      asks for root through sudo; XCODES is where Xcodes lie (default: /Applications)
set -eu

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
place=${XCODES:-/Applications}

# A beta has a word behind its numbers; it is taken only if there is nothing else.
newest=$(
    for path in "$place"/Xcode[_-]*.app; do
        version=${path##*/Xcode?}
        version=${version%.app}
        case "$version" in "$1" | "$1".* | "$1"_*) ;; *) continue ;; esac
        numbers=${version%%[!0-9.]*}
        stable=0
        [ "$numbers" != "$version" ] || stable=1
        printf '%s.%s.0.0.0\t%s\n' "$stable" "$numbers" "$path"
    done | sort -t . -k 1,1n -k 2,2n -k 3,3n -k 4,4n | tail -n 1 | cut -f 2
)
[ -n "$newest" ] || { echo "select_xcode: there is no Xcode_$1 in $place" >&2; exit 1; }
sudo xcode-select -s "$newest"
echo "$newest"
xcodebuild -version
swift --version
