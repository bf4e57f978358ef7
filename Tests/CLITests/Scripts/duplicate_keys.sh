# Of a key that a property list in XML or OpenStep has twice the last value counts, in every verb, with a warning that names both places.
. "$LIB"
need python3
write() {
    printf '<plist version="1.0">\n<dict>\n\t<key>a</key>\n\t<string>%s</string>\n\t<key>a</key>\n\t<string>%s</string>\n\t<key>b</key>\n\t<string>%s</string>\n</dict>\n</plist>\n' "$@"
}
twice='t.plist:5:2: warning: duplicate key "a", first at 3:2 (at /a)$'
write old new x > t.plist
ok_warned() {
    status 0 "$@"
    says err "$twice"
}
status 0 "$CAPSULE" plist get t.plist /a
says out '^new$'
says err "$twice"
status 0 "$CAPSULE" plist print t.plist
says out '  a: string "new"'
says err "$twice"
status 2 "$CAPSULE" plist lint t.plist
says err '^t.plist:5:2: error: duplicate key "a", first at 3:2 (at /a)$'

# An edit changes the one that counts, and not a byte of the other.
status 0 "$CAPSULE" plist set -q t.plist /a --string newer
says err "$twice"
write old newer x > wanted.plist
same t.plist wanted.plist
cat > overlay.plist << 'EOF'
<plist version="1.0"><dict><key>a</key><string>x</string><key>a</key><string>applied</string></dict></plist>
EOF
status 0 "$CAPSULE" apply -q overlay.plist t.plist
says err "$twice"
says err '^overlay.plist:1:[0-9]*: warning: duplicate key "a", first at 1:[0-9]* '
write old applied x > wanted.plist
same t.plist wanted.plist
status 0 "$CAPSULE" overlay show overlay.plist
says err '^overlay.plist:1:[0-9]*: warning: duplicate key'
says out 'applied'

# Compared and merged by the value that counts.
write other applied x > same.plist
alike t.plist same.plist
write old applied y > theirs.plist
status 0 "$CAPSULE" merge -q t.plist t.plist theirs.plist -o merged.plist
says err "$twice"
same merged.plist theirs.plist
write old mine x > ours.plist
status 0 "$CAPSULE" merge -q t.plist ours.plist theirs.plist -o both.plist
write old mine y > wanted.plist
same both.plist wanted.plist
# Two sides that add one key in two places give no key twice.
one() { printf '<plist>\n<dict>\n%s<key>m</key>\n<string/>\n%s</dict>\n</plist>\n' "$@"; }
one '' '' > base.plist
key='<key>n</key>
<true/>
'
one "$key" '' > first.plist
one '' "$key" > second.plist
ok "$CAPSULE" merge -q base.plist first.plist second.plist -o added.plist
ok "$CAPSULE" plist lint added.plist

# In containers: apply, merge and diff.
for side in base ours theirs; do mkdir $side; done
cp t.plist base/t.plist
cp ours.plist ours/t.plist
cp theirs.plist theirs/t.plist
status 0 "$CAPSULE" merge -q base ours theirs -o merged
says err 'ours: t.plist:5:2: duplicate key "a", first at 3:2'
same merged/t.plist wanted.plist
status 1 "$CAPSULE" diff base merged
says out '~ /a: "applied" → "mine"'
status 0 "$CAPSULE" apply -q overlay.plist merged --target t.plist
says err 't.plist:5:2: duplicate key "a", first at 3:2'
write old applied y > wanted.plist
same merged/t.plist wanted.plist

# In OpenStep it is as in XML.
table() { printf 'a = "%s";\na = "%s";\nb = "%s";\n' "$@"; }
twice='t.strings:2:1: warning: duplicate key "a", first at 1:1 (at /a)$'
table old new x > t.strings
ok_warned "$CAPSULE" plist get t.strings /a
says out '^new$'
status 2 "$CAPSULE" plist lint t.strings
says err '^t.strings:2:1: error: duplicate key "a", first at 1:1 (at /a)$'
ok_warned "$CAPSULE" apply -q overlay.plist t.strings
table old applied x > wanted.strings
same t.strings wanted.strings
table other applied x > same.strings
alike t.strings same.strings
table old mine x > ours.strings
table old applied y > theirs.strings
ok_warned "$CAPSULE" merge -q t.strings ours.strings theirs.strings -o both.strings
table old mine y > wanted.strings
same both.strings wanted.strings

# JSON keeps it an error, and so does what has a format of Capsule's own.
echo '{"a": 1, "a": 2}' > t.json
status 2 "$CAPSULE" plist get t.json /a
says err '^t.json:1:10: error: duplicate key "a", first at 1:2 (at /a)$'
cat > rules.plist << 'EOF'
<plist><dict><key>Rules</key><array/><key>Rules</key><array/></dict></plist>
EOF
status 2 "$CAPSULE" diff base merged --rules rules.plist
says err '^rules.plist:1:[0-9]*: error: duplicate key "Rules"'

# So does an overlay that is a document, in every verb; a plain overlay is a property list as any other.
cat > document.plist << 'EOF'
<plist><dict><key>CapsuleOverlay</key><integer>1</integer>
<key>Merge</key><dict><key>a</key><integer>1</integer></dict>
<key>Merge</key><dict><key>b</key><integer>2</integer></dict></dict></plist>
EOF
write old new x > t.plist
cp t.plist was.plist
document='^document.plist:3:[0-9]*: error: duplicate key "Merge", first at 2:'
refused() {
    status 2 "$@"
    says err "$document"
    says_not err 'document.plist.*warning'
}
refused "$CAPSULE" apply document.plist t.plist
same t.plist was.plist
refused "$CAPSULE" overlay show document.plist
refused "$CAPSULE" overlay check document.plist
refused "$CAPSULE" overlay compose document.plist document.plist -o composed.json
refused "$CAPSULE" pack base -o base.capsule --overlay t.plist=document.plist
absent composed.json base.capsule
