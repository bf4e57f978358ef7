# An expectation that was written from a run passes only for the same contents: bytes of files, values of property lists, rows of databases.
. "$LIB"
need python3
mkdir a b
printf 'one\ntwo\n' > a/t.txt
printf 'one\nthree\n' > b/t.txt
echo new > b/new.txt
printf 'GIF89a\001\000\001\000' > a/i.gif
printf 'GIF89a\002\000\001\000' > b/i.gif
cat > make.py <<'END'
import datetime, os, plistlib, sqlite3, sys, uuid
side, size, rows, year = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), int(sys.argv[4])
values = {"at": datetime.datetime(year, 1, 1), "id": str(uuid.uuid4()), "name": rows[0], "list": [1, 2.5, True, b"x"]}
with open(f"{side}/new.plist", "wb") as file:
    plistlib.dump(values, file, fmt=plistlib.FMT_BINARY if size == 4096 else plistlib.FMT_XML, sort_keys=size == 4096)
if os.path.exists(f"{side}/new.sqlite"): os.unlink(f"{side}/new.sqlite")
database = sqlite3.connect(f"{side}/new.sqlite")
database.execute(f"PRAGMA page_size={size}")
database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, at REAL)")
database.executemany("INSERT INTO t(name, at) VALUES (?, ?)", [(row, 7e8 + year + 0.5) for row in rows])
database.commit()
END
python3 make.py b 4096 fox,owl 2024
printf '{"b": 1, "a": null}' > b/new.json
status 1 "$CAPSULE" diff a b --expect-write run.json -q
says run.json '{"Path": "new.txt", "Kind": "added", "Digest": "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c", "Size": 4, "Mode": "0[0-7]*", "Attributes": {}}'
says run.json '{"Path": "t.txt", "Kind": "text", "Digest": "[0-9a-f]*", "Size": 10, "Count": 1}'
[ "$(grep -c ContentDigest run.json)" = 3 ] || fail 'a property list, JSON and a database have the digest of what they hold'
status 0 "$CAPSULE" diff a b --expect run.json
# The same contents in another form, at another time.
python3 make.py b 8192 fox,owl 2025
printf '{"a":null,"b":1}' > b/new.json
status 0 "$CAPSULE" diff a b --expect run.json
status 0 "$CAPSULE" pack -q b -o b.capsule
status 0 "$CAPSULE" diff a b.capsule --expect run.json

# finds WORDS: one finding, with these words; the file that was changed is as before afterwards.
finds() {
    status 1 "$CAPSULE" diff a b --expect run.json
    says out "$1"
    says out 'failed: 1 finding$'
    rm -r b
    cp -R b.good b
}
cp -R b b.good
: > b/new.txt
finds "^! new.txt (added): expected content 7aa7a535, 4 bytes, mode 0[0-7]*, found content e3b0c442, 0 bytes, mode 0[0-7]*\$"
: > b/t.txt
finds '^! t.txt (text): expected content .*, 10 bytes, found content e3b0c442, 0 bytes$'
seq 500 > b/t.txt
finds '^! t.txt (text): expected content'
printf 'GIF89a\003\000\001\000' > b/i.gif
finds '^! i.gif (image): expected content'
printf '{"a":null,"b":2}' > b/new.json
finds '^! new.json (added): expected content'
python3 make.py b 4096 fox,cat 2024
cp b.good/new.plist b/new.plist
finds '^! new.sqlite (added): expected content'
python3 make.py b 4096 cat,owl 2024
cp b.good/new.sqlite b/new.sqlite
finds '^! new.plist (added): expected content'
# A row that is only in the log counts.
python3 - <<'END'
import sqlite3, shutil
database = sqlite3.connect("b/new.sqlite")
database.execute("PRAGMA journal_mode=WAL")
database.execute("INSERT INTO t(name) VALUES ('late')")
database.commit()
shutil.copytree("b", "c")
END
rm -r b
mv c b
finds '^! new.sqlite (added): expected content'

# An update describes new content anew; --loose leaves all of it out.
echo other > b/new.txt
status 0 "$CAPSULE" diff a b --expect-update run.json
says err 'removed clause: new.txt (added) with content 7aa7a535, 4 bytes, mode 0[0-7]*'
says err 'added clause: new.txt (added) with content [0-9a-f]*, 6 bytes, mode 0[0-7]*'
says err 'updated: 1 added, 1 removed'
status 1 "$CAPSULE" diff a b --expect-write loose.json --loose -q
says_not loose.json 'Digest\|Size'
: > b/new.txt
seq 500 > b/t.txt
status 0 "$CAPSULE" diff a b --expect loose.json
echo more > b/more.txt
status 0 "$CAPSULE" diff a b --expect-update loose.json
says_not loose.json 'Digest\|Size'
status 64 "$CAPSULE" diff a b --loose
for pin in '"Digest": "12"' '"Size": -1' '"Size": "4"' '"ContentDigest": 7'; do
    echo "{\"CapsuleExpectation\": 1, \"Must\": [{\"Path\": \"x\", $pin}]}" > bad.json
    status 2 "$CAPSULE" diff a b --expect bad.json
    says err 'bad.json'
done
# A guard with a digest: these bytes must never appear.
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Path": "**", "Digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}' > empty.json
status 1 "$CAPSULE" diff a b --expect empty.json
says out 'new.txt (added)'
echo full > b/new.txt
status 0 "$CAPSULE" diff a b --expect empty.json

