# capsule diff --expect: a finding says in every report which change it is about, where, and what was expected and seen.
. "$LIB"
need python3

python3 - << 'END'
import os, plistlib, sqlite3
for side, launches, rows in ("a", 3, [(1, "fox", 0), (2, "owl", 0), (12, "cat", 1)]), ("b", 4, [(1, "fox", 1), (2, "owl", 7)]):
    os.makedirs(f"{side}/Library")
    with open(f"{side}/Library/p.plist", "wb") as file:
        plistlib.dump({"launches": launches, "deep": {"mode": "x" if side == "b" else "y"}}, file)
    database = sqlite3.connect(f"{side}/m.sqlite")
    database.execute("CREATE TABLE Note(id INTEGER PRIMARY KEY, title TEXT, stars INTEGER)")
    database.execute("CREATE TABLE Plain(name TEXT)")
    database.executemany("INSERT INTO Note VALUES (?, ?, ?)", rows)
    if side == "a": database.execute("INSERT INTO Plain VALUES ('gone')")
    database.commit()
open("b/new.csv", "w").close()
END
cat > run.json << 'END'
{"CapsuleExpectation": 1,
 "Must": [{"Path": "Library/p.plist", "Pointer": "/launches", "To": 5},
          {"Path": "m.sqlite", "Table": "Note", "Row": {"id": 1}, "Column": "stars", "To": 2, "Note": "a star"},
          {"Path": "m.sqlite", "Table": "Note", "Row": {"title": "dog"}, "Kind": "deleted"},
          {"Path": "*.csv", "Kind": "deleted"},
          {"Path": "m.sqlite", "Table": "Notes", "Kind": "added"}],
 "May": [{"Path": "Library/**"}, {"Path": "m.sqlite", "Table": "Note", "Count": {"Max": 1}}],
 "MustNot": [{"Table": "Note", "Kind": "deleted", "Note": "never"}, {"Path": "m.sqlite", "Table": "Plain"}, {"Pointer": "mode"}]}
END
status 1 "$CAPSULE" diff a b --expect run.json --junit junit.xml --html page.html
cat > wanted << 'END'
! Library/p.plist /launches: expected … → 5, found 3 → 4
! m.sqlite Note {"id": 1} stars: expected … → 2, found 0 → 1 (a star)
! missing: m.sqlite Note {"title": "dog"} (deleted)
    m.sqlite Note id=12 (deleted) was seen
! missing: *.csv (deleted)
    new.csv (added) was seen
! missing: m.sqlite Notes (added)
    no table 'Notes' in m.sqlite on either side
! 3 changes instead of 0 to 1: m.sqlite Note
    m.sqlite Note id=1 stars: 0 → 1
    m.sqlite Note id=2 stars: 0 → 7
    m.sqlite Note id=12 (deleted)
! forbidden: Note (deleted) (never)
    m.sqlite Note id=12 (deleted)
! forbidden: m.sqlite Plain
    m.sqlite Plain rowid=1 (deleted)
! forbidden: mode
    Library/p.plist /deep/mode: "y" → "x"
! not allowed: new.csv (added)
run.json: failed: 10 findings
END
sed 's/^! not allowed: new.csv.*/! not allowed: new.csv (added)/' out > told
same wanted told
# A missing Must says why by itself: no warning.
says_not err warning

# JSON has the parts.
status 1 "$CAPSULE" diff a b --expect run.json --json
cp out findings.json
python3 - << 'END' || fail 'the findings in JSON'
import json
lines = [json.loads(line) for line in open("findings.json", encoding="utf-8")]
found = [line for line in lines if line["kind"] == "finding"]
assert [f["finding"] for f in found] == ["mismatch"] * 2 + ["missing"] * 3 + ["miscounted"] + ["forbidden"] * 3 + ["unallowed"], found
launches, star, dog, csv, notes, may, note, plain, mode, other = found
assert launches["path"] == "Library/p.plist" and launches["pointer"] == "/launches"
assert launches["expected"] == {"min": 1, "to": 5}
assert launches["actual"] == {"count": 0, "change": "value", "op": "modified", "old": 3, "new": 4,
    "text": "Library/p.plist /launches: 3 → 4"}, launches["actual"]
assert launches["rule"] == {"part": "Must", "number": 1, "pointer": "/Must/0",
    "match": {"Path": "Library/p.plist", "Pointer": "/launches", "To": 5}}
