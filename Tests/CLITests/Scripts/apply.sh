# A partial property list over another: only what it says, in place, at once, and nothing when there is nothing to do.
. "$LIB"
cat > Info.plist <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<!-- What the tests replace. -->
	<key>UIApplicationSceneManifest</key>
	<dict>
		<key>UISceneConfigurations</key>
		<dict>
			<key>UIWindowSceneSessionRoleApplication</key>
			<array>
				<dict>
					<key>UISceneConfigurationName</key>
					<string>Default Configuration</string>
					<key>UISceneDelegateClassName</key>
					<string>$(PRODUCT_MODULE_NAME).SceneDelegate</string> <!-- the app's -->
					<key>UISceneStoryboardFile</key>
					<string>Main</string>
				</dict>
			</array>
		</dict>
	</dict>
</dict>
</plist>
END
cat > Test.plist <<'END'
<plist version="1.0"><dict><key>UIApplicationSceneManifest</key><dict><key>UISceneConfigurations</key><dict>
<key>UIWindowSceneSessionRoleApplication</key><array><dict>
<key>UISceneDelegateClassName</key><string>TestingSceneDelegate</string>
</dict></array></dict></dict></dict></plist>
END
cp Info.plist base.plist
chmod 640 Info.plist
status 1 "$CAPSULE" apply --check Test.plist Info.plist
same Info.plist base.plist
ok "$CAPSULE" apply Test.plist Info.plist
says out '^Info.plist: changed$'
diff base.plist Info.plist > changes || true
[ "$(grep -c '^[<>]' changes)" = 2 ] || fail "more than one line changed: $(cat changes)"
says changes '^> *	*<string>TestingSceneDelegate</string> <!-- the app.s -->$'

# Number, mode, size and time of a file.
attributes() { ls -li --time-style=full-iso "$1" 2> /dev/null || ls -liT "$1"; }
# An overlay over a file that has it already: the same file, untouched.
changes_nothing() {
    before=$(attributes "$2")
    ok "$CAPSULE" apply "$1" "$2"
    says out "^$2: nothing to change\$"
    after=$(attributes "$2")
    [ "$before" = "$after" ] || fail "touched: $before, $after"
}
changes_nothing Test.plist Info.plist
ok "$CAPSULE" apply --check Test.plist Info.plist
case $before in *-rw-r-----*) ;; *) fail "another mode: $before" ;; esac

# The result elsewhere, and through a link.
ok "$CAPSULE" apply Test.plist base.plist -o out.plist
same out.plist Info.plist
status 2 "$CAPSULE" apply Test.plist base.plist -o out.plist
says err 'already exists'
"$CAPSULE" apply Test.plist base.plist -o - > piped.plist
same piped.plist Info.plist
mkdir d
cp base.plist d/real.plist
ln -s d/real.plist link.plist
ok "$CAPSULE" apply Test.plist link.plist
[ -L link.plist ] || fail 'the link is gone'
same d/real.plist Info.plist
only d real.plist

# Binary stays binary.
python3 -c 'import plistlib; plistlib.dump(plistlib.load(open("base.plist", "rb")), open("b.plist", "wb"), fmt=plistlib.FMT_BINARY)'
ok "$CAPSULE" apply Test.plist b.plist
python3 -c 'import plistlib
scenes = plistlib.load(open("b.plist", "rb"), fmt=plistlib.FMT_BINARY)["UIApplicationSceneManifest"]["UISceneConfigurations"]
assert scenes["UIWindowSceneSessionRoleApplication"] == [{
    "UISceneConfigurationName": "Default Configuration", "UISceneDelegateClassName": "TestingSceneDelegate",
    "UISceneStoryboardFile": "Main"}], scenes'

# JSON stays JSON, and its layout.
cat > settings.json <<'END'
{
    "theme" : "light",
    "letter" : "\u0061",
    "sizes" : [1, 2,  3],
    "nested" : { "on" : true }
}
END
printf '{"CapsuleOverlay":1,"Merge":{"theme":"dark","nested":{"on":false},"new":{"a":1}}}' > settings.overlay
cat > wanted.json <<'END'
{
    "theme" : "dark",
    "letter" : "\u0061",
    "sizes" : [1, 2,  3],
    "nested" : { "on" : false },
    "new" : {"a" : 1}
}
END
status 1 "$CAPSULE" apply --check settings.overlay settings.json
ok "$CAPSULE" apply settings.overlay settings.json
same settings.json wanted.json
changes_nothing settings.overlay settings.json
printf '<plist><dict><key>blob</key><data>AAEC</data></dict></plist>' > blob.plist
status 2 "$CAPSULE" apply blob.plist settings.json
says err '^settings.json:1:1: error: .* (at /blob)$'
same settings.json wanted.json

