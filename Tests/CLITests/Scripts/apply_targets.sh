# What overlays are applied to: every live form, app groups, property lists by path, by pattern and made anew.
. "$LIB"
need python3
. "$TOOLS/trees.sh"
identity=.com.apple.mobile_container_manager.metadata.plist

# The data of one app in two states; the same data lies in every form of container.
python3 - << 'PY'
import os, plistlib
for side, text in ("a", "one\n"), ("b", "one more\n"):
    os.makedirs(side + "/Documents")
    os.makedirs(side + "/Library/Preferences")
    os.makedirs(side + "/tmp")
    with open(side + "/Documents/text", "w") as out: out.write(text)
    with open(side + "/Library/Preferences/x.plist", "wb") as out:
        plistlib.dump({"n": len(text), "kept": [1]}, out)
os.mkdir("b/Documents/new")
os.symlink("../text", "b/Documents/new/link")
identity = {"MCMMetadataIdentifier": "com.example.forms", "MCMMetadataUUID": "X"}
for side in "ab":
    with open(side + "/.com.apple.mobile_container_manager.metadata.plist", "wb") as out:
        plistlib.dump(identity, out)
PY
status 1 "$CAPSULE" diff a b --overlay o.capsule -q

# untouched DIR COMMAND...: whatever COMMAND says, nothing of DIR is touched.
untouched() {
    dir=$1
    shift
    snapshot "$dir" snapshot.before
    "$@"
    snapshot "$dir" snapshot.after
    same snapshot.before snapshot.after
}
# round TARGET DATA OVERLAY: there and back again, by way of the undo; DATA is the directory of the app's files.
round() {
    rm -rf u.capsule was
    cp -a "$2" was
    status 1 "$CAPSULE" apply --check "$3" "$1" -q
    ok "$CAPSULE" apply "$3" "$1" --undo u.capsule -q
    same_trees b "$2" --times none --xattrs --skip $identity
    untouched "$2" ok "$CAPSULE" apply "$3" "$1"
    says out 'nothing to change$'
    absent "$2/.capsule-transaction"
    ok "$CAPSULE" apply u.capsule "$1" -q
    same_trees was "$2" --times none --xattrs
}
mkdir -p 'it'\''s a "bundle" 2024-05-17.xcappdata'
bundle=$(echo *.xcappdata)
cp -a a "$bundle/AppData"
rm "$bundle/AppData/$identity"
cp "$SAMPLES/make_samples.py" . && python3 make_samples.py . > /dev/null
cp Gifs-before.xcappdata/AppDataInfo.plist "$bundle/"
sed -i.bak 's/com.example.gifs/com.example.forms/' "$bundle/AppDataInfo.plist" && rm "$bundle/AppDataInfo.plist.bak"
rm -r Gifs-*.xcappdata
cp "$bundle/AppDataInfo.plist" info.plist
round "$bundle" "$bundle/AppData" o.capsule
same info.plist "$bundle/AppDataInfo.plist"
cp -a a bare
round bare bare o.capsule
# As tab completion and people write it.
round "./bare/" bare o.capsule
round "$PWD/bare/../bare" bare o.capsule
ln -s bare linked
round linked bare o.capsule
[ -L linked ] || fail 'the link is gone'
cp -a a plain
rm -r plain/$identity plain/Library/Preferences/x.plist
cp -a a/Library/Preferences/x.plist plain/Library/Preferences/x.plist
round plain plain o.capsule
mkdir -p mac/com.example.forms
cp -a a mac/com.example.forms/Data
mv mac/com.example.forms/Data/$identity mac/com.example.forms/.com.apple.containermanagerd.metadata.plist
round mac/com.example.forms mac/com.example.forms/Data o.capsule
round mac/com.example.forms/Data mac/com.example.forms/Data o.capsule

