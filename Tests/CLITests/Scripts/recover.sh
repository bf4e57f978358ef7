# Recover deletes what was never begun, finishes nothing that it does not know, and says what it did.
. "$LIB"
mkdir -p t/d x.xcappdata/AppData/Library x.xcappdata/AppGroups/group.a
echo a > t/d/a
touch -d '2023-11-14T22:13:20Z' t

# Nothing to do, and nothing done.
ok "$CAPSULE" recover t
says out '^t: nothing to recover$'
ok "$CAPSULE" recover --json t
says out '^{"schema":"capsule.recover","version":1,"target":"t","recovered":\[\],"leftovers":\[\]}$'
ok "$CAPSULE" recover --quiet t
[ ! -s out ] || fail 'not quiet'

# What was made for a transaction that never began goes.
mkdir -p t/.capsule-transaction/new t/.capsule-transaction/old
echo new > t/.capsule-transaction/new/0
touch -d '2023-11-14T22:13:20Z' t
ok "$CAPSULE" recover t
says out '^rolled back: t is in its old state$'
absent t/.capsule-transaction
[ "$(find t -maxdepth 0 -newermt '2023-11-14T22:13:21Z')" = '' ] || fail 'the directory has another time'
mkdir -p t/.capsule-transaction/new
ok "$CAPSULE" recover t --json
says out '"recovered":\[{"path":"t","outcome":"rolledBack"}\],"leftovers":\[\]}$'

# Wherever in a bundle it is.
mkdir -p x.xcappdata/AppData/.capsule-transaction/new x.xcappdata/AppGroups/group.a/.capsule-transaction/old
ok "$CAPSULE" recover x.xcappdata
says out '^rolled back: x.xcappdata/AppData is in its old state$'
says out '^rolled back: x.xcappdata/AppGroups/group.a is in its old state$'
ok "$CAPSULE" recover x.xcappdata
says out '^x.xcappdata: nothing to recover$'

# What nobody knows is left as it is.
mkdir -p t/.capsule-transaction/old
echo precious > t/.capsule-transaction/old/0
status 2 "$CAPSULE" recover t
says err 'no journal to restore them'
[ "$(cat t/.capsule-transaction/old/0)" = precious ] || fail 'what was kept is gone'
rm t/.capsule-transaction/old/0
echo CAPSTXN1 > t/.capsule-transaction/journal
status 2 "$CAPSULE" recover t
says err 'is damaged or not a transaction.s file; nothing was changed'
rm -r t/.capsule-transaction
ln -s / t/.capsule-transaction
status 2 "$CAPSULE" recover t

status 2 "$CAPSULE" recover missing
ok "$CAPSULE" recover t/d/a
says out '^t/d/a: nothing to recover$'
status 64 "$CAPSULE" recover
status 64 "$CAPSULE" recover -

# While something is unfinished nobody reads a tree that may be neither the old nor the new one.
rm -rf t
mkdir -p t/.capsule-transaction
echo a > t/a
ok "$CAPSULE" ls t
: > t/.capsule-transaction/journal
for command in 'ls t' 'info t' 'pack t -o t.capsule' 'diff t x.xcappdata' 'cat t a'; do
    # Words are meant to be split.
    # shellcheck disable=SC2086
    status 2 "$CAPSULE" $command
    says err 't: a transaction is in progress or unfinished'
    says err "hint: 'capsule recover t'"
done
absent t.capsule
