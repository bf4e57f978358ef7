# Every kind of conflict of containers is listed, and can be decided either way; while one is open nothing is written.
. "$LIB"
need sqlite3

mkdir -p base/d base/deep
python3 - << 'EOF'
import plistlib, sqlite3
plistlib.dump({"Key": "1", "Steps": ["A", "B", "C"], "UISceneConfigurations": {"Role": [
    {"UISceneConfigurationName": name} for name in "ABC"]}}, open("base/Info.plist", "wb"))
plistlib.dump({"Key": "1"}, open("base/Encoded.plist", "wb"))
connection = sqlite3.connect("base/Store.sqlite")
connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)")
connection.executemany("INSERT INTO note VALUES(?, ?)", [(n, f"note {n}") for n in range(1, 9)])
connection.commit()
EOF
printf 'one\ntwo\nthree\n' > base/list.txt
printf '\0\1\2\3' > base/bytes
echo mode > base/mode
echo "to be renamed" > base/name
echo "to be moved" > base/moved
echo "to be changed" > base/changed
echo in > base/d/in
cp -a base ours
cp -a base theirs
python3 - << 'EOF'
import plistlib, sqlite3
for side, order in [("ours", "CAB"), ("theirs", "BCA")]:
    with open(side + "/Info.plist", "rb") as f: info = plistlib.load(f)
    info["Key"] = side
    info["Steps"] = ["A"] + [side] * (1 if side == "ours" else 2) + ["C"]
    info["UISceneConfigurations"]["Role"] = [{"UISceneConfigurationName": name} for name in order]
    with open(side + "/Info.plist", "wb") as f: plistlib.dump(info, f, sort_keys=False)
    connection = sqlite3.connect(side + "/Store.sqlite")
    connection.execute("UPDATE note SET text = ? WHERE id = 5", (side,))
    connection.commit()
plistlib.dump({"Key": "1"}, open("ours/Encoded.plist", "wb"), fmt=plistlib.FMT_BINARY)
open("theirs/Encoded.plist", "w").write("{\n    Key = 1;\n}\n")
EOF
printf 'one\nours\nthree\n' > ours/list.txt
printf 'one\ntheirs\nthree\n' > theirs/list.txt
printf '\0\1\2\4' > ours/bytes
printf '\0\1\2\5' > theirs/bytes
chmod 600 ours/mode
chmod 755 theirs/mode
printf '\0ours' > ours/added
printf '\0theirs' > theirs/added
rm ours/changed
echo "was changed" > theirs/changed
mv ours/name ours/name-of-ours
mv theirs/name theirs/name-of-theirs
mv ours/moved ours/elsewhere
echo "was moved" > theirs/moved
echo "another there" > theirs/elsewhere
rm -r ours/d
echo file > ours/d
echo more > theirs/d/more

status 1 "$CAPSULE" merge base ours theirs -o merged
absent merged
for kind in value sequence order row text encoding metadata contents add/add modify/delete rename/modify rename/rename \
    file/directory; do
    says out "^conflict [0-9]*: $kind "
done
says out '^conflict [0-9]*: value Info.plist /Key: both changed: base "1", ours "ours", theirs "theirs"'
says out '^conflict [0-9]*: row Store.sqlite note {"id": 5} text: both changed: base "note 5", ours "ours", theirs "theirs"'
says out '^conflict [0-9]*: modify/delete changed: ours deleted it: base: file, mode 0644, 14 bytes, [0-9a-f]*; theirs: file, mode 0644, 12 bytes, [0-9a-f]*$'
says out '^conflict [0-9]*: metadata mode mode: both changed it: base "0644", ours "0600", theirs "0755"'
count=$(grep -c '^conflict' out)
says out "^$count open conflicts: the result was not written\$"

# Both ways, each in one file of resolutions and by a preference.
status 1 "$CAPSULE" merge base ours theirs -o merged --conflicts todo.plist
absent merged
[ "$(python3 -c 'import plistlib; print(len(plistlib.load(open("todo.plist", "rb"))["Conflicts"]))')" = "$count" ] \
    || fail "the file has other conflicts"
for side in ours theirs; do
    python3 - "$side" << 'EOF'
