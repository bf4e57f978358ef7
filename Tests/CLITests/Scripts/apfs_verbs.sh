# Everything that reads or changes a container, on a file system as APFS, and names that change only in case or in their Unicode
# form: the new spelling is there afterwards, or the old state to the bit, also where the process goes in the middle.
. "$LIB"
need python3 sqlite3
. "$TOOLS/apfs_like.sh"
home=$apfs_home
long=${CAPSULE_LONG_TESTS:-}
export SOURCE_DATE_EPOCH=1730000000
python3 "$TOOLS/make_spellings.py" "$home/one" one
python3 "$TOOLS/make_spellings.py" "$home/two" two

# Into a capsule, more than once, and out again.
cp -a "$home/one/t" live
ok "$CAPSULE" pack live -o live.capsule --quiet --label one
ok "$CAPSULE" pack "$home/one/t" -o "$home/one.capsule" --quiet
ok "$CAPSULE" pack "$home/two/t" -o "$home/two.capsule" --quiet
ok "$CAPSULE" diff --all "$home/one.capsule" live.capsule
ok "$CAPSULE" pack "$home/two/t" --append -o LIVE.capsule --quiet --label two
ok "$CAPSULE" verify --strict live.capsule
for label in one two; do
    ok "$CAPSULE" unpack "live.capsule@$label" -o "out.$label" --as directory --quiet
    same_trees "$home/$label/t" "out.$label" --xattrs
    ok "$CAPSULE" diff --all "$home/$label.capsule" "out.$label"
done
only . live live.capsule out.one out.two err out comparison
# A result takes the place of one that is spelled otherwise only if it may.
status 2 "$CAPSULE" unpack live.capsule@one -o OUT.two --as directory
says err 'already exists'
status 2 "$CAPSULE" unpack live.capsule@one -o OUT.two --as directory --quiet --force
says err 'which the result does not have'
rm -r out.two
cp -a out.one out.two
ok "$CAPSULE" unpack live.capsule@one -o OUT.two --as directory --quiet --force
same_trees "$home/one/t" out.two --xattrs
rm -r out.one out.two

