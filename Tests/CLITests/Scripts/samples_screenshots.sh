# Samples/screenshots: the build phase, in every combination of what it asks for, and the app with what it installs.
. "$LIB"
need python3
mkdir bin 'My App' 'My App/Fixtures' Products 'Products/Gifs.app'
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
samples
ok capsule pack -q Gifs-before.xcappdata -o 'My App/Fixtures/gifs.capsule' --label screenshots
# Not the latest version is asked for.
ok capsule pack -q Gifs-after.xcappdata --append -o 'My App/Fixtures/gifs.capsule'
phase=$SAMPLES/screenshots/install-seed.sh
seed=Products/Gifs.app/UITests.xcappdata
build() {
    ok env -u CONFIGURATION -u FASTLANE_SNAPSHOT SRCROOT="$PWD/My App" TARGET_BUILD_DIR="$PWD/Products" \
        UNLOCALIZED_RESOURCES_FOLDER_PATH=Gifs.app "$@" "$phase"
    [ ! -s out ] || fail 'it is not silent'
}
# A build for screenshots, in a configuration that gets no data.
warned() {
    status 0 env -u CONFIGURATION FASTLANE_SNAPSHOT=YES SRCROOT="$PWD/My App" TARGET_BUILD_DIR="$PWD/Products" \
        UNLOCALIZED_RESOURCES_FOLDER_PATH=Gifs.app "$@" "$phase"
    says err "^warning: screenshots without data: CONFIGURATION is '.*', not one of '"
    only Products/Gifs.app Gifs
}
echo executable > Products/Gifs.app/Gifs

for configuration in Debug Debug-Testing Release 'Debug Staging' '' -; do
    for snapshot in YES NO '' -; do
        # Alone, and where the build before it was one for screenshots.
        for earlier in no yes; do
            rm -rf "$seed"
            [ "$earlier" = no ] || build CONFIGURATION=Debug FASTLANE_SNAPSHOT=YES
            set --
            [ "$configuration" = - ] || set -- "$@" CONFIGURATION="$configuration"
            [ "$snapshot" = - ] || set -- "$@" FASTLANE_SNAPSHOT="$snapshot"
            if [ "$snapshot" = YES ] && [ "${configuration%-Testing}" != Debug ]; then
                warned "$@"
                continue
            fi
            build "$@"
            if [ "${configuration%-Testing},$snapshot" = Debug,YES ]; then
                same_trees Gifs-before.xcappdata "$seed"
                only Products/Gifs.app Gifs UITests.xcappdata
            else
                only Products/Gifs.app Gifs
            fi
        done
    done
done

# Other names, and configurations with spaces in theirs. A slip in the list is told, never a build without data in silence.
build CONFIGURATION='Debug Staging' FASTLANE_SNAPSHOT=YES CAPSULE_SEED_CONFIGURATIONS='Debug, Debug Staging ,Other' CAPSULE_SEED_NAME=Shots
only Products/Gifs.app Gifs Shots.xcappdata
rm -rf Products/Gifs.app/Shots.xcappdata
warned CONFIGURATION=Debug CAPSULE_SEED_CONFIGURATIONS=Debgu
warned CONFIGURATION=Debug CAPSULE_SEED_CONFIGURATIONS=Debug-Staging,Debugging
warned CONFIGURATION='' CAPSULE_SEED_CONFIGURATIONS=,
status 2 env SRCROOT="$PWD/My App" TARGET_BUILD_DIR="$PWD/Products" UNLOCALIZED_RESOURCES_FOLDER_PATH=Gifs.app CONFIGURATION=Debug \
    FASTLANE_SNAPSHOT=YES CAPSULE_SEED="$PWD/My App/Fixtures/gifs.capsule@screenshot" "$phase"
says err screenshot
absent "$seed"

# A fixture that is not there ends the build, and leaves no seed of an earlier one.
build CONFIGURATION=Debug FASTLANE_SNAPSHOT=YES
mv 'My App/Fixtures/gifs.capsule' aside.capsule
status 2 env SRCROOT="$PWD/My App" TARGET_BUILD_DIR="$PWD/Products" UNLOCALIZED_RESOURCES_FOLDER_PATH=Gifs.app CONFIGURATION=Debug \
    FASTLANE_SNAPSHOT=YES XCODE_VERSION_ACTUAL=1620 "$phase"
says err '^error: .*gifs.capsule'
absent "$seed"
mv aside.capsule 'My App/Fixtures/gifs.capsule'

# The app, launched as SnapshotHelper.swift does it, has the data; without, it has none.
build CONFIGURATION=Debug FASTLANE_SNAPSHOT=YES
example=$(dirname "$CAPSULE")/ExampleApp
present "$example"
cp -f "$example" Products/Gifs.app/Gifs
chmod +x Products/Gifs.app/Gifs
launch() { rm -rf home; mkdir -p home/Data home/Group; ok env HOME="$PWD/home" CFFIXED_USER_HOME="$PWD/home" EXAMPLE_HOME="$PWD/home" "$@"; }
launch Products/Gifs.app/Gifs -FASTLANE_SNAPSHOT YES -ui_testing
says out '^modes: snapshots$'
says out '^gifs: cat, dog, old joke, otter, party parrot, 猫$'
says out '^analytics: off$'
launch Products/Gifs.app/Gifs
says out '^gifs: $'

# The lane is Ruby, and asks for what the build phase and the seed need.
[ ! -x "$(command -v ruby)" ] || ok ruby -c "$SAMPLES/screenshots/Fastfile"
says "$SAMPLES/screenshots/Fastfile" '^CONFIGURATION = "Debug"$'
says "$SAMPLES/screenshots/Fastfile" '^ *configuration: CONFIGURATION,$'
says "$SAMPLES/screenshots/Fastfile" '^ *reinstall_app: true,$'
