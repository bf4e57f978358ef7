# A file that a command changes in its place keeps its owner, group, access control list and attributes, or stays as it is.
. "$LIB"
need python3
needs_linux 'access control lists as an attribute'
cat > facts.py << 'EOF'
import os, struct, sys
NAME = "system.posix_acl_access"
def entry(tag, permissions, number=0xFFFFFFFF): return struct.pack("<HHI", tag, permissions, number)
ACL = struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 12345) + entry(4, 4) + entry(16, 6) + entry(32, 0)
def show(path):
    status = os.stat(path)
    names = {name: os.getxattr(path, name) for name in sorted(os.listxattr(path))}
    print(status.st_uid, status.st_gid, oct(status.st_mode), sorted(names.items()))
if sys.argv[1] == "acl": os.setxattr(sys.argv[2], NAME, ACL)
elif sys.argv[1] == "default": os.setxattr(sys.argv[2], "system.posix_acl_default", ACL)
else: [show(path) for path in sys.argv[2:]]
EOF
facts() { python3 facts.py show "$@"; }
fresh() {
    rm -f "$1"
    printf '{\n\t"a": 1\n}\n' > "$1"
    chmod 640 "$1"
    python3 facts.py acl "$1" 2> /dev/null || { [ -n "${told-}" ] || untested 'access control lists: the file system has none'; told=1; }
    [ "$(id -u)" != 0 ] || chown 65534:65533 "$1"
}
mkdir d
echo '{"a": 2}' > overlay.json
echo '{"a": 1, "b": 2}' > theirs.json
each() {
    "$@"
    facts d/x.json > after
    same before after
    says d/x.json "$expected"
}
change() {
    fresh d/x.json
    facts d/x.json > before
    each ok "$@"
}
expected='"a": 2'
change "$CAPSULE" plist set -q d/x.json /a --integer 2
change "$CAPSULE" apply -q overlay.json d/x.json
expected='"b": 2'
cp d/x.json base.json
printf '{\n\t"a": 1\n}\n' > base.json
change "$CAPSULE" git merge-driver base.json d/x.json theirs.json 7 x.json

# A capsule that is compacted.
mkdir t
echo 1 > t/f
ok "$CAPSULE" pack -q t -o d/c.capsule
echo 2 > t/f
ok "$CAPSULE" pack -q t --append -o d/c.capsule
python3 facts.py acl d/c.capsule 2> /dev/null || :
[ "$(id -u)" != 0 ] || chown 65534:65533 d/c.capsule
facts d/c.capsule > before
ok "$CAPSULE" compact -q d/c.capsule --keep latest
facts d/c.capsule > after
same before after

# A list that new files get from their directory is not put on a file that has none.
if [ -z "${told-}" ]; then
    mkdir i
    echo '{"a": 1}' > i/x.json
    python3 facts.py default i
    facts i/x.json > before
    ok "$CAPSULE" plist set -q i/x.json /a --integer 2
    facts i/x.json > after
    same before after
fi

# Who may not keep the owner changes nothing; a directory that is closed is named.
[ "$(id -u)" = 0 ] || {
    untested 'the owner of another user: this is not root'
    exit 0
}
cp "$CAPSULE" capsule
chmod 755 . .. capsule
as_user() {
    python3 -c 'import os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
as_user ./capsule --version > /dev/null || skip 'no other user may run the program'
mkdir -m 777 open
mkdir -m 755 closed
for directory in open closed; do
    printf '{"a": 1}\n' > $directory/x.json
    chmod 666 $directory/x.json
done
status 2 as_user ./capsule plist set open/x.json /a --integer 2
says err 'open/x.json: cannot keep its \(owner\|group\): operation not permitted$'
says err "hint: run the command as the file's owner"
status 2 as_user ./capsule plist set closed/x.json /a --integer 2
says err '/closed: cannot create files in this directory: permission denied$'
says err 'hint: .*the directory must be writable$'
says open/x.json '"a": 1'
says closed/x.json '"a": 1'
only open x.json
