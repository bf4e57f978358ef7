# A push or a pull over a broken line leaves what was there, or all that is new.
. "$TOOLS/registry_setup.sh"

# A pull over a line that is cut after N bytes of each answer: whole, or not there; the old file is as it was, or whole.
cat > pulls.py <<'END'
import os, random, subprocess, sys, threading
capsule, tools, port, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
seed = random.randrange(1 << 32)
random.seed(seed)
read = lambda path: open(path, "rb").read()
one, two, big = read("one.capsule"), read("two.capsule"), read("big.capsule")
done = {"whole": 0, "absent": 0}
def case(number, cut, connection, how, tag):
    command = [sys.executable, tools + "/latency_proxy.py", port, "--cut-after", str(cut)]
    command += [] if connection is None else ["--connection", str(connection)]
    proxy = subprocess.Popen(command + how, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    own = int(proxy.stdout.readline())
    name = f"cut{number}.capsule"
    old = one if number % 2 and tag == "two" else None
    if old is not None:
        with open(name, "wb") as file: file.write(old)
    address = f"oci://127.0.0.1:{own}/team/gifs:{tag}"
    run = subprocess.run([capsule, "pull", address, "-o", name], capture_output=True, text=True, timeout=60)
    proxy.stdin.close(); proxy.wait()
    found = read(name) if os.path.exists(name) else None
    wanted = big if tag == "big" else two
    where = f"cut after {cut} of connection {connection}, {tag}, seed {seed}: {run.stderr}"
    if run.returncode == 0:
        assert found == wanted, "not whole: " + where
        done["whole"] += 1
    else:
        assert run.returncode == 2 and found == old, f"status {run.returncode}: " + where
        done["absent"] += 1
    if found is not None: os.unlink(name)
def work(numbers):
    for number in numbers:
        tag = random.choice(["two", "big"])
        # One connection that breaks is repeated; if all do, nothing comes.
        connection = None if number % 8 == 0 else random.choice([1, 2, None])
        cut = random.choice([0, 1, random.randrange(20_000), random.randrange(40_000), random.randrange(7_000_000)])
        if number % 8 == 0: cut = number * 7
        try: case(number, cut, connection, random.choice([[], ["--reset"]]), tag)
        except BaseException as error: failures.append(repr(error))
failures = []
threads = [threading.Thread(target=work, args=(range(first, count, 3),)) for first in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if failures: sys.exit("\n".join(failures))
left = [name for name in os.listdir(".") if name.startswith("cut") or "tmp" in name]
if left: sys.exit(f"left behind: {left}")
print(done)
if not all(done.values()): sys.exit("all cuts ended alike")
END
python3 pulls.py "$CAPSULE" "$TOOLS" "$port" "$([ -n "${CAPSULE_LONG_TESTS:-}" ] && echo 300 || echo 18)" > log 2>&1 || fail "$(cat log)"

# A full disk.
limited() {
    python3 -c 'import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
mkdir d
status 2 limited "$CAPSULE" pull $to:big -o d/big.capsule
says err 'cannot write'
only d
cp one.capsule d/big.capsule
status 2 limited "$CAPSULE" pull $to:big -o d/big.capsule --force
only d big.capsule
same d/big.capsule one.capsule
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=4m none small 2> /dev/null; then
    trap 'umount small' EXIT
    cp one.capsule small/one.capsule
    status 2 "$CAPSULE" pull $to:big -o small/big.capsule
    says err 'no space left'
    only small one.capsule
    ok "$CAPSULE" pull $to:two -o small/one.capsule
    same small/one.capsule two.capsule
else
    untested 'a full file system: none could be mounted'
fi
