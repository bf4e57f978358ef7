# Names, modes, times, links, attributes and sizes at every limit.
. "$LIB"
needs_gnu tar
need python3 bsdtar
python3 "$TOOLS/make_tree.py" awkward awkward 2> made || skip "the file system can't hold the tree: $(tail -1 made)"
grep -q 'left out attribute' made && attributes= || attributes=--xattrs
for codec in gzip zstd; do
    status 0 "$CAPSULE" pack awkward -o "$codec.capsule" --codec "$codec"
    # Two of the three names of one file are told of.
    says err '2 entries were left out or altered'
    ok "$CAPSULE" verify --strict "$codec.capsule"
    ok "$CAPSULE" unpack "$codec.capsule" -o "$codec.back"
    # shellcheck disable=SC2086
    same_trees awkward "$codec.back" $attributes
    chmod -R u+rwx "$codec.back"
    rm -rf "$codec.back"
done
mkdir tar bsdtar
ok env LC_ALL=C tar --warning=no-timestamp -xpzf gzip.capsule -C tar
same_trees awkward tar/awkward --times s --skip 'deep*'
ok env LC_ALL=C.UTF-8 bsdtar -xpf gzip.capsule -C bsdtar --exclude 'awkward/deep*'
same_trees awkward bsdtar/awkward --times s --skip 'deep*'
ok python3 "$TOOLS/capsule_reader.py" check gzip.capsule
chmod -R u+rwx awkward tar bsdtar 2> /dev/null || true
