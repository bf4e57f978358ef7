# What apply and restore must not lose on the way: attributes, the way back, groups, what nobody could read.
. "$LIB"
need python3
make() {
    mkdir -p "$1/Documents" "$1/Library"
    python3 -c 'import plistlib, sys; plistlib.dump({"MCMMetadataIdentifier": sys.argv[2]},
        open(sys.argv[1] + "/.com.apple.mobile_container_manager.metadata.plist", "wb"))' "$1" "${2:-com.example.a}"
    python3 -c 'import plistlib, sys; plistlib.dump({"a": 1, "b": [2]}, open(sys.argv[1], "wb"), fmt=plistlib.FMT_BINARY)' \
        "$1/Library/p.plist"
    echo x > "$1/Documents/x"
}
attribute() { python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], "user.t").decode())' "$1" 2> /dev/null || echo none; }
get() { "$CAPSULE" plist get "$1/Library/p.plist" "$2"; }
operations() { python3 -c 'import json, sys; json.dump({"CapsuleOverlay": 1, "Path": sys.argv[1], "Merge": {"c": 3}}, sys.stdout)' "$1"; }

# A property list that operations change keeps its attributes, read before or not.
make t
has_attributes=$(python3 -c 'import os; os.setxattr("t/Library/p.plist", "user.t", b"kept")' 2> /dev/null && echo yes || true)
operations Library/p.plist > o.json
python3 -c 'import plistlib; plistlib.dump({"c": 3}, open("c.plist", "wb"))'
ok "$CAPSULE" apply o.json t --quiet --no-cache
[ "$(get t /c)" = 3 ] || fail 'not applied'
[ -z "$has_attributes" ] || [ "$(attribute t/Library/p.plist)" = kept ] || fail 'the attribute is gone'
# So does a file in the place of which a form without attributes has another.
if [ -n "$has_attributes" ]; then
    make z
    echo longer > z/Documents/x
    ok "$CAPSULE" pack z -o z.capsule --quiet
    ok "$CAPSULE" unpack z.capsule --as zip -o z.zip --quiet
    python3 -c 'import os; os.setxattr("t/Documents/x", "user.t", b"kept")'
    ok "$CAPSULE" restore z.zip t --quiet
    [ "$(cat t/Documents/x) $(attribute t/Documents/x)" = 'longer kept' ] || fail 'a zip took the attribute away'
fi

# A drifted file is not passed over for operations that are not tried, nor its mode for those that are.
rm -rf a b w
make a
cp -a a b
python3 -c 'import plistlib; plistlib.dump({"a": 2, "b": [2]}, open("b/Library/p.plist", "wb"), fmt=plistlib.FMT_BINARY)'
chmod 600 b/Library/p.plist
chmod 644 a/Library/p.plist
ok "$CAPSULE" diff a b --overlay o.capsule --exit-zero
cp -a a w
python3 -c 'import plistlib; plistlib.dump({"a": 1, "b": [2], "mine": True}, open("w/Library/p.plist", "wb"), fmt=plistlib.FMT_BINARY)'
ok "$CAPSULE" apply o.capsule w --quiet
[ "$(get w /a) $(get w /mine) $(modes_of w/Library/p.plist)" = '2 true 600' ] || fail 'drift lost its keys or its mode'
# By force the file itself, whatever was there.
python3 -c 'import plistlib; plistlib.dump({"mine": True}, open("w/Library/p.plist", "wb"))'
status 2 "$CAPSULE" apply o.capsule w
ok "$CAPSULE" apply o.capsule w --force --quiet
same b/Library/p.plist w/Library/p.plist
python3 - <<'END'
import json
record = {"Path": "Library/p.plist", "Old": {"Kind": "file", "Size": 1, "Digest": "ab" * 32},
          "New": {"Kind": "file", "Size": 1, "Digest": "cd" * 32}}
merge = {"Merge": {"c": 4}, "Path": "Library/p.plist"}
for name, target in [("bundle", {"Root": "AppBundle"}), ("when", {"When": {"CAPSULE_NEVER_SET": True}})]:
    json.dump({"CapsuleOverlay": 1, "Targets": [{**merge, **target}], "Files": [record]}, open(name + ".json", "w"))
