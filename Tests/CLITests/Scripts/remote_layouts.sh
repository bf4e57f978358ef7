# OCI image layouts: pushed to, pulled from and read, by several at once, with what other programs leave in them.
. "$LIB"
need python3
export SOURCE_DATE_EPOCH=1700000000
# blobs LAYOUT: their number.
blobs() { find "$1/blobs/sha256" -type f | wc -l | tr -d ' '; }
# digest LAYOUT TAG: that of the manifest.
digest() {
    python3 -c 'import json, sys
print(*[m["digest"] for m in json.load(open(sys.argv[1] + "/index.json"))["manifests"]
        if m.get("annotations", {}).get("org.opencontainers.image.ref.name") == sys.argv[2]])' "$@"
}
# layers LAYOUT TAG: the files of the layers, in order.
layers() {
    python3 -c 'import json, sys
blob = lambda digest: sys.argv[1] + "/blobs/sha256/" + digest.split(":")[1]
print(*[blob(layer["digest"]) for layer in json.load(open(blob(sys.argv[2])))["layers"]])' "$1" "$(digest "$@")"
}
# next FILE WORD: another version.
next() {
    echo "$2" > t/a
    ok "$CAPSULE" pack t --append -o "$1" --no-cache --quiet
}
mkdir -p t/d
python3 -c 'import random; open("t/d/big", "wb").write(random.Random(1).randbytes(3_000_000))'
next x.capsule one
cp x.capsule one.capsule

