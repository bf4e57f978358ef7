#!/bin/sh
# A run-script build phase that merges Testing.plist over the built product's Info.plist.
#
# In Xcode: Build Phases, New Run Script Phase, behind "Copy Bundle Resources"; "Based on dependency analysis" off. Input
# files: $(SRCROOT)/Testing.plist and $(TARGET_BUILD_DIR)/$(INFOPLIST_PATH). Xcode signs after it, so the signature fits.
# The overlay itself says for which configurations it is; for others this does nothing and says why.
set -eu
capsule apply --expand "$SRCROOT/Testing.plist" "$TARGET_BUILD_DIR/$INFOPLIST_PATH"
