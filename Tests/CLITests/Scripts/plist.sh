# Property lists: checked, read, edited in place, converted, printed.
. "$LIB"
need python3
cat > Info.plist << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
	<key>CFBundleVersion</key> <!-- the build -->
	<string>1</string>
	<key>CFBundleURLTypes</key>
	<array>
		<dict>
			<key>CFBundleURLName</key>
			<string>login</string>
		</dict>
	</array>
	<key>n</key>
	<integer>7</integer>
	<key>d</key>
	<data>AAEC</data>
	<key>t</key>
	<date>2026-01-02T03:04:05Z</date>
</dict>
</plist>
END
cp Info.plist base.plist
identity() { ls -lin --time-style=full-iso "$1" 2> /dev/null || ls -linT "$1"; }

# get: scalars as scripts want them.
for pair in '/CFBundleVersion 1' ':CFBundleVersion 1' '/CFBundleURLTypes/0/CFBundleURLName login' '/n 7' '/d AAEC' \
    '/CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLName login' ':CFBundleURLTypes:0:CFBundleURLName login' \
    '/t 2026-01-02T03:04:05Z'; do
    ok "$CAPSULE" plist get Info.plist "${pair% *}"
    [ "$(cat out)" = "${pair##* }" ] || fail "$pair"
done
ok "$CAPSULE" plist get --json Info.plist /d
printf '{"schema":"capsule.plist-get","version":1,"type":"data","value":{"$data":"AAEC","bytes":3}}\n' | cmp -s - out || fail json
ok "$CAPSULE" plist get Info.plist ''
says out '^dictionary of 5$'
status 2 "$CAPSULE" plist get Info.plist /cfBundleVersion
says err '^Info.plist:3:1: error: no key "cfBundleVersion"'
says err "hint: did you mean 'CFBundleVersion'?$"
status 2 "$CAPSULE" plist get Info.plist '/CFBundleURLTypes/[CFBundleURLName=x]'
says err 'the array has "login"'
status 2 "$CAPSULE" plist get Info.plist CFBundleVersoin
says err "hint: did you mean 'CFBundleVersion'?$"
status 2 "$CAPSULE" plist get Info.plist 'CFBundleURLTypes[0].CFBundleURLName'
says err "hint: separate keys with '/': 'CFBundleURLTypes/0'$"
status 2 "$CAPSULE" plist get Info.plist /CFBundleURLTypes.0.CFBundleURLName
says err "hint: separate keys with '/': 'CFBundleURLTypes/0/CFBundleURLName'$"
status 2 "$CAPSULE" plist get Info.plist '/CFBundleURLTypes[0]'
says err "hint: separate keys with '/': 'CFBundleURLTypes/0'$"
# A default for what is missing, and for nothing else.
ok "$CAPSULE" plist get Info.plist /gone/deeper --default 'a b'
[ "$(cat out)" = 'a b' ] || fail 'not the default'
ok "$CAPSULE" plist get Info.plist /n --default 8
[ "$(cat out)" = 7 ] || fail 'not the value'
status 2 "$CAPSULE" plist get gone.plist /n --default 8

# set without a type keeps it, and never changes it unnoticed.
cp Info.plist typed.plist
ok "$CAPSULE" plist set typed.plist /n 8
ok "$CAPSULE" plist set typed.plist /t 2026-02-03T04:05:06Z
ok "$CAPSULE" plist set typed.plist d AAED
status 0 "$CAPSULE" plist set typed.plist new true
status 0 "$CAPSULE" plist set typed.plist b -bool YES
status 0 "$CAPSULE" plist set typed.plist b no
status 0 "$CAPSULE" plist set typed.plist i -int 5
status 0 "$CAPSULE" plist set typed.plist f -float 1.5
status 0 "$CAPSULE" plist set typed.plist x -data 0aFF
status 0 "$CAPSULE" plist set typed.plist s -string -5
ok "$CAPSULE" plist print typed.plist
for line in 'n: *integer 8' 't: *date 2026-02-03' 'new: *string "true"' 'b: *boolean false' 'i: *integer 5' 'f: *real 1.5' 's: *string "-5"'; do
    says out "$line"
done
[ "$("$CAPSULE" plist get typed.plist x)" = Cv8= ] || fail 'other data'
[ "$("$CAPSULE" plist get typed.plist d)" = AAED ] || fail 'other data'
cp typed.plist before.plist
for pair in '/n 1.5' '/b perhaps' '/CFBundleURLTypes 1'; do
    status 64 "$CAPSULE" plist set typed.plist "${pair% *}" "${pair#* }"
    says err "^capsule: hint: '--string' changes the type"
done
status 64 "$CAPSULE" plist set typed.plist x -data AAE
same typed.plist before.plist

