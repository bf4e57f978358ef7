#!/bin/sh
# A run-script build phase that creates the product's Info.plist. In the test configuration, it applies an overlay to the app's own.
#
# In Xcode: Build Phases, New Run Script Phase, before "Compile Sources". Input files, in this order:
#     $(SRCROOT)/Test.plist
#     $(SRCROOT)/Info.plist
# Output file: $(DERIVED_FILE_DIR)/Info.plist. Set the build setting INFOPLIST_FILE to it as well, so Xcode runs this script
# before it reads that file. ENABLE_USER_SCRIPT_SANDBOXING can be YES: nothing else is read or written.
set -eu
# Xcode's PATH contains neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

# The sandbox does not allow the temporary file that `-o FILE` writes beside FILE.
capsule apply -q --when CONFIGURATION=Debug-Testing "$SCRIPT_INPUT_FILE_0" "$SCRIPT_INPUT_FILE_1" -o - \
    > "$SCRIPT_OUTPUT_FILE_0" || { rm -f "$SCRIPT_OUTPUT_FILE_0"; exit 1; }
