# capsule diff: what was not looked at is never taken for noise, and nothing that is compared is ever written to.
. "$LIB"

# Noise takes no room from rows that count: what comes behind a thousand counters is told.
mkdir A B
python3 - << 'EOF'
import sqlite3
for side, title, option in (("A", "draft", 1), ("B", "final", 2)):
    db = sqlite3.connect(side + "/Store.sqlite")
    db.executescript("create table Z_PRIMARYKEY (Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);"
                     "create table Z_METADATA (Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);"
                     "create table ZNOTE (Z_PK integer primary key, Z_ENT integer, Z_OPT integer, ZTITLE varchar)")
    db.executemany("insert into ZNOTE values (?, 1, ?, 'same')", ((n, option) for n in range(1, 3001)))
    db.execute("insert into ZNOTE values (5000, 1, 1, ?)", (title,))
    db.commit()
    db.close()
EOF
status 1 "$CAPSULE" diff A B
says out '^        ~ Z_PK 5000: title "draft" → "final"$'
says out '^3,000 changes hidden as noise (core-data 3000)'
# The same names in a database of somebody else's are no noise.
for side in A B; do sqlite3 "$side/Store.sqlite" 'drop table Z_METADATA; delete from ZNOTE where Z_PK > 3'; done
status 1 "$CAPSULE" diff A B
says out '~ Z_PK 1: Z_OPT 1 → 2$'
says_not out 'noise'

# What is behind ten thousand changes that are noise is shown, and all are counted.
rm -r A B
mkdir -p A/Library/Preferences B/Library/Preferences
python3 - << 'EOF'
import plistlib
for side, stamp in (("A", 1), ("B", 2)):
    values = {f"key{n:06}": stamp for n in range(10500)}
    values["zz"] = stamp
    with open(side + "/Library/Preferences/x.plist", "wb") as file:
        plistlib.dump(values, file, fmt=plistlib.FMT_BINARY)
EOF
echo '{"CapsuleRules": 1, "Rules": [{"Class": "clock", "Path": "**", "Pointer": "/key*"}]}' > rules.json
status 1 "$CAPSULE" diff A B --rules rules.json
says out '^~ Library/Preferences/x.plist (plist)$'
says out '^    ~ /zz: 1 → 2$'
says out '^10,500 changes hidden as noise (clock 10500)'
status 1 "$CAPSULE" diff A B --rules rules.json --json
says out '"status":1,"changes":1,"noise":10500,"complete":false,"exact":true,"shown":10001}$'
echo '{"CapsuleRules": 1, "Rules": [{"Class": "mine", "Path": "Library/Preferences/**"}]}' > rules.json
ok "$CAPSULE" diff A B --rules rules.json
says out '^10,501 changes hidden as noise (mine 10501)'

# A log that went from one database to another takes its rows from the one, and brings them to the other.
rm -r A B
mkdir A
python3 - << 'EOF'
import shutil, sqlite3
db = sqlite3.connect("A/X.sqlite")
db.execute("pragma journal_mode=wal")
db.execute("pragma wal_autocheckpoint=0")
db.execute("create table t (k integer primary key, v text)")
db.execute("pragma wal_checkpoint(truncate)")
db.execute("insert into t values (1, 'only in the log')")
db.commit()
for suffix in ("", "-wal"):
    shutil.copyfile("A/X.sqlite" + suffix, "kept" + suffix)
db.close()
for suffix in ("", "-wal"):
    shutil.copyfile("kept" + suffix, "A/X.sqlite" + suffix)
EOF
cp -R A B
cp B/X.sqlite B/Y.sqlite
mv B/X.sqlite-wal B/Y.sqlite-wal
rm -f A/*-shm B/*-shm
status 1 "$CAPSULE" diff A B
says out '^+ Y.sqlite '
says out '^~ X.sqlite (sqlite)$'
says out '^        - k 1: v "only in the log"$'

# Whatever a version is called, its capsule is no place for a report; nor is a directory that is compared.
ok "$CAPSULE" pack A -o both.capsule -q
ok "$CAPSULE" pack B --append -o both.capsule -q --label after
cp both.capsule kept.capsule
for file in both.capsule ./both.capsule B/page.html; do
    for flag in --html --learn --expect-write; do
        status 64 "$CAPSULE" diff both.capsule@1 both.capsule@after $flag both.capsule
        status 64 "$CAPSULE" diff both.capsule B $flag "$file"
    done
done
same both.capsule kept.capsule
absent B/page.html
status 64 "$CAPSULE" diff A B --learn one.plist --expect-write ./one.plist
absent one.plist
