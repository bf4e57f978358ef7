# Databases are packed with their logs folded in: what they hold is the same, and their container is left alone.
. "$LIB"
need python3 tar
databases() { python3 "$TOOLS/make_databases.py" "$@"; }
# dumps TOP PREFIX NAME...: what each database below TOP holds, in PREFIX and a dot before its last name.
dumps() {
    python3 -c 'import contextlib, os, sys
sys.path.insert(0, os.environ["TOOLS"])
import make_databases
top, prefix, *names = sys.argv[1:]
for name in names:
    with open(prefix + "." + os.path.basename(name), "w") as out, contextlib.redirect_stdout(out):
        make_databases.dump(top + "/" + name)' "$@"
}
omitted() { "$CAPSULE" info --json "$1" | python3 -c 'import json, sys
for each in json.load(sys.stdin)["omitted"]: print(each["path"] + ": " + each["reason"])' > found.omitted; }
digest() { "$CAPSULE" info "$1" | grep '^tree '; }
added() { sed -n 's/.*"bytesWritten": *\([0-9][0-9]*\).*/\1/p' out | grep .; }
untemporary() { [ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"; }

databases make t large
chmod 640 t/Library/Model.sqlite
touch -d 2024-01-01T00:00:00.111111111Z t/Library/Model.sqlite
touch -d 2024-01-02T00:00:00.222222222Z t/Library/Model.sqlite-wal
touch -d 2024-01-03T00:00:00.333333333Z t/Library/Model.sqlite-shm
folded='Library/Model.sqlite Library/large.sqlite Library/shrunk.sqlite Library/schema.sqlite Library/hot.sqlite
    Library/cold.sqlite Library/cut.sqlite Library/stale.sqlite'
for each in $folded; do
    [ -s "t/$each-wal" ] || [ -s "t/$each-journal" ] || fail "$each has no log to fold"
done
# shellcheck disable=SC2086 -- a list of names
dumps t wanted $folded 'Documents/odd name'
databases state t > before

# The container is not touched, and nothing is left beside it or elsewhere.
status 0 "$CAPSULE" pack t -o folded.capsule --fold-wal
says err '^capsule: note: checkpointed: the logs of 9 databases$'
says_not err 'warning\|excluded'
databases state t > after
same before after
untemporary
ok "$CAPSULE" verify folded.capsule --strict --quiet

# Each holds what it held with its logs.
ok "$CAPSULE" unpack folded.capsule -o u --as container --quiet
# shellcheck disable=SC2086 -- a list of names
dumps u found $folded 'Documents/odd name'
for each in $folded; do
    absent "u/$each-wal" "u/$each-shm" "u/$each-journal"
    same "found.${each##*/}" "wanted.${each##*/}"
done
same 'found.odd name' 'wanted.odd name'
facts="$(modes_of u/Library/Model.sqlite) $(times_of u/Library/Model.sqlite)"
[ "$facts" = '640 1704153600222222222' ] || fail "mode or time: $facts"

# All else is as it was, to the byte: what has no log, or is no database; an empty log is not kept, nor its index.
cp -Rp t rest
for each in $folded 'Documents/odd name'; do
    cp -p "u/$each" "rest/$each"
    rm -f "rest/$each-wal" "rest/$each-shm" "rest/$each-journal"
done
rm rest/Library/quiet.sqlite-wal rest/Library/quiet.sqlite-shm
for each in . Documents Library; do touch -r "t/$each" "rest/$each"; done
same_trees rest u
present u/Library/junk.sqlite-wal u/Library/alone.sqlite-wal
same t/Library/plain.sqlite u/Library/plain.sqlite

# What is left out is recorded with where it went, and not a loss that --strict would refuse.
omitted folded.capsule
says found.omitted '^Library/Model.sqlite-wal: folded into Model.sqlite$'
says found.omitted '^Library/Model.sqlite-shm: the index of the log folded into Model.sqlite$'
says found.omitted '^Library/hot.sqlite-journal: folded into hot.sqlite$'
says found.omitted '^Documents/odd name-wal: folded into odd name$'
says found.omitted '^Library/quiet.sqlite-wal: the empty log of quiet.sqlite$'
says_not found.omitted 'junk\|plain\|directory\|note'
ok "$CAPSULE" pack t -o strict.capsule --fold-wal --strict --quiet
# Without the flag nothing of the kind is done.
ok "$CAPSULE" pack t -o plain.capsule --quiet
ok "$CAPSULE" unpack plain.capsule -o p --as container --quiet
same_trees t p

# Same input, same bytes.
export SOURCE_DATE_EPOCH=1700000000
for jobs in 1 2 8; do ok "$CAPSULE" pack t -o "jobs$jobs.capsule" --fold-wal --quiet --jobs "$jobs"; done
same jobs1.capsule jobs2.capsule
same jobs1.capsule jobs8.capsule
# The flag by its other name.
ok "$CAPSULE" pack t -o named.capsule --checkpoint-wal --quiet
same jobs1.capsule named.capsule
mkdir copied
tar -cf - t | tar -xf - -C copied
ok "$CAPSULE" pack copied/t -o copied.capsule --fold-wal --quiet
[ "$(digest copied.capsule)" = "$(digest jobs1.capsule)" ] || fail 'a copy comes to another tree'
ok "$CAPSULE" pack t -o jobs1z.capsule --fold-wal --quiet --jobs 1 --codec zstd
ok "$CAPSULE" pack t -o jobs8z.capsule --fold-wal --quiet --jobs 8 --codec zstd
same jobs1z.capsule jobs8z.capsule
"$CAPSULE" pack t -o - --fold-wal > stream.capsule 2> err
same stream.capsule jobs1.capsule
unset SOURCE_DATE_EPOCH

# From an archive and from a capsule, the same.
tar -czf t.tar.gz t
for source in t.tar.gz plain.capsule; do
    ok "$CAPSULE" pack "$source" -o other.capsule --fold-wal --quiet --force
    [ "$(digest other.capsule)" = "$(digest folded.capsule)" ] || fail "from $source it is another tree"
    omitted other.capsule
    says found.omitted '^Library/hot.sqlite-journal: folded into hot.sqlite$'
done
# What is folded already has nothing to fold.
ok "$CAPSULE" pack folded.capsule -o other.capsule --fold-wal --quiet --force
[ "$(digest other.capsule)" = "$(digest folded.capsule)" ] || fail 'folded again it is another tree'

# Appended again, an unchanged container adds next to nothing, with what the cache knows and without.
sleep 3
cp folded.capsule grown.capsule
for options in '' '' --no-cache '--jobs 8'; do
    # shellcheck disable=SC2086
    ok "$CAPSULE" pack t --append -o grown.capsule --fold-wal --quiet --json $options
    [ "$(added)" -lt 5000 ] || fail "an unchanged container adds $(added) bytes"
    [ "$(digest grown.capsule)" = "$(digest folded.capsule)" ] || fail 'appended, it is another tree'
done
for source in t.tar.gz plain.capsule; do
    ok "$CAPSULE" pack "$source" --append -o grown.capsule --fold-wal --quiet --json
    [ "$(added)" -lt 8000 ] || fail "$source adds $(added) bytes"
    [ "$(digest grown.capsule)" = "$(digest folded.capsule)" ] || fail "appended, $source is another tree"
done
# The cache has the source's digests, never those of what was folded.
ok "$CAPSULE" pack t --append -o grown.capsule --quiet
ok "$CAPSULE" unpack grown.capsule -o grown --as container --quiet
same_trees t grown
ok "$CAPSULE" pack t --append -o grown.capsule --quiet
[ "$(digest grown.capsule)" = "$(digest plain.capsule)" ] || fail 'with a cache it is another tree'
ok "$CAPSULE" pack t --append -o grown.capsule --fold-wal --quiet --json
[ "$(added)" -lt 5000 ] || fail "folded again, a container adds $(added) bytes"
[ "$(digest grown.capsule)" = "$(digest folded.capsule)" ] || fail 'folded again, it is another tree'
# A few rows more in a log, and a large database costs a few pages.
[ "$(length_of u/Library/large.sqlite)" -gt 4200000 ] || fail 'the large database is none'
databases insert t/Library/large.sqlite 3
ok "$CAPSULE" pack t --append -o grown.capsule --fold-wal --quiet --json
[ "$(added)" -lt 60000 ] || fail "three rows add $(added) bytes"
ok "$CAPSULE" unpack grown.capsule -o more --as container --quiet
databases dump t/Library/large.sqlite > wanted
databases dump more/Library/large.sqlite > found
same found wanted
ok "$CAPSULE" verify grown.capsule --strict --quiet
untemporary

# In app groups too.
mkdir -p g/Library
for suffix in '' -wal -shm; do cp -p "t/Library/Model.sqlite$suffix" "g/Library/M.sqlite$suffix"; done
ok "$CAPSULE" pack t -o group.capsule --group group.x=g --fold-wal --quiet
omitted group.capsule
says found.omitted '^AppGroups/group.x/Library/M.sqlite-wal: folded into M.sqlite$'
"$CAPSULE" cat group.capsule AppGroups/group.x/Library/M.sqlite > m
same m u/Library/Model.sqlite

# What can't be folded is packed as it is, and told; with --strict it is an error.
mkdir -p bad/Library bad/Documents
cp -p t/Library/Model.sqlite bad/Library/damaged.sqlite
cp -p t/Library/Model.sqlite-wal bad/Library/damaged.sqlite-wal
python3 - <<END
import os, random
with open("bad/Library/damaged.sqlite-wal", "rb") as file: wal = file.read()
# Pages that the log does not bring are broken in the database.
pages = {int.from_bytes(wal[at:at + 4], "big") for at in range(32, len(wal), 4120)}
with open("bad/Library/damaged.sqlite", "r+b") as file:
    size = os.path.getsize(file.name) // 4096
    broken = [page for page in range(2, size + 1) if page not in pages]
    assert broken, pages
    for page in broken:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)
with open("bad/Library/vault.sqlite", "wb") as file: file.write(random.Random(1).randbytes(8192))
with open("bad/Library/vault.sqlite-wal", "wb") as file: file.write(wal[:32] + random.Random(2).randbytes(4120))
END
status 0 "$CAPSULE" pack bad -o bad.capsule --fold-wal
says err "^capsule: warning: Library/vault.sqlite: can't be checkpointed: not a database, or encrypted"
says err "^capsule: warning: Library/damaged.sqlite: can't be checkpointed: "
says err '^capsule: hint: the database and its log are packed unchanged$'
says_not err 'note: checkpointed'
ok "$CAPSULE" unpack bad.capsule -o bad.out --as container --quiet
same_trees bad bad.out
status 2 "$CAPSULE" pack bad -o no.capsule --fold-wal --strict
says err "^capsule: error: Library/[a-z]*.sqlite: can't be checkpointed: "
says err "^capsule: hint: without '--strict', the database and its log are packed unchanged$"
absent no.capsule
untemporary

# No room for the copy: an error, nothing is left, and a capsule that is appended to stays as it was.
limited() {
    python3 -c 'import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
mkdir d
cp folded.capsule d/there.capsule
for options in '-o d/out.capsule' '--append -o d/there.capsule'; do
    # shellcheck disable=SC2086
    status 2 limited "$CAPSULE" pack t $options --fold-wal --no-cache
    says err '^capsule: error: '
    only d there.capsule
    same folded.capsule d/there.capsule
    untemporary
done
mkdir -p one/Library one/Documents small
cp -p t/Library/large.sqlite t/Library/large.sqlite-wal one/Library
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m none small 2> /dev/null; then
    trap 'umount small' EXIT
    # In the copy, and while SQLite folds.
    log=$(($(length_of one/Library/large.sqlite-wal) / 1024))
    for room in 1024 $((log + 500)); do
        mount -o remount,size="${room}k" small
        status 2 env TMPDIR=small "$CAPSULE" pack one -o d/out.capsule --fold-wal --no-cache
        says err '^capsule: error: .*\(no space left\|disk is full\)'
        only small
        only d there.capsule
    done
    mount -o remount,size="$((log * 4))k" small
    ok env TMPDIR=small "$CAPSULE" pack one -o d/out.capsule --fold-wal --no-cache --quiet
    only small
    # When the folded one is taken over.
    rm one/Library/*
    cp -p t/Library/quiet.sqlite one/Library/Model.sqlite
    databases insert one/Library/Model.sqlite 150
    "$CAPSULE" pack one -o one.capsule --fold-wal --no-cache --quiet
    "$CAPSULE" cat one.capsule Library/Model.sqlite > one/Library/Model.sqlite
    rm one/Library/Model.sqlite-*
    databases insert one/Library/Model.sqlite 1
    size=$(($(length_of one/Library/Model.sqlite) / 1024))
    [ "$size" -lt 4000 ] && [ "$size" -gt 1000 ] || fail "$size KB"
    mount -o remount,size="$((size + 500))k" small
    status 2 env TMPDIR=small "$CAPSULE" pack one -o d/out.capsule --fold-wal --no-cache --force
    says err '^capsule: error: .*no space left'
    only small
    only d there.capsule out.capsule
else
    untested 'a full file system: none could be mounted'
fi
status 2 env TMPDIR=/nowhere/at/all "$CAPSULE" pack t -o no.capsule --fold-wal
absent no.capsule

# Whatever call fails: the capsule is whole or not there, the container is as it was, and no copy is left.
mkdir -p start/t/Library start/t/Documents
cp -p t/Library/schema.sqlite* t/Library/cold.sqlite* start/t/Library
cat > alone <<'END'
mkdir ../tmp
TMPDIR=../tmp exec "$CAPSULE" pack t -o out.capsule --fold-wal --quiet --no-cache --jobs 1
END
python3 "$TOOLS/faults.py" count --from start -- sh "$PWD/alone" > calls
# The short form tries a part.
part='--part 4'
[ -z "${CAPSULE_LONG_TESTS:-}" ] || part=
# shellcheck disable=SC2086 -- an option with its value, or none
python3 "$TOOLS/faults.py" each $part --mode ENOSPC --mode ENOSPC+ --mode EIO --from start --check '
    if [ -e out.capsule ]; then "$CAPSULE" verify --strict --quiet out.capsule; else [ "$STATUS" = 2 ]; fi
    for each in t/Library/*; do cmp "$each" "$HERE/start/$each"; done
    [ "$(ls t/Library | wc -l)" = 5 ]
    number=${FAULT#*:}
    number=${number%+}
    # What can not be deleted stays.
    call=$(cut -d " " -f "$((number + 1))" "$HERE/calls")
    [ "$call" = remove ] || [ -z "$(ls -A ../tmp)" ]
' -- sh "$PWD/alone" > report || { cat report; fail faults; }
says report '^faults: [0-9][0-9]* cases$'

# A database that is written to all the while comes out as one state, or not at all.
mkdir -p busy/Library busy/Documents
python3 "$TOOLS/make_databases.py" write busy/Library/live.sqlite 60 &
writer=$!
while [ ! -s busy/Library/live.sqlite-wal ]; do sleep 0.1; done
packed=0 number=0
# At last nobody writes any more.
while [ $number -lt 8 ] || [ $packed = 0 ]; do
    number=$((number + 1))
    if "$CAPSULE" pack busy -o busy.capsule --force --fold-wal --quiet > out 2> err; then
        packed=$((packed + 1))
        "$CAPSULE" cat busy.capsule Library/live.sqlite > live.sqlite
        python3 -c 'import sqlite3
live = sqlite3.connect("live.sqlite")
assert live.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
a, b = (live.execute(f"SELECT count(*), max(length(x)) FROM {name}").fetchone() for name in "ab")
assert a == b and a[0] > 0, (a, b)' || fail 'a live database came out in two states'
    else
        says err 'keeps changing\|changed each of the'
    fi
done
kill "$writer"
wait "$writer" || true
untemporary
