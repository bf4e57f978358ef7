# A merge that is stopped leaves nothing behind.
. "$LIB"
mkdir base
noise 3000000 large > base/large
for n in 1 2 3 4 5 6 7 8 9; do noise 300000 $n > "base/$n"; done
cp -a base ours
cp -a base theirs
echo ours > ours/a
echo theirs > theirs/b

# Stopped at any moment, it leaves nothing, or all of it.
mkdir place
python3 - << 'EOF' || fail "what was stopped left something"
import os, random, signal, subprocess, time
capsule = os.environ["CAPSULE"]
random.seed(7)
for number in range(24):
    name = "place/merged.capsule" if number % 2 else "place/merged"
    process = subprocess.Popen([capsule, "merge", "base", "ours", "theirs", "-o", name, "--no-cache", "--jobs", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(random.random() * 0.25)
    process.send_signal(signal.SIGINT)
    status = process.wait()
    names = os.listdir("place")
    assert status in (0, 130, -signal.SIGINT), status
    if status == 0:
        assert names == [os.path.basename(name)], names
        subprocess.check_call(["rm", "-r", name])
    else:
        assert names == [], (status, names)
EOF