# A simulator's, by name: it is told what stops the app.
HOME=$PWD/home
export HOME
data=$HOME/Library/Developer/CoreSimulator/Devices/11111111-2222-3333-4444-555555555555
mkdir -p "$data/data/Containers/Data/Application" "$data/data/Containers/Shared/AppGroup"
cp -a a "$data/data/Containers/Data/Application/AAAAAAAA-2222-3333-4444-555555555555"
python3 - "$data" << 'PY'
import plistlib, sys
with open(sys.argv[1] + "/device.plist", "wb") as out:
    plistlib.dump({"UDID": "11111111-2222-3333-4444-555555555555", "name": "iPhone", "state": 3, "isDeleted": False,
                   "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-26-0", "deviceType": "x"}, out)
PY
app=$data/data/Containers/Data/Application/AAAAAAAA-2222-3333-4444-555555555555
round sim:com.example.forms "$app" o.capsule
round sim:booted/com.example.forms "$app" o.capsule
status 0 "$CAPSULE" apply o.capsule sim:com.example.forms
says err 'hint: the app may overwrite this'
untouched "$app" status 2 "$CAPSULE" apply o.capsule sim:com.example.missing

# What is no live container.
ok "$CAPSULE" pack a -o packed.capsule -q
cp packed.capsule was.capsule
for target in packed.capsule packed.capsule@1 missing Documents; do
    found=0
    "$CAPSULE" apply o.capsule $target > out 2> err || found=$?
    [ $found = 2 ] || [ $found = 64 ] || fail "status $found: $target"
    says err "$target"
done
same packed.capsule was.capsule
status 64 "$CAPSULE" apply o.capsule bare -o elsewhere
absent elsewhere
# An overlay of files over a property list.
cp bare/Library/Preferences/x.plist single.plist
cp single.plist was.plist
status 2 "$CAPSULE" apply o.capsule single.plist
says err 'o.capsule'
says err 'hint'
same single.plist was.plist
# Overlays that are none.
untouched bare status 2 "$CAPSULE" apply a bare
untouched bare status 2 "$CAPSULE" apply packed.capsule bare
says err 'without overlays'
untouched bare status 2 "$CAPSULE" apply missing.capsule bare
printf '<plist><dict><key>k</key><integer>1</integer></dict></plist>' > plain.plist
untouched bare status 2 "$CAPSULE" apply plain.plist bare
says err 'plain.plist'
says err "hint: .*--target"

