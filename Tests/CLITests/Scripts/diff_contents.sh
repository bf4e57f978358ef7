# capsule diff: every kind of content is compared as what it is, and what can't be says so.
. "$LIB"

python3 "$TOOLS/make_contents.py" .
status 1 "$CAPSULE" diff A B --all
cat > wanted << 'EOF'
~ Library/Cookies.binarycookies (cookies)
    ~ cookie sid of .example.com/: value hidden (cookie) → hidden (cookie)
~ Library/again.gz (gzip)
    ~ encoding only: gzip → gzip
~ Library/began.txt (text)
    @@ -0,0 +1 @@
    +first words
~ Library/blob.db (sqlite)
    s
        ~ k 1: p differs inside
            p ~ /<plist>/count: 1 → 5
~ Library/cut.gz (bytes)
    ! not compared as gzip: the new side: not zlib data, damaged, or larger than 64 MiB
    1,023 → 1,014 bytes, 100 % of the new content is in the old
~ Library/cut.plist (bytes)
    ! not compared as plist: the new side: the trailer's offset size is invalid
    251 → 231 bytes, 100 % of the new content is in the old
~ Library/data.json.gz (gzip/json)
    ~ /level: 1 → 2
~ Library/encoding.plist (plist)
    ~ encoding only: binary → xml
~ Library/encrypted.sqlite (bytes)
    8,192 bytes, first difference at byte 0, 0.0 % of the new content is in the old
~ Library/layout.plist (plist)
    ~ encoding only: xml → xml
~ Library/log.txt (text)
    @@ -5,7 +5,6 @@
     line 4
     line 5
     line 6
    -line 7
     line 8
     line 9
     line 10
    @@ -28,7 +27,7 @@
     line 27
     line 28
     line 29
    -line 30
    +line thirty
     line 31
     line 32
     line 33
~ Library/moved.bin (bytes)
    300,000 → 300,008 bytes, first difference at byte 150,000, 99.9 % of the new content is in the old
~ Library/nested.plist (plist)
    ~ /same/<plist>: encoding only, binary → xml
    ~ /state/<plist>/count: 1 → 2
~ Library/order.binarycookies (cookies)  [cookies-order]
    ~ encoding only: cookies → cookies  [cookies-order]
~ Library/other-object.archive (plist)
    ~ /<archive>/root/child/tag (View): 1 → 2
~ Library/picture.png (image)
    png 16×16, 79 bytes → png 24×16, 83 bytes
~ Library/recoded.txt (text)
    ~ encoding only: utf-8 → utf-16le
~ Library/rows.db (sqlite)
    t
        ~ k 1: v "one" → "uno"
        + k 2: v "dos"
~ Library/schema.db (sqlite)
    ~ table t: CREATE TABLE t (k integer primary key, v text) → CREATE TABLE t (k integer primary key, v text, added integer default 0)
    + index by_v: CREATE INDEX by_v on t (v)
    t
        ~ k 1: added NULL → 0
~ Library/space.json (json)
    ~ encoding only: json → json
~ Library/stored.db (sqlite)  [sqlite]
    ~ encoding only: sqlite → sqlite  [sqlite]
~ Library/title.archive (plist)
    ~ /<archive>/root/title (Window): "Home" → "Away"
~ Library/types.plist (plist)
    ~ /a: integer 1 → real 1.0
    ~ /b: boolean true → integer 1
    ~ /c: string "1" → data of 1 byte, "1"
~ Library/utf16.txt (text)
    @@ -1,2 +1,2 @@
     one
    -two
    +2
~ Library/value.json (json)
    ~ /a: null → boolean false
    + /b/2: 3
~ Library/values.z (zlib/plist)
    ~ /deep: 1 → 2
~ Library/vault.sqlite (bytes)
    ! not compared as sqlite: the new side: not a SQLite database
    8,192 bytes, first difference at byte 0, 0.0 % of the new content is in the old
~ link: link to old → new
~ turns: file → directory
1 secret hidden; '--show-secrets' shows it
EOF
same wanted out
cp out lines

# The same out of capsules, and the other way round as many entries.
for side in A B; do ok "$CAPSULE" pack $side -o $side.capsule -q; done
status 1 "$CAPSULE" diff A.capsule B.capsule --all
same wanted out
status 1 "$CAPSULE" diff B A --all
grep -c '^[^ ]' wanted > one
grep -c '^[^ ]' out > other
same one other

