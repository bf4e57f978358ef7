# The Swift of samples that stands beside no package compiles against CapsuleRuntime and CapsuleUITesting, and against what stands for Apple's modules;
# that of README against the library.
. "$LIB"
[ "$(uname)" != Darwin ] || skip 'it would take the modules of an SDK'
command -v swiftc > /dev/null || skip 'swiftc is not in PATH'
modules=$(dirname "$CAPSULE")/Modules
present "$modules/CapsuleRuntime.swiftmodule"
mkdir apple
# The compiler leaves files of its own there.
mkdir scratch
TMPDIR=$PWD/scratch
for module in XCTest SwiftUI UIKit; do
    ok swiftc -swift-version 6 -parse-as-library -emit-module -module-name "$module" -o "apple/$module.swiftmodule" \
        "$SAMPLES/../Tests/Fixtures/AppleModules/$module.swift"
done
count=0
for file in "$SAMPLES"/*/*.swift; do
    case $file in */ExampleApp/*) continue ;; esac
    # Names for Objective-C are for Apple's systems alone.
    sed '/^@objc(.*)$/d' "$file" > sample.swift
    ok swiftc -swift-version 6 -parse-as-library -typecheck -warnings-as-errors -module-name Sample -I apple -I "$modules" sample.swift
    count=$((count + 1))
done
[ "$count" = 4 ] || fail "$count files, not 4"

# What README shows of the library.
root=$SAMPLES/..
awk '/^    import Capsule/ { on = 1 } on && /^(    .*)?$/ { sub(/^    /, ""); print; next } on { exit }' "$root/README.md" > main.swift
says main.swift 'try before.pack(to:'
set --
for map in "$root"/Sources/*/module.modulemap; do set -- "$@" -Xcc "-fmodule-map-file=$map"; done
ok swiftc -swift-version 6 -typecheck -warnings-as-errors -I "$modules" "$@" main.swift
