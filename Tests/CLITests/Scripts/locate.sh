# 'locate' and 'sim:' on generated sets of simulators: 3 of them with 40 apps each, and what is odd about such trees.
. "$LIB"
need python3
HOME=$PWD/home
export HOME
set=$HOME/Library/Developer/CoreSimulator/Devices
mkdir -p "$HOME"
python3 "$TOOLS/make_simulators.py" "$set" --damaged > listed

# of KEY UDID-PREFIX...: a member of lines of the generator's list, by kind, device and identifier.
pick() { sed -n "/\"device\": \"$3[^\"]*\", \"identifier\": \"$4\", \"kind\": \"$2\"/s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" listed; }

# What 'locate --kind' lists is what the generator made.
for kind in data bundle group; do
    status 0 "$CAPSULE" locate --kind "$kind" --json
    mv out "$kind.found"
done
python3 - <<'PY' || fail "locate --kind lists other containers"
import json
made = [json.loads(line) for line in open("listed")]
for kind in "data", "bundle", "group":
    found = [json.loads(line) for line in open(kind + ".found")]
    header, found = found[0], found[1:]
    assert header["schema"] == "capsule.locate" and header["kind"] == "header", header
    states = {1: "shut down", 3: "booted"}
    key = lambda c: (c["kind"], c["identifier"], c["uuid"], c["path"], c["simulator"]["udid"], c["simulator"]["name"],
                     c["simulator"]["runtime"], c["simulator"]["state"], c.get("name"))
    wanted = [dict(c, simulator={"udid": c["udid"], "name": c["device"], "runtime": c["runtime"], "state": states[c["state"]]})
              for c in made if c["kind"] == kind]
    assert len(wanted) >= 45, (kind, len(wanted))
    assert sorted(map(str, map(key, found))) == sorted(map(str, map(key, wanted))), kind
PY
says err 'skipped: its device.plist'
# What has no identity or is a link is nothing, and no reason for a word.
status 0 "$CAPSULE" locate --kind data
[ "$(grep -c ': skipped: ' err)" = 5 ] || fail 'not 5 warnings: a simulator and 4 containers'
says_not out 'outside'
says_not err 'Outside'

# Each of the 120 apps, by UDID; in the short form every sixth of them, from one drawn by lot on, which takes some of each simulator.
grep '"kind": "data"' listed > data
[ -n "${CAPSULE_LONG_TESTS:-}" ] && part=1 || part=6
awk -v part=$part -v start="$(lot $part)" 'NR % part == start' data > drawn
while read -r line; do
    udid=$(echo "$line" | sed 's/.*"udid": "\([^"]*\)".*/\1/')
    identifier=$(echo "$line" | sed 's/.*"identifier": "\([^"]*\)".*/\1/')
    path=$(echo "$line" | sed 's/.*"path": "\([^"]*\)".*/\1/')
    [ "$("$CAPSULE" locate "$identifier" --device "$udid" 2> err)" = "$path" ] || fail "$identifier on $udid"
done < drawn
[ "$(wc -l < data)" = 123 ] || fail 'not 123 apps'

# By name, by UDID in lower case, and booted; every kind.
ok "$CAPSULE" locate com.example.app07 --device 'iPhone 16'
[ "$(cat out)" = "$(pick path data 'iPhone 16' com.example.app07 | sed -n 1p)" ] || fail 'by name'
ok "$CAPSULE" locate com.example.app07 --device 'IPHONE 16 pro' --kind bundle
[ "$(cat out)" = "$(pick path bundle 'iPhone 16 Pro' com.example.app07)" ] || fail 'by name in another case'
[ -f "$(cat out)/Info.plist" ] || fail 'no bundle'
ok "$CAPSULE" locate com.example.app07 --device "$(pick udid data iPad com.example.app07 | tr A-F a-f)"
[ "$(cat out)" = "$(pick path data iPad com.example.app07)" ] || fail 'by UDID in lower case'
ok "$CAPSULE" locate com.example.app07 --device booted
[ "$(cat out)" = "$(pick path data 'iPhone 16 Pro' com.example.app07)" ] || fail 'booted'
[ -d "$("$CAPSULE" locate com.example.app07 --device booted)/Documents" ] || fail 'not one path'
# Groups: those that go by the app, and one by its own identifier.
ok "$CAPSULE" locate com.example.app08 --kind group --device iPad\ Air\ 13-inch\ \(M2\)
{ pick path group iPad 0TEAM1234X.com.example.app08.shared; pick path group iPad group.com.example.app08; } > wanted
same out wanted
ok "$CAPSULE" locate group.com.example.app08 --kind group --device booted
[ "$(cat out)" = "$(pick path group 'iPhone 16 Pro' group.com.example.app08)" ] || fail 'a group by its identifier'
status 2 "$CAPSULE" locate com.example.app01 --kind group
says err 'no simulator has an app group of com.example.app01$'

# An app that only one has needs no device; several are an error that lists them.
status 0 "$CAPSULE" locate com.example.lone2
[ "$(cat out)" = "$(pick path data iPad com.example.lone2)" ] || fail 'the only one'
status 2 "$CAPSULE" locate com.example.app00
says err '^capsule: error: com.example.app00 has 3 data containers$'
[ "$(grep -c '^capsule: note: ' err)" = 3 ] || fail 'not a list of 3'
says err "^capsule: note: iPhone 16 Pro ($(pick udid data 'iPhone 16 Pro' com.example.app00), iOS 17.5, booted): $(pick path data 'iPhone 16 Pro' com.example.app00)\$"
says err "^capsule: hint: choose one with '--device'$"
[ ! -s out ] || fail 'a path in spite of the error'

