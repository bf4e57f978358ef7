# Overlays that 'diff' writes, on property lists that changed meanwhile: refused, or what they do not name stays.
. "$LIB"
need python3
. "$TOOLS/trees.sh"

# turns A B [FLAG...]: writes both, and the overlay between them.
turns() {
    printf '%s' "$1" > A.json
    printf '%s' "$2" > B.json
    shift 2
    rm -f O.json back.json
    status 1 "$CAPSULE" diff A.json B.json --overlay O.json "$@"
    cp out shown
    cp A.json t.json
    ok "$CAPSULE" apply O.json t.json --undo back.json
    alike t.json B.json
    ok "$CAPSULE" apply back.json t.json
    alike t.json A.json
    ok "$CAPSULE" overlay invert O.json -o invert.json --force
    cp B.json t.json
    ok "$CAPSULE" apply invert.json t.json
    alike t.json A.json
}

# refused D: the overlay is not for it, and it stays.
refused() {
    printf '%s' "$1" > D.json
    cp D.json was.json
    status 2 "$CAPSULE" apply O.json D.json
    says err 'made for a different base\|has changed since the overlay was made'
    same D.json was.json
}

# gives D RESULT
gives() {
    printf '%s' "$1" > D.json
    ok "$CAPSULE" apply O.json D.json
    printf '%s' "$2" > wanted.json
    alike D.json wanted.json
}

