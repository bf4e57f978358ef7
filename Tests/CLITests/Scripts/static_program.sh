# The release program in a root directory with nothing but /proc and an empty /tmp: everything is linked into it. It has no fixed address.
. "$LIB"
needs_linux 'other systems have no static programs'
needs unshare
need readelf tar zip xz bzip2 sqlite3 make
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS
program=$root/.build/release/capsule
make -s -q -C "$root" .build/release/capsule || skip "there is no release program that is up to date: run 'make build'"
readelf -lW "$program" > headers
! grep -q INTERP headers || skip 'the release program needs libraries of the system'
says headers '^Elf file type is DYN '
readelf -dW "$program" > headers
says_not headers 'NEEDED\|RUNPATH\|RPATH'

mkdir -p root/proc root/tmp root/c/Documents root/c/Library/Preferences
cp "$program" root/capsule
umlauts=$(printf 'M\303\274ll \303\204.txt')
echo text > "root/c/Documents/$umlauts"
sqlite3 root/c/Documents/a.sqlite 'create table t (id integer primary key, name text); insert into t values (1, "one"), (2, "two")'
cat > root/c/Library/Preferences/p.plist << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>
END
echo '{"a": 2}' > root/o.json
tar -C root/c -cJf root/c.tar.xz .
tar -C root/c -cjf root/c.tar.bz2 .
(cd root/c && zip -q -r ../c.zip .)

# inside STATUS ARGUMENT...: runs the program there, with nothing in its environment but the locale.
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
inside() {
    wanted=$1
    shift
    status "$wanted" unshare $user --mount sh -c \
        'mount --rbind /proc root/proc && exec env -i LC_ALL=C PATH="$PATH:/usr/sbin" chroot root /capsule "$@"' sh "$@"
}
unshare $user --mount mount --rbind /proc root/proc 2> err || skip 'the right to mount is missing'

inside 0 --version -v
says out '^libarchive [0-9]'
inside 0 pack c -o c.capsule --label before
inside 0 ls c.capsule
cp out listed
says listed 'a.sqlite$'
inside 0 ls c.tar.xz
same out listed
inside 0 ls c.tar.bz2
same out listed
inside 0 ls c.zip
same out listed
inside 0 cat c.capsule "Documents/$umlauts"
[ "$(cat out)" = text ] || fail 'other content'
inside 0 cat c.zip "Documents/$umlauts"
[ "$(cat out)" = text ] || fail 'other content'
inside 0 verify --strict c.capsule
inside 0 unpack c.capsule --as directory -o unpacked
same "root/unpacked/Documents/$umlauts" "root/c/Documents/$umlauts"
for archive in c.tar.xz c.tar.bz2 c.zip; do inside 0 diff c.capsule "$archive"; done

sqlite3 root/c/Documents/a.sqlite "update t set name = 'three' where id = 2"
inside 0 apply o.json c/Library/Preferences/p.plist --deep
says root/c/Library/Preferences/p.plist '<integer>2</integer>'
inside 1 diff c.capsule c
says out 'three'
says out 'p.plist'
inside 0 pack --append c -o c.capsule --label after
inside 1 diff c.capsule@before c.capsule@after
says out 'three'
inside 0 restore c.capsule@before c
inside 0 diff c.capsule@before c

# Only addresses need more. capsule-http is there or not, and here it has neither loader nor libcurl.
inside 2 ls http://localhost/c.capsule
says err 'need the program capsule-http, which is not installed beside capsule$'
http=$root/.build/release/capsule-http
if [ -e "$http" ]; then
    cp "$http" root/capsule-http
    inside 2 ls http://localhost/c.capsule
    says err '^capsule: error: /capsule-http: cannot run: no such file or directory$'
    says err '^capsule: hint: it needs libcurl 4'
fi
