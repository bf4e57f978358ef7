# capsule diff --expect: an expectation that was written from one run holds for another that does the same, and for no other.
. "$LIB"

python3 "$TOOLS/make_container.py" before.xcappdata --scale small
python3 "$TOOLS/make_container.py" run.xcappdata --scale small --after
python3 "$TOOLS/make_container.py" again.xcappdata --scale small --after
python3 "$TOOLS/make_container.py" more.xcappdata --scale small --after --more
status 1 "$CAPSULE" diff before.xcappdata run.xcappdata --expect-write run.plist -q
ok "$CAPSULE" diff before.xcappdata again.xcappdata --expect run.plist
says out '^run.plist: passed: 18 changes$'
status 1 "$CAPSULE" diff before.xcappdata more.xcappdata --expect run.plist
says out '^! not allowed: Library/Preferences/com.example.gifs.plist /PurchaseRestored: added true$'
says out '^run.plist: failed: 1 finding$'
[ "$(wc -l < out)" = 2 ] || fail "more is found than one key"

# A run that did not do what it must.
status 1 "$CAPSULE" diff before.xcappdata before.xcappdata --expect run.plist
says out '^! missing: Library/Preferences/com.example.gifs.plist /OnboardingFinished'
says_not out 'not allowed'

# By hand, as JSON.
cat > hand.json << 'EOF'
{"CapsuleExpectation": 1,
 "Must": [{"Path": "Library/Preferences/*.plist", "Pointer": "/OnboardingFinished", "Kind": "added", "To": true}],
 "May": [{"Path": "Library/**"}, {"Path": "Documents/**", "Kind": ["added", "modified", "value", "metadata", "renamed"]}],
 "MustNot": [{"Path": "Documents/**", "Kind": "deleted", "Note": "a run never deletes gifs"}]}
EOF
status 1 "$CAPSULE" diff before.xcappdata run.xcappdata --expect hand.json --junit junit.xml
says out '^! forbidden: Documents/\*\*.*(a run never deletes gifs)$'
python3 - junit.xml << 'EOF' || fail "the JUnit report is not one"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suite = root if root.tag == "testsuite" else root.find("testsuite")
cases = suite.findall("testcase")
failed = [case for case in cases if case.find("failure") is not None]
assert int(suite.get("tests")) == len(cases) >= 3, len(cases)
assert int(suite.get("failures")) == len(failed) >= 1, [case.get("name") for case in failed]
assert any("a run never deletes gifs" in tree.tostring(case, "unicode") for case in failed)
EOF
# With --json each finding is a line, and the status is the expectation's.
status 1 "$CAPSULE" diff before.xcappdata more.xcappdata --expect run.plist --json
says out '^{"kind":"finding","finding":"unallowed","message":".*PurchaseRestored.*","path":"[^"]*","pointer":"/PurchaseRestored",.*"actual":{"count":1,.*}}$'
says out '^{"kind":"end","status":1,'
ok "$CAPSULE" diff before.xcappdata again.xcappdata --expect run.plist --json
says out '^{"kind":"end","status":0,"changes":18,'

# Two property lists are held against one, too.
cp before.xcappdata/AppData/Library/Preferences/com.example.gifs.plist one.plist
cp run.xcappdata/AppData/Library/Preferences/com.example.gifs.plist two.plist
status 1 "$CAPSULE" diff one.plist two.plist --expect-write keys.plist -q
ok "$CAPSULE" diff one.plist two.plist --expect keys.plist
status 1 "$CAPSULE" diff one.plist one.plist --expect keys.plist

# Wrong documents and wrong uses.
echo '{"CapsuleExpectation": 1, "Must": [{"Path": "a", "Kind": "sideways"}]}' > wrong.json
status 2 "$CAPSULE" diff before.xcappdata run.xcappdata --expect wrong.json
says err "^wrong.json:1:.*sideways"
status 64 "$CAPSULE" diff before.xcappdata run.xcappdata --junit junit.xml
status 64 "$CAPSULE" diff before.xcappdata run.xcappdata --expect-write run.plist --expect run.plist

# A guard with a typo in its pointer guards nothing.
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [
    {"Path": "Library/Preferences/com.example.gifs.plist", "Pointer": "/OnboardinFinished"}]}' > typo.json
ok "$CAPSULE" diff -q before.xcappdata run.xcappdata --expect typo.json
says err "^capsule: warning: typo.json: MustNot 1: no value at '/OnboardinFinished' in Library/.*gifs.plist on either side$"
says err "^capsule: hint: did you mean '/OnboardingFinished'?$"
status 2 "$CAPSULE" diff -q before.xcappdata run.xcappdata --expect typo.json --strict-patterns
preferences=Library/Preferences/com.example.gifs.plist
ok "$CAPSULE" diff -q "before.xcappdata:$preferences" "run.xcappdata:$preferences" --expect typo.json
says err "no path matches 'Library/Preferences/com.example.gifs.plist' on either side$"
