# One PATH with a name is that entry itself, a part leaves what is there alone, and a directory is replaced as a whole only by what is the
# same container.
. "$LIB"
mkdir -p app/Documents/Notes app/Library/Data app/tmp
echo 1 > app/Documents/Notes/a.txt
echo 2 > app/Documents/Notes/b.txt
ln -s a.txt app/Documents/Notes/link
echo 3 > app/Documents/c.txt
chmod 600 app/Documents/c.txt
touch -d '2024-02-03T04:05:06Z' app/Documents/Notes/a.txt
python3 - <<'END'
import sqlite3
db = sqlite3.connect("app/Library/Data/store.sqlite")
db.execute("PRAGMA journal_mode=WAL")
db.execute("CREATE TABLE t (x)")
db.execute("INSERT INTO t VALUES (7)")
db.commit()
import shutil
for name in "store.sqlite", "store.sqlite-wal", "store.sqlite-shm":
    shutil.copy("app/Library/Data/" + name, name)
END
mv store.sqlite* app/Library/Data
ok "$CAPSULE" pack -q app -o app.capsule

# One file: under its name, or in a directory that is there.
ok "$CAPSULE" unpack -q app.capsule Documents/c.txt -o mine.txt
same mine.txt app/Documents/c.txt
[ "$(ls -l mine.txt | cut -c1-10)" = -rw------- ] || fail 'the mode is another'
ok "$CAPSULE" unpack -q app.capsule Documents/Notes/link -o own-link
[ "$(readlink own-link)" = a.txt ] || fail 'not the link itself'
mkdir here
ok "$CAPSULE" unpack -q app.capsule Documents/c.txt -o here
same here/c.txt app/Documents/c.txt
(cd here && ok "$CAPSULE" unpack -q ../app.capsule Documents/Notes/b.txt -o . && rm out err)
same here/b.txt app/Documents/Notes/b.txt
echo own > mine.txt
status 2 "$CAPSULE" unpack app.capsule Documents/c.txt -o mine.txt
says err "'--force' replaces it"
ok "$CAPSULE" unpack -q app.capsule Documents/c.txt -o mine.txt --force
same mine.txt app/Documents/c.txt
# A capsule with several versions is more than the part is.
cp app.capsule many.capsule
ok "$CAPSULE" pack -q app --append -o many.capsule
status 2 "$CAPSULE" unpack app.capsule Documents/c.txt -o many.capsule --force
present many.capsule

# One directory; again, into what is there.
ok "$CAPSULE" unpack -q app.capsule Documents/Notes -o notes
same_trees app/Documents/Notes notes
ok "$CAPSULE" unpack app.capsule Documents/Notes -o notes2
says out '^notes2: 4 entries'
echo own > notes/own
echo changed > notes/a.txt
status 2 "$CAPSULE" unpack app.capsule Documents/Notes -o notes
says err 'notes: already has 3 of the files'
says err "'--force' replaces them, and nothing else"
says notes/a.txt changed
ok "$CAPSULE" unpack -q app.capsule Documents/Notes -o notes --force
same notes/a.txt app/Documents/Notes/a.txt
says notes/own own
# Links in it are not followed, and nothing is written if one file can't be.
mkdir outside
rm -r notes/b.txt
mkdir notes/b.txt
echo old > notes/a.txt
status 2 "$CAPSULE" unpack app.capsule Documents/Notes -o notes --force
says err 'notes/b.txt: is not a file, and is never replaced by one'
says notes/a.txt old
mkdir tree
ln -s ../outside tree/Documents
status 2 "$CAPSULE" unpack app.capsule Documents --as directory -o tree --force
says err 'tree/Documents: is not a directory'
[ -z "$(ls -A outside)" ] || fail 'a link was followed'
rm notes/a.txt
rmdir notes/b.txt
ln -s ../victim notes/a.txt
echo victim > victim
ok "$CAPSULE" unpack -q app.capsule Documents/Notes/a.txt --as directory -o notes
ok "$CAPSULE" unpack -q app.capsule Documents/Notes -o notes --force
says victim victim
[ ! -L notes/a.txt ] || fail 'the link is still there'

# Several, a pattern, a form, or --tree: the tree around them.
ok "$CAPSULE" unpack -q app.capsule Documents/c.txt Documents/Notes/a.txt --as directory -o both
present both/Documents/c.txt both/Documents/Notes/a.txt
ok "$CAPSULE" unpack -q app.capsule 'Documents/*.txt' -o pattern
present pattern/AppData/Documents/c.txt
ok "$CAPSULE" unpack -q app.capsule Documents/c.txt --tree -o around
present around/AppData/Documents/c.txt
# Without a name, never that of the whole.
ok "$CAPSULE" unpack -q app.capsule
ok "$CAPSULE" unpack -q app.capsule Documents/c.txt
present app.xcappdata/AppData/Documents/Notes app-part.xcappdata/AppData/Documents/c.txt

