# plist add, append, delete, key paths, --create-parents, and a type that changes.
. "$LIB"
need python3
cat > base.plist << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
	<key>CFBundleIdentifier</key> <!-- kept -->
	<string>com.example</string>
	<key>list</key>
	<array>
		<string>one</string>
	</array>
	<key>com.example.setting</key>
	<integer>1</integer>
	<key>a.b</key>
	<integer>2</integer>
	<key>a</key>
	<dict>
		<key>b</key>
		<integer>3</integer>
		<key>c.d</key>
		<integer>4</integer>
	</dict>
</dict>
</plist>
END
fresh() { cp base.plist f.plist; }
get() { "$CAPSULE" plist get f.plist "$1"; }
untouched() { same f.plist base.plist; }
fresh

# Without a pointer: all of it, as with an empty one.
ok "$CAPSULE" plist get f.plist
mv out whole
ok "$CAPSULE" plist get f.plist ''
same out whole
says out '^dictionary of 5$'

# Key paths of plutil. A key that is all of the text comes first, and a note says what else there is.
for pair in 'CFBundleIdentifier com.example' 'list.0 one' 'a.c\.d 4' 'com.example.setting 1' 'list.[=one] one'; do
    ok "$CAPSULE" plist get f.plist "${pair% *}"
    [ "$(cat out)" = "${pair##* }" ] || fail "$pair"
done
status 0 "$CAPSULE" plist get f.plist a.b
[ "$(cat out)" = 2 ] || fail 'not the key'
says err "^capsule: note: 'a.b' is read as one key; '/a/b' is the other value that it could name$"
for spelling in /a/b :a:b; do
    ok "$CAPSULE" plist get f.plist $spelling
    [ "$(cat out)" = 3 ] || fail "$spelling"
done
status 64 "$CAPSULE" plist get f.plist a..b
says err "hint: write '\\\\.' for a dot in a key"
status 64 "$CAPSULE" plist set f.plist a/b --integer 1
says err "hint: start a pointer with '/': '/a/b'"
status 2 "$CAPSULE" plist get f.plist list.one
says err 'is not a place in an array'
untouched

# A slip in a key, in every edit and in an overlay.
for edit in 'get CFBundleIdentifer' 'remove /CFBundleIdentifer' 'delete CFBundleIdentifer' 'append lits --string x'; do
    set -- $edit
    verb=$1
    shift
    status 2 "$CAPSULE" plist "$verb" f.plist "$@"
    says err 'error: no key "'
    says err "hint: did you mean '\(CFBundleIdentifier\|list\)'?"
done
echo '[{"op": "replace", "path": "/CFBundleIdentifer", "value": "x"}]' > patch.json
status 2 "$CAPSULE" apply patch.json f.plist
says err "hint: did you mean 'CFBundleIdentifier'?$"
untouched

# add: nothing that is there is changed; in an array it inserts.
ok "$CAPSULE" plist add f.plist /new --string x
[ "$(get /new)" = x ] || fail add
sed '/<key>new/,/<string>x/d' f.plist > rest.plist
same rest.plist base.plist
status 2 "$CAPSULE" plist add f.plist /new --string y
says err '^f.plist:[0-9]*:[0-9]*: error: the key "new" already exists (at /new)$'
says err "hint: 'plist set' changes its value$"
[ "$(get /new)" = x ] || fail 'changed'
ok "$CAPSULE" plist add f.plist list.0 --string zero
[ "$(get list.0) $(get list.1)" = 'zero one' ] || fail insert
status 64 "$CAPSULE" plist add f.plist '' --string x
status 64 "$CAPSULE" plist add f.plist '' --string x --force
status 64 "$CAPSULE" plist add f.plist /x
status 64 "$CAPSULE" plist append f.plist /x --string a --integer 1

# append: to arrays alone.
fresh
ok "$CAPSULE" plist append f.plist list --string two
[ "$(get /list/1)" = two ] || fail append
status 2 "$CAPSULE" plist append f.plist a --string x
says err 'error: a dictionary is not an array, so nothing can be appended (at /a)$'
status 2 "$CAPSULE" plist append f.plist many --string x
says err 'error: no key "many"'
says err "hint: .*'--create-parents' creates what is missing$"
ok "$CAPSULE" plist append f.plist many --string x --create-parents
[ "$(get many.0)" = x ] || fail 'no array was created'
echo '[1]' > list.json
ok "$CAPSULE" plist append -q list.json '' --integer 2
[ "$(tr -d ' \n' < list.json)" = '[1,2]' ] || fail 'the root'

# delete is remove.
fresh
ok "$CAPSULE" plist delete f.plist /a
status 2 "$CAPSULE" plist get f.plist /a
fresh
status 0 "$CAPSULE" plist delete f.plist a.b
[ "$(get /a/b)" = 3 ] || fail 'not the key was removed'

# --create-parents: dictionaries, and arrays where the next step is their end.
fresh
status 2 "$CAPSULE" plist set f.plist /A/B/C --integer 5
says err 'error: no key "A" (at /A)$'
says err "hint: .*'--create-parents' creates what is missing$"
untouched
ok "$CAPSULE" plist set -q f.plist A.B.C --integer 5 --create-parents
[ "$(get /A/B/C)" = 5 ] || fail 'not created'
ok "$CAPSULE" plist add f.plist /Types/-/Schemes/0 --string gifs --create-parents
[ "$(get Types.0.Schemes.0)" = gifs ] || fail 'no arrays'
ok "$CAPSULE" plist add f.plist /Types/-/Name --string second --create-parents
[ "$(get Types.1.Name)" = second ] || fail 'no element'
says f.plist '<!-- kept -->'
cp f.plist kept.plist
for place in /X/5 /Types/7/Name '/Types/[Name=third]/Name' /CFBundleIdentifier/x/y; do
    status 2 "$CAPSULE" plist set f.plist "$place" --string x --create-parents
    same f.plist kept.plist
done
status 64 "$CAPSULE" plist remove f.plist /A --create-parents
# Other encodings hold the same.
for encoding in binary json openstep; do
    fresh
    status 0 "$CAPSULE" plist convert -q $encoding f.plist --lossy
    ok "$CAPSULE" plist set -q -q f.plist /P/Q/- --string v --create-parents
    [ "$(get P.Q.0)" = v ] || fail "$encoding"
done

# A type that changes is told, as by apply; the same type is not.
fresh
status 0 "$CAPSULE" plist set f.plist /a/b --string 3
says err '^f.plist:[0-9]*:[0-9]*: warning: an integer becomes a string (at /a/b)$'
fresh
status 0 "$CAPSULE" plist set -q f.plist /list --bool true
says err 'warning: an array becomes a boolean (at /list)$'
fresh
status 0 "$CAPSULE" plist set --json f.plist /a/b --bool true
printf '%s\n' '{"schema":"capsule.plist-edit","version":1,"file":"f.plist","changed":true,"written":true,"notes":[{"pointer":"/a/b","message":"an integer becomes a boolean"}]}' |
    cmp -s - out || fail 'json of a changed type'
fresh
ok "$CAPSULE" plist set -q f.plist /a/b --integer 9
says_not err warning

# print: for scripts as JSON.
fresh
ok "$CAPSULE" plist print --json f.plist
python3 - << 'END'
import json
report = json.loads(open("out").read())
assert [report[key] for key in ("schema", "version", "file", "encoding", "type")] == ["capsule.plist-print", 1, "f.plist", "xml", "dictionary"]
assert report["value"]["a"] == {"b": 3, "c.d": 4}, report
END
status 64 "$CAPSULE" plist print --json --unarchive f.plist
says err 'decoded objects have no JSON form'