# Nothing found: the nearest is suggested, and who else has it is said.
status 2 "$CAPSULE" locate com.example.lone1 --device 'iPhone 16'
says err 'iPhone 16 ([0-9A-F-]*, iOS 18.2, shut down) has no data container of com.example.lone1$'
says err 'hint: iPhone 16 Pro (.*) has it$'
status 2 "$CAPSULE" locate com.exmaple.lone1
says err "did you mean 'com.example.lone1'"
status 2 "$CAPSULE" locate com.example.app00 --device 'iPhone 61'
says err "no simulator is named 'iPhone 61'"
says err "did you mean 'iPhone 16'"

# For people: simulators, and apps below them.
status 0 "$CAPSULE" locate
[ "$(grep -c '^[^ ]' out)" = 3 ] && [ "$(grep -c '^  ' out)" = 123 ] || fail 'not 3 simulators with 123 apps'
says out '^  App 07  com.example.app07  data  */'

# sim: wherever a container is taken.
live=$(pick path data 'iPhone 16 Pro' com.example.app05)
ok "$CAPSULE" ls sim:booted/com.example.app05
cp out by-name
ok "$CAPSULE" ls "$live"
same out by-name
ok "$CAPSULE" cat 'sim:iPhone 16 Pro/com.example.app05' Documents/note.txt
says out '^com.example.app05 on iPhone 16 Pro$'
ok "$CAPSULE" info "sim:$(pick udid data 'iPhone 16 Pro' com.example.app05)/com.example.app05"
says out 'simulator'
ok "$CAPSULE" pack sim:booted/com.example.app05
present com.example.app05.capsule
ok "$CAPSULE" diff com.example.app05.capsule sim:booted/com.example.app05
[ ! -s out ] || fail 'a difference'
echo more >> "$live/Documents/note.txt"
status 1 "$CAPSULE" diff com.example.app05.capsule sim:booted/com.example.app05
says out 'Documents/note.txt'
status 1 "$CAPSULE" diff --name-status sim:booted/com.example.app05 'sim:iPhone 16/com.example.app05'
ok "$CAPSULE" pack --append sim:booted/com.example.app05 -o com.example.app05.capsule
ok "$CAPSULE" diff com.example.app05.capsule sim:booted/com.example.app05
status 0 "$CAPSULE" pack sim:com.example.lone0 -o lone.capsule
ok "$CAPSULE" unpack sim:booted/com.example.app05 -C unpacked --as directory
present unpacked/com.example.app05/Documents/note.txt
# Three simulators have it, and one of them is booted.
status 0 "$CAPSULE" ls sim:booted/com.example.app05
mv out booted
status 0 "$CAPSULE" ls sim:com.example.app05
cmp -s out booted || fail 'not the booted one'
status 2 "$CAPSULE" diff sim:com.example.app55 com.example.app05.capsule
says err "did you mean 'com.example.app05'"
for malformed in sim: sim:/com.example.app05 sim:booted/; do
    status 64 "$CAPSULE" ls "$malformed"
    says err 'does not name an app on a simulator'
done
# Where a container is changed, too; with the commands that end what would write over it.
status 0 "$CAPSULE" restore com.example.app05.capsule@1 sim:booted/com.example.app05
says out '^sim:booted/com.example.app05: changed: 1 file written'
says err '^capsule: hint: the app may overwrite this, unless it was quit before$'
says_not err 'note: '
says_not "$live/Documents/note.txt" '^more$'
ok "$CAPSULE" recover sim:booted/com.example.app05
says out '^sim:booted/com.example.app05: nothing to recover$'
# A path that exists as it stands wins.
mkdir sim:booted
echo mine > sim:booted/com.example.app05
status 0 "$CAPSULE" ls sim:booted
says out '^com.example.app05$'
rm -r sim:booted

# Several booted ones; other sets; a link to a set; none.
python3 "$TOOLS/make_simulators.py" other --devices 7 --apps 2 --booted 0,1,5 --seed 2 > listed
status 2 "$CAPSULE" locate com.example.app00 --device booted --devices other
says err 'has 3 data containers'
ok "$CAPSULE" locate com.example.lone5 --device booted --devices other
ok "$CAPSULE" locate com.example.lone5 --device 'iPhone 16' --devices other
status 2 "$CAPSULE" locate com.example.app00 --device 'iPhone 16' --devices other
says err 'has 2 data containers'
status 2 "$CAPSULE" locate com.example.lone2 --device booted --devices other
says err 'none of 3 simulators has a data container of com.example.lone2$'
ln -s other linked
ok "$CAPSULE" locate com.example.lone5 --devices linked
[ "$(cat out)" = "$(pick path data iPhone com.example.lone5)" ] || fail 'through a link'
mkdir -p "$HOME/Library/Developer/Xcode/UserData/Previews"
mv other "$HOME/Library/Developer/Xcode/UserData/Previews/Simulator Devices"
ok "$CAPSULE" locate com.example.lone5 --set previews
status 2 "$CAPSULE" locate com.example.lone5 --set xctest
says err 'XCTestDevices: there are no simulators: directory does not exist'
says err "hint: .*--devices DIR"
status 64 "$CAPSULE" locate --set xctest --devices other
mkdir empty
status 0 "$CAPSULE" locate --devices empty
says err 'nothing found in empty'
echo x > file
status 2 "$CAPSULE" locate --devices file
says err 'file: is not a directory'
HOME= status 2 "$CAPSULE" locate
says err 'HOME is not set to a directory'
python3 "$TOOLS/make_simulators.py" booted-none --devices 1 --apps 1 --booted '' > listed
status 2 "$CAPSULE" locate --device booted --devices booted-none
says err 'no simulator is booted'
