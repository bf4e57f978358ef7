# capsule diff: a guard sees what is inside of a value, a row or a file that came, went or changed as a whole.
. "$LIB"
need python3

python3 - << 'EOF'
import os, plistlib, shutil, sqlite3
UID = plistlib.UID

def write(path, value, form=plistlib.FMT_BINARY):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        plistlib.dump(value, file, fmt=form)

def binary(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)

def both(name, old, new):
    write(f"{name}/a/x.plist", old)
    write(f"{name}/b/x.plist", new)

def archive(position, child):
    return {"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": UID(1)}, "$objects": [
        "$null", {"$class": UID(2), "position": position, "child": UID(3)}, {"$classname": "P", "$classes": ["P", "NSObject"]},
        {"$class": UID(2), "position": 7, "child": UID(child)}]}

def database(path, *rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    made = sqlite3.connect(path)
    made.execute("create table t(k integer primary key, v)")
    made.executemany("insert into t values(?, ?)", rows)
    made.commit()
    made.close()

menu = {"menu": True}
both("added", {}, {"debug": menu})
both("deleted", {"debug": menu}, {})
both("replaced", {"debug": menu}, {"debug": 5})
both("list", {"l": []}, {"l": [{"menu": True, "id": "x"}], "whole": [{"menu": True, "id": "x"}]})
both("data", {}, {"debug": binary(menu)})
both("deep", {}, {"debug": {"in": binary({"x": binary(menu)})}})
both("damaged", {}, {"debug": binary(menu)[:-1]})
both("archived", {}, {"debug": archive(1, 0)})
both("forged", {}, {"debug": archive(1, 99)})
both("archive", archive(1, 0), archive(2, 0))
both("broken", archive(1, 0), archive(2, 99))
both("in-data", {"p": binary(archive(1, 0))}, {"p": binary(archive(2, 99))})
both("one-side", {"p": {"position": 1}}, {"p": archive(2, 0)})
for side, rows in ("a", []), ("b", [(1, binary(menu)), (2, "text"), (3, binary(menu)[:-1])]):
    database(f"row/{side}/x.db", *rows)
for side, child in ("a", 0), ("b", 99):
    database(f"cell/{side}/x.db", (1, binary(archive(1 + child, child))))
# Files that one side alone has.
os.makedirs("file/a")
write("file/b/x.plist", {"debug": menu, "n": 1})
write("file/b/y.plist", {"n": 1})
database("file/b/x.db", (1, "v"))
with open("file/b/bad.plist", "wb") as file:
    file.write(b"bplist00 and no more")
with open("file/b/bad.db", "wb") as file:
    file.write(b"SQLite format 3\0" + b"\1" * 4080)
with open("file/b/x.json", "w") as file:
    file.write('{"debug": {"menu": true}}')
shutil.copytree("file/b", "gone/a")
os.makedirs("gone/b")
EOF

# judge STATUS CASE CLAUSE: a MustNot of the clause, held against the diff of a case's two sides.
judge() {
    echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", \"MustNot\": [$3]}" > guard.json
    status "$1" "$CAPSULE" diff "$2/a" "$2/b" --expect guard.json
}
forbidden() {
    judge 1 "$1" "$2"
    says out '^! forbidden: '
}
unknown() {
    judge 1 "$1" "$2"
    says out '^! can.t be judged: '
}

for case in added deleted replaced; do
    forbidden $case '{"Pointer": "/debug/menu"}'
    forbidden $case '{"Pointer": "**/menu", "Kind": "value"}'
    judge 0 $case '{"Pointer": "/debug/other"}'
    judge 0 $case '{"Pointer": "/debug/menu", "Kind": "modified"}'
    judge 0 $case '{"Pointer": "/debug/menu", "To": false}'
    # What is inside is not what has to change, or may.
    echo '{"CapsuleExpectation": 1, "Must": [{"Pointer": "/debug/menu"}]}' > must.json
    status 1 "$CAPSULE" diff $case/a $case/b --expect must.json
    says out '^! missing: '
    says out '^! not allowed: '
    echo '{"CapsuleExpectation": 1, "Other": "allow", "May": [{"Pointer": "/debug/menu", "Count": 0}]}' > may.json
    status 1 "$CAPSULE" diff $case/a $case/b --expect may.json
    says out '^! 1 change instead of 0: '
    echo '{"CapsuleRules": 1, "Rules": [{"Class": "mine", "Path": "**"},
        {"Class": "signal", "Path": "**", "Pointer": "/debug/menu"}]}' > rules.json
    status 1 "$CAPSULE" diff $case/a $case/b --rules rules.json
    status 1 "$CAPSULE" diff $case/a $case/b -q --expect-write written.json --force
    status 0 "$CAPSULE" diff $case/a $case/b --expect written.json
