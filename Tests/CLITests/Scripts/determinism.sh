# Same input, same bytes: at any number of jobs, and from a copy whose directories are in another order.
. "$LIB"
need python3
samples
python3 "$TOOLS/make_tree.py" random random --seed 9 --entries 200 2> /dev/null
export SOURCE_DATE_EPOCH=1700000000
for source in Gifs-before.xcappdata random; do
    rm -rf copy
    mkdir copy
    python3 - "$source" "copy/$source" << 'PY'
import os, shutil, sys
names = {}
def copy(source, target):
    os.mkdir(target)
    for name in sorted(os.listdir(source), reverse=True):
        a, b = os.path.join(source, name), os.path.join(target, name)
        status = os.lstat(a)
        if os.path.islink(a):
            os.symlink(os.readlink(a), b)
            os.utime(b, ns=(status.st_mtime_ns, status.st_mtime_ns), follow_symlinks=False)
        elif os.path.isdir(a):
            copy(a, b)
        elif status.st_ino in names:
            os.link(names[status.st_ino], b)
        else:
            names[status.st_ino] = b
            shutil.copy2(a, b)
    shutil.copystat(source, target)
copy(os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2]))
PY
    for codec in gzip zstd; do
        "$CAPSULE" pack "$source" -o one.capsule --force --codec "$codec" --jobs 1 -q
        "$CAPSULE" pack "$source" -o eight.capsule --force --codec "$codec" --jobs 8 -q
        same one.capsule eight.capsule
        CAPSULE_JOBS=3 "$CAPSULE" pack "copy/$source" -o copy.capsule --force --codec "$codec" -q
        same one.capsule copy.capsule
        "$CAPSULE" pack "$source" -o - --codec "$codec" -q > stream.capsule
        same one.capsule stream.capsule
        "$CAPSULE" pack one.capsule -o again.capsule --force --codec "$codec" -q
        same one.capsule again.capsule
        "$CAPSULE" pack - -o piped.capsule --force --codec "$codec" -q < one.capsule
        same one.capsule piped.capsule
    done
done
"$CAPSULE" info one.capsule > info
says info '^captured  *2023-11-14T22:13:20Z$'
for value in x -1 1e3 99999999999999999999; do SOURCE_DATE_EPOCH=$value status 64 "$CAPSULE" pack random -o no.capsule; done
absent no.capsule
