# Three containers are merged: what only one side changed is taken, what both changed is merged by what it is.
. "$LIB"
need sqlite3

mkdir -p base/Library base/Documents/gone base/Documents/kept
python3 - << 'EOF'
import plistlib, sqlite3
scenes = [{"UISceneConfigurationName": name, "UISceneDelegateClassName": "Plain"} for name in ("Default", "Second")]
plistlib.dump({"CFBundleVersion": "1", "CFBundleName": "x", "UIApplicationSceneManifest": {
    "UISceneConfigurations": {"UIWindowSceneSessionRoleApplication": scenes}}}, open("base/Info.plist", "wb"))
connection = sqlite3.connect("base/Library/Store.sqlite")
connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, stars INTEGER)")
connection.executemany("INSERT INTO note VALUES(?, ?, 0)", [(n, f"note {n}") for n in range(1, 60)])
connection.commit()
EOF
printf 'one\ntwo\nthree\nfour\nfive\n' > base/Documents/list.txt
printf '{"a": 1, "b": 2, "c": 3}\n' > base/Documents/data.json
echo picture > base/Documents/picture
echo old > base/Documents/gone/old
echo kept > base/Documents/kept/file
ln -s picture base/Documents/link
cp -a base ours
cp -a base theirs
python3 - << 'EOF'
import plistlib, sqlite3
def edit(side, key, value, element, row, column, text):
    with open(side + "/Info.plist", "rb") as f: info = plistlib.load(f)
    info[key] = value
    roles = info["UIApplicationSceneManifest"]["UISceneConfigurations"]["UIWindowSceneSessionRoleApplication"]
    roles[element]["UISceneDelegateClassName"] = side
    with open(side + "/Info.plist", "wb") as f: plistlib.dump(info, f)
    connection = sqlite3.connect(side + "/Library/Store.sqlite")
    connection.execute(f"UPDATE note SET {column} = ? WHERE id = ?", (text, row))
    connection.commit()
edit("ours", "CFBundleVersion", "2", 0, 3, "text", "ours")
edit("theirs", "CFBundleName", "y", 1, 7, "stars", 5)
EOF
sed -i.bak 's/^one$/ONE/' ours/Documents/list.txt
sed -i.bak 's/^five$/FIVE/' theirs/Documents/list.txt
printf '{"a": 9, "b": 2, "c": 3}\n' > ours/Documents/data.json
printf '{"a": 1, "b": 2, "c": 9}\n' > theirs/Documents/data.json
rm ours/Documents/list.txt.bak theirs/Documents/list.txt.bak
mkdir ours/Documents/Pictures
mv ours/Documents/picture ours/Documents/Pictures/cat
echo "another picture" > theirs/Documents/picture
rm -r ours/Documents/gone
echo new > theirs/Documents/gone/new
rm theirs/Documents/kept/file
chmod 600 ours/Documents/data.json

