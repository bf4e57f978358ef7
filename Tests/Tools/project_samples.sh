# For tests of hooks, after lib.sh: two made simulators, `first` and `second`, with the samples' app, and a project with the version `clean`.
need python3
[ "$(uname)" != Darwin ] || skip 'on a Mac this would change an app of the simulator that is booted'
mkdir bin home
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
export HOME="$PWD/home"
samples
python3 "$TOOLS/make_simulators.py" home/Library/Developer/CoreSimulator/Devices --devices 2 --apps 1 --booted 0,1 \
    --also com.example.gifs=Gifs > devices
sed -n '/"identifier": "com.example.gifs", "kind": "data"/s/.*"udid": "\([^"]*\)".*/\1/p' devices > udids
first=$(sed -n 1p udids)
second=$(sed -n 2p udids)
data=$(capsule locate com.example.gifs --device "$first" --kind data)
# The container's own identity stays.
cp -R Gifs-after.xcappdata/AppData/Documents Gifs-after.xcappdata/AppData/Library "$data"
SIMULATOR_UDID=$first capsule init -q com.example.gifs
capsule plist set -q .capsule.plist /Drop --from-json '["scene-sessions"]'
SIMULATOR_UDID=$first capsule pack -q --label clean

# A test NAME on DEVICE notes whether its data is that of the version, then changes, deletes, adds, and remembers a scene. The one named
# Failing fails.
cat > a_test << 'SH'
#!/bin/sh
name=${1#-only-testing:}
export SIMULATOR_UDID="$2"
data=$(capsule locate com.example.gifs --device "$2" --kind data)
found=clean
capsule diff -q --all @clean || found=changed
[ ! -e "$data/Library/Saved Application State" ] || found='a scene is remembered'
echo "$name: $found" >> tests
echo 'of a test' > "$data/Documents/mine.txt"
rm -rf "$data/Documents/Gifs"
mkdir -p "$data/Library/Saved Application State"
capsule plist set -q "$data/Library/Preferences/com.example.gifs.plist" /launches --integer 99
case $name in *Failing) exit 65 ;; esac
SH
chmod +x a_test

# wants LINE...: these tests were run, in this order.
wants() {
    printf '%s\n' "$@" > wanted
    same tests wanted
    rm tests
}
