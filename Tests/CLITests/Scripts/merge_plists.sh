# Three property lists are merged: only the lines that one side changed are other than ours.
. "$LIB"

write() {
    cat > "$1" << EOF
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<!-- of the team -->
	<key>CFBundleVersion</key>
	<string>$2</string>
	<key>Name</key>
	<string>$3</string>
	<key>Steps</key>
	<array>
		<string>A</string>
		<string>$4</string>
	</array>
</dict>
</plist>
EOF
}
write base.plist 1 x B
write ours.plist 2 x B
write theirs.plist 1 y B
write wanted.plist 2 y B
chmod 640 ours.plist
ok "$CAPSULE" merge base.plist ours.plist theirs.plist -o merged.plist
same merged.plist wanted.plist
[ -z "$(find merged.plist ! -perm 640)" ] || fail "the mode is another"
ok "$CAPSULE" merge base.plist ours.plist theirs.plist -o -
same out wanted.plist

# The same key: one conflict, with its pointer and both values, and nothing is written.
write theirs.plist 3 y B
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o clash.plist
absent clash.plist
says out '^conflict 1: value /CFBundleVersion: both changed: base "1", ours "2", theirs "3"'
says out '^1 open conflict: the result was not written$'
[ "$(grep -c '^conflict' out)" = 1 ] || fail "more than one conflict"
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o clash.plist --json
absent clash.plist
python3 - << 'EOF' || fail "the JSON is another"
import json
header, conflict, end = [json.loads(line) for line in open("out")]
assert header["schema"] == "capsule.merge" and header["version"] == 1 and header["ours"]["source"] == "ours.plist"
assert conflict["kind"] == "conflict" and conflict["conflict"] == "value" and conflict["pointer"] == "/CFBundleVersion"
assert (conflict["base"], conflict["ours"], conflict["theirs"]) == ("1", "2", "3")
assert end["status"] == 1 and end["conflicts"] == 1 and end["open"] == 1 and end["written"] is False
EOF

# Written all the same, with ours there; or with marks.
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o clash.plist --partial
same clash.plist wanted.plist
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o marked.plist --partial --markers
says marked.plist '^<<<<<<< ours.plist$'
says marked.plist '^>>>>>>> theirs.plist$'

# Decided by a side.
write both.plist 3 y B
ok "$CAPSULE" merge base.plist ours.plist theirs.plist -o preferred.plist --prefer theirs
same preferred.plist both.plist
says out 'takes theirs, by --prefer theirs$'
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o other.plist --prefer 'theirs={"Pointer":"/Other"}'
ok "$CAPSULE" merge base.plist ours.plist theirs.plist -o other.plist --prefer ours --prefer 'theirs={"Pointer":"/CFBundleV*"}'
same other.plist both.plist
status 64 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --prefer mine
says err 'ours'
status 64 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --prefer 'theirs={"Pat":"x"}'
status 64 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --prefer 'theirs={'
absent no.plist

# Decided by hand, in either form.
for form in plist json; do
    status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --conflicts "todo.$form"
    says_not out '^conflict'
    for take in base ours theirs value; do
        python3 - "todo.$form" "done.$form" "$take" << 'EOF'
import json, plistlib, sys
source, target, take = sys.argv[1:]
is_json = source.endswith("json")
document = json.load(open(source)) if is_json else plistlib.load(open(source, "rb"))
document["Conflicts"][0]["Take"] = take
if take == "value": document["Conflicts"][0]["Value"] = "4"
if is_json: json.dump(document, open(target, "w"))
else: plistlib.dump(document, open(target, "wb"))
EOF
        ok "$CAPSULE" merge base.plist ours.plist theirs.plist -o decided.plist --force --resolve "done.$form"
        case $take in base) version=1 ;; ours) version=2 ;; theirs) version=3 ;; value) version=4 ;; esac
        write wanted.plist "$version" y B
        same decided.plist wanted.plist
    done
    # Undecided, it is still open.
    status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --resolve "todo.$form"
    absent no.plist
done
# For other inputs, or with other numbers, it is none.
status 2 "$CAPSULE" merge base.plist theirs.plist ours.plist -o no.plist --resolve done.plist
says err 'that the conflicts file was written for'
sed 's|<string>1</string>|<string>7</string>|' todo.plist > unknown.plist
python3 - << 'EOF'
import plistlib
document = plistlib.load(open("done.plist", "rb"))
document["Conflicts"][0]["Id"] = "7"
plistlib.dump(document, open("unknown.plist", "wb"))
document["Conflicts"] = []
plistlib.dump(document, open("lacking.plist", "wb"))
EOF
status 2 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --resolve unknown.plist
says err "conflict '7'"
status 2 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --resolve lacking.plist
says err "don't list the conflict '1'"
status 2 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist --resolve base.plist
absent no.plist

# How arrays pair can be said.
write theirs.plist 1 x C
write ours.plist 1 x D
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o no.plist
says out 'sequence\|value'
ok "$CAPSULE" merge base.plist ours.plist theirs.plist -o set.plist --arrays '/Steps=set'
says set.plist '<string>C</string>'
says set.plist '<string>D</string>'

# A plist and a container don't merge, nor do other texts; what is there stays.
mkdir container
status 64 "$CAPSULE" merge base.plist container theirs.plist -o no.plist
echo text > text
status 2 "$CAPSULE" merge text text text -o no.plist
says err 'not a property list'
status 2 "$CAPSULE" merge base.plist ours.plist missing.plist -o no.plist
head -c 200 ours.plist > half.plist
status 2 "$CAPSULE" merge base.plist half.plist theirs.plist -o no.plist
says err 'half.plist'
status 2 "$CAPSULE" merge base.plist base.plist ours.plist -o set.plist
says err 'already exists'
status 64 "$CAPSULE" merge base.plist base.plist ours.plist
status 64 "$CAPSULE" merge base.plist base.plist ours.plist -o no.plist --markers
absent no.plist