# What an entry is counts, too: a link by its target, a directory as one, a long value and a schema by their text.
mkdir x y y/d
ln -s one x/link
ln -s two y/link
ln -s new y/added
python3 - <<'END'
import plistlib, sqlite3
for side, text in ("x", "a"), ("y", "b"):
    with open(f"{side}/p.plist", "wb") as file: plistlib.dump({"long": text * 200, "image": text.encode() * 99}, file)
    database = sqlite3.connect(f"{side}/d.sqlite")
    database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, image BLOB)")
    database.execute("INSERT INTO t VALUES (1, ?)", (text.encode() * 3000,))
    if side == "y": database.execute("CREATE INDEX i ON t(image)")
    database.commit()
END
status 1 "$CAPSULE" diff x y --expect-write what.json -q
status 0 "$CAPSULE" diff x y --expect what.json
cp -R y y.good
wrong() {
    status 1 "$CAPSULE" diff x y --expect what.json
    says out "$1"
    rm -r y
    cp -R y.good y
}
ln -sfn evil y/link
wrong '^! link (modified): expected target "two", found target "evil"$'
rmdir y/d
echo file > y/d
wrong '^! d (added): expected a directory, mode 0[0-7]*, found content'
rm y/added
echo file > y/added
wrong '^! added (added): expected target "new", found content'
python3 -c 'import plistlib; plistlib.dump({"long": "", "image": b"b" * 99}, open("y/p.plist", "wb"))'
wrong '^! p.plist /long: expected SHA-256'
python3 -c 'import plistlib; plistlib.dump({"long": "b" * 200, "image": b"c" * 99}, open("y/p.plist", "wb"))'
wrong '^! p.plist /image: expected SHA-256'
python3 -c 'import sqlite3; d = sqlite3.connect("y/d.sqlite"); d.execute("UPDATE t SET image = ?", (b"0",)); d.commit()'
wrong '^! d.sqlite t {"id": 1} image: expected SHA-256'
python3 -c 'import sqlite3; d = sqlite3.connect("y/d.sqlite"); d.execute("DROP INDEX i"); d.execute("CREATE INDEX i ON t(id)")'
wrong 'index i (added)$'
# A guard looks into a database that became a link.
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Path": "d.sqlite", "Table": "t", "Kind": "deleted"}]}' > rows.json
rm y/d.sqlite
ln -s nowhere y/d.sqlite
status 1 "$CAPSULE" diff x y --expect rows.json
says out 'd.sqlite t id=1 (deleted)'

# The files around a database that only one side has are listed and pinned. Their names differ in every run.
mkdir -p m n/.M_SUPPORT/_EXTERNAL_DATA
cat > refer.py <<'END'
import os, sqlite3, sys
if os.path.exists("n/M.sqlite"): os.unlink("n/M.sqlite")
database = sqlite3.connect("n/M.sqlite")
database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, image BLOB)")
database.execute("INSERT INTO t VALUES (1, ?)", (b"\2" + sys.argv[1].encode() + b"\0",))
database.commit()
END
blob=6B29FC40-CA47-1067-B31D-00DD010662DA
python3 refer.py $blob
printf one > n/.M_SUPPORT/_EXTERNAL_DATA/$blob
ln -s one n/.M_SUPPORT/link
status 1 "$CAPSULE" diff m n --name-status
says out "^A	.M_SUPPORT/_EXTERNAL_DATA/$blob$"
says out '^A	.M_SUPPORT/link$'
status 1 "$CAPSULE" diff m n --expect-write support.json -q
status 0 "$CAPSULE" diff m n --expect support.json
later=7C29FC40-CA47-1067-B31D-00DD010662DA
mv n/.M_SUPPORT/_EXTERNAL_DATA/$blob n/.M_SUPPORT/_EXTERNAL_DATA/$later
python3 refer.py $later
status 0 "$CAPSULE" diff m n --expect support.json
printf two > n/.M_SUPPORT/_EXTERNAL_DATA/$later
status 1 "$CAPSULE" diff m n --expect support.json
printf one > n/.M_SUPPORT/_EXTERNAL_DATA/$later
ln -sfn two n/.M_SUPPORT/link
status 1 "$CAPSULE" diff m n --expect support.json
rm n/.M_SUPPORT/link
status 1 "$CAPSULE" diff m n --expect support.json
status 1 "$CAPSULE" diff n m --name-status
says out "^D	.M_SUPPORT/_EXTERNAL_DATA/$later$"

# Two files by themselves differ if the same pair in containers does.
mkdir p q
# pair NAME OLD NEW
pair() {
    printf "$2" > "p/$1"
    printf "$3" > "q/$1"
    status 1 "$CAPSULE" diff p q
    says out "^    ~ encoding only: "
    status 1 "$CAPSULE" diff "p/$1" "q/$1"
    says out "^    ~ encoding only: "
    status 0 "$CAPSULE" diff "p/$1" "p/$1"
    rm "p/$1" "q/$1"
}
pair a.json '{"a":1}' '{"a": 1}'
pair a.json '{"a":0.1}' '{"a":0.1000000000000000055511151231257827}'
pair a.strings '/* one */\n"a" = "A";\n' '/* two */\n"a" = "A";\n'
