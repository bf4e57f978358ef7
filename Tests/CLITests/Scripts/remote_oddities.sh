# Registries that move tags, refuse forms, lose blobs, are busy, or send whole files where parts were asked for.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
samples
ok "$CAPSULE" pack Gifs-before.xcappdata -o one.capsule --quiet
cp one.capsule two.capsule
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o two.capsule --quiet
cp two.capsule three.capsule
ok "$CAPSULE" pack Gifs-before.xcappdata --append -o three.capsule --quiet
cp one.capsule other.capsule
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o other.capsule --label other --quiet
serve fake fake_registry store --log fake.log
host=127.0.0.1:$(fact fake port)
to=oci://$host/team/gifs
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
for name in one two other; do ok "$CAPSULE" push $name.capsule $to:$name; done
tagged() { cat "store/team/gifs/tags/$1"; }
set_tag() { cp "store/team/gifs/tags/$2" "store/team/gifs/tags/$1"; }
puts() { requests fake.log 'r["method"] == "PUT" and "/manifests/" in r["path"]'; }

# The tag moves between the GET and the PUT: to what the file goes on from, and elsewhere.
for extra in '' if-match; do
    set_tag main one
    # shellcheck disable=SC2086
    faults fake moved,to=two $extra
    ok "$CAPSULE" push three.capsule $to:main
    says out ': version 3, '
    set_tag main one
    # shellcheck disable=SC2086
    faults fake moved,to=other $extra
    status 2 "$CAPSULE" push three.capsule $to:main
    says err 'they part after version 1'
    [ "$(tagged main)" = "$(tagged other)" ] || fail 'another push was overwritten'
done
# Between the HEAD and the PUT: only a registry that obeys If-Match can tell.
set_tag main one
faults fake moved,to=other,method=HEAD if-match
status 2 "$CAPSULE" push three.capsule $to:main
says err 'they part after version 1'
[ "$(tagged main)" = "$(tagged other)" ] || fail 'If-Match'
# After the PUT.
set_tag main one
faults fake moved,to=other,method=PUT
status 2 "$CAPSULE" push three.capsule $to:main
says err 'another push to this tag came at the same time and won: .*, sha256:'
ok "$CAPSULE" ls "$to@$(sed -n 's/.*\(sha256:[0-9a-f]*\).*/\1/p' err | head -n 1)"
# A registry that took the manifest and keeps nothing, or only what was there.
set_tag main one
faults fake moved,to=one,method=PUT
status 2 "$CAPSULE" push three.capsule $to:main
says err 'the registry accepted the manifest, but the tag does not name it'
# An append goes on from what came between, before the PUT and after it. Others that go on from it are no loss.
for method in HEAD PUT; do
    set_tag main one
    faults fake moved,to=other,method=$method,times=1
    ok "$CAPSULE" pack Gifs-before.xcappdata --append -o $to:main --label mine
    ok "$CAPSULE" log $to:main
    says out ' mine '
    [ $method = HEAD ] || says out ' other '
done
set_tag main one
faults fake moved,to=three,method=PUT
ok "$CAPSULE" push three.capsule $to:three
ok "$CAPSULE" push two.capsule $to:main
faults fake

# Forms: without data, then as an image; the one at the tag first.
form() { jq -r '[.artifactType, .config.mediaType, (.config.data != null)] | @csv' "store/team/gifs/manifests/$(tagged "$1" | cut -d: -f2)"; }
faults fake refuse,what=data
status 0 "$CAPSULE" push one.capsule $to:bare
says err 'note: the registry does not take the manifest with small blobs in it, so it is written without blobs in it'
[ "$(form bare)" = '"application/vnd.capsule.v1","application/vnd.capsule.config.v1+json",false' ] || fail "without data: $(form bare)"
: > fake.log
ok "$CAPSULE" push two.capsule $to:bare
[ ! -s err ] && [ "$(puts)" = 1 ] || fail 'the form at the tag was not tried first'
for fault in gitlab ecr refuse,what=artifactType+data,status=501; do
    faults fake $fault
    tag=$(echo $fault | tr -c 'a-z\n' -)
    : > fake.log
    status 0 "$CAPSULE" push one.capsule "$to:$tag"
    says err 'so it is written as that of an image'
    [ "$(puts)" = 3 ] || fail "$fault: $(puts) tries"
    : > fake.log
    ok "$CAPSULE" push two.capsule "$to:$tag"
    [ ! -s err ] && [ "$(puts)" = 1 ] || fail "$fault: the form at the tag was not tried first"
    rm -rf cache
    ok "$CAPSULE" pull "$to:$tag" -o new.capsule --force
    same new.capsule two.capsule