check() {
    python3 - "$1" << 'EOF' || fail "$1 is not what both made of it"
import plistlib, sys, os, json
top = sys.argv[1]
info = plistlib.load(open(top + "/Info.plist", "rb"))
assert info["CFBundleVersion"] == "2" and info["CFBundleName"] == "y", info
roles = info["UIApplicationSceneManifest"]["UISceneConfigurations"]["UIWindowSceneSessionRoleApplication"]
assert [role["UISceneDelegateClassName"] for role in roles] == ["ours", "theirs"], roles
assert open(top + "/Documents/list.txt").read() == "ONE\ntwo\nthree\nfour\nFIVE\n"
assert json.load(open(top + "/Documents/data.json")) == {"a": 9, "b": 2, "c": 9}
assert os.stat(top + "/Documents/data.json").st_mode & 0o777 == 0o600
assert open(top + "/Documents/Pictures/cat").read() == "another picture\n"
assert not os.path.lexists(top + "/Documents/picture")
assert os.listdir(top + "/Documents/gone") == ["new"]
assert os.listdir(top + "/Documents/kept") == []
assert os.readlink(top + "/Documents/link") == "picture"
EOF
    [ "$(sqlite3 "$1/Library/Store.sqlite" "SELECT id, text, stars FROM note WHERE text = 'ours' OR stars = 5")" = "3|ours|0
7|note 7|5" ] || fail "$1 has other rows"
    [ "$(sqlite3 "$1/Library/Store.sqlite" 'PRAGMA integrity_check')" = ok ] || fail "$1 has a damaged store"
}

ok "$CAPSULE" merge base ours theirs -o merged
says out '^merged: merged$'
check merged
# Sides exchanged make the same.
ok "$CAPSULE" merge base theirs ours -o exchanged
ok "$CAPSULE" diff merged exchanged
# A capsule of it holds the same, and says where it comes from.
ok "$CAPSULE" merge base ours theirs -o merged.capsule
ok "$CAPSULE" diff merged merged.capsule
ok "$CAPSULE" verify --strict merged.capsule
ok "$CAPSULE" info merged.capsule --plist
mv out info
says info '<key>Parents</key>'
for side in ours theirs base; do
    ok "$CAPSULE" pack "$side" -o "$side.capsule"
    ok "$CAPSULE" info "$side.capsule" --json
    digest=$(python3 -c 'import json; print(json.load(open("out"))["treeDigest"])')
    says info "$digest"
done
# Any form of the three will do.
(cd theirs && tar czf ../theirs.tar.gz .)
ok "$CAPSULE" merge base.capsule ours theirs.tar.gz -o mixed
check mixed
ok "$CAPSULE" merge base ours.capsule theirs.capsule -o stored.capsule
ok "$CAPSULE" diff merged stored.capsule

# Merged with what did not change, or with itself, a side is what it is.
for pair in "base ours" "ours base" "ours ours"; do
    rm -rf same
    set -- $pair
    ok "$CAPSULE" merge base "$1" "$2" -o same
    ok "$CAPSULE" diff ours same
done

# A log that only one side has comes along with its database.
rm -rf lone
cp -a base lone
python3 - << 'EOF'
import os, shutil, sqlite3
connection = sqlite3.connect("lone/Library/Store.sqlite")
connection.execute("PRAGMA journal_mode=WAL")
connection.execute("UPDATE note SET text = 'logged' WHERE id = 9")
connection.commit()
shutil.copytree("lone", "logged")
os._exit(0)
EOF
ok "$CAPSULE" merge base base logged -o taken
[ "$(sqlite3 taken/Library/Store.sqlite "SELECT text FROM note WHERE id = 9")" = logged ] || fail "the log was left behind"
ok "$CAPSULE" merge base ours logged -o folded
absent folded/Library/Store.sqlite-wal folded/Library/Store.sqlite-shm
[ "$(sqlite3 folded/Library/Store.sqlite "SELECT text FROM note WHERE id IN (3, 9) ORDER BY id")" = "ours
logged" ] || fail "a log's rows were not merged"

# Bundles keep their wrapper and their identity.
samples
bundle=$(ls -d ./*.xcappdata | head -1)
cp -a "$bundle" mine.xcappdata
cp -a "$bundle" yours.xcappdata
echo mine > mine.xcappdata/AppData/Documents/mine
echo yours > yours.xcappdata/AppData/Documents/yours
ok "$CAPSULE" merge "$bundle" mine.xcappdata yours.xcappdata -o all.xcappdata
present all.xcappdata/AppData/Documents/mine all.xcappdata/AppData/Documents/yours
for name in $(cd mine.xcappdata && ls -A); do present "all.xcappdata/$name"; done

# App groups: new ones of either side come, one that a side deleted goes unless the other put something into it.
bundle() {
    mkdir -p "$1/AppData/Documents"
    echo "$1" > "$1/AppData/Documents/of-$1"
    top=$1
    shift
    for group in "$@"; do
        mkdir -p "$top/AppGroups/$group"
        echo "$group" > "$top/AppGroups/$group/file"
    done
}
bundle g.xcappdata group.gone group.kept group.used
bundle o.xcappdata group.a group.gone group.kept group.used
bundle t.xcappdata group.b group.kept
for side in o t; do
    mv "$side.xcappdata/AppData/Documents/of-$side.xcappdata" "$side.xcappdata/AppData/Documents/$side"
    echo g.xcappdata > "$side.xcappdata/AppData/Documents/of-g.xcappdata"
done
echo more > o.xcappdata/AppGroups/group.used/more
for form in live stored; do
    if [ "$form" = stored ]; then
        for side in g o t; do ok "$CAPSULE" pack "$side.xcappdata" -o "$side.capsule"; done
        suffix=capsule
    else
        suffix=xcappdata
    fi
    ok "$CAPSULE" merge "g.$suffix" "o.$suffix" "t.$suffix" -o "groups-$form.xcappdata"
    only "groups-$form.xcappdata/AppGroups" group.a group.b group.kept group.used
    only "groups-$form.xcappdata/AppGroups/group.used" more
    only "groups-$form.xcappdata/AppGroups/group.b" file
    only "groups-$form.xcappdata/AppData/Documents" o t of-g.xcappdata
    ok "$CAPSULE" merge "g.$suffix" "t.$suffix" "o.$suffix" -o "groups-$form.capsule"
    ok "$CAPSULE" diff "groups-$form.capsule" "groups-$form.xcappdata"
    ok "$CAPSULE" verify --strict "groups-$form.capsule"
done
