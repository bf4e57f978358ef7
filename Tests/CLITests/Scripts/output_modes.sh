# Who may read what is written: undo and conflicts are their owner's, a capsule is no wider open than the container.
. "$LIB"
mode() { found=$(modes_of "$2"); [ "$found" = "$1" ] || fail "$2 is $found, not $1: $3"; }
mkdir open closed
echo 1 > open/h
echo token > closed/h
chmod 755 open
chmod 700 closed
ok "$CAPSULE" pack -q open -o o.capsule
mode 644 o.capsule pack
ok "$CAPSULE" pack -q closed -o c.capsule
mode 600 c.capsule pack
chmod 750 closed
ok "$CAPSULE" pack -q closed -o g.capsule
mode 640 g.capsule 'group alone'
chmod 700 closed
(umask 077 && "$CAPSULE" pack -q open -o u.capsule) && mode 600 u.capsule umask
(umask 002 && chmod 775 open && "$CAPSULE" pack -q open -o w.capsule && chmod 755 open) && mode 664 w.capsule umask
# An app group that is closed closes the capsule, as does a version that is appended.
cp -R "$SAMPLES/Gifs-before.xcappdata" b.xcappdata
chmod 755 b.xcappdata b.xcappdata/AppData
ok "$CAPSULE" pack -q b.xcappdata -o bundle.capsule
mode 644 bundle.capsule bundle
ok "$CAPSULE" pack -q b.xcappdata -o groups.capsule --group g=closed
mode 600 groups.capsule groups
ok "$CAPSULE" pack -q closed --append -o o.capsule
mode 600 o.capsule append
# What an append does not close stays as it is, and nothing is opened wider.
chmod 604 g.capsule
ok "$CAPSULE" pack -q open --append -o g.capsule
mode 604 g.capsule 'append of what is open'
# The same where it comes from an archive or a capsule, or goes into an archive.
tar czf closed.tgz closed
ok "$CAPSULE" pack -q closed.tgz -o t.capsule
mode 600 t.capsule 'pack of an archive'
ok "$CAPSULE" pack -q c.capsule -o cc.capsule
mode 600 cc.capsule 'pack of a capsule'
for form in tar.gz tar.zst zip; do
    ok "$CAPSULE" unpack -q c.capsule --as $form -o "x.$form"
    mode 600 "x.$form" export
done
ok "$CAPSULE" unpack -q open --as zip -o open.zip
mode 644 open.zip export
ok "$CAPSULE" merge -q open closed open -o m.capsule
mode 600 m.capsule merge
ok "$CAPSULE" merge -q open open closed -o n.capsule
mode 600 n.capsule 'merge of what is closed'
# A directory that comes of a merge is no wider open than each of the three, whatever the modes are below it.
for three in 'open closed open' 'open open closed' 'closed open open'; do
    # shellcheck disable=SC2086
    ok "$CAPSULE" merge -q $three -f -o m
    mode 700 m "merge $three"
done
ok "$CAPSULE" merge -q c.capsule open open -f -o m
mode 700 m 'merge of a capsule'
ok "$CAPSULE" merge -q open open open -f -o m
mode 755 m 'merge of what is open'
for name in b1 b2; do cp -Rp b.xcappdata $name.xcappdata; done
mkdir -p b1.xcappdata/AppData b1.xcappdata/AppGroups/g b2.xcappdata/AppGroups/g
echo token > b2.xcappdata/AppGroups/g/t
chmod 700 b2.xcappdata/AppGroups/g
ok "$CAPSULE" merge -q b1.xcappdata b1.xcappdata b2.xcappdata -o m.xcappdata
mode 755 m.xcappdata 'merge with a closed group'
mode 700 m.xcappdata/AppGroups/g 'merge with a closed group'
ok "$CAPSULE" compact -q c.capsule -o compact.capsule
mode 600 compact.capsule compact
ok "$CAPSULE" diff -q open closed --overlay run.capsule --exit-zero
mode 600 run.capsule 'diff --overlay'
chmod 755 closed
ok "$CAPSULE" diff -q open closed --overlay wide.capsule --exit-zero
mode 644 wide.capsule 'diff --overlay'
chmod 700 closed
ok "$CAPSULE" overlay invert wide.capsule -o invert.capsule
mode 644 invert.capsule invert
ok "$CAPSULE" overlay invert run.capsule -o closed-invert.capsule
mode 600 closed-invert.capsule invert
ok "$CAPSULE" overlay compose invert.capsule run.capsule -o compose.capsule
mode 600 compose.capsule compose

# A capsule or an archive that others can't read makes nothing that they can read, nor does an overlay that is packed.
ok "$CAPSULE" pack -q open -o u.capsule -f
chmod 600 u.capsule
ok "$CAPSULE" pack -q u.capsule -o u2.capsule
mode 600 u2.capsule 'pack of a closed capsule'
"$CAPSULE" pack -q - -o u3.capsule < u.capsule
mode 600 u3.capsule 'pack of a closed capsule on standard input'
ok "$CAPSULE" unpack -q u.capsule --as tar.gz -o u.tgz
mode 600 u.tgz 'export of a closed capsule'
ok "$CAPSULE" pack -q u.tgz -o u4.capsule
mode 600 u4.capsule 'pack of a closed archive'
ok "$CAPSULE" merge -q u.capsule@1 u.capsule u.capsule -o u5.capsule
mode 600 u5.capsule 'merge of closed capsules'
ok "$CAPSULE" diff -q u.capsule closed --overlay u6.capsule --exit-zero
mode 600 u6.capsule 'diff --overlay of a closed capsule'
printf '<plist version="1.0"><dict/></plist>' > open/p
printf '<plist version="1.0"><dict><key>a</key><string>token</string></dict></plist>' > secret.plist
chmod 600 secret.plist
ok "$CAPSULE" pack -q open --overlay p=secret.plist -o u7.capsule
mode 600 u7.capsule 'pack --overlay of a closed file'
ok "$CAPSULE" pack -q open -o u8.capsule
ok "$CAPSULE" pack -q open --append --overlay p=secret.plist -o u8.capsule
mode 600 u8.capsule 'append with a closed overlay'
rm open/p

