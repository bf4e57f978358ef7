#!/bin/sh
# A run-script build phase that copies a store into Debug builds, for SwiftUI previews.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources"; "Based on dependency analysis" off.
# Set ENABLE_USER_SCRIPT_SANDBOXING to NO: which files this writes depends on the store.
set -eu
# Xcode's PATH contains neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

resources=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH
unpacked=$TARGET_TEMP_DIR/PreviewStore
store="$unpacked/Library/Application Support"

# A store, its logs and its external files belong together: remove every part of an older one.
set -- Model.sqlite Model.sqlite-wal Model.sqlite-shm .Model_SUPPORT
for name in "$@"; do rm -rf "${resources:?}/$name"; done
[ "${CONFIGURATION:-}" = Debug ] || exit 0

capsule unpack -q --force "$SRCROOT/Fixtures/gifs.capsule@previews" 'Library/Application Support' --as directory -o "$unpacked"
for name in "$@"; do
    [ ! -e "$store/$name" ] || cp -pR "$store/$name" "$resources/"
done
rm -rf "$unpacked"
