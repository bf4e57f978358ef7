# diff --exclude: what is left out is told, and an expectation that may need it does not pass.
. "$LIB"
needs python3
python3 - << 'END'
import os, sqlite3
for side, value in ("a", 1), ("b", 2):
    for name in "Documents/Logs", "Documents/Keep", "Library":
        os.makedirs(f"{side}/{name}")
    for name in "Documents/Logs/x.txt", "Documents/Logs/y.log", "Documents/Keep/z.log", "Documents/Keep/note.txt", "Library/c.log":
        with open(f"{side}/{name}", "w") as file:
            file.write(f"{name} {value}\n")
    if os.fork() == 0:
        database = sqlite3.connect(f"{side}/Library/Store.sqlite")
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE T(v)")
        database.execute("INSERT INTO T VALUES (?)", [value])
        database.commit()
        os._exit(0)
    os.wait()
END
ok "$CAPSULE" pack -q a -o c.capsule
ok "$CAPSULE" pack -q b --append -o c.capsule
clauses() { printf '{"CapsuleExpectation": 1, "Other": "allow", %s}' "$1" > expect.json; }

for sides in 'a b' 'c.capsule@1 b' 'a c.capsule@2' 'c.capsule@1..2'; do
    # shellcheck disable=SC2086
    {
    status 1 "$CAPSULE" diff $sides --name-only --exclude '*.log' --exclude Documents/Logs --exclude '*.sqlite'
    [ "$(cat out)" = Documents/Keep/note.txt ] || fail 'something else is compared'
    says err "^capsule: note: not compared: 3 entries that match '\*.log'$"
    says err "^capsule: note: not compared: 3 entries that match 'Documents/Logs'$"
    says err "^capsule: note: not compared: [23] entries that match '\*.sqlite'$"
    ok "$CAPSULE" diff -q $sides --exclude Documents --exclude Library
    status 1 "$CAPSULE" diff $sides --exclude '*.log' --json
    says out '^{"kind":"excluded","pattern":"\*.log","entries":3}$'
    says_not out '"path":".*\.log"'
    status 1 "$CAPSULE" diff $sides Documents --exclude Documents/Keep --name-only
    [ "$(wc -l < out)" = 2 ] || fail 'not with PATH'

    # What can't be judged fails; what has nothing to do with it, and what is there anyway, is judged.
    for clause in '"MustNot": [{"Path": "Library/c.log"}]' '"MustNot": [{"Path": "**/c*"}]' '"MustNot": [{"Table": "U"}]' \
        '"May": [{"Path": "Library/*.log", "Count": {"Max": 5}}]' '"Must": [{"Path": "Documents/**", "Count": 2}]'; do
        clauses "$clause"
        status 1 "$CAPSULE" diff $sides --expect expect.json --exclude '*.log' --strict-patterns
        says out "log is not compared: '--exclude \*.log'$"
    done
    clauses '"Must": [{"Path": "Library/c.log"}]'
    status 1 "$CAPSULE" diff $sides --expect expect.json --exclude '*.log'
    clauses '"Must": [{"Path": "Documents/**"}], "MustNot": [{"Path": "Library/d.txt", "Kind": "added"}], "May": [{"Path": "Library/c.log"}]'
    status 0 "$CAPSULE" diff $sides --expect expect.json --exclude '*.log' --strict-patterns
    says out 'passed'
    }
done

# A pattern that matches nothing leaves out nothing.
status 1 "$CAPSULE" diff a b --exclude '*.none'
says err "^capsule: warning: '--exclude \*.none' matches nothing$"
status 2 "$CAPSULE" diff a b --exclude '*.none' --strict-patterns --html page.html
says err "^capsule: error: '--exclude \*.none' matches nothing; nothing was written$"
absent page.html
status 1 "$CAPSULE" diff a b --exclude '*.log' --html page.html
says page.html 'not compared: 3 entries'
status 64 "$CAPSULE" diff a b --exclude /Documents
status 64 "$CAPSULE" diff a b --exclude '*.log' --overlay o.capsule
status 64 "$CAPSULE" diff a/Library/c.log b/Library/c.log --exclude '*.log'

# A run leaves it out too.
status 0 "$CAPSULE" run a --name-only --exclude '*.log' -- sh -c 'echo new > a/Library/c.log; echo new > a/Documents/Keep/note.txt'
[ "$(cat out)" = Documents/Keep/note.txt ] || fail 'a run compares it'
