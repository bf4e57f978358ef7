# What can't be read is an error, or left out and recorded. As root, tried as another user.
. "$LIB"
need python3
mkdir -m 777 place
cp "$CAPSULE" place/capsule
chmod 755 place/capsule . ..
cd place
as_user() {
    if [ "$(id -u)" = 0 ]; then
        python3 -c 'import os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
    else
        "$@"
    fi
}
as_user /bin/sh -c 'mkdir t t/closed && echo x > t/f && echo y > t/secret && echo z > t/closed/inside && chmod 0 t/secret t/closed' ||
    skip 'no other user may work here'
as_user ./capsule --version > /dev/null || skip 'no other user may run the program'
status 2 as_user ./capsule pack t -o no.capsule
says err 'permission denied'
absent no.capsule
status 0 as_user ./capsule pack t -o t.capsule --skip-unreadable
says err '2 entries were left out'
status 0 as_user ./capsule info t.capsule
says out 'closed: its content is unreadable'
says out 'secret: unreadable'
status 0 as_user ./capsule verify --strict t.capsule
status 2 as_user ./capsule pack t -o no.capsule --skip-unreadable --strict
absent no.capsule
# What can't be read is neither the same nor gone: diff says so, tells all else, and ends with a failure.
as_user /bin/sh -c 'mkdir -p u/closed && echo x > u/f && echo y > u/secret && echo z > u/closed/inside && echo new > u/more'
status 2 as_user ./capsule diff u t --no-cache
says err '^capsule: error: 2 files could not be read: the comparison is incomplete$'
says out '^    ! the new side can.t be read: .*permission denied'
says out "^    ! the new side can.t be listed: .*permission denied"
says out '^- more'
says_not out 'inside'
status 2 as_user ./capsule diff t u --no-cache --json
says out '^{"kind":"end","status":2,.*"complete":false,'
says_not out 'inside'
# A database or a log of one that can't be read is left out like any other file; the rest of the unit is packed.
as_user /bin/sh -c 'mkdir db && for name in A B; do
    printf "SQLite format 3\0content" > db/$name.sqlite && echo log > db/$name.sqlite-wal; done
    echo x > db/other && chmod 0 db/A.sqlite db/B.sqlite-wal'
status 2 as_user ./capsule pack db -o no.capsule
says err 'skip-unreadable'
absent no.capsule
status 0 as_user ./capsule pack db -o db.capsule --skip-unreadable
says err '2 entries were left out'
status 0 as_user ./capsule info db.capsule
says out 'A.sqlite: unreadable'
says out 'B.sqlite-wal: unreadable'
status 0 as_user ./capsule ls db.capsule
printf '%s\n' A.sqlite-wal B.sqlite other > wanted
same out wanted
status 0 as_user ./capsule verify --strict db.capsule
# Directories that may not be written to come back so, and can be replaced.
as_user /bin/sh -c 'mkdir ro ro/d && echo x > ro/d/f && chmod 444 ro/d/f && chmod 555 ro/d'
status 0 as_user ./capsule pack ro
status 0 as_user ./capsule unpack ro.capsule -o back
same_trees ro back
status 0 as_user ./capsule unpack ro.capsule -o back --force
same_trees ro back
ls -A | grep 'tmp$' && fail 'left behind'
# No room for a file beside the target.
as_user /bin/sh -c 'mkdir shut && chmod 555 shut'
status 2 as_user ./capsule pack ro -o shut/out.capsule
status 2 as_user ./capsule unpack ro.capsule -C shut
only shut
# Where nobody may look, nothing is said to be there or not to be: neither a version nor a target.
as_user /bin/sh -c 'mkdir dark && cp ro.capsule dark/x.capsule && chmod 0 dark'
for name in dark/x.capsule dark/x.capsule@1 dark/none@before; do
    status 2 as_user ./capsule info "$name"
    says err 'permission denied'
done
status 2 as_user ./capsule pack ro -o dark/out.capsule
says err 'dark/out.capsule: cannot stat: permission denied'
status 2 as_user ./capsule unpack ro.capsule -o dark/out
says err 'dark/out: cannot stat: permission denied'
# A creation mask that closes what we make to ourselves: an error, and nothing stays behind.
as_user /bin/sh -c 'umask 777 && ./capsule unpack ro.capsule -o masked' > /dev/null 2>&1 && fail 'unpacked into a closed directory'
absent masked
ls -A | grep 'tmp$' && fail 'left behind'
# What could not be read when a version was packed is not known to have been missing: a reset keeps it.
as_user /bin/sh -c 'chmod 644 t/secret && chmod 755 t/closed && echo more > t/f'
status 0 as_user ./capsule restore t.capsule t
says err 'entries that could not be read when the version was packed are unchanged'
as_user /bin/sh -c 'chmod 755 t/closed && cat t/f t/secret t/closed/inside' > kept || fail 'a reset took what the version could not read'
printf 'x\ny\nz\n' > wanted
same kept wanted
# Nor does a log come to lie beside another database than its own: the rest of its unit stays, too.
cat > write.py << 'EOF'
import os, sqlite3, sys
store = sqlite3.connect("unit/A.sqlite")
store.execute("PRAGMA journal_mode = WAL")
store.execute("CREATE TABLE IF NOT EXISTS note(id)")
for number in sys.argv[1:]:
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.execute("INSERT INTO note VALUES(?)", (number,))
    store.commit()
os._exit(0)  # the log stays
EOF
chmod 644 write.py
as_user /bin/sh -c 'mkdir unit && python3 write.py 1 && chmod 0 unit/A.sqlite-wal'
status 0 as_user ./capsule pack unit -o unit.capsule --skip-unreadable
as_user /bin/sh -c 'chmod 644 unit/A.sqlite-wal && python3 write.py 2 3 && cp -r unit before && echo more > unit/more'
status 0 as_user ./capsule restore unit.capsule unit --any-directory
says out '^unit: changed: 1 entry deleted$'
for name in A.sqlite A.sqlite-wal; do same "unit/$name" "before/$name"; done
# As the user's, too, all goes again.
chmod -R u+rwx . 2> /dev/null || true
