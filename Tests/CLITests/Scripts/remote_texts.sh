# What a registry says can't control a terminal, lead elsewhere, or be taken for something else.
. "$TOOLS/fake_setup.sh"
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
# Texts of a server control no terminal.
escape=$(printf '\033')
faults fake "status,status=400,code=X,message=evil$escape[31m$escape]0;title,path=*/manifests/*"
refused 'evil' ls $to:main
! grep -q "$escape" err || fail 'an escape in an error'
status 2 "$CAPSULE" ls $to:main --json
! grep -q "$escape" out || fail 'an escape in JSON'
faults fake "header,name=Warning,value=299 - \"evil$escape[31m is old\""
fresh
status 0 "$CAPSULE" verify $to:bare
says err "^capsule: warning: $host says: evil"
[ "$(grep -c evil err)" = 1 ] || fail 'a warning more than once'
! grep -q "$escape" err || fail 'an escape in a warning'
faults fake "header,name=Warning,value=199 - \"other\""
ok "$CAPSULE" ls $to:main
says_not err other
faults fake "header,name=Content-Type,value=text/evil$escape[31m,path=*/manifests/*"
refused 'evil' ls $to:main
! grep -q "$escape" err || fail 'an escape in a type'
faults fake
forge hostile "m['annotations']['org.opencontainers.image.title'] = '../../evil\\x1b[31m'; config(lambda c: c['versions'][1].update(bundle='evil\\x1b[31m'))"
fresh
ok "$CAPSULE" log $to:hostile
! grep -q "$escape" out || fail 'an escape in the log'
ok "$CAPSULE" pull $to:hostile -o new.capsule
same new.capsule two.capsule
forge hostile "config(lambda c: c['versions'][1].update(label='evil\\x1b[31m'))"
refused "invalid 'label'" log $to:hostile

# A list of tags is the registry's own, and holds tags alone.
printf 'bare\nhostile\nmain\n' > wanted
for fault in page page,link=empty; do
    faults fake $fault
    ok "$CAPSULE" tags $to
    same out wanted
done
faults fake page,link=foreign
: > fake.log
refused 'list of tags goes on at another server' tags $to
[ "$(requests fake.log 'r["server"] != "main"')" = 0 ] || fail 'a foreign page was asked for'
faults fake page,link=loop
refused 'list of tags does not end' tags $to
faults fake
echo "sha256:$(printf %064d 1)" > "store/team/gifs/tags/evil$escape[31m"
ok "$CAPSULE" tags $to
same out wanted
rm "store/team/gifs/tags/evil$escape[31m"

# A push never replaces what is not a capsule.
forge other 'm["layers"][0]["mediaType"] = "application/octet-stream"; m.pop("artifactType")'
digest=$(cat store/team/gifs/tags/other)
refused 'is not a capsule' push two.capsule $to:other --force
[ "$(cat store/team/gifs/tags/other)" = "$digest" ] || fail 'something else was overwritten'
