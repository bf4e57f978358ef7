# The cache is kept where nobody else decides where its path leads, and nothing is deleted there but what is the cache's own.
. "$LIB"
need python3
mkdir a b own
echo 1 > a/h
head -c 300000 /dev/zero > b/h
sleep 3
age() { python3 -c 'import os, sys, time; os.utime(sys.argv[1], (time.time() - 3 * 86400,) * 2)' "$1"; }
use() { XDG_CACHE_HOME=$1 "$CAPSULE" diff -q a b > out 2> err || [ $? = 1 ] || fail "failed with the cache in $1"; }

# One's own, made where it is missing, also through one's own link; what others put there stays.
use "$PWD/own/cache"
present own/cache/capsule
[ "$(ls own/cache/capsule)" ] || fail 'nothing is kept'
ln -s own/cache link
rm own/cache/capsule/*
echo mine > own/cache/capsule/notes.tmp
age own/cache/capsule/notes.tmp
use "$PWD/link"
[ "$(ls own/cache/capsule | grep -c stat)" -gt 0 ] || fail 'nothing is kept behind a link'
present own/cache/capsule/notes.tmp

# Where others can exchange names there is none.
mkdir shared
chmod 777 shared
use "$PWD/shared/cache"
absent shared/cache

# What only looks writes nothing at all.
mkdir looked
ok "$CAPSULE" pack -q b -o v.capsule --no-cache
echo 2 > b/more
for flag in --dry-run --check; do
    XDG_CACHE_HOME=$PWD/looked "$CAPSULE" restore -q v.capsule b --any-directory $flag > out 2> err || [ $? = 1 ] || fail "$flag"
    [ ! "$(ls -A looked)" ] || fail "$flag writes a cache"
done

# A cache in the container that is read or changed is none.
cp -R b inside
XDG_CACHE_HOME=$PWD/inside "$CAPSULE" restore -q v.capsule inside --any-directory > out 2> err || fail 'restore'
absent inside/capsule

# A link that another user planted is not followed.
[ "$(id -u)" = 0 ] || skip 'needs root'
mkdir -p rootown planted
echo important > rootown/notes.tmp
age rootown/notes.tmp
chmod 755 . rootown
ln -s "$PWD/rootown" planted/capsule
chown -h 65534:65534 planted planted/capsule
use "$PWD/planted"
[ "$(ls rootown)" = notes.tmp ] || fail 'a link of another user was followed'
# Nor one in a sticky directory, where anybody may make names.
mkdir sticky
chmod 1777 sticky
ln -s "$PWD/rootown" sticky/cache
chown -h 65534:65534 sticky/cache
use "$PWD/sticky/cache"
[ "$(ls rootown)" = notes.tmp ] || fail 'a link of another user was followed'
use "$PWD/sticky/mine"
present sticky/mine/capsule
# Nor one behind a link of one's own.
ln -s planted/capsule chain
XDG_CACHE_HOME=$PWD/chain "$CAPSULE" diff -q a b > out 2> err || [ $? = 1 ] || fail 'chain'
[ "$(ls rootown)" = notes.tmp ] || fail 'a link of another user was followed'

# git's files behind a link of another user.
need git
mkdir -p home/.config/git
echo mine > rootfile
ln -s "$PWD/rootfile" home/.config/git/attributes
chown -h 65534:65534 home home/.config home/.config/git home/.config/git/attributes
HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1 status 2 "$CAPSULE" git install --global
says err 'attributes: cannot follow a link that another user may have made'
[ "$(cat rootfile)" = mine ] || fail 'written through a link of another user'
absent home/.gitconfig

# What can't be read is not replaced with --force alone.
chmod o+x .. .
mkdir theirs
cp v.capsule theirs/x.capsule
chown -R 65534:65534 theirs
chmod 0 theirs/x.capsule
nobody "$CAPSULE" --version > out 2>&1 || {
    untested 'with two users: no other user can run the program'
    exit 0
}
status 2 nobody "$CAPSULE" unpack a --as zip -o theirs/x.capsule -f
says err "already exists and can't be read"
rm theirs/x.capsule
TMPDIR=$PWD/theirs ok nobody "$CAPSULE" unpack -q a --as zip -o theirs/x.capsule
