# restore makes a live container what a version is, exactly, and touches nothing that is so already.
. "$LIB"
need python3 sqlite3
. "$TOOLS/trees.sh"
identity=.com.apple.mobile_container_manager.metadata.plist
python3 "$TOOLS/make_container.py" --scale small base.xcappdata > /dev/null
python3 "$TOOLS/make_container.py" --scale small run.xcappdata --after > /dev/null
ok "$CAPSULE" pack base.xcappdata -o base.capsule --quiet --label base

# As a bundle, from every form of the version; the wrapper is left alone.
ok "$CAPSULE" unpack base.capsule --as tar.gz -o base.tar.gz
ok "$CAPSULE" unpack base.capsule --as zip -o base.zip
for source in base.capsule base.capsule@base base.xcappdata base.tar.gz base.zip -; do
    rm -rf live.xcappdata
    cp -a run.xcappdata live.xcappdata
    echo mine > live.xcappdata/Notes.txt
    status 1 "$CAPSULE" restore "$source" live.xcappdata --check < base.capsule
    ok "$CAPSULE" restore "$source" live.xcappdata --quiet < base.capsule
    same_trees base.xcappdata live.xcappdata --times none --skip Notes.txt --xattrs
    [ "$(cat live.xcappdata/Notes.txt)" = mine ] || fail 'what lies beside AppData was touched'
    absent live.xcappdata/.capsule-transaction live.xcappdata/AppData/.capsule-transaction
    ok "$CAPSULE" diff base.capsule live.xcappdata
    [ ! -s out ] || fail 'a difference is left'
    ok "$CAPSULE" restore "$source" live.xcappdata --check < base.capsule
done

# A second restore does nothing: not one inode, nor a time.
snapshot live.xcappdata before
ok "$CAPSULE" restore base.capsule live.xcappdata
says out 'nothing to change'
snapshot live.xcappdata after
same before after

# What is equal keeps its inode and its times, those of its state too.
rm -rf live
cp -a run.xcappdata/AppData live
snapshot live before
ok "$CAPSULE" restore base.capsule live --quiet --undo back.capsule
snapshot live after
same_trees base.xcappdata/AppData live --times none --xattrs
python3 - base.xcappdata/AppData run.xcappdata/AppData <<'END' || fail 'a file that was equal has been touched'
import ast, os, sys
base, run = sys.argv[1:]
def lines(name):
    found = {}
    for line in open(name):
        path = ast.literal_eval(line[:line.index("' ") + 1] if line[0] == "'" else line[:line.index('" ') + 1])
        found[path] = line
    return found
before, after = lines("before"), lines("after")
kept = 0
for path, line in before.items():
    inner = os.path.relpath(path, "live")
    one, other = os.path.join(base, inner), os.path.join(run, inner)
    if not os.path.isfile(one) or not os.path.isfile(other):
        continue
    if open(one, "rb").read() == open(other, "rb").read() and os.stat(one).st_mode == os.stat(other).st_mode:
        kept += 1
        if after[path] != line:
            sys.exit(f"{path}: {line}{after[path]}")
if kept < 200:
    sys.exit(f"only {kept} files are equal")
END
# The root's own time is what it was.
python3 -c 'import os, sys; sys.exit(os.stat("live").st_mtime_ns != os.stat("run.xcappdata/AppData").st_mtime_ns)' \
    || fail "the root's time changed"
# What was undone is what was there.
ok "$CAPSULE" apply back.capsule live --quiet
same_trees run.xcappdata/AppData live --times none --xattrs

# The identity of the target is never touched, nor that of the version wanted.
python3 - live/$identity <<'END'
import plistlib, sys
plistlib.dump({"MCMMetadataIdentifier": "com.example.gifs", "MCMMetadataUUID": "0F0E"}, open(sys.argv[1], "wb"))
END
cp -a live/$identity identity
identities_of live/$identity > before
ok "$CAPSULE" restore base.capsule live --quiet
identities_of live/$identity > after
same before after
same identity live/$identity
same_trees base.xcappdata/AppData live --times none --skip $identity
rm live/$identity
ok "$CAPSULE" restore base.capsule live
says out 'nothing to change'
absent live/$identity

