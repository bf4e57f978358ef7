# Samples/previews: the build phase puts a store into a Debug product as one, and no part of an older one stays.
. "$LIB"
need python3 sqlite3
mkdir bin Fixtures Products Products/Gifs.app Temporary
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
samples
store='Gifs-before.xcappdata/AppData/Library/Application Support'
ok capsule pack -q Gifs-before.xcappdata -o Fixtures/gifs.capsule --label previews
echo executable > Products/Gifs.app/Gifs
# Says nothing; 'told' is a configuration that gets no store, and hears so.
build() { run ok "$@" && [ ! -s err ] || fail 'it is not silent'; }
told() {
    run 'status 0' "$@"
    says err "^note: no preview store: CONFIGURATION is '.*', not one of '"
}
run() {
    wants=$1
    shift
    $wants env -u CONFIGURATION SRCROOT="$PWD" TARGET_BUILD_DIR="$PWD/Products" UNLOCALIZED_RESOURCES_FOLDER_PATH=Gifs.app \
        TARGET_TEMP_DIR="$PWD/Temporary" "$@" "$SAMPLES/previews/install-store.sh"
    [ ! -s out ] || fail 'it is not silent'
    only Temporary
}
for time in first second; do
    build CONFIGURATION=Debug
    only Products/Gifs.app Gifs Model.sqlite Model.sqlite-wal Model.sqlite-shm .Model_SUPPORT
    for name in Model.sqlite Model.sqlite-wal Model.sqlite-shm; do same "$store/$name" "Products/Gifs.app/$name"; done
    same_trees "$store/.Model_SUPPORT" Products/Gifs.app/.Model_SUPPORT
done

# The app, as a preview, has the rows of the log.
example=$(dirname "$CAPSULE")/ExampleApp
present "$example"
cp -f "$example" Products/Gifs.app/Gifs
chmod +x Products/Gifs.app/Gifs
mkdir -p home/Data
ok env HOME="$PWD/home" CFFIXED_USER_HOME="$PWD/home" EXAMPLE_HOME="$PWD/home" XCODE_RUNNING_FOR_PREVIEWS=1 Products/Gifs.app/Gifs
says out '^modes: previews$'
says out '^gifs: cat, dog, old joke, otter, party parrot, 猫$'

# A fixture that was packed with its log folded in leaves no log of the older one beside it.
rm Fixtures/gifs.capsule
ok capsule pack -q --fold-wal Gifs-before.xcappdata -o Fixtures/gifs.capsule --label previews
build CONFIGURATION=Debug
only Products/Gifs.app Gifs Model.sqlite .Model_SUPPORT
[ "$(sqlite3 Products/Gifs.app/Model.sqlite 'SELECT COUNT(*) FROM ZGIF')" = 6 ] || fail 'rows are missing'

# Other configurations ship none.
for configuration in Release Debug-Staging ''; do
    build CONFIGURATION=Debug
    told CONFIGURATION="$configuration"
    only Products/Gifs.app Gifs
done
told CONFIGURATION=Debug CAPSULE_PREVIEW_CONFIGURATIONS=Debgu
only Products/Gifs.app Gifs

# Other names.
mkdir -p 'Other.xcappdata/AppData/Documents'
cp "$store/Model.sqlite" Other.xcappdata/AppData/Documents/Notes.sqlite
ok capsule pack -q Other.xcappdata -o other.capsule
build CONFIGURATION=Preview CAPSULE_PREVIEW_CONFIGURATIONS='Debug, Preview' CAPSULE_PREVIEW_SEED="$PWD/other.capsule" CAPSULE_STORE=Notes \
    CAPSULE_STORE_DIRECTORY=Documents
only Products/Gifs.app Gifs Notes.sqlite
