#!/usr/bin/env python3
"""Make a deterministic app-data container, the same after a test run, and the same after nothing but time went by.

usage: make_container.py OUT [--scale small|medium|large|files] [--seed N] [--after] [--more] [--idle N]

OUT becomes `<name>.xcappdata`-shaped: AppDataInfo.plist beside AppData/{Documents,Library,tmp,SystemData}.
With --after the same seed gives the state after a simulated test run: a few files added, removed,
renamed and changed, rows changed in the SQLite stores (one in its WAL, one in its pages), defaults keys
changed, one big file edited in the middle; with --more the run does one thing more: it sets a defaults key. With --idle N
an app that nobody uses has written what such apps write by themselves, for each N something else: dates, UUIDs, a path of the
container, files with generated names, caches. Only the standard library is used; the same arguments give the same bytes
(file times included), on every machine.

scale   files    bytes (about)   what it is for
small      270      4 MB          tests
medium   2 900    120 MB          benchmarks, default
large    8 000    700 MB          benchmarks, scaling
files  100 000     48 MB (412 MB on disk)  many tiny files: manifest, diff and listing cost
"""
import argparse, datetime, json, os, plistlib, random, sqlite3, struct, uuid, zlib

SCALES = {  # documents, media, media bytes, caches, defaults keys, database rows, blob MB, tiny files
    "small": (60, 20, 60_000, 120, 200, 2_000, 1, 60),
    "medium": (400, 250, 350_000, 1_500, 2_000, 60_000, 24, 700),
    "large": (1_500, 1_200, 450_000, 4_000, 4_000, 250_000, 160, 1_200),
    "files": (2_000, 100, 60_000, 8_000, 1_000, 20_000, 4, 90_000),
}
EPOCH = 1_700_000_000
WORDS = ("scene session delegate window preview container overlay manifest defaults archive snapshot library "
         "document thumbnail cache token launch onboarding purchase receipt favourite playlist message contact "
         "region locale currency animation frame gif sticker export import sync index migrate store object").split()


def text(rng, n):
    return " ".join(rng.choices(WORDS, k=n))


def put(path, data, stamp):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    touch(path, stamp)


def touch(path, stamp, name=None):
    """A time with nanoseconds, as APFS and ext4 have them, the same on every machine."""
    ns = stamp * 10**9 + zlib.crc32((name or os.path.basename(path)).encode()) % 10**9
    os.utime(path, ns=(ns, ns), follow_symlinks=False)


def gif_like(rng, n):
    return b"GIF89a" + struct.pack("<HH", rng.randrange(64, 800), rng.randrange(64, 800)) + rng.randbytes(n)


def png(rng, side):
    rows = bytearray()
    base = rng.randrange(256)
    for y in range(side):
        rows += b"\0" + bytes((base + x * y // 7) & 255 for x in range(side * 3))
    def chunk(tag, body):
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b""))


def generated(rng):
    """A UUID as apps write it."""
    return str(uuid.UUID(bytes=rng.randbytes(16), version=4)).upper()


def idle(app, seed, number):
    """What an app writes while nobody uses it."""
    rng = random.Random(f"{seed}/idle/{number}")
    stamp = EPOCH + 600 + number
    path = f"{app}/Library/Preferences/com.example.gifs.plist"
    with open(path, "rb") as f:
        values = plistlib.load(f)
    values["LastActiveDate"] = datetime.datetime(2024, 5, 17) + datetime.timedelta(seconds=rng.randrange(10**6))
    values["SessionIdentifier"] = generated(rng)
    values["StorePath"] = f"/var/mobile/Containers/Data/Application/{generated(rng)}/Library/Application Support/Model.sqlite"
    put(path, plistlib.dumps(values, fmt=plistlib.FMT_BINARY), stamp)
    put(f"{app}/Library/Application Support/Telemetry/{generated(rng)}.log", text(rng, 40).encode(), stamp)
    put(f"{app}/Library/Application Support/Telemetry/state.json",
        json.dumps({"session": generated(rng), "sent": stamp}).encode(), stamp)
    for _ in range(3):
        put(f"{app}/Library/Caches/com.example.gifs/fsCachedData/{generated(rng)}", rng.randbytes(200), stamp)
    put(f"{app}/tmp/{generated(rng)}.tmp", b"scratch", stamp)


