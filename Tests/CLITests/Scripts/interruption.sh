# ^C stops cleanly: status 130, nothing left behind.
. "$LIB"
need python3
# Slow to pack: much that the highest level can think about.
python3 - << 'PY'
import os, random
os.mkdir("t")
# 128 letters without any order.
letters = bytes(range(128)) * 2
with open("t/slow", "wb") as out:
    out.write(random.Random(1).randbytes(24_000_000).translate(letters))
PY
mkdir d
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import os, signal, subprocess, sys, time
def run(arguments, number, expected, wait):
    process = subprocess.Popen([sys.argv[1]] + arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    while not wait() and process.poll() is None:
        time.sleep(0.002)
    if process.poll() is not None:
        print("the work was over before it could be interrupted:", arguments, process.stderr.read()); sys.exit(1)
    process.send_signal(number)
    errors = process.communicate()[1].decode()
    if process.returncode != expected or "interrupted" not in errors:
        print(arguments, "ended with", process.returncode, errors); sys.exit(1)
slow = ["--codec", "zstd", "--level", "19", "--jobs", "2"]
temporary = lambda: any(name.endswith(".tmp") and os.path.getsize("d/" + name) > 0 for name in os.listdir("d"))
run(["pack", "t", "-o", "d/out.capsule"] + slow, signal.SIGINT, 130, temporary)
if os.listdir("d"): print("left behind:", os.listdir("d")); sys.exit(1)
run(["pack", "t", "-o", "d/out.capsule"] + slow, signal.SIGTERM, 143, temporary)
if os.listdir("d"): print("left behind:", os.listdir("d")); sys.exit(1)
with open("d/out.capsule", "w") as old: old.write("old")
run(["pack", "t", "-o", "d/out.capsule", "--force"] + slow, signal.SIGINT, 130, lambda: any(n.endswith(".tmp") and os.path.getsize("d/" + n) > 0 for n in os.listdir("d")))
if os.listdir("d") != ["out.capsule"] or open("d/out.capsule").read() != "old": print("the old file is not as it was"); sys.exit(1)
PY

# ^C in the middle of a large file's stretches, again and again: never does one thread wait for another that has given up.
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import os, random, signal, subprocess, sys, time
os.mkdir("many")
with open("many/big", "wb") as out:
    for number in range(24):
        out.write(random.Random(number).randbytes(1 << 20))
capsule = sys.argv[1]
subprocess.run([capsule, "pack", "many", "-o", "big.capsule", "-q"], check=True)
commands = [["pack", "many", "-o", "d/again.capsule", "-f"], ["verify", "big.capsule"], ["unpack", "big.capsule", "-o", "d/big", "-f"]]
seed = int(os.environ.get("CAPSULE_TEST_SEED", 7))
random.seed(seed)
for number in range(24 if os.environ.get("CAPSULE_LONG_TESTS") else 9):
    arguments = commands[number % 3] + ["--jobs", "4"]
    process = subprocess.Popen([capsule] + arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(random.uniform(0.02, 0.4))
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        print("hangs:", arguments, "seed", seed); sys.exit(1)
    if process.returncode not in (0, 130, -signal.SIGINT):
        print(arguments, "ended with", process.returncode, "seed", seed); sys.exit(1)
PY
ls -A d | grep '\.tmp$' && fail 'left behind' || true

# timeout(1) sends two signals, one to the program and one to its group: the second one waits for the cleanup. One that comes later ends
# the program at once.
rm -rf d
mkdir d
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import os, signal, subprocess, sys, time
def packing(errors=subprocess.DEVNULL):
    process = subprocess.Popen([sys.argv[1], "pack", "t", "-o", "d/out.capsule", "--codec", "zstd", "--level", "19", "--jobs", "2"],
                               stderr=errors, preexec_fn=lambda: [
        signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)])
    while process.poll() is None and not any(name.endswith(".tmp") for name in os.listdir("d")):
        time.sleep(0.002)
    time.sleep(0.1)
    return process
for number in (signal.SIGINT, signal.SIGTERM):
    for pause in (0.0005, 0.02):
        process = packing()
        process.send_signal(number)
        time.sleep(pause)
        process.send_signal(number)
        if process.wait(60) != 128 + number or os.listdir("d"):
            print("ended with", process.returncode, "and left", os.listdir("d")); sys.exit(1)
# A full pipe stops the program at its last words.
reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while True: os.write(writer, bytes(4096))
except BlockingIOError:
    os.set_blocking(writer, True)
process = packing(writer)
process.send_signal(signal.SIGINT)
time.sleep(1.2)
if process.poll() is not None:
    print("a full pipe does not stop the program:", process.returncode); sys.exit(1)
# The first signal may have been noticed late.
for _ in range(300):
    process.send_signal(signal.SIGINT)
    try:
        process.wait(0.2)
        break
    except subprocess.TimeoutExpired:
        pass
if process.poll() != -signal.SIGINT:
    process.kill()
    print("a late signal does not end the program:", process.returncode); sys.exit(1)
PY
