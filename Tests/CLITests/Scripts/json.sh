# Machine output is JSON lines that stay as they are.
. "$LIB"
need python3
samples
export SOURCE_DATE_EPOCH=1700000000
ok "$CAPSULE" pack Gifs-before.xcappdata --json --label before --note 'a "note"' --exclude 'tmp/*.tmp' --quiet
cp out pack.json
for verb in 'info Gifs-before.capsule' 'ls Gifs-before.capsule' 'verify Gifs-before.capsule' 'verify --strict Gifs-before.capsule' \
    'info Gifs-after.xcappdata' 'ls -l Gifs-after.xcappdata' 'unpack Gifs-before.capsule -o u --force'; do
    # shellcheck disable=SC2086
    ok "$CAPSULE" $verb --json
    cp out first.json
    # shellcheck disable=SC2086
    ok "$CAPSULE" $verb --json --jobs 1
    same out first.json
    python3 - << 'PY' || fail "no JSON lines: $verb"
import json
lines = [json.loads(line) for line in open("first.json", encoding="utf-8")]
assert lines and lines[0]["schema"].startswith("capsule.") and lines[0]["version"] == 1, lines[0]
assert None not in [value for line in lines for value in line.values()], "null"
PY
done
python3 - << 'PY' || fail 'pack --json'
import json
report = json.load(open("pack.json"))
assert report["schema"] == "capsule.pack" and report["version"] == 1 and report["number"] == 1, report
assert report["name"] == "Gifs-before" and report["label"] == "before" and report["note"] == 'a "note"'
assert report["from"] == {"kind": "bundle", "bundleIdentifier": "com.example.gifs"}, report["from"]
assert report["captured"] == "2023-11-14T22:13:20Z" and report["layout"] == "container" and report["groups"] == []
assert [o["reason"] for o in report["omitted"]] == ["excluded"], report["omitted"]
for digest in ("treeDigest", "contentDigest", "indexDigest"):
    assert len(report[digest]) == 64
import os
assert report["bytesWritten"] == os.path.getsize("Gifs-before.capsule")
PY
ok "$CAPSULE" info --plist Gifs-before.capsule
python3 - << 'PY' || fail 'info --plist'
import json, plistlib
manifest, report = plistlib.load(open("out", "rb")), json.load(open("pack.json"))
assert manifest["TreeDigest"] == report["treeDigest"] and manifest["Label"] == "before" and manifest["Version"] == 1
assert manifest["FormatVersion"] == 1 and manifest["Entries"] == report["entries"] and manifest["Bytes"] == report["bytes"]
PY
printf x | dd of=Gifs-before.capsule bs=1 seek=300 conv=notrunc 2> /dev/null
status 2 "$CAPSULE" verify --json Gifs-before.capsule
python3 -c 'import json; r = json.load(open("out")); assert not r["whole"] and r["findings"]' || fail 'verify --json'