import plistlib, sys
document = plistlib.load(open("todo.plist", "rb"))
for conflict in document["Conflicts"]: conflict["Take"] = sys.argv[1]
plistlib.dump(document, open("done.plist", "wb"))
EOF
    rm -f again.plist
    ok "$CAPSULE" merge base ours theirs -o "by-$side" --resolve done.plist --conflicts again.plist
    says out "^by-$side: merged, $count conflicts, all resolved\$"
    ok "$CAPSULE" merge base ours theirs -o "preferred-$side" --prefer "$side"
    ok "$CAPSULE" diff "by-$side" "preferred-$side"
    # All that differs is in conflict but the rows, so that the side comes out.
    ok "$CAPSULE" diff "$side" "by-$side"
done
# The conflicts of what was decided are the same, with what was taken: fed back they decide again.
ok "$CAPSULE" merge base ours theirs -o again --resolve again.plist
ok "$CAPSULE" diff theirs again

# With some decided the others stay open.
python3 - << 'EOF'
import plistlib
document = plistlib.load(open("todo.plist", "rb"))
document["Conflicts"][0]["Take"] = "theirs"
plistlib.dump(document, open("some.plist", "wb"))
EOF
status 1 "$CAPSULE" merge base ours theirs -o partial --resolve some.plist
absent partial
says out "^$((count - 1)) open conflicts of $count: the result was not written\$"
status 1 "$CAPSULE" merge base ours theirs -o partial --resolve some.plist --partial
present partial/list.txt
[ "$(cat partial/list.txt)" = "$(cat ours/list.txt)" ] || fail "not ours where a conflict is open"
status 1 "$CAPSULE" merge base ours theirs -o marked --partial --markers
says marked/list.txt '^<<<<<<< ours$'
says marked/list.txt '^>>>>>>> theirs$'
says_not marked/Info.plist '<<<<<<<'

# The base, or nothing, can be taken; a value that can't stand there is refused.
python3 - << 'EOF'
import plistlib
def write(name, **decided):
    document = plistlib.load(open("todo.plist", "rb"))
    for conflict in document["Conflicts"]:
        conflict["Take"] = "ours"
        key = conflict["Kind"]
        if key in decided:
            take = decided[key]
            if isinstance(take, bytes): conflict.update(Take="value", Value=take)
            elif isinstance(take, bool): conflict.update(Take="value", Value=take)
            else: conflict["Take"] = take
    plistlib.dump(document, open(name, "wb"))
write("base.plist", contents="base", metadata="base", **{"add/add": "absent", "modify/delete": "base", "rename/rename": "base",
      "rename/modify": "base", "file/directory": "absent"})
write("value.plist", contents=b"written by hand")
write("wrong.plist", contents=True)
write("unordered.plist", order="absent")
EOF
ok "$CAPSULE" merge base ours theirs -o based --resolve base.plist
for name in bytes mode changed name moved; do same "based/$name" "base/$name"; done
absent based/added based/name-of-ours based/elsewhere based/d
ok "$CAPSULE" merge base ours theirs -o valued --resolve value.plist
[ "$(cat valued/bytes)" = "written by hand" ] || fail "the value was not written"
status 2 "$CAPSULE" merge base ours theirs -o wrong --resolve wrong.plist
absent wrong
says err "does not fit there"
status 2 "$CAPSULE" merge base ours theirs -o wrong --resolve unordered.plist
absent wrong
says err "Info.plist: the value chosen for conflict '[0-9]*' is not valid here: an order can't be absent (at /UISceneConfigurations/Role)"

# Values that XML does not have: the file is JSON then, whatever its name, and is read back.
for side in base ours theirs; do
    mkdir "n-$side"
    sqlite3 "n-$side/Store.sqlite" "CREATE TABLE note(id INTEGER PRIMARY KEY, text, blob); INSERT INTO note VALUES(1, 'x', x'00')"
done
sqlite3 n-ours/Store.sqlite "UPDATE note SET text = NULL, blob = x'01'"
sqlite3 n-theirs/Store.sqlite "UPDATE note SET text = 'y', blob = NULL"
status 1 "$CAPSULE" merge n-base n-ours n-theirs -o n-merged --conflicts nulls.plist
python3 - << 'EOF'
import json
document = json.load(open("nulls.plist"))
assert [conflict["Column"] for conflict in document["Conflicts"]] == ["blob", "text"] or \
    [conflict["Column"] for conflict in document["Conflicts"]] == ["text", "blob"], document
for conflict in document["Conflicts"]: conflict["Take"] = "ours"
json.dump(document, open("nulls.plist", "w"))
EOF
ok "$CAPSULE" merge n-base n-ours n-theirs -o n-merged --resolve nulls.plist
[ "$(sqlite3 n-merged/Store.sqlite 'SELECT text IS NULL, hex(blob) FROM note')" = "1|01" ] || fail "the null was lost"
