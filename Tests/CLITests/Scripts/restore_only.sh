# Only what is selected is restored, databases with all of their files, and everything else keeps its bytes, mode and time.
. "$LIB"
needs sqlite3 python3

# database DIR VALUE...: makes a database whose last values are in its log only.
database() {
    python3 - "$@" << 'END'
import os, sqlite3, sys
directory, values = sys.argv[1], sys.argv[2:]
path = directory + "/Store.sqlite"
database = sqlite3.connect(path)
database.execute("PRAGMA journal_mode=WAL")
database.execute("CREATE TABLE IF NOT EXISTS T(v)")
database.commit()
database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
for value in values:
    database.execute("INSERT INTO T VALUES (?)", [value])
database.commit()
os._exit(0)
END
}
values() { cp -R "$1" copy && sqlite3 copy/Store.sqlite 'SELECT group_concat(v) FROM T' && rm -rf copy; }

mkdir -p base/Documents/Notes/Old base/Library/Data
for file in Documents/a.txt Documents/Notes/n.txt Documents/Notes/Old/o.txt Library/other; do echo base > base/$file; done
chmod 700 base/Documents/Notes/Old
database base/Library/Data one two
mkdir base/Library/Data/.Store_SUPPORT
echo blob > base/Library/Data/.Store_SUPPORT/blob
ok "$CAPSULE" pack -q base -o base.capsule

fresh() {
    rm -rf live
    cp -a base live
    for file in Documents/a.txt Documents/Notes/n.txt Library/other; do echo live > live/$file; done
    rm -rf live/Documents/Notes/Old live/Library/Data
    mkdir -p live/Library/Data live/Documents/Notes/New
    database live/Library/Data three
    echo new > live/Documents/Notes/New/new.txt
    echo new > live/Documents/added.txt
    chmod 750 live/Documents
    find live -exec touch -d '2020-01-01' {} +
    rm -rf before
    cp -a live before
}

# A directory: what differs in it is replaced, what the version lacks there is deleted and listed, and the rest stays.
fresh
status 1 "$CAPSULE" restore base.capsule live --check --only Documents/Notes
same_trees before live
ok "$CAPSULE" restore base.capsule live --dry-run --only Documents/Notes
says out 'Documents/Notes/New/new.txt'
says_not out 'added.txt'
same_trees before live
ok "$CAPSULE" restore base.capsule live --only Documents/Notes --undo back.capsule
says out '2 files written.* 2 entries deleted'
[ "$(grep -c '^- ' out)" = 2 ] || fail 'the deleted entries are not listed'
same_trees base/Documents/Notes live/Documents/Notes --times none
same_trees before live --skip 'Documents/Notes*'
ok "$CAPSULE" restore base.capsule live --only Documents/Notes
says out 'nothing to change'
ok "$CAPSULE" undo back.capsule live
same_trees before live --times none

# A directory that is missing is made as the version has it; the one above it keeps its mode and time.
fresh
ok "$CAPSULE" restore base.capsule live -q --only Documents/Notes/Old/o.txt
same_trees base/Documents/Notes/Old live/Documents/Notes/Old
same_trees before live --skip 'Documents/Notes/Old*'

# A database goes as a whole, whichever of its files is named, and with the log that only the target has.
for name in Store.sqlite Store.sqlite-wal Store.sqlite-shm .Store_SUPPORT .Store_SUPPORT/blob; do
    fresh
    ok "$CAPSULE" restore base.capsule live -q --only "Library/Data/$name" --undo "back-${name##*/}.capsule"
    [ "$(values live/Library/Data)" = one,two ] || fail "not the whole database of $name"
    present live/Library/Data/.Store_SUPPORT/blob
    same_trees before live --skip 'Library/Data*'
    ok "$CAPSULE" undo "back-${name##*/}.capsule" live
    [ "$(values live/Library/Data)" = three ] || fail 'the database did not come back'
done
fresh
rm live/Library/Data/Store.sqlite
ok "$CAPSULE" restore base.capsule live -q --only Library/Data/Store.sqlite
[ "$(values live/Library/Data)" = one,two ] || fail 'a log of another database stays beside it'

# What is kept is not restored, and a pattern that matches nothing is an error.
fresh
ok "$CAPSULE" restore base.capsule live -q --only Documents --only Library/other --keep Documents/added.txt --keep 'Documents/Notes'
[ "$(cat live/Documents/a.txt live/Library/other live/Documents/Notes/n.txt)" = "$(printf 'base\nbase\nlive')" ] || fail 'not these'
present live/Documents/added.txt
fresh
for pattern in Documents/added.txt Documnets '*.gif'; do
    status 2 "$CAPSULE" restore base.capsule live --only Documents/a.txt --only "$pattern"
    says err "^capsule: error: '--only .*' matches nothing; nothing was written$"
    same_trees before live
done
ok "$CAPSULE" restore base.capsule live -q --only Documents/added.txt --allow-unmatched
absent live/Documents/added.txt
same_trees before live --skip Documents/added.txt --skip Documents

# A file where a directory has to be is refused before anything is written.
fresh
rm -rf live/Documents/Notes
echo file > live/Documents/Notes
status 2 "$CAPSULE" restore base.capsule live --only 'Documents/Notes/*' --only Documents/a.txt
says err 'Documents/Notes: is a file, but Documents/Notes/.* needs a directory there$'
[ "$(cat live/Documents/a.txt)" = live ] || fail 'it was restored in part'
ok "$CAPSULE" restore base.capsule live -q --only Documents/Notes
same_trees base/Documents/Notes live/Documents/Notes --times none

# A part of a container as CONTAINER gets a hint at the flag.
status 64 "$CAPSULE" restore base.capsule@1:Documents live
says err "hint: 'capsule restore base.capsule@1 live --only Documents' restores only this path$"
