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

# Long help is paged by the same rules, short help is not.
for topic in '--help' 'help expectations' 'diff --help'; do
    # shellcheck disable=SC2086 # several words
    PAGER='sed s/^/paged:/' status 0 terminal --lines 20 "$CAPSULE" $topic
    ! grep -qv '^paged:' out || fail "some of '$topic' was not paged"
done
PAGER='sed s/^/paged:/' status 0 terminal --lines 1000 "$CAPSULE" --help
says_not out 'paged:'
PAGER='sed s/^/paged:/' status 0 terminal --lines 20 "$CAPSULE" -h
says_not out 'paged:'
PAGER='sed s/^/paged:/' status 0 "$CAPSULE" --help
says_not out 'paged:'

# Long rows are wrapped on a terminal below their first column, and nowhere else.
python3 - << 'END'
import os, sqlite3
for side, body in [("C", b"body 5"), ("D", b"body 6, " + b"and more of it " * 20)]:
    os.makedirs(side)
    base = sqlite3.connect(side + "/n.sqlite")
    base.execute("create table note (id integer primary key, title text, body blob)")
    base.execute("insert into note values (7, ?, ?)", ("a title of several words in " + side, body))
    base.commit()
END
PAGER='' status 1 terminal "$CAPSULE" diff C D --color never
! grep -q "..\{80\}" out || fail "a line is too long"
says out '^        ~ id 7: title "a title of several words in C" .*$'
says out '^                [^ ]'
status 1 "$CAPSULE" diff C D
[ "$(grep -c '^        ~ id 7' out)" = 1 ] && [ "$(wc -l < out)" = 3 ] || fail 'wrapped for a pipe'
says out 'body data of 6 bytes, "body 5" → data of 308 bytes, "body 6, and more of it .*"…$'
# Names come early in a long listing.
PAGER='' status 0 terminal "$CAPSULE" ls -l C
says out '^-rw.\{7\} *[0-9]* [0-9T:Z-]\{20\} [0-9a-f]\{12\} n.sqlite$'
status 0 "$CAPSULE" ls -l --full C
says out " $(digest_of C/n.sqlite) n.sqlite$"
status 64 "$CAPSULE" ls --full C
