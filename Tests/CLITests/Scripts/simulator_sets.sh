# 'sim:' finds a simulator in the default set, then among the clones for tests, then among the previews.
. "$LIB"
need python3
HOME=$PWD/home
export HOME
unset SIMULATOR_UDID
developer=$HOME/Library/Developer
mkdir -p "$HOME"
# made SET DIRECTORY SEED: a set with one simulator, whose UDID and path of app01 are kept.
made() {
    python3 "$TOOLS/make_simulators.py" "$2" --devices 1 --apps 2 --booted 0 --seed "$3" > "$1"
    sed -n 's/.*"identifier": "com.example.app01", "kind": "data".*"udid": "\([^"]*\)".*/\1/p' "$1" > "$1.udid"
    data=$(sed -n 's/.*"identifier": "com.example.app01", "kind": "data".*"path": "\([^"]*\)".*/\1/p' "$1")
    echo "$1" > "$data/Documents/set.txt"
}
# found SET NAME: the name leads to the app in this set.
found() {
    ok "$CAPSULE" cat "$2" Documents/set.txt
    [ "$(cat out)" = "$1" ] || fail "$2 is in $(cat out)"
}
made previews "$developer/Xcode/UserData/Previews/Simulator Devices" 3
# There is no default set yet.
found previews "sim:$(cat previews.udid)/com.example.app01"
made default "$developer/CoreSimulator/Devices" 1
made xctest "$developer/XCTestDevices" 2
for set in default xctest previews; do found $set "sim:$(cat $set.udid)/com.example.app01"; done
for set in xctest previews; do
    found $set "sim:$set/$(cat $set.udid)/com.example.app01"
    found $set "sim:$set/booted/com.example.app01"
    found $set "sim:$set/iPhone 16/com.example.app01"
done
# The same name is in all sets, and the default one comes first; without a device and with 'booted' it is the only one.
found default 'sim:iPhone 16/com.example.app01'
found default sim:booted/com.example.app01
found default sim:com.example.app01
# A set that is named is the only one.
status 2 "$CAPSULE" ls "sim:xctest/$(cat default.udid)/com.example.app01"
says err "no simulator is named '$(cat default.udid)'"
status 2 "$CAPSULE" ls sim:00000000-0000-4000-8000-000000000000/com.example.app01
says err 'CoreSimulator/Devices: no simulator is named'
for malformed in sim:xctest//com.example.app01 sim:xctest/booted/; do
    status 64 "$CAPSULE" ls "$malformed"
    says err 'does not name an app on a simulator'
done
# A test names its own simulator by the environment; a device in the name has precedence.
SIMULATOR_UDID=$(cat xctest.udid)
export SIMULATOR_UDID
found xctest sim:com.example.app01
found previews "sim:$(cat previews.udid)/com.example.app01"
found default sim:booted/com.example.app01
SIMULATOR_UDID=
found default sim:com.example.app01
