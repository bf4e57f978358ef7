# capsule diff: a report that is longer than the terminal goes through the user's pager, and nothing else does.
. "$LIB"

found=0
python3 "$TOOLS/terminal.py" true > out || found=$?
[ $found != 77 ] || skip "$(cat out)"
python3 "$TOOLS/make_contents.py" .
terminal() { python3 "$TOOLS/terminal.py" "$@"; }

PAGER='sed s/^/paged:/' status 1 terminal --lines 20 "$CAPSULE" diff A B --color never
says out '^paged:~ Library/blob.db (sqlite)$'
! grep -qv '^paged:' out || fail "some of it was not paged"
PAGER='sed s/^/paged:/' status 1 terminal --lines 500 "$CAPSULE" diff A B --color never
says_not out '^paged:'
says out '^~ Library/blob.db (sqlite)$'
for pager in '' cat no-such-pager; do
    PAGER=$pager status 1 terminal --lines 20 "$CAPSULE" diff A B --color never
    [ "$(grep -c '^~ Library/blob.db (sqlite)$' out)" = 1 ] || fail "not shown once with the pager '$pager'"
done
# A pager that is left at once is no failure, and what is for a machine is never paged.
PAGER=true status 1 terminal --lines 20 "$CAPSULE" diff A B
PAGER='sed s/^/paged:/' status 1 terminal --lines 20 "$CAPSULE" diff A B --json
says_not out 'paged:'
PAGER='sed s/^/paged:/' status 1 "$CAPSULE" diff A B
says_not out 'paged:'
# Color on a terminal, none where it is not wanted.
PAGER=cat status 1 terminal "$CAPSULE" diff A B
grep -q "$(printf '\033')\[32m" out || fail "no color on a terminal"
PAGER=cat NO_COLOR=1 status 1 terminal "$CAPSULE" diff A B
! grep -q "$(printf '\033')" out || fail "color with NO_COLOR"