done
faults fake refuse,what=layers,limit=0
: > fake.log
status 2 "$CAPSULE" push one.capsule $to:never
says err 'layers'
[ "$(puts)" = 3 ] || fail 'not each form was tried once'
faults fake immutable
status 2 "$CAPSULE" push two.capsule $to:one
says err 'hint: the tag is immutable'
[ "$(tagged one)" != "$(tagged two)" ] || fail 'immutable'

# Lost blobs, and a registry that has forgotten one for a moment.
for fault in blob-unknown lose,times=1; do
    faults fake $fault
    rm -rf store/team/lost
    ok "$CAPSULE" push two.capsule oci://$host/team/lost:main
    rm -rf cache new.capsule
    ok "$CAPSULE" pull oci://$host/team/lost:main -o new.capsule
    same new.capsule two.capsule
done
faults fake lose
status 2 "$CAPSULE" push three.capsule oci://$host/team/lost:never
says err 'does not find a blob that was just stored'
absent store/team/lost/tags/never
faults fake status,status=413,method=PUT,path=*/uploads/*
rm -rf store/team/lost
status 2 "$CAPSULE" push three.capsule oci://$host/team/lost:never
says err '413'

# Busy: again after a while, as long as the registry says.
for fault in limit busy "limit,path=*/uploads/*" "busy,method=PUT" "drop,times=1,method=PUT,path=*/uploads/*" "status,status=500,times=1,method=PUT"; do
    faults fake "$fault"
    rm -rf store/team/busy
    ok "$CAPSULE" push two.capsule oci://$host/team/busy:main
done
faults fake status,status=429,retry_after=1000
: > fake.log
status 2 "$CAPSULE" ls $to:main
says err 'too many requests (429)'
[ "$(requests fake.log True)" = 1 ] || fail 'asked again before the time'
faults fake status,status=429,retry_after=2,times=1
status 0 "$CAPSULE" ls $to:main
says err "note: $host answered 429; trying again in 2 s"
faults fake

# Parts of large blobs.
mkdir big
noise 3000000 noise > big/noise
noise 3000000 other > big/other
echo small > big/small
ok "$CAPSULE" pack big -o big.capsule --quiet
ok "$CAPSULE" push big.capsule $to:big
for fault in no-ranges presigned redirect "wrong-range,part=unit,times=1" "status,status=416,ranged=1,path=*/blobs/*" "status,status=400,ranged=1,path=*/blobs/*"; do
    faults fake "$fault"
    rm -rf cache
    : > fake.log
    found=0
    "$CAPSULE" cat $to:big small > out 2> err || found=$?
    case "$fault" in wrong-range*) [ $found = 2 ] && continue ;; esac
    [ $found = 0 ] && [ "$(cat out)" = small ] || fail "$fault: status $found"
    ok "$CAPSULE" pull $to:big -o new.capsule --force
    same new.capsule big.capsule
done
for part in start end total unit missing; do
    faults fake "wrong-range,part=$part"
    rm -rf cache
    status 2 "$CAPSULE" cat $to:big small
    [ ! -s out ] || fail "wrong-range,part=$part: something came"
done
faults fake "flip,path=*/blobs/*,at=1000"
rm -rf cache
status 2 "$CAPSULE" unpack $to:big -o unpacked
absent unpacked
faults fake

# The requests that each verb takes.
counts() {
    requests_wanted=$1
    shift
    : > fake.log
    ok "$@"
    [ "$(requests fake.log True)" = "$requests_wanted" ] || { cut -c1-150 fake.log; fail "$(requests fake.log True) requests, not $requests_wanted: $*"; }
}
set_tag main one
rm -rf cache
for verb in ls log info "cat $to:main Documents/Gifs/cat.gif" tags; do
    # shellcheck disable=SC2086
    case $verb in cat*) counts 1 "$CAPSULE" $verb ;; *) counts 1 "$CAPSULE" $verb $to:main ;; esac
done
counts 1 "$CAPSULE" log $to:two
counts 1 "$CAPSULE" push one.capsule $to:main
# GET, POST and PUT of the blob and of the config, HEAD, PUT, HEAD.
counts 8 "$CAPSULE" push two.capsule $to:main
rm -rf cache
# The tail is in the manifest: then the part of the data that holds the file.
counts 2 "$CAPSULE" cat $to:big small
counts 1 "$CAPSULE" ls $to:big
# The list of referrers and the tag for them, too.
counts 4 "$CAPSULE" pull $to:big -o again.capsule
# Nothing is in the manifest: the config and both segments are fetched, and then kept.
counts 4 "$CAPSULE" ls $to:bare
counts 1 "$CAPSULE" ls $to:bare
counts 1 "$CAPSULE" log $to:bare
