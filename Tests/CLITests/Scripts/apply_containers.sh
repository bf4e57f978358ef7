# Overlays on live containers: what must hold before, what is written and what is not, what takes it back.
. "$LIB"
need python3
. "$TOOLS/trees.sh"

# An app's data before and after, with an app group, and neither made by the generator of pairs.
python3 - << 'PY'
import os, plistlib
identity = ".com.apple.mobile_container_manager.metadata.plist"
xml = b"""<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<!-- by hand -->
<dict>
  <key>launches</key> <integer>%d</integer> <!-- counted -->
  <key>theme</key>
    <string>%s</string>
</dict>
</plist>
"""
def put(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, mode)
for side, uuid in ("a", "1"), ("b", "2"):
    new = side == "b"
    top = side + "/"
    plist = {"MCMMetadataIdentifier": "com.example.notes", "MCMMetadataUUID": uuid * 32}
    put(top + identity, plistlib.dumps(plist))
    put(top + "Documents/notes.txt", b"three new words\n" if new else b"two words\n")
    put(top + "Documents/same.txt", b"the same\n")
    put(top + "Documents/it's \xc3\xa9 : odd.txt".encode("latin-1").decode("utf-8"), b"odder\n" if new else b"odd\n", 0o600)
    put(top + "Library/Preferences/com.example.notes.plist", xml % (8 if new else 7, b"dark"), 0o600)
    state = {"open": [1, 2, 3] if new else [1, 2], "zoom": 1.5, "name": "x"}
    put(top + "Library/state.plist", plistlib.dumps(state, fmt=plistlib.FMT_BINARY))
    put(top + "Library/Caches/" + ("two" if new else "one"), b"cache " * 100)
    put(top + "tmp/.keep", b"")
    if new:
        os.symlink("notes.txt", top + "Documents/current")
    else:
        put(top + "Documents/folder/inner", b"in a directory\n")
PY
identity=.com.apple.mobile_container_manager.metadata.plist
equal() { same_trees "$1" "$2" --times none --xattrs --skip "*$identity"; }
# untouched COMMAND...: whatever COMMAND says, nothing of `w` is touched, not even a time.
untouched() {
    snapshot w snapshot.before
    "$@"
    snapshot w snapshot.after
    same snapshot.before snapshot.after
}
fresh() { rm -rf w back.capsule; cp -a "${1:-a}" w; }
status 1 "$CAPSULE" diff a b --overlay forth.capsule -q

# What would change is told, and only told.
fresh
untouched status 1 "$CAPSULE" apply --check forth.capsule w
says out '^w: would change: 5 files written ('
untouched status 1 "$CAPSULE" apply --check --quiet forth.capsule w
[ ! -s out ] || fail 'not quiet'
untouched ok "$CAPSULE" apply --dry-run forth.capsule w
says out '^w: would change'
says out 'Documents/notes.txt'
says out 'two words'
says out '/launches'
says out 'Documents/folder'
says_not out 'same.txt'
untouched status 64 "$CAPSULE" apply --dry-run forth.capsule w --undo back.capsule
absent back.capsule

# It is done, what takes it back is there first, and a second time nothing is touched.
fresh
ok "$CAPSULE" apply forth.capsule w --undo back.capsule
says out '^w: changed: '
[ ! -s err ] || fail 'says more than it should'
equal b w
cmp -s a/$identity w/$identity || fail 'the identity is changed'
absent w/.capsule-transaction
ok "$CAPSULE" overlay check back.capsule
untouched ok "$CAPSULE" apply forth.capsule w
says out '^w: nothing to change$'
untouched ok "$CAPSULE" apply --check forth.capsule w
untouched status 0 "$CAPSULE" apply forth.capsule w --undo none.capsule
says err 'nothing to undo: no undo file was written'
absent none.capsule
ok "$CAPSULE" apply --quiet back.capsule w
[ ! -s out ] || fail 'not quiet'
equal a w
cmp -s a/$identity w/$identity || fail 'the identity is changed'

