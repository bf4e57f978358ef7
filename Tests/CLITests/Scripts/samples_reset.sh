# Samples/reset: UI tests one by one, each with the same data, on a simulator that this makes; xcodebuild is stood for.
. "$LIB"
need python3
[ "$(uname)" != Darwin ] || skip 'on a Mac this would stop an app of the simulator that is booted'
mkdir bin home
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
export HOME="$PWD/home"
samples
python3 "$TOOLS/make_simulators.py" home/Library/Developer/CoreSimulator/Devices --devices 2 --apps 2 --booted 0 \
    --also com.example.gifs=Gifs > devices
data=$(capsule locate com.example.gifs --device booted --kind data)
# The container's own identity stays.
cp -R Gifs-after.xcappdata/AppData/Documents Gifs-after.xcappdata/AppData/Library "$data"
ok capsule pack -q sim:booted/com.example.gifs -o base.capsule --label clean
ok capsule diff --all base.capsule sim:booted/com.example.gifs

# A test changes data, deletes, adds, and remembers a scene; the one named Failing fails, too.
cat > bin/xcodebuild << 'END'
#!/bin/sh
for argument; do test=$argument; done
found=changed
capsule diff --all --exit-zero base.capsule@clean sim:booted/com.example.gifs > difference
[ "$(grep -vc 'Saved Application State\|^ ' difference)" != 0 ] || found=clean
echo "$test: $found" >> tests
data=$(capsule locate com.example.gifs --device booted --kind data)
[ ! -e "$data/Library/Saved Application State" ] || echo 'a scene is remembered' >> tests
echo 'of a test' > "$data/Documents/mine.txt"
rm -rf "$data/Documents/Gifs"
mkdir -p "$data/Library/Saved Application State"
capsule plist set -q "$data/Library/Preferences/com.example.gifs.plist" /launches --integer 99
case $test in *Failing) exit 65 ;; esac
END
chmod +x bin/xcodebuild
run=$SAMPLES/reset/run-tests.sh
ok "$run" base.capsule@clean GifsUITests/A GifsUITests/B GifsUITests/C
cat > wanted << 'END'
-only-testing:GifsUITests/A: clean
-only-testing:GifsUITests/B: clean
-only-testing:GifsUITests/C: clean
END
same tests wanted

# One that fails does not keep the others from being run, or from having their data.
rm tests
status 1 "$run" base.capsule@clean GifsUITests/Failing GifsUITests/B
says tests '^-only-testing:GifsUITests/B: clean$'

# Without data there is nothing to test.
rm tests
status 2 "$run" base.capsule@dirty GifsUITests/A
says err "base.capsule"
absent tests
status 64 "$run" base.capsule@clean

# Other names: of the app, and of what xcodebuild is told.
sed 's|^case|echo "$*" > called; case|' bin/xcodebuild > bin/other && mv bin/other bin/xcodebuild && chmod +x bin/xcodebuild
ok env CAPSULE_SCHEME=Other CAPSULE_DESTINATION='platform=macOS' CAPSULE_DROP=caches "$run" base.capsule@clean GifsUITests/A
says called '-scheme Other -destination platform=macOS -only-testing:GifsUITests/A$'
status 2 env CAPSULE_APP=com.example.nowhere "$run" base.capsule@clean GifsUITests/A
says err com.example.nowhere