# set: that value's bytes alone, and nothing at all if it is there.
ok "$CAPSULE" plist set Info.plist /CFBundleVersion --string 42
sed 's|<string>1</string>|<string>42</string>|' base.plist > wanted
same Info.plist wanted
before=$(identity Info.plist)
ok "$CAPSULE" plist set Info.plist /CFBundleVersion --string 42
says out 'nothing to change'
[ "$before" = "$(identity Info.plist)" ] || fail 'written again'
for pair in '--integer 8' '--integer 0xFF' '--integer 18446744073709551615' '--real 1e300' '--bool YES' '--data 3q2+7w==' \
    '--date 2026-03-14T09:26:53Z' '--string ' '--from-json {"a":[1,{"$data":"AAEC"}]}'; do
    status 0 "$CAPSULE" plist set Info.plist /x "${pair%% *}" "${pair#* }"
done
python3 -c 'import plistlib; assert plistlib.load(open("Info.plist", "rb"))["x"] == {"a": [1, b"\0\1\2"]}'
ok "$CAPSULE" plist set Info.plist /CFBundleURLTypes/- --from-json '{"CFBundleURLName":"other"}'
ok "$CAPSULE" plist remove Info.plist '/CFBundleURLTypes/[CFBundleURLName=other]'
ok "$CAPSULE" plist remove Info.plist /x
ok "$CAPSULE" plist set Info.plist /CFBundleVersion --string 1
same Info.plist base.plist
for bad in '--integer 1.5' '--integer 18446744073709551616' '--real x' '--bool maybe' '--data @' '--date today' '--from-json {' \
    '--from-json {"a":1,"a":2}'; do
    status 64 "$CAPSULE" plist set Info.plist /x "${bad%% *}" "${bad#* }"
done
status 64 "$CAPSULE" plist set Info.plist /x
status 64 "$CAPSULE" plist set Info.plist '' --string x
status 2 "$CAPSULE" plist set Info.plist /no/where --string x
status 2 "$CAPSULE" plist remove Info.plist /nowhere
same Info.plist base.plist
ok "$CAPSULE" plist set - /n --integer 8 -o - < Info.plist
says out '<integer>8</integer>'
status 64 "$CAPSULE" plist set - /n --integer 8 < Info.plist

# lint: each file by itself.
printf '<plist><dict><key>a</key><string/><key>a</key><true/></dict></plist>' > twice.plist
ok "$CAPSULE" plist lint Info.plist
says out '^Info.plist: OK, xml$'
status 2 "$CAPSULE" plist lint twice.plist Info.plist nowhere
says out '^Info.plist: OK'
says err '^twice.plist:1:[0-9]*: error: duplicate key "a", first at 1:[0-9]* (at /a)$'
says err '^capsule: error: nowhere: '
status 0 "$CAPSULE" plist lint --lenient twice.plist
says err '^twice.plist:1:[0-9]*: warning: duplicate key'
ok "$CAPSULE" plist convert binary Info.plist -o Info.binary
"$CAPSULE" plist lint --json Info.plist Info.binary | sed 's/.*"valueDigest":\("[0-9a-f]*"\).*/\1/' | uniq -c | grep -q '^ *2 ' ||
    fail 'one value, two digests'

# convert: in place or elsewhere; what the other encoding can't hold is told.
python3 -c 'import plistlib
assert plistlib.load(open("Info.plist", "rb")) == plistlib.load(open("Info.binary", "rb"), fmt=plistlib.FMT_BINARY)'
status 2 "$CAPSULE" plist convert json Info.plist -o Info.json
says err '^Info.plist:15:2: error: JSON has no data (at /d)$'
absent Info.json
status 0 "$CAPSULE" plist convert json Info.plist -o Info.json --lossy
says err 'warning: .*(at /d)'
says err 'warning: .*(at /t)'
says Info.json '"d": "AAEC"'
status 2 "$CAPSULE" plist convert xml Info.binary -o Info.plist
says err 'already exists'
ok "$CAPSULE" plist convert xml Info.binary
head -c 5 Info.binary | grep -q '<?xml' || fail 'not in place'
status 2 "$CAPSULE" plist convert openstep Info.json -o Info.strings
status 0 "$CAPSULE" plist convert openstep Info.json -o Info.strings --lossy
says Info.strings 'CFBundleURLName = login;'

# print: all of it, and nothing that a terminal would obey.
ok "$CAPSULE" plist print Info.plist
says out '^  CFBundleVersion: string "1"$'
says out '^  d: data of 3 bytes, AAEC$'
printf '{"a":"\\u001b[31m"}' > escape.json
ok "$CAPSULE" plist print escape.json
says out 'a: string "\\u{1B}\[31m"'

# A full disk, a directory that may not be written: nothing is lost.
status 2 "$CAPSULE" plist set Info.plist /n --integer 8 -o nowhere/Info.plist
same Info.plist base.plist
