# An overlay on a container that changed meanwhile: what both did is merged, or refused with each conflict named.
. "$LIB"
. "$TOOLS/trees.sh"

mkdir base
python3 - << 'EOF'
import plistlib
plistlib.dump({"A": 1, "B": 1, "C": 1}, open("base/Info.plist", "wb"))
EOF
printf 'one\ntwo\nthree\nfour\nfive\n' > base/list.txt
printf '\0\1\2' > base/bytes
cp -a base after
python3 - << 'EOF'
import plistlib
plistlib.dump({"A": 2, "B": 1, "C": 1}, open("after/Info.plist", "wb"))
EOF
printf 'ONE\ntwo\nthree\nfour\nfive\n' > after/list.txt
chmod 600 after/list.txt
status 1 "$CAPSULE" diff base after --overlay run.capsule

cp -a base live
python3 - << 'EOF'
import plistlib
plistlib.dump({"A": 1, "B": 2, "C": 1}, open("live/Info.plist", "wb"))
EOF
printf 'one\ntwo\nthree\nfour\nFIVE\n' > live/list.txt
cp -a live untouched
status 2 "$CAPSULE" apply run.capsule live --different-app
says err "'--three-way' merges the overlay's changes"
same_trees live untouched
ok "$CAPSULE" apply run.capsule live --three-way --different-app --undo back.capsule
python3 - << 'EOF' || fail "the property list was not merged"
import plistlib
assert plistlib.load(open("live/Info.plist", "rb")) == {"A": 2, "B": 2, "C": 1}
EOF
[ "$(tr '\n' ' ' < live/list.txt)" = "ONE two three four FIVE " ] || fail "the text was not merged"
[ -z "$(find live/list.txt ! -perm 600)" ] || fail "the mode was not taken"
ok "$CAPSULE" apply back.capsule live --different-app
ok "$CAPSULE" diff live untouched

# What both changed is refused, each place named, and nothing is changed.
python3 - << 'EOF'
import plistlib
plistlib.dump({"A": 3, "B": 1, "C": 1}, open("live/Info.plist", "wb"))
EOF
rm -rf untouched
cp -a live untouched
status 2 "$CAPSULE" apply run.capsule live --three-way --different-app
says err 'Info.plist: value at /A'
same_trees live untouched

# An overlay that carries no bytes of before has nothing to merge with.
status 1 "$CAPSULE" diff base after --overlay oneway.capsule --one-way
status 2 "$CAPSULE" apply oneway.capsule live --three-way --different-app
same_trees live untouched
status 64 "$CAPSULE" apply run.capsule live --three-way --force

