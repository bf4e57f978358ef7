# No output takes the place of what is read where no path can be made whole: below a directory that the user can't search, and deeper
# than any path is long. Relative names work there.
. "$LIB"
needs_linux 'how deep a directory can be and still be reached is its own'
plist() { printf '<plist version="1.0"><dict><key>%s</key><integer>%s</integer></dict></plist>' "$1" "$2"; }
# No program is used that looks for its own path.
state() {
    find . ! -name out ! -name err ! -name 'state.*' | sort
    find . -type f ! -name out ! -name err ! -name 'state.*' -exec cksum {} + | sort
}
# refused NAMES COMMAND...: 64, both paths in the message, and nothing changed.
refused() {
    names=$1
    shift
    status 64 "$@"
    for name in $names; do says err "$name"; done
    state > state.after
    cmp -s state.before state.after || { diff state.before state.after | head; fail "changed something: $*"; }
}

# nothing_is_lost CLOSE...: runs CLOSE once its files are there; `there COMMAND...` runs a command as whoever is to meet that.
nothing_is_lost() {
    mkdir a i
    echo 1 > a/h
    ok "$CAPSULE" pack -q a -o i/c.capsule
    echo 2 > a/h
    ok "$CAPSULE" pack -q a --append -o i/c.capsule
    echo keep > i/other
    plist a 1 > i/p.plist
    ln -s i/c.capsule link.capsule
    ln -s i/p.plist link.plist
    "$@"
    state > state.before
    refused 'i i/c.capsule' there "$CAPSULE" unpack i/c.capsule -f -o i
    refused 'i i/c.capsule' there "$CAPSULE" merge i/c.capsule@1 i/c.capsule@1 a -o i -f
    refused 'i/x.capsule i' there "$CAPSULE" pack i -o i/x.capsule
    refused 'i/r.html i' there "$CAPSULE" diff -q i a --html i/r.html
    refused 'new/r.html .' there "$CAPSULE" diff -q . a --html new/r.html
    refused 'link.plist i/p.plist' there "$CAPSULE" plist convert json i/p.plist -f -o link.plist
    refused 'x' there "$CAPSULE" diff a i --html new/x --learn ./new//x
    refused '.' there "$CAPSULE" pack .
    status 2 there "$CAPSULE" restore -q i/c.capsule@1 a
    says err 'a: cannot find its full path'
    says err 'hint: '
    state > state.after
    cmp -s state.before state.after || fail 'restored'
    # What harms nothing works, and a link stays one.
    ok there "$CAPSULE" pack -q a -o x.capsule
    ok there "$CAPSULE" unpack -q i/c.capsule@1 -f -o a
    echo 1 | cmp - a/h || fail 'unpacked something else'
    ok there "$CAPSULE" plist set -q link.plist /a --integer 8
    says i/p.plist '<integer>8</integer>'
    ok there "$CAPSULE" pack -q a --append -o link.capsule
    ok there "$CAPSULE" compact -q link.capsule --keep 3
    for link in link.plist link.capsule; do [ -L $link ] || fail "$link is no link any more"; done
    ok "$CAPSULE" log i/c.capsule --json
    says_not out '"version":2'
}
mkdir deep
(
    there() { "$@"; }
    cd deep
    name=$(printf '%0200d' 0)
    for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do mkdir $name && cd -P ./$name; done
    nothing_is_lost true
)
rm -rf deep
if [ "$(id -u)" = 0 ]; then
    mkdir -p shut/w
    (
        there() { nobody "$@"; }
        cd shut/w
        close() { chown -R 65534:65534 . && chmod 700 ..; }
        nothing_is_lost close
    )
else
    untested 'a directory that the user cannot search takes the superuser'
fi
