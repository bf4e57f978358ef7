# What is read out of a capsule is compared with its digest by every verb: damage never gets a fresh digest.
. "$LIB"
need python3
forge() { python3 "$TOOLS/forge_capsule.py" "$@"; }
says_damaged() { says err 'does not agree with its digest: it is damaged, or changed while it was read$'; }
mkdir t live
echo other > live/a
forge sound sound.capsule
for kind in digest large head; do
    forge "$kind" "$kind.capsule"
    status 2 "$CAPSULE" verify "$kind.capsule"
    status 2 "$CAPSULE" cat "$kind.capsule" a
    says_damaged
    for form in directory tar.gz tar.zst zip; do
        status 2 "$CAPSULE" unpack "$kind.capsule" --as "$form" -o "out.$form"
        says_damaged
        absent "out.$form"
    done
    for codec in gzip zstd; do
        status 2 "$CAPSULE" pack "$kind.capsule" -o packed.capsule --codec "$codec"
        says_damaged
        absent packed.capsule
    done
    cp sound.capsule grown.capsule
    status 2 "$CAPSULE" pack "$kind.capsule" --append -o grown.capsule
    says_damaged
    same grown.capsule sound.capsule
    for output in merged.capsule merged; do
        status 2 "$CAPSULE" merge sound.capsule sound.capsule "$kind.capsule" -o "$output"
        says_damaged
        absent "$output"
    done
    # What differs is told, and nothing of what is in the file.
    status 2 "$CAPSULE" diff "$kind.capsule" sound.capsule
    says out "can't be read: does not agree with its digest"
    says_not out '@@'
    says_not out '30 × 20'
    status 2 "$CAPSULE" diff sound.capsule "$kind.capsule"
    says out "can't be read: does not agree with its digest"
    status 2 "$CAPSULE" diff sound.capsule "$kind.capsule" --overlay "over.capsule"
    absent over.capsule
    status 2 "$CAPSULE" restore "$kind.capsule" live --different-app
    [ "$(cat live/a)" = other ] || fail 'the live file was replaced'
    [ "$(ls live)" = a ] || fail 'something was left'
    status 2 "$CAPSULE" compact "$kind.capsule" -o compacted.capsule
    absent compacted.capsule
done

# A database is compared whole before a row of it is told, and before its log is folded in.
python3 - <<'PY'
import sqlite3
for name in "one", "two":
    with sqlite3.connect(name) as database:
        database.execute("create table t(a)")
        database.execute("insert into t values(?)", (name,))
PY
forge database one.capsule one
mkdir d
cp two d/db.sqlite
status 2 "$CAPSULE" diff one.capsule d
says out 'does not agree with its digest'
says_not out "'one'"
status 2 "$CAPSULE" pack one.capsule --fold-wal -o folded.capsule
says_damaged
absent folded.capsule

# The log that only one side has is read, too: its damage is no difference that anything could be judged by.
python3 - <<'PY'
import os, shutil, sqlite3
os.mkdir("plain")
with sqlite3.connect("plain/db.sqlite") as database:
    database.execute("create table t(a)")
shutil.copytree("plain", "logged")
database = sqlite3.connect("logged/db.sqlite")
database.execute("pragma journal_mode=wal")
database.execute("insert into t values(1)")
database.commit()
shutil.copyfile("logged/db.sqlite", "page")
shutil.copyfile("logged/db.sqlite-wal", "log")
database.close()
PY
rm -r logged
forge log logged.capsule page log
printf '{"CapsuleExpectation":1,"May":[{"Path":"**"}]}' > anything.json
for sides in 'plain logged.capsule' 'logged.capsule plain'; do
    # shellcheck disable=SC2086
    for flag in --exit-zero --stat '--expect anything.json' '--expect-write written.json' '--learn written.json'; do
        status 2 "$CAPSULE" diff $sides $flag
        cat out err > both
        says both 'could not be read: the comparison is not complete\|ended before it saw all\|not complete'
        absent written.json
    done
done
status 2 "$CAPSULE" merge plain plain logged.capsule -o merged
cp -r plain changed
python3 - <<'PY'
import sqlite3
with sqlite3.connect("changed/db.sqlite") as database:
    database.execute("insert into t values(2)")
PY
status 2 "$CAPSULE" merge plain changed logged.capsule -o merged --prefer ours
says_damaged
absent merged

# What a dry run reads and finds damaged is an error, as it is when it writes.
mkdir target
echo ha > target/a
forge digest hi.capsule
status 2 "$CAPSULE" restore hi.capsule target --different-app --dry-run
cat out err > both
says both 'could not be read\|does not agree with its digest'
