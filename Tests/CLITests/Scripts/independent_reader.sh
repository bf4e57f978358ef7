# The second reader agrees with us on everything.
. "$LIB"
need python3 zstd
samples
python3 "$TOOLS/make_tree.py" random random --seed 3 --entries 150 2> /dev/null
for source in Gifs-before.xcappdata random; do
    for codec in gzip zstd; do
        ok "$CAPSULE" pack "$source" -o c.capsule --force --codec "$codec" --quiet
        ok python3 "$TOOLS/capsule_reader.py" check c.capsule
        python3 "$TOOLS/capsule_reader.py" list c.capsule > theirs
        "$CAPSULE" ls --json c.capsule > ours
        python3 - << 'PY' || fail 'listings differ'
import base64, json, os, sys
theirs = [json.loads(line) for line in open("theirs")]
theirs = [e for e in theirs if e["root"] != 1]
ours = [json.loads(line) for line in open("ours")]
assert ours[0]["schema"] == "capsule.ls" and ours[-1] == {"kind": "end", "entries": len(theirs)}, ours[-1]
def name(entry, key):
    return os.fsdecode(base64.b64decode(entry[key + "64"])) if key + "64" in entry else entry.get(key)
def seconds(text):
    import datetime
    whole, fraction = text.rstrip("Z").split(".")
    moment = datetime.datetime.fromisoformat(whole + "+00:00") - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return f"{moment.days * 86400 + moment.seconds}.{fraction}"
for a, b in zip(theirs, ours[1:-1]):
    attributes = {name(x, "name"): base64.b64decode(x["value64"]).hex() for x in b.get("attributes", [])}
    b = {"root": a["root"], "kind": b["type"], "mode": b["mode"], "mtime": seconds(b["modified"]), "size": b.get("size"),
         "digest": b.get("digest"), "target": name(b, "target"), "attributes": attributes, "path": name(b, "path")}
    assert a == b, (a, b)
PY
        python3 - << 'PY' > paths
import json
for line in open("theirs"):
    entry = json.loads(line)
    if entry["size"] is not None and entry["root"] == 0 and "\n" not in entry["path"] and entry["path"].isprintable():
        print(entry["path"])
PY
        head -6 paths > some
        while IFS= read -r path; do
            python3 "$TOOLS/capsule_reader.py" extract --root 0 c.capsule -- "$path" > theirs.bytes
            "$CAPSULE" cat c.capsule -- "$path" > ours.bytes
            same theirs.bytes ours.bytes
        done < some
    done
done
