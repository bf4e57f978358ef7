# 'sim:' includes an app's groups: those that the entitlements in its executable name, else those named after it.
. "$LIB"
need python3
HOME=$PWD/home
export HOME
set=$HOME/Library/Developer/CoreSimulator/Devices
mkdir -p "$HOME"
python3 "$TOOLS/make_simulators.py" "$set" --devices 2 --apps 9 > listed
# group DEVICE ID: the directory of a group.
group() { sed -n "/\"device\": \"$1\", \"identifier\": \"$2\", \"kind\": \"group\"/s/.*\"path\": \"\([^\"]*\)\".*/\1/p" listed; }
first='sim:iPhone 16'
second=sim:booted
shared=$(group 'iPhone 16 Pro' group.com.example.app04)
echo one > "$shared/store.txt"

# pack: as with --group, without a word.
ok "$CAPSULE" pack "$second/com.example.app04" -o base.capsule
says_not err 'note:'
ok "$CAPSULE" ls base.capsule
says out 'AppGroups/group.com.example.app04/store.txt'
ok "$CAPSULE" pack "$second/com.example.app04" -o data.capsule --no-groups
ok "$CAPSULE" ls data.capsule
says_not out 'AppGroups'
# Any name, and one that is not there.
ok "$CAPSULE" pack "$first/com.example.lone0" -o lone.capsule
ok "$CAPSULE" info lone.capsule
says out 'group.of.many'
says_not out 'group.not.there'
# No entitlements: the names, and a note.
status 0 "$CAPSULE" pack "$first/com.example.app08" -o named.capsule
says err 'note: com.example.app08 has no readable entitlements, so its app groups are those named after it: 0TEAM1234X.com.example.app08.shared, group.com.example.app08$'
ok "$CAPSULE" info named.capsule
says out '0TEAM1234X.com.example.app08.shared'
# --group has precedence.
mkdir other
echo other > other/store.txt
ok "$CAPSULE" pack "$second/com.example.app04" --group group.com.example.app04=other -o other.capsule
ok "$CAPSULE" cat other.capsule AppGroups/group.com.example.app04/store.txt
says out '^other$'

# diff: either side, and both.
ok "$CAPSULE" diff base.capsule "$second/com.example.app04"
echo two > "$shared/store.txt"
status 1 "$CAPSULE" diff base.capsule "$second/com.example.app04"
says out 'AppGroups/group.com.example.app04/store.txt'
status 0 "$CAPSULE" diff base.capsule "$second/com.example.app04" --no-groups
status 1 "$CAPSULE" diff "$first/com.example.app04" "$second/com.example.app04" --name-only
says out 'AppGroups/group.com.example.app04/store.txt'

# restore, with its undo file; a capsule without groups leaves them alone.
status 0 "$CAPSULE" restore data.capsule "$second/com.example.app04"
says_not err 'group'
says "$shared/store.txt" '^two$'
status 0 "$CAPSULE" restore base.capsule "$second/com.example.app04" --undo undo.capsule
says "$shared/store.txt" '^one$'
status 0 "$CAPSULE" undo undo.capsule "$second/com.example.app04"
says "$shared/store.txt" '^two$'
status 0 "$CAPSULE" restore base.capsule "$second/com.example.app04" --no-groups
says err 'the app group group.com.example.app04 is not restored'
says "$shared/store.txt" '^two$'
status 0 "$CAPSULE" restore "$second/com.example.app04" "$first/com.example.app04"
says "$(group 'iPhone 16' group.com.example.app04)/store.txt" '^two$'

# apply of changes in a group; an overlay without any does not mention them.
status 1 "$CAPSULE" diff "$second/com.example.app04" base.capsule --overlay change.capsule
status 0 "$CAPSULE" apply change.capsule "$second/com.example.app04"
says "$shared/store.txt" '^one$'

# run and merge.
status 0 "$CAPSULE" run "$second/com.example.app04" -- sh -c "echo three > '$shared/store.txt'"
says out 'AppGroups/group.com.example.app04/store.txt'
ok "$CAPSULE" merge base.capsule base.capsule "$second/com.example.app04" -o merged.capsule
ok "$CAPSULE" cat merged.capsule AppGroups/group.com.example.app04/store.txt
says out '^three$'
# An output can't be in a group that is packed.
status 64 "$CAPSULE" pack "$second/com.example.app04" -o "$shared/x.capsule"
