# A name of a tar is the bytes in the tar, also where iconv(3) silently replaces what the locale lacks, as macOS does.
. "$LIB"

needs_linux "LD_PRELOAD is its"
need gcc python3 xz
gcc -O2 -Wall -Wextra -Werror -shared -fPIC "$TOOLS/lossy_iconv.c" -o iconv.so || fail "the library does not build"

# Names of every tar dialect that Python writes, and what a tree must then hold, a line each: kind, name, target.
python3 - << 'END' || fail "no archives"
import io, tarfile

NAMES = [b"plain", "caf\u00e9".encode(), "cafe\u0301".encode(), "\u65e5\u672c/\u8a9e".encode(), b"raw\xff\xfe", b"question?mark",
         ("long \u00e9 " + "x" * 120).encode(), ("d\u00e9ep/" * 40 + "end").encode()]

def add(tar, name, kind=tarfile.REGTYPE, target=b""):
    entry = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
    entry.type, entry.mode = kind, 0o644
    entry.linkname = target.decode("utf-8", "surrogateescape")
    # A user whose name is converted, too, and isn't kept.
    entry.uname = "j\u00fcrgen"
    entry.size = 3 if kind == tarfile.REGTYPE else 0
    tar.addfile(entry, io.BytesIO(b"abc") if entry.size else None)

lines = []
for name in NAMES:
    lines.append(b"file " + name)
    lines.append(b"link links/" + name.replace(b"/", b"-") + b" -> ../" + name)
    lines.append(b"file hard/" + name.replace(b"/", b"-"))
for form, dialect in ((tarfile.PAX_FORMAT, "pax"), (tarfile.GNU_FORMAT, "gnu")):
    with tarfile.open(f"{dialect}.tar", "w", format=form, encoding="utf-8", errors="surrogateescape") as tar:
        for name in NAMES:
            add(tar, name)
            add(tar, b"links/" + name.replace(b"/", b"-"), tarfile.SYMTYPE, b"../" + name)
            add(tar, b"hard/" + name.replace(b"/", b"-"), tarfile.LNKTYPE, name)
with open("wanted", "wb") as file:
    file.write(b"\n".join(sorted(lines)) + b"\n")
END

cat > tree.py << 'END'
import os, sys

top = os.fsencode(sys.argv[1])
lines = []
for folder, _, names in os.walk(top):
    for name in names:
        path = os.path.join(folder, name)
        shown = path[len(top) + 1:]
        lines.append(b"link %s -> %s" % (shown, os.readlink(path)) if os.path.islink(path) else b"file " + shown)
sys.stdout.buffer.write(b"\n".join(sorted(lines)) + b"\n")
END

for dialect in pax gnu; do
    for compressed in "$dialect.tar" "$dialect.tar.xz"; do
        [ -e "$compressed" ] || xz -k "$dialect.tar"
        LD_PRELOAD=$PWD/iconv.so "$CAPSULE" pack -q "$compressed" -o "$compressed.capsule" 2> err || fail "$compressed is not packed"
        ok "$CAPSULE" unpack -q "$compressed.capsule" --as directory -o "$compressed.d"
        python3 tree.py "$compressed.d" > found
        cmp found wanted || { diff found wanted > out || :; fail "$compressed has other names"; }
    done
done

# A diff of the archive with what it was made from reads the same names.
LD_PRELOAD=$PWD/iconv.so status 0 "$CAPSULE" diff pax.tar pax.tar.d
