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
    XDG_CACHE_HOME=$PWD/looked "$CAPSULE" restore -q v.capsule b $flag > out 2> err || [ $? = 1 ] || fail "$flag"
    [ ! "$(ls -A looked)" ] || fail "$flag writes a cache"
done

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
