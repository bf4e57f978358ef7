# Repair cuts off what is no version's, keeps what was damaged, and tells; whatever fails, no version is lost.
. "$LIB"
need python3
mkdir t
echo content > t/a
# In the short form one in eight of the faults, by lot, and fewer cuts; a failure names its case.
[ -n "${CAPSULE_LONG_TESTS:-}" ] && part=1 limit=2000 || part=8 limit=80
faults() { python3 "$TOOLS/faults.py" "$@" || fail "faults $*"; }
length() { wc -c < "$1" | tr -d ' '; }
same_length() { [ "$(length "$1")" = "$2" ] || fail "$1 has $(length "$1") bytes, not $2"; }
# flip FILE FROM-END: one bit of a byte.
flip() {
    byte=$(tail -c "$2" "$1" | od -An -v -tu1 -N1)
    # shellcheck disable=SC2059 # the byte is an escape of the format
    printf "\\$(printf %o $((byte ^ 4)))" | dd of="$1" bs=1 seek=$(($(length "$1") - $2)) conv=notrunc 2> /dev/null
}

for codec in gzip zstd; do
    rm -rf start ./*.capsule* d
    ok "$CAPSULE" pack t -o two.capsule --codec "$codec" --label one
    one=$(length two.capsule)
    python3 "$TOOLS/add_version.py" two.capsule --label two
    cp two.capsule three.capsule
    python3 "$TOOLS/add_version.py" three.capsule --label three --captured 1700000000
    two=$(length two.capsule)
    three=$(length three.capsule)

    # Nothing to do.
    ok "$CAPSULE" repair two.capsule
    says out '^two.capsule: nothing to repair: 2 versions$'
    ok "$CAPSULE" repair --json two.capsule
    says out '^{"schema":"capsule.repair","version":1,"file":"two.capsule","tail":"whole","bytes":'"$two"',"dropped":0,"versions":\[2,1\],"whole":true,"lost":\[\]}$'
    ok "$CAPSULE" repair --quiet two.capsule
    [ ! -s out ] || fail 'not quiet'

    # Torn: cut off.
    head -c $((three - 9)) three.capsule > x.capsule
    status 0 "$CAPSULE" ls x.capsule
    says err "^capsule: hint: 'capsule repair x.capsule' removes the incomplete tail$"
    status 0 "$CAPSULE" verify x.capsule
    says err "^capsule: hint: 'capsule repair x.capsule' removes the incomplete tail$"
    ok "$CAPSULE" repair x.capsule
    says out '^x.capsule: repaired: removed an incomplete tail of [0-9,]* bytes at byte [0-9,]*; versions 1 and 2 remain$'
    same x.capsule two.capsule
    absent x.capsule.damaged

    # Damaged: kept, and the version in it is told.
    cp three.capsule x.capsule
    flip x.capsule 40
    tail -c $((three - two)) x.capsule > tail
    status 2 "$CAPSULE" ls x.capsule
    says err "^capsule: hint: 'capsule repair x.capsule' cuts off the damaged tail and saves it as x.capsule.damaged$"
    status 2 "$CAPSULE" verify x.capsule
    says err "^capsule: hint: 'capsule repair x.capsule' cuts"
    cp x.capsule y.capsule
    ok "$CAPSULE" repair x.capsule
    says out '^x.capsule: repaired: moved [0-9,]* bytes at byte [0-9,]* to x.capsule.damaged; versions 1 and 2 remain$'
    says out "^x.capsule: removed: version 3 'three', captured 2023-11-14T22:13:20Z, 2 entries\$"
    same x.capsule two.capsule
    same x.capsule.damaged tail
    ok "$CAPSULE" repair y.capsule --json
    says out '"tail":"damaged","bytes":'"$two"',"dropped":'$((three - two))',"saved":"y.capsule.damaged","versions":\[2,1\],"whole":true,"lost":\[{"number":3,"label":"three","captured":"2023-11-14T22:13:20Z","entries":2,"bytes":8}\]}$'

    # Never over what is there; what an earlier run left is as good as new.
    cp three.capsule x.capsule
    flip x.capsule 40
    echo mine > x.capsule.damaged
    cp x.capsule before
    status 2 "$CAPSULE" repair x.capsule
    says err '^capsule: error: x.capsule.damaged: already exists, and the damaged tail would be saved there$'
    says err '^capsule: hint: move it elsewhere first$'
    same x.capsule before
    [ "$(cat x.capsule.damaged)" = mine ] || fail 'overwritten'
    ln -sf tail x.capsule.damaged
    status 2 "$CAPSULE" repair x.capsule
    same x.capsule before
    rm x.capsule.damaged
    cp tail x.capsule.damaged
    ok "$CAPSULE" repair x.capsule
    same x.capsule two.capsule
    same x.capsule.damaged tail

    # The newest manifest is wrong: nothing of that version can be read for sure, and it is the tail.
    rm x.capsule.damaged
    cp three.capsule x.capsule
    [ "$codec" = gzip ] && footer=271 || footer=255
    flip x.capsule $((footer + 100))
    status 2 "$CAPSULE" info x.capsule
    ok "$CAPSULE" repair x.capsule
    same x.capsule two.capsule
    same_length x.capsule.damaged $((three - two))
    rm x.capsule.damaged
    noise 700 tail >> x.capsule
    printf end >> x.capsule
    ok "$CAPSULE" repair x.capsule
    says out '^x.capsule: the removed data names no version$'
    same x.capsule two.capsule

    # A footer in the middle: nothing that cutting could mend.
    cp three.capsule x.capsule
    flip x.capsule $((three - two + 40))
    cp x.capsule before
    rm -f x.capsule.damaged
    status 2 "$CAPSULE" repair x.capsule
    says err '^capsule: error: x.capsule: the footer of the version before 3, at byte [0-9]*, is damaged, and cutting off the tail does not repair it: version 3 can still be read$'
    says err "^capsule: hint: 'capsule compact --keep 3 x.capsule' keeps the readable versions$"
    same x.capsule before
    absent x.capsule.damaged
    ok "$CAPSULE" cat x.capsule@3 a
    same out t/a
    ok "$CAPSULE" compact --keep 3 x.capsule
    ok "$CAPSULE" verify --strict x.capsule
    ok "$CAPSULE" cat x.capsule@3 a
    same out t/a

    # No whole version.
    head -c $((one - 9)) two.capsule > x.capsule
    cp x.capsule before
    status 2 "$CAPSULE" repair x.capsule
    says err "^capsule: hint: tar may still extract files from it$"
    same x.capsule before
    cp two.capsule x.capsule
    head -c "$one" two.capsule > x.capsule
    flip x.capsule 40
    cp x.capsule before
    status 2 "$CAPSULE" repair x.capsule
    same x.capsule before
    absent x.capsule.damaged

    # Whatever call fails, and wherever the process dies: versions 1 and 2 are whole, and the next repair does its work.
    mkdir start
    head -c $((three - 9)) three.capsule > start/x.capsule
    after='"$CAPSULE" verify --quiet x.capsule; "$CAPSULE" repair x.capsule; cmp x.capsule $HERE/two.capsule'
    after="$after; "'ls -A | grep -v "^\.x.capsule.damaged.*tmp$" > ../names'
    faults each --part $part --pairs --from start --check "$after; [ \"\$(cat ../names)\" = x.capsule ]" -- "$CAPSULE" repair x.capsule
    faults cuts --limit $limit --from start --check "$after" -- "$CAPSULE" repair x.capsule
    cp three.capsule start/x.capsule
    flip start/x.capsule 40
    cp start/x.capsule damaged
    tail -c $((three - two)) damaged > tail
    # Before: untouched, or cut with the tail kept. Who only failed leaves nothing half done.
    before='if cmp -s x.capsule $HERE/damaged; then [ "$STATUS" = 137 ] || [ "$(ls -A)" = x.capsule ] || case "$FAULT" in *+) ;; *) fail "$(ls -A)" ;; esac; '
    before="$before"'else cmp x.capsule $HERE/two.capsule; cmp x.capsule.damaged $HERE/tail; fi; "$CAPSULE" verify --quiet x.capsule@1 || [ $? = 64 ]'
    after='"$CAPSULE" repair x.capsule; cmp x.capsule $HERE/two.capsule; cmp x.capsule.damaged $HERE/tail; "$CAPSULE" verify --strict x.capsule'
    faults each --part $part --pairs --from start --check "$before; $after" -- "$CAPSULE" repair x.capsule
    faults cuts --limit $limit --from start --check "$after" -- "$CAPSULE" repair x.capsule
done

# Somebody else is writing.
cp three.capsule x.capsule
flip x.capsule 40
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import fcntl, subprocess, sys, time
def repair(timeout):
    start = time.monotonic()
    done = subprocess.run([sys.argv[1], "repair", "x.capsule", "--lock-timeout", timeout], capture_output=True, text=True)
    return done.returncode, done.stderr, time.monotonic() - start
with open("x.capsule", "r+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    # A reader takes what is being written for nothing, whatever it is.
    done = subprocess.run([sys.argv[1], "info", "x.capsule"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and "2 of 2 versions" in done.stdout, done
    for timeout, least in (("0", 0), ("0.3", 0.3)):
        status, errors, seconds = repair(timeout)
        assert status == 2 and seconds >= least, (status, seconds)
        assert errors == ("capsule: error: x.capsule: another process is writing to it\n"
                          "capsule: hint: '--lock-timeout' sets how many seconds to wait\n"), errors
status, errors, seconds = repair("0")
assert status == 0, errors
PY
same x.capsule two.capsule

# What is no capsule's file.
status 64 "$CAPSULE" repair two.capsule@1
says err "^capsule: error: two.capsule@1: must be a file, not one version of it$"
says err "^capsule: hint: 'capsule repair two.capsule' repairs the file$"
status 64 "$CAPSULE" repair -
status 2 "$CAPSULE" repair nowhere.capsule
status 2 "$CAPSULE" repair t
status 2 "$CAPSULE" repair t/a
says err "^capsule: error: t/a: is not a capsule$"
[ "$(cat t/a)" = content ] || fail 'written to'
