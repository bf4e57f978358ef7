#!/bin/sh
# A run-script build phase that puts data into the product for screenshots, and for nothing else.
#
# In Xcode: Build Phases, New Run Script Phase, behind "Copy Bundle Resources"; "Based on dependency analysis" off, since
# the settings that it asks for are no files. ENABLE_USER_SCRIPT_SANDBOXING is NO: capsule writes beside the seed first.
set -eu
# Xcode's own PATH leads to neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

seed=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/UITests.xcappdata
# What an earlier build put there, no other one may ship.
rm -rf "$seed"
case ${CONFIGURATION:-},${FASTLANE_SNAPSHOT:-} in
    Debug,YES) capsule unpack -q "$SRCROOT/Fixtures/gifs.capsule@screenshots" -o "$seed" ;;
esac