# What did not change is the same file still.
fresh
identities_of w/Documents/same.txt w/tmp/.keep w/$identity > stats.before
ok "$CAPSULE" apply forth.capsule w
identities_of w/Documents/same.txt w/tmp/.keep w/$identity > stats.after
same stats.before stats.after

# Where the undo goes: not inside, not over a file, not over what is applied.
fresh
for place in w/back.capsule w/Documents/back.capsule ./w/../w/Library/back.capsule; do
    untouched status 64 "$CAPSULE" apply forth.capsule w --undo "$place"
    says err 'is inside the container .*, which this command changes'
done
ln -s w/Documents inside
untouched status 64 "$CAPSULE" apply forth.capsule w --undo inside/back.capsule
untouched status 64 "$CAPSULE" apply forth.capsule w --undo inside/back.capsule --force
rm inside
echo precious > back.capsule
untouched status 2 "$CAPSULE" apply forth.capsule w --undo back.capsule
says err 'back.capsule: already exists\|back.capsule.*exists'
[ "$(cat back.capsule)" = precious ] || fail 'the file is gone'
untouched status 2 "$CAPSULE" apply forth.capsule w --undo missing/back.capsule
cp forth.capsule kept.capsule
ln -s forth.capsule linked.capsule
for overlay in forth.capsule ./forth.capsule linked.capsule; do
    untouched status 64 "$CAPSULE" apply forth.capsule w --undo $overlay --force
    same forth.capsule kept.capsule
done
# It may be the only way back to an earlier state: nothing replaces it.
untouched status 2 "$CAPSULE" apply forth.capsule w --undo back.capsule --force
[ "$(cat back.capsule)" = precious ] || fail 'the file is gone'
rm back.capsule
ok "$CAPSULE" apply forth.capsule w --undo back.capsule
equal b w
ok "$CAPSULE" apply back.capsule w
equal a w
"$CAPSULE" apply forth.capsule w --undo - > piped.capsule 2> err || fail 'no undo by a pipe'
equal b w
"$CAPSULE" apply - w < piped.capsule > out 2> err || fail 'no overlay by a pipe'
equal a w

# The target drifted where the overlay writes: each place is named, and nothing is written.
fresh
echo another > w/Documents/notes.txt
rm w/Library/Caches/one w/Library/state.plist
echo there > w/Library/Caches/two
chmod 640 "w/Documents/it's é : odd.txt"
mkdir w/Documents/current
echo more > w/Documents/folder/more
untouched status 2 "$CAPSULE" apply forth.capsule w
says err 'error: .*differs from the state that the overlay expects in 6 places; nothing was changed'
says err 'Documents/notes.txt: its content is not what the overlay was made for'
says err 'Library/state.plist: does not exist'
# What is to go and is gone already is no drift.
says_not err 'Library/Caches/one'
says err 'Library/Caches/two: already exists as a file'
says err "Documents/it's é : odd.txt.*: has mode 0640, but the overlay was made for 0600"
says err 'Documents/current: already exists as a directory'
says err 'Documents/folder/more: is in a directory that the overlay deletes'
# It would not help with that one.
says_not err "hint: '--force'"
for way in --check --dry-run "--undo x.capsule"; do
    # shellcheck disable=SC2086
    untouched status 2 "$CAPSULE" apply $way forth.capsule w
done
absent x.capsule
# What nobody knows of is not thrown away with its directory; the rest can be forced.
untouched status 2 "$CAPSULE" apply --force forth.capsule w
says err 'Documents/folder/more: is in a directory that the overlay deletes'
says_not err "hint: '--force'"
says_not err 'notes.txt'
rm w/Documents/folder/more
untouched status 2 "$CAPSULE" apply forth.capsule w
says err "hint: '--force'"
ok "$CAPSULE" apply --force forth.capsule w --undo drift.capsule
equal b w
ok "$CAPSULE" apply drift.capsule w
[ "$(cat w/Documents/notes.txt)" = another ] || fail 'the drift is not back'
[ -d w/Documents/current ] || fail 'the directory is not back'

