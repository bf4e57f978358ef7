# 'make install' and 'make uninstall', and the tarball of 'make dist', with the program that the other tests have.
. "$LIB"
need make git tar gzip python3
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS
install_in() { status 0 make -s -C "$root" install CAPSULE="$CAPSULE" DESTDIR="$PWD/stage" "$@"; }

install_in PREFIX=/opt/capsule
says out "^Installed $PWD/stage/opt/capsule/bin/capsule$"
same stage/opt/capsule/bin/capsule "$CAPSULE"
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
[ "$(find stage -type f -perm -0111)" = stage/opt/capsule/bin/capsule ] || fail 'something else can be run'

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

[ "$(uname -s)" = Linux ] || exit 0
need objdump readelf strip
# A program that was built for this machine alone is refused, with every reason, and nothing is made.
status 1 "$root/Packaging/make_dist" "$CAPSULE" dist
! objdump -p "$CAPSULE" | grep -q libswiftCore.so || says err 'no known Debian 12 package has libswiftCore.so'
says err 'nothing was written'
absent dist
status 64 "$root/Packaging/make_dist" "$CAPSULE"
status 1 "$root/Packaging/make_dist" nothing dist

# How small the tarball is makes no difference here, and the smallest one of a program for debugging takes seconds.
mkdir bin
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
status 0 make_dist --any-libc "$CAPSULE" dist
tarball=$(cat out)
cp "$CAPSULE" copy
(umask 077 && make_dist --any-libc copy other > out 2> err) || fail 'no tarball'
same "$tarball" "$(cat out)"
only dist "$(basename "$tarball")"
tar -tzvf "$tarball" > listed
[ "$(cut -c 2-10 listed | sort -u | tr '\n' ' ')" = 'rw-r--r-- rwxr-xr-x ' ] || fail 'other modes'
[ "$(awk '{ print $2, $4, $5 }' listed | sort -u)" = '0/0 2023-11-14 22:13' ] || fail 'other owners or times'
python3 -c 'import sys, tarfile
names = [tuple(name.encode().split(b"/")) for name in tarfile.open(sys.argv[1]).getnames()]
sys.exit(names != sorted(names))' "$tarball" || fail 'names are not sorted'
# It has all that belongs to it, and its own page tells what it needs.
tar -xzf "$tarball"
cd "$(basename "$tarball" .tar.gz)"
present bin/capsule share/man/man1/capsule.1 share/man/man5/capsule-overlay.5 share/zsh/site-functions/_capsule LICENSE CHANGELOG.md
says README.md '\$ apt-get install libarchive13 libdeflate0 '
says_not README.md '@'
(cd "$root" && git ls-files Samples | grep -v '"') | while read -r name; do present "$name"; done
Samples/demo.sh bin/capsule > ../out 2> ../err || fail 'the tour does not run'
grep -q '^Gifs-after.xcappdata: changed: ' ../out || fail 'the tour does not end'
