#!/bin/sh
# A run-script build phase that merges an overlay into the built product's Info.plist.
#
# In Xcode: Build Phases, New Run Script Phase, after "Copy Bundle Resources". Turn "Based on dependency analysis" off. Input
# files: $(SRCROOT)/Testing.plist and $(TARGET_BUILD_DIR)/$(INFOPLIST_PATH). Xcode signs the product afterwards.
set -eu

# Change these, or set them as build settings.
# The configurations that get the overlay, separated by commas. The overlay's own conditions must match, too.
: "${CAPSULE_PRODUCT_CONFIGURATIONS:=Debug}"
# The overlay, and the property list that it changes.
: "${CAPSULE_PRODUCT_OVERLAY:=$SRCROOT/Testing.plist}"
: "${CAPSULE_PRODUCT_INFO_PLIST:=$TARGET_BUILD_DIR/$INFOPLIST_PATH}"

# Xcode's PATH does not contain these.
PATH=$PATH:/usr/local/bin:/opt/homebrew/bin
configuration=${CONFIGURATION:-none}

# Whether CONFIGURATION is in the list; spaces beside a comma don't matter.
is_listed() {
    printf '%s\n' "$CAPSULE_PRODUCT_CONFIGURATIONS" | tr , '\n' | sed 's/^ *//; s/ *$//' | grep -qxF -e "$configuration"
}

if is_listed; then
    # `--require` fails the build if nothing of the overlay applies, for example because of a typo in a condition.
    capsule apply --expand --require "$CAPSULE_PRODUCT_OVERLAY" "$CAPSULE_PRODUCT_INFO_PLIST"
else
    echo "note: no overlay: CONFIGURATION is '$configuration', not one of '$CAPSULE_PRODUCT_CONFIGURATIONS'" >&2
fi
