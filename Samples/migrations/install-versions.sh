#!/bin/sh
# A run-script build phase of the unit test target. It unpacks data of earlier versions of the app into the test bundle.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources". Input file: $(SRCROOT)/Fixtures/versions.capsule.
# Output files: $(TARGET_BUILD_DIR)/$(UNLOCALIZED_RESOURCES_FOLDER_PATH)/1.0.xcappdata and 1.1.xcappdata, so that Xcode runs the
# script only if the input changes, and may write them in its sandbox (ENABLE_USER_SCRIPT_SANDBOXING).
set -eu

# Change these, or set them as build settings.
# The capsule with one version for each release, labeled with its number.
: "${CAPSULE_VERSIONS_FILE:=$SRCROOT/Fixtures/versions.capsule}"
# The labels of the versions to unpack, separated by commas.
: "${CAPSULE_VERSIONS:=1.0,1.1}"

# Xcode's PATH does not contain these.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

for version in $(echo "$CAPSULE_VERSIONS" | tr , ' '); do
    output=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/$version.xcappdata
    # In the sandbox, nothing can be created beside it, so an old one can't be replaced in one step.
    rm -rf "$output"
    capsule unpack -q "$CAPSULE_VERSIONS_FILE@$version" -o "$output"
done
