# Databases that overlays change: a store of several files goes as one, a stale log never stays beside it, and the rows are B's.
. "$LIB"
need python3 sqlite3
. "$TOOLS/trees.sh"

# Two states of an app with stores in several forms; logs are kept alive, as in an app that was killed.
cat > stores.py << 'PY'
import os, shutil, sqlite3, sys
LIVE = []
def keep(work, place, has_log=True):
    for suffix in ("", "-wal", "-journal", "-shm"):
        if os.path.exists(work + suffix) and (has_log or not suffix):
            shutil.copyfile(work + suffix, place + suffix)
def store(work):
    base = sqlite3.connect(work)
    base.execute("pragma journal_mode = wal"); base.execute("pragma wal_autocheckpoint = 0")
    base.execute("create table item (id integer primary key, name text, blob)")
    LIVE.append(base)
    return base
def fill(base, first, count):
    base.executemany("insert or replace into item values (?, ?, ?)",
                     [(i, f"item {i}", bytes([i % 251]) * 700) for i in range(first, first + count)])
    base.commit()
def blob(place, name, data):
    os.makedirs(place, exist_ok=True)
    with open(place + "/" + name, "wb") as out: out.write(data)
for side in "ab":
    os.makedirs(side + "/Library"); os.makedirs(side + "/Documents"); os.makedirs("work", exist_ok=True)
    open(side + "/Documents/text", "w").write(side)
support = "/Library/.Model_SUPPORT/_EXTERNAL_DATA"
# A Core Data store with its log and its external blobs.
model = store("work/Model.sqlite")
fill(model, 0, 300); model.execute("pragma wal_checkpoint(truncate)"); fill(model, 50, 20)
keep("work/Model.sqlite", "a/Library/Model.sqlite")
blob("a" + support, "11111111-AAAA", b"first" * 9000); blob("a" + support, "22222222-AAAA", b"stays" * 9000)
fill(model, 400, 30); model.execute("delete from item where id < 10"); model.commit()
keep("work/Model.sqlite", "b/Library/Model.sqlite")
blob("b" + support, "33333333-AAAA", b"third" * 9000); blob("b" + support, "22222222-AAAA", b"stays" * 9000)
# One whose log is folded between the two, and one that gets a log.
folds = store("work/folds.db")
fill(folds, 0, 200); keep("work/folds.db", "a/Library/folds.db")
folds.execute("pragma wal_checkpoint(truncate)"); fill(folds, 7, 1); folds.execute("pragma wal_checkpoint(truncate)")
keep("work/folds.db", "b/Library/folds.db", False)
grows = store("work/grows.db")
fill(grows, 0, 50); grows.execute("pragma wal_checkpoint(truncate)")
keep("work/grows.db", "a/Library/grows.db", False)
fill(grows, 50, 50); keep("work/grows.db", "b/Library/grows.db")
# One that goes, one that comes, with all that belongs to them.
gone = store("work/gone.db"); fill(gone, 0, 10); keep("work/gone.db", "a/Library/gone.db")
come = store("work/come.db"); fill(come, 0, 10); keep("work/come.db", "b/Library/come.db")
# One with a hot journal: a transaction that was never committed.
hot = sqlite3.connect("work/hot.db", isolation_level=None)
hot.execute("pragma page_size = 1024"); hot.execute("pragma cache_size = 1")
hot.execute("create table item (id integer primary key, name text, blob)")
fill(hot, 0, 100)
keep("work/hot.db", "a/Library/hot.db")
hot.execute("begin"); hot.execute("update item set name = 'lost', blob = zeroblob(500)")
keep("work/hot.db", "b/Library/hot.db")
assert os.path.exists("b/Library/hot.db-journal")
os._exit(0)
PY
python3 stores.py
# rows FILE: all that a store holds for SQLite, read in a copy.
rows() {
    rm -rf reading
    mkdir reading
    for suffix in '' -wal -journal; do [ ! -e "$1$suffix" ] || cp "$1$suffix" "reading/store$suffix"; done
    sqlite3 reading/store 'pragma integrity_check; select id, name, hex(blob) from item order by id'
}
# holds DIR SIDE: the stores of DIR have the rows of SIDE, and no more files than those.
holds() {
    for base in "$2"/Library/*.sqlite "$2"/Library/*.db; do
        rows "$base" > rows.wanted
        rows "$1/Library/${base##*/}" > rows.found
        [ "$(head -1 rows.found)" = ok ] || fail "$1: ${base##*/} is malformed"
        [ "$(wc -l < rows.found)" -gt 5 ] || fail "$1: ${base##*/} is empty"
        same rows.wanted rows.found
    done
    same_trees "$2" "$1" --times none --skip '*-shm' --skip .
}
untouched() {
    snapshot w snapshot.before
    "$@"
    snapshot w snapshot.after
    same snapshot.before snapshot.after
}
fresh() { rm -rf w u.capsule; cp -a a w; }

