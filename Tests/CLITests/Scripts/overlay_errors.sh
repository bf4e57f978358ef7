# What is wrong with an overlay, or does not fit, is told with its place and with what to write; nothing is written then.
. "$LIB"
cat > base.plist << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
	<key>UIApplicationSceneManifest</key>
	<dict>
		<key>UISceneConfigurations</key>
		<dict>
			<key>Role</key>
			<array>
				<dict>
					<key>UISceneConfigurationName</key>
					<string>A</string>
				</dict>
				<dict>
					<key>UISceneConfigurationName</key>
					<string>A</string>
				</dict>
			</array>
		</dict>
	</dict>
	<key>UIBackgroundModes</key>
	<array>
		<string>audio</string>
	</array>
	<key>N</key>
	<integer>1</integer>
</dict>
</plist>
END
cp base.plist was.plist
identity() { ls -lin --time-style=full-iso "$1" 2> /dev/null || ls -linT "$1"; }
before=$(identity base.plist)

# wrong OVERLAY MESSAGE HINT FLAG...: fails with both.
wrong() {
    printf '%s\n' "$1" > o.json
    message=$2
    hint=$3
    shift 3
    status 2 "$CAPSULE" apply "$@" o.json base.plist
    says err "^$message"
    says err "^capsule: hint: .*$hint"
    [ "$before" = "$(identity base.plist)" ] || fail "written: $(cat o.json)"
}

roles='"UIApplicationSceneManifest":{"UISceneConfigurations":{"Role":'
pointer='/UIApplicationSceneManifest/UISceneConfigurations/Role'
wrong "{$roles[{\"UISceneConfigurationName\":\"A\",\"x\":1}]}}}" \
    "base.plist:8:4: error: elements 0 and 1 of the base's array .*(at $pointer)$" 'by its index' --deep
wrong "{$roles[{\"x\":1}]}}}" 'base.plist:8:4: error: element 0 of the overlay' 'write UISceneConfigurationName' --deep
wrong "{\"CapsuleOverlay\":1,\"Operations\":[{\"op\":\"remove\",\"path\":\"$pointer/[UISceneConfigurationName=A]\"}]}" \
    'base.plist:8:4: error: 2 elements .*: 0, 1 .* o.json:1:35$' 'by its index'
wrong '{"CapsuleOverlay":1,"Mrege":{}}' 'o.json:1:21: error: unknown key "Mrege"' "did you mean 'Merge'"
wrong '{"CapsuleOverlay":1,"Operations":[{"op":"replce","path":"/N","value":1}]}' 'o.json:1:36: error: .*"replce"' \
    "did you mean 'replace'"
wrong '{"CapsuleOverlay":1,"Operations":[{"op":"replace","path":"/N","vlue":1}]}' 'o.json:1:63: error: unknown key "vlue"' \
    "did you mean 'value'"
wrong '{"N":{"a":1}}' 'base.plist:25:2: error: the overlay has a dictionary, but the base has an integer (at /N)$' 'replace' --deep
wrong '{"UIBackgroundModes":"x"}' 'base.plist:21:2: error: the overlay has a string, but the base has an array' 'replace' --deep
wrong '{"CapsuleOverlay":1,"Arrays":{"UIBackgroundModes":"keyed(X"}}' 'o.json:1:31: error: "keyed(X" is not an array identity' \
    "write 'keyed(KEY)'"
wrong '{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/N","value":1.0}]}' \
    'base.plist:25:2: error: the value is .* (a real, not an integer) (at /N), required by /Operations/0 in o.json:1:35$' 'has changed since'
wrong '[{"op":"test","path":"/N","value":2}]' 'base.plist:25:2: error: the value is 1, but the overlay expects 2' 'has changed since'
wrong '{"CapsuleOverlay":1,"Operations":[{"op":"remove","path":"/n"}]}' 'base.plist:3:1: error: no key "n"' "did you mean 'N'?"
wrong '{"CapsuleOverlay":1,"Merge":{"a":{"b":"$(NOPE)"}}}' "o.json:1:35: error: 'NOPE' has no value (at /a/b)$" \
    "'--define NOPE=" --expand
wrong '{"a":"$(N:lowr)"}' "o.json:1:2: error: unknown operator 'lowr'" 'lower' --expand --deep --define N=1
wrong '{"CapsuleOverlay":1,"Path":"x","Merge":{}}' 'capsule: error: o.json: .*Path "x"' "'--target x'"
wrong '{"CapsuleOverlay":1,"When":{"A":5}}' 'o.json:1:29: error: "A" of When is not a condition' 'write true'
wrong '5' 'capsule: error: o.json: an overlay must be a dictionary' 'Operations'

# No error, but hardly meant: a note with the pointer, and what to write.
printf '{"UIBackgroundModes":["fetch"]}' > o.json
status 0 "$CAPSULE" apply o.json base.plist -o out.plist
says err '^capsule: warning: o.json: the merge patch replaces the whole array.*(at /UIBackgroundModes)$'
says err "^capsule: hint: '--deep'"
same base.plist was.plist

# Under Xcode, in the words that it takes for a place in a file.
printf '{"CapsuleOverlay":1,"Mrege":{}}' > o.json
status 2 env XCODE_VERSION_ACTUAL=2600 "$CAPSULE" apply o.json base.plist
says err '^o.json:1:21: error: '
says err '^note: did you mean'
