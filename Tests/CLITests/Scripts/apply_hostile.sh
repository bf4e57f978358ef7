# Overlays and targets that mean harm: nothing outside the target is read or written, and what can't be done is not begun.
. "$LIB"
needs timeout
needs_gnu find
need python3
. "$TOOLS/trees.sh"

identity=.com.apple.mobile_container_manager.metadata.plist
mkdir -p outside/deep base/Documents base/Library/Preferences base/tmp
printf '<plist><dict><key>n</key><integer>1</integer></dict></plist>' > base/Library/Preferences/x.plist
cp base/Library/Preferences/x.plist outside/x.plist
echo secret > outside/deep/secret
# Whoever opens this for reading hangs.
mkfifo outside/pipe.plist
echo text > base/Documents/text
python3 -c 'import plistlib
plistlib.dump({"MCMMetadataIdentifier": "com.example.hostile"}, open("base/.com.apple.mobile_container_manager.metadata.plist", "wb"))'
fresh() { rm -rf w u; cp -a base w; }
# snapshot.py reads files, and would hang on the pipe.
outside() { find outside -printf '%p %y %m %i %s %T@ %C@ %l\n' | sort; }
outside > outside.before
# The target's own directory holds what is made ready for a moment, and then has another ctime.
target() { { find w -maxdepth 0 -printf '%p %m %i %T@\n'; find w -mindepth 1 -printf '%p %y %m %i %s %T@ %C@ %l\n'; } | sort; }
# refused COMMAND...: status 2 or 64, in time; neither the target nor what is outside is touched, and nothing is left.
refused() {
    target > w.before
    found=0
    timeout 300 "$@" > out 2> err || found=$?
    [ $found = 2 ] || [ $found = 64 ] || fail "status $found: $*"
    says err 'error: '
    target > w.after
    same w.before w.after
    outside > outside.after
    same outside.before outside.after
}
fresh
document() { printf '{"CapsuleOverlay": 1, %s}' "$1" > o.json; }
empty=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
new="\"New\": {\"Kind\": \"file\", \"Size\": 0, \"Digest\": \"$empty\"}"

# Paths that lead out, or nowhere; names that are not the overlay's.
for path in ../outside/made /etc/made "$PWD/outside/made" Documents/../../outside/made . '' Documents//x Documents/ ./x ..; do
    document "\"Files\": [{\"Path\": \"$path\", $new}]"
    refused "$CAPSULE" apply o.json w
    document "\"Targets\": [{\"Path\": \"$path\", \"Create\": \"xml\", \"Merge\": {\"n\": 2}}]"
    refused "$CAPSULE" apply o.json w
    printf '<plist><dict><key>n</key><integer>2</integer></dict></plist>' > plain.plist
    refused "$CAPSULE" apply plain.plist w --target "$path"
done
for path in .capsule-transaction .capsule-transaction/x .capsule-transaction/new/0 $identity; do
    document "\"Files\": [{\"Path\": \"$path\", $new}]"
    refused "$CAPSULE" apply o.json w --force
    document "\"Files\": [{\"Path\": \"$path\", \"Old\": {\"Kind\": \"file\"}}]"
    refused "$CAPSULE" apply o.json w --force
    document "\"Targets\": [{\"Path\": \"$path\", \"Create\": \"xml\", \"Merge\": {\"n\": 2}}]"
    refused "$CAPSULE" apply o.json w --force
done
# The top of the target is not its own to change, nor are the directories around a group.
for path in AppGroups AppGroups/group.x; do
    cp -a w kept
    document "\"Files\": [{\"Path\": \"$path\", \"New\": {\"Kind\": \"link\", \"Target\": \"/\"}}]"
    timeout 300 "$CAPSULE" apply o.json w > out 2> err || true
    same_trees kept w
    rm -r kept
done
document "\"Files\": [{\"Path\": \"a\", $new}, {\"Path\": \"a\", $new}]"
refused "$CAPSULE" apply o.json w
document "\"Files\": [{\"Path\": \"a\", $new}, {\"Path\": \"a/b\", $new}]"
refused "$CAPSULE" apply o.json w
document "\"Files\": [{\"Path\": \"a\", \"New\": {\"Kind\": \"link\", \"Target\": \"../outside\"}}, {\"Path\": \"a/b\", $new}]"
refused "$CAPSULE" apply o.json w
document "\"Files\": [{\"Path\": \"none/b\", $new}]"
refused "$CAPSULE" apply o.json w --force
says err 'none/b: its directory does not exist'
document "\"Files\": [{\"Path\": \"Documents/text/b\", $new}]"
refused "$CAPSULE" apply o.json w --force
document '"Files": [{"Path": "Documents", "Old": {"Kind": "directory"}}]'
refused "$CAPSULE" apply o.json w --force
says err 'Documents/text: is in a directory that the overlay deletes'
# Bytes that nobody has, sizes that nobody holds.
for state in '"Size": 4, "Digest": "'"$empty"'"' '"Size": 9223372036854775807, "Digest": "'"$empty"'"' \
    '"Size": 4611686018427387904, "Digest": "'"$empty"'", "Chunks": {"Carried": "'"$empty"'", "Pieces": [[0, 4611686018427387904]]}'; do
    document "\"Files\": [{\"Path\": \"made\", \"New\": {\"Kind\": \"file\", $state}}]"
    refused "$CAPSULE" apply o.json w
