# A merged Core Data store has every file that its rows name, whoever deleted it.
. "$LIB"
need sqlite3

mkdir -p base/Library/.Model_SUPPORT/_EXTERNAL_DATA
python3 - << 'EOF'
import sqlite3
connection = sqlite3.connect("base/Library/Model.sqlite")
connection.executescript("""
CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 3), (2, 'Tag', 0, 0);
INSERT INTO Z_METADATA VALUES (1, 'U', x'00');
CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZIMAGE BLOB);
CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNOTE INTEGER REFERENCES ZNOTE(Z_PK));
""")
for number in (1, 2, 3):
    name = f"0000000{number}-0000-4000-8000-000000000000"
    connection.execute("INSERT INTO ZNOTE VALUES (?, 1, 1, 'note', ?)", (number, b"\x02" + name.encode() + b"\0"))
    open("base/Library/.Model_SUPPORT/_EXTERNAL_DATA/" + name, "w").write(f"blob {number}\n")
connection.commit()
EOF
cp -a base ours
cp -a base theirs
blobs=Library/.Model_SUPPORT/_EXTERNAL_DATA
one=00000001-0000-4000-8000-000000000000
two=00000002-0000-4000-8000-000000000000
three=00000003-0000-4000-8000-000000000000

# Ours deletes notes and their files; theirs changes one of them.
sqlite3 ours/Library/Model.sqlite 'DELETE FROM ZNOTE WHERE Z_PK IN (1, 2)'
rm "ours/$blobs/$one" "ours/$blobs/$two"
sqlite3 theirs/Library/Model.sqlite "UPDATE ZNOTE SET ZTITLE = 'theirs' WHERE Z_PK = 1"
for form in live stored; do
    if [ "$form" = stored ]; then
        for side in base ours theirs; do ok "$CAPSULE" pack "$side" -o "$side.capsule"; done
        suffix=.capsule
    else
        suffix=
    fi
    status 0 "$CAPSULE" merge "base$suffix" "ours$suffix" "theirs$suffix" -o "back-$form" --prefer theirs
    [ "$(sqlite3 "back-$form/Library/Model.sqlite" 'SELECT Z_PK FROM ZNOTE ORDER BY 1')" = "1
3" ] || fail 'other rows'
    only "back-$form/$blobs" "$one" "$three"
    same "back-$form/$blobs/$one" "base/$blobs/$one"
    # Exchanged, with the sides' own words for the same.
    status 0 "$CAPSULE" merge "base$suffix" "theirs$suffix" "ours$suffix" -o "swapped-$form" --prefer ours
    ok "$CAPSULE" diff "back-$form" "swapped-$form"
    # Where the row stays away, so does its file.
    status 0 "$CAPSULE" merge "base$suffix" "ours$suffix" "theirs$suffix" -o "away-$form" --prefer ours
    only "away-$form/$blobs" "$three"
done

# All of them gone on one side, with their directory.
rm -r "ours/Library/.Model_SUPPORT"
sqlite3 ours/Library/Model.sqlite 'DELETE FROM ZNOTE'
sqlite3 theirs/Library/Model.sqlite "UPDATE ZNOTE SET ZTITLE = 'theirs' WHERE Z_PK = 3"
status 0 "$CAPSULE" merge base ours theirs -o all --prefer theirs
only "all/$blobs" "$one" "$three"

# With a conflict open that nothing fits around, the store is ours as a whole: theirs' deletion of a file is not of its rows.
rm -r ours theirs
cp -a base ours
cp -a base theirs
sqlite3 ours/Library/Model.sqlite 'DELETE FROM ZNOTE WHERE Z_PK = 2'
rm "ours/$blobs/$two"
sqlite3 theirs/Library/Model.sqlite "UPDATE ZNOTE SET ZTITLE = 'theirs' WHERE Z_PK = 2; INSERT INTO ZTAG VALUES (1, 2, 1, 2);
    DELETE FROM ZNOTE WHERE Z_PK = 1"
rm "theirs/$blobs/$one"
status 1 "$CAPSULE" merge base ours theirs -o partial --partial
says err 'not merged while conflicts are open'
[ "$(sqlite3 partial/Library/Model.sqlite 'SELECT Z_PK FROM ZNOTE ORDER BY 1')" = "1
3" ] || fail 'not the rows of ours'
only "partial/$blobs" "$one" "$three"
