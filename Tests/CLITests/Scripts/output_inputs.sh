# No output takes the place of standard input that comes from a file.
. "$LIB"
mkdir t d
cp -R "$SAMPLES/Gifs-before.xcappdata" a.xcappdata
cp -R "$SAMPLES/Gifs-after.xcappdata" b.xcappdata
echo 1 > t/h
ok "$CAPSULE" pack -q t -o d/c.capsule
plist() { printf '<plist version="1.0"><dict><key>a</key><integer>%s</integer></dict></plist>' "$1"; }
plist 2 > n.plist
plist 3 > m.plist
mkdir t/t u v
cp d/c.capsule t/t
echo 1 | tee u/h v/h > u/k
status 1 "$CAPSULE" diff -q u v --overlay del.capsule
cp del.capsule u/k

state() { find . ! -path ./out ! -path ./err ! -path './state.*' \( -type f -exec cksum {} + -o -print \) | sort; }
state > state.before
# refused NAMES INPUT COMMAND...: 64, both paths in the message, and nothing changed.
refused() {
    names=$1
    input=$2
    shift 2
    status 64 "$CAPSULE" "$@" < "$input"
    for name in $names; do says err "$name"; done
    state > state.after
    cmp -s state.before state.after || { diff state.before state.after | head; fail "changed something: $*"; }
}
refused 'd/c.capsule' d/c.capsule pack - -f -o d/c.capsule
refused 'd/c.capsule' d/c.capsule merge - t t -f -o d/c.capsule
refused 'd d/c.capsule' d/c.capsule unpack - -f -o d
refused 'd/c.capsule' d/c.capsule restore - d --different-app
refused 'm.plist' m.plist overlay invert - -o m.plist -f
refused 'm.plist' m.plist apply - n.plist -o m.plist -f
refused 'm.plist' m.plist apply - n.plist --undo m.plist -f
refused 'm.plist' m.plist plist convert json - -f -o m.plist
refused 'm.plist' m.plist diff a.xcappdata b.xcappdata --rules - --learn m.plist -f
refused 'u/k' u/k apply - u --force
found=0
(cd t && "$CAPSULE" unpack - -f < t/c.capsule) > out 2> err || found=$?
[ $found = 64 ] || fail "status $found"
says err 't/t/c.capsule'
