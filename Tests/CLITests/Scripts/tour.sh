# The quick tour: pack, look, print, unpack, verify.
. "$LIB"
need python3
samples
ok "$CAPSULE" pack Gifs-before.xcappdata
says out '^Gifs-before.capsule: version 1, '
ok "$CAPSULE" info Gifs-before.capsule
says out '^name  *Gifs-before$'
says out '^app  *com.example.gifs$'
says out '^layout  *container$'
says out '^encryption *none'
ok "$CAPSULE" ls Gifs-before.capsule
says out '^Documents/Gifs/cat.gif$'
says out '^Documents/Gifs/猫.gif$'
says_not out AppDataInfo
ok "$CAPSULE" ls -l Gifs-before.capsule 'Library/Application Support/Themes'
says out '^lrwxrwxrwx .* Library/Application Support/Themes/current -> Dark.plist$'
says out '^-rw-r--r-- .*Z [0-9a-f]\{12\} Library/Application Support/Themes/Dark.plist$'
ok "$CAPSULE" cat Gifs-before.capsule Documents/Gifs/otter.gif
same out Gifs-before.xcappdata/AppData/Documents/Gifs/otter.gif
ok "$CAPSULE" cat Gifs-before.capsule AppDataInfo.plist
same out Gifs-before.xcappdata/AppDataInfo.plist
ok "$CAPSULE" cat Gifs-before.xcappdata Documents/empty.txt
[ ! -s out ] || fail 'an empty file is not empty'
ok "$CAPSULE" verify Gifs-before.capsule
says out '^Gifs-before.capsule: OK: 1 version, '
ok "$CAPSULE" verify --strict Gifs-before.capsule
ok "$CAPSULE" unpack Gifs-before.capsule -C out.d
only out.d Gifs-before.xcappdata
same_trees Gifs-before.xcappdata out.d/Gifs-before.xcappdata
ok "$CAPSULE" unpack Gifs-before.capsule -o bare --as container
same_trees Gifs-before.xcappdata/AppData bare
ok "$CAPSULE" unpack Gifs-before.capsule Documents/Notes -o part
present part/AppData/Documents/Notes
absent part/AppData/Documents/Gifs part/AppDataInfo.plist
# A live directory, too, can be listed and described.
ok "$CAPSULE" info Gifs-after.xcappdata
says out 'AppData beside AppDataInfo.plist'
"$CAPSULE" ls -l Gifs-after.xcappdata > live
ok "$CAPSULE" pack Gifs-after.xcappdata --codec zstd -q
[ ! -s out ] || fail 'not quiet'
"$CAPSULE" ls -l Gifs-after.capsule > packed
same live packed
# The date that Xcode puts behind the identifier is no part of the name.
mv Gifs-after.xcappdata 'com.example.gifs 2024-05-17 09:30.12.345.xcappdata'
ok "$CAPSULE" pack 'com.example.gifs 2024-05-17 09:30.12.345.xcappdata'
present com.example.gifs.capsule