# Another app's container is refused by name, as is what looks like none; so is what would lose the version itself.
cp -a live other
python3 - other/$identity <<'END'
import plistlib, sys
plistlib.dump({"MCMMetadataIdentifier": "com.example.other"}, open(sys.argv[1], "wb"))
END
snapshot other before
status 2 "$CAPSULE" restore base.capsule other
says err 'com.example.other'
says err 'com.example.gifs'
says err "hint: '--different-app'"
snapshot other after
same before after
ok "$CAPSULE" restore base.capsule other --different-app --quiet
mkdir home
echo precious > home/letter
status 2 "$CAPSULE" restore base.capsule home
says err 'home: does not look like this app.s container, because it has no Library .*; 1 file would be deleted or replaced: letter'
[ "$(cat home/letter)" = precious ] || fail 'a directory that is no container was changed'
mkdir empty
ok "$CAPSULE" restore base.capsule empty --quiet
same_trees base.xcappdata/AppData empty --times none --skip $identity
mkdir -p home/plain && echo x > home/plain/x
status 2 "$CAPSULE" restore home/plain live
says err 'does not look like the directory that was packed, because it has Library with Documents'
cp base.capsule live/Documents/base.capsule
status 64 "$CAPSULE" restore live/Documents/base.capsule live
says err 'is inside the container'
status 64 "$CAPSULE" restore live live
status 64 "$CAPSULE" restore base.capsule live --undo live/back.capsule
says err 'is inside the container'
rm live/Documents/base.capsule
status 2 "$CAPSULE" restore base.capsule missing
status 64 "$CAPSULE" restore base.capsule - < base.capsule
says err 'standard input is not a live container'
status 64 "$CAPSULE" restore base.capsule base.tar.gz
says err 'this command needs a live container'
status 2 "$CAPSULE" restore base.capsule@7 live

# Classes of noise go, and nothing else does.
ok "$CAPSULE" restore base.capsule live --quiet
ok "$CAPSULE" restore base.capsule live --drop scene-sessions
absent 'live/Library/Saved Application State'
find base.xcappdata/AppData -mindepth 1 | sed 's,^base.xcappdata/AppData/,,' | grep -v -e '^Library/Saved Application State' -e "^$identity" | sort > wanted
find live -mindepth 1 | sed 's,^live/,,' | sort > found
same wanted found
same_trees base.xcappdata/AppData live --times none --skip 'Library/Saved Application State*' --skip $identity
ok "$CAPSULE" restore base.capsule live --drop scene-sessions
says out 'nothing to change'
status 64 "$CAPSULE" restore base.capsule live --drop scenes
says err 'scene-sessions'

# What is kept is neither changed, nor deleted, nor made; a database is kept with its logs.
rm -rf live
cp -a run.xcappdata/AppData live
mkdir -p live/Documents/Mine/deep
echo mine > live/Documents/Mine/deep/file
echo log > 'live/Library/Application Support/Model.sqlite-journal'
rm -rf live/Documents/Notes
snapshot live before
ok "$CAPSULE" restore base.capsule live --quiet --keep 'Documents/Mine/**' --keep '**/Model.sqlite' --keep Documents/Notes
[ "$(cat live/Documents/Mine/deep/file)" = mine ] || fail 'what was kept is gone'
present 'live/Library/Application Support/Model.sqlite-journal'
for suffix in '' -wal -shm; do
    file="Library/Application Support/Model.sqlite$suffix"
    [ ! -e "run.xcappdata/AppData/$file" ] || same "run.xcappdata/AppData/$file" "live/$file"
done
absent live/Documents/Notes
same_trees base.xcappdata/AppData live --times none --skip 'Documents/Mine*' --skip '*/Model.sqlite*' --skip 'Documents/Notes*' \
    --skip '*/.Model_SUPPORT*'
status 64 "$CAPSULE" restore base.capsule live --keep /Documents

# A log of another state does not stay beside a database.
rm -rf live
cp -a base.xcappdata/AppData live
sqlite3 "live/Library/Application Support/Catalog.sqlite" 'pragma journal_mode=delete' > /dev/null
cp -a live clean
ok "$CAPSULE" pack clean -o clean.capsule --quiet
python3 - "live/Library/Application Support/Catalog.sqlite" <<'END'
import os, shutil, sqlite3, sys
path = sys.argv[1]
work = "work.sqlite"
shutil.copy(path, work)
connection = sqlite3.connect(work)
connection.execute("pragma journal_mode=wal")
connection.execute("create table more (x)")
connection.execute("insert into more values (1)")
connection.commit()
for suffix in ["", "-wal", "-shm"]:
    shutil.copy(work + suffix, path + suffix)
