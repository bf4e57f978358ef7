#!/bin/sh
# A run-script build phase that puts a store into the product of a Debug build, for previews.
#
# In Xcode: Build Phases, New Run Script Phase, behind "Copy Bundle Resources"; "Based on dependency analysis" off.
# ENABLE_USER_SCRIPT_SANDBOXING is NO, as only some of the files that this writes are there in every store.
set -eu
# Xcode's own PATH leads to neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

resources=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH
unpacked=$TARGET_TEMP_DIR/PreviewStore
store="$unpacked/Library/Application Support"

# A store is one with its logs and with what it keeps outside: no part of an older one may stay.
set -- Model.sqlite Model.sqlite-wal Model.sqlite-shm .Model_SUPPORT
for name in "$@"; do rm -rf "${resources:?}/$name"; done
[ "${CONFIGURATION:-}" = Debug ] || exit 0

capsule unpack -q --force "$SRCROOT/Fixtures/gifs.capsule@previews" 'Library/Application Support' --as directory -o "$unpacked"
for name in "$@"; do
    [ ! -e "$store/$name" ] || cp -pR "$store/$name" "$resources/"
done
rm -rf "$unpacked"
