# capsule undo, capsule drop.
. "$LIB"

mkdir -p Data/Documents Data/Library/Caches/app Data/tmp 'Data/Library/Saved Application State/x.savedState'
echo one > Data/Documents/a
echo cached > Data/Library/Caches/app/c
echo t > Data/tmp/t
echo s > 'Data/Library/Saved Application State/x.savedState/s'
cp -R Data Before
mkdir New
cp -R Data/. New
echo two > New/Documents/a
same_dirs() { diff -r "$1" "$2" || fail "$1 and $2 differ"; }

# An undo file undoes, twice too; undoing can be undone.
status 0 "$CAPSULE" restore New Data --undo back.capsule
same_dirs New Data
status 1 "$CAPSULE" undo back.capsule Data --check
status 0 "$CAPSULE" undo back.capsule Data --dry-run
says out 'Documents/a'
same_dirs New Data
status 0 "$CAPSULE" undo back.capsule Data --undo again.capsule
same_dirs Before Data
status 0 "$CAPSULE" undo back.capsule Data
status 0 "$CAPSULE" undo again.capsule Data
same_dirs New Data
# What has changed since is not lost.
echo three > Data/Documents/a
status 2 "$CAPSULE" undo back.capsule Data
says err 'Documents/a'
status 0 "$CAPSULE" undo back.capsule Data --force
same_dirs Before Data
# A property list, too.
echo '{"a": 1}' > v.json
status 0 "$CAPSULE" plist convert xml v.json -o p.plist
cp p.plist p0.plist
echo '{"a": 2}' > o.json
status 0 "$CAPSULE" apply o.json p.plist --undo u.plist
status 0 "$CAPSULE" undo u.plist p.plist
cmp p.plist p0.plist
status 64 "$CAPSULE" undo back.capsule
says err 'TARGET'

# Classes of noise go, and nothing else; with an undo file they come back.
status 1 "$CAPSULE" drop Data caches --check
status 0 "$CAPSULE" drop Data caches,tmp --dry-run
says out 'Library/Caches'
same_dirs Before Data
status 0 "$CAPSULE" drop Data caches tmp --undo noise.capsule
absent Data/Library/Caches/app Data/tmp/t
present Data/Library/Caches Data/tmp
[ -f Data/Documents/a ] && [ -f 'Data/Library/Saved Application State/x.savedState/s' ] || fail 'too much was deleted'
status 0 "$CAPSULE" drop Data caches tmp
status 0 "$CAPSULE" undo noise.capsule Data
same_dirs Before Data
status 0 "$CAPSULE" drop Data scene-sessions
absent 'Data/Library/Saved Application State/x.savedState'
status 64 "$CAPSULE" drop Data cache
says err "did you mean 'caches'"
status 64 "$CAPSULE" drop Data Documents
status 64 "$CAPSULE" drop Data
status 64 "$CAPSULE" drop back.capsule caches
# An undo file of a container is a capsule, and has no name of a document; nothing is changed then.
for name in never.json never.plist; do
    status 64 "$CAPSULE" drop Data caches tmp --undo $name
    says err "$name: an overlay with files is a capsule, and can't be named"
    status 64 "$CAPSULE" restore New Data --undo $name
    absent $name
done
[ -f Data/Documents/a ] || fail 'a refused command changed the container'
# Arguments in the wrong order, and capsules that are no undo files.
status 64 "$CAPSULE" drop caches Data
says err "hint: TARGET comes first: 'capsule drop Data caches'$"
status 64 "$CAPSULE" drop caches tmp,system Data
says err "'capsule drop Data caches tmp,system'$"
status 2 "$CAPSULE" drop caches tmp
status 64 "$CAPSULE" undo Data noise.capsule
says err "Data: is a container, not an undo file$"
says err "FILE comes first: 'capsule undo noise.capsule Data'$"
status 64 "$CAPSULE" undo Data Before
says err "write an undo file with '--undo'$"
status 0 "$CAPSULE" pack -q Data -o plain.capsule
status 64 "$CAPSULE" undo plain.capsule Data
says err 'plain.capsule: is a capsule of a container, not an undo file$'
says err "'capsule restore plain.capsule Data --dry-run' shows what going back to it would change"
echo '{"CapsuleExpectation": 1, "Must": []}' > e.json
status 64 "$CAPSULE" undo e.json Data
says err 'e.json: is a JSON Merge Patch (RFC 7396), not an undo file$'
[ -f Data/Documents/a ] || fail 'a document was deleted'

# A first append makes a capsule, and says so.
status 0 "$CAPSULE" pack Data --append -o new.capsule
says err 'new.capsule did not exist: made a new capsule'
status 0 "$CAPSULE" pack Data --append -o new.capsule
says_not err 'made a new capsule'