# It drifted elsewhere: that stays.
fresh
echo mine > w/Documents/mine
echo changed > w/Documents/same.txt
rm w/tmp/.keep
chmod 700 w/Documents
ok "$CAPSULE" apply forth.capsule w --undo back.capsule
cp -a b wanted
echo mine > wanted/Documents/mine
echo changed > wanted/Documents/same.txt
rm wanted/tmp/.keep
chmod 700 wanted/Documents
equal wanted w
ok "$CAPSULE" apply back.capsule w
rm w/Documents/mine
cp -a a/Documents/same.txt w/Documents/same.txt
cp -a a/tmp/.keep w/tmp/.keep
chmod 755 w/Documents
equal a w

# A property list that drifted in other keys gets its operations: only the keys that are meant, in its own layout.
fresh
sed 's,>dark<,>light<,' a/Library/Preferences/com.example.notes.plist > w/Library/Preferences/com.example.notes.plist
sed 's,>7<,>8<,' w/Library/Preferences/com.example.notes.plist > wanted.plist
python3 -c 'import plistlib
value = plistlib.load(open("w/Library/state.plist", "rb"))
value["zoom"] = 2.5
plistlib.dump(value, open("w/Library/state.plist", "wb"), fmt=plistlib.FMT_BINARY)'
ok "$CAPSULE" apply forth.capsule w --undo back.capsule
same w/Library/Preferences/com.example.notes.plist wanted.plist
[ "$(modes_of w/Library/Preferences/com.example.notes.plist)" = 600 ] || fail 'another mode'
python3 -c 'import plistlib
data = open("w/Library/state.plist", "rb").read()
assert data.startswith(b"bplist00")
assert plistlib.loads(data) == {"open": [1, 2, 3], "zoom": 2.5, "name": "x"}, plistlib.loads(data)'
# The operations have tests: twice is no more than once.
untouched status 2 "$CAPSULE" apply forth.capsule w
says err 'com.example.notes.plist:5:3: error: the value is'
ok "$CAPSULE" apply back.capsule w
grep -q '>light<' w/Library/Preferences/com.example.notes.plist || fail 'the drift is gone'
grep -q '>7<' w/Library/Preferences/com.example.notes.plist || fail 'the change is not back'
# In a key that the overlay changes: refused.
fresh
sed 's,>7<,>70<,' a/Library/Preferences/com.example.notes.plist > w/Library/Preferences/com.example.notes.plist
untouched status 2 "$CAPSULE" apply forth.capsule w
says err 'com.example.notes.plist:.*launches.*/Targets/[0-9]*/Operations/'

# By value, one way.
status 1 "$CAPSULE" diff a b --overlay value.capsule --by-value -q
status 1 "$CAPSULE" diff a b --overlay one.capsule --one-way -q
for overlay in value one; do
    fresh
    ok "$CAPSULE" apply $overlay.capsule w --undo back.capsule
    if [ $overlay = one ]; then equal b w; fi
    python3 -c 'import plistlib
for name in "Library/state.plist", "Library/Preferences/com.example.notes.plist":
    assert plistlib.load(open("b/" + name, "rb")) == plistlib.load(open("w/" + name, "rb")), name'
    same_trees b w --times none --skip "*.plist"
    # What was undone is there byte by byte, whatever was applied.
    ok "$CAPSULE" apply back.capsule w
    equal a w
done

