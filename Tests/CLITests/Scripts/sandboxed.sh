# A build phase in Xcode's script sandbox may write its declared outputs and a directory for derived files, and nothing beside them.
. "$LIB"
needs_linux 'Landlock'
need gcc python3
gcc -O1 -Wall -Wextra -Werror "$TOOLS/landlock.c" -o landlock
root=$PWD
mkdir outputs derived elsewhere
chmod 755 outputs
plist() { printf '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>A</key><string>%s</string></dict></plist>\n' "$1"; }
plist old > outputs/Info.plist
plist "$(head -c 40000 /dev/zero | tr '\0' x)" > long.plist
printf '{"A":"new"}' > new.json
code=0
./landlock derived outputs/Info.plist -- /bin/true || code=$?
[ "$code" != 77 ] || skip 'the kernel has no Landlock'
# sandboxed COMMAND...: what is written is the property list and what is in derived.
sandboxed() { env DERIVED_FILE_DIR="$root/derived" TMPDIR="$root/elsewhere" ./landlock derived outputs/Info.plist -- "$@"; }
inode() { python3 -c 'import os, sys; print(os.stat(sys.argv[1]).st_ino)' "$1"; }

# An edit, and an output that is replaced: the same bytes as anywhere else, in the same file, and nothing beside it.
cp outputs/Info.plist plain.plist
ok "$CAPSULE" apply new.json plain.plist
before=$(inode outputs/Info.plist)
ok sandboxed "$CAPSULE" apply new.json outputs/Info.plist
same outputs/Info.plist plain.plist
ok sandboxed "$CAPSULE" apply new.json long.plist -o outputs/Info.plist --force
same outputs/Info.plist plain.plist
cp long.plist outputs/Info.plist
ok sandboxed "$CAPSULE" apply new.json outputs/Info.plist
same outputs/Info.plist plain.plist
[ "$(inode outputs/Info.plist)" = "$before" ] || fail 'another file has its name'
only outputs Info.plist
only derived
only elsewhere

# It waits for the lock that every edit holds.
flock outputs/Info.plist sleep 1 &
sleeper=$!
sleep 0.3
ok sandboxed "$CAPSULE" apply new.json outputs/Info.plist
wait "$sleeper"

# Without the directory for derived files $TMPDIR is taken; without both it is an error, and nothing is written.
ok env -u DERIVED_FILE_DIR TMPDIR="$root/derived" ./landlock derived outputs/Info.plist -- "$CAPSULE" apply new.json outputs/Info.plist
only derived
plist old > outputs/Info.plist
cp outputs/Info.plist before.plist
status 2 env -u DERIVED_FILE_DIR TMPDIR="$root/elsewhere" ./landlock derived outputs/Info.plist -- "$CAPSULE" apply new.json outputs/Info.plist
same outputs/Info.plist before.plist

# What does not exist may only be made where the sandbox lets it be made, which Landlock can't say of a single name.
status 2 sandboxed "$CAPSULE" apply new.json outputs/Info.plist -o outputs/Other.plist
status 2 sandboxed "$CAPSULE" unpack "$SAMPLES/Gifs-before.xcappdata" -C outputs/data
only outputs Info.plist
only derived

# No room in the middle: the old content stays, and nothing else is left.
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none outputs 2> /dev/null; then
    trap 'umount outputs' EXIT
    for start in short long; do
        if [ "$start" = short ]; then plist old > outputs/Info.plist; else cp long.plist outputs/Info.plist; fi
        cp outputs/Info.plist before.plist
        python3 -c 'import json; json.dump({"A": "y" * 200_000}, open("huge.json", "w"))'
        status 2 sandboxed "$CAPSULE" apply huge.json outputs/Info.plist
        says err 'no space left'
        same outputs/Info.plist before.plist
        only outputs Info.plist
        only derived
    done
else
    untested 'no right to mount a small file system'
fi