# Undo and conflicts hold values: they are the owner's alone. Reports and rules are as the umask has them.
ok "$CAPSULE" restore -q c.capsule open --undo back.capsule
mode 600 back.capsule 'restore --undo'
echo '{"a":1}' > a.json
echo '{"a":2}' > b.json
echo '{"a":3}' > d.json
cp a.json changed.json
ok "$CAPSULE" apply -q b.json changed.json --undo back.plist
mode 600 back.plist 'apply --undo'
for name in todo.plist todo.json; do
    status 1 "$CAPSULE" merge a.json b.json d.json -o none --conflicts $name
    mode 600 $name conflicts
done
# What is made of a file that others can't read, they can't read either; nor what came through a pipe and may be secret.
for name in p q; do
    plist_of() { printf '<plist version="1.0"><dict><key>a</key><string>%s</string></dict></plist>' "$1"; }
    plist_of $name > $name.plist
    chmod 600 $name.plist
done
ok "$CAPSULE" diff -q p.plist q.plist --overlay pq.plist --exit-zero
mode 600 pq.plist 'diff --overlay'
ok "$CAPSULE" plist convert json p.plist -o p.json
mode 600 p.json 'plist convert'
ok "$CAPSULE" plist set -q p.plist /a --string r -o r.plist
mode 600 r.plist 'plist set -o'
ok "$CAPSULE" apply -q pq.plist p.plist -o s.plist
mode 600 s.plist 'apply -o'
plist_of p > open.plist
ok "$CAPSULE" apply -q pq.plist open.plist -o s2.plist
mode 600 s2.plist 'apply -o of a closed overlay'
chmod 644 pq.plist
ok "$CAPSULE" apply -q pq.plist open.plist -o s3.plist
mode 644 s3.plist 'apply -o'
chmod 600 pq.plist
"$CAPSULE" plist convert xml - -o t.plist < p.plist
mode 600 t.plist 'plist convert of a redirected file'
"$CAPSULE" overlay invert - -o i.plist < pq.plist
mode 600 i.plist 'overlay invert of a redirected file'
cat pq.plist | "$CAPSULE" overlay invert - -o j.plist
mode 600 j.plist 'overlay invert of a pipe'
chmod 644 p.plist
# A merge is as closed as the most closed of the three, and as ours.
plist_of base > base.plist
ok "$CAPSULE" merge -q base.plist base.plist q.plist -o merged.plist
mode 600 merged.plist 'merge of a closed side'
chmod 600 p.plist
"$CAPSULE" merge -q base.plist - base.plist -o stream.plist < p.plist
mode 600 stream.plist 'merge of a closed side on standard input'
chmod 644 p.plist
ok "$CAPSULE" plist convert json p.plist -o open.json
mode 644 open.json 'plist convert'

echo 3 > open/h
ok "$CAPSULE" diff -q open closed --html r.html --learn rules.plist --expect-write expect.plist --exit-zero
for name in r.html rules.plist expect.plist; do mode 644 $name diff; done

# A name that ends in .json makes JSON, which the flags that read it take.
ok "$CAPSULE" diff -q open closed --learn rules.json --expect-write expect.json --exit-zero
for name in rules.json expect.json; do python3 -m json.tool $name > out || fail "$name is not JSON"; done
ok "$CAPSULE" diff -q open closed --rules rules.json
ok "$CAPSULE" diff -q open closed --expect expect.json
says rules.plist '<?xml'

# An overlay, too: what JSON can't hold is refused before anything is written or changed.
json() { python3 -m json.tool "$1" > out || fail "$1 is not JSON"; }
ok "$CAPSULE" diff -q base.plist q.plist --overlay o.json --exit-zero
ok "$CAPSULE" diff -q base.plist q.plist --overlay plain.json --plain --exit-zero
ok "$CAPSULE" overlay invert o.json -o i.json
ok "$CAPSULE" overlay compose o.json i.json -o c.json
cp base.plist work.plist
ok "$CAPSULE" apply -q o.json work.plist --undo u.json
for name in o plain i c u; do json $name.json; done
says work.plist '<string>q</string>'
ok "$CAPSULE" apply -q u.json work.plist
ok "$CAPSULE" diff -q base.plist work.plist
# Read as a merge patch it would replace the array.
array() { printf '<plist version="1.0"><dict><key>CFBundleURLTypes</key><array>%s</array></dict></plist>' "$1"; }
array '<dict><key>CFBundleURLName</key><string>a</string></dict>' > Info.plist
array '<dict><key>CFBundleURLName</key><string>a</string></dict><dict><key>CFBundleURLName</key><string>b</string></dict>' > new.plist
ok "$CAPSULE" diff -q Info.plist new.plist --overlay plain2.json --plain --exit-zero
json plain2.json
ok "$CAPSULE" apply -q plain2.json Info.plist
ok "$CAPSULE" diff -q Info.plist new.plist
printf '<plist version="1.0"><dict><key>a</key><data>AAAA</data></dict></plist>' > data.plist
status 2 "$CAPSULE" diff -q base.plist data.plist --overlay no.json
says err "no.json: can't be JSON: "
says err "hint: a file name without '.json'"
cp data.plist work.plist
status 2 "$CAPSULE" apply -q o.json work.plist --force --undo no.json
absent no.json
same work.plist data.plist
