# Property lists that were changed on two branches meet through the merge driver, in a real repository.
. "$LIB"
need python3
git_home

# plist FILE KEY=VALUE...: a property list in XML.
plist() {
    plist_name=./$1
    shift
    xml_of "$@" > "$plist_name"
}
# binary FILE KEY=VALUE...: a binary one.
binary() {
    python3 - "$@" <<'END'
import plistlib, sys
plistlib.dump(dict(pair.split("=", 1) for pair in sys.argv[2:]), open(sys.argv[1], "wb"), fmt=plistlib.FMT_BINARY, sort_keys=False)
END
}

# value FILE POINTER TEXT: what is there.
value() { [ "$("$CAPSULE" plist get "./$1" "$2")" = "$3" ] || fail "$1 $2 is $("$CAPSULE" plist get "./$1" "$2"), not $3"; }

# start: a repository with a base commit of all files here, and a branch `theirs` at it.
start() {
    rm -rf r
    git init -q -b main r
    cd r
    ok "$CAPSULE" git install
    rm -f out err
    "$@"
    git add -A
    git commit -q -m base
    git branch theirs
}
commit() { git add -A && git commit -q -m "$1"; }

# Neighbouring keys, in which a merge of lines conflicts.
base() {
    plist Info.plist a=1 b=1 c=1
    binary binary.plist a=1 b=1 c=1
    printf '{\n  "a" : 1,\n  "b" : 1\n}\n' > Plan.xctestplan
    printf '/* A */\n"a" = "1";\n/* B */\n"b" = "1";\n' > Localizable.strings
    iconv -f UTF-8 -t UTF-16 < Localizable.strings > Wide.strings
    plist App.entitlements a=1 b=1 c=1
    plist "it's \"a\" \$b.plist" a=1 b=1 c=1
    plist -x.plist a=1 b=1 c=1
    mkdir 'di r'
    plist 'di r/%A %P.plist' a=1 b=1 c=1
    printf 'same\n' > other.txt
}
# set KEY VALUE: in all of them.
set_all() {
    for name in Info.plist binary.plist App.entitlements "it's \"a\" \$b.plist" -x.plist 'di r/%A %P.plist' \
        Localizable.strings Wide.strings; do
        "$CAPSULE" -q plist set "./$name" "/$1" --string "$2"
    done
    case $2 in
        *[!0-9]*) ;;
        *) "$CAPSULE" -q plist set ./Plan.xctestplan "/$1" --integer "$2" ;;
    esac
}
# both OURS THEIRS: all files have both changes.
both() {
    for name in Info.plist binary.plist App.entitlements "it's \"a\" \$b.plist" -x.plist 'di r/%A %P.plist' \
        Localizable.strings Wide.strings Plan.xctestplan; do
        value "$name" /a "$1"
        value "$name" /b "$2"
    done
    git status --porcelain > ../status
    [ ! -s ../status ] || { cat ../status; fail 'the tree is not clean'; }
    "$CAPSULE" plist lint binary.plist --json > ../lint
    says ../lint '"encoding":"binary"'
}
start base
set_all a 2
commit ours
git checkout -q theirs
set_all b 3
commit theirs
git checkout -q main
# Merged by lines it is a conflict: the test would show nothing otherwise.
! git -c merge.capsule.driver='git merge-file %A %O %B' merge -q theirs > ../plain 2>&1 || fail 'git merges this by itself'
[ "$(git ls-files -u -- Plan.xctestplan | wc -l)" = 3 ] || fail 'git merges this by itself'
git merge --abort
git branch start
git merge -q -m merged theirs > ../merged 2>&1 || { cat ../merged; fail 'the merge has conflicts'; }
both 2 3
git diff --quiet HEAD
# The other way around it is the same tree.
git checkout -q theirs
git merge -q -m merged start > ../merged 2>&1 || { cat ../merged; fail 'the merge has conflicts'; }
git diff --quiet main -- . ':!binary.plist' || { git diff --no-textconv main; fail 'sides make a difference'; }
# Of a binary property list the value is the same.
git diff main -- binary.plist > ../sides
says_not ../sides '^[-+]/'
# Rebase and cherry-pick ask the same driver.
git reset -q --hard HEAD~
git branch picked start
git rebase -q start > ../rebased 2>&1 || { cat ../rebased; fail 'the rebase has conflicts'; }
both 2 3
[ "$(git rev-list --count --merges HEAD)" = 0 ] || fail 'no rebase'
git checkout -q picked
git cherry-pick theirs > ../picked 2>&1 || { cat ../picked; fail 'the pick has conflicts'; }
both 2 3
git revert --no-edit HEAD~ > ../reverted 2>&1 || { cat ../reverted; fail 'the revert has conflicts'; }
both 1 3
git checkout -q start
set_all a 4
git stash -q
git merge -q theirs > ../merged 2>&1
git stash pop -q > ../popped 2>&1 || { cat ../popped; fail 'the stash has conflicts'; }
value Info.plist /a 4
value Info.plist /b 3
git checkout -q -f main
cd ..

