#!/bin/sh
# A run-script build phase that creates the product's Info.plist. In the test configurations, it applies an overlay to the app's own.
#
# In Xcode: Build Phases, New Run Script Phase, before "Compile Sources". Input files, in this order:
#     $(SRCROOT)/Test.plist
#     $(SRCROOT)/Info.plist
# Output file: $(DERIVED_FILE_DIR)/Info.plist. Set the build setting INFOPLIST_FILE to it as well, so that Xcode runs this script
# before it reads that file. ENABLE_USER_SCRIPT_SANDBOXING can be YES: the script reads and writes nothing else.
set -eu

# Change these, or set them as build settings.
# The configurations that get the overlay, separated by commas.
: "${CAPSULE_OVERLAY_CONFIGURATIONS:=Debug-Testing}"
# The overlay and the app's own Info.plist.
: "${CAPSULE_OVERLAY:=$SCRIPT_INPUT_FILE_0}"
: "${CAPSULE_INFO_PLIST:=$SCRIPT_INPUT_FILE_1}"

# Xcode's PATH does not contain these.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin
configuration=${CONFIGURATION:-none}

# Whether CONFIGURATION is in the list; spaces beside a comma don't matter.
is_listed() {
    printf '%s\n' "$CAPSULE_OVERLAY_CONFIGURATIONS" | tr , '\n' | sed 's/^ *//; s/ *$//' | grep -qxF -e "$configuration"
}

# The sandbox does not allow the temporary file that `-o FILE` writes next to FILE.
if is_listed; then
    # `--require` fails if the overlay has conditions of its own that don't match.
    capsule apply -q --require "$CAPSULE_OVERLAY" "$CAPSULE_INFO_PLIST" -o - > "$SCRIPT_OUTPUT_FILE_0" ||
        { rm -f "$SCRIPT_OUTPUT_FILE_0"; exit 1; }
else
    echo "note: no overlay: CONFIGURATION is '$configuration', not one of '$CAPSULE_OVERLAY_CONFIGURATIONS'" >&2
    cat "$CAPSULE_INFO_PLIST" > "$SCRIPT_OUTPUT_FILE_0"
fi
