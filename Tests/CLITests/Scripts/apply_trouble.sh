# Applying where there is no room, no permission, no time: all of it or nothing of it, and nothing left behind.
. "$LIB"
need python3
. "$TOOLS/trees.sh"

mkdir -p a/Documents/d b/Documents
python3 - << 'PY'
import os, random
for number in range(40):
    open(f"a/Documents/{number}", "w").write(f"old {number}\n")
    open(f"b/Documents/{(number + 1) % 45}", "w").write(f"new {number}\n")
open("b/Documents/large", "wb").write(random.Random(1).randbytes(600_000))
open("a/Documents/d/gone", "w").write("gone\n")
open("b/Documents/d", "w").write("a file now\n")
PY
status 1 "$CAPSULE" diff a b --overlay forth.capsule -q
fresh() { rm -rf w u; cp -a a w; }
# nothing_done: the target is as it was, no undo lies about.
nothing_done() {
    same_trees a "$1"
    absent "$1/.capsule-transaction" u
    [ -z "$(find . -name '*.tmp')" ] || fail "left behind: $(find . -name '*.tmp')"
}

# A file that may not grow.
limited() {
    python3 -c 'import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
fresh
status 2 limited "$CAPSULE" apply forth.capsule w --undo u
says err 'error: '
nothing_done w

# Nobody may write there; the undo goes where nobody may write.
if [ "$(id -u)" != 0 ]; then
    fresh
    chmod 555 w
    status 2 "$CAPSULE" apply forth.capsule w --undo u
    says err 'w: '
    chmod 755 w
    nothing_done w
    mkdir closed
    chmod 555 closed
    status 2 "$CAPSULE" apply forth.capsule w --undo closed/u
    nothing_done w
fi
fresh
status 2 "$CAPSULE" apply forth.capsule w --undo missing/u
nothing_done w

# Another one is at it: who waits in vain says so, and touches nothing.
fresh
python3 -c 'import fcntl, os, time
fcntl.flock(os.open("w", os.O_RDONLY), fcntl.LOCK_EX)
open("locked", "w").close()
time.sleep(60)' &
sleeping=$!
until [ -e locked ]; do sleep 0.01; done
status 2 "$CAPSULE" apply forth.capsule w --undo u
kill $sleeping
wait $sleeping 2> /dev/null || true
says err 'w: '
nothing_done w

# ^C at any moment: it is all done, or nothing is; the next one finds a whole target.
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import contextlib, io, os, random, shutil, signal, subprocess, sys, time
capsule = sys.argv[1]
sys.path.insert(0, os.environ["TOOLS"])
import compare_trees
def same(one, other):
    sys.argv[1:] = [one, other, "--times", "none", "--xattrs"]
    with contextlib.redirect_stdout(io.StringIO()): return compare_trees.main() == 0
# How long it takes undisturbed: that is the time in which it is disturbed.
shutil.copytree("a", "w", dirs_exist_ok=True)
started = time.monotonic()
subprocess.run([capsule, "apply", "forth.capsule", "w", "-q"], check=True)
span = (time.monotonic() - started) * 1.1
seed = int(os.environ.get("CAPSULE_TEST_SEED", 7))
random.seed(seed)
ends = {"old": 0, "new": 0}
for number in range(24):
    shutil.rmtree("w", ignore_errors=True)
    shutil.copytree("a", "w")
    if os.path.exists("u"): os.unlink("u")
    process = subprocess.Popen([capsule, "apply", "forth.capsule", "w", "--undo", "u"], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(random.uniform(0, span))
    which = random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    process.send_signal(which)
    errors = process.communicate(timeout=120)[1].decode()
    if process.returncode not in (0, 128 + which, -which):
        print("ended with", process.returncode, errors, "seed", seed); sys.exit(1)
    for name in os.listdir("."):
        if name.endswith(".tmp"):
            if which != signal.SIGKILL:
                print("left behind:", name, "seed", seed); sys.exit(1)
            os.unlink(name)
    interrupted = os.path.lexists("w/.capsule-transaction")
    if interrupted and process.returncode in (130, 143):
        print("^C left a transaction behind, seed", seed); sys.exit(1)
    if interrupted:
        # Nobody reads half a state.
        read = subprocess.run([capsule, "diff", "w", "a"], capture_output=True)
        recovered = subprocess.run([capsule, "recover", "w"], capture_output=True)
        if recovered.returncode or b"w is in its " not in recovered.stdout and b"nothing to recover" not in recovered.stdout:
            print("recover:", recovered, "seed", seed); sys.exit(1)
    if os.path.lexists("w/.capsule-transaction"):
        print("something is left, seed", seed); sys.exit(1)
    is_old, is_new = same("a", "w"), same("b", "w")
    if not is_old and not is_new:
        print("neither old nor new, seed", seed); sys.exit(1)
    ends["new" if is_new else "old"] += 1
    if is_new:
        back = subprocess.run([capsule, "apply", "u", "w", "-q"], capture_output=True)
        if back.returncode or not same("a", "w"):
            print("the undo does not take it back:", back, "seed", seed); sys.exit(1)
    elif process.returncode in (130, 143) and os.path.lexists("u"):
        print("an undo of nothing is left, seed", seed); sys.exit(1)
print(ends, seed)
PY

# Whatever fails, and whoever is killed: if the target is the new one in the end, there is what takes it back; where all was undone
# at once, there is none.
mkdir -p e f from
printf old > e/x
mkdir f/x
printf new > f/x/y
cp -a e from/w
status 1 "$CAPSULE" diff e f --overlay tiny.capsule -q
here=$PWD
cat > check.sh <<'SH'
unfinished=
[ ! -e w/.capsule-transaction ] || unfinished=yes
ok "$CAPSULE" recover w
if [ -d w/x ]; then
    present u
    ok "$CAPSULE" apply u w -q
elif [ "$STATUS" != 137 ] && [ "$STATUS" != 0 ] && [ -z "$unfinished" ]; then
    grep -q 'the file is complete' ../err || absent u
fi
[ "$(cat w/x)" = old ] || fail 'neither old nor new'
absent w/.capsule-transaction
SH
found=0
# What else can fail at each call is tried by target_faults.sh.
modes='--mode EIO+ --part 3'
[ -z "${CAPSULE_LONG_TESTS:-}" ] || modes='--mode kill --mode ENOSPC --mode EIO --mode EIO+'
# shellcheck disable=SC2086
python3 "$TOOLS/faults.py" each $modes --from from --check "$(cat check.sh)" -- \
    "$CAPSULE" apply "$here/tiny.capsule" w --undo u --no-cache --jobs 1 > report || found=$?
[ $found = 0 ] || [ $found = 77 ] || { cat report; fail 'faults'; }
[ $found = 77 ] || says report '^faults: [1-9][0-9]* cases$'

# A small file system of its own, another one in the middle of the target, and one that may not be written.
[ "$(id -u)" = 0 ] || { untested 'a full file system: root alone may mount one'; exit 0; }
fresh
mkdir small
mount -t tmpfs -o size=512k none small 2> /dev/null || {
    untested 'a full file system, and one below the target: none could be mounted'
    exit 0
}
trap 'umount small w/Documents/d 2> /dev/null || true' EXIT
cp -a a small/w
snapshot small/w s && tail -n +2 s > s1
status 2 "$CAPSULE" apply forth.capsule small/w --undo u
says err 'no space left'
snapshot small/w s && tail -n +2 s > s2
same s1 s2
nothing_done small/w
# The undo finds no room.
status 2 "$CAPSULE" apply forth.capsule w --undo small/u
absent small/u 2> /dev/null || true
[ -e small/u ] && fail 'half an undo is left'
same_trees a w
mount -o remount,ro small
status 2 "$CAPSULE" apply forth.capsule small/w --undo u
says err 'read-only'
nothing_done small/w
umount small
mount -t tmpfs -o size=1m,mode=755 none w/Documents/d
cp a/Documents/d/gone w/Documents/d/gone
status 2 "$CAPSULE" apply forth.capsule w --undo u
says err 'Documents/d'
says err 'w: contains a mount point'
umount w/Documents/d
nothing_done w
