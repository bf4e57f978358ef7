# A database leaves a container with its log and its blobs, or as one file: never without its log in silence.
. "$LIB"
need python3
mkdir -p t/Library/.Notes_SUPPORT/_EXTERNAL_DATA t/Other
echo blob > t/Library/.Notes_SUPPORT/_EXTERNAL_DATA/1
python3 - <<'PY'
import shutil
import sqlite3
database = sqlite3.connect("x.sqlite")
database.execute("pragma journal_mode=wal")
database.execute("create table n(a)")
database.execute("insert into n values(42)")
database.commit()
for suffix in "", "-wal", "-shm":
    shutil.copy("x.sqlite" + suffix, "t/Library/Notes.sqlite" + suffix)
database.close()
PY
echo text > t/Other/Notes.txt
echo log > t/Other/Notes.txt-wal
ok "$CAPSULE" pack t -q -o t.capsule
ok "$CAPSULE" unpack t -q --as zip -o t.zip
row() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("select a from n").fetchall())' "$1"; }
unit='Library/.Notes_SUPPORT/_EXTERNAL_DATA/1
Library/Notes.sqlite
Library/Notes.sqlite-shm
Library/Notes.sqlite-wal'
files() { (cd "$1" && find . -type f | sed 's|^\./||' | LC_ALL=C sort); }
for source in t t.capsule t.zip; do
    rm -rf o o.zip f f.zip
    status 0 "$CAPSULE" unpack "$source" Library/Notes.sqlite --tree -o o
    says err '^capsule: note: a database includes its log and external blobs: added 3 files'
    [ "$(files o)" = "$unit" ] || fail "not the unit: $(files o)"
    [ "$(row o/Library/Notes.sqlite)" = '[(42,)]' ] || fail 'the row is not there'
    status 0 "$CAPSULE" unpack "$source" Library/Notes.sqlite --as zip -o o.zip
    says err '^capsule: note: a database includes'
    status 0 "$CAPSULE" ls o.zip
    says out '^Library/Notes.sqlite-wal$'
    # As one file.
    ok "$CAPSULE" unpack "$source" Library/Notes.sqlite --fold-wal --tree -q -o f
    absent f/Library/Notes.sqlite-wal
    [ "$(row f/Library/Notes.sqlite)" = '[(42,)]' ] || fail 'the row is not in the one file'
    ok "$CAPSULE" unpack "$source" Library --fold-wal --as zip -q -o f.zip
    status 0 "$CAPSULE" ls f.zip
    says_not out '-wal$'
    # On standard output it is one file, with a note; its log is what it is.
    status 0 "$CAPSULE" cat "$source" Library/Notes.sqlite
    says err '^capsule: note: Library/Notes.sqlite: includes the content of its log'
    cp out n.sqlite
    [ "$(row n.sqlite)" = '[(42,)]' ] || fail 'the row is not in what was printed'
    ok "$CAPSULE" cat "$source" Library/Notes.sqlite-wal
    same out t/Library/Notes.sqlite-wal
    # A directory brings its own files, and what is no database has no log.
    rm -rf o
    ok "$CAPSULE" unpack "$source" Library -q --tree -o o
    [ "$(files o)" = "$unit" ] || fail 'not the directory'
    rm -rf o
    ok "$CAPSULE" unpack "$source" Other/Notes.txt -q --tree -o o
    [ "$(files o)" = Other/Notes.txt ] || fail 'a text brought something'
    ok "$CAPSULE" cat "$source" Other/Notes.txt
    same out t/Other/Notes.txt
done
# A pattern that takes the log and leaves the database says so.
status 0 "$CAPSULE" pack t -q -o x.capsule --exclude '**/*-wal'
says err '^capsule: warning: Library/Notes.sqlite-wal: is excluded, so its database is packed without it$'
[ "$(grep -c 'is excluded' err)" = 1 ] || fail 'a text has no log'
ok "$CAPSULE" pack t -q -o y.capsule --exclude '**/*-wal' --exclude '**/*.sqlite*'
says_not err 'is left out'

# Where the log can't be folded in, no half of a database is printed, and the unit comes out as it is.
mkdir -p bad
head -c 5000 /dev/zero | tr '\0' y > bad/Notes.sqlite-wal
{ head -c 16 t/Library/Notes.sqlite; head -c 8176 /dev/zero | tr '\0' x; } > bad/Notes.sqlite
status 2 "$CAPSULE" cat bad Notes.sqlite
says err "can't be checkpointed"
says err "^capsule: hint: 'capsule unpack' writes the database and its log unchanged$"
[ ! -s out ] || fail 'something was printed'
status 0 "$CAPSULE" unpack bad Notes.sqlite --fold-wal --tree -q -o bad.d
says err "^capsule: warning: Notes.sqlite: can't be checkpointed"
present bad.d/Notes.sqlite-wal
