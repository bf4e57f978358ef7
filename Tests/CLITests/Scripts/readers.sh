# Twenty processes read while another one appends, is killed, and appends again: none of them fails, warns, or sees half.
. "$LIB"
need python3
mkdir t
noise 100000 readers > t/noise
echo 1 > t/count
ok "$CAPSULE" pack t -o x.capsule
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import json, os, random, subprocess, sys, threading
capsule = sys.argv[1]
finished = [1]
problems = []
runs = [0]
done = threading.Event()

def read(number):
    commands = [["info", "--json", "x.capsule"], ["verify", "--json", "x.capsule"], ["cat", "x.capsule", "count"],
                ["ls", "x.capsule"]]
    while (runs[0] < 40 or not done.is_set()) and not problems:
        command = commands[(runs[0] + number) % 4]
        least = finished[0]
        run = subprocess.run([capsule] + command, capture_output=True, text=True)
        runs[0] += 1
        problem = None
        if run.returncode or run.stderr:
            problem = "failed"
        elif command[0] == "cat" and not least <= int(run.stdout) <= least + 3:
            problem = "another version"
        elif command[0] == "info" and int(json.loads(run.stdout)["number"]) < least:
            problem = "an old version"
        elif command[0] == "verify" and not json.loads(run.stdout)["whole"]:
            problem = "not whole"
        elif command[0] == "ls" and run.stdout != "count\nnoise\n":
            problem = "another list"
        if problem:
            problems.append((problem, command, least, finished[0], run.returncode, run.stdout[:500], run.stderr[:500]))

threads = [threading.Thread(target=read, args=(n,)) for n in range(20)]
for thread in threads:
    thread.start()
for version in range(2, 12 if os.environ.get("CAPSULE_LONG_TESTS") else 7):
    with open("t/count", "w") as file:
        file.write(f"{version}\n")
    with open("t/noise", "wb") as file:
        file.write(random.Random(version).randbytes(100_000))
    run = subprocess.run([capsule, "pack", "t", "--append", "-o", "x.capsule", "--quiet", "--lock-timeout", "60"],
                         capture_output=True, text=True)
    if run.returncode or run.stderr:
        problems.append(("append", run.returncode, run.stderr))
    finished[0] = version
    # A failing append is rolled back under the readers' eyes.
    run = subprocess.run([capsule, "pack", "t", "--append", "-o", "x.capsule", "--quiet", "--label", "no", "--no-cache", "--lock-timeout", "60"],
                         capture_output=True, text=True, env=dict(os.environ, CAPSULE_FAULT=f"ENOSPC:{(version - 2) % 5 + 2}"))
    if run.returncode != 2:
        problems.append(("a failing append", run.returncode, run.stderr))
done.set()
for thread in threads:
    thread.join()
print(*problems[:5], sep="\n")
print(runs[0], "reads")
sys.exit(bool(problems))
PY
ok "$CAPSULE" verify --strict x.capsule

# Stopped before any of its calls, an append is nothing to a reader but the version before, or its own once that is whole.
echo last > t/count
mkdir start
cp -R t x.capsule start/
# What is remembered of files would make one append take other calls than the next.
python3 "$TOOLS/faults.py" count --from start -- "$CAPSULE" pack t --append -o x.capsule --quiet --no-cache > calls
python3 - "$CAPSULE" "$(cut -d ' ' -f 1 calls)" << 'PY' > log || fail "$(cat log)"
import json, os, random, shutil, signal, subprocess, sys
capsule, calls = sys.argv[1], int(sys.argv[2])
def run(*arguments):
    done = subprocess.run([capsule, *arguments], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", (number, arguments, done)
    return done.stdout
seen = set()
number = 0
before = json.loads(run("info", "--json", "start/x.capsule"))["number"]
# In the short form every other one, from one drawn by lot on; the last one, after which nothing can be missing, always.
numbers = range(1, calls + 1) if os.environ.get("CAPSULE_LONG_TESTS") else range(random.randint(1, 2), calls + 1, 2)
for number in sorted({*numbers, calls}):
    shutil.copy("start/x.capsule", "x.capsule")
    append = subprocess.Popen([capsule, "pack", "t", "--append", "-o", "x.capsule", "--quiet", "--no-cache"],
                              env=dict(os.environ, CAPSULE_FAULT=f"stop:{number}"))
    assert os.WIFSTOPPED(os.waitpid(append.pid, os.WUNTRACED)[1]), number
    for reading in (["verify", "--strict", "x.capsule"], ["log", "x.capsule"], ["cat", "x.capsule", "count"]):
        run(*reading)
    seen.add(json.loads(run("info", "--json", "x.capsule"))["number"] - before)
    append.send_signal(signal.SIGCONT)
    assert append.wait() == 0, number
    assert json.loads(run("info", "--json", "x.capsule"))["number"] == before + 1
assert seen == {0, 1}, seen
PY
