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
says err "^capsule: hint: add 'Take' to each conflict in c.json.*'--resolve'"
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --resolve c.json
says err "^capsule: hint: no conflict in c.json is resolved: add 'Take' to each"
python3 - << 'EOF'
import json
document = json.load(open("c.json"))
document["Conflicts"][0]["Take"] = "ours"
json.dump(document, open("c.json", "w"))
EOF
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --resolve c.json
says err "^capsule: hint: add 'Take' to each open conflict"
status 0 "$CAPSULE" merge base.plist ours.plist theirs.plist -o m.plist --prefer ours
says_not err 'hint'

# A directory where a capsule is wanted, and no directory where a container is.
mkdir -p dir
for verb in log verify repair "compact --keep latest"; do
    status 2 "$CAPSULE" $verb dir
    says err '^capsule: error: dir: is a directory, not a capsule$'
    says err "^capsule: hint: 'capsule pack'"
done
status 2 "$CAPSULE" restore "$SAMPLES/Gifs-before.xcappdata" new
says err '^capsule: error: new: the container does not exist'
says err "^capsule: hint: 'capsule unpack' creates one from a capsule or an archive$"

# Words of other tools.
status 64 "$CAPSULE" rollback
says err "did you mean 'restore'?"
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

# Verify names what helps. For a version of which nothing can be read that is another version, and never what sends back here.
need python3
flip() { python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read()); data[int(sys.argv[2])] ^= 1; open(sys.argv[1], "wb").write(data)' "$@"; }
place() { python3 "$TOOLS/capsule_reader.py" members "$1" | python3 -c 'import json, sys
print([m["offset"] for m in map(json.loads, sys.stdin) if m["kind"] == sys.argv[1]][int(sys.argv[2])])' "$2" "$3"; }
mkdir v
echo one > v/a
ok "$CAPSULE" pack v -q -o one.capsule
cp one.capsule two.capsule
echo two > v/a
ok "$CAPSULE" pack v -q --append -o two.capsule
for kind in M I B; do
    cp two.capsule x.capsule
    flip x.capsule $(($(place two.capsule $kind -1) + 60))
    status 2 "$CAPSULE" unpack x.capsule -o u
    says err "^capsule: hint: 'capsule verify x.capsule' shows what is intact"
    status 2 "$CAPSULE" pack v --append -o x.capsule
    status 2 "$CAPSULE" verify x.capsule
    says err "^capsule: hint: 'capsule compact --keep 1 x.capsule' keeps version 1, which is OK, and removes the others; 'capsule unpack x.capsule@1' extracts version 1$"
    ok "$CAPSULE" unpack x.capsule@1 -q -o u
    [ "$(cat u/a)" = one ] || fail 'version 1 is another one'
    ok "$CAPSULE" compact --keep 1 x.capsule -q -o kept.capsule
    ok "$CAPSULE" verify kept.capsule
    rm -r u kept.capsule
    # Nor can a capsule be helped that has no other one.
    cp one.capsule x.capsule
    flip x.capsule $(($(place one.capsule $kind 0) + 60))
    status 2 "$CAPSULE" verify x.capsule
    says err '^capsule: hint: tar may still extract files from it$'
    status 2 "$CAPSULE" pack v --append -o x.capsule
    says_not err 'compact'
done
# Of an older one, the newest can do all; of data, what is beside them.
cp two.capsule x.capsule
flip x.capsule $(($(place two.capsule M 0) + 60))
status 2 "$CAPSULE" verify x.capsule
says err "keep 2 x.capsule.*'capsule unpack x.capsule PATH' extracts a file that is not damaged; 'capsule pack --append'"

# A manifest that counts what the index does not have is no fact for anyone, and nothing is built on it.
python3 "$TOOLS/forge_capsule.py" facts facts.capsule
cp facts.capsule before
for verb in log info verify ls repair 'pack v --append -o' 'log --json' 'info --json'; do
    status 2 "$CAPSULE" $verb facts.capsule
    cat out err > both
    says both "index and manifest of version 1 don't match\|damaged: 1 finding"
    says_not both '9,\?223,\?372'
    same facts.capsule before
done

# sim: without simulators: no flag is named that the verb doesn't have.
mkdir empty.home live
for command in 'restore live sim:booted/com.example.app' 'ls sim:com.example.app' 'drop sim:booted/com.example.app caches'; do
    # shellcheck disable=SC2086 # several words
    status 2 env HOME="$PWD/empty.home" "$CAPSULE" $command
    says err "^capsule: hint: simulators need a Mac with Xcode; 'capsule locate --devices DIR' prints paths in a copied Devices directory, to use instead of sim:$"
done

# The command that was meant, with the names that were given.
cp two.capsule g.capsule
for sides in 'g.capsule 1 2' 'g.capsule@1 @2'; do
    # shellcheck disable=SC2086 # several words
    status 2 "$CAPSULE" diff $sides
    says err "^capsule: hint: 'capsule diff g.capsule@1..2' compares"
done
mkdir norepo
(cd norepo && GIT_CEILING_DIRECTORIES="$PWD/.." status 2 "$CAPSULE" git install && says err "hint: run it in a repository; 'git init'")
mkdir -p d/Gifs-before.xcappdata
for call in 'pack d/Gifs-befor.xcappdata' 'ls d/Gifs-befor.xcappdata'; do
    # shellcheck disable=SC2086 # several words
    status 2 "$CAPSULE" $call
    says err "^capsule: hint: did you mean 'd/Gifs-before.xcappdata'?$"
done
status 2 "$CAPSULE" plist get bas.plist a
says err "^capsule: hint: did you mean 'base.plist'?$"
status 2 "$CAPSULE" ls nothing.like.this.plist
says_not err hint
for call in 'ls com.example.gifs' 'restore v com.example.gifs'; do
    # shellcheck disable=SC2086 # several words
    status 2 "$CAPSULE" $call
    says err "^capsule: hint: 'sim:booted/com.example.gifs' names"
done
status 64 "$CAPSULE" restore v g.capsule
says err "^capsule: hint: swap the two: 'capsule restore g.capsule v --dry-run' shows what that would change$"

# A larger property list may be the target.
xml_of CFBundleIdentifier=com.example.gifs CFBundleExecutable=Gifs Name=Gifs > Info.plist
xml_of Name=Other > Over.plist
status 0 "$CAPSULE" apply Over.plist Info.plist
says_not err swapped
status 0 "$CAPSULE" apply Info.plist Over.plist
says err "^capsule: warning: Info.plist has all keys of Over.plist, and more: are the overlay and the target swapped?$"
status 0 "$CAPSULE" apply Info.plist Over.plist
says_not err swapped

# A key that is added, perhaps by a typing error, and a text that becomes a string.
status 0 "$CAPSULE" plist set Over.plist Nme true
says err '^capsule: note: /Nme does not exist, so it is added$'
says err "^capsule: hint: did you mean 'Name'?$"
says err '^capsule: hint: it is the string "true"; .--bool true. sets another type$'
status 0 "$CAPSULE" plist set Over.plist Count 7
says err '^capsule: hint: it is the string "7"; .--integer 7. sets another type$'
for call in 'Name --string x' 'Count 8' '-q New 9'; do
    # shellcheck disable=SC2086 # several words
    status 0 "$CAPSULE" plist set Over.plist $call
    [ ! -s err ] || fail "a note: $call"
done

# A reference that is not expanded is told once, when it is written.
xml_of Name='$(PRODUCT)' > Over.plist
status 0 "$CAPSULE" apply Over.plist Info.plist
says err "^capsule: warning: Over.plist: \"\$(PRODUCT)\" is written unexpanded$"
says err "^capsule: hint: '--expand' replaces names by their values$"
status 0 "$CAPSULE" apply Over.plist Info.plist
says_not err unexpanded
status 0 env PRODUCT=x "$CAPSULE" apply --expand Over.plist Info.plist
says_not err unexpanded
# A document without its mark.
echo '{"Path": "Library/a.plist", "Merge": {"a": 1}}' > Over.json
status 2 "$CAPSULE" apply Over.json Info.plist
says err "has the keys of an overlay document, but no 'CapsuleOverlay'$"
says err "^capsule: hint: add 'CapsuleOverlay' with the value 1$"

status 64 "$CAPSULE" restore x.capsule Documents live
says err "hint: 'capsule restore x.capsule live --only Documents' restores only this path$"
