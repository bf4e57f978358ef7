# A capsule remembers: versions are appended, named, read and left out; whatever follows the first, stock tools see it alone.
. "$LIB"
needs_gnu tar
need python3 bsdtar gzip zstd
length() { wc -c < "$1" | tr -d ' '; }
pack() { ok "$CAPSULE" pack "$@" --quiet; }
unpacks() { # FILE@VERSION TREE
    unpacked=$((unpacked + 1))
    ok "$CAPSULE" unpack "$1" -o "back.$unpacked" --as directory --quiet
    echo "$2 back.$unpacked ns $1" >> trees
}
unpacked=0
stock() { # TOOL FILE TREE OPTION...
    tool=$1 file=$2 tree=$3
    shift 3
    unpacked=$((unpacked + 1))
    mkdir "back.$unpacked"
    # The times of the tree are what it warns of otherwise.
    [ "$tool" != tar ] || set -- --warning=no-timestamp "$@"
    ok "$tool" -x "$@" -pf "$file" -C "back.$unpacked"
    [ ! -s err ] || fail "$tool is not silent"
    echo "$tree back.$unpacked/$tree s $tool $file" >> trees
}
# compared: all that was unpacked since the last time is as it was to be.
compared() {
    python3 - "$TOOLS" << 'PY' > comparison 2>&1 || { head -30 comparison; fail 'trees differ'; }
import sys
sys.path.insert(0, sys.argv[1])
import compare_trees
for line in open("trees"):
    a, b, times, what = line.rstrip("\n").split(" ", 3)
    sys.argv = ["compare_trees.py", a, b, "--times", times]
    status = compare_trees.main()
    if status: sys.exit(f"{what}: not {a}")
PY
    rm -rf trees back.*
}

# Before and after: what has changed in place, in time and in mode alone, what is new, gone, moved, twice there.
python3 "$TOOLS/make_tree.py" before random --seed 4 --entries 60 2> /dev/null
mkdir before/own
echo moved > before/own/old-name
echo same > before/own/same
python3 -c 'import random; open("before/own/big", "wb").write(random.Random(2).randbytes(2_200_000))'
cp -a before after
mv after/own/old-name after/own/new-name
echo changed > after/own/same
cp -a after/own/same after/own/twin
printf 'in the middle' | dd of=after/own/big bs=1 seek=1000000 conv=notrunc 2> err
ln -s nowhere after/own/link
chmod 600 after/own/new-name
mkdir after/own/empty

for codec in gzip zstd; do
    file=$codec.capsule
    pack before -o "$file" --codec "$codec" --label first-state
    one=$(length "$file")
    status 0 "$CAPSULE" pack after --append -o "$file" --label changed --note 'what changed' --no-cache
    says out "^$file: version 2, "
    two=$(length "$file")
    [ $((two - one)) -lt 20000 ] || fail "version 2 takes $((two - one)) bytes"
    # The same again, as it was under another name.
    pack before --append -o "$file" --no-cache
    three=$(length "$file")
    [ $((three - two)) -lt 4096 ] || fail "version 3 takes $((three - two)) bytes"
    python3 "$TOOLS/capsule_reader.py" members "$file" > members
    python3 - "$two" << 'PY' || fail 'version 3 is more than root, manifest and footer'
import json, sys
kinds = [m["kind"] for m in map(json.loads, open("members")) if m["offset"] >= int(sys.argv[1])]
assert kinds == ["R", "M", "F"] or kinds == ["I", "M", "F"], kinds
PY
    ok "$CAPSULE" verify --strict "$file"
    ok python3 "$TOOLS/capsule_reader.py" check "$file"
    ok "$CAPSULE" log --json "$file"
    python3 -c 'import json
report = json.load(open("out"))
assert [v["number"] for v in report["versions"]] == [3, 2, 1]
assert [v.get("label") for v in report["versions"]] == [None, "changed", "first-state"]
assert report["versions"][0]["treeDigest"] == report["versions"][2]["treeDigest"] != report["versions"][1]["treeDigest"]' || fail log

    # Every way to name one, for every command that takes one. Names have nothing to do with the codec: in the short form those of
    # the second one are every third of them, from one drawn by lot on.
    [ -n "${CAPSULE_LONG_TESTS:-}" ] || [ "$codec" = gzip ] && part=1 || part=3
    awk -v part=$part -v start="$(lot $part)" 'NR % part == start' << END > names
