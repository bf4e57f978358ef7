# Packaging/plugins: the package of docs/plugins.md, whose resources SwiftPM makes once, and the commands.
. "$LIB"
need python3
command -v swift > /dev/null || skip 'swift is not in PATH'
root=$(cd "$SAMPLES/.." && pwd)
make_plugins() { "$root/Packaging/make_plugins" "$@"; }
# The toolchain leaves files of its own there, and caches at home.
mkdir scratch home
TMPDIR=$PWD/scratch
HOME=$PWD/home
export HOME
unset XDG_CACHE_HOME XDG_CONFIG_HOME

# What a release has, with the program that the other tests have.
mkdir capsule.artifactbundle
ln -s "$CAPSULE" capsule.artifactbundle/program
triple=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')
cat > capsule.artifactbundle/info.json << END
{ "schemaVersion": "1.0", "artifacts": { "capsule": { "type": "executable", "version": "0.1.0",
    "variants": [{ "path": "program", "supportedTriples": ["$triple"] }] } } }
END
status 0 make_plugins capsule.artifactbundle capsule-appdata-plugins
status 0 make_plugins capsule.artifactbundle capsule-appdata-plugins
only capsule-appdata-plugins LICENSE Package.swift Plugins README.md capsule.artifactbundle

# The package that the page shows.
samples
mkdir -p Gifs/Sources/Gifs
page=$root/docs/plugins.md
swift_of() { awk -v number="$1" '/^```swift$/ { on = ++count == number; next } /^```$/ { on = 0 } on' "$page"; }
swift_of 1 | sed 's|url: "https:.*", from: ".*"|path: "../capsule-appdata-plugins"|' > Gifs/Package.swift
says Gifs/Package.swift '^        \.package(path: "../capsule-appdata-plugins")$'
swift_of 2 > Gifs/Sources/Gifs/main.swift
sources=Gifs/Sources/Gifs
"$CAPSULE" pack -q Gifs-before.xcappdata -o $sources/Seed.capsule
cp "$SAMPLES/overlays/scene-delegate/Info.plist" $sources
cp "$SAMPLES/overlays/scene-delegate/Test.plist" $sources/Test.overlay.plist

build() { status "$1" swift build --package-path Gifs --product Gifs; }
right() {
    "$CAPSULE" unpack -q -f $sources/Seed.capsule -o wanted.xcappdata
    "$CAPSULE" apply -q -f $sources/Test.overlay.plist $sources/Info.plist -o wanted.plist
    Gifs/.build/debug/Gifs > resources
    # Copied by SwiftPM, the files have new times.
    same_trees wanted.xcappdata "$(sed -n 1p resources)" --times none
    same wanted.plist "$(sed -n 2p resources)"
}
made() { find Gifs/.build/plugins/outputs -path '*/CapsuleResources/*' -exec ls -ldi {} +; }
build 0
cat out err > said
says_not said 'warning'
right
made > made.first
[ -s made.first ] || fail 'nothing is in the work directory'

# A second time there is nothing to do.
build 0
says_not out 'Unpack\|Apply\|Copying'
made > made.second
same made.first made.second

# The rest takes half a minute.
[ -n "${CAPSULE_LONG_TESTS:-}" ] || exit 0

# What has changed is made again, and nothing else.
"$CAPSULE" pack -q --append Gifs-after.xcappdata -o $sources/Seed.capsule
build 0
says out 'Unpack Seed.capsule'
says_not out 'Apply'
right
sed 's/TestingSceneDelegate/OtherSceneDelegate/' $sources/Test.overlay.plist > other
! cmp -s other $sources/Test.overlay.plist || fail 'the overlay is the same'
mv other $sources/Test.overlay.plist
build 0
says out 'Apply Test.overlay.plist to Info.plist'
says_not out 'Unpack'
right

# A property list of its own name goes before Info.plist; without either there is nothing to apply it to.
mv $sources/Info.plist $sources/Test.plist
build 0
says out 'Apply Test.overlay.plist to Test.plist'
mv $sources/Test.plist Info.plist
build 1
cat out err > said
says said 'Test.overlay.plist: there is neither Test.plist nor Info.plist beside it'
mv Info.plist $sources

# The commands of the page: one that only reads, and one that writes into the package.
says "$page" '^| `swift package capsule-diff A B` |'
says "$page" '^| `swift package --allow-writing-to-package-directory capsule-pack DIR` |'
package() {
    expected=$1
    shift
    status "$expected" swift package --package-path Gifs "$@"
}
"$CAPSULE" diff Gifs-before.xcappdata Gifs-after.xcappdata --stat > stat || :
package 1 capsule-diff Gifs-before.xcappdata Gifs-after.xcappdata --stat
tail -n "$(wc -l < stat)" out > shown
same stat shown
package 0 capsule-diff Gifs-before.xcappdata Gifs-before.xcappdata
package 1 capsule-pack Gifs-before.xcappdata -o Gifs/Fixture.capsule < /dev/null
absent Gifs/Fixture.capsule
package 0 --allow-writing-to-package-directory capsule-pack Gifs-before.xcappdata -o Gifs/Fixture.capsule
ok "$CAPSULE" diff Gifs-before.xcappdata Gifs/Fixture.capsule

# A release's bundle is named by URL and checksum.
digest=$(digest_of out)
url=https://example.com/capsule/releases/download/0.1.0/capsule.artifactbundle.zip
status 0 make_plugins "$url" "$digest" capsule-appdata-plugins
absent capsule-appdata-plugins/capsule.artifactbundle
status 0 swift package dump-package --package-path capsule-appdata-plugins
python3 -c 'import json, sys
[target] = [target for target in json.load(open("out"))["targets"] if target["type"] == "binary"]
sys.exit([target["url"], target["checksum"]] != sys.argv[1:])' "$url" "$digest" || fail 'the manifest names another bundle'
refused() {
    says_what=$1
    shift
    status 1 make_plugins "$@"
    says err "^make_plugins: .*$says_what"
    absent none
}
refused 'is not an artifact bundle' home none
refused 'not the URL of a zip file' http://example.com/capsule.zip "$digest" none
refused 'must be written as' 'https://example.com/a"b.zip' "$digest" none
refused 'not a SHA-256 digest' "$url" "${digest#?}" none
status 64 make_plugins none
