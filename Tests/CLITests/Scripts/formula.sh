# Packaging/make_formula: the formula that it prints declares what Homebrew asks for, installs what `make install` does, and passes its own
# test.
. "$LIB"
need tar gzip make python3
command -v ruby > /dev/null || skip 'ruby is not installed'
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS
make_formula() { "$root/Packaging/make_formula" "$@"; }
version=$("$CAPSULE" --version | sed 's/^capsule //')
url=https://example.com/capsule/archive/refs/tags/$version.tar.gz
formula=capsule-appdata.rb

# The sources as a release has them: what the project holds, in one directory.
mkdir "capsule-$version"
(cd "$root" && tar -cf - .ci/make-http Makefile Package.swift LICENSE Packaging man \
    Sources/CapsuleCommands/CapsuleVersion.swift Sources/capsule-http) |
    tar -xf - -C "capsule-$version"
tar -czf sources.tar.gz "capsule-$version"

status 0 make_formula sources.tar.gz "$url"
cp out $formula
says $formula "^  url \"$url\"$"
says $formula '^  homepage "https://example.com/capsule"$'
says $formula "^  version \"$version\"$"
says_not $formula '@[A-Z0-9]*@'
ok ruby -W -c $formula
mkdir unpacked place
tar -xzf sources.tar.gz -C unpacked
load_formula() { ruby "$TOOLS/load_formula.rb" "$1" "unpacked/capsule-$version" "$CAPSULE" place; }
status 0 load_formula $formula
[ ! -s err ] || fail 'not silent'
make -s -C "$root" install-files CAPSULE="$CAPSULE" DESTDIR="$PWD/stage" PREFIX=
(cd stage && find . -type f | sort) > wanted
(cd place/prefix && find . -type f | sort) > found
same found wanted

# The digest is the tarball's, and so is the version.
python3 -c 'import hashlib; print(hashlib.sha256(open("sources.tar.gz", "rb").read()).hexdigest())' > wanted
grep -q "^  sha256 \"$(cat wanted)\"$" $formula || fail 'another digest'
status 0 make_formula sources.tar.gz https://example.com/files/sources.tar.gz https://example.com/about
says out '^  homepage "https://example.com/about"$'
status 0 make_formula sources.tar.gz https://example.com/files/sources.tar.gz
says out '^  homepage "https://example.com/files"$'

# What is no tarball of the sources, or no URL, makes none.
refused() {
    says_what=$1
    shift
    status 1 make_formula "$@"
    says err "^make_formula: .*$says_what"
    [ ! -s out ] || fail 'half a formula'
}
refused 'nothing.tar.gz does not exist' nothing.tar.gz "$url"
echo text > text.tar.gz
refused "can't be read by tar" text.tar.gz "$url"
refused 'not a URL' sources.tar.gz sources.tar.gz
refused 'must be written as' sources.tar.gz 'https://example.com/a b"#{c}'
refused 'the homepage is not a URL' sources.tar.gz "$url" home
mkdir other
echo x > other/file
tar -czf other.tar.gz other
refused 'has no Package.swift' other.tar.gz "$url"
tar -czf two.tar.gz other "capsule-$version"
refused 'are not in one directory' two.tar.gz "$url"
status 64 make_formula sources.tar.gz

# A formula that is not right is found out.
wrong() {
    says_what=$1
    shift
    mkdir -p broken
    sed "$@" $formula > broken/$formula
    ! cmp -s $formula broken/$formula || fail "nothing was changed: $*"
    rm -rf place "unpacked/capsule-$version/.build"
    mkdir place
    status 1 load_formula broken/$formula
    says err "$says_what"
}
wrong 'not declared: license' '/^  license/d'
wrong 'the digest is none' 's/sha256 "./sha256 "/'
wrong 'a placeholder is left' 's/url ".*/url "@URL@"/'
wrong 'depends on' '/"libdeflate"/d'
wrong 'uses \["curl", "sqlite"\] of macOS' '/"zlib"/d'
wrong 'builds by' 's/"--disable-sandbox", //'
wrong 'failed: make install-everything' 's/install-files/install-everything/'
wrong 'is not "before"' 's/capsule cat data.capsule@before/capsule cat data.capsule@after/'
wrong 'status 1, not 0' 's/data.capsule@after", 1)/data.capsule@after")/'
