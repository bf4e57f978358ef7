# A directory is listed, described and printed as its capsule is.
. "$LIB"
need python3
samples
ok "$CAPSULE" pack Gifs-after.xcappdata --codec zstd -q
[ ! -s out ] || fail 'not quiet'
for verb in 'ls -l' ls; do
    # shellcheck disable=SC2086 -- a verb and its flag
    "$CAPSULE" $verb Gifs-after.xcappdata > live
    # shellcheck disable=SC2086
    "$CAPSULE" $verb Gifs-after.capsule > packed
    same live packed
    [ "$verb" = ls ] || cp packed long
done
says long "^lrwxrwxrwx .* Library/Application Support/Themes/current -> "
says long '^-rw-r--r-- .*Z [0-9a-f]\{12\} Library/Application Support/Themes/Dark.plist$'
for path in Documents/empty.txt Documents/Gifs/otter.gif AppDataInfo.plist; do
    "$CAPSULE" cat Gifs-after.xcappdata "$path" > live
    "$CAPSULE" cat Gifs-after.capsule "$path" > packed
    same live packed
done
same packed Gifs-after.xcappdata/AppDataInfo.plist
ok "$CAPSULE" info Gifs-after.xcappdata
says out 'AppData beside AppDataInfo.plist'
# The date that Xcode puts behind the identifier is no part of the name.
mv Gifs-after.xcappdata 'com.example.gifs 2024-05-17 09:30.12.345.xcappdata'
ok "$CAPSULE" pack 'com.example.gifs 2024-05-17 09:30.12.345.xcappdata'
present com.example.gifs.capsule
