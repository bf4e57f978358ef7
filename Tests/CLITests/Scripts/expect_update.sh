# capsule diff --expect-update: an expectation follows the changes, and keeps what people wrote. In JSON a clause has a line.
. "$LIB"
need python3

mkdir a b
python3 - << 'EOF'
import plistlib
def write(path, value):
    with open(path, "wb") as file:
        plistlib.dump(value, file)
write("a/a.plist", {"n": 1, "k": {"x": 1}, "date": 1, "m": 1})
write("b/a.plist", {"n": 3, "k": {"x": 2, "y": 1}, "date": 2, "new": 5})
EOF
echo c > b/c.txt

# Written anew: a line for each clause.
status 1 "$CAPSULE" diff a b --expect-write new.json
[ "$(grep -c '^    {"Path": .*},\{0,1\}$' new.json)" = 7 ] || fail "not a line for each clause: $(cat new.json)"
status 0 "$CAPSULE" diff a b --expect new.json
cp new.json new0.json
status 0 "$CAPSULE" diff a b --expect-update new.json
says err 'new.json: nothing to update'
same new.json new0.json

cat > e.json << 'EOF'
{
  "CapsuleExpectation": 1,
  "Must": [
    {"Path": "**/a.plist", "Pointer": "/n", "To": 2, "Note": "the counter"},
    {"Path": "gone.txt", "Note": "was there once"},
    {"Pointer": "/k/*", "Count": 3, "Note": "keys"},
    {"Pointer": "/m", "From": 1, "To": 2, "Note": "m counts"}
  ],
  "May": [{"Pointer": "/date", "Note": "any day"}],
  "MustNot": [{"Pointer": "/bad", "Note": "never"}],
  "Other": "fail"
}
EOF
cp e.json e0.json
status 1 "$CAPSULE" diff a b --expect e.json
status 0 "$CAPSULE" diff a b --expect-update e.json
says out '^e.json: passed: 7 changes$'
cat > wanted << 'EOF'
capsule: note: e.json: removed clause: **/a.plist /n: … → 2 (the counter)
capsule: note: e.json: removed clause: gone.txt (was there once)
capsule: note: e.json: removed clause: /k/*, 3 times (keys)
capsule: note: e.json: removed clause: /m: 1 → 2 (m counts)
capsule: note: e.json: added clause: a.plist /k/x: 1 → 2 (modified)
capsule: note: e.json: added clause: a.plist /k/y: 1 (added)
capsule: note: e.json: added clause: a.plist /m: 1 (deleted)
capsule: note: e.json: added clause: a.plist /n: 1 → 3 (modified)
capsule: note: e.json: added clause: a.plist /new: 5 (added)
capsule: note: e.json: added clause: c.txt (added)
capsule: note: e.json: updated: 6 added, 4 removed
EOF
# That a pointer which must not be there is nowhere is another matter.
grep 'note: ' err > told
same wanted told
python3 - << 'EOF'
import json
with open("e.json") as file:
    found = json.load(file)
with open("e0.json") as file:
    old = json.load(file)
must = found["Must"]
assert [(each["Path"], each.get("Pointer")) for each in must] == [
    ("a.plist", "/k/x"), ("a.plist", "/k/y"), ("a.plist", "/m"), ("a.plist", "/n"), ("a.plist", "/new"), ("c.txt", None)], must
assert must[3]["From"] == 1 and must[3]["To"] == 3, must
assert all(found[key] == old[key] for key in ("May", "MustNot", "Other")), found
EOF
# What did not change keeps its layout.
grep -q '^  "May": \[{"Pointer": "/date", "Note": "any day"}\],$' e.json || fail "May was laid out anew: $(cat e.json)"
status 0 "$CAPSULE" diff a b --expect e.json
cp e.json e1.json
status 0 "$CAPSULE" diff a b --expect-update e.json
says err 'nothing to update'
same e.json e1.json

# What is forbidden stays so, and is not added.
status 0 "$CAPSULE" plist set -q b/a.plist /bad --bool true
status 1 "$CAPSULE" diff a b --expect-update e.json
says out '^! forbidden: '
same e.json e1.json

# Comments of a property list stay.
cat > e.plist << 'EOF'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
	<!-- What the test is there for. -->
	<key>CapsuleExpectation</key>
	<integer>1</integer>
	<key>Other</key>
	<string>allow</string>
	<key>Must</key>
	<array>
		<dict>
			<!-- It counts. -->
			<key>Pointer</key>
			<string>/n</string>
			<key>To</key>
			<integer>9</integer>
		</dict>
	</array>
</dict>
</plist>
EOF
status 0 "$CAPSULE" diff a b --expect-update e.plist
says e.plist '<!-- What the test is there for. -->'
says e.plist '<integer>3</integer>'

# What is no expectation is an error, and nothing is written.
status 2 "$CAPSULE" diff a b --expect-update none.json
absent none.json
echo '{}' > empty.json
status 2 "$CAPSULE" diff a b --expect-update empty.json
status 64 "$CAPSULE" diff a b --expect e.json --expect-update e.json
status 64 "$CAPSULE" diff a b --exit-zero --expect-update e.json
status 64 "$CAPSULE" diff a b --junit junit.xml
says err "'--junit' needs '--expect' or '--expect-update'"
status 64 "$CAPSULE" diff a b a.plist --expect-update e.json

# A row's column, by the key that the clause gives it.
python3 - << 'EOF'
import os, sqlite3
for side, value in (("r/a", 1), ("r/b", 6)):
    os.makedirs(side)
    made = sqlite3.connect(side + "/s.db")
    made.execute("create table t(k integer primary key, v, w)")
    made.executemany("insert into t values(?, ?, ?)", [(1, value, value), (2, 2, 2)])
    made.commit()
EOF
cat > rows.json << 'EOF'
{
  "CapsuleExpectation": 1,
  "Must": [{"Path": "*.db", "Table": "t", "Row": {"k": 1}, "Column": "v", "To": 5, "Note": "a vote"}],
  "May": [{"Path": "*.db", "Table": "t", "Column": "w"}]
}
EOF
status 0 "$CAPSULE" diff r/a r/b --expect-update rows.json
says err 'rows.json: removed clause: .* (a vote)$'
says rows.json '"Column": "v"'
says rows.json '"To": 6'
says_not rows.json '"To": 5'
status 0 "$CAPSULE" diff r/a r/b --expect rows.json

# Each of these converges: the new clause holds, and a clause that was met keeps its note.
update() {
    echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", $1}" > c.json
    status 0 "$CAPSULE" diff "${2:-a}" "${3:-b}" --expect-update c.json
    says c.json "$4"
    status 0 "$CAPSULE" diff "${2:-a}" "${3:-b}" --expect c.json
}
update '"Must": [{"Path": "a.plist", "Pointer": "/n", "Value": 9, "Note": "v"}]' a b '"To": 3'
update '"Must": [{"Pointer": "/n", "To": 9}, {"Pointer": "/*", "Note": "any"}]' a b '"Must": \[{"Pointer": "/\*", "Note": "any"}\]'
update '"Must": [{"Pointer": "/n", "To": 9, "Note": "v"}], "May": [{"Path": "**"}]' a b '"To": 3'
update '"Must": [{"Pointer": "/m", "Kind": "added", "To": 1}]' a b '"From": *1'
update '"Must": [{"Path": "c.txt", "Kind": "modified", "Note": "v"}]' a b '"Kind": "added"'
chmod 600 b/a.plist
update '"Must": [{"Path": "a.plist", "Kind": "metadata", "From": "0644", "To": "0755", "Count": 1, "Note": "v"}]' a b '"To": "0600"'
chmod 644 b/a.plist
# What is removed is printed, even with --quiet: a form, a range of counts.
echo '{"CapsuleExpectation": 1, "Other": "allow", "Must": [{"Path": "a.plist", "Pointer": "/n", "To": {"Min": 7, "Max": 9}},
    {"Pointer": "/k/*", "Count": {"Min": 3, "Max": 5}}, {"Path": "gone", "Count": 2}]}' > c.json
status 0 "$CAPSULE" diff -q a b --expect-update c.json
cat > wanted << 'EOF'
capsule: note: c.json: removed clause: a.plist /n: … → at least 7, at most 9
capsule: note: c.json: removed clause: /k/*, 3 to 5 times
capsule: note: c.json: removed clause: gone, 2 times
capsule: note: c.json: added clause: a.plist /k/x: 1 → 2 (modified)
capsule: note: c.json: added clause: a.plist /k/y: 1 (added)
capsule: note: c.json: added clause: a.plist /n: 1 → 3 (modified)
EOF
grep 'note: ' err > told
same wanted told
# With "Other": "allow" nothing else is added.
python3 -c 'import json; assert len(json.load(open("c.json"))["Must"]) == 3'
# It checks, too: reports of the verdict go with it. Clauses that can't match anything have the numbers of the updated file.
echo '{"CapsuleExpectation": 1, "Must": [{"Path": "gone"}, {"Path": "never", "Count": 0, "Note": "zero"}],
    "MustNot": [{"Pointer": "/bad"}, {"Path": "none"}]}' > c.json
status 1 "$CAPSULE" diff a b --expect-update c.json --junit junit.xml --json
says out '"kind":"unmatchable","message":"Must 1: no path matches .never. on either side"'
says junit.xml 'skipped="2"'
says junit.xml 'name="never (zero)">$'
says junit.xml 'message="forbidden: /bad" type="MustNot"'
# Noise, where it is checked.
mkdir -p n/a/tmp n/b/tmp
echo 1 > n/b/tmp/x
echo '{"CapsuleExpectation": 1, "Noise": "check"}' > c.json
status 0 "$CAPSULE" diff n/a n/b --expect-update c.json
says c.json 'tmp/x'

# With a command in between.
mkdir data
echo '{"CapsuleExpectation": 1}' > run.json
status 0 "$CAPSULE" run data --expect-update run.json -- sh -c 'echo 1 > data/x'
says err 'run.json: updated: 1 added'
rm data/x
status 1 "$CAPSULE" run data --expect run.json -- sh -c 'echo 2 > data/x'
says out '^! x (added): expected content 4355a46b, 2 bytes, mode 0[0-7]*, found content 53c234e5, 2 bytes, mode 0[0-7]*$'
rm data/x
status 0 "$CAPSULE" run data --expect run.json -- sh -c 'echo 1 > data/x'

# A command that fails says nothing of what is right; neither does a file in the container.
cp run.json run0.json
status 9 "$CAPSULE" run data --expect-update run.json -- sh -c 'echo 3 > data/y; exit 9'
says err 'not updated'
same run.json run0.json
status 64 "$CAPSULE" run data --expect-update data/e.json -- touch ran
absent ran data/e.json
status 64 "$CAPSULE" diff a b --expect-update - < run.json