def defaults(rng, keys, after):
    d = {}
    for i in range(keys):
        kind = i % 8
        d[f"com.example.setting.{i}"] = (
            rng.randrange(10**9) if kind == 0 else rng.random() if kind == 1 else bool(rng.randrange(2)) if kind == 2
            else text(rng, 6) if kind == 3 else rng.randbytes(24) if kind == 4
            else datetime.datetime(2023, 1, 1) + datetime.timedelta(seconds=rng.randrange(10**7)) if kind == 5
            else [text(rng, 2) for _ in range(4)] if kind == 6 else {"name": text(rng, 2), "count": rng.randrange(99)})
    if after:
        names = sorted(d)
        for n in names[::97]:
            d[n] = "changed by the test run"
        del d[names[3]]
        d["LastLaunchDate"] = datetime.datetime(2024, 5, 17, 9, 30)
        d["OnboardingFinished"] = True
    return d


def database(path, rng, rows, after, checkpoint=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    db = sqlite3.connect(path)
    db.execute("pragma journal_mode=wal")
    db.execute("pragma wal_autocheckpoint=0")
    db.executescript("""
        create table Z_PRIMARYKEY (Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);
        create table Z_METADATA (Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);
        create table ZITEM (Z_PK integer primary key, Z_ENT integer, Z_OPT integer, ZRATING integer, ZTIMESTAMP timestamp,
                            ZTITLE varchar, ZTHUMB blob);
        create index ZITEM_TITLE on ZITEM (ZTITLE);""")
    db.execute("insert into Z_PRIMARYKEY values (1,'Item',0,?)", (rows,))
    meta = plistlib.dumps({"NSStoreType": "SQLite", "NSStoreModelVersionHashesVersion": 3}, fmt=plistlib.FMT_BINARY)
    db.execute("insert into Z_METADATA values (1,'6F1E1D2C-0000-4000-8000-000000000001',?)", (meta,))
    db.executemany("insert into ZITEM values (?,1,1,?,?,?,?)",
                   ((i, rng.randrange(6), rng.random() * 1e9, text(rng, 5), rng.randbytes(rng.randrange(200)))
                    for i in range(1, rows + 1)))
    db.commit()
    db.execute("pragma wal_checkpoint(truncate)")
    if after:
        db.execute("update ZITEM set ZRATING = 5, Z_OPT = 2 where Z_PK % 997 = 0")
        db.execute("delete from ZITEM where Z_PK % 1499 = 0")
        db.execute("insert into ZITEM values (?,1,1,3,7e8,'added by the test run',null)", (rows + 1,))
        db.execute("update Z_PRIMARYKEY set Z_MAX = ?", (rows + 1,))
        db.commit()
        if checkpoint:
            db.execute("pragma wal_checkpoint(truncate)")
    # keep the -wal file as a killed app leaves it: copy the triple while the connection is open
    kept = {s: open(path + s, "rb").read() for s in ("", "-wal") if os.path.exists(path + s)}
    db.close()
    for s in ("", "-wal", "-shm"):
        if os.path.exists(path + s):
            os.remove(path + s)
    for s, data in kept.items():
        if s == "-wal":  # SQLite's WAL salt is random: fix the header so that the same arguments give the same bytes
            data = fixed_wal(data)
        if data or s == "":
            put(path + s, data, EPOCH + (600 if after else 0))


def wal_sum(data, s0, s1):
    for a, b in struct.iter_unpack("<II", data):
        s0 = (s0 + a + s1) & 0xFFFFFFFF
        s1 = (s1 + b + s0) & 0xFFFFFFFF
    return s0, s1


def fixed_wal(data):
    """The same frames under a fixed salt, checksums redone (SQLite file format, section 4)."""
    if len(data) < 32:
        return b""
    magic, version, page, seq = struct.unpack(">IIII", data[:16])
    old_salt = data[16:24]
    salt = b"\x01\x02\x03\x04\x05\x06\x07\x08"
    head = struct.pack(">IIII", 0x377F0682, version, page, seq) + salt
    s = wal_sum(head, 0, 0)
    out = bytearray(head + struct.pack(">II", *s))
    at = 32
    while at + 24 + page <= len(data) and data[at + 8:at + 16] == old_salt:
        first8, body = data[at:at + 8], data[at + 24:at + 24 + page]
        s = wal_sum(body, *wal_sum(first8, *s))
        out += first8 + salt + struct.pack(">II", *s) + body
        at += 24 + page
    return bytes(out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out")
    ap.add_argument("--scale", choices=SCALES, default="medium")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--after", action="store_true")
    ap.add_argument("--more", action="store_true")
    ap.add_argument("--idle", type=int, default=0)
    a = ap.parse_args()
    docs, media, media_bytes, caches, keys, rows, blob_mb, tiny = SCALES[a.scale]
    app = os.path.join(a.out, "AppData")
    later = EPOCH + 600
    rng = random.Random(f"{a.seed}")

    info = {"bundleIdentifier": "com.example.gifs", "appDataVersion": "1.0", "creationDate": datetime.datetime(2023, 11, 14)}
    put(os.path.join(a.out, "AppDataInfo.plist"), plistlib.dumps(info), EPOCH)
    put(os.path.join(app, ".com.apple.mobile_container_manager.metadata.plist"), plistlib.dumps(
        {"MCMMetadataIdentifier": "com.example.gifs", "MCMMetadataContentClass": 2,
         "MCMMetadataUUID": "0F8A3F2E-1111-4222-8333-944444444444"}, fmt=plistlib.FMT_BINARY), EPOCH)

    for i in range(docs):
        put(f"{app}/Documents/Notes/{i % 17}/note-{i}.json",
            json.dumps({"id": i, "title": text(rng, 4), "body": text(rng, rng.randrange(40, 900))}).encode(), EPOCH + i)
    for i in range(media):
        body = png(rng, 96) if i % 5 == 0 else gif_like(rng, rng.randrange(media_bytes // 4, media_bytes * 2))
        put(f"{app}/Documents/Library/{i:05}.{'png' if i % 5 == 0 else 'gif'}", body, EPOCH + i)
        if i % 25 == 0:  # the same bytes twice, as caches do
            put(f"{app}/Library/Caches/Shared/{i:05}.gif", body, EPOCH + i)
    for i in range(caches):
        put(f"{app}/Library/Caches/com.example.gifs/fsCachedData/{i:08X}-{rng.randrange(16**8):08X}",
            text(rng, rng.randrange(20, 400)).encode(), EPOCH + i)
    for i in range(tiny):
        put(f"{app}/Library/Application Support/Index/{i % 256:02x}/{i:07}.idx", text(rng, rng.randrange(1, 30)).encode(), EPOCH + i)
    put(f"{app}/Library/Preferences/com.example.gifs.plist",
        plistlib.dumps(defaults(rng, keys, a.after), fmt=plistlib.FMT_BINARY), later if a.after else EPOCH)
    put(f"{app}/Library/Preferences/group.com.example.gifs.plist",
        plistlib.dumps(defaults(rng, keys // 4, False)), EPOCH)
    put(f"{app}/Library/Saved Application State/com.example.gifs.savedState/KnownSceneSessions/data.data",
        plistlib.dumps({"sessions": [text(rng, 3) for _ in range(3 + a.after)]}, fmt=plistlib.FMT_BINARY), later if a.after else EPOCH)
    # Model keeps its changes in the -wal, as a killed app leaves them; Catalog has them written back into its pages
    database(f"{app}/Library/Application Support/Model.sqlite", random.Random(f"{a.seed}/db"), rows, a.after)
    database(f"{app}/Library/Application Support/Catalog.sqlite", random.Random(f"{a.seed}/catalog"), rows // 3, a.after, True)
    blob_rng, blob = random.Random(f"{a.seed}/blob"), bytearray()  # half of it compresses well, half not, none of it repeats
    while len(blob) < blob_mb << 20:
        blob += blob_rng.randbytes(1 << 15) + text(blob_rng, 3_600).encode()
    if a.after:
        at = len(blob) // 2
        blob[at:at] = b"inserted in the middle by the test run"
    put(f"{app}/Library/Application Support/Store.bin", bytes(blob), later if a.after else EPOCH)
    os.makedirs(f"{app}/tmp/empty", exist_ok=True)
    os.makedirs(f"{app}/SystemData", exist_ok=True)
    os.symlink("Library/00001.gif", f"{app}/Documents/latest.gif")
    touch(f"{app}/Documents/latest.gif", EPOCH)
    put(f"{app}/Documents/日本語 と emoji 🗂.txt", "unicode names\n".encode(), EPOCH)

    if a.after:
        put(f"{app}/Documents/Exports/report.txt", text(rng, 300).encode(), later)
        put(f"{app}/Documents/Notes/0/note-0.json", b'{"id": 0, "title": "edited by the test run"}', later)
        os.remove(f"{app}/Documents/Library/00001.gif")
        os.rename(f"{app}/Documents/Library/00002.gif", f"{app}/Documents/Library/renamed.gif")
        os.chmod(f"{app}/Documents/Library/00003.gif", 0o600)

    if a.more:
        path = f"{app}/Library/Preferences/com.example.gifs.plist"
        with open(path, "rb") as f:
            values = plistlib.load(f)
        values["PurchaseRestored"] = True
        put(path, plistlib.dumps(values, fmt=plistlib.FMT_BINARY), later)
    if a.idle:
        idle(app, a.seed, a.idle)

    for folder, _, _ in os.walk(a.out, topdown=False):
        touch(folder, EPOCH, "bundle" if folder == a.out else None)


main()