@1 1
@2 2
@3 3
@first 1
@first-state 1
@changed 2
@latest 3
@~0 3
@~1 2
@~2 1
none 3
END
    while read -r version number; do
        [ "$version" != none ] || version=
        tree=before
        [ "$number" != 2 ] || tree=after
        ok "$CAPSULE" info --json "$file$version"
        says out "\"number\":$number[,}]"
        ok "$CAPSULE" cat "$file$version" own/same
        same out $tree/own/same
        ok "$CAPSULE" ls "$file$version" own
        if [ "$number" = 2 ]; then says out '^own/new-name$'; else says_not out '^own/new-name$'; fi
    done < names
    unpacks "$file@1" before
    unpacks "$file@~1" after
    unpacks "$file" before
    rm -f again.capsule
    pack "$file@changed" -o again.capsule
    unpacks again.capsule after
    pack "$file@2" --append -o again.capsule --no-cache
    ok "$CAPSULE" info --json again.capsule
    says out '"number":2[,}]'
    for version in @4 @~3 @nothing @0; do status 2 "$CAPSULE" info "$file$version"; done

    # Stock tools.
    [ "$codec" = gzip ] && option=-z || option=--zstd
    for tool in tar bsdtar; do stock $tool "$file" before $option; done
    if [ "$codec" = gzip ]; then ok gzip -t "$file"; else ok zstd -tq "$file"; fi
done
compared

# A capsule of a few bytes, cut at the bytes of its second and third versions.
mkdir tiny
echo tiny > tiny/f
for codec in gzip zstd; do
    cut=cut-$codec.capsule
    pack tiny -o "$cut" --codec "$codec"
    one=$(length "$cut")
    cp -a tiny tinier
    echo tinier > tinier/g
    pack tinier --append -o "$cut" --no-cache
    pack tiny --append -o "$cut" --no-cache
    rm -rf tinier
    python3 "$TOOLS/capsule_reader.py" members "$cut" > members
    python3 - "$cut" "$one" "$codec" "${CAPSULE_LONG_TESTS:-}" << 'PY' > log || fail "$(cat log)"
