# capsule apply: an overlay that does not apply is never silent, and with --require it is an error.
. "$LIB"
need python3
plist() { printf '<plist version="1.0"><dict>%s</dict></plist>\n' "$1"; }
plist '<key>a</key><integer>1</integer>' > base.plist
plist '<key>a</key><integer>2</integer>' > over.plist
cp base.plist kept.plist

# A slip in a condition: --quiet does not hide it.
ok_or_note() { status 0 "$@" && says err '^capsule: note: over.plist: skipped: CONFIGURATION is not set$'; }
unset CONFIGURATION
ok_or_note "$CAPSULE" apply over.plist base.plist --when CONFIGURATION=Debug
ok_or_note "$CAPSULE" apply -q over.plist base.plist --when CONFIGURATION=Debug
[ ! -s out ] || fail 'quiet reports'
same base.plist kept.plist
status 2 "$CAPSULE" apply -q --require over.plist base.plist --when CONFIGURATION=Debug
says err '^capsule: error: over.plist: no part of it applies: CONFIGURATION is not set$'
says err "^capsule: hint: without '--require' such an overlay is skipped$"
status 2 "$CAPSULE" apply --require over.plist base.plist --when CONFIGURATION=Debug --define CONFIGURATION=Release -o out.plist
says err 'CONFIGURATION is Release$'
absent out.plist
same base.plist kept.plist
# One that does not apply stops those that do.
cat > never.json <<'END'
{"CapsuleOverlay": 1, "When": {"NEVER": "1"}, "Merge": {"a": 3}}
END
status 2 "$CAPSULE" apply --require over.plist never.json base.plist
same base.plist kept.plist
# A part that applies is enough.
cat > part.json <<'END'
{"CapsuleOverlay": 1, "Operations": [{"op": "replace", "path": "/a", "value": 2, "when": {"NEVER": "1"}},
    {"op": "replace", "path": "/a", "value": 4}]}
END
status 0 "$CAPSULE" apply --require part.json base.plist
[ "$("$CAPSULE" plist get base.plist /a)" = 4 ] || fail 'not applied'
cp kept.plist base.plist
ok "$CAPSULE" apply -q --require over.plist base.plist --when CONFIGURATION=Debug --define CONFIGURATION=Debug
[ "$("$CAPSULE" plist get base.plist /a)" = 2 ] || fail 'not applied'
ok "$CAPSULE" apply -q --require over.plist base.plist

# In a container.
mkdir -p box/Library/Preferences box/Documents box/tmp
cp kept.plist box/Library/Preferences/a.plist
cat > box.json <<'END'
{"CapsuleOverlay": 1, "Targets": [{"Path": "Library/Preferences/a.plist", "When": {"NEVER": "1"}, "Merge": {"a": 3}}]}
END
status 0 "$CAPSULE" apply -q box.json box
says err 'NEVER is not set'
status 2 "$CAPSULE" apply -q --require box.json box
says err '^capsule: error: box.json: no part of it applies: NEVER is not set$'
same box/Library/Preferences/a.plist kept.plist
status 0 "$CAPSULE" apply -q --require box.json box --define NEVER=1
[ "$("$CAPSULE" plist get box/Library/Preferences/a.plist /a)" = 3 ] || fail 'not applied'
