# What is at the edge of what merges: it is refused or a conflict, and nothing is lost or comes back by it.
. "$LIB"
need python3

# Of more app groups than a container has numbers for, none may be taken for another.
python3 - << 'EOF'
import os
def groups(side, names):
    os.makedirs(f"g-{side}.xcappdata/AppData/Documents")
    open(f"g-{side}.xcappdata/AppDataInfo.plist", "w").write("{}")
    for name in names:
        directory = f"g-{side}.xcappdata/AppGroups/{name}/Documents"
        os.makedirs(directory)
        open(directory + "/who.txt", "w").write(name)
first, second = [f"group.a{n:03}" for n in range(150)], [f"group.b{n:03}" for n in range(150)]
groups("base", first)
groups("ours", first[:1])
groups("theirs", first[:1] + second)
groups("some", first[:1] + second[:50])
EOF
status 2 "$CAPSULE" merge g-base.xcappdata g-ours.xcappdata g-theirs.xcappdata -o g-merged.xcappdata
says err 'the three sides have 300 app groups, but a container holds at most 253'
absent g-merged.xcappdata
ok "$CAPSULE" merge g-base.xcappdata g-ours.xcappdata g-some.xcappdata -o g-merged.xcappdata
[ "$(cat g-merged.xcappdata/AppGroups/*/Documents/who.txt | grep -o 'group\.....' | wc -l)" = 51 ] || fail 'groups were lost'

# A base that can't be read is not nothing: what ours deleted would come back as what theirs added.
mkdir base ours theirs
python3 - << 'EOF'
import plistlib
def write(name, value): plistlib.dump(value, open(name, "wb"), fmt=plistlib.FMT_BINARY)
write("base/Large.plist", {"k": 1, "big": bytes(70 << 20), "z": 1})
write("ours/Large.plist", {"z": 1, "m": 2})
write("theirs/Large.plist", {"k": 1, "z": 1, "n": 3})
write("base/Cut.plist", {"k": 1, "z": 1})
write("ours/Cut.plist", {"z": 1, "m": 2})
write("theirs/Cut.plist", {"k": 1, "z": 1, "n": 3})
data = open("base/Cut.plist", "rb").read()
open("base/Cut.plist", "wb").write(data[:-3])
EOF
status 1 "$CAPSULE" merge base ours theirs -o merged
says out '^conflict 1: contents Cut.plist: both changed it, and the base can.t be read: '
says out '^conflict 2: contents Large.plist: the base is larger than 64 MiB: '
says out '^2 open conflicts'

# Resolutions speak of conflicts, and not of numbers that other rules give to others.
mkdir r-base r-ours r-theirs
python3 - << 'EOF'
import json
def write(side, a, z): json.dump({"a": [{"id": i, "v": v} for i, v in a], "z": z}, open(f"r-{side}/x.json", "w"), indent=1)
write("base", [(1, 0), (2, 0)], 0)
write("ours", [(2, 0), (1, 1)], 1)
write("theirs", [(1, 2), (2, 0)], 2)
EOF
status 1 "$CAPSULE" merge r-base r-ours r-theirs -o r --arrays '/a=keyed(id)' --conflicts todo.json
python3 - << 'EOF'
import json
document = json.load(open("todo.json"))
for conflict in document["Conflicts"]: conflict["Take"] = "theirs"
json.dump(document, open("todo.json", "w"))
EOF
status 2 "$CAPSULE" merge r-base r-ours r-theirs -o r --resolve todo.json
says err "conflict '1' is not the one in the resolutions"
says err "hint: .*'--arrays'"
absent r
ok "$CAPSULE" merge r-base r-ours r-theirs -o r --arrays '/a=keyed(id)' --resolve todo.json

# What is taken keeps its own mode where it is another kind of thing.
mkdir -p k-base/Documents/d k-ours/Documents k-theirs/Documents
printf '\0ours' > k-ours/Documents/d
printf '\0theirs' > k-theirs/Documents/d
ok "$CAPSULE" merge k-base k-ours k-theirs -o k --prefer theirs
status 1 "$CAPSULE" merge k-base k-ours k-theirs -o k2 --conflicts take.json
python3 - << 'EOF'
import json
document = json.load(open("take.json"))
for conflict in document["Conflicts"]: conflict["Take"] = "base"
json.dump(document, open("take.json", "w"))
EOF
ok "$CAPSULE" merge k-base k-ours k-theirs -o k2 --resolve take.json
[ "$(find k2/Documents/d -perm 755 -type d)" = k2/Documents/d ] || fail "$(ls -ld k2/Documents/d)"