# One key, changed twice: both values between marks around whole lines, three stages, status 1.
start base
set_all a ours1
"$CAPSULE" -q plist set Info.plist /c --string ours2
"$CAPSULE" -q plist set ./Plan.xctestplan /a --integer 2
commit ours
git checkout -q theirs
set_all a theirs1
"$CAPSULE" -q plist set Info.plist /b --string theirs2
"$CAPSULE" -q plist set ./Plan.xctestplan /a --integer 3
commit theirs
git checkout -q main
cp Info.plist ours.plist
! git merge theirs > ../merged 2>&1 || fail 'a conflict is merged'
says ../merged 'CONFLICT (content): Merge conflict in Info.plist$'
says ../merged '^capsule: note: Info.plist: conflict: /a: '
for name in Info.plist binary.plist App.entitlements Localizable.strings Plan.xctestplan "it's \"a\" \$b.plist" -x.plist; do
    [ "$(git ls-files -u -- "./$name" | wc -l)" = 3 ] || fail "$name: not three stages"
    says "./$name" '^<<<<<<< ours$'
    says "./$name" '^=======$'
    says "./$name" '^>>>>>>> theirs$'
    says_not "./$name" '|||||||'
done
iconv -f UTF-16 -t UTF-8 < Wide.strings > wide
says wide '^<<<<<<< ours$'
says wide 'theirs1'
says Info.plist 'ours1'
says Info.plist 'theirs1'
# All else is merged.
says Info.plist 'ours2'
says Info.plist 'theirs2'
says binary.plist '^<?xml'
says binary.plist 'ours1'
says binary.plist 'theirs1'
# Either half is a property list.
python3 - <<'END' || fail 'a half is no property list'
import plistlib
for name in "Info.plist", "binary.plist":
    text = open(name).read()
    for side, other in ("ours", "theirs"), ("theirs", "ours"):
        lines, state = [], None
        for line in text.splitlines(True):
            if line.startswith("<<<<<<< "): state = "ours"
            elif line == "=======\n": state = "theirs"
            elif line.startswith(">>>>>>> "): state = None
            elif state in (None, side): lines.append(line)
        value = plistlib.loads("".join(lines).encode())
        assert value["a"] == side + "1", value
        if name == "Info.plist": assert (value["b"], value["c"]) == ("theirs2", "ours2")
END
git checkout -q --theirs -- Info.plist
value Info.plist /a theirs1
git checkout -q --merge -- Info.plist
says Info.plist '^<<<<<<< ours$'
# The base, if the user wants it.
git -c merge.conflictStyle=diff3 checkout -q --merge -- Info.plist binary.plist
says Info.plist '^||||||| base$'
says Info.plist '>1<'
git merge --abort
# The length of the marks is the attribute's.
printf 'Info.plist conflict-marker-size=12\n' > .gitattributes
commit size
! git merge -q theirs > ../merged 2>&1 || fail 'a conflict is merged'
says Info.plist '^<<<<<<<<<<<< ours$'
says Info.plist '^============$'
git merge --abort
! git rebase main theirs > ../rebased 2>&1 || fail 'a conflict is rebased'
[ "$(git ls-files -u Info.plist | wc -l)" = 3 ] || fail 'not three stages'
git rebase --abort
git checkout -q main
! git cherry-pick theirs > ../picked 2>&1 || fail 'a conflict is picked'
says Info.plist '^<<<<<<<<<<<< ours$'
git cherry-pick --abort
cd ..

# The same file, added by both: no base.
empty() { :  > other.txt; }
start empty
plist New.plist a=1 b=2
commit ours
git checkout -q theirs
plist New.plist b=2 c=3
commit theirs
git checkout -q main
git merge -q -m merged theirs > ../merged 2>&1 || { cat ../merged; fail 'different keys of two new files conflict'; }
value New.plist /a 1
value New.plist /c 3
plist Newer.plist a=1
commit ours
git checkout -q theirs
plist Newer.plist a=2
commit theirs
git checkout -q main
! git merge -q theirs > ../merged 2>&1 || fail 'a conflict is merged'
says ../merged 'add/add'
says Newer.plist '^<<<<<<< ours$'
[ "$(git ls-files -u Newer.plist | wc -l)" = 2 ] || fail 'not two stages'
cd ..

# The driver by itself: 0 and 1, in place and at once, and nothing else is touched.
mkdir driver
cd driver
plist base a=1 b=1
plist ours a=2 b=1
plist theirs a=1 b=2
plist empty a=1
: > empty
cp base base.before
cp theirs theirs.before
chmod 640 ours
ok "$CAPSULE" git merge-driver -- base ours theirs 7 x/Info.plist
value ours /a 2
value ours /b 2
same base base.before
same theirs theirs.before
[ "$(ls -l ours | cut -c1-10)" = -rw-r----- ] || fail 'another mode'
plist theirs a=3 b=2
status 1 "$CAPSULE" git merge-driver base ours theirs 3 x/Info.plist
says err '^capsule: note: x/Info.plist: conflict: /a: '
says ours '^<<< ours$'
only . base ours theirs empty base.before theirs.before out err
plist ours a=2
plist theirs b=2
ok "$CAPSULE" git merge-driver empty ours theirs 7 x
value ours /a 2
value ours /b 2
# A size that is none is git's own.
plist ours a=2
plist theirs a=3
status 1 "$CAPSULE" git merge-driver empty ours theirs x x
says ours '^<<<<<<< ours$'