assert (star["table"], star["row"], star["column"]) == ("Note", {"id": 1}, "stars")
assert star["rule"]["note"] == "a star" and star["actual"]["new"] == 1
assert dog["row"] == {"id": 12} and dog["actual"]["nearest"] and dog["actual"]["op"] == "deleted"
assert csv["path"] == "new.csv" and csv["actual"]["op"] == "added"
assert notes["path"] == "m.sqlite" and "no table 'Notes'" in notes["actual"]["reason"] and "change" not in notes["actual"]
assert may["expected"] == {"max": 1} and may["actual"]["count"] == 3 and len(may["actual"]["changes"]) == 3
assert [c["row"] for c in may["actual"]["changes"]] == [{"id": 1}, {"id": 2}, {"id": 12}]
assert note["table"] == "Note" and note["row"] == {"id": 12} and note["expected"] == {"max": 0}
assert note["rule"]["pointer"] == "/MustNot/0" and note["actual"]["count"] == 1 and note["actual"]["op"] == "deleted"
assert plain["table"] == "Plain" and mode["pointer"] == "/deep/mode" and mode["actual"]["old"] == "y"
assert other["path"] == "new.csv" and "rule" not in other and other["actual"]["op"] == "added"
assert all(set(f) >= {"message", "actual"} for f in found)
dead = [line for line in lines if line["kind"] == "unmatchable"]
assert [(d["what"], d["name"], d["suggestions"]) for d in dead] == [("table", "Notes", ["Note"])], dead
END

# JUnit has evidence for each kind, and CI one line for each.
python3 - << 'END' || fail 'the evidence in JUnit'
import xml.etree.ElementTree as tree
failures = [case.find("failure") for case in tree.parse("junit.xml").getroot().findall("testcase")]
bodies = [failure.text for failure in failures if failure is not None]
assert len(bodies) == 10 and all(bodies[2:]), bodies
messages = [failure.get("message") for failure in failures if failure is not None]
assert messages[0] == "Library/p.plist /launches: expected … → 5, found 3 → 4" and bodies[5].count("\n") == 2, bodies
END
GITHUB_ACTIONS=true status 1 "$CAPSULE" diff a b --expect run.json
says err '^::error title=run.json::forbidden: Note (deleted) (never): m.sqlite Note id=12 (deleted)$'
says err '^::error title=run.json::Library/p.plist /launches: expected … → 5, found 3 → 4$'

# The page: the verdict, its links, marks and the filter.
says page.html '<strong>Failed</strong> <span class="source">run.json</span>: 10 findings'
says page.html 'id="f-x"'
python3 "$TOOLS/read_page.py" page.html > page.json
python3 - << 'END' || fail 'the page of findings'
import json
page = json.load(open("page.json"))
assert page["problems"] == [], page["problems"]
assert len(set(page["ids"])) == len(page["ids"])
assert all(link[1:] in page["ids"] for link in page["links"]), page["links"]
assert sum(link.startswith("#~f") for link in page["links"]) == 9, page["links"]
assert page["text"].index("Failed") < page["text"].index("changes in")
END
found=0
python3 "$TOOLS/check_report.py" page.html --brief --findings 10 --has 'not allowed' --has 'forbidden' > page.found 2>&1 || found=$?
case $found in
0) ;;
77) untested "the page in a browser: $(cat page.found)" ;;
*) cat page.found; fail 'the browser does not show the findings as it should' ;;
esac

# A verdict that holds is on the page, too, and without an expectation there is none.
echo '{"CapsuleExpectation": 1, "Other": "allow"}' > all.json
ok "$CAPSULE" diff a b --expect all.json --html page.html -q --force
says page.html '<strong>Passed</strong>'
says_not page.html 'id="f-x"'
status 1 "$CAPSULE" diff a b --html page.html -q --force
says_not page.html 'id="~outcome"'

# A change behind those that are shown is as good as another; a hidden value stays hidden.
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Table": "Note", "Row": {"id": 12}}]}' > row.json
for rows in 0 1000; do
    status 1 "$CAPSULE" diff a b --expect row.json --rows $rows --json
    says out '"path":"m.sqlite","table":"Note","row":{"id":12},"rule":.*"op":"deleted","text":"m.sqlite Note id=12 (deleted)"}}$'
done

# In a file that one side alone has, the place is found, too.
mkdir one two
python3 -c 'import plistlib; plistlib.dump({"debug": {"menu": True}, "n": 1}, open("two/x.plist", "wb"))'
echo '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Pointer": "menu"}, {"Path": "x.plist", "Pointer": "/n", "Kind": "deleted"}]}' > in.json
status 1 "$CAPSULE" diff one two --expect in.json
says out '^    x.plist /debug/menu: added true$'
status 1 "$CAPSULE" diff two one --expect in.json --json
says out '"path":"x.plist","pointer":"/debug/menu",.*"op":"deleted","old":true,'
says out '"path":"x.plist","pointer":"/n",.*"op":"deleted","old":1,'
