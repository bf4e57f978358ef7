# What a hostile registry, or one that someone else changed, can't do. docs/remote.md says what is promised.
. "$TOOLS/fake_setup.sh"
# Bytes that were changed on the way: of a manifest, a config, and a blob.
manifest=$(cat store/team/gifs/tags/bare)
faults fake "flip,path=*/manifests/*,at=400"
refused 'damaged\|manifest' pull $to:bare -o new.capsule
absent new.capsule
# Asked for by its digest, whatever the answer says of itself.
refused 'another manifest than the one with this digest' pull "$to@$manifest" -o new.capsule
absent new.capsule
faults fake "header,path=*/manifests/*,name=Docker-Content-Digest,value=sha256:$(printf %064d 1)"
refused 'does not match the digest it says' ls $to:main
config=$(jq -r .config.digest "store/team/gifs/manifests/${manifest#sha256:}")
faults fake "flip,path=*/blobs/$config"
refused 'config does not match its digest' ls $to:bare
for digest in $(jq -r '.layers[].digest' "store/team/gifs/manifests/${manifest#sha256:}"); do
    faults fake "flip,path=*/blobs/$digest"
    for verb in "pull $to:bare -o new.capsule" "verify $to:bare" "unpack $to:bare -o new.capsule" "restore $to:bare Gifs-before.xcappdata"; do
        # shellcheck disable=SC2086
        refused 'does not match its digest' $verb
        absent new.capsule
    done
done
# What was fetched wrongly is not kept.
faults fake
fresh
ok "$CAPSULE" verify $to:bare
find cache/capsule/blobs -type f | while read -r file; do
    [ "$(digest_of "$file")" = "$(basename "$file")" ] || fail "the cache has $file"
done
[ "$(modes_of cache/capsule/blobs | sort -u)" = 700 ] || fail 'others can read the cache'
# A changed cache is not believed.
for file in cache/capsule/blobs/*; do printf x | dd of="$file" bs=1 seek=100 conv=notrunc 2> /dev/null; done
ok "$CAPSULE" pull $to:bare -o new.capsule
same new.capsule two.capsule

# Manifests that anyone can write.
forge() {
    python3 - "$PWD/store/team/gifs" "$@" <<'END'
import hashlib, json, sys
top, tag, change = sys.argv[1:]
digest = open(top + "/tags/bare").read().strip()[7:]
m = json.load(open(top + "/manifests/" + digest))
def blob(data):
    name = hashlib.sha256(data).hexdigest()
    open(top + "/blobs/" + name, "wb").write(data)
    return {"digest": "sha256:" + name, "size": len(data)}
def config(change):
    c = json.load(open(top + "/blobs/" + m["config"]["digest"][7:]))
    change(c)
    m["config"].update(blob(json.dumps(c).encode()))
exec(change)
data = m if isinstance(m, bytes) else json.dumps(m).encode()
name = hashlib.sha256(data).hexdigest()
open(top + "/manifests/" + name, "wb").write(data)
open(top + "/tags/" + tag, "w").write("sha256:" + name)
END
}
hostile() {
    forge hostile "$2"
    : > fake.log
    refused "$1" pull $to:hostile -o new.capsule
    absent new.capsule
    [ "$(requests fake.log 'r["server"] != "main"')" = 0 ] || fail 'another server was asked'
}
hostile 'a layer without a SHA-256 digest' 'm["layers"][0]["digest"] = "sha256:../../../../etc/passwd"'
[ "$(requests fake.log '"passwd" in r["path"]')" = 0 ] || fail 'a digest became a path'
hostile 'a layer without a SHA-256 digest' 'm["layers"][0]["digest"] = m["layers"][0]["digest"].upper().replace("SHA256", "sha256")'
hostile 'a config without a SHA-256 digest' 'm["config"]["digest"] = "md5:d41d8cd98f00b204e9800998ecf8427e"'
hostile 'a config without a SHA-256 digest' 'm["config"]["digest"] += "?x"'
hostile 'a layer without a size' 'm["layers"][0]["size"] = -1'
hostile 'a layer of an impossible size\|more than' 'm["layers"][0]["size"] = (1 << 63) - 1'
hostile 'a layer of an impossible size' 'm["layers"][0]["size"] = 0'
hostile 'a config of more than' 'm["config"]["size"] = 1 << 40'
hostile 'more than 16384 layers' 'm["layers"] = m["layers"][:1] * 16385'
hostile 'bytes together, but its config says' 'm["layers"].append(m["layers"][0])'
hostile 'data that does not match' 'm["layers"][0]["data"] = "AAAA"'
hostile 'another length\|answered with' 'm["layers"][0]["size"] += 1; config(lambda c: [v.update(end=v["end"] + 1) for v in c["versions"]] and c.update(length=c["length"] + 1))'
hostile 'both' 'm["manifests"] = []'
hostile 'is an index of several images' 'm = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "manifests": []}'
hostile 'of a form that this program does not read' 'm["layers"][0]["mediaType"] = "application/vnd.capsule.data.v9"'
hostile "is not a capsule: its type is" 'm["layers"][0]["mediaType"] = "application/octet-stream"; m.pop("artifactType")'
hostile 'has the format 9' 'config(lambda c: c.update(format=9))'
hostile "invalid 'name'" 'config(lambda c: c.update(name="../../x"))'
hostile "invalid 'versions'" 'config(lambda c: c["versions"][1].update(number=1))'
# The config's list is compared with the file.
hostile 'not the one that the server lists' 'config(lambda c: c["versions"][1].update(number=7))'
hostile 'not the one that the server lists' 'config(lambda c: c["versions"][1].update(footer="0" * 64))'
hostile 'not the one that the server lists' 'config(lambda c: c["versions"][0].update(end=c["versions"][0]["end"] - 1))'
hostile 'not the one that the server lists' 'config(lambda c: c.update(codec="zstd"))'
forge hostile 'config(lambda c: c["versions"][0].update(tree="0" * 64))'
refused 'another tree digest than the one that the server lists' ls $to:hostile@1
forge hostile 'config(lambda c: c["versions"][0].update(content="0" * 64))'
fresh
status 2 "$CAPSULE" verify $to:hostile
says out 'lists the versions in another way'
# Two reads of one tag, of which one has an index or other lists.
for fault in both index; do
    faults fake $fault
    refused "both\|is an index of several images" ls $to:main
done
faults fake "header,path=*/manifests/*,name=Content-Type,value=application/vnd.oci.image.index.v1+json"
refused 'is an index\|but was sent as' ls $to:main
faults fake giant-manifest
refused 'longer than' ls $to:main
faults fake "endless,path=*/manifests/*"
refused 'longer than' ls $to:main
faults fake
# `urls` lead nowhere.
faults fake urls
fresh
: > fake.log
ok "$CAPSULE" pull $to:bare -o new.capsule
same new.capsule two.capsule
[ "$(requests fake.log 'r["server"] != "main"')" = 0 ] || fail 'urls were followed'
faults fake
