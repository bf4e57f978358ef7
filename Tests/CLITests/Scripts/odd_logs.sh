# Logs of databases that are no logs: pipes by their names, and empty ones.
. "$LIB"
need python3
mkdir t
python3 - << 'PY'
import sqlite3
for name in "a", "b", "c":
    connection = sqlite3.connect(f"t/{name}.sqlite")
    connection.execute("create table t(x)")
    connection.commit()
PY
: > t/b.sqlite-journal
: > t/c.sqlite-wal
head -c 32768 /dev/zero > t/c.sqlite-shm

# A pipe is left out and recorded as elsewhere: however often the database is read, it stays.
for suffix in wal journal shm; do
    mkfifo "t/a.sqlite-$suffix"
    for flag in --no-cache --fold-wal; do
        ok "$CAPSULE" pack t -o a.capsule -q --force $flag
        ok "$CAPSULE" info a.capsule
        says out "t\?/\?a.sqlite-$suffix.*pipe"
    done
    status 2 "$CAPSULE" pack t -o x.capsule --strict
    says err "a.sqlite-$suffix"
    rm "t/a.sqlite-$suffix"
done

# An empty log holds nothing: folded, the database is as it is, and the log is not kept, nor its index.
ok "$CAPSULE" pack t -o folded.capsule -q --fold-wal
"$CAPSULE" ls folded.capsule > names
printf '%s\n' a.sqlite b.sqlite c.sqlite > wanted
same names wanted
ok "$CAPSULE" info folded.capsule
says out 'b.sqlite-journal.*the empty log of b.sqlite'
says out 'c.sqlite-shm.*the index of the empty log of c.sqlite'
ok "$CAPSULE" unpack folded.capsule -o u -q
for name in a b c; do same t/$name.sqlite u/$name.sqlite; done
ok "$CAPSULE" pack t -o kept.capsule -q
"$CAPSULE" ls kept.capsule > names
says names '^b.sqlite-journal$'

# A directory in which a pipe lies stays, and so the target is not as the version: --check says what diff says.
mkdir v w
echo a > v/a
ok "$CAPSULE" pack v -o v.capsule -q
cp v/a w/a
mkdir -p w/d/e
mkfifo w/d/e/pipe
status 0 "$CAPSULE" restore v.capsule w
says out '^w: nothing can be changed: 2 directories remain$'
says err 'd/e is kept, because d/e/pipe in it is kept'
status 1 "$CAPSULE" restore v.capsule w --check
says out '^w: nothing can be changed: 2 directories remain$'
status 1 "$CAPSULE" diff v.capsule w
status 1 "$CAPSULE" restore v.capsule w --check --json
says out '"changed":false.*"remaining":2'
# What the user wishes to keep is no difference.
ok "$CAPSULE" restore v.capsule w --check --keep d
ok "$CAPSULE" restore v.capsule w --check --keep '**/pipe'
says out '^w: nothing to change$'
