# The overlays that a capsule carries, applied to an app's data and to the app itself: just those keys, and all or nothing.
. "$LIB"
need python3
. "$TOOLS/trees.sh"

python3 - << 'PY'
import os, plistlib
def put(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as out: out.write(data)
    os.chmod(path, mode)
info = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<!-- Who we are. -->
\t<key>CFBundleIdentifier</key>
\t<string>com.example.foo</string>
\t<key>UIApplicationSceneManifest</key>
\t<dict>
\t\t<key>UISceneConfigurations</key>
\t\t<dict>
\t\t\t<key>UIWindowSceneSessionRoleApplication</key>
\t\t\t<array>
\t\t\t\t<dict>
\t\t\t\t\t<key>UISceneConfigurationName</key> <string>Default Configuration</string>
\t\t\t\t\t<key>UISceneDelegateClassName</key> <string>Foo.SceneDelegate</string> <!-- replaced in tests -->
\t\t\t\t</dict>
\t\t\t</array>
\t\t</dict>
\t</dict>
</dict>
</plist>
"""
defaults = {"Launches": 3, "Ratio": 0.1, "Name": "N\u00e9", "Blob": b"\0\1", "Nested": {"on": True, "list": [1, "two"]}}
for place in "base", "target":
    put(place + "/.com.apple.mobile_container_manager.metadata.plist",
        plistlib.dumps({"MCMMetadataIdentifier": "com.example.foo", "MCMMetadataUUID": place}))
    put(place + "/Documents/d.txt", b"data of " + place.encode())
    put(place + "/Library/Preferences/x.plist", plistlib.dumps(defaults, fmt=plistlib.FMT_BINARY), 0o600)
put("Foo.app/Info.plist", info)
put("Foo.app/Foo", b"\xcf\xfa\xed\xfe", 0o755)
put("Foo.app/Base.lproj/InfoPlist.strings", '"CFBundleName" = "Foo";\n'.encode("utf-16"))
info = plistlib.loads(info)
put("Bar.app/Info.plist", plistlib.dumps(info, fmt=plistlib.FMT_BINARY))
put("Test Info.plist", plistlib.dumps({"UIApplicationSceneManifest": {"UISceneConfigurations": {
    "UIWindowSceneSessionRoleApplication": [{"UISceneDelegateClassName": "TestingSceneDelegate"}]}}}))
put("Testing.plist", plistlib.dumps({"Nested": {"on": False}, "UITesting": True}))
PY
cat > sees.py << 'PY'
import plistlib, sys
# sees.py defaults OLD NEW / info OLD NEW: only the keys that are meant differ, and the encoding is the same.
kind, old, new = sys.argv[1:]
old, new = open(old, "rb").read(), open(new, "rb").read()
assert old.startswith(b"bplist00") == new.startswith(b"bplist00"), "another encoding"
a, b = plistlib.loads(old), plistlib.loads(new)
if kind == "defaults":
    a["Nested"]["on"] = False
    a["UITesting"] = True
else:
    a["UIApplicationSceneManifest"]["UISceneConfigurations"]["UIWindowSceneSessionRoleApplication"][0][
        "UISceneDelegateClassName"] = "TestingSceneDelegate"
assert a == b and list(a) == list(b), b
if not old.startswith(b"bplist00"):
    lines = [pair for pair in zip(old.splitlines(), new.splitlines()) if pair[0] != pair[1]]
    assert len(old.splitlines()) == len(new.splitlines()) and len(lines) == 1, lines
    assert lines[0][1] == lines[0][0].replace(b"Foo.SceneDelegate", b"TestingSceneDelegate"), lines
PY
defaults=Library/Preferences/x.plist
ok "$CAPSULE" pack base -o X.capsule --overlay "AppBundle:Info.plist=Test Info.plist" --overlay $defaults=Testing.plist -q
cp -a target was
cp -a Foo.app was.app
# unchanged COMMAND...: neither of the two is touched.
unchanged() {
    snapshot target target.before
    snapshot Foo.app app.before
    "$@"
    snapshot target target.after
    snapshot Foo.app app.after
    same target.before target.after
    same app.before app.after
}
fresh() { rm -rf target Foo.app undo; cp -a was target; cp -a was.app Foo.app; }

# Both, at once; nothing else of either is touched, and both come back.
unchanged status 1 "$CAPSULE" apply --check X.capsule target --app Foo.app
unchanged ok "$CAPSULE" apply --dry-run X.capsule target --app Foo.app
says out 'UISceneDelegateClassName'
says out '/UITesting'
ok "$CAPSULE" apply X.capsule target --app Foo.app --undo undo
python3 sees.py defaults was/$defaults target/$defaults || fail 'the defaults are not as they should be'
python3 sees.py info was.app/Info.plist Foo.app/Info.plist || fail 'the Info.plist is not as it should be'
same_trees was target --skip $defaults --skip Library/Preferences
same_trees was.app Foo.app --skip Info.plist
[ "$(modes_of target/$defaults Foo.app/Info.plist)" = '600
644' ] || fail 'another mode'
absent target/.capsule-transaction Foo.app/.capsule-transaction
unchanged ok "$CAPSULE" apply X.capsule target --app Foo.app
says out 'nothing to change'
ok "$CAPSULE" overlay show undo
says out 'AppBundle:Info.plist'
ok "$CAPSULE" apply undo target --app Foo.app
same_trees was target --times none
same_trees was.app Foo.app --times none
# The undo of data that came back already brings the app back alone.
ok "$CAPSULE" apply X.capsule target --app Foo.app --undo undo.again
status 0 "$CAPSULE" apply undo.again target
says err 'warning: .*AppBundle:Info.plist.*--app'
same_trees was target --times none
python3 sees.py info was.app/Info.plist Foo.app/Info.plist || fail 'the app came back without being named'

# A binary one stays binary.
cp -a Bar.app Bar.was
fresh
ok "$CAPSULE" apply X.capsule target --app Bar.app --undo undo
python3 sees.py info Bar.was/Info.plist Bar.app/Info.plist || fail 'the binary Info.plist is not as it should be'
ok "$CAPSULE" apply undo target --app Bar.app
# An app's property lists come back by their values: binary ones may have other bytes.
python3 -c 'import plistlib
a, b = (open(name + "/Info.plist", "rb").read() for name in ("Bar.was", "Bar.app"))
assert b.startswith(b"bplist00") and plistlib.loads(a) == plistlib.loads(b)'
same_trees was target --times none

# An app is what it is named, even if it looks like a container.
mkdir -p Odd.xcappdata/AppData
cp -a Bar.was/Info.plist Odd.xcappdata/Info.plist
fresh
ok "$CAPSULE" apply X.capsule target --app Odd.xcappdata --undo undo
python3 sees.py info Bar.was/Info.plist Odd.xcappdata/Info.plist || fail 'the Info.plist beside AppData is not as it should be'
ok "$CAPSULE" apply undo target --app Odd.xcappdata
absent Odd.xcappdata/.capsule-transaction Odd.xcappdata/AppData/Info.plist
# Nor is one changed that lies in the data, or has the data in it.
mkdir -p target/Documents/In.app
unchanged status 64 "$CAPSULE" apply X.capsule target --app target/Documents/In.app
says err 'target/Documents/In.app: is inside target'

# Without --app: the defaults alone, and a warning.
fresh
status 0 "$CAPSULE" apply X.capsule target
says err 'warning: .*AppBundle:Info.plist.*--app'
python3 sees.py defaults was/$defaults target/$defaults || fail 'the defaults are not as they should be'
same_trees was.app Foo.app
unchanged status 0 "$CAPSULE" apply X.capsule target --quiet
says err 'warning: '
# The app alone changes: nothing in the data is touched. (Its own directory has the journal for a moment.)
ok "$CAPSULE" apply X.capsule target --app Foo.app --undo undo
python3 sees.py info was.app/Info.plist Foo.app/Info.plist || fail 'the Info.plist is not as it should be'
snapshot target s && tail -n +2 s > s1
ok "$CAPSULE" apply undo target --app Foo.app
snapshot target s && tail -n +2 s > s2
same s1 s2
same_trees was.app Foo.app --times none

# If one can't be, the other is not.
fresh
python3 -c 'import plistlib
value = plistlib.load(open("target/Library/Preferences/x.plist", "rb"))
value["Nested"] = "no dictionary"
plistlib.dump(value, open("target/Library/Preferences/x.plist", "wb"), fmt=plistlib.FMT_BINARY)'
unchanged status 2 "$CAPSULE" apply X.capsule target --app Foo.app --undo undo
says err 'x.plist: .*Nested'
absent undo
fresh
printf '<plist><dict><key>UIApplicationSceneManifest</key><string>x</string></dict></plist>' > Foo.app/Info.plist
unchanged status 2 "$CAPSULE" apply X.capsule target --app Foo.app --undo undo
says err 'Info.plist:1:[0-9]*: error: .*UIApplicationSceneManifest'
absent undo
printf 'no property list' > Foo.app/Info.plist
unchanged status 2 "$CAPSULE" apply X.capsule target --app Foo.app
says err 'Info.plist'
rm Foo.app/Info.plist
unchanged status 2 "$CAPSULE" apply X.capsule target --app Foo.app
says err 'Info.plist: does not exist in '
ln -s ../was.app/Info.plist Foo.app/Info.plist
unchanged status 2 "$CAPSULE" apply X.capsule target --app Foo.app
says err 'Info.plist: is a link'
fresh
for app in missing X.capsule target target/Documents . Foo.app/Info.plist; do
    found=0
    "$CAPSULE" apply X.capsule target --app $app > out 2> err || found=$?
    [ $found = 2 ] || [ $found = 64 ] || fail "status $found: --app $app"
    same_trees was target
    same_trees was.app Foo.app
done
unchanged status 64 "$CAPSULE" apply X.capsule target --app Foo.app --undo Foo.app/undo
says err 'inside the container'

# The version that is named; and one that carries none.
printf '<plist><dict><key>Launches</key><integer>77</integer></dict></plist>' > Later.plist
echo later > base/Documents/later
ok "$CAPSULE" pack base --append -o X.capsule --label second --overlay $defaults=Later.plist -q
echo last > base/Documents/last
ok "$CAPSULE" pack base --append -o X.capsule -q
fresh
ok "$CAPSULE" apply X.capsule@second target
python3 - << 'PY'
import plistlib
a, b = plistlib.load(open("was/Library/Preferences/x.plist", "rb")), plistlib.load(open("target/Library/Preferences/x.plist", "rb"))
a["Launches"] = 77
assert a == b and list(a) == list(b), b
PY
unchanged status 2 "$CAPSULE" apply X.capsule target
says err 'X.capsule: is a container without overlays'
fresh
ok "$CAPSULE" apply X.capsule@1 X.capsule@second target --app Foo.app
python3 -c 'import plistlib
value = plistlib.load(open("target/Library/Preferences/x.plist", "rb"))
assert value["Launches"] == 77 and value["UITesting"] is True and value["Nested"]["on"] is False, value'
# One of its overlays alone, on a single property list.
cp was.app/Info.plist single.plist
ok "$CAPSULE" apply X.capsule@1 single.plist --target Info.plist
python3 sees.py info was.app/Info.plist single.plist || fail 'the single Info.plist is not as it should be'
unchanged status 64 "$CAPSULE" apply X.capsule@1 single.plist --app Foo.app

# A property list that is made in the app, and what takes that back.
cat > makes.json <<'JSON'
{"CapsuleOverlay": 1, "Targets": [
  {"Root": "AppBundle", "Path": "Testing/Made.plist", "Create": "xml", "Merge": {"made": true}},
  {"Root": "AppBundle", "Path": "*.lproj/*.strings", "Merge": {"CFBundleName": "Test"}}]}
JSON
fresh
unchanged status 2 "$CAPSULE" apply makes.json target --app Foo.app --undo undo
says err "can't be undone by an overlay"
absent undo
ok "$CAPSULE" apply makes.json target --app Foo.app
python3 - << 'PY'
import plistlib
assert plistlib.load(open("Foo.app/Testing/Made.plist", "rb")) == {"made": True}
text = open("Foo.app/Base.lproj/InfoPlist.strings", "rb").read()
assert text[:2] == b"\xff\xfe" and text.decode("utf-16") == '"CFBundleName" = "Test";\n', text
PY
same_trees was target