# A database is not torn from its log.
status 64 "$CAPSULE" unpack app.capsule Library/Data/store.sqlite -o store.sqlite
says err 'store.sqlite: is a database, and needs Library/Data/store.sqlite-'
says err "'--checkpoint-wal' unpacks it without logs; '--tree' unpacks its files together"
absent store.sqlite
ok "$CAPSULE" unpack -q app.capsule Library/Data/store.sqlite -o store.sqlite --checkpoint-wal
[ "$(python3 -c 'import sqlite3
print(sqlite3.connect("store.sqlite").execute("SELECT x FROM t").fetchall())')" = '[(7,)]' ] || fail 'the row is missing'

# The name of the result sets the form, unless --as or the one PATH that is taken does.
for name in out.zip out.tgz out.tar.gz out.tar.zst out.tar out.xcappdata; do
    ok "$CAPSULE" unpack -q app.capsule -o "$name"
    ok "$CAPSULE" diff app.capsule "$name"
    [ -f "$name" ] || [ -d "$name/AppData" ] || fail "$name has another form"
done
ok tar tf out.tar
status 0 "$CAPSULE" unpack app.capsule --as zip -o named.tar.gz
says err "^capsule: note: named.tar.gz: the form is zip, as '--as' says, despite the name$"
ok "$CAPSULE" ls named.tar.gz
mkdir -p zips/Documents/Saved.zip
cp out.zip zips/Documents/a.zip
for path in Documents/a.zip Documents/Saved.zip; do
    ok "$CAPSULE" unpack -q zips "$path" -o own.zip
    same_trees "zips/$path" own.zip
    rm -r own.zip
done
for paths in Documents '*.zip' 'Documents/a.zip --tree' 'Documents/a.zip Documents/Saved.zip'; do
    set -f
    ok "$CAPSULE" unpack -q zips $paths -o some.zip -f
    set +f
    ok "$CAPSULE" ls some.zip
    says out '^Documents/a.zip$'
done
echo mine > text
for verb in 'unpack app.capsule' 'merge app.capsule app.capsule app.capsule'; do
    status 2 "$CAPSULE" $verb -f -o text
    says err 'text: is a file, and is never replaced by a directory'
    says text mine
done
mkdir directory.zip
for verb in 'unpack app.capsule' 'pack app'; do
    status 2 "$CAPSULE" $verb -f -o directory.zip
    says err 'directory.zip: is a directory'
done

# What --force never takes as a whole.
kept() {
    status 2 "$CAPSULE" "$@" --force
    says err "is never replaced as a whole"
    status 2 "$CAPSULE" "$@"
    says_not err "'--force"
}
mkdir -p project/.git home/Library home/Documents other
echo 1 > project/.git/HEAD
echo 1 > other/file
HOME=$PWD/home
export HOME
for place in project home other; do
    for form in directory container xcappdata; do kept unpack app.capsule --as $form -o $place; done
    kept merge app.capsule app.capsule app.capsule -o $place
done
present project/.git/HEAD home/Library other/file
mkdir -p repo.xcappdata/AppData/Documents/notes/.git repo.xcappdata/AppData/Library
kept unpack app.capsule -o repo.xcappdata
(cd app.xcappdata && kept unpack ../app.capsule -o ../app.xcappdata && rm out err)
# Another app's bundle, and a container in another form.
ok "$CAPSULE" unpack -q "$SAMPLES/Gifs-before.xcappdata" -o gifs.xcappdata
cp -R gifs.xcappdata another.xcappdata
sed -i.bak 's/com.example.gifs/com.example.other/' another.xcappdata/AppDataInfo.plist
rm another.xcappdata/AppDataInfo.plist.bak
rm -f another.xcappdata/AppData/.com.apple.mobile_container_manager.metadata.plist
echo own > another.xcappdata/AppData/own
kept unpack gifs.xcappdata -o another.xcappdata
says err 'is the container of .com.example.other., but the result is of .com.example.gifs.'
kept unpack gifs.xcappdata --as container -o app.xcappdata
# A directory that only looks like a container, and what lies beside the app's data.
mkdir -p like/Documents like/Library like/src
echo own > like/src/main.swift
for form in container xcappdata; do kept unpack gifs.xcappdata --as $form -o like; done
kept unpack app.capsule --as container -o like
cp -R gifs.xcappdata beside.xcappdata
echo own > beside.xcappdata/note
kept unpack gifs.xcappdata -o beside.xcappdata
says err 'has note, which is not in a place where an app keeps data'
# A log beside the database that is written would change it.
cp app/Library/Data/store.sqlite-wal old.sqlite-wal
status 2 "$CAPSULE" unpack app.capsule Library/Data/store.sqlite --checkpoint-wal -o old.sqlite --force
says err 'old.sqlite-wal: belongs to another database'
absent old.sqlite
mkdir -p parts/Library/Data
cp app/Library/Data/store.sqlite-wal parts/Library/Data/store.sqlite-wal
status 2 "$CAPSULE" unpack app.capsule Library/Data/store.sqlite --checkpoint-wal --as directory -o parts --force
says err 'store.sqlite-wal: belongs to another database'
# restore has the same rules for what no app keeps.
status 2 "$CAPSULE" restore app.capsule home --different-app
says err 'is the home directory, or contains it'
mkdir -p repo/.git repo/Documents repo/Library
status 2 "$CAPSULE" restore app.capsule repo
says err 'is a repository, which would be deleted'
ok "$CAPSULE" restore -q app.capsule repo --keep .git
present repo/.git repo/Documents/c.txt
# What may go, with what is lost.
echo own > app.xcappdata/AppData/Documents/own
status 2 "$CAPSULE" unpack app.capsule
says err "'--force' replaces it, and deletes 1 other file, first AppData/Documents/own"
ok "$CAPSULE" unpack -q app.capsule --force
absent app.xcappdata/AppData/Documents/own
status 2 "$CAPSULE" unpack app.capsule
says err "'--force' replaces it$"
# The conflicts of a merge are not written if the result can't be.
status 2 "$CAPSULE" merge app.capsule app.capsule app.capsule -o project --force --conflicts todo.json
absent todo.json
