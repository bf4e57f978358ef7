#!/bin/sh
# A run-script build phase that adds data to the product, only for screenshots.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources". Turn "Based on dependency analysis" off, because the
# script depends on build settings. Output file: $(TARGET_BUILD_DIR)/$(UNLOCALIZED_RESOURCES_FOLDER_PATH)/UITests.xcappdata, so that the
# script may write it in its sandbox (ENABLE_USER_SCRIPT_SANDBOXING).
set -eu

# Change these, or set them as build settings.
# The capsule with the data, and the version of it.
: "${CAPSULE_SEED:=$SRCROOT/Fixtures/gifs.capsule@screenshots}"
# The name of the seed in the product, as in AppDataSeed(named:).
: "${CAPSULE_SEED_NAME:=UITests}"
# The configurations that get the data, separated by commas. Never list one that you ship.
: "${CAPSULE_SEED_CONFIGURATIONS:=Debug,Debug-Testing}"

# Xcode's PATH does not contain these.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin
configuration=${CONFIGURATION:-none}

# Whether CONFIGURATION is in the list; spaces beside a comma don't matter.
is_listed() {
    printf '%s\n' "$CAPSULE_SEED_CONFIGURATIONS" | tr , '\n' | sed 's/^ *//; s/ *$//' | grep -qxF -e "$configuration"
}

seed=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/$CAPSULE_SEED_NAME.xcappdata
# Never ship the data of an earlier build.
rm -rf "$seed"
# fastlane sets FASTLANE_SNAPSHOT when it builds for screenshots.
[ "${FASTLANE_SNAPSHOT:-}" = YES ] || exit 0
if is_listed; then
    capsule unpack -q "$CAPSULE_SEED" -o "$seed"
else
    echo "warning: screenshots without data: CONFIGURATION is '$configuration', not one of '$CAPSULE_SEED_CONFIGURATIONS'" >&2
fi
