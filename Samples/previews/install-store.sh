#!/bin/sh
# A run-script build phase that copies a store into the product, for SwiftUI previews.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources". Turn "Based on dependency analysis" off.
# Set ENABLE_USER_SCRIPT_SANDBOXING to NO: which files the script writes depends on the store.
set -eu

# Change these, or set them as build settings.
# The capsule with the store, and the version of it.
: "${CAPSULE_PREVIEW_SEED:=$SRCROOT/Fixtures/gifs.capsule@previews}"
# The directory of the store in the container, and the store's name without ".sqlite".
: "${CAPSULE_STORE_DIRECTORY:=Library/Application Support}"
: "${CAPSULE_STORE:=Model}"
# The configurations that get the store, separated by commas. Never list one that you ship.
: "${CAPSULE_PREVIEW_CONFIGURATIONS:=Debug,Debug-Testing}"

# Xcode's PATH does not contain these.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin
configuration=${CONFIGURATION:-none}

# Whether CONFIGURATION is in the list; spaces beside a comma don't matter.
is_listed() {
    printf '%s\n' "$CAPSULE_PREVIEW_CONFIGURATIONS" | tr , '\n' | sed 's/^ *//; s/ *$//' | grep -qxF -e "$configuration"
}

resources=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH
unpacked=$TARGET_TEMP_DIR/PreviewStore
store=$unpacked/$CAPSULE_STORE_DIRECTORY

# A store, its logs and its external files belong together: remove every part of an older one.
set -- "$CAPSULE_STORE.sqlite" "$CAPSULE_STORE.sqlite-wal" "$CAPSULE_STORE.sqlite-shm" ".${CAPSULE_STORE}_SUPPORT"
for name in "$@"; do rm -rf "${resources:?}/$name"; done
if ! is_listed; then
    echo "note: no preview store: CONFIGURATION is '$configuration', not one of '$CAPSULE_PREVIEW_CONFIGURATIONS'" >&2
    exit 0
fi

capsule unpack -q --force "$CAPSULE_PREVIEW_SEED" "$CAPSULE_STORE_DIRECTORY/$CAPSULE_STORE.sqlite" --as directory -o "$unpacked"
for name in "$@"; do
    [ ! -e "$store/$name" ] || cp -pR "$store/$name" "$resources/"
done
rm -rf "$unpacked"
