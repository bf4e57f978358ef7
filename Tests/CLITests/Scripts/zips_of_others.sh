# Zips and tars are read as Python, Go and bsdtar read them.
. "$LIB"
need python3
python3 - <<'PY'
import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib


def made(fill, prefix=b"", suffix=b"", force=False):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    return prefix + out.getvalue() + suffix


def plain(archive):
    archive.writestr("top/a.txt", "content\n" * 100)
    archive.writestr("top/b.txt", "more\n")


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


program = b"\x7fELF" + bytes(range(256)) * 300
write("prefix.zip", made(plain, prefix=program))
write("suffix.zip", made(plain, suffix=bytes(1024)))
write("both.zip", made(plain, prefix=b"#!/bin/sh\nexec unzip \"$0\"\n", suffix=b"\n\n"))
# The places are those in the file, as 'zip -A' makes them.
out = io.BytesIO(program)
with zipfile.ZipFile(out, "a") as archive:
    plain(archive)
write("adjusted.zip", out.getvalue())
# More than 65,535 entries have an end record of 64 bits.
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    for number in range(65_600):
        archive.writestr(zipfile.ZipInfo(f"top/{number}"), "")
write("wide.zip", program + out.getvalue())


def dos(archive):
    for system, name in (0, "top/fat"), (10, "top/ntfs"), (3, "top/unix"):
        info = zipfile.ZipInfo(name)
        info.create_system = system
        info.external_attr = 0x10
        archive.writestr(info, "")
        archive.writestr(name + "/x", "x")


write("dos.zip", made(dos))


def field(archive):
    raw = "top/caf?.txt"
    name = "top/café.txt".encode()
    info = zipfile.ZipInfo(raw)
    info.extra = struct.pack("<HHBI", 0x7075, 5 + len(name), 1, zlib.crc32(raw.encode())) + name
    archive.writestr(info, "café\n")
    info = zipfile.ZipInfo("top/stale.txt")
    info.extra = struct.pack("<HHBI", 0x7075, 5 + len(name), 1, 12345) + name
    archive.writestr(info, "stale\n")


write("names.zip", made(field))


# A zip in a zip, which must not be read for the outer one where that is cut.
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    archive.comment = b"hello"
    archive.writestr("top/inner.zip", made(plain))
outer = out.getvalue()
for name, count in ("comment", 2), ("record", 10), ("signature", 25), ("directory", 40):
    write(f"cut-{name}.zip", outer[:-count])
write("program-cut.zip", program + outer[:-2])
write("joined.zip", made(plain) + made(plain))


# Bytes as those that a locator of 64-bit records or an end record begins with, and what Info-ZIP read from a pipe.
def odd(archive):
    archive.comment = b"hello PK\5\6 there"
    pipe = zipfile.ZipInfo("top/pipe")
    pipe.external_attr = 0o010644 << 16
    archive.writestr(pipe, "piped\n")
    last = zipfile.ZipInfo("top/PK\6\7")
    last.comment = b"PK\6\7 of sixteen more."
    archive.writestr(last, "x\n")


write("comment.zip", made(odd))
name = "top/PK\6\7 of sixteen more."
write("name.zip", made(lambda archive: archive.writestr(name, "x\n")))


def rooted(archive):
    for name in "/top/a.txt", "/top/b.txt":
        info = zipfile.ZipInfo(name)
        info.filename = name
        archive.writestr(info, "x\n")


write("rooted.zip", made(rooted))
with tarfile.open("rooted.tar", "w") as archive:
    for name in "/top/a.txt", "/top/b.txt":
        info = tarfile.TarInfo(name)
        archive.addfile(info, io.BytesIO())
with tarfile.open("climbing.tar", "w") as archive:
    archive.addfile(tarfile.TarInfo("/../x"), io.BytesIO())
with tarfile.open("holds-zip.tar", "w") as archive:
    info = tarfile.TarInfo("top/inner.zip")
    data = made(plain)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
data = open("suffix.zip", "rb").read()[:-1024]
place = data.rindex(b"PK\5\6")
open("behind.zip", "wb").write(data[:place + 12] + b"\xff\xff\xff\x7f" + data[place + 16:])
open("nowhere.zip", "wb").write(data[:place + 10] + b"\x09\0" + data[place + 12:])
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    archive.writestr("top/a.txt", "content\n" * 100)
data = bytearray(out.getvalue())
data[60] ^= 1
open("crc.zip", "wb").write(data)


