# A push or a pull that is killed or stopped leaves what was there, or all that is new.
. "$TOOLS/registry_setup.sh"

# kill -9 while it pulls, at any time: the file is the old one, the new one, or something in between that is a capsule.
cat > kills.py <<'END'
import os, random, signal, subprocess, sys, time
capsule, tools, port, kind, count = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
proxy = subprocess.Popen([sys.executable, tools + "/latency_proxy.py", port, "--rtt", "10"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
own = int(proxy.stdout.readline())
seed = int(os.environ.get("CAPSULE_TEST_SEED", 7))
random.seed(seed)
ends = set()
for number in range(count):
    name = f"{kind}{number}.capsule"
    if number % 2 and kind == "pull":
        with open(name, "wb") as file: file.write(open("one.capsule", "rb").read())
    tag = "two" if number % 2 else "big"
    arguments = ["pull", f"oci://127.0.0.1:{own}/team/gifs:{tag}", "-o", name]
    if kind == "push":
        arguments = ["push", f"grown{number}.capsule", f"oci://127.0.0.1:{own}/team/gifs:grown"]
    process = subprocess.Popen([capsule] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(random.uniform(0, 0.35))
    number % 3 == 2 and process.send_signal(signal.SIGINT) or process.kill()
    ends.add(process.wait(60))
    if kind == "pull":
        if os.path.exists(name):
            check = subprocess.run([capsule, "verify", name, "-q"], capture_output=True, text=True)
            torn = number % 2 and "incomplete" in check.stderr
            if check.returncode and not torn: sys.exit(f"{name}: not a capsule, seed {seed}: {check.stderr}")
        done = subprocess.run([capsule, "pull", arguments[1], "-o", name, "-q"], capture_output=True, text=True)
        whole = "two.capsule" if number % 2 else "big.capsule"
        if done.returncode or open(name, "rb").read() != open(whole, "rb").read():
            sys.exit(f"{name}: the next pull fails, seed {seed}: {done.stderr}")
        os.unlink(name)
        left = [other for other in os.listdir() if other.startswith(f".{name}.")]
        if left: sys.exit(f"the next pull left {left}, seed {seed}")
    else:
        before = subprocess.run([capsule, "verify", arguments[2], "-q"], capture_output=True, text=True)
        if before.returncode: sys.exit(f"the tag is damaged, seed {seed}: {before.stderr}")
        done = subprocess.run([capsule] + arguments + ["-q"], capture_output=True, text=True)
        if done.returncode: sys.exit(f"the next push fails, seed {seed}: {done.stderr}")
        subprocess.run([capsule, "pull", arguments[2], "-o", "again.capsule", "--force", "-q"], check=True)
        if open("again.capsule", "rb").read() != open(arguments[1], "rb").read(): sys.exit("the next push left something out")
print(ends)
END
python3 kills.py "$CAPSULE" "$TOOLS" "$port" pull 10 > log 2>&1 || fail "$(cat log)"
# The same with pushes: the tag is what it was, and the next push completes it.
cp big.capsule grown.capsule
ok "$CAPSULE" push big.capsule $to:grown
for number in 0 1 2 3 4 5; do
    cp -a big "live$number"
    noise 300000 "$number" > "live$number/more"
    ok "$CAPSULE" pack "live$number" --append -o grown.capsule --quiet
    cp grown.capsule "grown$number.capsule"
done
python3 kills.py "$CAPSULE" "$TOOLS" "$port" push 6 > log 2>&1 || fail "$(cat log)"

# Exactly between the blobs and the tag: the manifest's PUT gets no answer, ever.
serve fake fake_registry fake --log fake.log
fake=oci://127.0.0.1:$(fact fake port)/team/gifs:main
ok "$CAPSULE" push one.capsule "$fake"
faults fake "stall,method=PUT,path=*/manifests/*,seconds=60,bytes=0" "status,status=500,method=PUT,path=*/manifests/*"
: > fake.log
"$CAPSULE" push two.capsule "$fake" > out 2> err &
pushing=$!
tries=0
until [ "$(requests fake.log 'r["method"] == "PUT" and "/manifests/" in r["path"]')" -gt 0 ] || [ $tries -gt 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill -9 $pushing 2> /dev/null || :
wait $pushing 2> /dev/null || :
faults fake
ok "$CAPSULE" pull "$fake" -o still.capsule
same still.capsule one.capsule
: > fake.log
ok "$CAPSULE" push two.capsule "$fake"
ok "$CAPSULE" pull "$fake" -o still.capsule
same still.capsule two.capsule
# The answer to the manifest's PUT is lost, but not the manifest.
ok "$CAPSULE" push one.capsule "$fake" --force
faults fake "short,method=PUT,path=*/manifests/*,bytes=0,times=1" "drop,method=PUT,path=*/manifests/*,skip=1,times=1"
ok "$CAPSULE" push two.capsule "$fake"
faults fake
ok "$CAPSULE" pull "$fake" -o still.capsule
same still.capsule two.capsule
