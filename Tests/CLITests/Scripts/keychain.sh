# '--keychain': the keychain of an app's whole simulator is packed, compared, restored and undone, and goes nowhere unasked.
. "$LIB"
need python3
HOME=$PWD/home
export HOME
set=$HOME/Library/Developer/CoreSimulator/Devices
mkdir -p "$HOME"
python3 "$TOOLS/make_simulators.py" "$set" --devices 2 --apps 3 --keychain > listed
# value KEY DEVICE: what the listing has of a simulator's com.example.app01.
value() { sed -n "/\"device\": \"$2\", \"identifier\": \"com.example.app01\", \"kind\": \"data\"/s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" listed; }
app='sim:iPhone 16/com.example.app01'
booted=sim:booted/com.example.app01
keys=$set/$(value udid 'iPhone 16')/data/Library/Keychains
keysOfBooted=$set/$(value udid 'iPhone 16 Pro')/data/Library/Keychains
# items DIRECTORY: the accounts in a keychain, read from a copy.
items() {
    rm -rf copied && mkdir copied && cp "$1"/keychain-2-debug.db* copied
    python3 -c "import sqlite3; print(*sorted(row[0] for row in sqlite3.connect('copied/keychain-2-debug.db').execute('SELECT acct FROM genp')))"
}
# item DIRECTORY NAME: adds an item.
item() {
    python3 - "$@" << 'EOF'
import sqlite3, sys
made = sqlite3.connect(sys.argv[1] + "/keychain-2-debug.db")
made.execute("INSERT INTO genp(acct, agrp, data) VALUES(?, 'TEAM.com.example.app02', x'5ec7e7dd5ec7e7dd')", (sys.argv[2],))
made.commit()
EOF
}
# digest DIRECTORY: of all files in it.
digest() { (cd "$1" && for file in *; do printf '%s ' "$file"; cksum < "$file"; done); }
mode() { python3 -c "import os, sys; print(oct(os.stat(sys.argv[1]).st_mode & 0o777))" "$1"; }

# Packed on request alone, with a warning, for the owner alone.
umask 022
ok "$CAPSULE" pack "$app" -o plain.capsule
ok "$CAPSULE" ls plain.capsule
says_not out Keychain
[ "$(mode plain.capsule)" = 0o644 ] || fail "the mode of plain.capsule is $(mode plain.capsule)"
status 0 "$CAPSULE" pack "$app" --keychain -o base.capsule --label clean
says err "warning: the capsule holds the device's whole keychain"
[ "$(mode base.capsule)" = 0o600 ] || fail "the mode is $(mode base.capsule)"
ok "$CAPSULE" ls base.capsule
says out 'AppGroups/Keychain/keychain-2-debug.db$'
says out 'AppGroups/Keychain/keychain-2-debug.db-wal$'
says_not out TrustStore
ok "$CAPSULE" info base.capsule
says out 'keychain  *of the whole device'
ok "$CAPSULE" verify --strict base.capsule
cp plain.capsule grown.capsule
status 0 "$CAPSULE" pack "$app" --keychain --append -o grown.capsule
says err "warning: the capsule holds the device's whole keychain"
[ "$(mode grown.capsule)" = 0o600 ] || fail "the mode is $(mode grown.capsule)"

# Only a simulator has one.
mkdir -p Data/Documents Data/Library Data/tmp
status 64 "$CAPSULE" pack Data --keychain -o no.capsule
says err "is not an app's container on a simulator, and '--keychain' works only there"
status 64 "$CAPSULE" pack plain.capsule --keychain -o no.capsule
says err 'has no keychain'
mkdir group
status 64 "$CAPSULE" pack "$app" --group Keychain=group -o no.capsule
says err "is the name of the device's keychain"
[ ! -e no.capsule ] || fail 'a capsule was written'

# diff: rows by table, without what is secret; not compared if only one side has it.
item "$keys" dave
status 1 "$CAPSULE" diff base.capsule "$app" --keychain
says out 'AppGroups/Keychain/keychain-2-debug.db'
says out genp
says_not out 5ec7e7
status 0 "$CAPSULE" diff base.capsule "$app"
says err "the device's keychain is not compared: only one side has it"

# restore: only on request, all other files of the directory stay.
status 0 "$CAPSULE" restore base.capsule "$app"
says err "the device's keychain is not restored: '--keychain' restores it"
[ "$(items "$keys")" = 'alice carol dave' ] || fail "items: $(items "$keys")"
echo other > "$(value path 'iPhone 16')/Documents/note.txt"
status 0 "$CAPSULE" restore plain.capsule "$app"
says err "note: logins are in the device's keychain"
status 64 "$CAPSULE" restore plain.capsule "$app" --keychain
says err 'has no keychain'
status 0 "$CAPSULE" restore base.capsule "$app" --keychain --undo back.capsule
[ "$(items "$keys")" = 'alice carol' ] || fail "items: $(items "$keys")"
[ "$(cat "$keys/TrustStore.sqlite3")" = 'not the keychain' ] || fail 'another file changed'
[ ! -e "$keys/.capsule-transaction" ] || fail 'a transaction is left'
[ "$(mode back.capsule)" = 0o600 ] || fail "the mode of the undo file is $(mode back.capsule)"
ok "$CAPSULE" restore base.capsule "$app" --keychain --check
# undo brings it back, on request.
status 0 "$CAPSULE" undo back.capsule "$app"
says err "changes of the device's keychain are skipped: '--keychain' makes them"
status 0 "$CAPSULE" undo back.capsule "$app" --keychain
[ "$(items "$keys")" = 'alice carol dave' ] || fail "items: $(items "$keys")"

