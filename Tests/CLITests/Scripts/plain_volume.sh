# Every verb that writes works on a volume that can do no more than rename, such as exFAT on a Mac.
. "$LIB"

needs_linux "LD_PRELOAD is its"
need gcc
gcc -O2 -Wall -Wextra -Werror -shared -fPIC "$TOOLS/plain_volume.c" -o volume.so -ldl || fail "the library does not build"

export LD_PRELOAD="$PWD/volume.so"
before=$SAMPLES/Gifs-before.xcappdata
after=$SAMPLES/Gifs-after.xcappdata

# The library is at work: a link can't be made.
echo text > a
! ln a b 2> /dev/null || fail "a hard link was made"

ok "$CAPSULE" pack "$before" -o two.capsule --label before
ok "$CAPSULE" pack "$after" -o two.capsule --append --label after
ok "$CAPSULE" verify --strict two.capsule
ok "$CAPSULE" unpack two.capsule@before -o live.xcappdata
ok "$CAPSULE" diff two.capsule@before live.xcappdata

# What is there is not replaced, though the file system can't say so.
status 2 "$CAPSULE" pack "$before" -o two.capsule
status 2 "$CAPSULE" unpack two.capsule@before -o live.xcappdata
ok "$CAPSULE" verify two.capsule

ok "$CAPSULE" restore two.capsule@after live.xcappdata --undo undo.capsule
ok "$CAPSULE" diff two.capsule@after live.xcappdata
ok "$CAPSULE" apply undo.capsule live.xcappdata
ok "$CAPSULE" diff two.capsule@before live.xcappdata

status 1 "$CAPSULE" diff two.capsule@before two.capsule@after --overlay steps.capsule
ok "$CAPSULE" apply steps.capsule live.xcappdata
ok "$CAPSULE" diff two.capsule@after live.xcappdata
status 1 "$CAPSULE" diff two.capsule@before two.capsule@after --html report.html

ok "$CAPSULE" merge two.capsule@before two.capsule@after live.xcappdata -o merged.capsule
ok "$CAPSULE" merge two.capsule@before two.capsule@after live.xcappdata -o merged.xcappdata
ok "$CAPSULE" compact two.capsule --keep latest -o one.capsule
ok "$CAPSULE" compact two.capsule --keep latest
ok "$CAPSULE" verify --strict two.capsule

cp "$SAMPLES/overlays/scene-delegate/Info.plist" .
ok "$CAPSULE" apply "$SAMPLES/overlays/scene-delegate/Test.plist" Info.plist
ok "$CAPSULE" plist set -q Info.plist /Key --string value

# Nothing else is there.
left=$(find . -name '.*' ! -name . ! -path './*/AppData/*')
[ -z "$left" ] || fail "left behind: $left"
