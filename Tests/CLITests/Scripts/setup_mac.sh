# .ci/setup and the Makefile on a Mac, with stand-ins for uname, brew, pkg-config and swift: what is there already is found, what is
# missing is installed, and what can't be installed is named.
. "$LIB"
need make awk
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS PKG_CONFIG_PATH
place=$PWD

# A PATH that has nothing but the system's plain tools and the stand-ins.
mkdir tools bin
for tool in sh env awk cat cp dirname basename mkdir mktemp rm ls make grep sed tr find id chmod; do
    ln -s "$(command -v "$tool")" "tools/$tool"
done
ln -s /bin/echo tools/echo
stand_in() {
    { printf '#!/bin/sh\nplace=%s\n' "'$place'"; cat; } > "bin/$1"
    chmod +x "bin/$1"
}
echo 'case "${1:-}" in -s | "") echo Darwin ;; -m) echo arm64 ;; esac' | stand_in uname
echo 'echo "$*" >> "$place/swift.log"' | stand_in swift
# Finds a library where PKG_CONFIG_PATH leads; what Homebrew links into its own directory is always found.
stand_in pkg-config << 'END'
[ "$1" = --exists ] || exit 2
[ ! -e "$place/linked/$2.pc" ] || exit 0
IFS=:
for directory in ${PKG_CONFIG_PATH:-}; do [ ! -e "$directory/$2.pc" ] || exit 0; done
exit 1
END
# A formula that `failing` names can't be installed, and neither can others by the same command, as with brew.
stand_in brew << 'END'
case "$1" in
    --prefix) echo "$place/brew" ;;
    install)
        shift
        [ "$1" = --quiet ] && shift
        echo "$*" >> "$place/brew.log"
        for name in "$@"; do
            if grep -q -x -e "$name" "$place/failing"; then echo "Error: $name: no such formula" >&2; exit 1; fi
        done
        "$place/have" "$@" ;;
    *) exit 2 ;;
esac
END
# have FORMULA...: what installing them brings.
cat > have << 'END'
#!/bin/sh
place=$(dirname "$0")
tool() { printf '#!/bin/sh\n' > "$place/bin/$1"; chmod +x "$place/bin/$1"; }
for name in "$@"; do
    case "$name" in
        libarchive) mkdir -p "$place/brew/opt/libarchive/lib/pkgconfig"; : > "$place/brew/opt/libarchive/lib/pkgconfig/libarchive.pc" ;;
        libdeflate) : > "$place/linked/libdeflate.pc" ;;
        zstd) : > "$place/linked/libzstd.pc"; tool zstd ;;
        pkgconf) cp "$place/pkg-config.kept" "$place/bin/pkg-config" ;;
        coreutils) tool gtimeout ;;
        findutils) tool gfind ;;
        gnu-sed) tool gsed ;;
        gnu-tar) tool gtar ;;
        grep) tool ggrep ;;
        libplist) tool plistutil ;;
        xz | jq | mandoc | ruby | age) tool "$name" ;;
        *) echo "have: $name is none of ours" >&2; exit 1 ;;
    esac
done
END
chmod +x have
cp bin/pkg-config pkg-config.kept
libraries='pkgconf libarchive libdeflate zstd'
tools='coreutils findutils gnu-sed gnu-tar grep xz jq mandoc libplist ruby age'
# A Mac as it is before anything is installed.
fresh() {
    rm -rf brew linked brew.log swift.log
    for tool in pkg-config zstd gtimeout gfind gsed gtar ggrep plistutil xz jq mandoc ruby age; do rm -f "bin/$tool"; done
    mkdir linked
    : > failing
    : > brew.log
}
on_mac() { env PATH="$place/bin:$place/tools" "$@"; }

# All is there, libarchive where Homebrew keeps it apart: nothing is done and nothing is said.
fresh
./have $libraries $tools
status 0 on_mac "$root/.ci/setup" build test
[ ! -s out ] && [ ! -s err ] || fail 'not silent'
[ ! -s brew.log ] || fail 'something was installed'

# Nothing is there: all of it is installed by one command, and nothing that macOS has.
fresh
status 0 on_mac "$root/.ci/setup" build test
says out "^setup: installing $libraries $tools$"
[ "$(cat brew.log)" = "$libraries $tools" ] || fail "brew was told: $(cat brew.log)"
[ ! -s err ] || fail 'not silent'
fresh
status 0 on_mac "$root/.ci/setup" build
[ "$(cat brew.log)" = "$libraries" ] || fail 'a build takes more than its libraries'

# A tool that can't be installed is a warning, a library is an error. Each is tried, whatever becomes of the others.
fresh
echo gnu-sed > failing
status 0 on_mac "$root/.ci/setup" test
says err 'Error: gnu-sed: no such formula'
says err '^setup: warning: missing tools, archives and headers: gnu-sed$'
present bin/jq
fresh
echo libdeflate > failing
status 1 on_mac "$root/.ci/setup" test
says err '^setup: could not install these packages; install them manually: libdeflate$'
present bin/gsed brew/opt/libarchive

# No Homebrew: it is named, with what is missing.
fresh
mv bin/brew brew.kept
status 1 on_mac "$root/.ci/setup" build
says err "^setup: Homebrew is not installed, or 'brew' is not in PATH: https://brew.sh$"
says err "install them manually: $libraries$"
# What PKG_CONFIG_PATH has already is used without it.
./have $libraries
status 0 on_mac PKG_CONFIG_PATH="$place/brew/opt/libarchive/lib/pkgconfig" "$root/.ci/setup" build
[ ! -s err ] || fail 'not silent'
mv brew.kept bin/brew

# The paths themselves: Homebrew's first, and never an empty part, which would mean the current directory.
keg=$place/brew/opt/libarchive/lib/pkgconfig
paths() {
    wanted=$1
    shift
    [ "$(on_mac "$@" "$root/.ci/brew-paths")" = "$wanted" ] || fail "other paths than $wanted"
}
paths "$keg"
paths "$keg:/mine" PKG_CONFIG_PATH=/mine
paths "$keg" PKG_CONFIG_PATH=

# make hands them on, to setup and to swift.
fresh
./have $libraries
echo 'echo "$PKG_CONFIG_PATH" >> "$place/swift.log"' | stand_in swift
status 0 on_mac make -C "$root" build-debug
[ "$(cat swift.log)" = "$keg" ] || fail "swift was told: $(cat swift.log)"

# The tarball is for Linux: nothing is installed and nothing is built.
fresh
status 2 on_mac make -s -C "$root" dist
says err "^make: 'make dist' only runs on Linux$"
says err "^make: use 'make install' here, or Packaging/make_formula to create a Homebrew formula$"
[ ! -s out ] && [ ! -s brew.log ] && [ ! -e swift.log ] || fail 'something was done'
