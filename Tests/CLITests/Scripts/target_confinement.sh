# Apply, restore and recover stay in their target, whatever lies in it, whatever an overlay says, and whoever swaps what for what.
. "$LIB"
needs timeout
need python3
long=${CAPSULE_LONG_TESTS:-}
here=$PWD

# Two trees, with links, modes and directories in directories.
mkdir -p a/d/e b/d/e b/d/n a/l b/l
for name in d/a d/e/b d/same x l/f; do
    echo "a's $name" > "a/$name"
    echo "b's $name" > "b/$name"
done
cp a/d/same b/d/same
chmod 600 b/d/same
echo gone > a/d/gone
echo new > b/d/n/m
ln -s d/a a/link
ln -s d/e b/link

race() {
    rm -rf race
    mkdir race
    cp -a a b race
    (cd race && timeout 5000 python3 "$TOOLS/race_target.py" "$1" "$CAPSULE" "$2") > raced 2>&1 || fail "$1: $(head -c 3000 raced)"
    echo "$1: $(cat raced)"
}
race links "$([ -n "$long" ] && echo 10000 || echo 8)"
race twins "$([ -n "$long" ] && echo 600 || echo 2)"
race writer "$([ -n "$long" ] && echo 600 || echo 2)"

# What recover, restore and apply do in a directory `t`: nothing outside is opened, nor different afterwards.
rm -rf outside
mkdir -p outside/d
echo "somebody else's" > outside/secret
echo "somebody else's a" > outside/d/a
cp outside/secret outside/x
chmod 666 outside/secret
ok "$CAPSULE" pack a -o a.capsule --quiet
ok "$CAPSULE" pack b -o b.capsule --quiet
ok "$CAPSULE" diff a b --overlay to-b.capsule --exit-zero --quiet
python3 "$TOOLS/snapshot.py" outside > outside.before
# stays STATUSES COMMAND...: it ends soon, with one of the statuses.
stays() {
    statuses=$1
    shift
    found=0
    timeout 300 python3 "$TOOLS/audit.py" outside -- "$@" > out 2> err || found=$?
    case " $statuses " in *" $found "*) ;; *) fail "status $found, not one of $statuses: $*" ;; esac
    ! grep -rqs "somebody else's" t || fail "something outside came into the target by: $*"
}
# unchanged: as audit.py sees too, where it can.
unchanged() {
    python3 "$TOOLS/snapshot.py" outside > outside.after
    same outside.before outside.after
}
fresh() {
    rm -rf t
    cp -a "$1" t
}

# Many commands in one start, each looked at as `stays` does: what fails is told, with the command.
cat > confined.py << 'END'
import argparse, contextlib, io, os, runpy, shutil, subprocess, sys
sys.path.insert(0, os.environ["TOOLS"])
import add_version
from audit import Audit
from compare_trees import Comparison
CAPSULE, TOOLS, OUTSIDE = os.environ["CAPSULE"], os.environ["TOOLS"], os.path.abspath("outside")
audit = Audit("outside")

def fresh():
    shutil.rmtree("t", ignore_errors=True)
    shutil.copytree("a", "t", symlinks=True)