# Keyed archives: objects refer to each other by number, and equal numbers are one object.
python3 - << 'EOF'
import plistlib
def archive(name, entries):
    objects = ["$null", {}]
    def reference(value):
        if value not in objects:
            objects.append(value)
        return plistlib.UID(objects.index(value))
    keys = [reference(key) for key in entries]
    values = [reference(value) for value in entries.values()]
    objects[1] = {"NS.keys": keys, "NS.objects": values, "$class": reference({"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]})}
    document = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": objects, "$top": {"root": plistlib.UID(1)}}
    plistlib.dump(document, open(name, "wb"), fmt=plistlib.FMT_BINARY)
archive("A.plist", {"b": 4, "a": 1})
archive("B.plist", {"b": 4, "a": 1, "h": 1})
archive("D.plist", {"b": 4, "f": 3})
EOF
status 1 "$CAPSULE" diff A.plist B.plist --overlay archive.plist
says out 'root/h'
cp D.plist was
status 2 "$CAPSULE" apply archive.plist D.plist
same D.plist was
cp A.plist t.plist
ok "$CAPSULE" apply archive.plist t.plist --undo back.plist
alike t.plist B.plist
ok "$CAPSULE" apply back.plist t.plist
same t.plist A.plist
status 2 "$CAPSULE" diff A.plist B.plist --overlay no.plist --plain
says err 'a keyed archive can only be replaced'
printf '{h = 1;}' > plain.plist
status 2 "$CAPSULE" apply plain.plist D.plist
says err 'a keyed archive can only be replaced'

# One of several elements that have the same key, or none: told in place.
turns '{"a":[0,0,0,0,0,0]}' '{"a":[0,1,0,0,0,0]}' --arrays 'a=keyed(id)'
says shown '^~ /a/1: 0 → 1$'
says_not shown 'order'
gives '{"a":[0,0,0,7,0,0,0,0]}' '{"a":[0,1,0,7,0,0,0,0]}'
turns '{"a":[{"id":1,"v":0},{"id":1,"v":0},{"id":1,"v":0},{"id":1,"v":0}]}' \
    '{"a":[{"id":1,"v":0},{"id":1,"v":5},{"id":1,"v":0},{"id":1,"v":0}]}' --arrays 'a=keyed(id)'
says shown '^~ /a/1/v: 0 → 5$'
says_not shown 'order'
group='{"Type":"PSGroupSpecifier"}' audio='{"Type":"PSGroupSpecifier","Title":"Audio"}'
mine='{"Type":"PSGroupSpecifier","Title":"mine"}' toggle='{"Key":"k0","Type":"PSToggleSwitchSpecifier"}'
turns "{\"PreferenceSpecifiers\":[$group,$toggle,$group]}" "{\"PreferenceSpecifiers\":[$audio,$toggle,$group]}"
gives "{\"PreferenceSpecifiers\":[$group,$toggle,$mine,$group]}" "{\"PreferenceSpecifiers\":[$audio,$toggle,$mine,$group]}"
refused "{\"PreferenceSpecifiers\":[$mine,$toggle,$group]}"

# A key that the target got meanwhile keeps its value.
turns '{"x":1}' '{"x":1,"k":"new"}'
says O.json 'insert'
refused '{"x":1,"k":"of the user"}'
gives '{"x":1,"k":"new"}' '{"x":1,"k":"new"}'
gives '{"x":2}' '{"x":2,"k":"new"}'
status 2 "$CAPSULE" apply invert.json was.json
printf '{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/k","value":1}]}' > O.json
gives '{"k":2}' '{"k":1}'

# Nor does a shifted list take what is another element's.
turns '{"a":[{"n":1},{"n":2}]}' '{"a":[{"n":1},{"n":2,"x":true}]}'
refused '{"a":[{"n":0},{"n":1},{"n":2}]}'
gives '{"a":[{"n":5},{"n":2},{"n":0}]}' '{"a":[{"n":5},{"n":2,"x":true},{"n":0}]}'

# What is put behind an element is not put behind another one.
turns '{"a":[1,2,3]}' '{"a":[1,2,9,3]}'
refused '{"a":[7,1,2,3]}'
gives '{"a":[7,2,3]}' '{"a":[7,2,9,3]}'
turns '{"a":[1,2,3]}' '{"a":[2,3,1]}'
refused '{"a":[1,7,2,3]}'
turns '{"a":[0,1,2,3,4]}' '{"a":[0,1,2,3,4,52]}'
refused '{"a":[0,1,2,90,3,4]}'
turns '{"a":[{"i":1},{"i":2},{"i":3}]}' '{"a":[{"i":2},{"i":3},{"i":1}]}' --arrays 'a=keyed(i)'
refused '{"a":[{"i":1},{"i":7},{"i":2},{"i":3}]}'

# What changes in an element that its index alone tells, changes in no other one.
turns '{"a":[{"n":1,"on":false},{"n":2,"on":false}]}' '{"a":[{"n":1,"on":false},{"n":2,"on":true}]}'
refused '{"a":[{"n":0,"on":false},{"n":1,"on":false},{"n":2,"on":false}]}'
cp invert.json O.json
refused '{"a":[{"n":0,"on":true},{"n":1,"on":true},{"n":2,"on":true}]}'
turns "{\"PreferenceSpecifiers\":[$group,$toggle]}" "{\"PreferenceSpecifiers\":[{\"Type\":\"x\"},$toggle]}"
refused '{"PreferenceSpecifiers":[{"Key":"mine","Type":"PSGroupSpecifier"},{"Type":"PSGroupSpecifier"}]}'

# What is put back goes behind what it stood behind.
turns '{"a":[1,2,3]}' '{"a":[1,3]}'
refused '{"a":[7,2,3]}'
cp invert.json O.json
refused '{"a":[7,1,3]}'
gives '{"a":[1,3,7]}' '{"a":[1,2,3,7]}'

# In a keyed array and in a set, what came meanwhile does not come twice.
turns '{"a":[{"id":1}]}' '{"a":[{"id":1},{"id":2,"v":1}]}' --arrays 'a=keyed(id)'
refused '{"a":[{"id":1},{"id":2,"v":"of the user"}]}'
gives '{"a":[{"id":1},{"id":2,"v":1}]}' '{"a":[{"id":1},{"id":2,"v":1}]}'
gives '{"a":[{"id":1},{"id":3}]}' '{"a":[{"id":1},{"id":2,"v":1},{"id":3}]}'
turns '{"a":[{"id":1},{"id":2,"v":1}]}' '{"a":[{"id":1}]}' --arrays 'a=keyed(id)'
cp invert.json O.json
refused '{"a":[{"id":1},{"id":2,"v":"of the user"}]}'
gives '{"a":[{"id":1},{"id":2,"v":1}]}' '{"a":[{"id":1},{"id":2,"v":1}]}'
turns '{"a":[{"id":"x"}]}' '{"a":[{"id":"x"},{"id":"y"}]}' --arrays 'a=keyed(id), nocase'
refused '{"a":[{"id":"x"},{"id":"Y"}]}'
turns '{"CFBundleURLTypes":[{"CFBundleURLName":"a"}]}' '{"CFBundleURLTypes":[{"CFBundleURLName":"a"},{"CFBundleURLName":"b","v":1}]}'
refused '{"CFBundleURLTypes":[{"CFBundleURLName":"a"},{"CFBundleURLName":"b","v":2}]}'
turns '{"CFBundleURLSchemes":["a"]}' '{"CFBundleURLSchemes":["a","b"]}'
gives '{"CFBundleURLSchemes":["a","b"]}' '{"CFBundleURLSchemes":["a","b"]}'
gives '{"CFBundleURLSchemes":["b","a"]}' '{"CFBundleURLSchemes":["b","a"]}'

# What is meant to be there twice comes, goes and comes back.
turns '{"CFBundleURLSchemes":["a"]}' '{"CFBundleURLSchemes":["a","a"]}'
turns '{"CFBundleURLSchemes":["a","b","a"]}' '{"CFBundleURLSchemes":["b"]}'
turns '{"a":[{"id":1}]}' '{"a":[{"id":1,"v":1},{"id":1},{"id":1}]}' --arrays 'a=keyed(id)'
turns '{"a":[{"id":"a"},{"id":"A"},{"id":"a"}]}' '{"a":[{"id":"A"}]}' --arrays 'a=keyed(id), nocase'

# An array is no dictionary, whatever its keys look like.
turns '{"d":{"0":1}}' '{"d":{"0":1,"1":2}}'
refused '{"d":[5]}'
turns '{"d":{"0":1}}' '{"d":{"0":2}}'
refused '{"d":[1]}'
turns '{"d":{"[=1]":1}}' '{"d":{"[=1]":2}}'
refused '{"d":[1]}'
turns '{"d":{"0":1,"k":1}}' '{"d":{"0":1,"k":2}}'
gives '{"d":{"0":3,"k":1}}' '{"d":{"0":3,"k":2}}'

# Nor is a dictionary an array: what was written for elements sets no keys.
turns '{"a":[]}' '{"a":[6]}'
refused '{"a":{"k":5}}'
refused '{"a":{}}'
turns '[]' '[6]'
refused '{"k":5}'
turns '{"a":[]}' '{"a":[{"id":1}]}' --arrays 'a=keyed(id)'
refused '{"a":{"k":5}}'
printf '{"CapsuleOverlay":1,"Operations":[{"op":"insert","path":"/a/-","value":1}]}' > O.json
refused '{"a":{"k":5}}'
printf '{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/a/0","value":1}]}' > O.json
gives '{"a":{"k":5}}' '{"a":{"k":5,"0":1}}'

# A key that looks like a way into data is none: not even where data has come in the dictionary's place.
for key in plist json zlib archive; do
    turns '{"d":{}}' "{\"d\":{\"<$key>\":1}}"
    turns "{\"d\":{\"<$key>\":1}}" '{"d":{}}'
    turns "{\"d\":{\"<$key>\":{\"k\":1}}}" "{\"d\":{\"<$key>\":{\"k\":1,\"n\":2}}}"
    says_not O.json '/<'
done
turns '{"d":{"<plist>":{"k":1}}}' '{"d":{"<plist>":{"k":1,"n":2}}}'
held=$(printf '<plist><dict><key>k</key><integer>1</integer></dict></plist>' | base64 | tr -d '\n')
printf '<plist><dict><key>d</key><data>%s</data></dict></plist>' "$held" > D.plist
cp D.plist was.plist
status 2 "$CAPSULE" apply O.json D.plist
says err 'made for a different base\|has changed since the overlay was made'
same D.plist was.plist

# In a container the same holds, for overlay capsules too.
mkdir base after live
printf '{"x":1}' > base/v.json
printf '{"x":1,"k":"new"}' > after/v.json
printf '{"x":1,"k":"of the user"}' > live/v.json
ok "$CAPSULE" plist convert xml base/v.json -o base/v.plist
ok "$CAPSULE" plist convert xml after/v.json -o after/v.plist
ok "$CAPSULE" plist convert xml live/v.json -o live/v.plist
rm base/v.json after/v.json live/v.json
status 1 "$CAPSULE" diff base after --overlay run.capsule
status 1 "$CAPSULE" diff base after --overlay value.json --by-value
for overlay in run.capsule value.json; do
    for flag in --quiet --three-way; do
        cp -a live before
        status 2 "$CAPSULE" apply "$overlay" live --different-app $flag
        says err 'v.plist'
        same_trees live before
        rm -r before
    done
done

# An array that has become a dictionary stays one.
printf '<plist><dict><key>a</key><array/></dict></plist>' > base/v.plist
printf '<plist><dict><key>a</key><array><integer>6</integer></array></dict></plist>' > after/v.plist
printf '<plist><dict><key>a</key><dict><key>k</key><integer>5</integer></dict></dict></plist>' > live/v.plist
status 1 "$CAPSULE" diff base after --overlay value.json --by-value --force
cp -a live before
status 2 "$CAPSULE" apply value.json live --different-app --quiet
says err 'v.plist'
same_trees live before

# A set in which elements are equal merges as a sequence: as many elements as the edits explain.
merges() {
    printf '%s' "$1" > base.json
    printf '%s' "$2" > ours.json
    printf '%s' "$3" > theirs.json
    printf '%s' "$4" > wanted.json
    shift 4
    status 0 "$CAPSULE" merge base.json ours.json theirs.json -o merged.json --force "$@"
    alike merged.json wanted.json
}
merges '{"a":[0,0,0,0,0,0]}' '{"a":[0,1,0,0,0,0]}' '{"a":[0,0,0,0,2,0]}' '{"a":[0,1,0,0,2,0]}' --arrays a=set
merges '{"CFBundleURLSchemes":["a","a","b"]}' '{"CFBundleURLSchemes":["x","a","b"]}' \
    '{"CFBundleURLSchemes":["a","y","b"]}' '{"CFBundleURLSchemes":["x","y","b"]}'