status 1 "$CAPSULE" diff a b --overlay forth.capsule -q
for overlay in forth one; do
    [ $overlay = forth ] || status 1 "$CAPSULE" diff a b --overlay one.capsule --one-way -q
    fresh
    ok "$CAPSULE" apply $overlay.capsule w --undo u.capsule
    holds w b
    untouched ok "$CAPSULE" apply $overlay.capsule w
    ok "$CAPSULE" apply u.capsule w
    holds w a
done
ok "$CAPSULE" overlay invert forth.capsule -o inverse.capsule
cp -a b v
ok "$CAPSULE" apply inverse.capsule v
holds v a

# An app looked at the store meanwhile: another -shm is no drift, and none is left that belongs to another log.
fresh
printf 'another shared memory' > w/Library/Model.sqlite-shm
printf 'made since' > w/Library/grows.db-shm
ok "$CAPSULE" apply forth.capsule w
holds w b
[ ! -e w/Library/grows.db-shm ] || [ "$(cat w/Library/grows.db-shm)" != 'made since' ] || fail 'a stale shared memory is left'

# A log that came since is not the overlay's: named, and nothing written; forced, it goes.
stray() {
    fresh
    printf '%s' "$2" > "w/Library/$1"
    untouched status 2 "$CAPSULE" apply forth.capsule w
    says err "Library/$1: "
    says err 'nothing was changed'
    ok "$CAPSULE" apply --force forth.capsule w --undo u.capsule
    holds w b
    ok "$CAPSULE" apply u.capsule w
    [ "$(cat "w/Library/$1")" = "$2" ] || fail "the log $1 is not back"
    rm "w/Library/$1"
    holds w a
}
stray grows.db-wal 'a log that nobody knows'
stray grows.db-journal 'a journal that nobody knows'
stray Model.sqlite-journal 'a journal that nobody knows'
# One beside a store of which the overlay says nothing is left alone.
fresh
cp work/folds.db w/Library/other.db
cp work/folds.db w/Documents/other.db
printf 'mine' > w/Library/other.db-wal
ok "$CAPSULE" apply forth.capsule w
[ "$(cat w/Library/other.db-wal)" = mine ] || fail 'a log of another store is gone'

# An overlay that knows nothing of logs, by hand: its store is put in place, the log of the old one is not left beside it.
mkdir c d
sqlite3 c/s.db 'create table item (id integer primary key, name text, blob); insert into item values (1, "old", null)'
sqlite3 d/s.db 'create table item (id integer primary key, name text, blob);
    with recursive n(i) as (values (1) union all select i + 1 from n where i < 90) insert into item select i, "new", zeroblob(500) from n'
