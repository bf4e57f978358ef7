# 'make install' and 'make uninstall', and the tarball of 'make dist', with the program that the other tests have.
. "$LIB"
need make git tar gzip python3
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS
install_in() { status 0 make -s -C "$root" install CAPSULE="$CAPSULE" DESTDIR="$PWD/stage" "$@"; }

install_in PREFIX=/opt/capsule
says out "^Installed $PWD/stage/opt/capsule/bin/capsule$"
same stage/opt/capsule/bin/capsule "$CAPSULE"
same stage/opt/capsule/libexec/capsule/capsule-http "$(dirname "$CAPSULE")/capsule-http"
share=stage/opt/capsule/share
for page in "$root"/man/*.1; do same "$share/man/man1/$(basename "$page")" "$page"; done
for page in "$root"/man/*.5; do same "$share/man/man5/$(basename "$page")" "$page"; done
[ "$(find "$share/man" -type f | wc -l)" = "$(ls "$root"/man/* | wc -l)" ] || fail 'other pages are installed'
for pair in bash:bash-completion/completions/capsule zsh:zsh/site-functions/_capsule fish:fish/vendor_completions.d/capsule.fish; do
    "$CAPSULE" generate completions "${pair%%:*}" > wanted
    same "$share/${pair#*:}" wanted
done
# Anybody may read it, whatever the umask of who installs it.
(umask 077 && install_in PREFIX=/opt/capsule)
[ -z "$(find stage/opt/capsule ! -type l ! -perm -0444)" ] || fail 'there are files that not everybody may read'
programs() { (cd "$1" && find . -type f -perm -0111 | sort | tr '\n' ' '); }
both='./bin/capsule ./libexec/capsule/capsule-http '
[ "$(programs stage/opt/capsule)" = "$both" ] || fail 'other files can be run'

# Uninstalling leaves nothing; what others put there stays.
status 0 make -s -C "$root" uninstall DESTDIR="$PWD/stage" PREFIX=/opt/capsule
[ -z "$(find stage -mindepth 1)" ] || { find stage; fail 'something is left'; }
install_in PREFIX=/usr
echo other > stage/usr/share/man/man1/other.1
echo other > stage/usr/bin/other
status 0 make -s -C "$root" uninstall DESTDIR="$PWD/stage" PREFIX=/usr
[ "$(find stage -type f | sort | tr '\n' ' ')" = 'stage/usr/bin/other stage/usr/share/man/man1/other.1 ' ] || fail 'others lost something'
# Once more: nothing to do, and no error.
status 0 make -s -C "$root" uninstall DESTDIR="$PWD/stage" PREFIX=/usr
# Without capsule-http, everything else is installed, and a note says what is missing.
cp "$CAPSULE" alone
install_in CAPSULE="$PWD/alone" PREFIX=/usr
says err "^make: note: there is no $PWD/capsule-http: the installed program will read no remote containers$"
present stage/usr/bin/capsule stage/usr/share/man/man1/capsule.1
absent stage/usr/libexec
rm -r alone stage
# Without DESTDIR it says what PATH needs.
status 0 env PATH=/usr/bin:/bin make -s -C "$root" install CAPSULE="$CAPSULE" PREFIX="$PWD/place"
[ -e /usr/bin/capsule ] || says out "^$PWD/place/bin is not in PATH. For this shell: export PATH=\"$PWD/place/bin:\$PATH\"$"
status 0 env PATH="$PWD/place/bin:$PATH" make -s -C "$root" install CAPSULE="$CAPSULE" PREFIX="$PWD/place"
[ "$(cat out)" = "Installed $PWD/place/bin/capsule" ] || fail 'something is wrong with PATH'

[ "$(uname -s)" = Linux ] || exit 0
need dpkg-query readelf strip
# A program that needs this machine's libraries is refused, and nothing is made.
status 1 "$root/Packaging/make_dist" "$CAPSULE" dist
says err 'the program needs libraries of this system'
says err 'nothing was written'
absent dist
status 64 "$root/Packaging/make_dist" "$CAPSULE"
status 1 "$root/Packaging/make_dist" nothing dist

# What is linked in, and what happens if an archive is missing: a note names it, or an error if nothing else will do.
mkdir bin
cat > bin/gcc << 'END'
#!/bin/sh
case "$1" in *"$missing"*) echo "${1#*=}" ;; *) echo "/lib/${1#*=}" ;; esac
END
chmod +x bin/gcc
flags() { env missing="$1" STATIC="$2" PATH="$PWD/bin:$PATH" "$root/.ci/release-flags" ${3+"$3"}; }
status 0 flags none 1
says out 'static-pie'
[ ! -s err ] || fail 'not silent'
status 0 flags none 0
says out '^-c release --static-swift-stdlib --disable-local-rpath$'
status 0 flags libbz2 1
says out '^-c release --static-swift-stdlib --disable-local-rpath$'
says err 'note: libbz2.a is missing (package libbz2-dev on Debian and Ubuntu)$'
status 1 flags libbz2 1 --static
says err 'error: libbz2.a is missing'
[ ! -s out ] || fail 'there are flags'
status 1 flags none 0 --static
status 0 flags libbz2 1 --missing
[ "$(cat out)" = libbz2-dev ] || fail 'other packages'
status 0 flags libbz2 0 --missing
[ ! -s out ] || fail 'packages that nobody needs'
rm bin/gcc

# How small the tarball is makes no difference here, and the smallest one of a program for debugging takes seconds.
cat > bin/gzip << END
#!/bin/sh
[ "\$*" = '-n -9' ] || { echo "gzip \$*" >&2; exit 1; }
exec '$(command -v gzip)' -n -1
END
chmod +x bin/gzip
# The same tarball from the same files, whatever the time, the umask and the places.
make_dist() { PATH=$PWD/bin:$PATH "$root/Packaging/make_dist" "$@"; }
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
status 0 make_dist --dynamic "$CAPSULE" dist
tarball=$(cat out)
cp "$CAPSULE" copy
(umask 077 && make_dist --dynamic copy other > out 2> err) || fail 'no tarball'
same "$tarball" "$(cat out)"
only dist "$(basename "$tarball")"
tar -tzvf "$tarball" > listed
[ "$(cut -c 2-10 listed | sort -u | tr '\n' ' ')" = 'rw-r--r-- rwxr-xr-x ' ] || fail 'other modes'
[ "$(awk '{ print $2, $4, $5 }' listed | sort -u)" = '0/0 2023-11-14 22:13' ] || fail 'other owners or times'
python3 -c 'import sys, tarfile
names = [tuple(name.encode().split(b"/")) for name in tarfile.open(sys.argv[1]).getnames()]
sys.exit(names != sorted(names))' "$tarball" || fail 'names are not sorted'
# It has all that belongs to it: licenses and sources of what is linked in, too.
tar -xzf "$tarball"
cd "$(basename "$tarball" .tar.gz)"
present bin/capsule libexec/capsule/capsule-http share/man/man1/capsule.1 share/man/man5/capsule-overlay.5 share/zsh/site-functions/_capsule LICENSE CHANGELOG.md
says_not README.md '@'
# The system's libcurl is asked for by its name alone, whatever versions its symbols have here.
readelf -dW libexec/capsule/capsule-http | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort > ../needed
[ "$(cat ../needed)" = "$(printf '%s\n' libc.so.6 libcurl.so.4)" ] || fail 'capsule-http needs other libraries'
readelf -VW libexec/capsule/capsule-http > ../versions
says_not ../versions CURL
says README.md "glibc [0-9.]* or newer"
for package in $("$root/.ci/release-flags" --archives | sed 's/.* //' | grep -e -dev); do
    present "licenses/$package.txt"
    says SOURCES.md "^    [a-z0-9.+-]* [0-9][^ ]* ($package)$"
done
says SOURCES.md '^    .*Swift version [0-9]'
present licenses/swift.txt licenses/common/LGPL licenses/common/LGPL-2.1
(cd "$root" && git ls-files Samples | grep -v '"') | while read -r name; do present "$name"; done
# It installs itself as `make install` does. An older version goes first, and uninstalling leaves nothing but what others put there.
make -s -C "$root" install-files CAPSULE="$CAPSULE" DESTDIR="$PWD/../wanted.stage" PREFIX=
files() { (cd "$1" && find . -type f | sort); }
files ../wanted.stage > ../wanted
mkdir -p ../home ../opt/share/man/man1
echo old > ../opt/share/man/man1/capsule-gone.1
(umask 077 && PATH=$PWD/../opt/bin:$PATH status 0 ./install.sh ../opt)
opt=$(cd ../opt && pwd)
says out "^Installed $opt/bin/capsule$"
[ "$(wc -l < out)" = 1 ] || fail 'something is wrong with PATH'
files ../opt > ../found
same ../found ../wanted
same ../opt/bin/capsule bin/capsule
[ "$(programs ../opt)" = "$both" ] || fail 'other files can be run'
[ -z "$(find ../opt ! -perm -0444)" ] || fail 'there are files that not everybody may read'
echo other > ../opt/share/man/man1/other.1
status 0 ./install.sh --uninstall ../opt
[ "$(find ../opt -type f)" = ../opt/share/man/man1/other.1 ] || fail 'others lost something, or a file is left'
rm ../opt/share/man/man1/other.1
status 0 ./install.sh --uninstall ../opt
says out '^There is no ../opt/bin/capsule$'
status 0 env PATH=/usr/bin:/bin ./install.sh ../opt/
[ -e /usr/bin/capsule ] || says out "^$opt/bin is not in PATH. For this shell: export PATH=\"$opt/bin:\$PATH\"$"
mkdir ../first
cp bin/capsule ../first
status 0 env PATH="$PWD/../first:/usr/bin:/bin:$opt/bin" ./install.sh ../opt
says out "^'capsule' runs .*/first/capsule: put $opt/bin before it in PATH$"
status 0 ./install.sh --uninstall ../opt
absent ../opt
status 0 ./install.sh --uninstall ../opt
status 64 ./install.sh --remove
status 64 ./install.sh ../opt ../home
absent ../opt
# What can't be installed leaves the version that is there: a script without the program beside it, and a directory that can't be written.
mkdir -p ../old/bin
echo old > ../old/bin/capsule
here=$PWD old=$(cd ../old && pwd)
refused() {
    says_what=$1
    shift
    status 1 "$@"
    says err "^install.sh: .*$says_what"
    [ ! -s out ] && [ "$(files "$old")" = ./bin/capsule ] && [ "$(cat "$old/bin/capsule")" = old ] || fail 'the old version is gone'
}
(cd .. && refused 'run it where it is' sh -s -- "$old" < "$here/install.sh") || exit 1
ln -s "$here/install.sh" ../link
refused 'run it where it is' ../link "$old"
refused "can't be written to" ./install.sh "$old/bin/capsule"
refused 'name another directory than' ./install.sh .
present share/man/man1/capsule.1
if [ "$(id -u)" != 0 ]; then
    chmod a-w ../old/bin
    refused "old can't be written to" ./install.sh ../old
    refused "old can't be written to" ./install.sh --uninstall ../old
    refused 'HOME is not set' env -u HOME ./install.sh
    HOME=$PWD/../home status 0 ./install.sh
    says out '/home/.local/bin is not in PATH'
    present ../home/.local/bin/capsule
fi
mkdir -p "../decoy/${here##*/}"
(cd .. && status 0 env CDPATH="$PWD/decoy" "${here##*/}/install.sh" 'a place') || exit 1
same '../a place/bin/capsule' bin/capsule
rm -f out err
Samples/demo.sh bin/capsule > ../out 2> ../err || fail 'the tour does not run'
grep -q '^Gifs-after.xcappdata: changed: ' ../out || fail 'the tour does not end'
