# Packaging/make_release and Packaging/make_bundle: what makes no release is refused before anything is built, and a release has all that
# belongs to it. What `make dist` and `make deb` take minutes for is made here by a stand-in.
. "$LIB"
needs_linux 'releases are made on Linux'
need git tar gzip python3 sha256sum
root=$(cd "$SAMPLES/.." && pwd)
git_home
version=$("$CAPSULE" --version | sed 's/^capsule //')
home=https://example.com/capsule-appdata

# A project with what a release is made of.
mkdir project bin
(cd "$root" && tar -cf - .gitignore .ci/release-flags Makefile Package.swift LICENSE CHANGELOG.md Packaging man \
    Sources/CapsuleCommands/CapsuleVersion.swift) | tar -xf - -C project
cat > sections << TEXT

## [$version] - 2026-12-01

### Added

- Something new.

## [0.0.1] - 2026-01-01

- The first.

[$version]: https://example.com
TEXT
git -C project init -q
commit() { git -C project add -A && git -C project commit -q -m "$1" --date '2026-12-01T12:00:00Z'; }
GIT_COMMITTER_DATE=2026-12-01T12:00:00Z
export GIT_COMMITTER_DATE
sed '/^## \[[0-9]/,$d' "$root/CHANGELOG.md" > project/CHANGELOG.md
commit first

