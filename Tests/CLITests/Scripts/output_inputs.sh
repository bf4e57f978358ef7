# No output takes the place of what is read, whichever verb and flag names it, whatever it is called, with --force or without.
. "$LIB"
cp -R "$SAMPLES/Gifs-before.xcappdata" a.xcappdata
cp -R "$SAMPLES/Gifs-after.xcappdata" b.xcappdata
mkdir t d
echo 1 > t/h
ok "$CAPSULE" pack -q t -o d/c.capsule
echo 2 > t/h
ok "$CAPSULE" pack -q t --append -o d/c.capsule
echo precious > d/p
ln -s d/c.capsule link
ln -s d linked
mkdir d/inner
plist() { printf '<plist version="1.0"><dict><key>%s</key><integer>%s</integer></dict></plist>' "$1" "$2"; }
plist a 1 > o.plist
plist a 2 > n.plist
plist a 3 > m.plist

# nothing_changes: all that is there but the files of the expectations themselves.
state() {
    find . ! -path ./out ! -path ./err ! -path './state.*' \( -type f -exec cksum {} + -o -type l -exec ls -l {} + -o -print \) | sort
}
state > state.before
# refused NAMES COMMAND...: 64, both paths in the message, and nothing changed.
refused() {
    names=$1
    shift
    status 64 "$@"
    for name in $names; do says err "$name"; done
    state > state.after
    cmp -s state.before state.after || { diff state.before state.after | head; fail "changed something: $*"; }
}

# The input itself, by its name, a link, a way round, and as a version of a file.
refused 'd/c.capsule' "$CAPSULE" pack d/c.capsule -f -o d/c.capsule
refused 'link d/c.capsule' "$CAPSULE" pack d/c.capsule@1 -f -o link
refused 'd/inner/../c.capsule link' "$CAPSULE" pack link -f -o d/inner/../c.capsule
refused 'd/c.capsule' "$CAPSULE" unpack d/c.capsule --as tar.gz -f -o d/c.capsule
refused 'd/c.capsule' "$CAPSULE" unpack d/c.capsule@1 -f --as zip -o linked/c.capsule
refused 'a.xcappdata' "$CAPSULE" unpack a.xcappdata -f
refused 'a.xcappdata' "$CAPSULE" unpack a.xcappdata -f -o a.xcappdata
refused 'd/c.capsule' "$CAPSULE" compact d/c.capsule --keep 1 -o d/c.capsule
refused 'n.plist' "$CAPSULE" merge o.plist n.plist m.plist -o n.plist --force
refused 'm.plist' "$CAPSULE" merge o.plist n.plist m.plist -o x.plist --conflicts m.plist --force
refused 'n.plist' "$CAPSULE" plist convert json n.plist -o n.plist --force
refused 'n.plist' "$CAPSULE" plist set n.plist /a --integer 9 -o ./n.plist --force
refused 'n.plist' "$CAPSULE" apply m.plist n.plist -o n.plist --force
refused 'm.plist' "$CAPSULE" apply m.plist n.plist --undo m.plist --force
refused 'm.plist' "$CAPSULE" overlay compose m.plist n.plist -o m.plist -f
refused 'm.plist' "$CAPSULE" overlay invert m.plist -o m.plist -f
for flag in --overlay --html --learn --expect-write; do
    refused 'd/c.capsule' "$CAPSULE" diff d/c.capsule@1 d/c.capsule@2 $flag d/c.capsule --force
    refused 'n.plist' "$CAPSULE" diff o.plist n.plist $flag n.plist --force
done
refused 'n.plist' "$CAPSULE" diff o.plist m.plist --expect n.plist --junit n.plist --force
refused 'd/c.capsule' "$CAPSULE" restore d/c.capsule t --undo d/c.capsule --different-app

# What holds an input.
refused 'd d/c.capsule' "$CAPSULE" unpack d/c.capsule -f -o d
refused "$PWD/d d/c.capsule" "$CAPSULE" unpack d/c.capsule -f -o "$PWD/d"
refused 'linked link' "$CAPSULE" unpack link -f -o linked
refused '../d c.capsule' sh -c 'cd d && exec "$0" unpack c.capsule -f -o ../d' "$CAPSULE"
refused 'd d/c.capsule' "$CAPSULE" merge d/c.capsule@1 t b.xcappdata -o d -f

# A place inside what is read.
refused 'a.xcappdata/AppData/x a.xcappdata' "$CAPSULE" unpack a.xcappdata Documents -o a.xcappdata/AppData/x
refused 'a.xcappdata' "$CAPSULE" unpack a.xcappdata Documents -C a.xcappdata/new/deeper
refused 'd/inner/x.capsule d' "$CAPSULE" pack d -o d/inner/x.capsule
refused 'd/x.capsule d' "$CAPSULE" pack t -o d/x.capsule --group g=d
refused 'linked/r.html d' "$CAPSULE" diff d t --html linked/r.html
refused 't/back t' "$CAPSULE" restore d/c.capsule t --undo t/back

