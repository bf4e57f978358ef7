# CONTAINER:PATH where a property list is changed: in a directory in place, in a capsule or an archive never.
. "$LIB"
need python3
samples
preferences=Library/Preferences/com.example.gifs.plist
ok "$CAPSULE" pack -q Gifs-before.xcappdata -o run.capsule --label before
ok "$CAPSULE" pack -q Gifs-after.xcappdata -o run.capsule --append --label after
ok "$CAPSULE" unpack -q run.capsule@1 -o old.zip --as zip
cp "Gifs-before.xcappdata/AppData/$preferences" before.plist
cp "Gifs-after.xcappdata/AppData/$preferences" after.plist
mkdir box
echo '{"launches": 9}' > box/over.json

# A capsule or an archive is only read. A file in a directory is changed like any other.
for container in run.capsule run.capsule@1 old.zip; do
    cp old.zip was.zip
    cp run.capsule was.capsule
    for edit in 'set /launches --integer 8' 'remove /launches' 'set /launches --integer 7'; do
        set -- $edit
        verb=$1
        shift
        status 64 "$CAPSULE" plist "$verb" "$container:$preferences" "$@"
        says err "$container:$preferences: is in a capsule or an archive, and can't be changed there$"
        says err "hint: write the result to a file with '--output', or unpack"
    done
    status 64 "$CAPSULE" plist convert xml "$container:$preferences"
    status 64 "$CAPSULE" apply box/over.json "$container:$preferences"
    ok "$CAPSULE" plist set -q "$container:$preferences" /launches --integer 8 -o - > /dev/null
    same old.zip was.zip
    same run.capsule was.capsule
done
cp -Rp Gifs-before.xcappdata Mine.xcappdata
ok "$CAPSULE" plist set "Mine.xcappdata:$preferences" launches --integer 8
says out "^Mine.xcappdata:$preferences: changed$"
ok "$CAPSULE" plist get "Mine.xcappdata/AppData/$preferences" launches
[ "$(cat out)" = 8 ] || fail 'not changed'
[ "$(modes_of "Mine.xcappdata/AppData/$preferences")" = 600 ] || fail 'another mode'
ok "$CAPSULE" apply -q box/over.json "Mine.xcappdata:$preferences" --undo undo.plist
ok "$CAPSULE" apply -q undo.plist "Mine.xcappdata:$preferences"
ok "$CAPSULE" plist get "Mine.xcappdata:$preferences" launches
[ "$(cat out)" = 8 ] || fail 'not undone'
status 64 "$CAPSULE" plist convert xml "Mine.xcappdata:$preferences" -o Mine.xcappdata/AppData/new.plist
says err 'is inside the container'
absent Mine.xcappdata/AppData/new.plist
# A directory that is a link is not followed out of the container.
mkdir outside
cp before.plist outside/a.plist
ln -s "$PWD/outside" Mine.xcappdata/AppData/Documents/out
ln -s "$PWD/outside/a.plist" Mine.xcappdata/AppData/Documents/a.plist
status 2 "$CAPSULE" plist set Mine.xcappdata:Documents/out/a.plist /launches --integer 1
status 2 "$CAPSULE" plist set Mine.xcappdata:Documents/a.plist /launches --integer 1
says err 'is a symbolic link'
same outside/a.plist before.plist

# An output never takes the place of the container.
for call in "diff run.capsule@1:$preferences after.plist --overlay run.capsule" "plist convert xml run.capsule:$preferences -o run.capsule" \
    "apply box/over.json Mine.xcappdata:$preferences -o Mine.xcappdata"; do
    status 64 "$CAPSULE" $call --force
    says err 'would replace'
done
same run.capsule was.capsule

# On a simulator: the file is changed in place, with what to stop. Elsewhere nothing is said.
[ "$(uname)" != Darwin ] || { echo 'On a Mac this would read the simulators that are there.'; exit 0; }
mkdir home
HOME=$PWD/home
export HOME
python3 "$TOOLS/make_simulators.py" home/Library/Developer/CoreSimulator/Devices --devices 1 --apps 1 --booted 0 \
    --also com.example.gifs=Gifs > devices
data=$("$CAPSULE" locate com.example.gifs --device booted --kind data)
mkdir -p "$data/Library/Preferences"
cp before.plist "$data/$preferences"
ok "$CAPSULE" plist get "sim:booted/com.example.gifs:$preferences" launches
[ "$(cat out)" = 6 ] || fail 'not on the simulator'
for call in "plist set sim:booted/com.example.gifs:$preferences launches --integer 7" \
    "apply box/over.json sim:com.example.gifs:$preferences"; do
    status 0 "$CAPSULE" $call
    says out ': changed$'
    says err '^capsule: hint: the app may overwrite this, unless it was quit before$'
done
ok "$CAPSULE" plist get "$data/$preferences" launches
[ "$(cat out)" = 9 ] || fail 'not changed on the simulator'
status 0 "$CAPSULE" plist set "sim:com.example.gifs:$preferences" launches --integer 9
[ ! -s err ] || fail 'nothing was changed'
