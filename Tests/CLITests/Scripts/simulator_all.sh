# 'sim:all/' names an app on every simulator that has it: each is changed by itself, and the status is the worst.
. "$LIB"
need python3
HOME=$PWD/home
export HOME
unset SIMULATOR_UDID
mkdir -p "$HOME"
python3 "$TOOLS/make_simulators.py" "$HOME/Library/Developer/CoreSimulator/Devices" --devices 3 --apps 2 --booted 0 --seed 5 > devices
sed -n 's/.*"identifier": "com.example.app01", "kind": "data".*"path": "\([^"]*\)".*/\1/p' devices > data
[ "$(wc -l < data)" -eq 3 ] || fail 'there are not three simulators'
first=$(head -1 data)
ok "$CAPSULE" pack -q "$first" -o base.capsule --no-groups
while read -r place; do echo changed > "$place/Documents/changed"; done < data
ok "$CAPSULE" locate com.example.app01 --json
[ "$(grep -c '"path"' out)" -eq 3 ] || fail 'locate does not list each simulator'
status 0 "$CAPSULE" restore base.capsule sim:all/com.example.app01 --no-groups
says err '3 simulators, 0 failed'
[ "$(grep -c changed out)" -eq 3 ] || fail 'not one line for each simulator'
while read -r place; do absent "$place/Documents/changed"; done < data
status 0 "$CAPSULE" restore base.capsule sim:all/com.example.app01 --no-groups --check
# One that can't be changed does not keep the others from it.
while read -r place; do echo changed > "$place/Documents/changed"; done < data
mkdir "$first/Documents/.git"
status 2 "$CAPSULE" restore base.capsule sim:all/com.example.app01 --no-groups
says err '3 simulators, 1 failed'
present "$first/Documents/changed"
sed 1d data > rest
while read -r place; do absent "$place/Documents/changed"; done < rest
status 64 "$CAPSULE" diff base.capsule sim:all/com.example.app01
status 64 "$CAPSULE" restore base.capsule sim:all/com.example.app01 --undo undo.capsule
status 2 "$CAPSULE" drop sim:all/com.example.nothing caches

# Without a device it is the only booted one that has the app. Two booted ones have to be told apart.
touch "$first/Documents/booted"
ok "$CAPSULE" ls sim:com.example.app01 Documents
says out 'Documents/booted'
python3 "$TOOLS/make_simulators.py" two/Library/Developer/CoreSimulator/Devices --devices 3 --apps 2 --booted 0,1 --seed 5 > devices
HOME=$PWD/two
status 2 "$CAPSULE" ls sim:com.example.app01
says err "'sim:DEVICE/com.example.app01' selects one by name or UDID, 'sim:booted/com.example.app01' the booted one"
python3 "$TOOLS/make_simulators.py" none/Library/Developer/CoreSimulator/Devices --devices 2 --apps 2 --booted '' --seed 5 > devices
HOME=$PWD/none
status 2 "$CAPSULE" ls sim:com.example.app01