def stays(case, statuses, *arguments, may_look=False):
    """Its status and what it says of errors."""
    place = f"{case}: {' '.join(arguments)}"
    audit.events()
    try:
        done = subprocess.run([CAPSULE, *arguments], capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        sys.exit(f"{place}: it does not end")
    errors = done.stderr.decode(errors="replace")
    if events := audit.events(may_look):
        sys.exit("\n".join([place, *events]))
    if done.returncode not in statuses:
        sys.exit(f"{place}: status {done.returncode}, not one of {statuses}: {errors[:2000]}")
    # Not in Python, since some of the files are long and nearly all holes.
    if subprocess.run(["grep", "-rqs", "somebody else's", "t"]).returncode == 0:
        sys.exit(f"{place}: something outside came into the target")
    return done.returncode, errors

def same_trees(place, a, b):
    comparison, said = Comparison(argparse.Namespace(times="none", no_link_times=False, modes="yes", xattrs=False, skip=[])), io.StringIO()
    with contextlib.redirect_stdout(said):
        comparison.entry(b".", [(None, os.fsencode(a)), (None, os.fsencode(b))])
    if comparison.differences or comparison.entries < 5:
        sys.exit(f"{place}: trees differ: {a} {b}\n{said.getvalue()}")

def overlays():
    """Each overlay of standard input is refused, and leaves the target as it is."""
    fresh()
    flags = ["--force"], ["--check"], []
    for number, line in enumerate(sys.stdin):
        name, _, path = line.rstrip("\n").partition(" ")
        if name.endswith(".capsule"):
            shutil.copy("to-b.capsule", name)
            sys.argv = ["add_version.py", name, "--overlay-path", "d/n/m=" + path]
            add_version.main()
        _, errors = stays(line, [2], "apply", name, "t", *flags[number % 3])
        if "error: " not in errors:
            sys.exit(f"{line}: no error is told: {errors}")
        same_trees(line, "a", "t")

def plans():
    """Each plan of plant_journal.py, before a recover and before another command."""
    said = io.StringIO()
    sys.argv = ["plant_journal.py", "list"]
    with contextlib.redirect_stdout(said):
        make = runpy.run_path(TOOLS + "/plant_journal.py")["plans"]
    others = ["apply to-b.capsule t --check", "restore a.capsule t", "pack t -o planted.capsule", "apply to-b.capsule t"]
    # 256 MiB each.
    names = [name for name in said.getvalue().split() if os.environ.get("CAPSULE_LONG_TESTS") or not name.startswith("sparse-")]
    if len(names) < 40:
        sys.exit(f"only {len(names)} plans")
    for number, plan in enumerate(names):
        for command in "recover t", others[number % 4]:
            fresh()
            os.makedirs("t/.capsule-transaction/new")
            os.makedirs("t/.capsule-transaction/old")
            make(OUTSIDE)[plan]()
            if os.path.exists("planted.capsule"):
                os.remove("planted.capsule")
            status, errors = stays(plan, [0, 1, 2], *command.split(), may_look=plan.startswith(("leader-", "roots-")))
            # What only reads does not look into a staging without a journal.
            if command.startswith("pack") or command.endswith("--check") and status == 1 and plan.startswith("foreign"):
                continue
            if status == 2:
                if not any(line.startswith("capsule: error: ") and len(line) > 16 for line in errors.split("\n")):
                    sys.exit(f"{plan}, {command}: no reason is given")
            elif not plan.startswith("good-") and plan not in ("leader-outside", "leader-elsewhere", "leader-itself"):
                sys.exit(f"{plan}, {command}: status {status}")

{"overlays": overlays, "plans": plans}[sys.argv[1]]()
END

# Links on the way: never followed, and replaced where a version wants something else there.
fresh a
rm -r t/d t/x
ln -s "$here/outside/d" t/d
ln -s "$here/outside/x" t/x
cp -a t linked
stays 2 "$CAPSULE" apply to-b.capsule t
same_trees linked t --times none
stays 1 "$CAPSULE" restore a.capsule t --check
stays 0 "$CAPSULE" restore a.capsule t --dry-run
stays 0 "$CAPSULE" restore a.capsule t --undo back.capsule
same_trees a t --times none
stays 0 "$CAPSULE" apply back.capsule t
same_trees linked t --times none
stays '0 2' "$CAPSULE" apply to-b.capsule t --force
unchanged

# Overlays that climb, lead away, or write where only transactions do: as documents, and as capsules whose contents are there.
python3 - <<'END' > overlays
import json, os
paths = ["../outside/secret", "../../outside/secret", "d/../../outside/secret", os.getcwd() + "/outside/secret", "/etc/made-by-capsule",
         ".capsule-transaction/journal", ".capsule-transaction", "d/./a", "d//a", "", ".", "..", "d/", "a\0b"]
for number, path in enumerate(paths):
    for kind, new in ("made", {"Kind": "directory", "Mode": "0777"}), ("linked", {"Kind": "link", "Target": os.getcwd() + "/outside"}):
        name = f"hostile.{number}.{kind}.json"
        with open(name, "w") as out:
            json.dump({"CapsuleOverlay": 1, "Files": [{"Path": path, "New": new}]}, out)
        print(name)
    name = f"hostile.{number}.gone.json"
    with open(name, "w") as out:
        json.dump({"CapsuleOverlay": 1, "Files": [{"Path": path, "Old": {"Kind": "directory"}}]}, out)
    print(name)
    name = f"hostile.{number}.target.json"
    with open(name, "w") as out:
        json.dump({"CapsuleOverlay": 1, "Targets": [{"Path": path, "Create": "xml", "Merge": {"a": 1}}]}, out)
    print(name)
# By way of a link that the same overlay makes.
with open("hostile.through.json", "w") as out:
    json.dump({"CapsuleOverlay": 1, "Files": [
        {"Path": "way", "New": {"Kind": "link", "Target": os.getcwd() + "/outside"}},
        {"Path": "way/made", "New": {"Kind": "directory"}}]}, out)
names = ["hostile.through.json"] + [f"hostile.{number}.capsule {path}" for number, path in enumerate(paths[:7])]
# Twice: the flags go round, and these come with another one then.
print(*names * 2, sep="\n")
END
python3 confined.py overlays < overlays > confined 2>&1 || fail "$(head -c 3000 confined)"
absent /etc/made-by-capsule t/.capsule-transaction
# The way there may be no link either.
ln -s ../outside t/way
printf '{"CapsuleOverlay":1,"Files":[{"Path":"way/made","New":{"Kind":"directory"}}]}' > through.json
stays 2 "$CAPSULE" apply through.json t
stays 2 "$CAPSULE" apply through.json t --force
printf '{"CapsuleOverlay":1,"Targets":[{"Path":"way/made.plist","Create":"xml","Merge":{"a":1}}]}' > through.json
stays 2 "$CAPSULE" apply through.json t
printf '{"CapsuleOverlay":1,"Targets":[{"Path":"way/secret","Merge":{"a":1}}]}' > through.json
stays 2 "$CAPSULE" apply through.json t
unchanged

# A staging that came with the container. All of it ends soon and touches nothing outside; what is no transaction's is refused.
python3 confined.py plans > confined 2>&1 || fail "$(head -c 3000 confined)"
unchanged

# A target with another file system in it is refused before anything is listed.
fresh a
if [ "$(id -u)" = 0 ] && mount -t tmpfs none t/d 2> /dev/null; then
    trap 'umount "$here/t/d"' EXIT
    cp -a a/d/. t/d/
    python3 "$TOOLS/snapshot.py" t > before
    for command in 'restore b.capsule t' 'apply to-b.capsule t' 'drop t tmp'; do
        # shellcheck disable=SC2086
        status 2 "$CAPSULE" $command
        says err 't: contains a mount point, .*/t/d$'
        python3 "$TOOLS/snapshot.py" t > after
        same before after
        absent t/.capsule-transaction
    done
    umount t/d
    trap - EXIT
else
    untested 'another file system below the target: none could be mounted'
fi
