# capsule diff: what is only in a database's log counts, and a log that is gone takes its rows with it.
. "$LIB"

python3 "$TOOLS/make_container.py" A.xcappdata --scale small --after
cp -a A.xcappdata B.xcappdata
store='AppData/Library/Application Support/Model.sqlite'
rm "B.xcappdata/$store-wal"
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata
says out '^~ Library/Application Support/Model.sqlite (sqlite)$'
says out '^        - Z_PK 2001: .*"added by the test run"'
says out '^        + Z_PK 1499: '
says out '^        ~ Z_PK 997: rating 5 → 0$'
[ "$(grep -c '^[-+~>]' out)" = 1 ] || fail "a unit is more than one row"

# Written back into its pages, the same database differs in nothing that anybody asked for.
python3 - "A.xcappdata/$store" C.sqlite << 'EOF'
import shutil, sqlite3, sys
for suffix in ("", "-wal"):
    shutil.copyfile(sys.argv[1] + suffix, sys.argv[2] + suffix)
db = sqlite3.connect(sys.argv[2])
db.execute("pragma wal_checkpoint(truncate)")
db.close()
EOF
cp -a A.xcappdata C.xcappdata
rm "C.xcappdata/$store-wal"
cp C.sqlite "C.xcappdata/$store"
ok "$CAPSULE" diff A.xcappdata C.xcappdata
says out '^1 change hidden as noise (sqlite 1); --all shows them$'
ok "$CAPSULE" diff A.xcappdata C.xcappdata --all
says out 'encoding only: sqlite → sqlite  \[sqlite\]'

# Shared memory is nothing at all.
cp -a A.xcappdata D.xcappdata
head -c 32768 /dev/zero > "D.xcappdata/$store-shm"
ok "$CAPSULE" diff A.xcappdata D.xcappdata
says out '^1 change hidden as noise (sqlite 1)'

# A hot journal is rolled back, in the copy alone.
mkdir J K
python3 - << 'EOF'
import os, shutil, sqlite3
db = sqlite3.connect("J/rows.db", isolation_level=None)
db.execute("pragma journal_mode=delete")
db.execute("create table t (k integer primary key, v text)")
db.executemany("insert into t values (?, ?)", [(n, "before") for n in range(2000)])
shutil.copyfile("J/rows.db", "K/rows.db")
db.execute("pragma cache_size=2")
db.execute("begin")
db.execute("update t set v = 'half a transaction'")
for suffix in ("", "-journal"):
    shutil.copyfile("J/rows.db" + suffix, "J/killed.db" + suffix)
db.execute("rollback")
db.close()
for suffix in ("", "-journal"):
    os.replace("J/killed.db" + suffix, "J/rows.db" + suffix)
EOF
[ -s J/rows.db-journal ] || fail "there is no journal to be rolled back"
! cmp -s J/rows.db K/rows.db || fail "the killed transaction wrote nothing"
python3 "$TOOLS/snapshot.py" J > J.before
ok "$CAPSULE" diff J K
says out '^1 change hidden as noise (sqlite 1)'
python3 "$TOOLS/snapshot.py" J > J.after
same J.before J.after
