# Samples/scene-delegate: the build phase, which reads and writes what is declared and nothing else.
. "$LIB"
need python3
mkdir bin project derived
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
overlay=$SAMPLES/overlays/scene-delegate
cp "$overlay/Info.plist" "$overlay/Test.plist" project
cp -Rp project was
build() {
    status "$1" env SCRIPT_INPUT_FILE_0="$PWD/project/Test.plist" SCRIPT_INPUT_FILE_1="$PWD/project/Info.plist" \
        SCRIPT_OUTPUT_FILE_0="$PWD/derived/Info.plist" XCODE_VERSION_ACTUAL=1620 CONFIGURATION="$2" \
        "$SAMPLES/scene-delegate/make-info-plist.sh"
    same_trees was project
}
# Whoever expects the overlay and doesn't get it is told why.
told() { says err "^note: no overlay: CONFIGURATION is '$1', not one of 'Debug-Testing'$"; }
for time in first second; do
    build 0 Debug-Testing
    same derived/Info.plist "$overlay/expected/Info.plist"
    only derived Info.plist
    build 0 Release
    told Release
    same derived/Info.plist project/Info.plist
    only derived Info.plist
    build 0 Debug
    told Debug
    same derived/Info.plist project/Info.plist
done

# The output is written where it stands: a file beside it, which would be moved there, no sandbox would let it make.
number=$(ls -i derived/Info.plist)
build 0 Debug-Testing
[ "$number" = "$(ls -i derived/Info.plist)" ] || fail 'another file is in its place'

# What is no property list ends the build, with the place, and without half an output.
sed 's/<dict>/<dict><dikt>/' "$overlay/Test.plist" > project/Test.plist
cp -p project/Test.plist was
build 1 Debug-Testing
says err 'Test.plist:[0-9]*:[0-9]*: error: '
only derived

# A slip in a condition of the overlay's own ends the build: nothing of it would ever apply.
cat > project/Test.plist << 'END'
{ CapsuleOverlay = 1; When = { CONFIGURATION = "Debug-Tesing"; }; Merge = { A = B; }; }
END
cp -p project/Test.plist was
build 1 Debug-Testing
says err 'no part of it applies: CONFIGURATION is Debug-Testing$'
only derived
