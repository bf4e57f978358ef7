# Packaging/make_mirror: an app that depends on CapsuleRuntime as docs/runtime.md shows needs nothing else of this project.
. "$LIB"
need git
command -v swift > /dev/null || skip 'swift is not in PATH'
root=$(cd "$SAMPLES/.." && pwd)
git_home
unset XDG_CACHE_HOME
# The toolchain leaves files of its own there.
mkdir scratch
TMPDIR=$PWD/scratch

status 0 "$root/Packaging/make_mirror" capsule-appdata-runtime
only capsule-appdata-runtime LICENSE Package.swift README.md Sources
same_trees "$root/Sources/CapsuleRuntime" capsule-appdata-runtime/Sources/CapsuleRuntime --times none
cd capsule-appdata-runtime
git init -q
git add .
git commit -qm 'Version 0.1.0'
git tag 0.1.0
# Written over a checkout, it leaves nothing of an earlier version.
echo > Sources/CapsuleRuntime/Earlier.swift
"$root/Packaging/make_mirror" .
[ -z "$(git status --porcelain)" ] || fail 'a second time makes another package'
cd ..

mkdir -p App/Sources/App
dependency=$(sed -n 's|^    \(\.package(url: "https:.*/capsule-appdata-runtime", from: "0.1.0")\)$|\1|p' "$root/docs/runtime.md")
product=$(sed -n 's|^    \(\.product(name: "CapsuleRuntime", package: ".*")\)$|\1|p' "$root/docs/runtime.md")
[ -n "$dependency" ] && [ -n "$product" ] || fail 'docs/runtime.md names no package'
cat > App/Package.swift << END
// swift-tools-version: 5.9
import PackageDescription
let package = Package(
    name: "App", dependencies: [$dependency],
    targets: [.executableTarget(name: "App", dependencies: [$product])])
END
sed "s|https:[^\"]*/|file://$PWD/|" App/Package.swift > other
mv other App/Package.swift
cat > App/Sources/App/main.swift << 'END'
import CapsuleRuntime
print(LaunchContext.inAnyBuild.isUITest)
END
# Whoever asks for a library of the system is told that there is none.
mkdir bin
printf '#!/bin/sh\necho "$*" >> "%s/asked"\nexit 1\n' "$PWD" > bin/pkg-config
chmod +x bin/pkg-config
PATH=$PWD/bin:$PATH
export PATH
unset PKG_CONFIG_PATH
# Compiling it takes half a minute.
[ -n "${CAPSULE_LONG_TESTS:-}" ] || exit 0
status 0 swift build --package-path App
cat out err > said
says_not said 'warning'
absent asked
status 0 App/.build/debug/App --UITest
says out '^true$'