END
present "live/Library/Application Support/Catalog.sqlite-wal"
ok "$CAPSULE" restore clean.capsule live --quiet --undo wal.capsule
absent "live/Library/Application Support/Catalog.sqlite-wal" "live/Library/Application Support/Catalog.sqlite-shm"
[ "$(sqlite3 "live/Library/Application Support/Catalog.sqlite" 'pragma integrity_check; select count(*) from sqlite_master where name = '\''more'\')" = 'ok
0' ] || fail 'the database is not that of the version'
ok "$CAPSULE" apply wal.capsule live --quiet
[ "$(sqlite3 "live/Library/Application Support/Catalog.sqlite" 'select x from more')" = 1 ] || fail 'the undo lost the log'

# App groups: into their own directories, and with a warning where there are none.
rm -rf live group groups.capsule
cp -a clean live
mkdir -p group/Library
echo shared > group/Library/shared
ok "$CAPSULE" pack live --group group.com.example=group -o groups.capsule --quiet
echo changed > group/Library/shared
echo more > group/more
echo changed > live/Documents/new
status 0 "$CAPSULE" restore groups.capsule live --quiet
says err 'group.com.example is not restored'
[ "$(cat group/Library/shared)" = changed ] || fail 'a group was restored that nobody named'
absent live/Documents/new
ok "$CAPSULE" restore groups.capsule live --group group.com.example=group --any-directory --quiet --undo group.capsule
[ "$(cat group/Library/shared)" = shared ] || fail 'the group was not restored'
absent group/more group/.capsule-transaction
ok "$CAPSULE" apply group.capsule live --group group.com.example=group --quiet
[ "$(cat group/Library/shared) $(cat group/more)" = 'changed more' ] || fail 'the group was not brought back'

# The overlays that a version carries: left out with a word, or applied.
python3 -c 'import plistlib; plistlib.dump({"UITest": "yes"}, open("flag.plist", "wb"))'
defaults=Library/Preferences/com.example.gifs.plist
ok "$CAPSULE" pack clean -o carrying.capsule --quiet --overlay $defaults=flag.plist
status 0 "$CAPSULE" restore carrying.capsule live --quiet
says err '1 overlay not applied'
same_trees clean live --times none
ok "$CAPSULE" restore carrying.capsule live --quiet --overlays
[ "$("$CAPSULE" plist get live/$defaults /UITest)" = yes ] || fail 'the overlay was not applied'
ok "$CAPSULE" restore carrying.capsule live --overlays
says out 'nothing to change'

# Paths of the container of another installation are told of, and made to lead here on request.
mkdir -p Containers/Data/Application/11111111-2222-3333-4444-555555555555
here="$PWD/Containers/Data/Application/11111111-2222-3333-4444-555555555555"
cp -a clean moved
there=/private/var/mobile/Containers/Data/Application/AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE
python3 - moved/Library/Preferences/paths.plist "$there" <<'END'
import plistlib, sys
plistlib.dump({"last": sys.argv[2] + "/Documents/cat.gif", "other": "/usr/lib"}, open(sys.argv[1], "wb"), fmt=plistlib.FMT_BINARY)
END
ok "$CAPSULE" pack moved -o moved.capsule --quiet
status 0 "$CAPSULE" restore moved.capsule "$here" --quiet
says err "1 path points into the container of another installation.*--rebase-paths"
[ "$("$CAPSULE" plist get "$here/Library/Preferences/paths.plist" /last)" = "$there/Documents/cat.gif" ] || fail 'rebased unasked'
ok "$CAPSULE" restore moved.capsule "$here" --quiet --rebase-paths
[ "$("$CAPSULE" plist get "$here/Library/Preferences/paths.plist" /last)" = "$here/Documents/cat.gif" ] || fail 'not rebased'
[ "$(head -c 6 "$here/Library/Preferences/paths.plist")" = bplist ] || fail 'another encoding'
ok "$CAPSULE" restore moved.capsule "$here" --rebase-paths
says out 'nothing to change'

# Machine output, and the dry run, which writes nothing.
rm -rf live
cp -a run.xcappdata/AppData live
snapshot live before
ok "$CAPSULE" restore base.capsule live --dry-run
says out 'Library/Preferences/com.example.gifs.plist'
says out 'would change: '
ok "$CAPSULE" restore base.capsule live --dry-run --json
python3 - <<'END' || fail 'the JSON is not as it should be'
import json
lines = [json.loads(line) for line in open("out")]
assert lines[0]["schema"] == "capsule.diff" and lines[0]["kind"] == "header"
end = lines[-1]
assert end["schema"] == "capsule.target" and end["changed"] and not end["written"] and end["files"] > 5, end
END
snapshot live after
same before after
status 64 "$CAPSULE" restore base.capsule live --simctl

# What no container holds stays, with the directory around it, and that is said; bits that never come back are no difference.
rm -rf odd odd.capsule
mkdir -p odd/Documents odd/Library
echo a > odd/Documents/a
chmod u+s odd/Documents/a
ok "$CAPSULE" pack odd -o odd.capsule --quiet
chmod u-s odd/Documents/a
mkdir odd/Documents/more
echo more > odd/Documents/more/file
mkfifo odd/Documents/more/pipe
ok "$CAPSULE" restore odd.capsule odd
says err 'Documents/more is kept, because Documents/more/pipe in it is kept'
says err '1 entry differs only in bits that restore never sets'
absent odd/Documents/more/file
[ -p odd/Documents/more/pipe ] || fail 'the pipe is gone'
ok "$CAPSULE" restore odd.capsule odd
says out '^odd: nothing can be changed: 1 directory remains$'
# `diff` counts them, and says that no restore changes that. Bits that a restore takes away are another matter.
for sides in 'odd.capsule odd' 'odd odd.capsule'; do
    status 1 "$CAPSULE" diff $sides Documents/a
    says err 'note: 1 entry differs only in bits that restore never sets'
done
cp -R odd bare
chmod -R u-s bare
chmod u+s bare/Documents/a
ok "$CAPSULE" pack odd -o bare.capsule --quiet
status 1 "$CAPSULE" diff bare.capsule bare Documents/a
says_not err 'never sets'
rm -rf bare bare.capsule
# A file that is written anew loses them, and that is said, too.
echo changed > odd/Documents/a
chmod u+s odd/Documents/a
ok "$CAPSULE" restore odd.capsule odd
says err '1 entry without the setuid'
[ ! -u odd/Documents/a ] || fail 'setuid'

# Where something is to be, what no capsule holds is in the way: it is named, and nothing is changed.
rm -rf odd odd.capsule
mkdir -p odd/Documents odd/Library
echo a > odd/Documents/a
echo b > odd/Documents/b
mkdir odd/Documents/c
echo c > odd/Documents/c/c
ok "$CAPSULE" pack odd -o odd.capsule --quiet
rm odd/Documents/b
mkfifo odd/Documents/b
echo changed > odd/Documents/a
status 2 "$CAPSULE" restore odd.capsule odd
says err 'odd/Documents/b: is a pipe, which a capsule can.t contain, where a file must be'
says err 'hint: delete it'
rm -r odd/Documents/c
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("odd/Documents/c")'
snapshot odd before
status 2 "$CAPSULE" restore odd.capsule odd
says err 'in 2 places'
says err 'odd/Documents/b: is a pipe'
says err 'odd/Documents/c: is a socket.*a directory must be'
snapshot odd after
same before after
ok "$CAPSULE" restore odd.capsule odd --quiet --keep Documents/b --keep Documents/c
[ "$(cat odd/Documents/a)" = a ] || fail 'what was not kept is not restored'
rm odd/Documents/b odd/Documents/c
ok "$CAPSULE" restore odd.capsule odd --quiet
[ "$(cat odd/Documents/b odd/Documents/c/c)" = 'b
c' ] || fail 'not all is restored'
# A link in the place of a file is an entry like others.
rm odd/Documents/b
ln -s a odd/Documents/b
ok "$CAPSULE" restore odd.capsule odd --quiet
[ ! -L odd/Documents/b ] && [ "$(cat odd/Documents/b odd/Documents/a)" = 'b
a' ] || fail 'the link is not a file again'
