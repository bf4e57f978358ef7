# A merge driver that can't do its work never leaves ours as if it were merged: theirs is in the file, or the status says it.
. "$LIB"
need python3
git_home

# plist FILE KEY=VALUE...: a property list in XML.
plist() {
    plist_name=$1
    shift
    xml_of "$@" > "$plist_name"
}
# half FILE: cuts it in half.
half() { size=$(wc -c < "$1") && head -c $((size / 2)) "$1" > half.tmp && mv half.tmp "$1"; }
fresh() {
    rm -f base ours theirs
    for side in base ours theirs; do plist $side key=$side more=same; done
}
driver() { "$CAPSULE" git merge-driver -- base ours theirs 7 'x/My Info.plist'; }

mkdir d
cd d
# One of three is cut in half: git's own merge of the lines, with its status.
for name in base ours theirs; do
    fresh
    half $name
    cp ours git.ours
    wanted=0
    git merge-file -L ours -L base -L theirs git.ours base theirs 2> /dev/null || wanted=$?
    status $wanted driver
    same git.ours ours
    says err '^capsule: warning: x/My Info.plist: not merged as a property list: '
    says ours 'theirs' 
done
# In OpenStep and JSON as well.
for text in '{ key = %s; more = same' '{"key": "%s", "more": ["same"'; do
    for side in base ours theirs; do
        # shellcheck disable=SC2059
        printf "$text" $side > $side
    done
    status 1 driver
    says ours '^<<<<<<< ours$'
    says ours 'theirs'
done
# Lines that git merges into what is no property list: the base has a broken line, each side takes it away and adds one key, in two
# places. Neither value is to be lost.
lines() { for line in "$@"; do printf '    %s;\n' "$line"; done; }
braces() { printf '{\n'; lines "$@"; printf '}\n'; }
braces 'a = 1' 'b = 1' 'c = 1' 'c 1' 'd = 1' 'e = 1' > base
braces 'new = ours' 'a = 1' 'b = 1' 'c = 1' 'd = 1' 'e = 1' > ours
braces 'a = 1' 'b = 1' 'c = 1' 'd = 1' 'e = 1' 'new = theirs' > theirs
cp ours git.ours
git merge-file git.ours base theirs || fail 'git does not merge this by itself'
status 1 driver
says err '^capsule: warning: x/My Info.plist: not merged as a property list: the base: '
says err '^capsule: note: x/My Info.plist: .*one conflict$'
{
    printf '{\n<<<<<<< ours\n'
    lines 'new = ours' 'a = 1' 'b = 1' 'c = 1' 'd = 1' 'e = 1'
    printf '=======\n'
    lines 'a = 1' 'b = 1' 'c = 1' 'd = 1' 'e = 1' 'new = theirs'
    printf '>>>>>>> theirs\n}\n'
} > wanted
same wanted ours
rm wanted
# A binary one, which git does not merge: both sides, all of them, and status 255.
python3 - <<'END'
import os, plistlib
os.mkdir("../binary")
for side in "base", "ours", "theirs":
    plistlib.dump({"key": side, "more": "same"}, open("../binary/" + side, "wb"), fmt=plistlib.FMT_BINARY, sort_keys=False)
