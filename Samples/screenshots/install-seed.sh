#!/bin/sh
# A run-script build phase that adds data to the product, only when taking screenshots.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources"; "Based on dependency analysis" off, since
# the script depends on build settings. Set ENABLE_USER_SCRIPT_SANDBOXING to NO: capsule writes temporary files beside the seed.
set -eu
# Xcode's PATH contains neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

seed=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/UITests.xcappdata
# Never ship the data of an earlier build.
rm -rf "$seed"
case ${CONFIGURATION:-},${FASTLANE_SNAPSHOT:-} in
    Debug,YES) capsule unpack -q "$SRCROOT/Fixtures/gifs.capsule@screenshots" -o "$seed" ;;
esac
