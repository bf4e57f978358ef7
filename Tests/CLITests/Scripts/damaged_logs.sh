# What a damaged write-ahead log would take back in silence is told: a commit that SQLite would not reach is no difference of any kind.
. "$LIB"
need python3
for name in base ours; do
    mkdir -p $name/Library $name/Documents
done
python3 - << 'PY'
import shutil, sqlite3
connection = sqlite3.connect("base.sqlite", isolation_level=None)
connection.execute("pragma page_size=1024")
connection.execute("create table t(id integer primary key, x)")
connection.execute("pragma journal_mode=wal")
connection.execute("pragma wal_autocheckpoint=0")
for name in "base", "ours":
    shutil.copyfile("base.sqlite", f"{name}/Library/a.sqlite")
# Three transactions, of which the last has two frames at least.
connection.execute("insert into t values(1, 'one')")
connection.execute("insert into t values(2, 'two')")
connection.execute("insert into t values(3, hex(zeroblob(800)))")
shutil.copyfile("base.sqlite-wal", "log")
# What a transaction that was rolled back leaves stays behind what is committed.
connection.execute("pragma cache_size=2")
connection.execute("begin")
connection.executemany("insert into t(x) values(?)", (("x" * 900,) for _ in range(40)))
connection.execute("rollback")
connection.execute("insert into t values(4, 'four')")
shutil.copyfile("base.sqlite-wal", "rolled")
connection.close()


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def flipped(at):
    return log[:at] + bytes([log[at] ^ 1]) + log[at + 1:]


with open("log", "rb") as file:
    log = file.read()
frame = 1048
count = (len(log) - 32) // frame
assert count >= 4 and len(log) == 32 + count * frame, len(log)
with open("rolled", "rb") as file:
    rolled = file.read()
assert len(rolled) > len(log) + 20 * frame, len(rolled)
write("damaged.page", flipped(32 + 24 + 500))
write("damaged.last", flipped(len(log) - 1))
write("damaged.salt", flipped(32 + 8))
write("damaged.number", flipped(32 + frame + 3))
for at in 3, 9, 18, 25:
    write(f"damaged.header{at}", flipped(at))
write("damaged.short", log[:20])
write("damaged.zeros", bytes(512) + log[512:])
write("good.whole", log)
write("good.rolled", rolled)
write("good.torn", log + log[32:32 + 700])
write("good.cut", log[:-300])
write("good.stale", log + b"".join(log[at:at + 8] + b"saltsalt" + log[at + 16:at + frame] for at in range(32, len(log), frame)))
write("good.header", log[:32])
write("good.zeros", bytes(len(log)))
write("good.empty", b"")
PY

python3 -c 'import sqlite3
with sqlite3.connect("ours/Library/a.sqlite") as database: database.execute("insert into t values(9, 9)")
database.close()'
for log in damaged.*; do
    rm -rf theirs out.*
    cp -R base theirs
    cp "$log" theirs/Library/a.sqlite-wal
    status 1 "$CAPSULE" diff base theirs
    says out '^ *! not compared as sqlite: the new side: .*WAL is damaged'
    says_not out 'hidden as noise'
    status 0 "$CAPSULE" pack theirs -o out.capsule --fold-wal --quiet
    says err "^capsule: warning: Library/a.sqlite: can't be checkpointed: .*WAL is damaged"
    ok "$CAPSULE" unpack out.capsule -o out.container --as container --quiet
    same_trees theirs out.container
    status 2 "$CAPSULE" pack theirs -o out.strict --fold-wal --strict
    absent out.strict
    ok "$CAPSULE" pack theirs -o out.plain --quiet
    status 0 "$CAPSULE" unpack out.plain -o out.folded --as container --fold-wal --quiet
    says err "can't be checkpointed"
    same "$log" out.folded/Library/a.sqlite-wal
    found=0
    "$CAPSULE" merge base ours theirs -o out.merged > out 2> err || found=$?
    [ "$found" != 0 ] || fail "$log was merged"
    absent out.merged
done

# A log that ends as SQLite ends it is read as far.
for log in good.*; do
    rm -rf theirs out.*
    cp -R base theirs
    cp "$log" theirs/Library/a.sqlite-wal
    found=0
    "$CAPSULE" diff base theirs > out 2> err || found=$?
    case $log in
        good.header | good.zeros | good.empty) [ "$found" = 0 ] || fail "$log: status $found" ;;
        *) [ "$found" = 1 ] || fail "$log: status $found"; says out '+ id 1: ' ;;
    esac
    ok "$CAPSULE" pack theirs -o out.capsule --fold-wal --quiet
    [ ! -s err ] || fail "$log: a warning"
done
