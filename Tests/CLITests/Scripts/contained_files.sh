# CONTAINER:PATH, a file in a container, where one file is read.
. "$LIB"
need python3 sqlite3
samples
preferences=Library/Preferences/com.example.gifs.plist
ok "$CAPSULE" pack -q Gifs-before.xcappdata -o run.capsule --label before
ok "$CAPSULE" pack -q Gifs-after.xcappdata -o run.capsule --append --label after
ok "$CAPSULE" unpack -q run.capsule@1 -o old.zip --as zip
cp "Gifs-before.xcappdata/AppData/$preferences" before.plist
cp "Gifs-after.xcappdata/AppData/$preferences" after.plist

# plist: in a capsule, a bundle, a plain directory, an archive.
for container in run.capsule@1 run.capsule@before Gifs-before.xcappdata Gifs-before.xcappdata/AppData old.zip; do
    ok "$CAPSULE" plist get "$container:$preferences" /launches
    [ "$(cat out)" = 6 ] || fail "$container"
    ok "$CAPSULE" plist print "$container:$preferences"
    mv out printed
    ok "$CAPSULE" plist print before.plist
    same out printed
    ok "$CAPSULE" cat "$container:$preferences"
    same out before.plist
    ok "$CAPSULE" diff "$container:$preferences" before.plist
    [ ! -s out ] || fail "$container differs"
done
ok "$CAPSULE" plist get "run.capsule:$preferences" launches
[ "$(cat out)" = 7 ] || fail 'not the latest version'
ok "$CAPSULE" plist lint "run.capsule@1:$preferences" before.plist
says out "^run.capsule@1:$preferences: OK, binary$"
ok "$CAPSULE" plist convert xml "run.capsule@1:$preferences" -o new.plist
ok "$CAPSULE" plist get new.plist /launches
[ "$(modes_of new.plist)" = "$(modes_of before.plist)" ] || fail "open to more than the container's file: $(modes_of new.plist)"

# diff: of two versions, with a file, of a file that is no property list, of a database with its log.
status 1 "$CAPSULE" diff "run.capsule@1:$preferences" after.plist
mv out with.file
status 1 "$CAPSULE" diff before.plist after.plist
same out with.file
says out '^~ /launches: 6 → 7$'
for sides in "run.capsule:$preferences" "run.capsule@1..2:$preferences"; do
    status 1 "$CAPSULE" diff "$sides"
    same out with.file
done
note='Documents/Notes/Shopping list.txt'
status 1 "$CAPSULE" diff "run.capsule@1:$note" "Gifs-after.xcappdata/AppData/$note"
says out '^~ Shopping list.txt (text)$'
status 1 "$CAPSULE" diff "old.zip:$note" "Gifs-after.xcappdata:$note"
says out '^~ Shopping list.txt (text)$'
store='Library/Application Support/Model.sqlite'
status 1 "$CAPSULE" diff --rows 100 "run.capsule@1:$store" "run.capsule@2:$store"
mv out stored
status 1 "$CAPSULE" diff --rows 100 "Gifs-before.xcappdata/AppData/$store" "Gifs-after.xcappdata/AppData/$store"
same out stored
says out 'fox'
status 0 "$CAPSULE" cat "run.capsule@2:$store"
says err 'includes the content of its log'
mv out Model.sqlite
[ "$(sqlite3 Model.sqlite 'SELECT COUNT(*) FROM ZGIF WHERE ZTITLE = "fox"')" = 1 ] || fail 'without its log'
# Cookies are secrets here, too.
cookies=Library/Cookies/Cookies.binarycookies
status 1 "$CAPSULE" diff "run.capsule@1:$cookies" "run.capsule@2:$cookies"
says out hidden
# A report names the file, and an overlay of the change can be applied.
status 1 "$CAPSULE" diff --json "run.capsule@1:$preferences" after.plist --overlay change.plist
ok "$CAPSULE" apply change.plist before.plist -o again.plist
ok "$CAPSULE" diff again.plist after.plist
ok "$CAPSULE" diff --exit-zero --stat before.plist "run.capsule:$preferences"
says out 'com.example.gifs.plist'
status 64 "$CAPSULE" diff "run.capsule@1:$preferences" run.capsule@2
says err "'CONTAINER:PATH' names a file in the container$"
status 2 "$CAPSULE" diff run.capsule@1:Documents run.capsule@2:Documents
says err "^capsule: error: run.capsule@[12]:Documents: is a directory, not a file$"
says err "hint: 'capsule diff A B PATH' compares a part of two containers$"

