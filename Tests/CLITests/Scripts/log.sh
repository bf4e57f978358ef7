# The versions of a capsule, newest first.
. "$LIB"
need python3
mkdir t
echo content > t/a
export SOURCE_DATE_EPOCH=1700000000
ok "$CAPSULE" pack t -o one.capsule --label first-one
unset SOURCE_DATE_EPOCH
one=$(wc -c < one.capsule | tr -d ' ')
cp one.capsule three.capsule
python3 "$TOOLS/add_version.py" three.capsule --captured 1700000060
two=$(wc -c < three.capsule | tr -d ' ')
python3 "$TOOLS/add_version.py" three.capsule --label third --note 'two
lines' --captured 1700000120
three=$(wc -c < three.capsule | tr -d ' ')
grouped() { python3 -c 'import sys; print(f"+{int(sys.argv[1]):,}")' "$1"; }
flip() { python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read()); data[int(sys.argv[2])] ^= 4; open(sys.argv[1], "wb").write(data)' "$@"; }

ok "$CAPSULE" log three.capsule
cat > wanted << END
version  label      captured              entries   bytes  source     note
      3  third      2023-11-14T22:15:20Z        2  $(grouped $((three - two)))  directory  two\nlines
      2  -          2023-11-14T22:14:20Z        2  $(grouped $((two - one)))  directory
      1  first-one  2023-11-14T22:13:20Z        2  $(grouped "$one")  directory
END
same out wanted
ok "$CAPSULE" log --quiet one.capsule
cat > wanted << END
version  label      captured              entries   bytes  source
      1  first-one  2023-11-14T22:13:20Z        2  $(grouped "$one")  directory
END
same out wanted

ok "$CAPSULE" log --json three.capsule
python3 - "$one" "$two" "$three" << 'PY' || fail 'log --json'
import json, sys
one, two, three = map(int, sys.argv[1:])
report = json.load(open("out"))
assert report["schema"] == "capsule.log" and report["version"] == 1 and report["file"] == "three.capsule"
assert report["whole"] and report["warnings"] == [] and report["problems"] == []
assert [v["number"] for v in report["versions"]] == [3, 2, 1]
assert [v["bytesAdded"] for v in report["versions"]] == [three - two, two - one, one]
assert [v.get("label") for v in report["versions"]] == ["third", None, "first-one"]
assert report["versions"][0]["note"] == "two\nlines" and report["versions"][1]["from"] == {"kind": "directory"}
assert len({v["treeDigest"] for v in report["versions"]}) == 1
PY

# It is the place where a wrong version sends one.
status 2 "$CAPSULE" info three.capsule@7
says err '^capsule: error: three.capsule: has no version 7: it has 3 versions$'
says err "^capsule: hint: 'capsule log three.capsule' lists them$"

# A manifest that is damaged has a line, and the others have theirs.
cp three.capsule x.capsule
python3 "$TOOLS/capsule_reader.py" members x.capsule > members
place=$(python3 -c 'import json; print([m["offset"] for m in map(json.loads, open("members")) if m["kind"] == "M"][1])')
flip x.capsule $((place + 100))
status 2 "$CAPSULE" log x.capsule
says out "^      2  -          -                           -  $(grouped $((two - one)))  the manifest of version 2 at byte $place is damaged\$"
says out '^      3  third '
says out '^      1  first-one '
says err "^capsule: error: x.capsule: version 2 can't be read$"
status 2 "$CAPSULE" log x.capsule --json
python3 -c 'import json; r = json.load(open("out")); assert not r["whole"] and "problem" in r["versions"][1], r' || fail 'log --json'
# The version might have the label of one before it, so only a number names that one.
status 2 "$CAPSULE" cat x.capsule@first-one a
says err "^capsule: error: x.capsule: the manifest of version 2 at byte $place is damaged$"
ok "$CAPSULE" cat x.capsule@1 a
same out t/a

# A tail that is torn, one that is damaged, a footer in the middle that is.
head -c $((three - 9)) three.capsule > x.capsule
status 0 "$CAPSULE" log x.capsule
says err "^capsule: hint: 'capsule repair x.capsule' removes the incomplete tail$"
[ "$(wc -l < out)" -eq 3 ] || fail 'not two versions'
cp three.capsule x.capsule
flip x.capsule $((three - 40))
status 2 "$CAPSULE" log x.capsule
says err "^capsule: error: x.capsule: damaged from byte $two on: it may contain a version$"
says err "^capsule: hint: 'capsule repair x.capsule' cuts off the damaged tail"
[ "$(wc -l < out)" -eq 3 ] || fail 'not two versions'
cp three.capsule x.capsule
flip x.capsule $((two - 40))
status 2 "$CAPSULE" log x.capsule
says err '^capsule: error: x.capsule: the footer of the version before 3, at byte [0-9]*, is damaged$'
[ "$(wc -l < out)" -eq 2 ] || fail 'not one version'

# What is no capsule's file.
status 64 "$CAPSULE" log three.capsule@1
says err "^capsule: hint: 'capsule log three.capsule' lists all versions of the file$"
status 64 "$CAPSULE" log -
status 2 "$CAPSULE" log t
status 2 "$CAPSULE" log t/a
says err '^capsule: hint: only a capsule has versions$'
status 2 "$CAPSULE" log nowhere

# A note of several lines stays in its column.
ok "$CAPSULE" info three.capsule@third
says out '^note  *two$'
says out '^  *lines$'
