# Nothing is overwritten without --force, by any flag of any verb; some things no flag replaces.
. "$LIB"
mkdir a b
echo 1 > a/h
echo 2 > b/h
ok "$CAPSULE" pack -q a -o many.capsule
ok "$CAPSULE" pack -q b --append -o many.capsule
ok "$CAPSULE" pack -q a -o one.capsule
plist() { printf '<plist version="1.0"><dict><key>%s</key><integer>%s</integer></dict></plist>' "$1" "$2"; }
plist a 1 > o.plist
plist a 2 > n.plist
plist a 3 > m.plist
ok "$CAPSULE" diff o.plist n.plist --overlay run.plist -q --exit-zero

# keeps FILE COMMAND...: status 2 with the file's name, and the file as it was.
keeps() {
    file=$1
    shift
    cp "$file" kept
    status 2 "$@"
    says err "$file"
    same "$file" kept
}
# All flags that name an output, of all verbs that have one.
each_output() {
    "$1" "$2" "$CAPSULE" diff a b --overlay "$2" ${3-}
    "$1" "$2" "$CAPSULE" diff a b --learn "$2" ${3-}
    "$1" "$2" "$CAPSULE" diff a b --expect-write "$2" ${3-}
    "$1" "$2" "$CAPSULE" diff a b --html "$2" ${3-}
    "$1" "$2" "$CAPSULE" diff o.plist n.plist --overlay "$2" ${3-}
    "$1" "$2" "$CAPSULE" diff o.plist n.plist --html "$2" ${3-}
    "$1" "$2" "$CAPSULE" merge o.plist n.plist m.plist -o "$2" --prefer ours ${3-}
    "$1" "$2" "$CAPSULE" merge o.plist n.plist m.plist -o none --conflicts "$2" ${3-}
    "$1" "$2" "$CAPSULE" apply run.plist o.plist -o "$2" ${3-}
    "$1" "$2" "$CAPSULE" plist convert xml n.plist -o "$2" ${3-}
    "$1" "$2" "$CAPSULE" plist set n.plist /a --integer 7 -o "$2" ${3-}
    "$1" "$2" "$CAPSULE" overlay compose run.plist -o "$2" ${3-}
    "$1" "$2" "$CAPSULE" overlay invert run.plist -o "$2" ${3-}
    "$1" "$2" "$CAPSULE" unpack one.capsule -o "$2" --as zip ${3-}
}
echo mine > text
each_output keeps text
keeps text "$CAPSULE" pack a -o text
keeps text "$CAPSULE" merge a b a -o text
keeps text "$CAPSULE" apply run.plist o.plist --undo text
keeps text "$CAPSULE" restore one.capsule b --undo text
keeps text "$CAPSULE" diff a b --html new.html --learn text
absent new.html none

# With --force a capsule of several versions still stays.
each_output keeps many.capsule --force
says err "'capsule pack --append' adds a version to it; or choose another name$"
status 2 "$CAPSULE" unpack one.capsule -f -o many.capsule
status 2 "$CAPSULE" apply run.plist o.plist --undo many.capsule --force
present many.capsule
# So do conflicts that somebody decided: in XML and in JSON, with the decision and not with the word alone.
for name in todo.plist todo.json; do
    status 1 "$CAPSULE" merge o.plist n.plist m.plist -o none --conflicts "$name"
    cp "$name" open
    status 2 "$CAPSULE" merge o.plist n.plist m.plist -o none --conflicts "$name"
    status 1 "$CAPSULE" merge o.plist n.plist m.plist -o none --conflicts "$name" --force
    same "$name" open
    "$CAPSULE" plist set -q "$name" /Conflicts/0/Take --string theirs
    each_output keeps "$name" --force
done

# In UTF-16, too.
python3 -c 'import sys
text = open("todo.plist").read().replace("UTF-8", "UTF-16")
open("wide.plist", "w", encoding="utf-16").write(text)'
"$CAPSULE" plist print wide.plist > out || fail 'not a property list'
keeps wide.plist "$CAPSULE" merge o.plist n.plist m.plist -o none --conflicts wide.plist --force
says err 'has resolved conflicts'
# A capsule whose newest version can't be read may have had several.
python3 -c 'data = bytearray(open("many.capsule", "rb").read())
data[-60] ^= 1
open("hurt.capsule", "wb").write(data)'
keeps hurt.capsule "$CAPSULE" diff a b --html hurt.capsule --force
says err 'is a damaged capsule'

# Reports that Capsule wrote may be replaced by reports, and by nothing else.
printf '{"CapsuleExpectation":1,"Other":"allow"}' > expect.json
for pass in 1 2; do
    ok "$CAPSULE" diff a b -q --expect expect.json --html r.html --junit r.xml
done
keeps r.html "$CAPSULE" diff a b --learn r.html
keeps r.xml "$CAPSULE" diff a b --overlay r.xml
# Nobody's report is somebody else's page, nor a link to one.
printf '<!DOCTYPE html>\n<html><head><meta name="generator" content="other">' > page.html
keeps page.html "$CAPSULE" diff a b --html page.html
printf '<?xml version="1.0"?>\n<testsuite name="unit tests" tests="1">' > tests.xml
keeps tests.xml "$CAPSULE" diff a b --expect expect.json --junit tests.xml
# Who quotes a report is none, nor is a list of several suites.
printf '# from <testsuite name="capsule diff" and <meta name="generator" content="capsule 1">\n' > notes.txt
keeps notes.txt "$CAPSULE" diff a b --html notes.txt
printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="capsule diff" tests="1">' > all.xml
keeps all.xml "$CAPSULE" diff a b --expect expect.json --junit all.xml
keeps r.xml "$CAPSULE" diff a b --html r.xml
keeps r.html "$CAPSULE" diff a b --expect expect.json --junit r.html
ln -s r.html l.html
keeps l.html "$CAPSULE" diff a b --html l.html
[ -L l.html ] || fail 'the link is gone'

# With --force the rest goes.
replaces() {
    file=$1
    cp "$file" before
    shift
    "$@" > out 2> err || [ $? = 1 ] || fail "did not replace: $*"
    ! cmp -s before "$file" || fail "left it as it was: $*"
    cp before "$file"
}
each_output replaces text -f
status 64 "$CAPSULE" diff a b --html x --force=all
# A new capsule is no exception: '--force' may have been meant as '--append'.
cp many.capsule again.capsule
keeps again.capsule "$CAPSULE" pack -q a -o again.capsule --force
says err 'is a capsule of 2 versions'
status 2 "$CAPSULE" pack -q a -o again.capsule
says err 'already exists'
says err "^capsule: hint: 'capsule pack --append' adds a version to it; or choose another name$"
status 2 "$CAPSULE" pack -q a -o one.capsule
says err "'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'$"

# A link to a device or to an open file is kept, whatever is asked for: it is the system's.
ln -s /dev/null null
for name in null /dev/stdout /proc/self/fd/1; do
    status 2 "$CAPSULE" diff a b --html "$name" --force
    says err 'is not a regular file, and is never replaced'
    status 2 "$CAPSULE" pack a -o "$name" --force
    says err "'--output -' writes to standard output"
    [ -L "$name" ] || fail "$name is gone"
done

# Man pages.
mkdir man
ok "$CAPSULE" generate man man
ok "$CAPSULE" generate man man
echo mine > man/capsule-pack.1
status 2 "$CAPSULE" generate man man
says err 'man/capsule-pack.1'
echo mine | cmp - man/capsule-pack.1 || fail 'replaced it'
ok "$CAPSULE" generate man man --force
! grep -q mine man/capsule-pack.1 || fail 'left it'
