# Appends while an app writes: every version is whole, and every database in it is one that the app had at some moment.
. "$LIB"
need python3

mkdir -p t/Library t/Documents
export XDG_CACHE_HOME="$PWD/cache"
python3 - "$CAPSULE" "${CAPSULE_LONG_TESTS:-0}" << 'END' || fail 'a version is not what the app had'
import json, random, shutil, sqlite3, subprocess, sys, threading, time
noise = random.Random(0).randbytes
capsule, seconds = sys.argv[1], 120 if sys.argv[2] == "1" else 3
base, big = "t/Library/base.sqlite", "t/Documents/big.bin"
app = sqlite3.connect(base, check_same_thread=False, isolation_level=None)
app.execute("pragma journal_mode=wal")
app.execute("create table t(a integer primary key, b blob, c)")
app.execute("begin")
for row in range(7000):
    app.execute("insert into t values(?,?,0)", (row, noise(400)))
app.execute("commit")
app.execute("pragma wal_checkpoint(truncate)")
open(big, "wb").write(noise(2_500_000))
stopped = False

def rows():
    chance, round = random.Random(1), 0
    while not stopped:
        round += 1
        app.execute("begin")
        for row in chance.sample(range(7000), 5):
            app.execute("update t set b=? where a=?", (noise(400), row))
        # All of these have one value, but for half a transaction.
        app.execute("update t set c=? where a<20", (round,))
        app.execute("commit")
        if round % 7 == 0:
            app.execute("pragma wal_checkpoint(%s)" % chance.choice(["passive", "truncate"]))
        time.sleep(chance.choice([0.001, 0.02, 0.3]))

def files():
    chance = random.Random(2)
    while not stopped:
        kind = chance.randrange(4)
        name = "t/Documents/f%d" % chance.randrange(20)
        if kind == 0:
            with open(big, "r+b") as file:
                file.seek(chance.randrange(2_400_000))
                file.write(noise(50))
        elif kind == 1:
            open(name, "wb").write(noise(chance.choice([10, 1000, 300_000])))
        elif kind == 2:
            open(name, "ab").write(b"x" * chance.randrange(1000))
        else:
            open("t/Documents/twin%d" % chance.randrange(3), "wb").write(b"same" * chance.randrange(3) * 50000)
        time.sleep(chance.choice([0.0005, 0.01, 0.15]))

threads = [threading.Thread(target=body) for body in (rows, files)]
for thread in threads:
    thread.start()
end, versions = time.time() + seconds, 0
while time.time() < end or versions < 3:
    # --allow-changing: on a busy machine a file may change each of the three times it is read.
    done = subprocess.run([capsule, "pack", "t", "--append", "-o", "x.capsule", "-q", "--allow-changing"], capture_output=True)
    if done.returncode:
        stopped = True
        sys.exit(done.stderr.decode())
    versions += 1
stopped = True
for thread in threads:
    thread.join()
done = subprocess.run([capsule, "verify", "--strict", "x.capsule"], capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stdout + done.stderr)
for version in range(1, versions + 1):
    shutil.rmtree("u", ignore_errors=True)
    name = "x.capsule@%d" % version
    subprocess.run([capsule, "unpack", "-q", name, "Library", "--as", "directory", "-o", "u"], check=True)
    info = json.loads(subprocess.run([capsule, "info", "--json", name], capture_output=True, check=True).stdout)
    if "base.sqlite" in str(info["omitted"]):
        continue
    copy = sqlite3.connect("u/Library/base.sqlite")
    values = set(copy.execute("select c from t where a<20"))
    if copy.execute("pragma integrity_check").fetchone()[0] != "ok" or len(values) != 1:
        sys.exit("version %d: half a transaction" % version)
    copy.close()
print(versions, "versions")
END
