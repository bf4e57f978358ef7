# ^C and its like at any moment of an apply or a restore: it is done, or nothing was, and nothing is left behind.
. "$LIB"
need python3
export SOURCE_DATE_EPOCH=1730000000
for state in old new; do
    python3 "$TOOLS/make_live.py" $state $state
    ok "$CAPSULE" pack $state/t --group group.x=$state/g -o $state.capsule --quiet --no-cache
done
ok "$CAPSULE" diff old.capsule new.capsule --overlay new.overlay --exit-zero --quiet
ok "$CAPSULE" diff new.capsule old.capsule --overlay old.overlay --exit-zero --quiet
rounds=36
[ -z "${CAPSULE_LONG_TESTS:-}" ] || rounds=1500
python3 - "$TOOLS" "$CAPSULE" $rounds <<'END' > log || fail "$(cat log)"
import collections, os, random, shutil, signal, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from check_target import look
capsule, rounds = sys.argv[2], int(sys.argv[3])
seed = int(os.environ.get("CAPSULE_TEST_SEED", 7))
draw = random.Random(seed)

def fresh(state):
    for root in "t", "g":
        if os.path.exists(root):
            subprocess.run(["chmod", "-R", "u+rwx", root], check=True)
            shutil.rmtree(root)
        shutil.copytree(f"{state}/{root}", root, symlinks=True)

def start(command):
    return subprocess.Popen([capsule, *command, "--group", "group.x=g", "--no-cache", "--undo", "undo.capsule"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

commands = [("old", "new", ["restore", "new.capsule", "t", "--any-directory"]), ("old", "new", ["apply", "new.overlay", "t"]),
            ("new", "old", ["restore", "old.capsule", "t", "--any-directory"]), ("new", "old", ["apply", "old.overlay", "t"])]
trees, lasts = [], []
for before, _, command in commands:
    fresh(before)
    old = look(["t", "g"])[0]
    began = time.monotonic()
    process = start(command)
    errors = process.communicate()[1]
    lasts.append(time.monotonic() - began)
    if process.returncode != 0:
        sys.exit(f"{command}: {errors.decode()}")
    trees.append((old, look(["t", "g"])[0]))
    os.unlink("undo.capsule")
counts = collections.Counter()
# The moments are spread over the time that a command took before. On a loaded machine that can be far off, so it adapts.
spread = 1.1
for number in range(rounds):
    if number and number % 6 == 0 and len(counts) == 1:
        spread *= 2 if counts["interrupted"] else 0.5
    before, _, command = commands[number % 4]
    fresh(before)
    old, new = trees[number % 4]
    sent = draw.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    process = start(command)
    time.sleep(draw.random() * spread * lasts[number % 4])
    process.send_signal(sent)
    errors = process.communicate(timeout=120)[1].decode()
    found, _, left = look(["t", "g"])
    place = f"seed {seed}, round {number}, {sent.name}: {command}: status {process.returncode}: {errors}"
    if process.returncode not in (0, 128 + sent, -sent):
        sys.exit(place)
    if left:
        sys.exit(f"{place}: left {left}")
    wanted = new if process.returncode == 0 else old
    if found != wanted:
        other = old if wanted is new else new
        paths = [path for path in sorted(set(found) | set(wanted)) if found.get(path) != wanted.get(path)]
        sys.exit(f"{place}: {'the other tree' if found == other else paths}")
    if os.path.exists("undo.capsule"):
        if process.returncode != 0:
            sys.exit(f"{place}: the overlay that takes it back is left")
        os.unlink("undo.capsule")
    for name in os.listdir("."):
        if name.endswith(".tmp"):
            sys.exit(f"{place}: {name} is left")
    counts["done" if process.returncode == 0 else "interrupted"] += 1
if len(counts) < 2:
    sys.exit(f"seed {seed}: only {counts}")
print(dict(counts))
END
cat log
