#!/bin/sh
# A run-script build phase of the unit tests' target that unpacks the fixtures of earlier versions of the app, each under its
# own name.
#
# In Xcode: Build Phases, New Run Script Phase, behind "Copy Bundle Resources". Input file: $(SRCROOT)/Fixtures/versions.capsule.
# Output files: $(TARGET_BUILD_DIR)/$(UNLOCALIZED_RESOURCES_FOLDER_PATH)/1.0.xcappdata and 1.1.xcappdata, so that it runs when
# there is a new version only. ENABLE_USER_SCRIPT_SANDBOXING is NO: capsule writes beside them first.
set -eu
# Xcode's own PATH leads to neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

for version in 1.0 1.1; do
    capsule unpack -q --force "$SRCROOT/Fixtures/versions.capsule@$version" \
        -o "$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/$version.xcappdata"
done
