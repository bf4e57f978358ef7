# capsule diff: a verdict knows a table by each of its names, and says what one form of container cannot hold.
. "$LIB"
need python3

python3 - << 'EOF'
import os, sqlite3
MODULES = {"notes": "fts5(body)", "old": "fts4(body)", "outside": "fts5(body, content='')", "boxes": "rtree(id, x0, x1)"}

for side, new in ("a", 0), ("b", 1):
    os.makedirs(side)
    for name, module in MODULES.items():
        database = sqlite3.connect(f"{side}/{name}.db")
        database.execute(f"create virtual table {name} using {module}")
        columns = "id, x0, x1" if name == "boxes" else "rowid, body"
        for row in range(1, 3 + new):
            values = (row, row, row + 1) if name == "boxes" else (row, f"text {row}")
            database.execute(f"insert into {name}({columns}) values ({', '.join('?' * len(values))})", values)
        database.execute("create table plain(x)")
        database.commit()
        database.close()
    store = sqlite3.connect(f"{side}/store.db")
    store.executescript("create table Z_PRIMARYKEY(Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);"
                        "create table Z_METADATA(Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);"
                        "insert into Z_PRIMARYKEY values(1, 'Note', 0, 99);"
                        "create table ZNOTE(Z_PK integer primary key, Z_ENT integer, ZTITLE varchar)")
    store.executemany("insert into ZNOTE values(?, 1, ?)", ((row, f"title {row} {new}") for row in range(50)))
    store.commit()
    store.close()
EOF

# judge STATUS CLAUSE [SIDE SIDE]: a MustNot of the clause, held against the diff of two sides.
judge() {
    echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", \"MustNot\": [$2]}" > guard.json
    status "$1" "$CAPSULE" diff "${3:-a}" "${4:-b}" --expect guard.json
}

# A virtual table is known by its own name, and by those of the tables that keep its data.
for name in notes old outside boxes; do
    judge 1 "{\"Path\": \"$name.db\", \"Table\": \"$name\"}"
    says out '^! forbidden: '
    judge 1 "{\"Path\": \"$name.db\", \"Table\": \"${name}_*\"}"
    judge 0 "{\"Path\": \"$name.db\", \"Table\": \"plain\"}"
    judge 0 "{\"Path\": \"$name.db\", \"Table\": \"$name\", \"Kind\": \"deleted\"}"
    for rows in 0 1000; do
        echo "{\"CapsuleRules\": 1, \"Rules\": [{\"Class\": \"mine\", \"Path\": \"$name.db\", \"Table\": \"$name\"}]}" > rules.json
        status 1 "$CAPSULE" diff a b --rules rules.json --rows $rows
        says out 'hidden as noise (mine '
        says_not out "^~ $name.db"
    done
done

# Rows that are not shown are noise by the name of an entity, too.
for name in Note ZNOTE 'No*'; do
    echo "{\"CapsuleRules\": 1, \"Rules\": [{\"Class\": \"mine\", \"Path\": \"**\", \"Table\": \"$name\"}]}" > rules.json
    for rows in 0 10 1000; do
        status 1 "$CAPSULE" diff a b --rules rules.json --rows $rows
        says out '^50 changes hidden as noise (mine 50)'
        says_not out '^~ store.db'
    done
done

# What became of a virtual table itself.
sqlite3 b/notes.db 'create virtual table more using fts5(body)'
judge 1 '{"Table": "more", "Kind": "schema"}'
judge 0 '{"Table": "more", "Kind": "row"}'

# A table's schema is known by the name of its entity.
sqlite3 b/store.db 'alter table ZNOTE add column ZNEW'
for name in ZNOTE Note; do judge 1 "{\"Table\": \"$name\", \"Kind\": \"schema\"}"; done
judge 0 '{"Table": "Other", "Kind": "schema"}'

# A zip file has no extended attributes, and some have no modes: whether these changed is not known.
rm -r a b
mkdir a
echo x > a/x
echo y > a/y
(cd a && python3 -c 'import zipfile
with zipfile.ZipFile("../a.zip", "w") as made:
    for name in "x", "y": made.write(name)
with zipfile.ZipFile("../plain.zip", "w") as made:
    for name in "x", "y":
        entry = zipfile.ZipInfo(name)
        entry.create_system = 0
        made.writestr(entry, name + "\n")')
metadata='{"Kind": "metadata"}'
judge 0 "$metadata" a a.zip
ok "$CAPSULE" diff a a.zip

status 0 "$CAPSULE" diff a plain.zip
says err '^capsule: note: modes are not compared because only one side can have them: x and 1 more$'
judge 1 "$metadata" a plain.zip
says out '^! can.t be judged: .*: x: only one side can have modes$'
judge 1 '{"Kind": "metadata", "Path": "y"}' plain.zip a
judge 0 '{"Kind": "metadata", "Path": "z"}' a plain.zip
judge 0 '{"Kind": "metadata", "To": {"Is": "absent"}}' a plain.zip
# What asks for nothing in particular is of what can be compared.
judge 0 '{"Path": "**"}' a plain.zip
judge 0 "$metadata" plain.zip plain.zip
status 0 "$CAPSULE" diff a plain.zip --expect-write written.json
status 0 "$CAPSULE" diff a plain.zip --expect written.json

if python3 -c 'import os; os.setxattr("a/x", "user.note", b"kept")' 2> /dev/null; then
    status 0 "$CAPSULE" diff a.zip a
    says err '^capsule: note: extended attributes are not compared because only one side can have them: x$'
    judge 1 "$metadata" a.zip a
    says out '^! can.t be judged: .*: x: only one side can have extended attributes$'
    judge 0 '{"Kind": "metadata", "Path": "y"}' a.zip a
    judge 0 '{"Path": "**"}' a.zip a
    judge 0 "$metadata" a a
else
    untested 'extended attributes: the file system has none'
fi
