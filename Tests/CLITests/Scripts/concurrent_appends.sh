# Several write to one capsule: each in its turn, none is lost; who reads meanwhile, or breaks off, sees whole versions only.
. "$LIB"
need python3
export SOURCE_DATE_EPOCH=1700000000
mkdir one two slow
echo one > one/f
echo two > two/f
python3 -c 'import random; open("one/noise", "wb").write(random.Random(1).randbytes(300_000))'
python3 -c 'import random; open("slow/noise", "wb").write(random.Random(2).randbytes(40_000_000))'
ok "$CAPSULE" pack one -o start --label start --no-cache --quiet

python3 - "$CAPSULE" << 'PY' > log || { [ $? != 77 ] || skip "$(cat log)"; fail "$(cat log)"; }
import json, os, random, shutil, signal, subprocess, sys, time
capsule = sys.argv[1]
def command(*arguments, fault=""):
    return subprocess.Popen([capsule, *arguments, "--quiet"], env=dict(os.environ, CAPSULE_FAULT=fault), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
def append(tree, *arguments, fault=""):
    return command("pack", tree, "--append", "-o", "x.capsule", "--no-cache", *arguments, fault=fault)
def stopped(process):
    """Waits until a fault has stopped it."""
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    return process
def ended(process, status=0, errors=""):
    out, err = process.communicate(timeout=120)
    assert process.returncode == status and err == errors, (process.args, process.returncode, err)
def run(*arguments):
    done = subprocess.run([capsule, *arguments], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout
def versions():
    """Of the whole capsule: each number, and what its file says."""
    run("verify", "--strict", "x.capsule")
    numbers = [v["number"] for v in json.loads(run("log", "--json", "x.capsule"))["versions"]]
    return {n: run("cat", f"x.capsule@{n}", "f").strip() for n in numbers}
def fresh():
    shutil.copy("start", "x.capsule")
busy = ("capsule: error: x.capsule: another process is writing to it\n"
        "capsule: hint: '--lock-timeout' sets how many seconds to wait\n")
waiting = 0.3
def calls_of(*arguments):
    """The names of the calls that a command makes in a directory with `two`, `start` and `both`."""
    for name in ("start", "both"):
        if os.path.exists(name):
            shutil.copy(name, "d/" + name)
    done = subprocess.run([sys.executable, os.environ["TOOLS"] + "/faults.py", "count", "--from", "d", "--", capsule, *arguments, "--quiet"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        print("not a build for debugging")
        sys.exit(77)
    return done.stdout.split()[1:]
shutil.copytree("two", "d/two")
calls = len(calls_of("pack", "two", "--append", "-o", "start", "--no-cache"))
assert calls > 5

# One waits for the other, wherever that stands: at its first call behind the lock, in the middle, before its last.
for number in (2, calls // 2, calls):
    fresh()
    first = stopped(append("two", fault=f"stop:{number}"))
    second = append("one", "--lock-timeout", "60")
    third = append("one", "--lock-timeout", "0")
    ended(third, 2, busy)
    begun = time.monotonic()
    ended(append("one", "--lock-timeout", "0.5"), 2, busy)
    assert time.monotonic() - begun >= 0.5
    ended(command("compact", "x.capsule", "--keep", "latest", "--lock-timeout", "0"), 2, busy)
    ended(command("repair", "x.capsule", "--lock-timeout", "0"), 2, busy)
    # Nor may what is being written to be replaced. (Of two versions it is refused anyway.)
    if number < calls: ended(command("pack", "two", "-o", "x.capsule", "--force", "--no-cache", "--lock-timeout", "0"), 2, busy)
    assert second.poll() is None
    first.send_signal(signal.SIGCONT)
    ended(first)
    ended(second)
    assert versions() == {1: "one", 2: "two", 3: "one"}, (number, versions())

# The one before dies instead, with all written but its footer: what it left gives way.
fresh()
first = stopped(append("two", fault=f"stop:{calls - 2}"))
second = append("one", "--lock-timeout", "60", "--label", "after")
time.sleep(waiting)
first.kill()
first.wait()
out, err = second.communicate(timeout=120)
assert second.returncode == 0 and "left by an append that did not finish" in err and err.count("\n") == 1, err
assert versions() == {1: "one", 2: "one"}

# The one who waits appends to what a compaction has put in the place; a compaction who waits compacts what was appended.
def compact(fault=""):
    return command("compact", "x.capsule", "--keep", "latest", "--lock-timeout", "60", fault=fault)
fresh()
ended(append("two"))
shutil.copy("x.capsule", "both")
renaming = calls_of("compact", "both", "--keep", "latest").index("rename") + 1
for number in (3, renaming, renaming + 1):
    shutil.copy("both", "x.capsule")
    first = stopped(compact(f"stop:{number}"))
    second = append("one", "--lock-timeout", "60")
    time.sleep(waiting)
    assert second.poll() is None or number > renaming, number
    first.send_signal(signal.SIGCONT)
    ended(first)
    ended(second)
    assert versions() == {2: "two", 3: "one"}, (number, versions())
shutil.copy("both", "x.capsule")
first = stopped(append("one", fault=f"stop:{calls}"))
second = compact()
time.sleep(waiting)
first.send_signal(signal.SIGCONT)
ended(first)
ended(second)
assert versions() == {3: "one"}

# Two make a missing capsule at once, wherever the first one stands; then many. The short form draws some of the places.
places = range(1, len(calls_of("pack", "two", "--append", "-o", "x", "--no-cache")) + 1)
if not os.environ.get("CAPSULE_LONG_TESTS"):
    places = sorted({1, len(places), *random.sample(places, 3)})
for number in places:
    os.remove("x.capsule")
    first = stopped(append("two", fault=f"stop:{number}"))
    second = append("one", "--lock-timeout", "60")
    if not os.path.exists("x.capsule"):
        ended(second)
        first.send_signal(signal.SIGCONT)
        ended(first)
        assert versions() == {1: "one", 2: "two"}, (number, versions())
    else:
        first.send_signal(signal.SIGCONT)
        ended(first)
        ended(second)
        assert versions() == {1: "two", 2: "one"}, (number, versions())
os.remove("x.capsule")
many = [append(tree, "--lock-timeout", "60") for tree in ("one", "two") * 4]
for process in many:
    ended(process)
assert sorted(versions()) == list(range(1, 9)) and sorted(versions().values()) == ["one"] * 4 + ["two"] * 4
assert [name for name in os.listdir() if name.startswith(".")] == []

# ^C: the file is as it was, byte for byte, wherever the append stood.
fresh()
before = open("x.capsule", "rb").read()
for round in range(3):
    process = append("slow", "--jobs", "2")
    while process.poll() is None and os.path.getsize("x.capsule") <= len(before) + round * 5_000_000:
        time.sleep(0.002)
    assert process.poll() is None, "the append was over before it could be broken off"
    process.send_signal(signal.SIGINT)
    ended(process, 130, "capsule: note: interrupted; nothing was left behind\n")
    assert open("x.capsule", "rb").read() == before
process = append("slow", fault="stop:2")
stopped(process)
second = append("one", "--lock-timeout", "60")
time.sleep(waiting)
second.send_signal(signal.SIGINT)
ended(second, 130, "capsule: note: interrupted; nothing was left behind\n")
process.kill()
process.wait()
assert open("x.capsule", "rb").read() == before
PY

# Twenty read while six append, ten in the long form: none fails, none warns, none sees half. Version 1 is always there, latest never goes back.
python3 - "$CAPSULE" << 'PY' > log || fail "$(cat log)"
import json, os, random, shutil, subprocess, sys, threading
capsule = sys.argv[1]
shutil.copy("start", "x.capsule")
done = threading.Event()
problems, runs, finished = [], [0], [1]
def read(number):
    place = f"unpacked.{number}"
    commands = [["ls", "x.capsule"], ["cat", "x.capsule", "f"], ["cat", "x.capsule@1", "f"], ["verify", "--json", "x.capsule"],
                ["info", "--json", "x.capsule"], ["unpack", "x.capsule", "-o", place, "--force", "--quiet", "--as", "directory"],
                ["unpack", "x.capsule@1", "-o", place, "--force", "--quiet", "--as", "directory"], ["log", "--json", "x.capsule"]]
    turn = number
    while not done.is_set() and not problems:
        turn += 1
        command = commands[turn % len(commands)]
        least = finished[0]
        run = subprocess.run([capsule, *command], capture_output=True, text=True)
        runs[0] += 1
        good = run.returncode == 0 and run.stderr == ""
        if good and command[0] == "ls":
            good = run.stdout == "f\nnoise\n"
        elif good and command[:2] == ["cat", "x.capsule"]:
            good = least <= int(run.stdout.strip().replace("one", "1"))
        elif good and command[0] == "cat":
            good = run.stdout == "one\n"
        elif good and command[0] == "verify":
            good = json.loads(run.stdout)["whole"]
        elif good and command[0] == "info":
            good = json.loads(run.stdout)["number"] >= least
        elif good and command[0] == "log":
            good = len(json.loads(run.stdout)["versions"]) >= least
        elif good:
            text = open(place + "/f").read().strip().replace("one", "1")
            good = text == "1" if command[1] == "x.capsule@1" else int(text) >= least
        if not good:
            problems.append((command, least, finished[0], run.returncode, run.stdout[:300], run.stderr[:300]))
threads = [threading.Thread(target=read, args=(n,)) for n in range(20)]
for thread in threads:
    thread.start()
for version in range(2, 12 if os.environ.get("CAPSULE_LONG_TESTS") else 8):
    with open("one/f", "w") as file:
        file.write(f"{version}\n")
    with open("one/noise", "wb") as file:
        file.write(random.Random(1).randbytes(300_000))
    run = subprocess.run([capsule, "pack", "one", "--append", "-o", "x.capsule", "--quiet", "--lock-timeout", "60"],
                         capture_output=True, text=True)
    if run.returncode or run.stderr:
        problems.append(("append", run.returncode, run.stderr))
    finished[0] = version
done.set()
for thread in threads:
    thread.join()
print(*problems[:5], sep="\n")
sys.exit(bool(problems) or runs[0] < 40)
PY
ok "$CAPSULE" verify --strict x.capsule
