# What is read out of a capsule is compared with its digest by every verb: damage never gets a fresh digest.
. "$LIB"
need python3
says_damaged() { says err 'does not match its digest: it is damaged, or changed while it was read$'; }
mkdir t live
echo other > live/a
# All that is read here.
blob=Library/.S_SUPPORT/_EXTERNAL_DATA/0F5C9A3E-7B1D-4C22-9E55-3A6B7C8D9E0F
python3 - "$TOOLS" "$blob" <<'PY'
import os, plistlib, shutil, sqlite3, sys
tools, name = sys.argv[1:]
for each in "one", "two":
    with sqlite3.connect(each) as database:
        database.execute("create table t(a)")
        database.execute("insert into t values(?)", (each,))
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
shutil.rmtree("logged")
shutil.copytree("plain", "changed")
with sqlite3.connect("changed/db.sqlite") as database:
    database.execute("insert into t values(2)")
for side in "was", "is":
    os.makedirs(f"{side}/{os.path.dirname(name)}")
    with sqlite3.connect(f"{side}/Library/S.sqlite") as store:
        store.executescript("create table Z_METADATA(Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);"
                            "create table Z_PRIMARYKEY(Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);"
                            "create table Z_MODELCACHE(Z_CONTENT blob);"
                            "create table ZDOC(Z_PK integer primary key, Z_ENT integer, Z_OPT integer, ZBODY blob)")
        store.execute("insert into ZDOC values(1, 1, 1, ?)", (b"\2" + os.path.basename(name).encode(),))
for length in 10, 2 << 20:
    for side, secret in ("was", 0), ("is", 1):
        with open(f"{side}-{length}", "wb") as file:
            plistlib.dump({"secret": secret, "pad": bytes(length)}, file, fmt=plistlib.FMT_BINARY)
sys.path.insert(0, tools)
import forge_capsule
for arguments in (["sound", "sound.capsule"], ["digest", "digest.capsule"], ["large", "large.capsule"], ["head", "head.capsule"],
                  ["database", "one.capsule", "one"], ["log", "logged.capsule", "page", "log"],
                  ["blob", "blob-10.capsule", "was/Library/S.sqlite", "was-10", name],
                  ["blob", "blob-2097152.capsule", "was/Library/S.sqlite", "was-2097152", name]):
    sys.argv = ["forge_capsule.py", *arguments]
    forge_capsule.main()
PY
# drawn WORD...: all of them; in the short form one, by lot.
drawn() {
    [ -z "${CAPSULE_LONG_TESTS:-}" ] || { printf '%s\n' "$@" && return; }
    shift "$(lot $#)"
    printf '%s\n' "$1"
}
for kind in digest large head; do
    forms='directory tar.gz tar.zst zip' codecs='gzip zstd' outputs='merged.capsule merged'
    # Of damage in large files and in pictures the short form draws one form of each output.
    # shellcheck disable=SC2086
    [ $kind = digest ] || { forms=$(drawn $forms) && codecs=$(drawn $codecs) && outputs=$(drawn $outputs); }
    status 2 "$CAPSULE" verify "$kind.capsule"
    status 2 "$CAPSULE" cat "$kind.capsule" a
    says_damaged
    for form in $forms; do
        status 2 "$CAPSULE" unpack "$kind.capsule" --as "$form" -o "out.$form"
        says_damaged
        absent "out.$form"
    done
    for codec in $codecs; do
        status 2 "$CAPSULE" pack "$kind.capsule" -o packed.capsule --codec "$codec"
        says_damaged
        absent packed.capsule
    done
    cp sound.capsule grown.capsule
    status 2 "$CAPSULE" pack "$kind.capsule" --append -o grown.capsule
    says_damaged
    same grown.capsule sound.capsule
    for output in $outputs; do
        status 2 "$CAPSULE" merge sound.capsule sound.capsule "$kind.capsule" -o "$output"
        says_damaged
        absent "$output"
    done
    # What differs is told, and nothing of what is in the file.
    status 2 "$CAPSULE" diff "$kind.capsule" sound.capsule
    says out "can't be read: does not match its digest"
    says_not out '@@'
    says_not out '30 × 20'
    status 2 "$CAPSULE" diff sound.capsule "$kind.capsule"
    says out "can't be read: does not match its digest"
    status 2 "$CAPSULE" diff sound.capsule "$kind.capsule" --overlay "over.capsule"
    absent over.capsule
    status 2 "$CAPSULE" restore "$kind.capsule" live --any-directory
    [ "$(cat live/a)" = other ] || fail 'the live file was replaced'
    [ "$(ls live)" = a ] || fail 'something was left'
    status 2 "$CAPSULE" compact "$kind.capsule" -o compacted.capsule
    absent compacted.capsule
done

# A database is compared whole before a row of it is told, and before its log is folded in.
mkdir d
cp two d/db.sqlite
status 2 "$CAPSULE" diff one.capsule d
says out 'does not match its digest'
says_not out "'one'"
status 2 "$CAPSULE" pack one.capsule --fold-wal -o folded.capsule
says_damaged
absent folded.capsule

# The log that only one side has is read, too: its damage is no difference that anything could be judged by.
printf '{"CapsuleExpectation":1,"May":[{"Path":"**"}]}' > anything.json
for sides in 'plain logged.capsule' 'logged.capsule plain'; do
    # shellcheck disable=SC2086
    for flag in --exit-zero --stat '--expect anything.json' '--expect-write written.json' '--learn written.json'; do
        status 2 "$CAPSULE" diff $sides $flag
        cat out err > both
        says both 'ended before it saw all\|incomplete'
        absent written.json
    done
done
status 2 "$CAPSULE" merge plain plain logged.capsule -o merged
status 2 "$CAPSULE" merge plain changed logged.capsule -o merged --prefer ours
says_damaged
absent merged

# What a dry run reads and finds damaged is an error, as it is when it writes.
mkdir target
echo ha > target/a
cp digest.capsule hi.capsule
status 2 "$CAPSULE" restore hi.capsule target --any-directory --dry-run
cat out err > both
says both 'could not be read\|does not match its digest'

# The file of an external blob is compared with its digest, whatever its size: the row that names it tells what changed.
printf '{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Pointer":"/<plist>/secret"}]}' > guard.json
printf '{"CapsuleRules":1,"Rules":[{"Class":"mine","Path":"**"}]}' > hide.json
for length in 10 2097152; do
    cp "is-$length" "is/$blob"
    cp "blob-$length.capsule" blob.capsule
    for sides in 'blob.capsule is' 'is blob.capsule'; do
        # In the short form one flag of each kind, by lot: what it prints, what it is judged by, and what it writes.
        { drawn --json --exit-zero --stat; drawn '--rules hide.json' '--expect guard.json'
            drawn '--expect-write written.json' '--learn written.json'; } > flags
        while IFS= read -r flag; do
            # shellcheck disable=SC2086
            status 2 "$CAPSULE" diff $sides $flag
            absent written.json
        done < flags
        # shellcheck disable=SC2086
        status 2 "$CAPSULE" diff $sides
        says out "can't be read: does not match its digest"
        says err 'could not be read: the comparison is incomplete$'
    done
    # A sound one is told by its row.
    cp "was-$length" "was/$blob"
    status 1 "$CAPSULE" diff was is
    says out '~ Z_PK 1: body'
    says_not out '_EXTERNAL_DATA'
done