# A large file of which the overlay has only what changed must be that file, whatever is forced.
python3 - << 'PY'
import os, random
rest = bytearray(random.Random(3).randbytes(900_000))
os.makedirs("c/Documents")
open("c/Documents/large", "wb").write(rest)
os.makedirs("d/Documents")
rest[450_000:450_010] = b"##########"
open("d/Documents/large", "wb").write(rest)
os.makedirs("w2/Documents")
rest[10:20] = b"drift....."
open("w2/Documents/large", "wb").write(rest)
PY
status 1 "$CAPSULE" diff c d --overlay recipe.capsule -q
[ "$(wc -c < recipe.capsule)" -lt 200000 ] || fail 'no recipe'
rm -rf w
cp -a w2 w
untouched status 2 "$CAPSULE" apply recipe.capsule w
says err 'Documents/large: its content is not what the overlay was made for'
untouched status 2 "$CAPSULE" apply --force recipe.capsule w
says err "Documents/large: is not the file the overlay was made for"
says err "hint: '--force' can't help"
fresh c
ok "$CAPSULE" apply recipe.capsule w
same_trees d w --times none

# Several in layers: each finds what those before it made; and one that fails undoes them all.
fresh
printf '<plist><dict><key>launches</key><integer>100</integer></dict></plist>' > plain.plist
cat > third.json <<'JSON'
{"CapsuleOverlay": 1, "Targets": [{"Path": "Library/Preferences/com.example.notes.plist",
  "Operations": [{"op": "test", "path": "/launches", "value": 8}, {"op": "replace", "path": "/launches", "value": 9}]}]}
JSON
ok "$CAPSULE" apply forth.capsule third.json w --undo back.capsule
says w/Library/Preferences/com.example.notes.plist '<integer>9</integer> <!-- counted -->'
says w/Library/Preferences/com.example.notes.plist '<!-- by hand -->'
ok "$CAPSULE" apply back.capsule w
equal a w
untouched status 2 "$CAPSULE" apply third.json forth.capsule w
says err 'launches'

# Another app's overlay is refused by name.
fresh
python3 -c 'import plistlib
name = "w/.com.apple.mobile_container_manager.metadata.plist"
plistlib.dump({"MCMMetadataIdentifier": "com.example.other"}, open(name, "wb"))'
untouched status 2 "$CAPSULE" apply forth.capsule w
says err 'com.example.other'
says err 'com.example.notes'
says err "hint: '--different-app'"
ok "$CAPSULE" apply forth.capsule w --different-app
equal b w
says w/$identity com.example.other

# For machines.
fresh
python3 - "$CAPSULE" << 'PY' || fail 'the reports are not as they should be'
import json, subprocess, sys
def lines(*arguments, status=0):
    done = subprocess.run([sys.argv[1], "apply", *arguments, "--json"], capture_output=True)
    assert done.returncode == status, (arguments, done)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]
def check(report, changed, written, undo):
    assert report["schema"] == "capsule.target" and report["version"] == 1 and report["target"] == "w", report
    assert (report["changed"], report["written"], report["undo"]) == (changed, written, undo), report
    assert report["recovered"] == [] and report["notes"] == [], report
    for member in "files", "bytes", "made", "deleted", "metadata":
        assert isinstance(report[member], int), report
[report] = lines("forth.capsule", "w", "--check", status=1)
check(report, True, False, False)
[*changes, report] = lines("forth.capsule", "w", "--dry-run")
check(report, True, False, False)
assert changes[0]["schema"] == "capsule.diff" and changes[0]["kind"] == "header", changes
assert changes[-1]["kind"] == "end", changes
[report] = lines("forth.capsule", "w", "--undo", "json.capsule")
check(report, True, True, True)
assert report["files"] == 5 and report["made"] == 1 and report["deleted"] == 3, report
[report] = lines("forth.capsule", "w", "--quiet")
check(report, False, False, False)
PY

# Values that are not what the overlay expects are listed too, all of them, beside the files.
fresh
echo another > w/Documents/notes.txt
sed 's,>7<,>70<,' a/Library/Preferences/com.example.notes.plist > w/Library/Preferences/com.example.notes.plist
untouched status 2 "$CAPSULE" apply forth.capsule w
says err 'in 2 places; nothing was changed'
says err 'Documents/notes.txt: its content is not what the overlay was made for'
says err 'com.example.notes.plist: the value is 70, but the overlay expects 7'
