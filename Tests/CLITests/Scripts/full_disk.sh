# A file that may not grow: status 2, a message, nothing left behind, and what was there stays.
. "$LIB"
need python3
mkdir t d
noise 4000000 disk > t/noise
# RLIMIT_FSIZE in 512-byte blocks (sh) ends a write with EFBIG once SIGXFSZ is ignored.
limited() {
    python3 -c 'import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
status 2 limited "$CAPSULE" pack t -o d/out.capsule
says err '^capsule: error: d/out.capsule: cannot write: '
says err '^capsule: hint: the file exceeds a size limit, '
only d
echo old > d/out.capsule
status 2 limited "$CAPSULE" pack t -o d/out.capsule --force
only d out.capsule
[ "$(cat d/out.capsule)" = old ] || fail 'the old file is gone'
ok "$CAPSULE" pack t -o t.capsule
status 2 limited "$CAPSULE" unpack t.capsule -C d/made
says err 'cannot write\|cannot resize'
only d out.capsule
status 2 limited "$CAPSULE" unpack - -C d/made < t.capsule
only d out.capsule
# A small file system of its own, where root may mount one.
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m none small 2> /dev/null; then
    trap 'umount small' EXIT
    status 2 "$CAPSULE" pack t -o small/out.capsule
    says err 'no space left'
    only small
    status 2 "$CAPSULE" unpack t.capsule -C small/made
    only small
    # A container on it is what it was if what it is to become has no room there.
    mkdir small/live
    echo mine > small/live/noise
    touch -d '2023-11-14T22:13:20Z' small/live
    python3 "$TOOLS/snapshot.py" small/live > before
    ok "$CAPSULE" diff small/live t --overlay grows.capsule --exit-zero --quiet
    for command in 'restore t.capsule' 'apply grows.capsule'; do
        # shellcheck disable=SC2086
        status 2 "$CAPSULE" $command small/live
        says err 'no space left'
        python3 "$TOOLS/snapshot.py" small/live | sed '1d' > after
        sed '1d' before | cmp -s - after || fail "$command: the target has changed"
        only small/live noise
        [ "$(times_of small/live)" = 1700000000000000000 ] || fail "$command: the target has another time"
        ok "$CAPSULE" recover small/live
        says out 'nothing to recover'
    done
    # Nor is what takes a change back written where there is no room; then nothing is changed.
    cp -a t live
    python3 "$TOOLS/snapshot.py" live > before
    ok "$CAPSULE" pack small/live -o little.capsule --quiet
    status 2 "$CAPSULE" restore little.capsule live --undo small/back.capsule
    says err 'no space left'
    python3 "$TOOLS/snapshot.py" live > after
    same before after
    only small live
else
    untested 'a full file system: none could be mounted'
fi