import io, json, os, random, subprocess, sys, tarfile
name, one, codec, long = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
data = open(name, "rb").read()
places = set(range(one, len(data) + 1, 1 if long else (len(data) - one) // 20))
for member in map(json.loads, open("members")):
    if member["offset"] >= one:
        places |= {member["offset"] + n for n in (-1, 0, 1, 9, 10, 11, 18)}
if not long:
    # A third of them by lot.
    places = set(random.Random(os.environ["CAPSULE_TEST_SEED"]).sample(sorted(places), len(places) // 3)) | {one, len(data)}
option = "-z" if codec == "gzip" else "--zstd"
commands = [["tar", option, "-xvOf", "cut"], ["bsdtar", "-xOf", "cut"]]
for place in sorted(places):
    with open("cut", "wb") as file:
        file.write(data[:place])
    for command in commands:
        done = subprocess.run(command, capture_output=True)
        shown = b"tiny/\ntiny/f\n" if command[0] == "tar" else b""
        out = done.stdout.replace(b"tiny/\ntiny/f\n", b"") if command[0] == "tar" else done.stdout
        # With -O the names that -v lists go to standard error.
        assert (done.returncode, out, done.stderr.replace(shown, b"")) == (0, b"tiny\n", b""), (place, command, done)
    if codec == "gzip":
        with tarfile.open(fileobj=io.BytesIO(data[:place])) as archive:
            assert archive.getnames() == ["tiny", "tiny/f"], place
            assert archive.extractfile("tiny/f").read() == b"tiny\n", place
print(len(places), "places")
PY
done

# What can't be appended leaves the file as it is.
refuses() { # STATUS PATTERN COMMAND...
    wanted=$1
    pattern=$2
    shift 2
    cp x.capsule untouched
    status "$wanted" "$CAPSULE" pack "$@"
    says err "$pattern"
    same x.capsule untouched
}
samples
pack Gifs-before.xcappdata -o x.capsule --label one
refuses 2 '^capsule: error: x.capsule: is compressed with gzip' Gifs-after.xcappdata --append -o x.capsule --codec zstd
refuses 2 "^capsule: error: x.capsule: its versions are of a container, but this is a plain directory" tiny --append -o x.capsule
refuses 2 "^capsule: error: x.capsule: version 1 already has the label 'one'" Gifs-after.xcappdata --append -o x.capsule --label one
refuses 64 '^capsule: error: ' Gifs-after.xcappdata --append --force -o x.capsule
refuses 64 '^capsule: error: ' Gifs-after.xcappdata --append -o -
refuses 64 '^capsule: error: ' Gifs-after.xcappdata --append -o x.capsule --label 12
refuses 64 '^capsule: error: ' Gifs-after.xcappdata --append -o x.capsule --label latest
refuses 64 '^capsule: error: ' Gifs-after.xcappdata --append -o x.capsule --lock-timeout -1
cp -R Gifs-before.xcappdata other.xcappdata
for file in AppDataInfo.plist AppData/.com.apple.mobile_container_manager.metadata.plist; do
    [ -f "other.xcappdata/$file" ] || continue
    sed 's/com\.example\.[A-Za-z.]*/com.example.another/' "other.xcappdata/$file" > renamed
    cat renamed > "other.xcappdata/$file"
done
refuses 2 '^capsule: hint: .--different-app. appends it anyway' other.xcappdata --append -o x.capsule
pack other.xcappdata --append -o x.capsule --different-app --no-cache

# Not in the container that is packed, however it is reached.
mkdir -p box
pack tiny -o box/in.capsule
ln -s box/in.capsule way-in
for name in box/in.capsule way-in; do
    cp box/in.capsule untouched
    status 64 "$CAPSULE" pack box --append -o "$name"
    same box/in.capsule untouched
done
status 64 "$CAPSULE" pack box --append -o box/new.capsule
absent box/new.capsule

# No capsules.
mkdir directory
mkfifo pipe
echo text > text
gzip -c text > text.gz
tar -czf tar.gz tiny
: > empty
for name in directory pipe text text.gz tar.gz empty; do
    status 2 "$CAPSULE" pack tiny --append -o $name
    says err "^capsule: error: $name: "
done
[ "$(cat text)" = text ] && [ ! -s empty ] && [ -p pipe ] || fail 'written to'
only directory
status 2 "$CAPSULE" pack tiny --append -o nowhere/x.capsule

# A version is no file to append to.
cp cut-gzip.capsule v.capsule
status 64 "$CAPSULE" pack tiny --append -o v.capsule@2
same v.capsule cut-gzip.capsule
absent v.capsule@2
if [ "$(id -u)" != 0 ]; then
    chmod 444 v.capsule
    status 2 "$CAPSULE" pack tiny --append -o v.capsule
    chmod 644 v.capsule
fi

# Through a link, and one that leads nowhere.
ln -s v.capsule link.capsule
pack tiny --append -o link.capsule --no-cache
[ -L link.capsule ] || fail 'the link is gone'
ok "$CAPSULE" info --json v.capsule
says out '"number":4[,}]'
ln -s made.capsule dangling.capsule
status 2 "$CAPSULE" pack tiny --append -o dangling.capsule
says err '^capsule: error: dangling.capsule: is a link to a file that does not exist$'
absent made.capsule

# Dropped versions are those that are not kept.
cp gzip.capsule g.capsule
cp gzip.capsule h.capsule
ok "$CAPSULE" compact g.capsule --keep 1,3 --quiet
ok "$CAPSULE" compact h.capsule --drop 2 --drop 2 --quiet
same g.capsule h.capsule
status 64 "$CAPSULE" compact h.capsule --drop 1,3
says err 'no version would be left$'
status 2 "$CAPSULE" compact h.capsule --drop 2
status 64 "$CAPSULE" compact h.capsule --drop 1 --keep 3
same g.capsule h.capsule

# Gaps: numbers stay, ~N counts what is there, the next number follows the last.
cp gzip.capsule g.capsule
ok "$CAPSULE" compact g.capsule --keep 1,3 --quiet
ok "$CAPSULE" verify --strict g.capsule
unpacks g.capsule@1 before
unpacks g.capsule@3 before
unpacks g.capsule@first before
ok "$CAPSULE" info --json g.capsule@~1
says out '"number":1[,}]'
status 2 "$CAPSULE" info g.capsule@2
status 2 "$CAPSULE" info g.capsule@changed
pack after --append -o g.capsule --no-cache --label changed
ok "$CAPSULE" info --json g.capsule
says out '"number":4[,}]'
unpacks g.capsule@changed after
ok "$CAPSULE" compact g.capsule --keep latest --quiet
ok "$CAPSULE" verify --strict g.capsule
ok "$CAPSULE" log g.capsule
[ "$(wc -l < out)" -eq 2 ] || fail 'not one version'
for tool in tar bsdtar; do stock $tool g.capsule after; done
compared