python3 - << 'PY'
import hashlib, json, os
state = lambda path: {"Kind": "file", "Size": os.path.getsize(path), "Digest": hashlib.sha256(open(path, "rb").read()).hexdigest()}
json.dump({"CapsuleOverlay": 1, "Files": [{"Path": "s.db", "Old": state("c/s.db")}]}, open("deletes.json", "w"))
PY
status 1 "$CAPSULE" diff c d --overlay plain.capsule -q
rm -rf w u.capsule
cp -a c w
for suffix in wal journal shm; do printf 'stale %s' $suffix > w/s.db-$suffix; done
untouched status 2 "$CAPSULE" apply deletes.json w
says err 's.db-wal: '
says err 's.db-journal: '
says_not err 's.db-shm'
ok "$CAPSULE" apply --force deletes.json w --undo u.capsule
only w
ok "$CAPSULE" apply u.capsule w
only w s.db s.db-wal s.db-journal s.db-shm
[ "$(cat w/s.db-wal)" = 'stale wal' ] || fail 'the log is not back'
rm w/s.db-*
same w/s.db c/s.db
for suffix in wal journal shm; do printf 'stale %s' $suffix > w/s.db-$suffix; done
rm u.capsule
ok "$CAPSULE" apply --force plain.capsule w --undo u.capsule
only w s.db
[ "$(sqlite3 w/s.db 'pragma integrity_check; select count(*) from item')" = 'ok
90' ] || fail 'the store is not whole'
only w s.db
# What only looks like a log belongs to nothing.
rm -rf w
cp -a c w
printf 'text' > w/notes
printf 'text' > w/notes-wal
printf '{"CapsuleOverlay": 1, "Files": [{"Path": "notes", "Old": {"Kind": "file"}}]}' > notes.json
ok "$CAPSULE" apply notes.json w
only w notes-wal s.db

# Three pages of a large database: the overlay has three pages, and the way back. The long form takes 160 MB.
megabytes=24
[ -z "${CAPSULE_LONG_TESTS:-}" ] || megabytes=160
python3 - $megabytes << 'PY'
import os, random, shutil, sqlite3, sys
os.makedirs("p/Library"); os.makedirs("q/Library"); os.makedirs("p/Documents"); os.makedirs("q/Documents")
base = sqlite3.connect("p/Library/large.db")
base.execute("pragma page_size = 4096"); base.execute("pragma synchronous = off"); base.execute("pragma journal_mode = memory")
base.execute("create table item (id integer primary key, b blob)")
draw = random.Random(2)
blobs = draw.randbytes(3900 * 16)
count = int(sys.argv[1]) * 256
base.executemany("insert into item values (?, ?)", ((i, i.to_bytes(8, "big") + draw.randbytes(3880)) for i in range(count)))
base.commit(); base.close()
shutil.copy("p/Library/large.db", "q/Library/large.db")
base = sqlite3.connect("q/Library/large.db")
base.executemany("update item set b = zeroblob(3888) where id = ?", [(count // 7,), (count // 2,), (count - 3,)])
base.commit(); base.close()
pages = lambda name: open(name, "rb").read()
a, b = pages("p/Library/large.db"), pages("q/Library/large.db")
changed = sum(a[i:i + 4096] != b[i:i + 4096] for i in range(0, len(a), 4096))
assert len(a) == len(b) and len(a) > count * 4000 and 3 <= changed <= 4, (len(a), changed)
PY
status 1 "$CAPSULE" diff p q --overlay large.capsule -q
size=$(wc -c < large.capsule)
[ "$size" -lt 200000 ] || fail "an overlay of three pages has $size bytes"
cp -a p w3
ok "$CAPSULE" apply large.capsule w3 --undo large.undo
same w3/Library/large.db q/Library/large.db
[ "$(wc -c < large.undo)" -lt 200000 ] || fail "its undo has $(wc -c < large.undo) bytes"
ok "$CAPSULE" apply large.undo w3
same w3/Library/large.db p/Library/large.db
ok "$CAPSULE" apply large.capsule w3
ok "$CAPSULE" overlay invert large.capsule -o large.inverse
ok "$CAPSULE" apply large.inverse w3
same w3/Library/large.db p/Library/large.db
