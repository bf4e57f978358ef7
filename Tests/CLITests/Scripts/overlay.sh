# Overlays by themselves: checked, shown, composed, inverted; and those that a capsule carries.
. "$LIB"
need python3
samples

# check: where what is wrong is, and whether the overlay does the same again on a target.
printf '{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/a/-","value":1},{"op":"replace","path":"/b","value":2}]}' > o.json
ok "$CAPSULE" overlay check o.json
says out '^o.json: OK, an overlay document, 2 steps$'
says_not out 'idempotent'
echo '{"a":[1],"b":"x"}' > target.json
status 1 "$CAPSULE" overlay check o.json --on target.json
says out '^not idempotent: applied again, it makes further changes$'
status 1 "$CAPSULE" overlay check --json o.json --on target.json
says out '"steps":2,"repeatable":false}$'
echo '{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/b","value":"$(B)"},{"op":"replace","path":"/b","value":2}]}' > test.json
status 1 "$CAPSULE" overlay check test.json --on target.json --expand --define B=x
says out '^not idempotent: applied again, it fails: '
status 2 "$CAPSULE" overlay check test.json --on target.json --expand --define B=c
echo '{"CapsuleOverlay":1,"Operations":[{"op":"union","path":"/a","value":[2]},{"op":"replace","path":"/b","value":2}]}' > union.json
ok "$CAPSULE" overlay check union.json --on target.json
says out '^idempotent: applied again, it changes nothing$'
mkdir container
status 2 "$CAPSULE" overlay check union.json --on container
status 64 "$CAPSULE" overlay check union.json --on -
printf '{\n "CapsuleOverlay": 1,\n "Operations": [\n  {"op": "ad", "path": "/a"}\n ]\n}' > bad.json
status 2 "$CAPSULE" overlay check bad.json
says err "^bad.json:4:[0-9]*: error: "
says err "hint: did you mean 'add'"
printf '{"CapsuleOverlay":1,"Arrays":{"a":"keyd(x)"}}' > bad.json
status 2 "$CAPSULE" overlay check bad.json
says err 'Arrays'
printf '{"CapsuleOverlay":2}' > bad.json
status 2 "$CAPSULE" overlay check bad.json

# show
cat > doc.json << 'END'
{"CapsuleOverlay": 1, "Name": "Test", "When": {"CONFIGURATION": ["Debug", "Test"]}, "Targets": [
 {"Path": "Library/Preferences/com.example.gifs.plist", "Merge": {"a": {"b": 1, "c": "x"}}},
 {"Root": "AppBundle", "Path": "Info.plist", "Remove": ["/x"], "Encode": "binary"}]}
END
ok "$CAPSULE" overlay show doc.json
cat > wanted << 'END'
form      an overlay document
name      Test
when      CONFIGURATION is "Debug" or "Test"
target    Library/Preferences/com.example.gifs.plist
  merge   /a/b: 1
  merge   /a/c: "x"
target    AppBundle:Info.plist
  remove  /x
  encode  binary
END
same out wanted
ok "$CAPSULE" overlay show --json doc.json
python3 -c 'import json; report = json.load(open("out")); assert report["targets"][0]["steps"][0] == {
    "op": "merge", "pointer": "/a/b", "value": 1}, report'
ok "$CAPSULE" overlay identities
says out '^UISceneConfigurations/\*  *keyed(UISceneConfigurationName)  *Information Property List$'

# compose: one after the other; invert: only what says what was there.
printf '{"a":1}' > base.json
printf '{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]}' > 1.json
printf '{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/a","value":2},{"op":"replace","path":"/a","value":3}]}' > 2.json
ok "$CAPSULE" overlay compose 1.json 2.json -o 12.plist
ok "$CAPSULE" apply 12.plist base.json -o three.json
says three.json '"a":3'
ok "$CAPSULE" overlay invert 12.plist -o 21.plist
ok "$CAPSULE" apply 21.plist three.json
same three.json base.json
printf '{"b":{}}' > patch.json
status 2 "$CAPSULE" overlay compose 1.json patch.json -o no.plist
says err 'Merge Patch'
status 2 "$CAPSULE" overlay invert doc.json -o no.plist
absent no.plist
status 64 "$CAPSULE" overlay compose 1.json 2.json
status 2 "$CAPSULE" overlay compose 1.json 2.json -o 12.plist
says err 'already exists'

# apply --undo and --dry-run.
cp base.json t.json
ok "$CAPSULE" apply 1.json t.json --undo undo.plist
says t.json '"a":2'
ok "$CAPSULE" apply undo.plist t.json
same t.json base.json
status 2 "$CAPSULE" apply 1.json t.json --undo undo.plist
same t.json base.json

# An undo is written only for a change, and never over another one.
printf '{"CapsuleOverlay":1,"Encode":"xml","Merge":{"b":2}}' > xml.json
cp base.json x
ok "$CAPSULE" apply xml.json x --undo undo.x
cp undo.x was
status 0 "$CAPSULE" apply xml.json x --undo undo.x -f
same undo.x was
for file in t.json 1.json ./t.json; do
    cp "$file" was
    status 64 "$CAPSULE" apply 1.json t.json --undo "$file" -f
    same "$file" was