# What reads an overlay, rules or three property lists.
mkdir box
echo '{"launches": 9}' > box/over.json
ok "$CAPSULE" pack -q box -o box.capsule
cp before.plist mine.plist
ok "$CAPSULE" apply -q box.capsule:over.json mine.plist
ok "$CAPSULE" plist get mine.plist /launches
[ "$(cat out)" = 9 ] || fail 'an overlay in a capsule'
ok "$CAPSULE" overlay check box:over.json
ok "$CAPSULE" merge "run.capsule@1:$preferences" mine.plist mine.plist -o merged.plist
ok "$CAPSULE" diff mine.plist merged.plist
ok "$CAPSULE" apply -q box/over.json "run.capsule@1:$preferences" -o applied.plist
ok "$CAPSULE" diff mine.plist applied.plist

# What can't be found, with what may have been meant.
for verb in 'plist print' cat; do
    status 2 "$CAPSULE" $verb run.capsule@1:documents/empty.txt
    says err "hint: did you mean 'Documents/empty.txt'?$"
    status 2 "$CAPSULE" $verb run.capsule@1:nowhere
    says err 'nowhere: is not in the container$'
    status 2 "$CAPSULE" $verb run.capsule@none:a.txt
    says err 'none'
done
status 64 "$CAPSULE" plist get before.plist:launches
says err "^capsule: error: before.plist: is not a container, so it contains no 'launches'$"
status 64 "$CAPSULE" ls run.capsule@1:Documents
says err "hint: give the container and the path as two arguments: 'run.capsule@1 Documents'$"
status 64 "$CAPSULE" cat run.capsule
says err "hint: usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH$"
status 2 "$CAPSULE" plist print run.capsule
says err "is a capsule or an archive, not a property list$"
says err "hint: name a property list in it as 'run.capsule:PATH'"
status 64 "$CAPSULE" plist print run.capsule "$preferences"
says err "hint: 'run.capsule:$preferences' names a property list in a container$"

# A file that has the whole name is itself.
cp after.plist run.capsule:x.plist
ok "$CAPSULE" plist get run.capsule:x.plist /launches
[ "$(cat out)" = 7 ] || fail 'not the file of that name'
mkdir a:b
cp after.plist a:b/x.plist
ok "$CAPSULE" plist get a:b:x.plist /launches
[ "$(cat out)" = 7 ] || fail 'not the directory of that name'

# Damage is found before a byte is told.
python3 - <<'END'
data = bytearray(open("run.capsule", "rb").read())
for place in range(len(data) // 3, len(data) // 3 + 4000): data[place] ^= 0x55
open("damaged.capsule", "wb").write(data)
END
for path in "$preferences" Documents/Notes/'Shopping list.txt' "$store"; do
    "$CAPSULE" cat "run.capsule@1:$path" > good 2> err || fail "$path"
    "$CAPSULE" cat "damaged.capsule@1:$path" > bad 2> err && found=0 || found=$?
    [ "$found" = 2 ] || same good bad
done

# A torn tail is told, whatever is read.
head -c $(($(length_of run.capsule) - 20)) run.capsule > torn.capsule
for call in "plist get torn.capsule:$preferences /launches" 'cat torn.capsule:Documents/empty.txt'; do
    status 0 "$CAPSULE" $call
    says err 'torn.capsule: the tail from byte [0-9]* to the end is incomplete'
done
status 0 "$CAPSULE" diff "torn.capsule:$note" "run.capsule@1:$note"
says err 'torn.capsule: the tail from byte [0-9]* to the end is incomplete'

# A path may have a `:`, after a version, too.
mkdir colons
echo 1 > colons/a
echo 2 > colons/a:b
ok "$CAPSULE" pack -q colons -o colons.capsule
for side in colons.capsule@1:a:b colons.capsule:a:b colons:a:b; do
    ok "$CAPSULE" cat "$side"
    same out colons/a:b
    ok "$CAPSULE" diff "$side" colons:a:b
done
