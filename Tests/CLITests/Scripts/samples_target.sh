# Samples: all build phases in one target, with the same build settings: none takes a setting that is meant for another.
. "$LIB"
need python3
mkdir bin Fixtures project derived Temporary Products Products/Gifs.app
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
samples
app=Products/Gifs.app
for label in screenshots previews 1.0 1.1; do
    container=Gifs-before.xcappdata
    [ $label != 1.1 ] || container=Gifs-after.xcappdata
    ok capsule pack -q $container --append -o Fixtures/$label.capsule --label $label
done
ok capsule pack -q Gifs-before.xcappdata --append -o Fixtures/versions.capsule --label 1.0
ok capsule pack -q Gifs-after.xcappdata --append -o Fixtures/versions.capsule --label 1.1
cp "$SAMPLES/overlays/scene-delegate/Info.plist" "$SAMPLES/overlays/scene-delegate/Test.plist" project
cp "$SAMPLES/overlays/run-script/Testing.plist" project/Testing.plist
echo '{ Mark = YES; }' > project/Mark.plist

# build STATUS SETTING=VALUE...: runs every phase.
build() {
    notes=$1
    shift
    rm -rf "$app"
    mkdir "$app"
    : > told
    cp "$SAMPLES/overlays/run-script/Info.plist" "$app"
    for phase in scene-delegate/make-info-plist screenshots/install-seed previews/install-store migrations/install-versions \
        overlays/run-script/apply-overlay; do
        status 0 env SRCROOT="$PWD/project" TARGET_BUILD_DIR="$PWD/Products" UNLOCALIZED_RESOURCES_FOLDER_PATH=Gifs.app \
            INFOPLIST_PATH=Gifs.app/Info.plist TARGET_TEMP_DIR="$PWD/Temporary" FASTLANE_SNAPSHOT=YES PRODUCT_BUNDLE_IDENTIFIER=a \
            SCRIPT_INPUT_FILE_0="$PWD/project/Test.plist" SCRIPT_INPUT_FILE_1="$PWD/project/Info.plist" \
            SCRIPT_OUTPUT_FILE_0="$PWD/derived/Info.plist" "$@" sh "$SAMPLES/$phase.sh"
        cat err >> told
    done
    [ "$(wc -l < told | tr -d ' ')" = "$notes" ] || { cat told; fail "not $notes notes"; }
}
# All settings at once, as a target has them, with spaces behind commas.
set -- CAPSULE_SEED="$PWD/Fixtures/screenshots.capsule@screenshots" CAPSULE_PREVIEW_SEED="$PWD/Fixtures/previews.capsule@previews" \
    CAPSULE_VERSIONS_FILE="$PWD/Fixtures/versions.capsule" CAPSULE_VERSIONS='1.0, 1.1'

# The configuration for tests has all of it by default, but for the overlay of the built product.
build 1 CONFIGURATION=Debug-Testing "$@"
says told "^note: no overlay: CONFIGURATION is 'Debug-Testing', not one of 'Debug'$"
same derived/Info.plist "$SAMPLES/overlays/scene-delegate/expected/Info.plist"
present "$app/UITests.xcappdata" "$app/Model.sqlite" "$app/1.0.xcappdata" "$app/1.1.xcappdata"
same_trees Gifs-before.xcappdata "$app/1.0.xcappdata"
same_trees Gifs-after.xcappdata "$app/1.1.xcappdata"

# Each phase has a list of its own, and blanks beside a comma don't count.
build 0 CONFIGURATION=Testing CAPSULE_SEED_CONFIGURATIONS='Debug, Testing' CAPSULE_PREVIEW_CONFIGURATIONS='Debug ,Testing ' \
    CAPSULE_OVERLAY_CONFIGURATIONS=' Testing , Debug' CAPSULE_PRODUCT_CONFIGURATIONS='Release, Testing' \
    CAPSULE_PRODUCT_OVERLAY="$PWD/project/Mark.plist" "$@"
same derived/Info.plist "$SAMPLES/overlays/scene-delegate/expected/Info.plist"
present "$app/UITests.xcappdata" "$app/Model.sqlite"
says "$app/Info.plist" '<key>Mark</key>'
build 3 CONFIGURATION=Testing CAPSULE_SEED_CONFIGURATIONS=Testing "$@"
same derived/Info.plist project/Info.plist
present "$app/UITests.xcappdata"
absent "$app/Model.sqlite"
# A name with a blank in it is one name, and a part of a name is none.
build 4 CONFIGURATION=Testing CAPSULE_SEED_CONFIGURATIONS='UI Testing,Testing 2' "$@"
absent "$app/UITests.xcappdata"
