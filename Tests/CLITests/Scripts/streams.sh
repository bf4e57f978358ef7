# Standard input and output: `-`, pipes that close, devices that are full.
. "$LIB"
need python3
samples
ok "$CAPSULE" pack Gifs-before.xcappdata -o a.capsule
"$CAPSULE" pack Gifs-before.xcappdata -o - > b.capsule 2> err
[ ! -s err ] || fail 'not silent'
ok "$CAPSULE" verify --strict b.capsule
for verb in ls info; do
    "$CAPSULE" $verb a.capsule > file.out
    "$CAPSULE" $verb - < a.capsule > stdin.out
    same file.out stdin.out
    cat a.capsule | "$CAPSULE" $verb - > pipe.out
    same file.out pipe.out
done
cat a.capsule | "$CAPSULE" cat - Documents/Gifs/cat.gif > cat.gif
same cat.gif Gifs-before.xcappdata/AppData/Documents/Gifs/cat.gif
cat a.capsule | "$CAPSULE" unpack - -o u > /dev/null
same_trees Gifs-before.xcappdata u
status 2 "$CAPSULE" ls - < /dev/null
# A reader that goes away is no failure.
python3 - << 'PY'
import os, random
os.mkdir("many")
for number in range(3000):
    open(f"many/{'n' * 60}{number}", "w").close()
with open("many/large", "wb") as large:
    large.write(random.Random(1).randbytes(3_000_000))
PY
closing() {
    # The status of the first command, whose reader takes nothing more than a byte.
    { "$@" 2> err; echo $? > first.status; } | head -c 1 > /dev/null
    [ "$(cat first.status)" = 0 ] || fail "a closed pipe gave $(cat first.status): $*"
    [ ! -s err ] || fail "a closed pipe is not silent: $*"
}
closing "$CAPSULE" ls many
closing "$CAPSULE" ls -l many
closing "$CAPSULE" cat many large
closing "$CAPSULE" help pack
# A full device is one.
if [ -c /dev/full ]; then
    full() {
        found=0
        "$@" > /dev/full 2> err || found=$?
        [ "$found" = 2 ] || fail "a full device gave $found: $*"
        says err 'no space left'
    }
    full "$CAPSULE" ls many
    full "$CAPSULE" cat many large
    full "$CAPSULE" pack many -o -
    full "$CAPSULE" --version
    full "$CAPSULE" generate man
    full "$CAPSULE" info many --json
else
    untested 'a full device: there is no /dev/full'
fi
# Nowhere at all to write to.
found=0
"$CAPSULE" ls many >&- 2> err || found=$?
[ "$found" = 2 ] || fail "a closed standard output gave $found"

# A property list on standard input is edited to standard output, and not in place.
printf '<plist version="1.0"><dict><key>n</key><integer>7</integer></dict></plist>' > n.plist
ok "$CAPSULE" plist set - /n --integer 8 -o - < n.plist
says out '<integer>8</integer>'
status 64 "$CAPSULE" plist set - /n --integer 8 < n.plist
