#!/bin/sh
# A run-script build phase of the unit test target. It unpacks data from earlier versions of the app as fixtures, one per version.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources". Input file: $(SRCROOT)/Fixtures/versions.capsule.
# Output files: $(TARGET_BUILD_DIR)/$(UNLOCALIZED_RESOURCES_FOLDER_PATH)/1.0.xcappdata and 1.1.xcappdata, so it only
# runs when the input changes. Set ENABLE_USER_SCRIPT_SANDBOXING to NO: capsule writes temporary files beside the output.
set -eu
# Xcode's PATH contains neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

for version in 1.0 1.1; do
    capsule unpack -q --force "$SRCROOT/Fixtures/versions.capsule@$version" \
        -o "$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/$version.xcappdata"
done