# Damage: an overlay of which bytes are wrong changes nothing.
python3 - << 'PY'
data = bytearray(open("o.capsule", "rb").read())
for number, place in enumerate(range(len(data) // 40, len(data), len(data) // 12)):
    with open(f"damaged{number}.capsule", "wb") as out:
        out.write(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1:])
    with open(f"cut{number}.capsule", "wb") as out:
        out.write(data[:place])
PY
rm -rf bare
cp -a a bare
for overlay in damaged*.capsule cut*.capsule; do
    found=0
    cp -a bare tried
    "$CAPSULE" apply $overlay tried > out 2> err || found=$?
    if [ $found = 0 ]; then
        same_trees b tried --times none --skip $identity
    else
        [ $found -lt 126 ] || fail "status $found: $overlay"
        same_trees a tried
    fi
    rm -r tried
done

# App groups: in a bundle, in directories of their own, and passed over where nobody says where they are.
python3 - << 'PY'
import os, plistlib, shutil
for side, number in ("g", 1), ("h", 2):
    top = side + ".xcappdata"
    shutil.copytree("a", top + "/AppData", symlinks=True)
    with open(top + "/AppDataInfo.plist", "wb") as out:
        plistlib.dump({"CFBundleIdentifier": "com.example.forms"}, out)
    group = top + "/AppGroups/group.example"
    os.makedirs(group + "/Library")
    with open(group + "/Library/shared.plist", "wb") as out:
        plistlib.dump({"n": number}, out, fmt=plistlib.FMT_BINARY)
    with open(group + "/only" + str(number), "w") as out: out.write("x")
    with open(top + "/AppData/Documents/text", "w") as out: out.write("text %d\n" % number)
PY
status 1 "$CAPSULE" diff g.xcappdata h.xcappdata --overlay groups.capsule -q
cp -a g.xcappdata w.xcappdata
ok "$CAPSULE" apply groups.capsule w.xcappdata --undo gu.capsule
same_trees h.xcappdata w.xcappdata --times none --skip AppDataInfo.plist
untouched w.xcappdata ok "$CAPSULE" apply groups.capsule w.xcappdata
ok "$CAPSULE" apply gu.capsule w.xcappdata
same_trees g.xcappdata w.xcappdata --times none
# With the group elsewhere, in one transaction.
cp -a g.xcappdata/AppData data
cp -a g.xcappdata/AppGroups/group.example shared
ok "$CAPSULE" apply groups.capsule data --group group.example=shared --undo gu2.capsule
same_trees h.xcappdata/AppGroups/group.example shared --times none
same_trees h.xcappdata/AppData data --times none
ok "$CAPSULE" apply gu2.capsule data --group group.example=shared
same_trees g.xcappdata/AppGroups/group.example shared --times none
same_trees g.xcappdata/AppData data --times none
# One of them drifted: neither changes.
echo drift > shared/only2
snapshot data s1
status 2 "$CAPSULE" apply groups.capsule data --group group.example=shared
says err 'AppGroups/group.example/only2: already exists'
snapshot data s2
same s1 s2
rm shared/only2
# Without a place for it: a warning, once, and the rest is done.
status 0 "$CAPSULE" apply groups.capsule data
says err "warning: .*group.example.*--group"
[ "$(grep -c warning err)" = 1 ] || fail 'more than one warning'
same_trees h.xcappdata/AppData data --times none
same_trees g.xcappdata/AppGroups/group.example shared --times none

# A document by hand: targets by path and pattern, one that is made, in the tree and in a group.
cat > hand.json <<'JSON'
{"CapsuleOverlay": 1, "Targets": [
  {"Path": "Library/Preferences/*.plist", "Merge": {"kept": [2], "flag": true}},
  {"Path": "Library/Preferences/made/new $(WHO).plist", "Create": "binary", "Merge": {"who": "$(WHO)"}},
  {"Path": "Documents/made.plist", "Create": "xml", "Merge": {"x": 1}, "When": {"CONFIGURATION": "Debug"}},
  {"Root": "AppGroup:group.example", "Path": "Library/shared.plist", "Operations": [{"op": "replace", "path": "/n", "value": 7}]}]}
JSON
rm -rf w.xcappdata
cp -a g.xcappdata w.xcappdata
status 0 "$CAPSULE" apply hand.json w.xcappdata --expand --define 'WHO=A & b' --define CONFIGURATION=Release --undo hu.capsule
python3 - << 'PY'
import os, plistlib, stat
def load(path, fmt):
    data = open("w.xcappdata/" + path, "rb").read()
    assert data.startswith(b"bplist00") == (fmt == "binary"), path
    return plistlib.loads(data)
value = load("AppData/Library/Preferences/x.plist", "xml")
assert value == {"n": 4, "kept": [2], "flag": True}, value
path = "AppData/Library/Preferences/made/new A & b.plist"
assert load(path, "binary") == {"who": "A & b"}
assert stat.S_IMODE(os.lstat("w.xcappdata/" + path).st_mode) == 0o600
assert stat.S_IMODE(os.lstat(os.path.dirname("w.xcappdata/" + path)).st_mode) == 0o755
assert not os.path.exists("w.xcappdata/AppData/Documents/made.plist")
assert load("AppGroups/group.example/Library/shared.plist", "binary") == {"n": 7}
PY
untouched w.xcappdata status 0 "$CAPSULE" apply hand.json w.xcappdata --expand --define 'WHO=A & b' --define CONFIGURATION=Release
says out 'nothing to change'
ok "$CAPSULE" apply hu.capsule w.xcappdata
same_trees g.xcappdata w.xcappdata --times none
# Conditions of the command line and of the document.
untouched w.xcappdata status 0 "$CAPSULE" apply hand.json w.xcappdata --when MISSING --expand --define WHO=x
says err 'skipped: MISSING'
says out 'nothing to change'
untouched w.xcappdata status 2 "$CAPSULE" apply hand.json w.xcappdata --expand --define CONFIGURATION=Debug
says err 'WHO'
# One that is made in a group, with the directories around it: in the bundle, and where the group lies elsewhere.
cat > group.json <<'JSON'
{"CapsuleOverlay": 1, "Targets": [
  {"Root": "AppGroup:group.example", "Path": "Library/Preferences/made.plist", "Create": "xml", "Merge": {"made": true}},
  {"Root": "AppGroup:group.example", "Path": "top.plist", "Create": "xml", "Merge": {"made": true}}]}
JSON
ok "$CAPSULE" apply group.json w.xcappdata --undo top.capsule
ok "$CAPSULE" apply group.json data --group group.example=shared --undo top2.capsule
for group in w.xcappdata/AppGroups/group.example shared; do
    for path in top.plist Library/Preferences/made.plist; do
        python3 -c 'import plistlib, sys
assert plistlib.load(open(sys.argv[1], "rb")) == {"made": True}' $group/$path || fail "$group/$path is not as it should be"
    done
done
absent shared/AppGroups data/AppGroups w.xcappdata/AppData/AppGroups
ok "$CAPSULE" apply top.capsule w.xcappdata
same_trees g.xcappdata w.xcappdata --times none
ok "$CAPSULE" apply top2.capsule data --group group.example=shared
same_trees g.xcappdata/AppGroups/group.example shared --times none

# Directories that are changed together lie beside each other; both are named.
mkdir -p data/Documents/inner
snapshot data s1
status 64 "$CAPSULE" apply groups.capsule data --group group.example=data/Documents/inner
says err 'data/Documents/inner: is inside data, which is also changed'
status 64 "$CAPSULE" restore g.xcappdata data --group group.example=data/Documents/../Documents/inner
says err 'is inside data'
mkdir around
cp -R data around/data
status 64 "$CAPSULE" apply groups.capsule around/data --group group.example=around
says err 'around/data: is inside around, which is also changed'
status 64 "$CAPSULE" apply groups.capsule data --group group.example=shared --app shared
says err 'shared: is the same directory as shared'
snapshot data s2
same s1 s2
rmdir data/Documents/inner

# What fits nothing, or is missing and not made, is an error, and nothing of the rest is done.
for path in 'Library/*.nothing' Library/missing.plist; do
    cat > none.json <<JSON
{"CapsuleOverlay": 1, "Targets": [{"Path": "Library/Preferences/x.plist", "Merge": {"n": 99}}, {"Path": "$path", "Merge": {"n": 1}}]}
JSON
    untouched w.xcappdata status 2 "$CAPSULE" apply none.json w.xcappdata
    grep -qF "$path: " err || fail "$path is not named"
done
# A plain overlay for one file.
printf '<plist><dict><key>n</key><integer>99</integer></dict></plist>' > plain.plist
ok "$CAPSULE" apply plain.plist w.xcappdata --target Library/Preferences/x.plist
says w.xcappdata/AppData/Library/Preferences/x.plist '<integer>99</integer>'
printf '{"n": 98}' | status 0 "$CAPSULE" apply - w.xcappdata --target Library/Preferences/x.plist
says w.xcappdata/AppData/Library/Preferences/x.plist '<integer>98</integer>'
printf '[{"op": "test", "path": "/n", "value": 98.0}, {"op": "add", "path": "/l", "value": []}]' > patch.json
ok "$CAPSULE" apply patch.json w.xcappdata --target Library/Preferences/x.plist
says w.xcappdata/AppData/Library/Preferences/x.plist '<key>l</key>'
untouched w.xcappdata status 2 "$CAPSULE" apply plain.plist w.xcappdata --target Library/Preferences/missing.plist
# A link is not followed, not even one that leads to a property list in the container.
ln -s x.plist w.xcappdata/AppData/Library/Preferences/l.plist
untouched w.xcappdata status 2 "$CAPSULE" apply plain.plist w.xcappdata --target Library/Preferences/l.plist
says err 'l.plist: is a link'