done
# A recipe whose result is another one than it says: found out before anything is changed.
python3 - << 'PY'
import hashlib, json
data = open("base/Documents/text", "rb").read()
old = {"Kind": "file", "Size": len(data), "Digest": hashlib.sha256(data).hexdigest()}
for number, pieces in enumerate([[[0, len(data)]], [[0, 2], [3, 2]], [[0, len(data) + 1]], [[2**63 - 1, 5]], [[0, 5], [0, 2**63 - 1]]]):
    size = sum(length for _, length in pieces)
    new = {"Kind": "file", "Size": size, "Digest": hashlib.sha256(b"something else").hexdigest(),
           "Chunks": {"Carried": hashlib.sha256(b"").hexdigest(), "Pieces": pieces}}
    json.dump({"CapsuleOverlay": 1, "Files": [{"Path": "Documents/text", "Old": old, "New": new}]}, open(f"recipe{number}.json", "w"))
PY
for number in 0 1 2 3 4; do
    refused "$CAPSULE" apply recipe$number.json w
    refused "$CAPSULE" apply recipe$number.json w --force --undo u
    absent u
done

# Links in the target that lead out.
fresh
rm -r w/Documents w/Library/Preferences
ln -s "$PWD/outside" w/Documents
ln -s ../../outside w/Library/Preferences
ln -s "$PWD/outside/x.plist" w/tmp/x.plist
ln -s "$PWD/outside/pipe.plist" w/tmp/pipe.plist
for path in Documents/x.plist Library/Preferences/x.plist Library/Preferences/pipe.plist tmp/x.plist tmp/pipe.plist Documents/made.plist \
    Documents/deep/made.plist 'Library/*/x.plist' 'Documents/*' '**/pipe.plist' '*/x.plist' '**/secret'; do
    document "\"Targets\": [{\"Path\": \"$path\", \"Merge\": {\"n\": 2}}]"
    refused "$CAPSULE" apply o.json w
    document "\"Targets\": [{\"Path\": \"$path\", \"Create\": \"binary\", \"Merge\": {\"n\": 2}}]"
    refused "$CAPSULE" apply o.json w
    case $path in *\**) continue ;; esac
    document "\"Files\": [{\"Path\": \"$path\", $new}]"
    refused "$CAPSULE" apply o.json w
    document "\"Files\": [{\"Path\": \"$path\", \"Old\": {\"Kind\": \"file\"}, \"New\": {\"Kind\": \"file\", \"Mode\": \"0777\"}}]"
    refused "$CAPSULE" apply o.json w
done
document "\"Files\": [{\"Path\": \"Documents/deep\", \"Old\": {\"Kind\": \"directory\", \"Mode\": \"0755\"}, \"New\": {\"Kind\": \"directory\", \"Mode\": \"0700\"}}]"
refused "$CAPSULE" apply o.json w
refused "$CAPSULE" apply o.json w --force
# A link itself may be replaced, forced: what it leads to is left alone.
document "\"Files\": [{\"Path\": \"Documents\", \"New\": {\"Kind\": \"directory\", \"Mode\": \"0700\"}}, {\"Path\": \"Documents/x.plist\", $new}]"
refused "$CAPSULE" apply o.json w
says err 'Documents: already exists as a link'
ok "$CAPSULE" apply o.json w --force --undo u
[ ! -L w/Documents ] && [ -f w/Documents/x.plist ] && [ ! -s w/Documents/x.plist ] || fail 'the link is not replaced'
outside > outside.after
same outside.before outside.after
ok "$CAPSULE" apply u w
[ "$(readlink w/Documents)" = "$PWD/outside" ] || fail 'the link is not back'
outside > outside.after
same outside.before outside.after
# In layers: the first makes the link that the second would go through.
fresh
document "\"Files\": [{\"Path\": \"tmp/l\", \"New\": {\"Kind\": \"link\", \"Target\": \"$PWD/outside\"}}]"
mv o.json first.json
document "\"Files\": [{\"Path\": \"tmp/l/made\", $new}]"
refused "$CAPSULE" apply first.json o.json w --force
document '"Targets": [{"Path": "tmp/l/x.plist", "Merge": {"n": 2}}]'
refused "$CAPSULE" apply first.json o.json w
# The target's own staging is a link, or somebody else's.
ln -s "$PWD/outside" w/.capsule-transaction
refused "$CAPSULE" apply first.json w
rm w/.capsule-transaction
echo mine > w/.capsule-transaction
refused "$CAPSULE" apply first.json w
rm w/.capsule-transaction