# More merged bytes than stay in memory.
mkdir m-base m-ours m-theirs
python3 - << 'EOF'
import plistlib
def write(name, value): plistlib.dump(value, open(name, "wb"), fmt=plistlib.FMT_BINARY)
for number in range(3):
    large = bytes([number]) * (9 << 20)
    write(f"m-base/{number}.plist", {"a": 1, "b": 1, "large": large})
    write(f"m-ours/{number}.plist", {"a": 2, "b": 1, "large": large})
    write(f"m-theirs/{number}.plist", {"a": 1, "b": number, "large": large})
EOF
ok "$CAPSULE" merge m-base m-ours m-theirs -o m
python3 - << 'EOF' || fail 'this is not what was merged'
import plistlib
for number in range(3):
    merged = plistlib.load(open(f"m/{number}.plist", "rb"))
    assert merged == {"a": 2, "b": number, "large": bytes([number]) * (9 << 20)}, number
EOF
rm -r m-base m-ours m-theirs m

# A side that is a link on the way, and a directory that nobody may write to.
mkdir -p l/real
ln -s real l/ln
echo '{"a":1}' > l/real/p.plist
echo '{"CapsuleOverlay":1,"Targets":[{"Path":"ln/p.plist","Create":"xml","Merge":{"x":1}}]}' > o.json
status 2 "$CAPSULE" apply o.json l
says err 'ln: is a link, not a directory'
if [ "$(id -u)" != 0 ]; then
    mkdir closed
    echo 1 > closed/f
    ok "$CAPSULE" pack -q closed -o closed.capsule
    echo 2 > closed/f
    chmod 555 closed
    status 2 "$CAPSULE" restore closed.capsule closed
    chmod 755 closed
    says err "hint: changes are staged in the directory itself"
fi

# Elements that repeat: what each side replaced is replaced where it stood, in every kind of list.
seq_of() { for number in "$@"; do printf '%s\n' "$number"; done; }
json_of() { printf '{"a":[%s]}\n' "$(seq_of "$@" | paste -sd, -)"; }
mkdir repeated
cd repeated
for kind in seq json; do
    "${kind}_of" 0 0 0 0 0 0 > "base.$kind"
    "${kind}_of" 0 1 0 0 0 0 > "ours.$kind"
    "${kind}_of" 0 0 0 0 2 0 > "theirs.$kind"
    "${kind}_of" 0 1 0 0 2 0 > "right.$kind"
done
ok "$CAPSULE" merge -q base.json ours.json theirs.json -o merged.json
cmp merged.json right.json || fail 'json: wrong elements'
for side in base ours theirs; do
    ok "$CAPSULE" plist convert binary "$side.json" -o "$side.plist"
done
ok "$CAPSULE" merge -q base.plist ours.plist theirs.plist -o merged.plist
ok "$CAPSULE" plist convert json merged.plist -o merged-plist.json
alike merged-plist.json right.json
for side in base ours theirs right; do
    mkdir "$side"
    cp "$side.json" "$side/x.json"
    cp "$side.seq" "$side/x.txt"
done
ok "$CAPSULE" merge -q base ours theirs -o merged
cmp merged/x.json right/x.json || fail 'a tree: wrong elements'
cmp merged/x.txt right/x.txt || fail 'a tree: wrong lines'
status 1 "$CAPSULE" diff base ours --overlay change.capsule
says out '~ /a/1: 0 → 1'
ok "$CAPSULE" apply change.capsule theirs --three-way -q
cmp theirs/x.json right/x.json || fail 'three-way: wrong elements'
cmp theirs/x.txt right/x.txt || fail 'three-way: wrong lines'
json_of 0 0 0 0 0 7 0 0 0 0 > base/x.json
status 1 "$CAPSULE" diff base.json ours.json --overlay change.json
ok "$CAPSULE" apply change.json base/x.json -q
[ "$(tr -d ' \n' < base/x.json)" = '{"a":[0,1,0,0,0,7,0,0,0,0]}' ] || fail 'an element moved that nobody named'
cd ..
