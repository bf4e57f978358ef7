# A file that the system lets nobody change: restore says what to do, and leaves the tree as it was. Needs root and chattr on
# Linux, and a Mac's chflags elsewhere; Tests/mac/check.sh has the same check for a Mac.
. "$LIB"
if [ "$(uname -s)" = Darwin ]; then
    lock() { chflags uchg "$@"; }
    unlock() { chflags nouchg "$@"; }
    advice='chflags nouchg'
else
    command -v chattr > /dev/null || skip 'chattr is not installed'
    # Files in memory take no such flag on older kernels.
    lock() { chattr +i "$@" 2> /dev/null; }
    unlock() { chattr -i "$@"; }
    advice='chattr -i'
fi
mkdir t
echo before > t/locked
echo before > t/other
ok "$CAPSULE" pack -q t -o t.capsule
echo after > t/locked
echo after > t/other
lock t/locked || skip 'no file can be locked here'
trap 'unlock t/locked t 2> /dev/null || :' EXIT
if echo more 2> /dev/null >> t/locked; then skip 'a lock does not hold here'; fi
status 2 "$CAPSULE" restore t.capsule t
says err '^capsule: error: .*t/locked: cannot .*: operation not permitted'
says err "^capsule: hint: .*$advice"
[ "$(cat t/locked t/other)" = 'after
after' ] || fail 'the tree is not as it was'
absent t/.capsule-transaction
unlock t/locked
# In a directory that is locked no file can be made.
lock t
status 2 "$CAPSULE" restore t.capsule t
says err "^capsule: hint: .*$advice"
status 2 "$CAPSULE" pack -q t.capsule -o t/new.capsule
says err "^capsule: hint: .*$advice"
unlock t
ok "$CAPSULE" restore t.capsule t
[ "$(cat t/locked t/other)" = 'before
before' ] || fail 'not restored'
