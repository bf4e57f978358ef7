# What diff writes, apply takes, in whatever form diff reads the two sides: over generated pairs of containers, apply(a, diff(a, b)) = b,
# what was undone is as it was, and invert and compose agree with both. The long form takes 500 pairs.
. "$LIB"
need python3
count=5
[ -z "${CAPSULE_LONG_TESTS:-}" ] || count=500
python3 "$TOOLS/make_pairs.py" pairs --seed 4000 --count "$count"
identity=.com.apple.mobile_container_manager.metadata.plist
skipped=$identity
attributes=--xattrs
# shellcheck disable=SC2086 -- a flag or nothing
equal() { same_trees "$1" "$2" --times none $attributes --skip $skipped; }

# sides A B FORM: sets $old and $new to A and B, in one of the forms that diff reads.
sides() {
    rm -f old.* new.* pair.capsule
    # Archives have no attributes, so their overlays don't change any.
    case $3 in archive|zip) attributes= ;; *) attributes=--xattrs ;; esac
    old=$1 new=$2
    case $3 in
        capsules)
            ok "$CAPSULE" pack "$1" -o old.capsule -q
            ok "$CAPSULE" pack "$2" -o new.capsule -q
            old=old.capsule new=new.capsule
            ;;
        versions)
            ok "$CAPSULE" pack "$1" -o pair.capsule -q
            ok "$CAPSULE" pack "$2" --append -o pair.capsule -q
            old=pair.capsule@1 new=pair.capsule@2
            ;;
        capsule)
            ok "$CAPSULE" pack "$1" -o old.capsule -q
            old=old.capsule
            ;;
        archive)
            ok "$CAPSULE" pack "$2" -o new.capsule -q
            ok "$CAPSULE" unpack new.capsule -o new.tar.zst --as tar.zst -q
            new=new.tar.zst
            ;;
        zip)
            ok "$CAPSULE" pack "$1" -o new.capsule -q
            ok "$CAPSULE" unpack new.capsule -o old.zip --as zip -q
            old=old.zip
            ;;
    esac
}

changed=0
for number in $(seq 0 $((count - 1))); do
    a=pairs/$number/a
    b=pairs/$number/b
    rm -rf w ./*.capsule
    cp -a "$a" w
    case $((number % 5)) in
        0) form=directories ;;
        1) form=capsules ;;
        2) form=versions ;;
        3) form=capsule ;;
        4) form=archive ;;
    esac
    sides "$a" "$b" $form
    ok "$CAPSULE" diff "$old" "$new" --overlay forth.capsule --exit-zero
    ok "$CAPSULE" overlay check --quiet forth.capsule
    ok "$CAPSULE" apply forth.capsule w --undo back.capsule --quiet
    equal "$b" w
    cmp -s "$a/$identity" w/$identity || fail "$number: the identity was changed"
    absent w/.capsule-transaction
    [ -z "$attributes" ] || status 0 "$CAPSULE" diff "$b" w --all -q
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
    says out 'nothing to change'
    equal "$a" w
    [ -n "$attributes" ] || continue
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

# A bundle with databases and large files: an overlay is much smaller than what it turns into.
python3 "$TOOLS/make_container.py" A.xcappdata --scale small
python3 "$TOOLS/make_container.py" B.xcappdata --scale small --after
skipped=AppDataInfo.plist
size=$(find A.xcappdata -type f -exec cat {} + | wc -c)
for form in versions zip; do
    rm -rf W.xcappdata ./*.capsule
    sides A.xcappdata B.xcappdata $form
    status 1 "$CAPSULE" diff "$old" "$new" --overlay o.capsule -q
    [ "$(wc -c < o.capsule)" -lt $((size / 5)) ] || fail "$form: $(wc -c < o.capsule) bytes for $size"
    cp -a A.xcappdata W.xcappdata
    ok "$CAPSULE" apply o.capsule W.xcappdata --undo u.capsule
    equal B.xcappdata W.xcappdata
    same A.xcappdata/AppDataInfo.plist W.xcappdata/AppDataInfo.plist
    ok "$CAPSULE" apply u.capsule W.xcappdata
    # What was undone is as it was, with its attributes.
    attributes=--xattrs
    equal A.xcappdata W.xcappdata
done