# A file of texts in UTF-16, with its byte order mark, its line ends and its comments.
python3 - <<'END'
def write(name, text):
    with open(name, "wb") as file:
        file.write(text.replace("\n", "\r\n").encode("utf-16"))
head = '/* Greetings, é */\n\n/* said first */\n'
write("Localizable.strings", head + '"hello" = "Hall\\U00f6";\n"bye"="Tsch\u00fcss";  // last\n')
write("wanted.strings", head + '"hello" = "Hall\\U00f6";\n"bye"="Auf Wiedersehen \U0001f44b";  // last\n"new"="Neu";\n')
END
printf '"bye" = "Auf Wiedersehen \360\237\221\213";\n"new" = "Neu";\n' > German.strings
ok "$CAPSULE" apply German.strings Localizable.strings
same Localizable.strings wanted.strings
changes_nothing German.strings Localizable.strings
printf '{"on":{"top":true}}' > boolean.json
status 2 "$CAPSULE" apply boolean.json Localizable.strings
says err '^Localizable.strings:1:1: error: .*not a boolean (at /on/top)$'
same Localizable.strings wanted.strings

# Nothing to pair with: says what to write, and writes nothing.
printf '<plist><dict/></plist>' > swiftui.plist
cp swiftui.plist was.plist
status 2 "$CAPSULE" apply Test.plist swiftui.plist
says err '^swiftui.plist:1:[0-9]*: error: .* no element to match (at /UIApplicationSceneManifest/'
says err '^capsule: hint: write UISceneConfigurationName to add an element$'
same swiftui.plist was.plist

# Conditions, definitions, expansion.
printf '{"CapsuleOverlay":1,"When":{"CONFIGURATION":["Debug","Test"]},"Merge":{"Id":"$(NAME:rfc1034identifier).test"}}' > doc.json
status 0 env CONFIGURATION=Release "$CAPSULE" apply doc.json swiftui.plist -q
same swiftui.plist was.plist
status 0 env CONFIGURATION=Release "$CAPSULE" apply doc.json swiftui.plist
says err 'skipped: CONFIGURATION is Release$'
status 2 env CONFIGURATION=Debug "$CAPSULE" apply --expand doc.json swiftui.plist
says err 'NAME'
same swiftui.plist was.plist
ok env CONFIGURATION=Debug "$CAPSULE" apply --expand --define 'NAME=A b' doc.json swiftui.plist
says swiftui.plist '<string>A-b.test</string>'

# Names that no reference can have are mistakes; a name in a key stays as it is, which is said.
for name in 'CONFIGURATION == Debug' CONFIGURATION==Debug ' A=1'; do
    for flag in --when --define; do
        status 64 "$CAPSULE" apply $flag "$name" doc.json swiftui.plist
        says err "hint: write '"
    done
done
says err 'without spaces'
echo '{"$(KEY)": "$(VERSION:upper)"}' > keys.json
cp swiftui.plist keys.plist
ok "$CAPSULE" apply --expand --define VERSION=1.2b3 keys.json keys.plist
says err 'warning: keys.json: the key "$(KEY)" is not expanded: only values are (at /$(KEY))$'
says keys.plist '<string>1.2B3</string>'

# Through the data of a property list, however deep: XML in XML, in binary, compressed, and each stays as it is.
cat > nested.py <<'END'
import plistlib, zlib

inner = b"""<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<!-- kept -->
<dict>
  <key>count</key> <integer>1</integer>
</dict>
</plist>
"""
value = {"Plain": 1, "State": inner, "Packed": zlib.compress(plistlib.dumps({"deep": inner}, fmt=plistlib.FMT_BINARY), 9)}
for name, fmt in ("x.plist", plistlib.FMT_XML), ("y.plist", plistlib.FMT_BINARY):
    with open(name, "wb") as file:
        plistlib.dump(value, file, fmt=fmt)
END
python3 nested.py
cat > through.json <<'END'
{"CapsuleOverlay": 1, "Operations": [
  {"op": "test", "path": "/State/<plist>/count", "value": 1},
  {"op": "replace", "path": "/State/<plist>/count", "value": 2},
  {"op": "replace", "path": "/Packed/<zlib>/<plist>/deep/<plist>/count", "value": 3}
]}
END
for file in x y; do
    cp "$file.plist" "$file.old"
    status 1 "$CAPSULE" apply --check through.json "$file.plist"
    same "$file.plist" "$file.old"
    ok "$CAPSULE" apply through.json "$file.plist"
    python3 - "$file" <<'END'
