# Overlays that carry files: shown, checked, composed and inverted.
. "$LIB"
need python3

python3 - << 'END'
import os, plistlib, random
rest = random.Random(5).randbytes(300_000)
for name, place, key in [("a", 100, 1), ("b", 200, 2), ("c", 100_000, 2)]:
    os.makedirs(name + "/d")
    open(name + "/large", "wb").write(rest[:place] + b"####" + rest[place + 4:])
    open(name + "/d/kept", "w").write("kept")
    plistlib.dump({"k": key, "o": "x"}, open(name + "/p.plist", "wb"))
os.mkdir("a/e")
open("b/e", "w").write("no directory any more")
open("c/e", "w").write("no directory any more")
open("a/gone", "w").write("gone")
open("b/between", "w").write("here and gone")
os.chmod("b/d/kept", 0o600)
os.chmod("c/d/kept", 0o600)
os.symlink("d", "c/link")
END
diff_to() { "$CAPSULE" diff "$1" "$2" --overlay "$3" > out 2> err || [ $? = 1 ] || fail "diff $1 $2"; }
diff_to a b ab
diff_to b c bc
diff_to a c ac
diff_to c a ca

# show: a line for each record.
ok "$CAPSULE" overlay show ab
says out '^form       an overlay capsule$'
says out '^target     p.plist$'
says out '^M  large: 300,000 bytes, digest [0-9a-f]\{12\} → [0-9a-f]\{12\}, [0-9,]* of them carried$'
says out '^M  d/kept: mode 0644 → 0600$'
says out '^T  e: directory, mode 0755 → file, 21 bytes, mode 0644, digest [0-9a-f]\{12\}$'
says out '^D  gone: 4 bytes, mode 0644, digest [0-9a-f]\{12\}$'
says out '^A  between: 13 bytes'
ok "$CAPSULE" overlay show --full ab
says out '^D  gone: 4 bytes, mode 0644, digest [0-9a-f]\{64\}$'
ok "$CAPSULE" overlay show --json ab
python3 - << 'END'
import json
report = json.load(open("out"))
files = {item["path"]: item for item in report["files"]}
assert report["capsule"] is True and files["e"]["change"] == "type", report
assert files["large"]["new"]["carriedBytes"] < 40_000 and files["large"]["new"]["size"] == 300_000, files["large"]
assert "new" not in files["gone"] and files["gone"]["old"]["mode"] == "0644", files["gone"]
END

# check: everything that is carried is read.
ok "$CAPSULE" overlay check ab
says out '^ab: OK, an overlay capsule, 2 steps, 6 records, [0-9,]* bytes carried$'
ok "$CAPSULE" overlay check --json ab
python3 -c 'import json; report = json.load(open("out")); assert report["records"] == 6 and report["withoutOld"] == 0, report'

# compose and invert: what they make is what diff makes.
ok "$CAPSULE" overlay compose ab bc -o abc
ok "$CAPSULE" verify --strict abc
"$CAPSULE" overlay show --json --full abc > one
"$CAPSULE" overlay show --json --full ac > other
python3 - << 'END'
import json
def files(name):
    found = json.load(open(name))["files"]
    for item in found:
        for state in (item.get("old", {}), item.get("new", {})):
            for key in ("time", "pieces", "carriedBytes"): state.pop(key, None)
    return found
assert files("one") == files("other"), (files("one"), files("other"))
END
ok "$CAPSULE" overlay invert abc -o cba
ok "$CAPSULE" verify --strict cba
"$CAPSULE" overlay show --full cba | sed 's/, [0-9,]* of them carried//' > one
"$CAPSULE" overlay show --full ca | sed 's/, [0-9,]* of them carried//' > other
same one other
ok "$CAPSULE" overlay invert cba -o back
"$CAPSULE" overlay show --full abc > one
"$CAPSULE" overlay show --full back > other
same one other
ok "$CAPSULE" overlay compose ab bc cba -o none
says_not none 'Files'

# What does not go together.
status 2 "$CAPSULE" overlay compose ab ab -o no
says err '"between": the first overlay leaves a file, 0644, 13 bytes, .* but the second expects nothing'
"$CAPSULE" diff a b --one-way --overlay one --force > /dev/null || true
ok "$CAPSULE" overlay check one
says out '^one-way: it does not include the old contents of [0-9]* files$'
status 2 "$CAPSULE" overlay invert one -o no
says err 'does not contain the old content of'
says err "hint: .*'--one-way'"
"$CAPSULE" diff a b --by-value --overlay values > /dev/null || true
diff_to b a ba
status 2 "$CAPSULE" overlay compose values ba -o no
says err '"p.plist": the second overlay changes its bytes, the other its values'
ok "$CAPSULE" pack a -o container.capsule
status 2 "$CAPSULE" overlay check container.capsule
says err 'is a container, not an overlay'
absent no

# Documents by hand, with the place of what is wrong.
printf '{"CapsuleOverlay": 1, "Files": [\n {"Path": "a", "New": {"Kind": "link", "Target": "x"}},\n {"Path": "a/b", "New": {"Kind": "file"}}]}' > bad.json
status 2 "$CAPSULE" overlay check bad.json
says err '^bad.json:3:[0-9]*: error: "a" is a link afterwards, but "a/b" is inside it'
printf '{"CapsuleOverlay": 1, "Files": [{"Path": "../a"}]}' > bad.json
status 2 "$CAPSULE" overlay check bad.json
says err "leaves the container"
printf '{"CapsuleOverlay": 1, "Files": [{"Path": "gone", "Old": {"Kind": "directory"}}, {"Path": "db-wal"}]}' > doc.json
ok "$CAPSULE" overlay show doc.json
says out '^D  gone: directory$'
says out '^=  db-wal: must not exist$'
ok "$CAPSULE" overlay check doc.json
says out '^doc.json: OK, an overlay document, 2 records$'
printf '{}' > base.json
status 2 "$CAPSULE" apply doc.json base.json
says err 'file part, which only applies to containers'
status 2 "$CAPSULE" pack a -o d.capsule --overlay p.plist=doc.json
says err 'file part'
