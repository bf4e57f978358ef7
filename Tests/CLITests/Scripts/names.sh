# Names that are not UTF-8, or awkward in other ways, as arguments, in listings and in messages.
. "$LIB"
need python3
bad=$(printf 'not\377utf8')
mkdir "t$bad" 2> err || skip 'the file system takes only UTF-8 names'
echo x > "t$bad/f$bad"
echo y > "t$bad/-dash"
ln -s "$bad" "t$bad/l"
ok "$CAPSULE" pack "t$bad" -o "c$bad"
ok "$CAPSULE" ls "c$bad"
printf '%s\n' -dash "f$bad" l > wanted
same out wanted
ok "$CAPSULE" cat "c$bad" "f$bad"
[ "$(cat out)" = x ] || fail 'other content'
ok "$CAPSULE" cat "c$bad" -- -dash
ok "$CAPSULE" unpack "c$bad" -o "u$bad"
same_trees "t$bad" "u$bad"
ok "$CAPSULE" pack "t$bad" --exclude "f$bad" -o excluded -q
ok "$CAPSULE" info --json "c$bad"
python3 - << 'PY' || fail 'JSON'
import base64, json
report = json.load(open("out"))
assert base64.b64decode(report["name64"]) == b"tnot\xffutf8" and "name" not in report, report
assert base64.b64decode(report["source64"]) == b"cnot\xffutf8", report
PY
ok "$CAPSULE" info --plist "c$bad"
python3 -c 'import plistlib; assert plistlib.load(open("out", "rb"))["Name"] == b"tnot\xffutf8"' || fail 'plist'
status 2 "$CAPSULE" ls "missing$bad"
LC_ALL=C grep -q 'missingnot.*utf8' err || fail 'the message does not name it'
! LC_ALL=C grep -q "$bad" err || fail 'the message holds raw bytes'
status 2 "$CAPSULE" ls "$(printf 'esc\033[31m')"
! LC_ALL=C grep -q "$(printf '\033')" err || fail 'the message holds an escape'
# Twins in case and normal form, dates and colons.
mkdir twins
(cd twins && touch A a "$(printf 'caf\303\251')" "$(printf 'cafe\314\201')" 'a:b' ' ' '{DEFAULT GROUP}')
ok "$CAPSULE" pack twins -o twins.capsule
ok "$CAPSULE" unpack twins.capsule -o twins.back
same_trees twins twins.back
# A name with a line break stays one line's business of ours on a pipe: raw.
mkdir lines
touch "lines/a
b"
[ "$("$CAPSULE" ls lines)" = "a
b" ] || fail 'a name is not raw on a pipe'
# What a path of this machine is comes before what a version would be.
ok "$CAPSULE" pack twins -o 'x@1'
ok "$CAPSULE" ls 'x@1'
