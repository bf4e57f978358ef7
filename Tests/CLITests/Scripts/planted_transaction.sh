# A transaction that another user may have planted is not followed, by root neither; one that was not begun here is not finished
# by a command that writes nothing.
. "$LIB"
need python3
. "$TOOLS/trees.sh"

# plant TARGET: a journal that takes TARGET/sub/data out of the tree and lets everybody read TARGET/sub/key.
cat > plant.py << 'PY'
import os, sys, types
P = types.ModuleType("P")
source = open(os.environ["TOOLS"] + "/plant_journal.py").read().rsplit("main()", 1)[0]
exec(source, P.__dict__)
target = sys.argv[1]
P.STAGING = target + "/.capsule-transaction/"
os.makedirs(P.STAGING + "new", 0o700, exist_ok=True)
os.makedirs(P.STAGING + "old", 0o700, exist_ok=True)
inode = lambda name: P.inode(target + "/" + name)
P.journal([P.move(inode("sub/data"), P.tree("sub/data"), P.old(0)), P.settle("sub/key", inode("sub/key"), 1, 0o644)],
          [os.path.realpath(target)])
PY
fresh() {
    rm -rf t
    mkdir -p t/sub
    echo secret > t/sub/key
    chmod 600 t/sub/key
    echo precious > t/sub/data
}

# Flags that write nothing finish nothing: the target is refused as verbs that read refuse it.
fresh
cp -a t v
ok "$CAPSULE" pack -q v -o v.capsule
status 1 "$CAPSULE" diff -q v.capsule t/sub --overlay to.capsule
python3 plant.py t
snapshot t before
for flag in --dry-run --check; do
    status 2 "$CAPSULE" restore v.capsule t $flag
    says err 't: a transaction is in progress or unfinished'
    says err "hint: 'capsule recover t'"
    status 2 "$CAPSULE" apply to.capsule t $flag
    says err 'in progress or unfinished'
done
snapshot t after
same before after
ok "$CAPSULE" recover t
says out '^finished: t '
absent t/sub/data t/.capsule-transaction

# refused OWNER-OR-WRITERS PLACE: no verb follows what is in `t`, nor deletes anything of it.
refused() {
    snapshot t before
    for command in 'recover t' 'restore v.capsule t' 'restore v.capsule t --keep sub' 'apply to.capsule t'; do
        # shellcheck disable=SC2086
        status 2 "$CAPSULE" $command
        says err "^capsule: error: $2: $1.*not trusted; nothing was changed"
        says err "hint: .*'capsule recover t'"
    done
    snapshot t after
    same before after
}
# Whoever may write to the directory can have put one of this user's directories there, under that name.
[ "$(id -un)" != nobody ] || exit 0
for mode in 777 757 773; do
    fresh
    python3 plant.py t
    chmod $mode t
    refused 'is writable by other users' t
done
fresh
python3 plant.py t
chmod 770 t/.capsule-transaction
refused 'is writable by other users' t/.capsule-transaction
chmod 700 t/.capsule-transaction
chmod 722 t/.capsule-transaction/old
refused 'is writable by other users' t/.capsule-transaction/old
chmod 700 t/.capsule-transaction/old
chmod 662 t/.capsule-transaction/journal
refused 'is writable by other users' t/.capsule-transaction/journal
chmod 644 t/.capsule-transaction/journal
ok "$CAPSULE" recover t
# In a sticky directory others can't touch what is this user's.
fresh
python3 plant.py t
chmod 1777 t
ok "$CAPSULE" recover t
says out '^finished: t '

# Everything else takes two users.
[ "$(id -u)" = 0 ] || skip 'needs root'
chmod o+x .. .
chmod o+r plant.py
nobody "$CAPSULE" --version > out 2>&1 && nobody test -r plant.py -a -r "$TOOLS/plant_journal.py" || {
    untested 'with two users: no other user can run the program'
    exit 0
}
export XDG_CACHE_HOME="$PWD/nowhere"
# What another user plants in a sticky directory, or in one of their group's.
for mode in 1777 777 2775; do
    fresh
    chgrp 65534 t
    chmod $mode t
    nobody python3 plant.py t
    refused 'belongs to nobody' t/.capsule-transaction
    says err "as nobody$"
    # An empty one isn't deleted either.
    rm -r t/.capsule-transaction
    nobody mkdir t/.capsule-transaction
    refused 'belongs to nobody' t/.capsule-transaction
done
# Files of another user's in a staging of this one's.
for name in journal done leader; do
    fresh
    python3 plant.py t
    [ $name = journal ] || mv t/.capsule-transaction/journal t/.capsule-transaction/$name
    chown 65534 t/.capsule-transaction/$name
    refused 'belongs to nobody' t/.capsule-transaction/$name
done
# Root follows nothing in another user's directory, and that user nothing of root's; each recovers their own.
fresh
python3 plant.py t
chown 65534:65534 t
refused 'belongs to nobody' t
status 2 nobody "$CAPSULE" recover t
says err 't/.capsule-transaction: belongs to root'
chown -R 65534:65534 t
refused 'belongs to nobody' t/.capsule-transaction
ok nobody "$CAPSULE" recover t
says out '^finished: t '
# A group that nobody else is in is nobody else: a container made under umask 002 is recovered as any other.
chown -R 0:0 t
echo again > t/sub/data
python3 plant.py t
chmod -R g+w t
chmod -R g-w t/.capsule-transaction
ok "$CAPSULE" recover t
says out '^finished: t '
# A directory that others may write to can be restored all the same: nothing that was there is followed.
for mode in 1777 777 2775; do
    fresh
    chgrp 65534 t
    chmod $mode t
    rm t/sub/data
    ok "$CAPSULE" restore v.capsule t/ -q --different-app --undo back.capsule
    [ "$(cat t/sub/data)" = precious ] || fail 'not restored'
    rm back.capsule
done
