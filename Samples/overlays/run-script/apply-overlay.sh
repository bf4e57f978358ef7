#!/bin/sh
# A run-script build phase that merges Testing.plist over the built product's Info.plist.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources"; "Based on dependency analysis" off. Input
# files: $(SRCROOT)/Testing.plist and $(TARGET_BUILD_DIR)/$(INFOPLIST_PATH). Xcode signs the product afterwards.
# The overlay lists its configurations; for any other, this script changes nothing and prints the reason.
set -eu
capsule apply --expand "$SRCROOT/Testing.plist" "$TARGET_BUILD_DIR/$INFOPLIST_PATH"