done
forbidden added '{"Pointer": "/debug/menu", "To": true, "Kind": "added"}'
forbidden deleted '{"Pointer": "/debug/menu", "From": true, "To": {"Is": "absent"}}'
for pointer in '/l/*/menu' '/l/0/menu' '/whole/[id=x]/menu' '/whole/0/menu' '/l/**'; do forbidden list "{\"Pointer\": \"$pointer\"}"; done
judge 0 list '{"Pointer": "/whole/[id=y]/menu"}'

# In data, in archives, and in cells.
forbidden data '{"Pointer": "/debug/<plist>/menu"}'
forbidden deep '{"Pointer": "/debug/in/<plist>/x/<plist>/menu", "To": true}'
unknown damaged '{"Pointer": "/debug/<plist>/menu"}'
judge 0 damaged '{"Pointer": "/debug/menu"}'
forbidden archived '{"Pointer": "/debug/<archive>/root/position", "To": 1}'
unknown forged '{"Pointer": "/debug/<archive>/root/position", "To": 1}'
forbidden row '{"Pointer": "/<plist>/menu", "Row": {"k": 1}}'
forbidden row '{"Pointer": "/<plist>/menu", "Column": "v", "Kind": "row"}'
judge 0 row '{"Pointer": "/<plist>/menu", "Row": {"k": 2}}'
unknown row '{"Pointer": "/<plist>/menu", "Row": {"k": 3}}'
judge 0 row '{"Pointer": "/<plist>/menu", "Kind": "deleted"}'

# An archive that leads nowhere, or is one on one side alone, is compared as a property list, and that is said.
forbidden archive '{"Pointer": "/<archive>/root/position"}'
for case in broken in-data one-side; do
    place=; [ $case = broken ] || place=/p
    unknown $case "{\"Pointer\": \"$place/<archive>/root/position\"}"
    judge 0 $case '{"Pointer": "/other"}'
    status 1 "$CAPSULE" diff $case/a $case/b
    says out '^    ! not compared as archive: '
    echo "{\"CapsuleRules\": 1, \"Rules\": [{\"Class\": \"mine\", \"Path\": \"**\"},
        {\"Class\": \"signal\", \"Path\": \"**\", \"Pointer\": \"$place/<archive>/root/position\"}]}" > rules.json
    status 1 "$CAPSULE" diff $case/a $case/b --rules rules.json
done
unknown cell '{"Pointer": "/<archive>/root/position"}'

# A file that one side alone has.
for case in file gone; do
    forbidden $case '{"Path": "x.plist", "Pointer": "/debug/menu"}'
    forbidden $case '{"Path": "x.*", "Pointer": "/debug/menu", "Kind": ["added", "deleted"]}'
    forbidden $case '{"Path": "x.json", "Pointer": "/debug/menu"}'
    forbidden $case '{"Path": "x.db", "Table": "t", "Row": {"k": 1}}'
    judge 0 $case '{"Path": "x.db", "Table": "t", "Row": {"k": 2}}'
    judge 0 $case '{"Path": "x.db", "Table": "t", "Kind": "modified"}'
    judge 0 $case '{"Path": "y.plist", "Pointer": "/debug/menu"}'
    unknown $case '{"Path": "bad.plist", "Pointer": "/debug/menu"}'
    unknown $case '{"Path": "bad.db", "Table": "t"}'
    # What is reported, counted and written stays as it is.
    echo '{"CapsuleExpectation": 1, "Other": "allow", "Must": [{"Path": "x.plist", "Kind": ["added", "deleted"], "Count": 1}]}' > must.json
    status 0 "$CAPSULE" diff $case/a $case/b --expect must.json
    says out ': passed: 6 changes$'
    status 1 "$CAPSULE" diff $case/a $case/b -q --expect-write written.json --force
    status 0 "$CAPSULE" diff $case/a $case/b --expect written.json
    echo '{"CapsuleRules": 1, "Rules": [{"Class": "mine", "Path": "**"},
        {"Class": "signal", "Path": "x.*", "Pointer": "/debug/menu"}, {"Class": "signal", "Path": "x.*", "Table": "t"}]}' > rules.json
    status 1 "$CAPSULE" diff $case/a $case/b --rules rules.json
    says out '^[+-] x.plist'
    says out '^[+-] x.db'
    says_not out 'y.plist'