# A booted simulator is refused before anything is touched.
echo changed > "$(value path 'iPhone 16 Pro')/Documents/note.txt"
status 0 "$CAPSULE" pack "$booted" --keychain -o booted.capsule
before=$(digest "$keysOfBooted")
echo again > "$(value path 'iPhone 16 Pro')/Documents/note.txt"
status 64 "$CAPSULE" restore booted.capsule "$booted" --keychain
says err "the simulator is not shut down, so its keychain can't be replaced"
says err "hint: '--simctl' shuts it down and boots it again"
[ "$(digest "$keysOfBooted")" = "$before" ] || fail 'the keychain changed'
[ "$(cat "$(value path 'iPhone 16 Pro')/Documents/note.txt")" = again ] || fail 'the container changed'

# It goes nowhere unasked.
status 64 "$CAPSULE" push base.capsule oci:layout:main
says err "version 1 holds a device's whole keychain"
[ ! -e layout ] || fail 'something was pushed'
ok "$CAPSULE" push base.capsule oci:layout:main --keychain
status 0 "$CAPSULE" unpack base.capsule -o left.xcappdata
says err "note: the device's keychain is left out: '--keychain' includes it"
[ ! -e left.xcappdata/AppGroups ] || fail 'the keychain was unpacked'
status 0 "$CAPSULE" unpack base.capsule -o left.tar
says err "the device's keychain is left out"
ok "$CAPSULE" ls left.tar
says_not out Keychain
ok "$CAPSULE" unpack base.capsule -o whole.xcappdata --keychain
[ -f whole.xcappdata/AppGroups/Keychain/keychain-2-debug.db ] || fail 'the keychain was not unpacked'
status 0 "$CAPSULE" pack base.capsule -o again.capsule
says err "the device's keychain is left out"
ok "$CAPSULE" ls again.capsule
says_not out Keychain
status 0 "$CAPSULE" pack "$app" --keychain --append -o base.capsule
status 0 "$CAPSULE" show base.capsule --html page.html
says_not page.html keychain-2-debug
status 0 "$CAPSULE" show base.capsule --html page.html --force --keychain
says page.html keychain-2-debug
status 1 "$CAPSULE" diff base.capsule@1 base.capsule@2 --keychain --html page.html --force
says page.html keychain-2-debug
status 0 "$CAPSULE" diff base.capsule@1 base.capsule@2 --html page.html --force
says_not page.html keychain-2-debug

# The app groups stay what they are without it.
grouped='sim:iPhone 16/com.example.app00'
echo one > "$(sed -n '/"device": "iPhone 16", "identifier": "group.com.example.app00"/s/.*"path": "\([^"]*\)".*/\1/p' listed)/store.txt"
status 0 "$CAPSULE" pack "$grouped" --keychain -o grouped.capsule
status 0 "$CAPSULE" pack "$grouped" -o without.capsule
status 0 "$CAPSULE" unpack grouped.capsule -o grouped.xcappdata
ok "$CAPSULE" unpack without.capsule -o without.xcappdata
same_trees grouped.xcappdata without.xcappdata
present grouped.xcappdata/AppGroups/group.com.example.app00/store.txt
status 0 "$CAPSULE" pack grouped.capsule -o again.capsule --force
ok "$CAPSULE" verify --strict again.capsule
ok "$CAPSULE" diff again.capsule without.capsule

# In a project.
mkdir project
cat > project/.capsule.plist << 'EOF'
{"App": "sim:iPhone 16/com.example.app01", "File": "state.capsule", "Keychain": true}
EOF
cd project
status 0 "$CAPSULE" pack --label clean
says err "warning: the capsule holds the device's whole keychain"
item "$keys" erin
status 0 "$CAPSULE" restore @clean
[ "$(items "$keys")" = 'alice carol dave' ] || fail "items: $(items "$keys")"
status 0 "$CAPSULE" undo
[ "$(items "$keys")" = 'alice carol dave erin' ] || fail "items: $(items "$keys")"
cd ..

# What is damaged is packed as it is. Links are never followed, and without a keychain there is none to take.
printf 'SQLite format 3\0garbage' > "$keys/keychain-2-debug.db"
status 0 "$CAPSULE" pack "$app" --keychain -o damaged.capsule
ok "$CAPSULE" cat damaged.capsule AppGroups/Keychain/keychain-2-debug.db
says out garbage
echo elsewhere > elsewhere
rm -f "$keys/keychain-2-debug.db-wal"
ln -s "$PWD/elsewhere" "$keys/keychain-2-debug.db-wal"
status 2 "$CAPSULE" pack "$app" --keychain -o no.capsule
says err 'keychain-2-debug.db-wal: is not a regular file'
mv "$keys" moved
ln -s "$PWD/moved" "$keys"
status 2 "$CAPSULE" pack "$app" --keychain -o no.capsule
rm "$keys"
status 2 "$CAPSULE" pack "$app" --keychain -o no.capsule
says err 'the simulator has no keychain'
[ ! -e no.capsule ] || fail 'a capsule was written'