# There and back by restore, and by overlays: the spelling is that of the version, contents and attributes are.
# is_state NAME: the live container is that state, bit for bit, and `diff` finds the same.
is_state() {
    same_trees "$home/$1/t" live --times none --xattrs
    ok "$CAPSULE" diff --all "$home/$1.capsule" live
    [ ! -s out ] || fail "a difference is left: $1"
    absent live/.capsule-transaction
}
for pair in 'one two' 'two one'; do
    set -- $pair
    ok "$CAPSULE" restore "$home/$2.capsule" live --quiet --undo "$home/undo-$1.capsule"
    is_state "$2"
    ok "$CAPSULE" restore "$home/$2.capsule" live
    says out 'nothing to change'
    ok "$CAPSULE" apply "$home/undo-$1.capsule" live --quiet
    is_state "$1"
    ok "$CAPSULE" diff --quiet --exit-zero "$home/$1.capsule" "$home/$2.capsule" --overlay "$home/$1-$2.capsule"
    ok "$CAPSULE" apply "$home/$1-$2.capsule" live --quiet
    is_state "$2"
    # SQLite folds the log into what it opens.
    rm -rf rows
    cp -a live/Library rows
    [ "$(sqlite3 rows/MODEL.sqlite 'pragma integrity_check; select body from note where id = 3')" = "ok
$2" ] || fail 'the database is not that of the state'
    rm -r rows
    ok "$CAPSULE" recover live
    says out 'nothing to recover'
done
# The overlay of what is on this file system is the same.
cp -a "$home/two/t" other
ok "$CAPSULE" diff --quiet --exit-zero live other --overlay "$home/here.capsule"
ok "$CAPSULE" apply "$home/here.capsule" live --quiet
is_state two
rm -r other

# Respelled on one side and changed on the other: merged into both, or both told of; the result is what it is elsewhere.
ok "$CAPSULE" restore "$home/one.capsule" live --quiet
cp -a "$home/one/t" "$home/theirs"
echo theirs > "$home/theirs/Documents/stays.txt"
cp -a "$home/theirs" theirs
(cd "$home" && "$CAPSULE" merge one/t two/t theirs -o merged --quiet) > out 2> err || fail 'the merge elsewhere'
ok "$CAPSULE" merge live "$home/two.capsule" theirs -o merged --quiet
same_trees "$home/merged" merged --times none --xattrs
ok "$CAPSULE" merge live theirs "$home/two.capsule" -o merged.capsule --quiet
ok "$CAPSULE" diff --all merged merged.capsule
# One side changes what the other one respells: a conflict, as elsewhere.
echo 'mine, too' > "theirs/Documents/Case other.txt"
status 1 "$CAPSULE" merge live "$home/two.capsule" theirs -o both
says out '^conflict 1: modify/delete Documents/Case other.txt: '
absent both
# A directory that one side respells, and the other puts something into, would be there in both spellings.
cp -a "$home/theirs" into
echo new > 'into/Documents/Case dir/new'
status 2 "$CAPSULE" merge live "$home/two.capsule" into -o both
says err '^capsule: error: both/Documents/cASE dir: this file system does not distinguish it from Documents/Case dir$'
absent both
ok "$CAPSULE" merge live "$home/two.capsule" into -o both.capsule --quiet
rm -r into both.capsule
rm -rf theirs merged merged.capsule

# Whatever call fails, and wherever the process goes.
cases=0
faults() {
    python3 "$TOOLS/faults.py" "$@" > report || { cat report; fail "faults $*"; }
    says report "^faults: [1-9][0-9]* cases$"
    cases=$((cases + $(sed -n 's/^faults: \([0-9]*\) cases$/\1/p' report)))
}
record() { (cd "$1" && python3 "$TOOLS/check_target.py" record "$2" t); }
if [ -z "$long" ]; then
    for state in one two; do
        python3 "$TOOLS/make_spellings.py" "$home/small.$state" $state --small
        ok "$CAPSULE" pack "$home/small.$state/t" -o "$home/$state.capsule" --quiet --force
    done
    rm "$home/two-one.capsule"
    ok "$CAPSULE" diff --quiet --exit-zero "$home/two.capsule" "$home/one.capsule" --overlay "$home/two-one.capsule"
    prefix=$home/small.
else
    prefix=$home/
fi
# torn FROM TO VERB SOURCE OPTION...: faults of what turns one state into the other.
torn() {
    from=$1 to=$2 verb=$3 source=$4
    shift 4
    rm -rf once
    cp -a "$prefix$from" once
    record once "$home/old"
    (cd once && "$CAPSULE" "$verb" "$source" t --no-cache --jobs 1) > out 2> err || fail "$verb $source"
    record once "$home/new"
    same_trees "$prefix$to/t" once/t --times none --xattrs
    check="python3 \"\$TOOLS/check_target.py\" check $home/old $home/new"
    [ "$verb" != restore ] || check="$check --next \"\$CAPSULE\" restore $source t --no-cache"
    faults each "$@" --from "$prefix$from" --check "$check" -- "$CAPSULE" "$verb" "$source" t --no-cache --jobs 1
}
if [ -n "$long" ]; then
    for pair in 'one two' 'two one'; do
        set -- $pair
        torn "$1" "$2" restore "$home/$2.capsule" --mode kill
        torn "$1" "$2" apply "$home/$1-$2.capsule" --mode kill
    done
    # Twice: the recovery is killed, too.
    prefix=$home/small.
    for state in one two; do
        python3 "$TOOLS/make_spellings.py" "$home/small.$state" $state --small
        ok "$CAPSULE" pack "$home/small.$state/t" -o "$home/small.$state.capsule" --quiet
    done
    torn one two restore "$home/small.two.capsule" --pairs
    python3 "$TOOLS/faults.py" count --from "$home/small.one" -- "$CAPSULE" restore "$home/small.two.capsule" t --no-cache --jobs 1 > calls
    set -- restore "$home/small.two.capsule" t --no-cache --jobs 1
    recoveries=0
    for point in $(seq 1 "$(cut -d ' ' -f 1 calls)"); do
        again="fault=\$CAPSULE_FAULT; CAPSULE_FAULT=kill:$point \"\$CAPSULE\" \"\$@\" > ../first 2>&1; CAPSULE_FAULT=\$fault exec \"\$CAPSULE\" recover t"
        # At the very beginning and at the very end there is nothing to recover.
        python3 "$TOOLS/faults.py" count --from "$home/small.one" -- sh -c "$again" again "$@" > calls.again || continue
        recoveries=$((recoveries + 1))
        faults each --mode kill --mode EIO --from "$home/small.one" \
            --check "python3 \"\$TOOLS/check_target.py\" check $home/old $home/new --any" -- sh -c "$again" again "$@"
    done
    [ $recoveries -gt 10 ] || fail "only $recoveries recoveries"
else
    torn one two restore "$home/two.capsule" --mode kill --part 5
    torn two one apply "$home/two-one.capsule" --mode kill --mode EIO --part 12
fi
echo "$cases cases"
