# capsule diff: a verdict looks at every change, however few of them are shown.
. "$LIB"

# 1,300 rows in a and b, of which 1,000 are shown; 10,200 keys in p and q, of which 10,000 are.
python3 - << 'EOF'
import datetime, os, plistlib, sqlite3
for new, (rows, keys) in enumerate([("a", "p"), ("b", "q")]):
    os.makedirs(rows)
    os.makedirs(keys)
    database = sqlite3.connect(f"{rows}/B.sqlite")
    database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, value, seen TEXT)")
    database.executemany(
        "INSERT INTO t VALUES (?, ?, ?)",
        [(i, i + new, f"00000000-0000-4000-8000-{i + 5000 * new:012d}") for i in range(1300)])
    database.commit()
    day = datetime.datetime(2024, 5, 17 + new)
    with open(f"{keys}/P.plist", "wb") as file:
        plistlib.dump({f"k{i:06d}": i + new if i % 2 else day for i in range(10200)}, file, fmt=plistlib.FMT_BINARY)
EOF

# judge STATUS A B CLAUSES OPTION...: an expectation of these clauses, held against the diff of A and B.
judge() {
    wanted_status=$1
    sides="$2 $3"
    echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", $4}" > clauses.json
    shift 4
    status "$wanted_status" "$CAPSULE" diff $sides --expect clauses.json "$@"
}

# What is forbidden is found behind what is shown, and a count counts all.
for option in --full --rows=1000 --rows=10 --rows=0 --stat; do
    judge 1 a b '"MustNot": [{"Path": "**/B.sqlite", "Row": {"id": 1200}, "Note": "never"}]' "$option"
done
judge 1 a b '"MustNot": [{"Path": "**/B.sqlite", "Row": {"id": 1200}, "Note": "never"}]'
says out '^! forbidden: .*"id": 1200} (never)$'
says out '^clauses.json: failed: 1 finding$'
judge 1 a b '"May": [{"Path": "B.sqlite", "Table": "t", "Count": {"Max": 1200}}]'
says out '^! 1300 changes instead of 0 to 1200: '
judge 1 p q '"May": [{"Kind": "value", "Count": {"Max": 10100}}], "MustNot": [{"Pointer": "/k010199"}]'
says out '^! 10200 changes instead of 0 to 10100: '
says out '^! forbidden: /k010199$'
judge 0 a b '"Must": [{"Path": "B.sqlite", "Kind": "row", "Count": 1300}]'
says out 'passed: 1,300 changes$'

# What nothing allows is counted, and shown as far as anybody reads.
echo '{"CapsuleExpectation": 1, "May": [{"Path": "B.sqlite", "Column": "seen"}]}' > other.json
status 1 "$CAPSULE" diff a b --rows 10 --expect other.json --junit junit.xml
says out '^other.json: failed: 1,300 findings, 1,000 shown$'
says out '^! not allowed: B.sqlite t id=999 value: 999 → 1000$'
[ "$(wc -l < out)" = 1001 ] || fail "more findings are shown than are said"
says junit.xml '1300 changes are not allowed'

# An expectation that was written of a diff holds for that diff, whatever is shown of it, and for no other.
status 1 "$CAPSULE" diff a b --rows 10 --expect-write rows.plist -q
ok "$CAPSULE" diff a b --expect rows.plist
says out 'passed: 1,300 changes$'
ok "$CAPSULE" diff a b --rows 0 --expect rows.plist
cp -R b c
python3 -c "import sqlite3; d = sqlite3.connect('c/B.sqlite'); d.execute('UPDATE t SET value = 0 WHERE id = 1299'); d.commit()"
status 1 "$CAPSULE" diff a c --rows 10 --expect rows.plist
says out '1299'
status 1 "$CAPSULE" diff p q --expect-write keys.plist -q
ok "$CAPSULE" diff p q --expect keys.plist

# Rules that were learned of a diff silence all of it.
status 1 "$CAPSULE" diff a b --rows 10 --learn learned.plist -q
status 0 "$CAPSULE" diff a b --rows 10 --rules learned.plist
says out '^1,300 changes hidden as noise (learned 1300); --all shows them$'
# Rules say of each row what it is, and not of those that are shown.
echo '{"CapsuleRules": 1, "Rules": [{"Class": "few", "Path": "B.sqlite", "Row": {"id": {"Max": 1199}}}]}' > few.json
status 1 "$CAPSULE" diff a b --rows 10 --rules few.json --stat
says out '^B.sqlite | sqlite, 100 changes, ~100$'

# Every report counts all, and says what it does not show.
status 1 "$CAPSULE" diff a b --stat
says out '^B.sqlite | sqlite, 1,300 changes, ~1300$'
status 1 "$CAPSULE" diff a b
says out '^1,300 changes, 1,000 of them shown; --full shows all$'
status 1 "$CAPSULE" diff a b --json
says out '"what":"rows","table":"t","shown":1000,"total":1300,"judged":true}$'
says out '^{"kind":"end","status":1,"changes":1300,"noise":0,"complete":false,"exact":true,"shown":1000}$'
status 1 "$CAPSULE" diff a b --full --json
says out '^{"kind":"end","status":1,"changes":1300,"noise":0,"complete":true,"exact":true,"shown":1300}$'
status 1 "$CAPSULE" diff a b -q --html report.html
says report.html '<strong>1,300 changes</strong>'
says report.html 'shows 1,000 of them'

# An overlay has every change.
cp p/P.plist turned.plist
status 1 "$CAPSULE" diff -q p/P.plist q/P.plist --overlay turning.plist
ok "$CAPSULE" apply -q turning.plist turned.plist
status 0 "$CAPSULE" diff turned.plist q/P.plist
