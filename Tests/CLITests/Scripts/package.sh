# Packaging/make_deb with the program that the other tests have: what is in the package, where, and whose it is.
. "$LIB"
needs_linux 'a package for Debian is made on Linux'
need make gzip readelf strip dpkg-deb dpkg-shlibdeps
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS
version=$("$CAPSULE" --version | sed 's/^capsule //')
SOURCE_DATE_EPOCH=1700000000 MAINTAINER='Ann Other <ann@example.com>'
export SOURCE_DATE_EPOCH MAINTAINER

# How small it is makes no difference here.
mkdir bin
cat > bin/dpkg-deb << TEXT
#!/bin/sh
for word; do
    shift
    [ "\$word" != -Zxz ] || word=-Znone
    set -- "\$@" "\$word"
done
exec '$(command -v dpkg-deb)' "\$@"
TEXT
chmod +x bin/dpkg-deb
make_deb() { PATH=$PWD/bin:$PATH "$root/Packaging/make_deb" "$@"; }
home=https://example.com/capsule-appdata
status 0 make_deb "$CAPSULE" deb "$home"
[ ! -s err ] || fail 'not silent'
package=$(cat out)
[ "$package" = "deb/capsule-appdata_${version}_$(dpkg --print-architecture).deb" ] || fail 'another name'
(umask 077 && make_deb "$CAPSULE" other "$home" > out 2> err) || fail 'no second package'
same "$package" "$(cat out)"
only deb "$(basename "$package")"

dpkg-deb --contents "$package" > listed
[ "$(awk '{ print $2, $4, $5 }' listed | sort -u)" = 'root/root 2023-11-14 22:13' ] || fail 'other owners or times'
[ "$(cut -c 1-10 listed | sort -u | tr '\n' ' ')" = '-rw-r--r-- -rwxr-xr-x drwxr-xr-x ' ] || fail 'other modes'
dpkg-deb --field "$package" > control
says control '^Package: capsule-appdata$'
says control "^Version: $version$"
says control '^Maintainer: Ann Other <ann@example.com>$'
says control "^Homepage: $home$"
says control '^Depends: .*libarchive13.*libc6 (>= .*zlib1g'
says control '^Description: save, restore, diff and merge the data of iOS apps$'

# Files where Debian has them; otherwise those that `make install` has.
dpkg-deb --extract "$package" found
make -s -C "$root" install-files CAPSULE="$CAPSULE" DESTDIR="$PWD/stage" PREFIX=/usr
{
    (cd stage && find . -type f) | sed -e 's|^\(.*/man/.*\)|\1.gz|' -e 's|/site-functions/|/vendor-completions/|'
    for name in changelog.gz copyright; do echo "./usr/share/doc/capsule-appdata/$name"; done
} | sort > wanted.files
(cd found && find . -type f | sort) > found.files
same found.files wanted.files
gzip -dc found/usr/share/man/man1/capsule.1.gz > page
same page "$root/man/capsule.1"
says found/usr/share/doc/capsule-appdata/copyright "^Source: $home$"
gzip -dc found/usr/share/doc/capsule-appdata/changelog.gz > changelog
says changelog "^capsule-appdata ($version) "
says changelog '^ -- Ann Other <ann@example.com>  Tue, 14 Nov 2023 22:13:20 +0000$'
dpkg-deb --control "$package" sums
(cd found && md5sum --quiet -c ../sums/md5sums && [ "$(find . -type f | wc -l)" = "$(wc -l < ../sums/md5sums)" ]) || fail 'other digests'
says control '^Depends: .*libcurl4'
[ "$(found/usr/bin/capsule --version)" = "capsule $version" ] || fail 'another program'

# A program with everything linked in belongs into the tarball.
printf '#!/bin/sh\n' > static
chmod +x static
status 1 make_deb static none "$home"
says err '^make_deb: the program uses no libraries of the system'
status 1 make_deb nothing none "$home"
says err '^make_deb: nothing is not a program'
status 64 make_deb "$CAPSULE" none
absent none
