# What killed commands leave beside a path: recover names it, and --clean deletes what is proven to be ours and unused.
. "$LIB"
need python3
mkdir -p d/t/sub
echo a > d/t/a
echo b > d/t/sub/b
cd d
CAPSULE_FAULT=kill:1 "$CAPSULE" pack t -o probe.capsule -q 2> /dev/null && skip 'needs a build for debugging'
rm -f .probe* probe*
has_attributes=$(python3 -c 'import os
open("probe", "w").close()
try: os.setxattr("probe", "user.x", b"x"); print("yes")
except OSError: print("")
os.remove("probe")')
[ -n "$has_attributes" ] || skip 'this file system has no extended attributes'

# killed NAME COMMAND...: killed at each call, until it ends by itself; what it leaves beside NAME is gathered.
killed() {
    name=$1
    shift
    number=1
    while CAPSULE_FAULT=kill:$number "$CAPSULE" "$@" > ../out 2> ../err && ended=0 || ended=$?; [ $ended = 137 ]; do
        number=$((number + 1))
        [ $number -lt 200 ] || fail 'it never ends'
    done
    [ $ended = 0 ] || fail "status $ended: $*"
    [ $number -gt 3 ] || fail 'it was never killed'
}
left() { find . -maxdepth 1 -name ".$1.*.tmp" | wc -l; }
killed x.capsule pack t -o x.capsule -q -f --jobs 1
killed u unpack x.capsule -q -f -o u --jobs 1
same_trees t u --times none --xattrs
echo new > t/a
ok "$CAPSULE" pack t --append -o x.capsule -q
killed x.capsule compact x.capsule --keep latest -q
for name in x.capsule u; do
    before=$(left $name)
    [ "$before" -gt 2 ] || fail "only $before left beside $name"
    ok "$CAPSULE" recover $name -q
    [ "$(left $name)" = "$before" ] || fail 'it was deleted without --clean'
    status 0 "$CAPSULE" recover $name
    says out "^left behind: .*\.$name\.[a-z0-9]\{8\}\.tmp$"
    says err "'--clean' deletes them"
    ok "$CAPSULE" recover $name --clean --json
    says out '"state":"deleted"'
    # Killed between its making and its marking, or the other way about, a file is named and stays.
    status 0 "$CAPSULE" recover $name
    says_not out '^left behind'
    [ "$(left $name)" -lt $((before / 2)) ] || fail "$(left $name) of $before remain"
    rm -rf ./.$name.*.tmp
done
ok "$CAPSULE" verify x.capsule --strict -q

# What was finished has no mark, whatever its mode.
python3 -c 'import os
for path in "x.capsule", "u", "u/a":
    assert not [name for name in os.listxattr(path) if "capsule" in name], path'

# A file that only looks like it stays, and so do copies, another user's, and what a running command is at.
echo precious > .x.capsule.abcdefgh.tmp
mkdir .x.capsule.abcdefg1.tmp
CAPSULE_FAULT=kill:7 "$CAPSULE" pack t -o x.capsule -q -f 2> /dev/null && fail 'not killed'
ours=$(find . -maxdepth 1 -name '.x.capsule.*.tmp' ! -name '*.abcdefg*')
python3 -c 'import os, shutil, sys
shutil.copyfile(sys.argv[1], ".x.capsule.abcdefg2.tmp")
os.setxattr(".x.capsule.abcdefg2.tmp", "user.capsule.temporary", os.getxattr(sys.argv[1], "user.capsule.temporary"))' "$ours"
cp "$ours" .x.capsule.ABCDEFGH.tmp
ln -s x.capsule .x.capsule.abcdefg3.tmp
python3 -c 'import fcntl, os, sys, time
file = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(file, fcntl.LOCK_EX)
open("locked", "w").close()
time.sleep(60)' "$ours" &
sleeping=$!
until [ -e locked ]; do sleep 0.01; done
status 0 "$CAPSULE" recover x.capsule --clean
says out "^in use by a running command: .*$(basename "$ours")$"
kill $sleeping
wait $sleeping 2> /dev/null || :
present "$ours"
if [ "$(id -u)" = 0 ]; then
    chown 65534 "$ours"
    status 0 "$CAPSULE" recover x.capsule --clean
    present "$ours"
    chown 0 "$ours"
    # Where others can exchange names, nothing is deleted.
    chmod 777 .
    status 0 "$CAPSULE" recover x.capsule --clean
    present "$ours"
    chmod 755 .
fi
status 0 "$CAPSULE" recover x.capsule --clean
says out "^deleted: .*$(basename "$ours")$"
for number in h 1 2 3; do
    says out "^possibly a temporary file: .*\.x\.capsule\.abcdefg$number\.tmp$"
done
absent "$ours"
present .x.capsule.abcdefgh.tmp .x.capsule.abcdefg1.tmp .x.capsule.abcdefg2.tmp .x.capsule.ABCDEFGH.tmp

# The path itself may be gone, or never have been.
status 2 "$CAPSULE" recover nothing
rm x.capsule
ok "$CAPSULE" recover x.capsule
says out '^x.capsule: nothing to recover$'

# Private copies of databases, and what is spooled, are left in $TMPDIR: 'recover' names and deletes them there.
mkdir ../private
mkdir old
python3 - <<'PY'
import shutil, sqlite3
source = sqlite3.connect("../live.sqlite")
source.executescript("pragma journal_mode = wal; create table t (a integer primary key, b); insert into t values (1, 'x');")
for suffix in "", "-wal": shutil.copyfile("../live.sqlite" + suffix, "old/a.sqlite" + suffix)
PY
TMPDIR=$PWD/../private
export TMPDIR
copies() { find ../private -maxdepth 1 -name '.capsule.*.tmp' | wc -l; }
ok "$CAPSULE" recover "$TMPDIR/capsule" --clean
says out 'nothing to recover$'
killed folded unpack old --fold-wal -q -f -o folded --jobs 1
before=$(copies)
[ "$before" -gt 2 ] || fail "only $before private copies left"
status 0 "$CAPSULE" recover "$TMPDIR/capsule"
says err "'--clean' deletes them"
[ "$(copies)" = "$before" ] || fail 'a copy was deleted without --clean'
ok "$CAPSULE" recover "$TMPDIR/capsule" --clean
says out "^deleted: .*private/\.capsule\.[a-z0-9]\{8\}\.tmp$"
[ "$(copies)" -lt $((before / 2)) ] || fail "$(copies) of $before copies remain"