def tar(*names):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 600
            archive.addfile(info, io.BytesIO(name.encode() * 600))
    data = out.getvalue()
    return data[:1536 * len(names)]


ends = {
    "lone": tar("a", "b") + bytes(512) + tar("c") + bytes(1024),
    "first": bytes(512) + tar("c") + bytes(1024),
    "part": tar("a", "b") + bytes(512) + b"x" * 100,
    "late": tar("a", *["n%d" % n for n in range(500)]) + bytes(512) + tar("c") + bytes(1024),
    "one": tar("a", "b") + bytes(512),
    "none": tar("a", "b"),
    "two": tar("a", "b") + bytes(1024),
    "many": tar("a", "b") + bytes(10240),
}
for name, data in ends.items():
    for suffix, compress in ("tar", bytes), ("tar.gz", gzip.compress), ("tar.bz2", bz2.compress), ("tar.xz", lzma.compress):
        open(f"{name}.{suffix}", "wb").write(compress(data))
PY
for name in prefix suffix both adjusted; do
    ok "$CAPSULE" unpack "$name.zip" -q -o "$name"
    [ "$(find "$name" -type f | wc -l)" -eq 2 ] || fail "$name.zip"
    [ "$(sed -n 1p "$name/a.txt")" = content ] || fail "$name.zip has other content"
    ok "$CAPSULE" pack "$name.zip" -q -o "$name.capsule"
done
ok "$CAPSULE" ls wide.zip
[ "$(wc -l < out)" -eq 65600 ] || fail 'not 65,600 entries'
ok "$CAPSULE" unpack dos.zip -q -o dos
for name in fat ntfs unix; do present "dos/$name/x"; done
ok "$CAPSULE" unpack comment.zip -q -o comment
[ "$(cat comment/pipe)" = piped ] || fail 'no file for a pipe'
ok "$CAPSULE" ls name.zip
says out 'of sixteen more.$'
ok "$CAPSULE" ls names.zip
says out '^café.txt$'
says out '^stale.txt$'
for name in rooted.zip rooted.tar; do
    status 0 "$CAPSULE" ls "$name"
    says err "^capsule: warning: $name: the '/' before 2 names is left out, first /top/a.txt$"
    says out '^b.txt$'
done
status 2 "$CAPSULE" ls climbing.tar
says err '/../x'
ok "$CAPSULE" ls holds-zip.tar
says out '^inner.zip$'

# What is refused is named.
head -c 100 prefix.zip > cut.zip
status 2 "$CAPSULE" ls cut.zip
for name in cut-comment cut-record cut-signature cut-directory program-cut joined; do
    status 2 "$CAPSULE" ls "$name.zip"
    says err "^capsule: error: $name.zip: .*truncated"
    [ ! -s out ] || fail "$name.zip is read as the zip in it"
done
status 2 "$CAPSULE" ls behind.zip
says err 'gives a directory that extends beyond it'
status 2 "$CAPSULE" ls nowhere.zip

# A checksum that is wrong keeps the name that libarchive's message begins with.
status 2 "$CAPSULE" unpack crc.zip -o crc
says_not err 'zIP'

# One block of zeros ends no archive that goes on: what follows it is not left out in silence. At the end of the file it is enough.
# In the short form one verb, by lot, meets each compressed archive.
first=$(lot 3)
for form in tar tar.gz tar.bz2 tar.xz; do
    for name in lone first part late; do
        first=$(((first + 1) % 3)) number=0
        for verb in ls 'pack -o packed.capsule' 'unpack -o unpacked'; do
            number=$((number + 1))
            [ -n "${CAPSULE_LONG_TESTS:-}" ] || [ $form = tar ] || [ $((number - 1)) = $first ] || continue
            status 2 "$CAPSULE" $verb "$name.$form"
            says err "^capsule: error: $name.$form: a single zero block at byte [0-9]* is followed by more data$"
            absent packed.capsule unpacked
        done
    done
    for name in one two many; do
        ok "$CAPSULE" ls "$name.$form"
        says out '^b$'
    done
done
status 2 "$CAPSULE" ls lone.tar
says err 'at byte 3072 '
ok "$CAPSULE" ls none.tar
