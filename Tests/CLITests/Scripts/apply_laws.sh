# The small pair of containers by every way that diff reads them: what it writes, apply takes, there and back.
. "$LIB"
need python3
python3 "$TOOLS/make_container.py" A.xcappdata --scale small
python3 "$TOOLS/make_container.py" B.xcappdata --scale small --after
for side in A B; do
    ok "$CAPSULE" pack $side.xcappdata -o $side.capsule -q
    ok "$CAPSULE" unpack $side.capsule -o $side.tar.zst --as tar.zst -q
    ok "$CAPSULE" unpack $side.capsule -o $side.zip --as zip -q
done
cp A.capsule both.capsule
ok "$CAPSULE" pack B.xcappdata --append -o both.capsule -q
equal() { same_trees "$1" "$2" --times none --xattrs --skip AppDataInfo.plist; }
size=$(find A.xcappdata -type f -exec cat {} + | wc -c)
for pair in 'A.xcappdata B.xcappdata' 'A.capsule B.capsule' 'both.capsule@1 both.capsule@2' 'A.capsule B.xcappdata' 'A.xcappdata B.tar.zst' \
    'A.zip B.capsule'; do
    rm -rf W.xcappdata ./o.capsule u.capsule i.capsule none.capsule
    # shellcheck disable=SC2086
    status 1 "$CAPSULE" diff $pair --overlay o.capsule -q
    [ "$(wc -c < o.capsule)" -lt $((size / 5)) ] || fail "$pair: $(wc -c < o.capsule) bytes for $size"
    cp -a A.xcappdata W.xcappdata
    ok "$CAPSULE" apply o.capsule W.xcappdata --undo u.capsule
    case $pair in
    *zip*) same_trees B.xcappdata W.xcappdata --times none --skip AppDataInfo.plist ;;
    *) equal B.xcappdata W.xcappdata ;;
    esac
    same A.xcappdata/AppDataInfo.plist W.xcappdata/AppDataInfo.plist
    status 0 "$CAPSULE" diff B.xcappdata W.xcappdata --all -q
    ok "$CAPSULE" apply u.capsule W.xcappdata
    equal A.xcappdata W.xcappdata
    # An archive that knows no attributes makes an overlay that does not know what was there before.
    case $pair in *zip*) continue ;; esac
    ok "$CAPSULE" overlay invert o.capsule -o i.capsule -q
    ok "$CAPSULE" apply o.capsule i.capsule W.xcappdata
    says out 'nothing to change'
    equal A.xcappdata W.xcappdata
    ok "$CAPSULE" overlay compose o.capsule i.capsule -o none.capsule -q
    ok "$CAPSULE" apply none.capsule W.xcappdata
    says out 'nothing to change'
done
