# What goes wrong leaves nothing behind.
. "$LIB"

mkdir base
noise 3000000 large > base/large
for n in 1 2 3 4 5 6 7 8 9; do noise 300000 $n > "base/$n"; done
cp -a base ours
cp -a base theirs
echo ours > ours/a
echo theirs > theirs/b

# A result that is there stays, unless it may go; its name must be one of a capsule or a directory.
mkdir there
echo precious > there/file
status 2 "$CAPSULE" merge base ours theirs -o there
says err 'already exists'
present there/file
status 2 "$CAPSULE" merge base ours theirs -o there --force
says err 'already exists, and has file, which the result does not have'
present there/file
rm there/file
ok "$CAPSULE" merge base ours theirs -o there --force
present there/a there/b
echo precious > there.capsule
status 2 "$CAPSULE" merge base ours theirs -o there.capsule
says there.capsule precious
ok "$CAPSULE" merge base ours theirs -o there.capsule --force
ok "$CAPSULE" diff there there.capsule
for name in merged.tar.gz merged.zip -; do status 64 "$CAPSULE" merge base ours theirs -o "$name"; done
status 64 "$CAPSULE" merge base ours theirs -o ours/merged.capsule
status 64 "$CAPSULE" merge base ours theirs
absent ours/merged.capsule
for name in theirs merged ./merged "$PWD/merged" base/todo; do
    status 64 "$CAPSULE" merge base ours theirs -o merged --conflicts "$name"
done
status 64 "$CAPSULE" merge base ours theirs -o merged --conflicts merged/todo
absent merged base/todo

# Nor does the result take the place of one of the three, or of what holds them.
for name in base ours ./theirs ours/../theirs; do
    status 64 "$CAPSULE" merge base ours theirs -o "$name" --force
    says err 'would replace .*, which this command reads'
done
mkdir -p holder/in
cp -a base ours theirs holder/in
status 64 "$CAPSULE" merge holder/in/base holder/in/ours holder/in/theirs -o holder --force
says err 'holder: contains holder/in/base, which this command reads'
same_trees holder/in/theirs theirs
rm -r holder
ok "$CAPSULE" pack base -o versions.capsule
ok "$CAPSULE" pack ours -o versions.capsule --append
status 64 "$CAPSULE" merge versions.capsule@1 versions.capsule@2 theirs -o versions.capsule --force
ok "$CAPSULE" info versions.capsule@2
status 64 "$CAPSULE" merge - - theirs -o merged < versions.capsule
says err 'standard input can be read only once'

# Conflicts are on the disk before the result is, and are told however quiet it is.
cp -a base q-base
cp -a base q-ours
cp -a base q-theirs
echo 1 > q-ours/a
echo 2 > q-theirs/a
mkdir shut
for more in "--partial" "--prefer ours"; do
    # shellcheck disable=SC2086
    status 2 "$CAPSULE" merge q-base q-ours q-theirs -o merged --conflicts none/todo.plist $more
    absent merged
done
ok "$CAPSULE" merge q-base q-ours q-theirs -o merged --prefer theirs -q
says out '^conflict 1: text a before line 1: .*; takes theirs'
[ "$(grep -c '' out)" = 1 ] || fail 'more than the conflict'
rm -r merged

# What a version leaves out counts as deleted, and that is said; what could not be read is not known.
cp -a base left
echo secret > left/secret
status 0 "$CAPSULE" pack left -o left.capsule --exclude secret
status 0 "$CAPSULE" merge left left.capsule theirs -o merged
says err 'left.capsule was packed without secret, which another side has: merged as deleted'
rm -r merged

# Containers of two apps can be merged, and that is said.
cp -R "$SAMPLES/Gifs-before.xcappdata" app.xcappdata
cp -R app.xcappdata other.xcappdata
sed -i.old s/com.example.gifs/com.example.other/ other.xcappdata/AppDataInfo.plist
rm other.xcappdata/AppDataInfo.plist.old other.xcappdata/AppData/.com.apple.mobile_container_manager.metadata.plist
status 0 "$CAPSULE" merge app.xcappdata app.xcappdata other.xcappdata -o merged
says err 'containers of different apps: com.example.gifs, com.example.other'
rm -r merged

# Damage on a side, or none at all.
ok "$CAPSULE" pack theirs -o theirs.capsule
python3 - << 'EOF'
data = bytearray(open("theirs.capsule", "rb").read())
data[len(data) // 2] ^= 0x55
open("damaged.capsule", "wb").write(data)
EOF
status 2 "$CAPSULE" merge base.capsule ours theirs -o merged
status 2 "$CAPSULE" merge damaged.capsule ours missing -o merged
head -c 1000 theirs.capsule > cut.capsule
status 2 "$CAPSULE" merge base ours cut.capsule -o merged
mkdir empty
status 2 "$CAPSULE" merge empty empty damaged.capsule -o merged
absent merged

# A property list cut in half on one side is a conflict of the whole file, and never half of it.
python3 - << 'EOF'
import plistlib
for side, value in [("base", 1), ("ours", 2), ("theirs", 3)]:
    plistlib.dump({"Key": value, "Text": "x" * 200}, open(side + "/Info.plist", "wb"))
data = open("theirs/Info.plist", "rb").read()
open("theirs/Info.plist", "wb").write(data[:len(data) // 2])
EOF
status 1 "$CAPSULE" merge base ours theirs -o merged
says out '^conflict 1: contents Info.plist'
absent merged
ok "$CAPSULE" merge base ours theirs -o merged --prefer ours
same merged/Info.plist ours/Info.plist
rm -r merged
rm base/Info.plist ours/Info.plist theirs/Info.plist

# Stopped at any moment, it leaves nothing, or all of it.
mkdir place
python3 - << 'EOF' || fail "what was stopped left something"
import os, random, signal, subprocess, time
capsule = os.environ["CAPSULE"]
random.seed(7)
for number in range(24):
    name = "place/merged.capsule" if number % 2 else "place/merged"
    process = subprocess.Popen([capsule, "merge", "base", "ours", "theirs", "-o", name, "--no-cache", "--jobs", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(random.random() * 0.25)
    process.send_signal(signal.SIGINT)
    status = process.wait()
    names = os.listdir("place")
    assert status in (0, 130, -signal.SIGINT), status
    if status == 0:
        assert names == [os.path.basename(name)], names
        subprocess.check_call(["rm", "-r", name])
    else:
        assert names == [], (status, names)
EOF