cat > bin/gcc << 'TEXT'
#!/bin/sh
case "$1" in *"${missing:-none}"*) echo "${1#*=}" ;; *) echo "/lib/${1#*=}" ;; esac
TEXT
cat > bin/make << 'TEXT'
#!/bin/sh
echo "$*" >> "$made"
echo 'Building ...'
cp "$place/$tarball" "$place/$package" .
case "$2" in dist) echo "./$tarball" ;; deb) echo "./$package" ;; esac
TEXT
chmod +x bin/*
place=$PWD made=$PWD/made tarball=capsule-$version-linux-x86_64.tar.gz package=capsule-appdata_${version}_amd64.deb
export place made package
# A tarball as far as a bundle looks at it.
tarball_of() {
    mkdir -p "$1/bin" "$1/libexec/capsule" "$1/licenses/common" "$1/share"
    echo "program of $1" | tee "$1/bin/capsule" > "$1/libexec/capsule/capsule-http"
    chmod 755 "$1/bin/capsule" "$1/libexec/capsule/capsule-http"
    echo license | tee "$1/LICENSE" "$1/licenses/zlib1g-dev.txt" "$1/licenses/common/GPL-2" > "$1/SOURCES.md"
    tar -c --sort=name --mtime=@1700000000 "$1" | gzip -n > "$1.tar.gz"
    rm -r "$1"
}
tarball_of "capsule-$version-linux-x86_64"
echo package > "$package"
printf '/*.tar.gz\n/*.deb\n' > project/.git/info/exclude
make_release() { env PATH="$PWD/bin:$PATH" STATIC="${static:-1}" missing="${missing:-none}" tarball="$tarball" project/Packaging/make_release "$@"; }

refused() {
    says_what=$1
    shift
    status 1 make_release "$@" "$home"
    says err "^make_release: .*$says_what"
    [ ! -s out ] || fail 'half a release'
    absent made project/.build
}
refused "CHANGELOG.md has no section \[$version\]" "$version"
sed '/^###/,/^- Some/d' sections >> project/CHANGELOG.md
commit empty
refused "CHANGELOG.md has no section \[$version\], or an empty one" "$version"
sed '/^## \[[0-9]/,$d' "$root/CHANGELOG.md" | cat - sections > project/CHANGELOG.md
refused 'changes that are not committed' "$version"
says err '^ M CHANGELOG.md$'
commit release
echo new > project/new
refused 'changes that are not committed' "$version"
says err '^?? new$'
rm project/new
refused "'capsule --version' prints $version, not 9.9.9" 9.9.9
refused 'not a version' ''
refused 'not a version' "v$version"
missing=libbz2 refused 'needs all archives' "$version"
says err 'error: libbz2.a is missing'
static=0 refused 'needs all archives' "$version"
status 64 make_release "$version"
absent made project/.build
# A program that was built before the version changed.
mv "$tarball" "capsule-0.0.1-linux-x86_64.tar.gz"
tarball=capsule-0.0.1-linux-x86_64.tar.gz status 1 make_release "$version" "$home"
says err "^make_release: the program is not version $version"
[ -z "$(ls -A project/.build)" ] || fail 'half a release'
mv capsule-0.0.1-linux-x86_64.tar.gz "$tarball"

# All of it, with digests; twice the same.
rm made
status 0 make_release "$version" "$home/"
release=project/.build/release-$version
[ "$(cat out)" = ".build/release-$version" ] || fail 'another directory'
says err "^Making release $version for $home,"
[ "$(cat made)" = "$(printf -- '-s dist\n-s deb HOMEPAGE=%s' $home)" ] || fail 'other targets'
only "$release" "$tarball" "$package" "capsule-appdata-$version.tar.gz" capsule-appdata.rb capsule.artifactbundle.zip SHA256SUMS NOTES.md
(cd "$release" && sha256sum --quiet -c SHA256SUMS && [ "$(wc -l < SHA256SUMS)" = 5 ]) || fail 'other digests'
[ "$(cat "$release/NOTES.md")" = "$(printf '### Added\n\n- Something new.')" ] || fail 'other notes'
tar -tzf "$release/capsule-appdata-$version.tar.gz" | grep -v '/$' | sed "s|^capsule-appdata-$version/||" | sort > found
git -C project ls-files | sort > wanted
same found wanted
says "$release/capsule-appdata.rb" "^  url \"$home/releases/download/v$version/capsule-appdata-$version.tar.gz\"$"
says "$release/capsule-appdata.rb" "^  homepage \"$home\"$"
says "$release/capsule-appdata.rb" "^  sha256 \"$(digest_of "$release/capsule-appdata-$version.tar.gz")\"$"
cp -R "$release" first
echo stale > "$release/stale"
(umask 077 && make_release "$version" "$home" > out 2> err) || fail 'no second release'
diff -r first "$release" || fail 'other bytes'

# A bundle of several systems: a variant for each, with its program and licenses, as SE-0305 has it.
make_bundle() { "$root/Packaging/make_bundle" "$@"; }
for system in linux-aarch64 macos-universal; do tarball_of "capsule-$version-$system"; done
status 0 make_bundle bundle.zip "capsule-$version-macos-universal.tar.gz" "$tarball" "capsule-$version-linux-aarch64.tar.gz"
[ ! -s out ] && [ ! -s err ] || fail 'not silent'
status 0 make_bundle other.zip "capsule-$version-linux-aarch64.tar.gz" "$tarball" "capsule-$version-macos-universal.tar.gz"
same bundle.zip other.zip
python3 - "$version" << 'TEXT' || fail 'another bundle'
import json, sys, zipfile
archive = zipfile.ZipFile("bundle.zip")
top = "capsule.artifactbundle/"
info = json.loads(archive.read(top + "info.json"))
triples = {"linux-aarch64": ["aarch64-unknown-linux-gnu"], "linux-x86_64": ["x86_64-unknown-linux-gnu"],
           "macos-universal": ["arm64-apple-macosx", "x86_64-apple-macosx"]}
variants = [{"path": f"{system}/bin/capsule", "supportedTriples": triples[system]} for system in triples]
artifact = {"type": "executable", "version": sys.argv[1], "variants": variants}
assert info == {"schemaVersion": "1.0", "artifacts": {"capsule": artifact}}, info
for variant in variants:
    for path in [variant["path"], variant["path"].replace("bin/capsule", "libexec/capsule/capsule-http")]:
        entry = archive.getinfo(top + path)
        assert entry.external_attr >> 16 == 0o100755, entry
names = [top + f"{system}/{name}" for system in triples
         for name in ["LICENSE", "SOURCES.md", "bin/capsule", "libexec/capsule/capsule-http", "licenses/common/GPL-2",
                      "licenses/zlib1g-dev.txt"]]
assert archive.namelist() == names + [top + "info.json"], archive.namelist()
assert b"linux-x86_64" in archive.read(top + "linux-x86_64/bin/capsule")
TEXT
no_bundle() {
    says_what=$1
    shift
    status 1 make_bundle none.zip "$@"
    says err "^make_bundle: .*$says_what"
    absent none.zip none.zip.part
}
cp "$tarball" sources.tar.gz
no_bundle 'not capsule-VERSION-SYSTEM' sources.tar.gz
cp "$tarball" "capsule-$version-plan9-mips.tar.gz"
no_bundle 'not capsule-VERSION-SYSTEM' "capsule-$version-plan9-mips.tar.gz"
no_bundle 'two tarballs are for linux-x86_64' "$tarball" "./$tarball"
tarball_of capsule-0.0.1-linux-aarch64
no_bundle 'of several versions' "$tarball" capsule-0.0.1-linux-aarch64.tar.gz
no_bundle 'No such file' "capsule-8.8.8-linux-x86_64.tar.gz"
mkdir -p empty
tar -czf capsule-8.8.8-linux-x86_64.tar.gz empty
no_bundle 'has no bin/capsule' capsule-8.8.8-linux-x86_64.tar.gz
status 64 make_bundle none.zip