import plistlib, sys, zlib

def load(name):
    with open(name, "rb") as file:
        data = file.read()
    return plistlib.loads(data), data[:8] == b"bplist00"

(old, was_binary), (new, is_binary) = load(sys.argv[1] + ".old"), load(sys.argv[1] + ".plist")
inner = old["State"]
assert is_binary == was_binary and list(new) == list(old) and new["Plain"] == 1, new
assert new["State"] == inner.replace(b"<integer>1<", b"<integer>2<"), new["State"]
packed = zlib.decompress(new["Packed"])
assert packed[:8] == b"bplist00"
assert plistlib.loads(packed) == {"deep": inner.replace(b"<integer>1<", b"<integer>3<")}, packed
END
done
for file in x.old x.plist; do
    python3 -c 'import re, sys
print(re.sub(r"(?s)<data>.*?</data>", "<data/>", open(sys.argv[1]).read()))' "$file" > "$file.frame"
done
same x.old.frame x.plist.frame
# An overlay that is stored with a version is tried in the same way.
mkdir -p deep/Library
cp y.old deep/Library/y.plist
ok "$CAPSULE" pack -q deep -o deep.capsule --overlay Library/y.plist=through.json

# A keyed archive can be looked into, but not changed.
cat > archive.py <<'END'
import plistlib

archive = {
    "$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": plistlib.UID(2)},
    "$objects": ["$null", {"$classname": "Person", "$classes": ["Person", "NSObject"]},
        {"$class": plistlib.UID(1), "name": plistlib.UID(3)}, "Ann"]}
with open("archive.plist", "wb") as file:
    plistlib.dump({"State": plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)}, file, fmt=plistlib.FMT_BINARY)
END
python3 archive.py
cp archive.plist archive.old
printf '[{"op":"test","path":"/State/<archive>/root/name","value":"Ann"}]' > looks.json
ok "$CAPSULE" apply --check looks.json archive.plist
printf '[{"op":"replace","path":"/State/<archive>/root/name","value":"Bob"}]' > names.json
status 2 "$CAPSULE" apply names.json archive.plist
says err 'archive.plist: .*objects of a keyed archive can.t be changed here.*(at /State/<archive>'
says err "hint: use '<plist>' to edit"
same archive.plist archive.old
printf '[{"op":"replace","path":"/State/<plist>/$objects/3","value":"Bob"}]' > objects.json
ok "$CAPSULE" apply objects.json archive.plist
printf '[{"op":"test","path":"/State/<archive>/root/name","value":"Bob"}]' > looks.json
ok "$CAPSULE" apply --check looks.json archive.plist

# A JSON Merge Patch replaces arrays, and says so where that is hardly meant.
printf '{"UIBackgroundModes":["audio"]}' > patch.json
printf '<plist><dict><key>UIBackgroundModes</key><array><string>fetch</string></array></dict></plist>' > modes.plist
status 1 "$CAPSULE" apply --check patch.json modes.plist
says err "hint: '--deep' reads"
ok "$CAPSULE" apply --deep patch.json modes.plist
says modes.plist 'fetch.*audio'

# What is no overlay, no property list, not there.
printf '{"CapsuleOverlay":1,"Opertions":[]}' > typo.json
status 2 "$CAPSULE" apply typo.json Info.plist
says err 'unknown key "Opertions"'
says err "hint: did you mean 'Operations'?"
printf '{"a":\n tru}' > bad.json
status 2 "$CAPSULE" apply bad.json Info.plist
says err '^bad.json:2:2: error: '
status 2 "$CAPSULE" apply missing.plist Info.plist
status 2 "$CAPSULE" apply Test.plist missing.plist
absent missing.plist
status 64 "$CAPSULE" apply Test.plist
status 64 "$CAPSULE" apply Test.plist Info.plist --arrays x

# To a container: what has no path has to be told where it belongs.
mkdir container
cp wanted.json container/settings.json
printf '{"CapsuleOverlay":1,"Merge":{"theme":"blue"}}' > blue.overlay
status 2 "$CAPSULE" apply blue.overlay container
says err "^capsule: hint: name the file with '--target PATH'"
same wanted.json container/settings.json
ok "$CAPSULE" apply blue.overlay container --target settings.json
[ "$("$CAPSULE" plist get container/settings.json /theme)" = blue ] || fail 'the container has another theme'
