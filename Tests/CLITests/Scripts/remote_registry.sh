# A registry as a place for capsules: Docker's own, without credentials.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
samples
serve reg registry store
host=127.0.0.1:$(fact reg port)
to=oci://$host/team/gifs
ok "$CAPSULE" pack Gifs-before.xcappdata -o gifs.capsule --label base --quiet
cp gifs.capsule one.capsule
digest_in() { sed -n 's/.*@\(sha256:[0-9a-f]*\).*/\1/p' "$1"; }

# What is not there.
status 2 "$CAPSULE" ls $to:main
says err 'no such repository or tag (404)'
status 2 "$CAPSULE" pull $to:main -o new.capsule
absent new.capsule
status 2 "$CAPSULE" tags $to
says err 'no such repository (404)'
status 2 "$CAPSULE" push nothing.capsule $to
status 64 "$CAPSULE" push Gifs-before.xcappdata $to
status 64 "$CAPSULE" push gifs.capsule oci://$host/Team/gifs
status 64 "$CAPSULE" push gifs.capsule nothing

# Push, push again, append and push.
ok "$CAPSULE" push gifs.capsule $to:main
says out "^$to:main@sha256:[0-9a-f]\{64\}: version 1, .* sent of "
first=$(digest_in out)
ok "$CAPSULE" push gifs.capsule $to:main
says out ': version 1 is already there$'
[ "$(digest_in out)" = "$first" ] || fail 'another digest for the same file'
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o gifs.capsule --label after --quiet
ok "$CAPSULE" push gifs.capsule $to:main --tag stable --tag v2 --annotation org.example.key=value --json
jq -e --arg to "$to:main" '.schema == "capsule.push" and .number == 2 and .changed and .bytesSent < 10000' out > jq.out \
    || fail 'the JSON of push'
ok "$CAPSULE" push gifs.capsule $to:main --annotation org.example.key=value
second=$(digest_in out)
says out ': version 2 is already there$'
ok "$CAPSULE" tags $to
printf 'main\nstable\nv2\n' > wanted
same out wanted
ok "$CAPSULE" tags $to --json
jq -e '.tags == ["main", "stable", "v2"]' out > jq.out || fail 'the JSON of tags'

