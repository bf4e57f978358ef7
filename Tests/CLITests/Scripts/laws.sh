# What diff writes, apply takes: over generated pairs of containers, apply(a, diff(a, b)) = b, what was undone is as it was, and
# invert and compose agree with both. The long form takes 500 pairs.
. "$LIB"
need python3
count=10
[ -z "${CAPSULE_LONG_TESTS:-}" ] || count=500
python3 "$TOOLS/make_pairs.py" pairs --seed 4000 --count "$count"
identity=.com.apple.mobile_container_manager.metadata.plist
equal() { same_trees "$1" "$2" --times none --xattrs --skip $identity; }
changed=0
for number in $(seq 0 $((count - 1))); do
    a=pairs/$number/a
    b=pairs/$number/b
    rm -rf w ./*.capsule ./*.plist
    cp -a "$a" w
    ok "$CAPSULE" diff "$a" "$b" --overlay forth.capsule --exit-zero
    ok "$CAPSULE" overlay check --quiet forth.capsule
    ok "$CAPSULE" apply forth.capsule w --undo back.capsule --quiet
    equal "$b" w
    cmp -s "$a/$identity" w/$identity || fail "$number: the identity was changed"
    absent w/.capsule-transaction
    # Once is as good as twice.
    ok "$CAPSULE" apply forth.capsule w
    says out 'nothing to change'
    [ -e back.capsule ] || { equal "$a" "$b"; continue; }
    changed=$((changed + 1))
    ok "$CAPSULE" apply back.capsule w
    equal "$a" w
    # The inverse that overlay makes does what the undo does.
    ok "$CAPSULE" apply forth.capsule w
    ok "$CAPSULE" overlay invert forth.capsule -o inverse.capsule
    ok "$CAPSULE" apply inverse.capsule w
    equal "$a" w
    # There and back again is nothing.
    ok "$CAPSULE" overlay compose forth.capsule inverse.capsule -o round.capsule
    ok "$CAPSULE" apply round.capsule w
    equal "$a" w
    # By way of a third state, which is the next pair's second one made over this one's first.
    c=pairs/$(((number + 1) % count))/b
    ok "$CAPSULE" diff "$b" "$c" --overlay on.capsule --exit-zero
    ok "$CAPSULE" overlay compose forth.capsule on.capsule -o both.capsule
    ok "$CAPSULE" apply both.capsule w
    equal "$c" w
    ok "$CAPSULE" overlay invert both.capsule -o home.capsule
    ok "$CAPSULE" apply home.capsule w
    equal "$a" w
done
[ "$changed" -gt $((count / 2)) ] || fail "only $changed pairs differ"
