# An append reads back data that the new version relies on: what is damaged and still there is stored again, with a warning.
. "$LIB"
need python3
# flip FILE PLACE: one bit of a byte.
flip() { python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read()); data[int(sys.argv[2])] ^= 16; open(sys.argv[1], "wb").write(data)' "$@"; }
mkdir t
python3 - <<'PY'
import random
random.seed(1)
for number in range(50):
    open(f"t/f{number:02}", "wb").write(random.randbytes(30_000))
open("t/large", "wb").write(random.randbytes(2_200_000))
PY
for options in '' '--no-cache'; do
    for place in 400000 2500000; do
        rm -rf c.capsule o t/new*
        ok "$CAPSULE" pack t -q -o c.capsule $options
        # Files that were just written are not trusted to the cache: an append finds them there afterward.
        ok "$CAPSULE" pack t -q --append -o c.capsule $options
        flip c.capsule "$place"
        echo new > t/new
        status 0 "$CAPSULE" pack t --append -o c.capsule $options
        says err 'the previous version has damaged data in'
        says err "hint: 'capsule verify c.capsule' lists what is damaged"
        ok "$CAPSULE" unpack -q c.capsule -o o --as directory
        same_trees t o
        status 2 "$CAPSULE" verify c.capsule
        # Once it is stored again there is nothing more to say.
        echo new > t/new2
        ok "$CAPSULE" pack t -q --append -o c.capsule $options
        [ ! -s err ] || fail 'it is told once more'
    done
done

# What is damaged and no longer there is told, and not stored.
rm -rf c.capsule o t/new*
ok "$CAPSULE" pack t -q -o c.capsule
flip c.capsule 400000
echo changed | tee t/f* > /dev/null
status 0 "$CAPSULE" pack t -q --append -o c.capsule
says err 'version [0-9]* stores 0 of them again'
ok "$CAPSULE" unpack -q c.capsule -o o --as directory
same_trees t o