# Standard input that comes from a file is that file.
refused 'd/c.capsule' sh -c '"$0" pack - -f -o d/c.capsule < d/c.capsule' "$CAPSULE"
refused 'd/c.capsule' sh -c '"$0" merge - t t -f -o d/c.capsule < d/c.capsule' "$CAPSULE"
refused 'd d/c.capsule' sh -c '"$0" unpack - -f -o d < d/c.capsule' "$CAPSULE"
refused 'd/c.capsule' sh -c '"$0" restore - d --different-app < d/c.capsule' "$CAPSULE"
refused 'm.plist' sh -c '"$0" overlay invert - -o m.plist -f < m.plist' "$CAPSULE"
refused 'm.plist' sh -c '"$0" apply - n.plist -o m.plist -f < m.plist' "$CAPSULE"
refused 'm.plist' sh -c '"$0" apply - n.plist --undo m.plist -f < m.plist' "$CAPSULE"
refused 'm.plist' sh -c '"$0" plist convert json - -f -o m.plist < m.plist' "$CAPSULE"
refused 'm.plist' sh -c '"$0" diff a.xcappdata b.xcappdata --rules - --learn m.plist -f < m.plist' "$CAPSULE"
mkdir t/t
cp d/c.capsule t/t
state > state.before
refused 't/t/c.capsule' sh -c 'cd t && exec "$0" unpack - -f < t/c.capsule' "$CAPSULE"
rm -r t/t
state > state.before

# The name of a part is no input's either, nor a place in a container.
mkdir -p w/t-part
cp d/c.capsule w/t-part
cp d/c.capsule w/t-part.zip
ln -s t-part w/t
ln -s t-part.zip w/t.zip
state > state.before
refused 't-part' sh -c 'cd w && exec "$0" unpack t-part/c.capsule h -f' "$CAPSULE"
refused 't-part.zip' sh -c 'cd w && exec "$0" unpack t-part.zip h --as zip -f' "$CAPSULE"
refused 'a.xcappdata' "$CAPSULE" unpack a.xcappdata Documents -C new/../a.xcappdata
refused 'a.xcappdata' "$CAPSULE" unpack a.xcappdata Documents --as zip -C new/../a.xcappdata/AppData/Documents

# An app whose property lists the overlays change.
mkdir -p app/t/App.app
cp n.plist app/t/App.app/Info.plist
cp n.plist app/t/Info.plist
ok "$CAPSULE" pack -q t --overlay AppBundle:Info.plist=m.plist -o app/o.capsule
state > state.before
refused 't' sh -c 'cd app && exec "$0" unpack o.capsule --overlays --app t/App.app -f' "$CAPSULE"
refused 't' sh -c 'cd app && exec "$0" unpack o.capsule --overlays --app t -f --as directory' "$CAPSULE"
refused 't' sh -c 'cd app/t && exec "$0" unpack ../o.capsule --overlays --app . --as zip' "$CAPSULE"

# An overlay that would delete or replace itself.
mkdir u v
echo 1 > u/h
echo 1 > v/h
echo 1 > u/k
status 1 "$CAPSULE" diff -q u v --overlay del.capsule
cp del.capsule u/k
state > state.before
refused 'u/k' "$CAPSULE" apply u/k u --force
refused 'u/k' sh -c '"$0" apply - u --force < u/k' "$CAPSULE"

# Two outputs in one place.
for two in '--html - --learn -' '--html - --overlay -' '--learn - --expect-write -'; do
    # shellcheck disable=SC2086
    refused '-' "$CAPSULE" diff u v $two
done
refused 'x' "$CAPSULE" diff a.xcappdata b.xcappdata --html x --learn ./x
refused 'x/todo' "$CAPSULE" merge a.xcappdata b.xcappdata a.xcappdata -o x --conflicts x/todo

# Part of a container beside it: the default name is not the container's.
for form in '' '--as directory' '--as zip'; do
    status 0 "$CAPSULE" unpack a.xcappdata Documents $form -q
done
present a-part.xcappdata/AppData/Documents a-part/Documents a-part.zip
rm -r a-part.xcappdata a-part a-part.zip
status 0 "$CAPSULE" unpack t h -q
present t-part/h
rm -r t-part
mkdir c
mv d/c.capsule c
status 0 "$CAPSULE" unpack -q c/c.capsule h -f
present t-part/h
rm -r t-part
mv c/c.capsule d
rmdir c
ok "$CAPSULE" unpack -q d/c.capsule -f
echo 2 | cmp - t/h || fail 'unpacked something else'
state > state.after
cmp -s state.before state.after || fail 'an input changed'

# What is changed in its place is no input of itself.
ok "$CAPSULE" pack -q d/c.capsule@1 --append -o d/c.capsule
ok "$CAPSULE" compact -q d/c.capsule --keep latest
ok "$CAPSULE" plist set -q n.plist /a --integer 9
ok "$CAPSULE" apply -q m.plist n.plist
