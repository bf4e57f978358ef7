# capsule diff: app groups are compared where both sides have them, and said to be left out where one can't.
. "$LIB"

python3 "$TOOLS/make_container.py" A.xcappdata --scale small
mkdir -p group/Library
echo shared > group/Library/shared.txt
ok "$CAPSULE" pack A.xcappdata -o A.capsule -q --group group.com.example=group
status 0 "$CAPSULE" diff A.capsule A.xcappdata
[ ! -s out ] || fail "a group that is elsewhere differs"
says err "note: the app group group.com.example is not compared: name the other side.s directory with '--group'"
status 0 "$CAPSULE" diff A.xcappdata A.capsule -q
[ ! -s err ] || fail "--quiet has notes"
# It may hold whatever is forbidden.
guard() {
    wanted_status=$1
    echo "{\"CapsuleExpectation\": 1, $2}" > guard.json
    shift 2
    status "$wanted_status" "$CAPSULE" diff "$@" --expect guard.json
}
for match in '{"Path": "AppGroups/**"}' '{"Path": "**/shared.txt"}' '{"Path": "AppGroups/group.[a-d]*/Library/*"}' '{"Pointer": "/x"}'; do
    guard 1 "\"MustNot\": [$match]" A.capsule A.xcappdata
    says out '^! can.t be judged: .*: the app group group.com.example is not compared$'
    says err "hint: name the other side.s directory with '--group'$"
    guard 0 "\"MustNot\": [$match]" A.capsule A.xcappdata --group group.com.example=group
done
guard 1 '"MustNot": [{"Path": "AppGroups/**"}]' A.xcappdata A.capsule
guard 1 '"May": [{"Path": "AppGroups/**", "Count": 0}]' A.capsule A.xcappdata
for match in '{"Path": "AppGroups/group.other/**"}' '{"Path": "AppGroups/*"}' '{"Path": "Library/**", "Pointer": "/x"}'; do
    guard 0 "\"MustNot\": [$match]" A.capsule A.xcappdata
done
guard 0 '"May": [{"Path": "AppGroups/**"}]' A.capsule A.xcappdata
ok "$CAPSULE" diff A.capsule A.xcappdata --group group.com.example=group
[ ! -s out ] || fail "a group differs that is the same"
echo changed > group/Library/shared.txt
status 1 "$CAPSULE" diff A.capsule A.xcappdata --group group.com.example=group
says out '^~ AppGroups/group.com.example/Library/shared.txt (text)$'
says out '^    +changed$'
# Two groups on one side, one on the other: paired by their identifiers.
mkdir other
echo x > other/first
ok "$CAPSULE" pack A.xcappdata -o B.capsule -q --group group.com.example=group --group group.a=other
status 1 "$CAPSULE" diff A.capsule B.capsule --name-status
tr '\t' ' ' < out > found
cat > wanted << 'EOF'
A AppGroups/group.a/first
M AppGroups/group.com.example/Library/shared.txt
EOF
same wanted found
status 64 "$CAPSULE" diff A.capsule A.xcappdata --group a=group --group a=other