done
ok "$CAPSULE" apply --dry-run 1.json t.json
says out '^~ /a: 1 → 2$'
same t.json base.json
printf '{"a":1}' > nothing.json
status 0 "$CAPSULE" apply nothing.json t.json --undo none.plist
absent none.plist
says err 'nothing to undo'

# A capsule carries overlays, tried when they are packed and applied when they are wanted.
preferences=Library/Preferences/com.example.gifs.plist
printf '{"CapsuleOverlay":1,"Merge":{"launches":99,"by":"$(WHO)"}}' > seed.json
printf '{"CapsuleOverlay":1,"Create":"binary","Merge":{"fresh":true}}' > create.json
printf '<plist><dict><key>CFBundleVersion</key><string>2</string></dict></plist>' > bundle.plist
ok "$CAPSULE" pack Gifs-before.xcappdata -o c.capsule --overlay "$preferences=seed.json" \
    --overlay Library/New/fresh.plist=create.json --overlay AppBundle:Info.plist=bundle.plist
ok "$CAPSULE" info c.capsule
says out "^overlays  *$preferences, 2 steps$"
says out '^ *AppBundle:Info.plist, 1 step$'
"$CAPSULE" info --json c.capsule | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["overlays"]) == 3'
"$CAPSULE" info --plist c.capsule | python3 -c 'import plistlib, sys
overlays = plistlib.loads(sys.stdin.buffer.read())["Overlays"]
assert [overlay["CapsuleOverlay"] for overlay in overlays] == [1, 1, 1]
assert overlays[2]["Root"] == "AppBundle" and overlays[2]["Path"] == "Info.plist", overlays[2]'
ok "$CAPSULE" verify --strict c.capsule
status 0 "$CAPSULE" unpack c.capsule -o as-packed
says err 'warning: 3 overlays not applied'
same_trees as-packed Gifs-before.xcappdata
mkdir App.app
printf '<plist><dict><key>CFBundleVersion</key><string>1</string></dict></plist>' > App.app/Info.plist
ok "$CAPSULE" unpack c.capsule -o applied --overlays --app App.app --expand --define WHO=me
[ "$("$CAPSULE" plist get applied/AppData/$preferences /launches)" = 99 ] || fail 'not merged'
[ "$("$CAPSULE" plist get applied/AppData/$preferences /by)" = me ] || fail 'not expanded'
head -c 6 applied/AppData/$preferences | grep -q bplist || fail 'no longer binary'
[ "$("$CAPSULE" plist get applied/AppData/Library/New/fresh.plist /fresh)" = true ] || fail 'not made'
[ "$("$CAPSULE" plist get App.app/Info.plist /CFBundleVersion)" = 2 ] || fail 'bundle not changed'
ok "$CAPSULE" unpack c.capsule --as tar.gz -o c.tar.gz --overlays -q
tar xzf c.tar.gz
[ "$("$CAPSULE" plist get Gifs-before.xcappdata/AppData/$preferences /launches)" = 99 ] || fail 'not in the archive'
ok "$CAPSULE" unpack c.capsule --as zip -o c.zip --overlays -q
ok "$CAPSULE" pack c.zip -o z.capsule
ok "$CAPSULE" cat z.capsule Library/New/fresh.plist

# All or nothing, the app's files too.
printf '{"CapsuleOverlay":1,"Create":"xml","Merge":{"a":1}}' > make.json
status 0 "$CAPSULE" pack Gifs-before.xcappdata -o b.capsule --overlay AppBundle:Info.plist=bundle.plist \
    --overlay AppBundle:Info.plist/x.plist=make.json
printf '<plist><dict><key>CFBundleVersion</key><string>1</string></dict></plist>' > App.app/Info.plist
status 2 "$CAPSULE" unpack b.capsule -o half --overlays --app App.app
absent half
[ "$("$CAPSULE" plist get App.app/Info.plist /CFBundleVersion)" = 1 ] || fail 'bundle changed'
ok "$CAPSULE" apply make.json Library/Preferences/made.plist
case $(ls -l Library/Preferences/made.plist) in -rw-------*) ;; *) fail 'not private' ;; esac

# Copies into itself, one after the other, come to an end.
python3 -c 'import json; json.dump([{"op": "copy", "from": "", "path": "/a"}] * 20000, open("deep.json", "w"))'
printf '<plist><dict/></plist>' > shallow.plist
status 2 "$CAPSULE" apply deep.json shallow.plist
says err 'nest deeper than 512 levels'

# What does not fit is told when it is packed.
printf '{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/launches","value":"x"}]}' > test.json
status 2 "$CAPSULE" pack Gifs-before.xcappdata -o no.capsule --overlay "$preferences=test.json"
says err "$preferences"
status 2 "$CAPSULE" pack Gifs-before.xcappdata -o no.capsule --overlay "$preferences=patch.json"
status 2 "$CAPSULE" pack Gifs-before.xcappdata -o no.capsule --overlay Documents=seed.json
status 64 "$CAPSULE" pack Gifs-before.xcappdata -o no.capsule --overlay ../x=seed.json
status 64 "$CAPSULE" pack Gifs-before.xcappdata -o no.capsule --overlay "$preferences"
absent no.capsule
status 0 "$CAPSULE" pack Gifs-before.xcappdata -o elsewhere.capsule --overlay nowhere.plist=seed.json
says err 'warning: nowhere.plist is not in the container'
status 2 "$CAPSULE" unpack elsewhere.capsule -o no --overlays
absent no
