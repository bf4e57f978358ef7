# On an overlay file system, as containers of Docker have it, a directory of a lower layer is not renamed: it is deleted once it is empty,
# and comes back if the change is undone.
. "$LIB"
needs_linux 'overlay file systems'
[ "$(id -u)" = 0 ] || skip 'needs root'
needs mount umount
mounted=
trap '[ -z "$mounted" ] || umount merged' EXIT
# mounting [OPTION]: the directory `lower` and nothing else in `merged`.
mounting() {
    [ -z "$mounted" ] || umount merged
    mounted=
    rm -rf upper work
    mkdir -p upper work merged
    mount -t overlay overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work,redirect_dir=off$1" merged 2> err ||
        skip "no overlay can be mounted: $(cat err)"
    mounted=yes
}
mkdir -p lower/t/gone/sub/deep lower/t/kept version/kept version/made
echo 1 > lower/t/gone/sub/x
echo 2 > lower/t/gone/sub/deep/y
echo moved > lower/t/gone/moved
echo 3 > lower/t/kept/z
ln -s z lower/t/kept/link
chmod 500 lower/t/gone/sub
touch -d '2023-11-14T22:13:20Z' lower/t/gone/sub/deep lower/t/gone/sub lower/t/gone
echo moved > version/made/moved
echo 4 > version/kept/z
# Where a directory was there is a file.
echo 'a file' > version/gone
ok "$CAPSULE" pack -q version -o version.capsule
status 1 "$CAPSULE" diff -q lower/t version --overlay to.capsule
cp -a lower/t before

mounting ''
python3 -c 'import os
try: os.rename("merged/t/gone/sub", "merged/t/new")
except OSError: raise SystemExit(0)
raise SystemExit(1)' || skip 'this overlay renames directories'
ok "$CAPSULE" restore version.capsule merged/t --different-app --undo back.capsule -q
same_trees version merged/t --times none
ok "$CAPSULE" apply back.capsule merged/t -q
same_trees before merged/t --times none
mounting ''
ok "$CAPSULE" apply to.capsule merged/t -q
same_trees version merged/t --times none

# Killed at any moment, it is the old tree or the new one once it is recovered; an error undoes it at once.
mounting ''
calls=0
for fault in kill EIO; do
    number=1
    while [ $number -lt 400 ]; do
        ended=0
        CAPSULE_FAULT=$fault:$number "$CAPSULE" restore version.capsule merged/t --different-app -q --no-cache > out 2> err || ended=$?
        ok "$CAPSULE" recover merged/t
        absent merged/t/.capsule-transaction
        python3 "$TOOLS/compare_trees.py" before merged/t --times none > comparison 2>&1 && state=old ||
            { python3 "$TOOLS/compare_trees.py" version merged/t --times none > comparison 2>&1 && state=new; } ||
            fail "$fault:$number: neither old nor new: $(head -20 comparison)"
        [ "$ended" != 0 ] || [ $state = new ] || fail "$fault:$number: status 0, and the old tree"
        if [ $state = old ]; then
            python3 -c 'import os, sys
for name in "gone", "gone/sub", "gone/sub/deep":
    if os.lstat("merged/t/" + name).st_mtime != 1700000000: sys.exit(name + " has another time")' || fail "$fault:$number"
        else
            mounting ''
        fi
        [ "$ended" = 0 ] && break
        calls=$((calls + 1))
        number=$((number + 9))
    done
done
# A build for users has no faults: there both runs just end.
[ $calls -gt 10 ] || [ $calls = 0 ] || fail "only $calls cases"

# What is replaced as a whole is not touched, and what to do is said.
mkdir -p lower/u/kept
echo 0 > lower/u/kept/z
mounting ''
status 2 "$CAPSULE" unpack version.capsule -f -o merged/u
says err 'error: merged/u: can.t be renamed: it is a directory in a lower layer of an overlay file system'
says err "hint: delete it first"
same_trees before merged/t --times none
says merged/u/kept/z 0
only merged t u
rm -r merged/t
ok "$CAPSULE" unpack -q version.capsule -o merged/t
same_trees version merged/t --times none

# With layers on different file systems an entry is on another device than its directory, and inode numbers do not last.
[ -d /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ] || exit 0
other=$(mktemp -d /dev/shm/capsule-test.XXXXXX)
umount merged
mounted=
trap '[ -z "$mounted" ] || umount merged; rm -rf "$other"' EXIT
cp -a lower "$other/lower"
mkdir upper2 work2
mount -t overlay overlay -o "lowerdir=$other/lower,upperdir=$PWD/upper2,workdir=$PWD/work2,xino=off,redirect_dir=off" merged 2> err ||
    { untested "no such overlay: $(cat err)"; exit 0; }
mounted=yes
status 2 "$CAPSULE" restore version.capsule merged/t --different-app
says err 'is on an overlay file system with layers on several file systems'
says err "hint: work on a copy"
same_trees before merged/t --times none
mkdir merged/fresh
echo 1 > merged/fresh/file
ok "$CAPSULE" recover merged/t
