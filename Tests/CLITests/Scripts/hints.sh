# Messages say what to do next.
. "$LIB"

# Open conflicts: how to decide them.
for side in base ours theirs; do
    echo "{\"a\": \"$side\", \"b\": \"$side\"}" > $side.json
    "$CAPSULE" plist convert -q xml $side.json -o $side.plist
done
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist
says err "^capsule: hint: .*'--prefer'.*'--conflicts FILE'.*'--resolve FILE'"
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --conflicts c.json
says err "^capsule: hint: .*'Take' in c.json.*'--resolve'"
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --resolve c.json
says err "^capsule: hint: no conflict in c.json is decided: give each a 'Take'"
python3 - << 'EOF'
import json
document = json.load(open("c.json"))
document["Conflicts"][0]["Take"] = "ours"
json.dump(document, open("c.json", "w"))
EOF
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --resolve c.json
says err "^capsule: hint: give each open conflict a 'Take'"
status 0 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --prefer ours
says_not err 'hint'

# A directory where a capsule is wanted, and no directory where a container is.
mkdir -p dir
for verb in log verify repair "compact --keep latest"; do
    status 2 "$CAPSULE" $verb dir
    says err '^capsule: error: dir: is a directory, and no capsule$'
    says err "^capsule: hint: 'capsule pack'"
done
status 2 "$CAPSULE" restore "$SAMPLES/Gifs-before.xcappdata" new
says err '^capsule: error: new: there is no such directory'
says err "^capsule: hint: 'capsule unpack' makes a new one$"

# Words of other tools.
status 64 "$CAPSULE" undo
says err "did you mean 'apply' or 'restore'?"
status 64 "$CAPSULE" find
says err "did you mean 'ls'?"

# Quiet: nothing but what breaks an expectation.
mkdir a b
echo 1 > b/new
status 1 "$CAPSULE" diff -q a b
[ ! -s out ] || fail "changes are shown"
status 1 "$CAPSULE" diff -q --stat a b
[ ! -s out ] || fail "changes are shown"
echo '{"CapsuleExpectation": 1}' > none.json
status 1 "$CAPSULE" diff -q a b --expect none.json
says out '^! not allowed: new (added)$'
echo '{"CapsuleExpectation": 1, "Other": "allow"}' > all.json
ok "$CAPSULE" diff -q a b --expect all.json
[ ! -s out ] || fail "an expectation that holds is told"
