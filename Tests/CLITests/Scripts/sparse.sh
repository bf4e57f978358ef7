# More than 4 GiB with data at three places come and go as holes.
. "$LIB"
need python3 tar
mkdir sparse
python3 - << 'PY'
import random
with open("sparse/large", "wb") as out:
    for at, data in (1_048_699, b"near the beginning"), ((2 << 30) - 9, random.Random(1).randbytes(70_001)), ((4 << 30) + 1, b"the end\n" * 512):
        out.seek(at)
        out.write(data)
    out.truncate((4 << 30) + (16 << 20))
with open("sparse/beside it", "wb") as out:
    out.write(b"an ordinary file\n")
PY
[ "$(du -k sparse | tail -1 | cut -f1)" -lt 100000 ] || skip 'the file system keeps no holes'
ok "$CAPSULE" pack sparse
[ "$(wc -c < sparse.capsule)" -lt 1000000 ] || fail 'the holes take room in the capsule'
tar -tvzf sparse.capsule > list
says list ' 4311744512 '
ok "$CAPSULE" unpack sparse.capsule -o back
[ "$(du -k back | tail -1 | cut -f1)" -lt 100000 ] || fail 'the holes take room in what comes back'
python3 - << 'PY' || fail 'the content differs'
import os
def pieces(path):
    size, found, at = os.path.getsize(path), [], 0
    with open(path, "rb") as file:
        while at < size:
            try:
                start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                break
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            file.seek(start)
            data = file.read(at - start)
            first = len(data) - len(data.lstrip(b"\0"))
            if data.strip(b"\0"):
                found.append((start + first, data.strip(b"\0")))
    return size, found
a, b = pieces("sparse/large"), pieces("back/large")
assert a[0] == b[0] == (4 << 30) + (16 << 20)
joined = lambda found: b"".join(data for _, data in found)
assert joined(a[1]) == joined(b[1]) and a[1][0][0] == b[1][0][0]
PY