# A digest of nothing says nothing that could be checked; and names that no overlay makes anything of.
record["New"]["Digest"] = "00" * 32
json.dump({"CapsuleOverlay": 1, "Files": [record]}, open("zeros.json", "w"))
identity = ".com.apple.mobile_container_manager.metadata.plist"
json.dump({"CapsuleOverlay": 1, "Path": identity, "Create": "xml", "Merge": {"c": 4}}, open("identity.json", "w"))
END
for overlay in bundle when; do
    status 2 "$CAPSULE" apply $overlay.json w
    says err 'Library/p.plist: its content is not what the overlay was made for'
done
status 2 "$CAPSULE" apply zeros.json w
says err 'Digest: must not be all zeros'
rm w/.com.apple.mobile_container_manager.metadata.plist
status 2 "$CAPSULE" apply identity.json w
says err 'identifies the container'
absent w/.com.apple.mobile_container_manager.metadata.plist

# The way back is the target's own: it leads back into another app's container, too.
rm -rf w
make w com.example.b
echo mine > w/Documents/mine
cp -a w was
ok "$CAPSULE" pack a -o a.capsule --quiet --overlay Library/p.plist=c.plist
status 2 "$CAPSULE" apply a.capsule w
says err 'com.example.b'
status 0 "$CAPSULE" restore a.capsule w --different-app --undo back.capsule --quiet
absent w/Documents/mine
ok "$CAPSULE" apply back.capsule w --quiet
same_trees was w --times none

# A group that the version does not have is not emptied, and a name that is mistyped is an error.
mkdir group
echo mine > group/mine
status 64 "$CAPSULE" restore a.capsule a --group group.typo=group
says err 'group.typo: the version has no app group'
[ "$(cat group/mine)" = mine ] || fail 'the group was emptied'
mkdir -p x.xcappdata/AppGroups/group.own
cp -a a x.xcappdata/AppData
echo mine > x.xcappdata/AppGroups/group.own/mine
ok "$CAPSULE" restore a.capsule x.xcappdata --quiet
says err 'group.own is unchanged'
[ "$(cat x.xcappdata/AppGroups/group.own/mine)" = mine ] || fail 'the group was emptied'

# What was left out on purpose goes, and that is said.
mkdir a/Documents/big
echo big > a/Documents/big/file
ok "$CAPSULE" pack a -o without.capsule --quiet --exclude Documents/big
cp -a a v
ok "$CAPSULE" restore without.capsule v --quiet --keep 'Documents/**'
[ "$(cat v/Documents/big/file)" = big ] || fail 'what was to be kept is gone'
ok "$CAPSULE" restore without.capsule v --quiet --keep 'Documnets/**' --allow-unmatched
says err "^capsule: warning: '--keep Documnets/\*\*' matches nothing"
says err 'deleting 2 entries left out'
absent v/Documents/big

# The index of a log that is not there, or another one, stops nothing: SQLite makes it anew.
rm -rf a b w
make a
python3 - <<'END'
import os, shutil, sqlite3
connection = sqlite3.connect("work.db")
connection.execute("pragma journal_mode=wal")
connection.execute("pragma wal_autocheckpoint=0")
connection.execute("create table t (id integer primary key, x blob)")
def fill(count):
    for number in range(count):
        connection.execute("insert into t (x) values (randomblob(3000))")
        connection.commit()
def copy(to):
    for suffix in ["", "-wal", "-shm"]:
        shutil.copyfile("work.db" + suffix, f"{to}/Library/x.db{suffix}")
fill(4500)
copy("a")
shutil.copytree("a", "b", symlinks=True)
fill(20)
copy("b")
connection.close()
END
[ "$(length_of a/Library/x.db-shm)" -gt 65536 ] || fail 'the index is too small for a recipe'
ok "$CAPSULE" diff a b --overlay shm.capsule --exit-zero
cp -a a w
rm w/Library/x.db-shm
ok "$CAPSULE" apply shm.capsule w --quiet
same b/Library/x.db-wal w/Library/x.db-wal
[ "$(python3 -c 'import sqlite3; print(sqlite3.connect("w/Library/x.db").execute("select count(*) from t").fetchone()[0])')" = 4520 ] \
    || fail 'rows are missing'