# The layers, one after the other, are the file.
manifest=$(find store/data -path "*/sha256/*/${second#sha256:}/data")
jq -r '.layers[].digest' "$manifest" | while read -r digest; do
    cat "$(find store/data -path "*/sha256/*/${digest#sha256:}/data")"
done > joined
same joined gifs.capsule
[ "$(jq -r '.annotations["org.example.key"]' "$manifest")" = value ] || fail 'the annotation'

# The same file gives the same manifest on another machine, in another registry.
cp gifs.capsule other.capsule
ok env HOME="$PWD/other" XDG_CACHE_HOME="$PWD/other/cache" TZ=Asia/Tokyo "$CAPSULE" push other.capsule oci://$host/other/name:x \
    --annotation org.example.key=value
[ "$(digest_in out)" = "$second" ] || fail 'another machine makes another manifest'

# Read.
"$CAPSULE" ls gifs.capsule > local
for address in $to:main $to:main@2 $to:main@after $to:stable $to@$second $to:main@$second $to@$second@2 oci+http://$host/team/gifs:v2; do
    ok "$CAPSULE" ls "$address"
    same out local
done
"$CAPSULE" ls one.capsule > local
for address in $to:main@1 $to:main@base $to:main~1 $to@$first $to:main@$first $to@$second@base; do
    case "$address" in *~1) address=$to:main@~1 ;; esac
    ok "$CAPSULE" ls "$address"
    same out local
done
status 2 "$CAPSULE" ls $to:main@nothing
says err "has no version 'nothing'"
status 2 "$CAPSULE" ls $to@sha256:$(printf %064d 7)
status 64 "$CAPSULE" ls $to@sha256:$(printf %063d 7)
ok "$CAPSULE" cat $to:main Documents/Gifs/cat.gif
cmp -s out Gifs-after.xcappdata/AppData/Documents/Gifs/cat.gif || fail 'cat'
ok "$CAPSULE" info $to:main
says out '^version  *2 of 2 versions'
ok "$CAPSULE" log $to:main
mv out remote.log
"$CAPSULE" log gifs.capsule > out
same out remote.log
ok "$CAPSULE" log $to:main --json
jq -e '.whole and (.versions | length == 2) and .versions[0].name != null and .versions[1].labels == ["base"]' out > jq.out \
    || fail 'the JSON of log'
status 64 "$CAPSULE" log $to:main@1
status 1 "$CAPSULE" diff $to:main@1 $to:main
mv out remote.diff
status 1 "$CAPSULE" diff gifs.capsule@1 gifs.capsule
grep -v capsule out > local.diff || :
grep -v capsule remote.diff > remote.lines || :
same remote.lines local.diff
ok "$CAPSULE" unpack $to:main -C unpacked --quiet
ok "$CAPSULE" diff gifs.capsule unpacked/Gifs-after.xcappdata
ok "$CAPSULE" unpack $to:main@base -C live --quiet
ok "$CAPSULE" restore $to:main live/Gifs-before.xcappdata --quiet
ok "$CAPSULE" diff $to:main live/Gifs-before.xcappdata
ok "$CAPSULE" verify $to:main --strict
ok "$CAPSULE" merge $to:main@base gifs.capsule $to:main -o merged.capsule --quiet
ok "$CAPSULE" diff merged.capsule gifs.capsule
ok "$CAPSULE" compact $to:main --keep 2 -o compacted.capsule --quiet
ok "$CAPSULE" diff compacted.capsule gifs.capsule

# Pull: whole, to a version, what is missing, nothing.
mkdir pulled
(cd pulled && ok "$CAPSULE" pull $to:main && rm out err && only . gifs.capsule)
same pulled/gifs.capsule gifs.capsule
[ "$(modes_of pulled/gifs.capsule)" = 600 ] || fail 'others can read it'
ok "$CAPSULE" pull $to:main@1 -o part.capsule
same part.capsule one.capsule
before=$(identities_of part.capsule | cut -d' ' -f1)
ok "$CAPSULE" pull $to:main -o part.capsule --json
jq -e '.schema == "capsule.pull" and .number == 2 and .added == 1 and .bytesFetched < 10000' out > jq.out || fail 'the JSON of pull'
same part.capsule gifs.capsule
[ "$(identities_of part.capsule | cut -d' ' -f1)" = "$before" ] || fail 'the file was replaced, not appended to'
before=$(identities_of part.capsule)
ok "$CAPSULE" pull $to:main -o part.capsule
says out 'version 2 is already there'
[ "$(identities_of part.capsule)" = "$before" ] || fail 'nothing to do, but the file was touched'

# Ahead, behind and parted.
cp gifs.capsule ahead.capsule
ok "$CAPSULE" pack Gifs-before.xcappdata --append -o ahead.capsule --quiet
status 2 "$CAPSULE" pull $to:main -o ahead.capsule
says err 'has version 3, which the registry does not have'
cp one.capsule parted.capsule
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o parted.capsule --label mine --quiet
digest_of parted.capsule > before
status 2 "$CAPSULE" pull $to:main -o parted.capsule
says err 'they part after version 1: this file goes on with version 2, the registry with version 2'
digest_of parted.capsule | cmp -s - before || fail 'a refused pull changed the file'
status 2 "$CAPSULE" push parted.capsule $to:main
says err 'they part after version 1'
status 2 "$CAPSULE" push one.capsule $to:main
says err 'the registry has version 2, which this file does not have'
ok "$CAPSULE" ls $to@$second
ok "$CAPSULE" pack Gifs-after.xcappdata -o foreign.capsule --quiet
status 2 "$CAPSULE" push foreign.capsule $to:main
says err 'nothing in common'
status 2 "$CAPSULE" pull $to:main -o foreign.capsule
says err 'nothing in common'
echo text > text
status 2 "$CAPSULE" pull $to:main -o text
says err 'not a capsule'
ok "$CAPSULE" pull $to:main -o text --force
same text gifs.capsule
ok "$CAPSULE" push parted.capsule $to:main --force
ok "$CAPSULE" ls $to:main@mine
ok "$CAPSULE" ls $to@$second
ok "$CAPSULE" pull $to:main -o part.capsule --force
same part.capsule parted.capsule
ok "$CAPSULE" push gifs.capsule@base $to:base
ok "$CAPSULE" pull $to:base -o base.capsule
same base.capsule one.capsule
ok "$CAPSULE" push ahead.capsule $to:stable
says out ': version 3, '

# The form of an image, which stays once it is there; labels alone.
ok "$CAPSULE" push one.capsule $to:image --as-image
ok "$CAPSULE" ls $to:image
ok "$CAPSULE" push gifs.capsule $to:image
jq -e '.config.mediaType == "application/vnd.oci.image.config.v1+json" and .artifactType == null' \
    "$(find store/data -path "*/sha256/*/$(digest_in out | cut -d: -f2)/data")" > jq.out || fail 'the form at the tag was not kept'
ok "$CAPSULE" verify $to:image
ok "$CAPSULE" label gifs.capsule@2 blessed
ok "$CAPSULE" push gifs.capsule $to:image
ok "$CAPSULE" ls $to:image@blessed
ok "$CAPSULE" log $to:image
says out 'blessed,after'
ok "$CAPSULE" pull $to:image -o other.capsule
same other.capsule gifs.capsule
ok "$CAPSULE" push gifs.capsule $to:image
says out 'already there'
# Torn and damaged files are not pushed.
head -c 30000 ahead.capsule > torn.capsule
status 2 "$CAPSULE" push torn.capsule $to:torn
ok "$CAPSULE" tags $to
says_not out torn
# Something else under the tag is not overwritten.
config=$(printf '{}' > config.json && digest_of config.json)
put() { python3 -c 'import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def send(method, url, body, **headers):
    return opener.open(urllib.request.Request(url, body, {k.replace("_", "-"): v for k, v in headers.items()}, method=method))
base, config, manifest = sys.argv[1:]
for path, digest in ((config, "x"),):
    import hashlib
    data = open(path, "rb").read()
    place = send("POST", base + "/blobs/uploads/", b"").headers["Location"]
    send("PUT", place + "&digest=sha256:" + hashlib.sha256(data).hexdigest(), data, Content_Type="application/octet-stream")
send("PUT", base + "/manifests/image2", open(manifest, "rb").read(), Content_Type="application/vnd.oci.image.manifest.v1+json")
' "$@"; }
cat > foreign.json <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config","size":2},"layers":[{"mediaType":"application/octet-stream","digest":"sha256:$config","size":2}]}
END
put http://$host/v2/team/gifs config.json foreign.json
for flag in '' --force; do
    # shellcheck disable=SC2086
    status 2 "$CAPSULE" push gifs.capsule $to:image2 $flag
    says err 'is not a capsule'
done
status 2 "$CAPSULE" pull $to:image2 -o image2.capsule
absent image2.capsule

# Other tools copy it as it is.
if command -v skopeo > /dev/null; then
    copy() { skopeo --insecure-policy copy --preserve-digests --src-tls-verify=false --dest-tls-verify=false "$@" > /dev/null; }
    unset HTTP_PROXY
    skopeo --insecure-policy copy --preserve-digests --src-tls-verify=false "docker://$host/team/gifs:stable" oci:layout:stable > skopeo.out 2>&1 \
        || { cat skopeo.out; fail 'skopeo copy to a layout'; }
    layout=$(jq -r '.manifests[0].digest' layout/index.json)
    for digest in $(jq -r '.layers[].digest' "layout/blobs/sha256/${layout#sha256:}"); do
        cat "layout/blobs/sha256/${digest#sha256:}"
    done > joined
    same joined ahead.capsule
    skopeo --insecure-policy copy --preserve-digests --dest-tls-verify=false oci:layout:stable "docker://$host/copied/gifs:stable" > skopeo.out 2>&1 \
        || { cat skopeo.out; fail 'skopeo copy from a layout'; }
    ok "$CAPSULE" push ahead.capsule oci://$host/copied/gifs:stable
    says out "@$layout: version 3 is already there"
    ok "$CAPSULE" verify oci://$host/copied/gifs:stable
else
    untested 'skopeo: it is not installed'
fi