# What no container holds: pipes and sockets, where something is written, in what goes, elsewhere.
fresh
mkfifo w/Documents/pipe
python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("w/Documents/socket")'
for name in pipe socket; do
    document "\"Files\": [{\"Path\": \"Documents/$name\", $new}]"
    refused "$CAPSULE" apply o.json w
    refused "$CAPSULE" apply o.json w --force
    document "\"Targets\": [{\"Path\": \"Documents/$name\", \"Create\": \"xml\", \"Merge\": {\"n\": 2}}]"
    refused "$CAPSULE" apply o.json w
done
document '"Files": [{"Path": "Documents", "Old": {"Kind": "directory"}}, {"Path": "Documents/text", "Old": {"Kind": "file"}}]'
refused "$CAPSULE" apply o.json w
says err 'Documents/pipe'
refused "$CAPSULE" apply o.json w --force
document "\"Files\": [{\"Path\": \"Documents/text\", \"Old\": {\"Kind\": \"file\"}}]"
ok "$CAPSULE" apply o.json w
[ -p w/Documents/pipe ] && [ -S w/Documents/socket ] || fail 'a pipe is gone'
# A file with another name outside is replaced, and not written through.
fresh
ln outside/deep/secret w/Documents/hard
digest=$(digest_of outside/deep/secret)
document "\"Files\": [{\"Path\": \"Documents/hard\", \"Old\": {\"Kind\": \"file\", \"Size\": 7, \"Digest\": \"$digest\"}, $new}]"
ok "$CAPSULE" apply o.json w
[ -f w/Documents/hard ] && [ ! -s w/Documents/hard ] || fail 'the file is not replaced'
[ "$(cat outside/deep/secret)" = secret ] || fail 'it was written through a hard link'
outside > outside.before

# The property lists of hostile overlays: deep, many, mistyped.
fresh
python3 - << 'PY'
deep = '{"a":' * 100_000 + "1" + "}" * 100_000
open("deep.json", "w").write('{"CapsuleOverlay": 1, "Targets": [{"Path": "Library/Preferences/x.plist", "Merge": %s}]}' % deep)
open("many.json", "w").write('{"CapsuleOverlay": 1, "Files": [%s]}' % ",".join(
    '{"Path": "%s"}' % ("a/" * n + "b") for n in range(1, 1500)))
PY
refused "$CAPSULE" apply deep.json w
timeout 300 "$CAPSULE" apply many.json w > out 2> err || fail 'preconditions that hold fail'
says out 'nothing to change'
for files in '"x"' '[1]' '[{}]' '{"Path": "x"}' '[{"Path": 1}]' '[{"Path": "x", "New": {}}]' '[{"Path": "x", "New": {"Kind": "pipe"}}]' \
    '[{"Path": "x", "New": {"Kind": "link"}}]' '[{"Path": "x", "New": {"Kind": "file", "Mode": "4777"}}]' \
    '[{"Path": "x", "New": {"Kind": "file", "Mode": "99"}}]' '[{"Path": "x", "New": {"Kind": "file", "Size": -1, "Digest": "00"}}]'; do
    document "\"Files\": $files"
    case $files in *4777*) found=0; timeout 300 "$CAPSULE" apply o.json w > out 2> err || found=$?; [ ! -u w/x ] || fail 'setuid'; rm -f w/x ;;
    *) refused "$CAPSULE" apply o.json w ;; esac
done
# A name that would speak to the terminal, or make a line of its own, is spelled out.
fresh
python3 - << 'PY'
import json, os
files = []
for name in "new\nline", "\x1b[31mred":
    open("w/tmp/" + name, "w").write("drift")
    files.append({"Path": "tmp/" + name, "Old": {"Kind": "link", "Target": "x"}})
json.dump({"CapsuleOverlay": 1, "Files": files}, open("o.json", "w"))
PY
refused "$CAPSULE" apply o.json w
grep -qF 'tmp/new\nline: is a file, but the overlay was made for a link' err || fail 'a line of its own'
grep -qF 'tmp/\x1B[31mred: is a file' err || fail 'it speaks to the terminal'
[ -z "$(find . -name made)" ] || fail 'something was made'
only . outside base w o.json first.json plain.plist recipe0.json recipe1.json recipe2.json recipe3.json recipe4.json deep.json many.json \
    out err comparison outside.before outside.after w.before w.after