done

# A file whose objects multiply is undecided, and so is a value with more places than can be searched.
mkdir -p shared/a shared/b
python3 - << 'PY'
import plistlib
import struct
count = 62
objects = [b"\xd1" + bytes([1, 2]), b"\x51l"] + [b"\xa2" + bytes([n + 1] * 2) for n in range(2, count - 1)] + [b"\x10\x01"]
data, offsets = b"bplist00", []
for item in objects:
    offsets.append(len(data))
    data += item
table = len(data)
data += b"".join(struct.pack(">H", offset) for offset in offsets)
data += bytes(6) + bytes([2, 1]) + struct.pack(">QQQ", len(objects), 0, table)
with open("shared/b/x.plist", "wb") as file: file.write(data)
with open("shared/a/x.plist", "wb") as file: plistlib.dump({}, file, fmt=plistlib.FMT_BINARY)
PY
unknown shared '{"Pointer": "**/none"}'
unknown shared '{"Pointer": "/other/**"}'
python3 -c 'import plistlib
with open("shared/b/x.plist", "wb") as file:
    plistlib.dump({"l": [0] * (1 << 20)}, file, fmt=plistlib.FMT_BINARY)'
unknown shared '{"Pointer": "**/none"}'
judge 0 shared '{"Pointer": "/other/**"}'

# A large value is looked into.
python3 -c 'import plistlib
with open("shared/b/x.plist", "wb") as file:
    plistlib.dump({"l": {f"k{n}": n for n in range(1 << 17)}}, file, fmt=plistlib.FMT_BINARY)'
judge 1 shared '{"Pointer": "/l/k7"}'
judge 0 shared '{"Pointer": "/l/none"}'

# What is hidden in a new file is not shown by a finding about it.
mkdir -p secret/a secret/b
python3 -c 'import plistlib
data = {"jar": b"cook secret-1", "d": plistlib.dumps({"x": 1}, fmt=plistlib.FMT_BINARY)[:-1]}
with open("secret/b/x.plist", "wb") as file: plistlib.dump(data, file, fmt=plistlib.FMT_BINARY)'
unknown secret '{"Pointer": "/d/<plist>/x"}'
says_not out 'secret-1'
says_not out 'Y29vayBzZWNyZXQt'
# What is hidden is judged all the same.
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Pointer": "/jar", "To": {"Is": "data"}}]}' > jar.json
status 1 "$CAPSULE" diff secret/a secret/b --expect jar.json
says out '^    x.plist /jar: added hidden (cookie)$'
