#!/bin/sh
# A run-script build phase that makes the Info.plist of the product: the app's own, in the configuration for tests with an
# overlay over it.
#
# In Xcode: Build Phases, New Run Script Phase, before "Compile Sources". Input files, in this order:
#     $(SRCROOT)/Test.plist
#     $(SRCROOT)/Info.plist
# Output file: $(DERIVED_FILE_DIR)/Info.plist, which the build setting INFOPLIST_FILE names, too; it makes Xcode run this
# before it reads that file. Nothing else is read or written, so that ENABLE_USER_SCRIPT_SANDBOXING can be YES.
set -eu
# Xcode's own PATH leads to neither.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin

# `-o FILE` would write beside FILE first, which the sandbox does not let it.
capsule apply -q --when CONFIGURATION=Debug-Testing "$SCRIPT_INPUT_FILE_0" "$SCRIPT_INPUT_FILE_1" -o - \
    > "$SCRIPT_OUTPUT_FILE_0" || { rm -f "$SCRIPT_OUTPUT_FILE_0"; exit 1; }