# By letters: small property lists are looked into, nothing else.
status 1 "$CAPSULE" diff A B --name-status
tr '\t' ' ' < out > found
cat > wanted << 'EOF'
M Library/Cookies.binarycookies
M Library/again.gz
M Library/began.txt
M Library/blob.db
M Library/cut.gz
M Library/cut.plist
M Library/data.json.gz
E Library/encoding.plist
M Library/encrypted.sqlite
E Library/layout.plist
M Library/log.txt
M Library/moved.bin
M Library/nested.plist
M Library/order.binarycookies
M Library/other-object.archive
M Library/picture.png
M Library/recoded.txt
M Library/rows.db
M Library/schema.db
E Library/space.json
M Library/stored.db
M Library/title.archive
M Library/types.plist
M Library/utf16.txt
M Library/value.json
M Library/values.z
M Library/vault.sqlite
M link
T turns
EOF
same wanted found
status 1 "$CAPSULE" diff A B --name-only
sed 's/^. //' wanted | cmp -s - out || fail 'other names'
status 1 "$CAPSULE" diff A.capsule B.capsule --name-status
tr '\t' ' ' < out > found
same wanted found

# Secrets are told where they are asked for, and only there.
for form in '' --json --full --all; do
    # shellcheck disable=SC2086 -- one word or none
    status 1 "$CAPSULE" diff A B $form
    says_not out 'secret-'
done
says lines 'value hidden (cookie)'
status 1 "$CAPSULE" diff A B --html page.html -q
says_not page.html 'secret-'
status 1 "$CAPSULE" diff A B --expect-write run.plist -q
says_not run.plist 'secret-'
status 1 "$CAPSULE" diff A B --learn rules.plist -q
says_not rules.plist 'secret-'
status 1 "$CAPSULE" diff A B --show-secrets
says out '"secret-one" → "secret-two"'

# Lines are well formed JSON, each of a kind that is documented, in path order.
status 1 "$CAPSULE" diff A B --json --all
python3 - out << 'EOF' || fail "the JSON lines are not as documented"
import json, sys
kinds = {"header", "added", "deleted", "renamed", "type", "modified", "value", "row", "schema", "text", "bytes", "image", "cookie",
         "metadata", "encoding", "fallback", "limit", "noise", "end"}
lines = [json.loads(line) for line in open(sys.argv[1])]
assert {line["kind"] for line in lines} <= kinds
entries = [line["path"].encode() for line in lines if line["kind"] in ("added", "deleted", "renamed", "type", "modified")]
assert entries == sorted(entries), entries
counted = sum(line.get("details", 0) for line in lines if line["kind"] in ("modified", "type"))
assert counted == sum(line["kind"] in ("value", "row", "schema", "text", "bytes", "image", "cookie", "metadata", "encoding", "fallback", "limit") for line in lines)
end = lines[-1]
assert (end["kind"], end["status"], end["noise"], end["complete"]) == ("end", 1, 2, True), end
def null(value):
    return value is None or isinstance(value, dict) and any(map(null, value.values())) or isinstance(value, list) and any(map(null, value))
assert [line["path"] for line in lines if null({k: v for k, v in line.items() if k not in ("old", "new", "columns")})] == []
EOF

# An archive that was renumbered, and has another mode: the mode is all there is to tell.
mkdir C D
cp A/Library/renumbered.archive C/state
cp B/Library/renumbered.archive D/state
ok "$CAPSULE" diff C D
[ ! -s out ] || fail "renumbering is told"
chmod 600 D/state
status 1 "$CAPSULE" diff C D --name-status
printf 'P\tstate\n' > wanted
same wanted out

# What can't be judged says what would help: '--full' brings back long values, and nothing where a file is damaged.
printf '{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Path":"Library/cut.plist","To":1}]}' > guard.json
status 1 "$CAPSULE" diff A B -q --expect guard.json
says out 'can.t be judged: .*: not compared as plist'
says_not err 'hint'
mkdir long-a long-b
python3 - << 'EOF'
import sqlite3
for side, text in ("a", "a"), ("b", "b" * 100_000):
    with sqlite3.connect(f"long-{side}/d.sqlite") as database:
        database.execute("create table t(id integer primary key, x)")
        database.execute("insert into t values(1, ?)", (text,))
EOF
printf '{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Path":"d.sqlite","To":{"Like":"*z"}}]}' > guard.json
status 1 "$CAPSULE" diff long-a long-b -q --expect guard.json
says out 'can.t be judged: .*: a value to match is too long'
says err "^capsule: hint: '--full' compares long values in full"
ok "$CAPSULE" diff long-a long-b -q --expect guard.json --full