END
for name in base ours theirs; do
    cp ../binary/* .
    half $name
    cp ours ours.before
    cp theirs theirs.before
    status 255 driver
    says err '^capsule: error: x/My Info.plist: not merged as a property list: '
    mkdir ../half.$name
    cp ours ours.before theirs.before ../half.$name
done
python3 - <<'END' || fail 'a side is missing'
import plistlib
for cut in "base", "ours", "theirs":
    def read(name): return open(f"../half.{cut}/{name}", "rb").read()
    text = read("ours")
    assert text.startswith(b"<<<<<<< ours\n") and text.endswith(b">>>>>>> theirs\n"), (cut, text)
    ours, theirs = text[len(b"<<<<<<< ours\n"):-len(b">>>>>>> theirs\n")].split(b"\n=======\n")
    for name, half in ("ours", ours), ("theirs", theirs):
        whole = read(name + ".before")
        if half.startswith(b"<?xml"):
            assert plistlib.loads(half) == plistlib.loads(whole), (cut, name)
        else:
            assert whole.rstrip(b"\n") == half.rstrip(b"\n"), (cut, name)
END
# Neither does it merge UTF-16: there the lines that differ are marked.
wide() { iconv -f UTF-8 -t UTF-16LE; }
printf '\357\273\277"a" = "1";\n"b" = "1";\n"c" = "1";\n' | wide > base
printf '\357\273\277"a" = "1";\n"b" = "2";\n"c" = "1";\n' | wide > ours
printf '\357\273\277"a" = "1";\n"b" = "3;\n"c" = "1";\n' | wide > theirs
status 255 driver
iconv -f UTF-16 -t UTF-8 < ours > read
printf '"a" = "1";\n<<<<<<< ours\n"b" = "2";\n=======\n"b" = "3;\n>>>>>>> theirs\n"c" = "1";\n' > wanted
same wanted read
rm read wanted
# What is missing or can't be read.
fresh
rm theirs
cp ours before
status 255 driver
same before ours
fresh
rm ours
status 255 driver
absent ours
fresh
rm base
cp ours before
status 255 driver
says ours '^<<<<<<< ours$'
says ours '<string>theirs</string>'
# No git at all: the same as what git does not merge.
fresh
half theirs
mkdir -p ../nothing
env PATH="$PWD/../nothing" "$CAPSULE" git merge-driver base ours theirs 7 x > out 2> err && fail 'merged without git'
says ours '^<<<<<<< ours$'
says ours '^>>>>>>> theirs$'
only . base ours theirs before git.ours ours.before theirs.before out err

# No room to write: ours is what it was, and the status is 255.
limited() {
    python3 -c 'import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
fresh
cp ours before
wants_255() {
    found=0
    limited "$CAPSULE" git merge-driver base ours theirs 7 x || found=$?
    [ $found = 255 ] || fail "status $found"
    same before ours
}
wants_255
# A merge without conflicts has no more room.
plist theirs key=base more=other
wants_255
half theirs
wants_255
only . base ours theirs before git.ours ours.before theirs.before out err
cd ..

# (99 is 255, which the tool would take for a signal.) Every call that changes something fails, or is the last one: ours is what it was, or all of the merge.
mkdir start
(
    cd start
    fresh
    plist theirs key=base more=theirs
    cp ours ours.before
)
cat > check <<'END'
if cmp -s ours ours.before; then
    [ "$STATUS" = 137 ] || [ "$STATUS" = 99 ] || fail "$FAULT: status $STATUS, and ours as it was"
else
    [ "$STATUS" = 0 ] || [ "$STATUS" = 137 ] || fail "$FAULT: status $STATUS, and merged"
    grep -q '<string>theirs</string>' ours && grep -q '<string>ours</string>' ours || fail "$FAULT: neither ours nor merged"
fi
END
found=0
python3 "$TOOLS/faults.py" each --from start --check "$(cat check)" -- \
    sh -c '"$CAPSULE" git merge-driver base ours theirs 7 x; s=$?; [ $s != 255 ] || s=99; exit $s' > faults.out 2>&1 || found=$?
[ $found = 77 ] || [ $found = 0 ] || { tail -20 faults.out; fail 'a fault'; }

# In a repository: a program that is not there, or dies, leaves git's own merge.
git init -q -b main r
cd r
ok "$CAPSULE" git install
plist Info.plist key=base more=same
git add .
git commit -q -m base
git branch theirs
plist Info.plist key=ours more=same
git commit -q -a -m ours
git checkout -q theirs
plist Info.plist key=theirs more=same
git commit -q -a -m theirs
git checkout -q main
git config merge.capsule.driver > command
for other in /nowhere/capsule 'sh -c "kill -9 \$\$"' 'sh -c "exit 126"'; do
    git config merge.capsule.driver "$other$(sed 's/.* git merge-driver --/ git merge-driver --/' command)"
    ! git merge -q theirs > ../merged 2>&1 || fail "$other: merged"
    says Info.plist '^<<<<<<< ours$'
    says Info.plist '^>>>>>>> theirs$'
    says Info.plist '<string>theirs</string>'
    [ "$(git ls-files -u | wc -l)" = 3 ] || fail 'not three stages'
    git merge --abort
done
git config merge.capsule.driver "$(cat command)"
# A side that is cut in half, through git itself.
git checkout -q theirs
half Info.plist
git commit -q -a -m half
git checkout -q main
! git merge -q theirs > ../merged 2>&1 || fail 'half a property list is merged'
says Info.plist '^<<<<<<<'
[ "$(git ls-files -u | wc -l)" = 3 ] || fail 'not three stages'
git show theirs:Info.plist > half
python3 - <<'END' || fail 'theirs is missing'
half, merged = open("half").read(), open("Info.plist").read()
assert all(line in merged for line in half.splitlines())
END
git merge --abort
# The driver's command, whatever is in the path of the program.
mkdir -p "../it's a \"100%A\" \$path"
cp "$CAPSULE" "../it's a \"100%A\" \$path/capsule"
git config --remove-section merge.capsule
ok "../it's a \"100%A\" \$path/capsule" git install
git checkout -q theirs
git reset -q --hard HEAD~
plist Info.plist key=base more=theirs
git commit -q -a -m more
git checkout -q main
git merge -q -m merged theirs > ../merged 2>&1 || { cat ../merged; fail 'the driver is not found'; }
[ "$("$CAPSULE" plist get Info.plist /key)" = ours ] || fail 'ours is missing'
[ "$("$CAPSULE" plist get Info.plist /more)" = theirs ] || fail 'theirs is missing'
"$CAPSULE" -q plist set Info.plist /more --string shown
git diff > out
says out '^+/more: "shown"$'
