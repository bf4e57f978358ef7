# capsule diff: what an idle app writes is learnt, and what is learnt silences that and nothing else.
. "$LIB"

for number in 1 2 3; do python3 "$TOOLS/make_container.py" idle$number.xcappdata --scale small --idle $number; done
status 1 "$CAPSULE" diff idle1.xcappdata idle2.xcappdata --learn rules.plist
says out '^    ~ /LastActiveDate: '
says out '^7 changes hidden as noise (caches 6, tmp 1)'
ok "$CAPSULE" diff idle1.xcappdata idle2.xcappdata --rules rules.plist
says out '^14 changes hidden as noise (learned 7, caches 6, tmp 1); --all shows them$'
[ "$(wc -l < out)" = 1 ] || fail "learnt rules don't silence what they were learnt from"
ok "$CAPSULE" diff idle2.xcappdata idle3.xcappdata --rules rules.plist
[ "$(wc -l < out)" = 1 ] || fail "learnt rules don't silence a third idle capture"

# A real change still shows, and nothing beside it.
cp -a idle3.xcappdata changed.xcappdata
python3 - 'changed.xcappdata/AppData/Library/Preferences/com.example.gifs.plist' << 'EOF'
import plistlib, sys
with open(sys.argv[1], "rb") as file:
    values = plistlib.load(file)
values["OnboardingFinished"] = True
values["SessionIdentifier"] = "none"
with open(sys.argv[1], "wb") as file:
    plistlib.dump(values, file, fmt=plistlib.FMT_BINARY)
EOF
echo note > changed.xcappdata/AppData/Documents/note.txt
status 1 "$CAPSULE" diff idle2.xcappdata changed.xcappdata --rules rules.plist
sed '$d' out > found
cat > wanted << 'EOF'
+ Documents/note.txt (5 bytes)
~ Library/Preferences/com.example.gifs.plist (plist)
EOF
sed '/^    /d' found > entries
same wanted entries
says out '^    + /OnboardingFinished: true$'
says out '^    ~ /SessionIdentifier: ".*" → "none"$'
[ "$(grep -c '^    ' found)" = 2 ] || fail "more differs than was changed"

# Rules of one's own: a class, and a signal where a built-in rule sees noise.
cat > own.json << 'EOF'
{"CapsuleRules": 1, "Classes": {"clock": "times that nobody asserts on"}, "Rules": [
  {"Class": "clock", "Path": "Library/Preferences/*.plist", "Pointer": "/Last*", "To": {"Is": "date"}},
  {"Class": "signal", "Path": "tmp/**"}]}
EOF
status 1 "$CAPSULE" diff idle1.xcappdata idle2.xcappdata --rules own.json --stat
says out '^tmp/.*\.tmp → tmp/.*\.tmp | renamed$'
says out 'hidden as noise (caches 6, clock 1)'
ok "$CAPSULE" diff --exit-zero idle1.xcappdata idle2.xcappdata --rules own.json --json --all
says out '"pointer":"/LastActiveDate".*"noise":"clock"}$'
says out '"noise":"caches"'

# What is no file of rules is refused, with the place.
printf '{"CapsuleRules": 1, "Rules": [\n  {"Class": "x", "Pth": "a"}]}' > wrong.json
status 2 "$CAPSULE" diff idle1.xcappdata idle2.xcappdata --rules wrong.json
says err '^wrong.json:2:.*"Pth" (at /Rules/0/Pth)'
says err "hint: .*'Path'"
[ ! -s out ] || fail "something was compared nevertheless"
status 2 "$CAPSULE" diff idle1.xcappdata idle2.xcappdata --rules nothing.json