# A new layout, and a push of what is there.
ok "$CAPSULE" push x.capsule oci:lay:main
says out '^oci:lay:main@sha256:[0-9a-f]*: version 1, 3.0 MB sent of 3.0 MB$'
only lay blobs index.json oci-layout
[ "$(blobs lay)" = 4 ] || fail 'not data, tail, config and manifest'
cp lay/index.json before
ok "$CAPSULE" push x.capsule oci:lay:main
says out ': version 1 is already there$'
same lay/index.json before
# Only what is new is stored: a layer, a config, a manifest.
next x.capsule two
ok "$CAPSULE" label x.capsule second
next x.capsule three
inode=$(identities_of $(layers lay main))
ok "$CAPSULE" push x.capsule@2 oci:lay:main
says out ': version 2, [0-9.]* kB sent of 3.0 MB$'
[ "$(blobs lay)" = 8 ] || fail "$(blobs lay) blobs"
# The label that follows a version belongs to it.
[ "$("$CAPSULE" cat oci:lay:main@second a)" = two ] || fail 'the label was not pushed'
ok "$CAPSULE" push x.capsule oci:lay:main --tag other --json
[ "$(blobs lay)" = 11 ] || fail "$(blobs lay) blobs"
[ "$(identities_of $(layers lay main | cut -d ' ' -f 1-2))" = "$inode" ] || fail 'old layers were written again'
[ "$(digest lay main)" = "$(digest lay other)" ] || fail 'the tags differ'
ok "$CAPSULE" tags oci:lay
[ "$(cat out)" = 'main
other' ] || fail tags
# The layers, one after the other, are the capsule; so other tools can read it.
cat $(layers lay main) > joined.capsule
same joined.capsule x.capsule
tar tzf joined.capsule > list
says list '^t/d/big$'

# Every verb that reads.
ok "$CAPSULE" ls oci:lay:main
says out '^d/big$'
ok "$CAPSULE" ls "oci:lay@$(digest lay main)@1"
[ "$("$CAPSULE" cat oci:lay a)" = three ] || fail 'the only manifest was not found'
ok "$CAPSULE" log oci:lay:main
says out '^ *2  second  '
status 1 "$CAPSULE" diff oci:lay:main@1 oci:lay:main
says out '^    -one$'
ok "$CAPSULE" diff oci:lay:main x.capsule
ok "$CAPSULE" unpack oci:lay:main -o u
same_trees t u
echo other > u/a
ok "$CAPSULE" restore oci:lay:main u
same_trees t u
ok "$CAPSULE" verify --strict oci:lay:main
says out '^oci:lay:main: OK: 3 versions'

# Pull: a new file, a version, the rest, nothing.
ok "$CAPSULE" pull oci:lay:main -o y.capsule
same x.capsule y.capsule
ok "$CAPSULE" pull oci:lay:main
same x.capsule main.capsule
ok "$CAPSULE" pull oci:lay:main@1 -o z.capsule
same z.capsule one.capsule
inode=$(python3 -c 'import os; print(os.stat("z.capsule").st_ino)')
# The rest of an append that was stopped.
head -c $(($(length_of z.capsule) + 300)) x.capsule > torn
cat torn > z.capsule
ok "$CAPSULE" pull oci:lay:main@second -o z.capsule
says out '^z.capsule: version 2, [0-9.]* kB fetched of '
ok "$CAPSULE" pull oci:lay:main -o z.capsule
same x.capsule z.capsule
[ "$(python3 -c 'import os; print(os.stat("z.capsule").st_ino)')" = "$inode" ] || fail 'the file was replaced'
ok "$CAPSULE" pull oci:lay:main -o z.capsule
says out ': version 3 is already there$'
# One that is ahead, and one that has parted.
status 2 "$CAPSULE" pull oci:lay:main@1 -o z.capsule
says err 'z.capsule: already goes on after version 1, with versions 2 to 3$'
next z.capsule four
cp z.capsule four.capsule
status 2 "$CAPSULE" pull oci:lay:main -o z.capsule
says err 'z.capsule: has version 4, which the layout does not have$'
ok "$CAPSULE" push z.capsule oci:lay:main
status 2 "$CAPSULE" push x.capsule oci:lay:main
says err 'oci:lay:main: the layout has version 4, which this file does not have$'
next x.capsule 'another four'
cp x.capsule another.capsule
status 2 "$CAPSULE" pull oci:lay:main -o x.capsule
says err 'they part after version 3: this file goes on with version 4, the layout with version 4$'
same x.capsule another.capsule
status 2 "$CAPSULE" push x.capsule oci:lay:main
says err 'they part after version 3: this file goes on with version 4, the layout with version 4$'
[ "$("$CAPSULE" cat oci:lay:main a)" = four ] || fail 'a refused push changed the tag'
ok "$CAPSULE" push x.capsule oci:lay:main --force
[ "$("$CAPSULE" cat oci:lay:main a)" = 'another four' ] || fail 'not replaced'
ok "$CAPSULE" pull oci:lay:main -o z.capsule --force
same x.capsule z.capsule
[ "$("$CAPSULE" cat oci:lay:other a)" = three ] || fail 'another tag moved'
status 2 "$CAPSULE" ls oci:lay:third
says err 'the layout has no tag .third.$'
status 64 "$CAPSULE" ls oci:lay
says err 'name one of them by its tag: main, other$'
# Another capsule has nothing in common, which --force does not mind.
ok "$CAPSULE" pack t/d -o d.capsule --no-cache --quiet
status 2 "$CAPSULE" push d.capsule oci:lay:main
says err 'has another capsule, with nothing in common with this file$'
status 2 "$CAPSULE" pull oci:lay:main -o d.capsule
says err 'is another capsule, with nothing in common with that of the layout$'
# Labels alone are something to push and to pull.
ok "$CAPSULE" label x.capsule@1 first-of-all
ok "$CAPSULE" push x.capsule oci:lay:main
ok "$CAPSULE" pull oci:lay:main -o z.capsule
same x.capsule z.capsule
says_not out versions

# Two machines make the same of the same file, also in two steps.
ok "$CAPSULE" push x.capsule@2 oci:there:main
ok "$CAPSULE" push x.capsule oci:there:main
[ "$(digest there main)" = "$(digest lay main)" ] || fail 'the manifests differ'
# In the form of an image, too.
ok "$CAPSULE" push x.capsule oci:there:image --as-image
[ "$(digest there image)" != "$(digest there main)" ] || fail 'not another form'
ok "$CAPSULE" pull oci:there:image -o image.capsule
same x.capsule image.capsule
# An overlay is a capsule like any other.
mkdir left right
echo 1 > left/a; echo 2 > right/a
status 1 "$CAPSULE" diff left right --overlay o.capsule -q
ok "$CAPSULE" push o.capsule oci:there:overlay
ok "$CAPSULE" pull oci:there:overlay -o p.capsule
same o.capsule p.capsule
ok "$CAPSULE" pull oci:there:overlay -o p.capsule
says out 'already there$'

# What is no address to push to.
for address in oci:lay oci:lay:main@2 "oci:lay:main@$(digest lay main)" https://example.com/x.capsule lay; do
    status 64 "$CAPSULE" push x.capsule "$address"
done
status 64 "$CAPSULE" push x.capsule oci:fresh:main --tag -x
absent fresh
status 2 "$CAPSULE" push x.capsule oci:t:main
says err 'is not an OCI image layout'
only t a d
status 2 "$CAPSULE" push x.capsule oci:nowhere/lay:main
status 2 "$CAPSULE" push x.capsule oci:x.capsule:main
mkdir empty
ok "$CAPSULE" push x.capsule oci:empty:main

# Other programs' manifests stay as they are, to the byte.
python3 - <<'P'
import json
index = json.load(open("empty/index.json"))
mine = json.dumps(index["manifests"][0])
foreign = '{ "mediaType":"application/vnd.oci.image.index.v1+json", "digest" : "sha256:' + "0" * 64 + '",\n "size": 1.0e2,' \
    ' "annotations":{"org.opencontainers.image.ref.name":"img","x":null}, "unknown": [1, {"b": "\\u00e4"}] }'
open("foreign", "w").write(foreign)
open("empty/index.json", "w").write('{"x-unknown": {"a" :1},\n  "manifests": [' + foreign + ",\n" + mine + '], "schemaVersion": 2}\n')
P
next x.capsule five
ok "$CAPSULE" push x.capsule oci:empty:main --tag extra
python3 - <<'P'
text = open("empty/index.json").read()
assert open("foreign").read() in text and text.startswith('{"x-unknown": {"a" :1},\n') and text.endswith('"schemaVersion": 2}\n'), text
P
ok "$CAPSULE" tags oci:empty
[ "$(tr '\n' ' ' < out)" = 'extra img main ' ] || fail tags
status 2 "$CAPSULE" push x.capsule oci:empty:img
status 2 "$CAPSULE" ls oci:empty:img

# Damage is said, not passed on: of each kind of blob, in each way.
manifest=$(digest lay main)
set -- $(layers lay main) "lay/blobs/sha256/${manifest#*:}"
first=$1
eval "last=\${$#}"
for file in "$first" "$last"; do
    cp "$file" kept
    python3 -c 'import sys
bytes = bytearray(open(sys.argv[1], "rb").read()); bytes[len(bytes) // 2] ^= 1; open(sys.argv[1], "wb").write(bytes)' "$file"
    status 2 "$CAPSULE" pull oci:lay:main -o damaged.capsule
    says err 'does not match its digest'
    status 2 "$CAPSULE" verify oci:lay:main
    says err 'does not match its digest'
    printf x >> "$file"
    status 2 "$CAPSULE" ls oci:lay:main
    says err '^capsule: error: oci:lay:main: the blob .* bytes, but the manifest says\|does not match'
    rm "$file"
    status 2 "$CAPSULE" ls oci:lay:main
    says err 'the layout lacks the blob sha256:'
    ln -s "$PWD/kept" "$file"
    status 2 "$CAPSULE" ls oci:lay:main
    rm "$file"
    cp kept "$file"
done
absent damaged.capsule
ok "$CAPSULE" verify oci:lay:main
# A push stores again what is gone, though the manifest there has it.
next z.capsule six
rm "$first"
ok "$CAPSULE" push z.capsule oci:lay:main
ok "$CAPSULE" verify oci:lay:main
# Nothing in the index becomes a path.
for text in '{' '[]' '{}' '{"manifests":[{"digest":"sha256:../../../../etc/passwd","size":1,"annotations":{"org.opencontainers.image.ref.name":"main"}}]}'; do
    mkdir -p evil/blobs/sha256
    echo '{"imageLayoutVersion":"1.0.0"}' > evil/oci-layout
    echo "$text" > evil/index.json
    status 2 "$CAPSULE" ls oci:evil:main
    says err '^capsule: error: oci:evil:main: '
    status 2 "$CAPSULE" push x.capsule oci:evil:main
    [ "$(cat evil/index.json)" = "$text" ] || fail 'a damaged index was replaced'
done
mv evil/index.json elsewhere
ln -s ../elsewhere evil/index.json
status 2 "$CAPSULE" push x.capsule oci:evil:main
echo '{"imageLayoutVersion":"2.0.0"}' > evil/oci-layout
status 2 "$CAPSULE" ls oci:evil:main
says err 'is a layout of version 2.0.0, not 1$'

# What one may read stays so for what is added.
chmod 644 lay/index.json
next z.capsule seven
ok "$CAPSULE" push z.capsule oci:lay:main
manifest=$(digest lay main)
[ "$(modes_of lay/index.json "lay/blobs/sha256/${manifest#*:}" | tr '\n' ' ')" = '644 644 ' ] || fail modes

# Sixteen at once, into one layout that is new: each that succeeds is in the history of the tag. They push versions of one file, so that
# some are ahead and some are behind; and each its own tag.
cp one.capsule many.capsule
for number in 2 3 4 5 6 7 8; do next many.capsule "$number"; done
for number in 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8; do
    at=$((${at:-0} + 1))
    { "$CAPSULE" push "many.capsule@$number" oci:many:main --tag "own-$at" > "out.$at" 2>&1 && echo "$number" > "done.$at"; } &
done
wait
[ -n "$(ls done.*)" ] || fail 'none succeeded'
newest=$(cat done.* | sort -n | tail -1)
ok "$CAPSULE" pull oci:many:main -o pulled.capsule
ok "$CAPSULE" ls "pulled.capsule@$newest"
ok "$CAPSULE" verify --strict oci:many:main
for file in done.*; do
    "$CAPSULE" pull "oci:many:main@$(cat "$file")" -o one-of-them > /dev/null || fail "version $(cat "$file") is not in the history"
    rm one-of-them
    ok "$CAPSULE" ls "oci:many:own-${file#done.}"
done
for at in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    [ -f "done.$at" ] || grep -q 'which this file does not have\|has moved meanwhile' "out.$at" || fail "$(cat "out.$at")"
done
# Different files: one wins.
for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    cp one.capsule "rival.$number"
    next "rival.$number" "$number"
    rm -f "done.$number"
done
for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    { "$CAPSULE" push "rival.$number" oci:rivals:main > "out.$number" 2>&1 && echo "$number" > "done.$number"; } &
done
wait
[ "$(ls done.* | wc -l | tr -d ' ')" = 1 ] || fail "several won: $(ls done.*)"
[ "$("$CAPSULE" cat oci:rivals:main a)" = "$(cat done.*)" ] || fail 'another one won'

# Wherever a push is stopped, the tag names what it named, or the new version, and the next push comes out as if nothing had been.
mkdir start
cp one.capsule start/one.capsule
cp four.capsule start/four.capsule
ok "$CAPSULE" push one.capsule oci:start/lay:main
cat > check <<'C'
for tag in main; do
    "$CAPSULE" pull oci:lay:$tag -o pulled > log 2>&1 || { cat log; exit 1; }
    cmp -s pulled one.capsule || cmp -s pulled four.capsule || { echo 'neither old nor new'; exit 1; }
    [ "$STATUS" != 0 ] || cmp -s pulled four.capsule || { echo 'reported, but not there'; exit 1; }
done
"$CAPSULE" push four.capsule oci:lay:main > log 2>&1 || { cat log; exit 1; }
"$CAPSULE" verify oci:lay:main > log 2>&1 || { cat log; exit 1; }
C
part=10
[ -z "${CAPSULE_LONG_TESTS:-}" ] || part=1
found=0
python3 "$TOOLS/faults.py" each --part $part --from start --check "$(cat check)" -- "$CAPSULE" push four.capsule oci:lay:main \
    > report 2>&1 || found=$?
[ $found = 0 ] || [ $found = 77 ] || { cat report; fail 'a push that was stopped'; }
# A first push, too.
rm -rf start/lay
sed 's/^for.*/if [ "$STATUS" = 0 ]; then/; s/^done/fi/; s/\$tag/main/' check > check.new
python3 "$TOOLS/faults.py" each --part $part --from start --check "$(cat check.new)" -- "$CAPSULE" push four.capsule oci:lay:main \
    > report 2>&1 || found=$?
[ $found = 0 ] || [ $found = 77 ] || { cat report; fail 'a first push that was stopped'; }

# With skopeo to a registry and back: the same manifest, the same capsule.
PATH=$PATH:$TOOLS/../../.build/tools/usr/bin
if command -v skopeo > /dev/null && command -v docker-registry > /dev/null && command -v openssl > /dev/null; then
    . "$TOOLS/servers.sh"
    serve registry registry "$PWD/registry"
    place="docker://127.0.0.1:$(fact registry port)/team/gifs:main"
    ok skopeo --insecure-policy copy --quiet --preserve-digests --dest-tls-verify=false oci:lay:main "$place"
    ok skopeo --insecure-policy copy --quiet --preserve-digests --src-tls-verify=false "$place" oci:back:main
    [ "$(digest back main)" = "$(digest lay main)" ] || fail 'another manifest came back'
    ok "$CAPSULE" pull oci:back:main -o back.capsule
    same back.capsule z.capsule
    next z.capsule eight
    ok "$CAPSULE" push z.capsule oci:back:main
    ok skopeo --insecure-policy copy --quiet --preserve-digests --dest-tls-verify=false oci:back:main "$place"
    ok skopeo inspect --raw --tls-verify=false "$place"
    [ "sha256:$(digest_of out)" = "$(digest back main)" ] || fail 'the registry has another manifest'
else
    untested 'there is no skopeo or no docker-registry'
fi

# Two appends at once: the one that is overtaken follows the other.
ok "$CAPSULE" pack t --append -o oci:both:main --quiet
for round in 1 2 3; do
    for name in a b; do
        rm -rf tree.$name
        cp -R t tree.$name
        echo "$name $round" > tree.$name/new
    done
    "$CAPSULE" pack tree.a --append -o oci:both:main --quiet 2> err.1 &
    first=$!
    "$CAPSULE" pack tree.b --append -o oci:both:main --quiet 2> err.2 &
    wait $! || fail "an append in round $round: $(cat err.2)"
    wait $first || fail "an append in round $round: $(cat err.1)"
done
ok "$CAPSULE" log oci:both:main
[ "$(wc -l < out)" -eq 8 ] || fail 'an append is not there'
