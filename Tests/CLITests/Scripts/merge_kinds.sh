# Where both sides put something in place of another kind of value, different results are a conflict in every merge.
. "$LIB"
need python3
needs git
for side in base ours theirs; do mkdir $side; done
echo '{"a": "s"}' > base/v.json
echo '{"a": {"x": 1}}' > ours/v.json
echo '{"a": {"y": 2}}' > theirs/v.json
echo 'plain text' > base/t.json
cp ours/v.json ours/t.json
cp theirs/v.json theirs/t.json
ln -s elsewhere base/l.json
cp ours/v.json ours/l.json
cp theirs/v.json theirs/l.json

status 1 "$CAPSULE" merge base ours theirs -o merged
says out '^conflict 1: contents l.json: both replaced a link with a file: '
says out '^conflict 2: contents t.json: both changed it, and the base is not a property list: '
says out '^conflict 3: value v.json /a: both changed: base "s", ours '
absent merged
status 1 "$CAPSULE" merge base/v.json ours/v.json theirs/v.json -o merged.json
says out '^conflict 1: value /a: both changed: base "s", ours {"x": 1}, theirs {"y": 2}$'
absent merged.json
cp ours/v.json v.json
status 1 "$CAPSULE" git merge-driver base/v.json v.json theirs/v.json 7 v.json
says v.json '^<<<<<<< ours$'
for side in base ours theirs; do "$CAPSULE" plist convert binary $side/v.json -o $side.plist -q; done
status 1 "$CAPSULE" merge base.plist ours.plist theirs.plist -o merged.plist
says out '^conflict 1: value /a: both changed: base "s"'

# What an overlay brings and what became of the target meanwhile.
ok "$CAPSULE" diff base theirs -q --exit-zero --overlay theirs.overlay
cp -R ours target
status 2 "$CAPSULE" apply theirs.overlay target --three-way
says err 'v.json: .*value at /a was changed both by the overlay and in the target'
diff -r ours target > out || fail "the target has changed"

# Both made the same, or there was nothing before.
cp ours/v.json theirs/v.json
ok "$CAPSULE" merge base/v.json ours/v.json theirs/v.json -o merged.json
same merged.json ours/v.json
echo '{}' > base/v.json
echo '{"a": {"y": 2}}' > theirs/v.json
ok "$CAPSULE" merge base/v.json ours/v.json theirs/v.json -o union.json
python3 -c 'import json; assert json.load(open("union.json")) == {"a": {"x": 1, "y": 2}}'
