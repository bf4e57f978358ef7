# Merges whose base git made itself, of several or of a conflict it remembers; and conflicts that are resolved on the way.
. "$LIB"
need python3
git_home

# plist KEY=VALUE...: X.plist, in that order.
plist() { xml_of "$@" > X.plist; }
value() { [ "$("$CAPSULE" plist get X.plist "$1")" = "$2" ] || fail "$1 is $("$CAPSULE" plist get X.plist "$1"), not $2"; }
commit() { git add -A && git commit -q -m "$1"; }
merged() { git merge -m merged "$1" > ../said 2>&1 || { cat ../said; fail "the merge of $1 has conflicts"; }; }
in_conflict() { ! git merge -m merged "$1" > ../said 2>&1 || fail "the merge of $1 has no conflicts"; }
start() {
    rm -rf r
    git init -q -b main r
    cd r
    ok "$CAPSULE" git install
    rm -f out err
    plist a=1 b=1 c=1 d=1
    commit base
}

# apart: two branches, main and theirs, that give /c other values; ours and first stay there.
apart() {
    git branch theirs
    plist a=1 b=1 c=ours d=1
    commit ours
    git branch ours
    git checkout -q theirs
    plist a=1 b=1 c=theirs d=1
    commit theirs
    git branch first
}
# crossed OURS THEIRS: two branches that merged each other's first commit, with a conflict at /c, which they resolved so.
crossed() {
    start
    apart
    in_conflict ours
    plist a=1 b=1 c="$2" d=1
    commit crossed
    git checkout -q main
    in_conflict first
    plist a=1 b=1 c="$1" d=1
    commit crossed
}
# Both resolved alike, and changed neighbours since: clean, and nothing of the bases' conflict is told.
crossed same same
plist a=1 b=2 c=same d=1
commit ours
git checkout -q theirs
plist a=1 b=1 c=same d=2
commit theirs
git checkout -q main
merged theirs
says_not ../said '^capsule'
value /b 2
value /c same
value /d 2
cd ..
# One key added by both, in two places that git merges: a conflict, and each half a property list.
crossed same same
plist new=ours a=1 b=1 c=same d=1
commit ours
git checkout -q theirs
plist a=1 b=1 c=same d=1 new=theirs
commit theirs
git checkout -q main
in_conflict theirs
says ../said '^capsule: note: X.plist: conflict: /new: both added$'
says_not ../said 'warning'
[ "$(grep -c '^<<<<<<< ours$' X.plist)" = 1 ] || fail 'not one conflict'
"$CAPSULE" git textconv X.plist > ../lines
says ../lines '^/new: "ours"$'
says ../lines '^/new: "theirs"$'
git -c merge.conflictStyle=diff3 checkout -q --merge -- X.plist
says X.plist '^<<<<<<< ours$'
cd ..
# Each kept its own: neither is taken for the base.
crossed ours theirs
plist a=1 b=2 c=ours d=1
commit ours
in_conflict theirs
says ../said '^capsule: note: X.plist: merged as text: the base has conflict marks$'
says_not ../said 'warning'
says X.plist '>ours<'
says X.plist '>theirs<'
[ "$(git ls-files -u | wc -l)" = 3 ] || fail 'not three stages'
cd ..
# One kept its own, the other did not: what the bases have there is not known, so it is open.
crossed ours other
in_conflict theirs
says X.plist '>ours<'
says X.plist '>other<'
cd ..
# With longer marks than git's own, a conflict is still told, and one of bases still is not.
start
printf 'X.plist conflict-marker-size=12\n' > .gitattributes
commit size
apart
in_conflict ours
says ../said '^capsule: note: X.plist: conflict: /c: both changed$'
says X.plist '^<<<<<<<<<<<< ours$'
plist a=1 b=1 c=same d=1
commit crossed
git checkout -q main
in_conflict first
plist a=2 b=1 c=same d=1
commit crossed
merged theirs
says_not ../said '^capsule'
value /a 2
cd ..

# A resolution that git remembers.
start
git config rerere.enabled true
apart
git checkout -q main
in_conflict theirs
plist a=1 b=1 c=resolved d=1
commit resolved
git reset -q --hard HEAD~
in_conflict theirs
says ../said "^Resolved 'X.plist' using previous resolution"
says ../said '^capsule: note: X.plist: merged as text: the base has conflict marks$'
says_not ../said 'warning'
value /c resolved
git merge --abort
# In another file, whose lines elsewhere have changed since.
plist a=2 b=1 c=ours d=1
commit more
in_conflict theirs
says_not ../said 'warning'
value /c resolved
value /a 2
# A rebase takes it as well, and goes on.
git merge --abort
git checkout -q -b rebased theirs
! git rebase main > ../said 2>&1 || fail 'a conflict is rebased'
value /c resolved
git add X.plist
GIT_EDITOR=true git rebase --continue > ../said 2>&1 || { cat ../said; fail 'the rebase does not end'; }
value /c resolved
value /a 2
[ "$(git rev-parse HEAD~)" = "$(git rev-parse main)" ] || fail 'not rebased'
cd ..

# Conflicts on the way of a rebase and a cherry-pick, resolved by hand, with commits behind them that merge.
start
git branch theirs
plist a=1 b=1 c=ours d=1
commit ours
git checkout -q theirs
plist a=1 b=1 c=theirs d=1
commit one
plist a=1 b=1 c=theirs d=2
commit two
git branch kept
git branch picked main
! git rebase main > ../said 2>&1 || fail 'a conflict is rebased'
says X.plist '^<<<<<<< ours$'
plist a=1 b=1 c=resolved d=1
git add X.plist
GIT_EDITOR=true git rebase --continue > ../said 2>&1 || { cat ../said; fail 'the rebase does not end'; }
value /c resolved
value /d 2
git checkout -q picked
! git cherry-pick kept~ kept > ../said 2>&1 || fail 'a conflict is picked'
says X.plist '^<<<<<<< ours$'
plist a=1 b=1 c=resolved d=1
git add X.plist
GIT_EDITOR=true git cherry-pick --continue > ../said 2>&1 || { cat ../said; fail 'the pick does not end'; }
value /c resolved
value /d 2
[ "$(git rev-list --count main..)" = 2 ] || fail 'not both are picked'
git diff --quiet theirs || fail 'picked is not what was rebased'