# Both the same: what is there already is merged with nothing, and only the mode with the mode.
mkdir -p same/a same/b
printf 'one\n' > same/a/text
printf '\0\1' > same/a/bytes
cp -a same/a/. same/b
printf 'two\n' > same/b/text
printf '\0\2' > same/b/bytes
chmod 644 same/?/*
status 1 "$CAPSULE" diff same/a same/b --overlay same.capsule
cp -a same/b same/live
chmod 600 same/live/text same/live/bytes
ok "$CAPSULE" apply same.capsule same/live --three-way --different-app
says out 'nothing to change'
[ -z "$(find same/live -type f ! -perm 600)" ] || fail "the mode was not kept"
cp -a same/a same/other
chmod 600 same/other/text same/other/bytes
ok "$CAPSULE" apply same.capsule same/other --three-way --different-app
same_trees same/other same/live --times none
# Of three modes two are new.
chmod 640 same/b/*
status 1 "$CAPSULE" diff same/a same/b --overlay same.capsule --force
status 2 "$CAPSULE" apply same.capsule same/live --three-way --different-app
says err 'bytes: both sides changed its mode or attributes'
says err 'text: both sides changed its mode or attributes'

# A database whose mode drifted finds no log of another one beside it.
mkdir -p database/a
python3 - << 'EOF'
import sqlite3
connection = sqlite3.connect("database/a/store.db")
connection.execute("create table t(a)")
connection.commit()
EOF
cp -a database/a database/b
python3 - << 'EOF'
import sqlite3
connection = sqlite3.connect("database/b/store.db")
connection.execute("insert into t values (1)")
connection.commit()
EOF
status 1 "$CAPSULE" diff database/a database/b --overlay database.capsule
cp -a database/a database/live
chmod 600 database/live/store.db
echo log > database/live/store.db-journal
status 2 "$CAPSULE" apply database.capsule database/live --three-way --different-app
says err 'store.db-journal: exists'
rm database/live/store.db-journal
ok "$CAPSULE" apply database.capsule database/live --three-way --different-app
same database/live/store.db database/b/store.db

# A large text, of which an overlay carries what changed; all of it if it is asked to.
mkdir -p large/a
python3 -c 'for n in range(9000): print("line", n, n * n % 9973)' > large/a/log.txt
cp -a large/a large/b
cp -a large/a large/live
sed 's/^line 100 .*/overlay/; s/^line 8000 .*/overlay, too/' large/a/log.txt > large/b/log.txt
sed 's/^line 4000 .*/target/' large/a/log.txt > large/live/log.txt
sed 's/^line 4000 .*/target/' large/b/log.txt > merged
cp -a large/live untouched-large
status 1 "$CAPSULE" diff large/a large/b --overlay short.capsule
status 2 "$CAPSULE" apply short.capsule large/live --three-way --different-app
says err 'log.txt: its content is not what the overlay was made for'
says err "hint: .*--carry-whole"
same_trees large/live untouched-large
status 1 "$CAPSULE" diff large/a large/b --overlay long.capsule --carry-whole
ok "$CAPSULE" verify --strict long.capsule
ok "$CAPSULE" overlay invert long.capsule -o inverse.capsule
ok "$CAPSULE" apply long.capsule large/live --three-way --different-app
same large/live/log.txt merged
ok "$CAPSULE" apply inverse.capsule large/live --three-way --different-app
same_trees large/live untouched-large --times none
ok "$CAPSULE" apply long.capsule large/live --force --different-app
same large/live/log.txt large/b/log.txt

# What both made: an empty base.
mkdir -p added/a added/b added/live
echo x > added/a/x
cp added/a/x added/b/x
cp added/a/x added/live/x
echo '{"a": 1, "both": 2}' > added/b/new.json
echo '{"z": 3, "both": 2}' > added/live/new.json
printf 'first\noverlay\n' > added/b/new.txt
printf 'first\noverlay\n' > added/live/new.txt
chmod 644 added/b/new.* added/live/new.*
status 1 "$CAPSULE" diff added/a added/b --overlay added.capsule
ok "$CAPSULE" apply added.capsule added/live --three-way --different-app
python3 - << 'EOF' || fail "the JSON was not merged"
import json
assert json.load(open("added/live/new.json")) == {"a": 1, "z": 3, "both": 2}
EOF
same added/live/new.txt added/b/new.txt

# All places are told at once, and whether anything is missing.
printf 'first\ntarget\n' > added/live/new.txt
rm added/live/new.json
mkdir added/live/new.json
status 2 "$CAPSULE" apply added.capsule added/live --three-way --different-app
says err "error: the overlay can't be merged with the target in 2 places; nothing was changed"
says err 'new.json: already exists as a directory'
says err 'new.txt: text was changed both by the overlay and in the target'
says err "hint: .*'capsule merge'"

# By value, with a mode: the mode and then the values.
mkdir -p value/a value/b
for side in a b; do cp base/Info.plist value/$side; done
cp after/Info.plist value/b
chmod 644 value/a/Info.plist
chmod 600 value/b/Info.plist
status 1 "$CAPSULE" diff value/a value/b --overlay value.plist --by-value
ok "$CAPSULE" apply value.plist value/a --different-app
same_trees value/a value/b --times none

# The hint does not offer --force where the content of a file is nowhere: the overlay has only its new mode.
mkdir m-old
echo text > m-old/script
chmod 644 m-old/script
cp -R m-old m-new
chmod 755 m-new/script
cp -R m-old m-target
rm m-target/script
status 1 "$CAPSULE" diff m-old m-new --overlay mode.capsule -q
status 2 "$CAPSULE" apply mode.capsule m-target
says err 'script: does not exist'
says_not err '[-][-]force'
says err "hint: '--three-way' merges"
