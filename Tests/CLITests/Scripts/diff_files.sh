# capsule diff: two files of any kind are compared by what they are.
. "$LIB"
need python3 sqlite3

sqlite3 a.sqlite 'create table t(k integer primary key, v); insert into t values(1, "x"), (2, "y")'
cp a.sqlite b.sqlite
chmod 600 b.sqlite
ok "$CAPSULE" diff a.sqlite b.sqlite
sqlite3 b.sqlite 'update t set v = "z" where k = 2'
status 1 "$CAPSULE" diff a.sqlite b.sqlite
says out '^~ b.sqlite (sqlite)$'
says out '^        ~ k 2: v "y" → "z"$'
says_not out mode
# With its log, which is left as it is.
cp a.sqlite w.sqlite
python3 -c 'import os, sqlite3
db = sqlite3.connect("w.sqlite")
db.execute("pragma journal_mode=wal")
db.execute("insert into t values(3, \"only in the log\")")
db.commit()
os._exit(0)'
cp w.sqlite-wal kept
status 1 "$CAPSULE" diff a.sqlite w.sqlite
says out '^        + k 3: v "only in the log"$'
same w.sqlite-wal kept
absent a.sqlite-wal
# By any path, a link among them, and what else is in the directory does not matter.
mkdir -p deep/er
cp b.sqlite deep/er/other.db
echo noise > deep/er/other.dbx
ln -s deep/er/other.db link.db
for path in deep/er/other.db ./deep/../link.db "$PWD/link.db"; do
    status 1 "$CAPSULE" diff a.sqlite "$path"
    says out '^        ~ k 2: v "y" → "z"$'
done

printf 'one\ntwo\n' > a.txt
printf 'one\nthree\n' > b.txt
status 1 "$CAPSULE" diff a.txt b.txt
says out '^    -two$'
status 1 "$CAPSULE" diff a.txt b.txt --json
says out '"status":1,"changes":1,'
status 1 "$CAPSULE" diff a.txt b.txt --stat
status 1 "$CAPSULE" diff a.txt a.sqlite
says out '^~ a.sqlite'
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Kind": "row"}]}' > guard.json
status 1 "$CAPSULE" diff a.sqlite b.sqlite --expect guard.json
status 1 "$CAPSULE" diff a.sqlite b.sqlite -q --expect-write written.json
ok "$CAPSULE" diff a.sqlite b.sqlite --expect written.json
ok "$CAPSULE" diff a.txt a.txt

# Property lists and JSON are compared by value.
printf '{"a": 1}' > a.json
printf '{"a": 2}' > b.json
status 1 "$CAPSULE" diff a.json b.json
says out '^~ b.json (json)$'
says out '^    ~ /a: 1 → 2$'
status 1 "$CAPSULE" diff a.json a.txt

# What only looks like one is compared as text, unless an overlay is wanted.
printf '{"a": 1,}\n' > c.json
status 1 "$CAPSULE" diff c.json b.json
says out '^    ! not compared as json: the old side: a comma before }$'
says out '^    -{"a": 1,}$'
status 0 "$CAPSULE" diff c.json c.json
status 2 "$CAPSULE" diff c.json b.json --overlay o.plist
says err '^c.json:1:9: error: a comma before }$'

# Standard input and a pipe are a file like any other.
status 1 "$CAPSULE" diff - b.json < c.json
says out '^    ! not compared as json: the old side: a comma before }$'
status 1 "$CAPSULE" diff a.txt - < b.txt
says out '^~ a.txt (text)$'
status 1 "$CAPSULE" diff a.json - --overlay o.json < b.json
ok "$CAPSULE" apply -q o.json a.json -o d.json
alike b.json d.json
mkfifo pipe
cat b.json > pipe &
status 1 "$CAPSULE" diff a.json pipe
says out '^    ~ /a: 1 → 2$'

# What can't be.
status 2 "$CAPSULE" diff a.txt missing.txt
says err '^capsule: error: missing.txt: does not exist$'
mkdir box
status 64 "$CAPSULE" diff a.txt box
status 2 "$CAPSULE" diff a.sqlite b.sqlite --overlay run.capsule
says err '^capsule: error: a.sqlite: not a property list'
absent run.capsule
status 64 "$CAPSULE" diff a.sqlite b.sqlite --group g=box
if [ "$(id -u)" = 0 ]; then
    chmod 600 a.txt
    chmod 755 .
    nobody "$CAPSULE" diff a.txt b.txt > out 2> err && fail 'an unreadable file compares' || :
    says err 'denied'
fi
