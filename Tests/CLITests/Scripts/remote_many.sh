# Many pushes at once to one tag, and a capsule of a thousand versions.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
serve reg registry store
to=oci://127.0.0.1:$(fact reg port)/team/many
mkdir t
echo base > t/a
ok "$CAPSULE" pack t -o base.capsule --quiet

# 32 at once, each with a version of its own: what reported success is in the tag's history, or there by the digest it printed.
cat > pushes.py <<'END'
import os, re, shutil, subprocess, sys
capsule, to = sys.argv[1:]
files = []
for number in range(32):
    name = f"push{number}.capsule"
    shutil.copy("base.capsule", name)
    os.mkdir(f"t{number}"); open(f"t{number}/a", "w").write(f"{number}\n")
    subprocess.run([capsule, "pack", f"t{number}", "--append", "-o", name, "-q", "--no-cache"], check=True)
    files.append(name)
subprocess.run([capsule, "push", "base.capsule", to, "-q"], check=True)
running = [subprocess.Popen([capsule, "push", name, to], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for name in files]
won = 0
for number, process in enumerate(running):
    out, errors = process.communicate(timeout=120)
    if process.returncode == 0:
        won += 1
        pinned = re.match(r"(\S+@sha256:[0-9a-f]{64}): version 2", out)[1]
        content = subprocess.run([capsule, "cat", pinned, "a"], check=True, capture_output=True, text=True).stdout
        assert content == f"{number}\n", (number, content)
    else:
        assert process.returncode == 2, (number, process.returncode, errors)
        assert "they part after version 1" in errors or "another push to this tag" in errors or "the tag has moved" in errors, errors
# The tag is one of those that ended well.
content = subprocess.run([capsule, "cat", to, "a"], check=True, capture_output=True, text=True).stdout
assert running[int(content)].returncode == 0, content
assert won >= 1
print(won, "of 32")
END
python3 pushes.py "$CAPSULE" $to:main > log 2>&1 || fail "$(cat log)"

# The same versions from everyone: all succeed.
for number in 1 2 3 4 5 6 7 8; do "$CAPSULE" push push0.capsule $to:same > "same$number" 2>&1 & eval "same$number=$!"; done
for number in 1 2 3 4 5 6 7 8; do eval "wait \$same$number" || fail "$(cat "same$number")"; done

# A thousand versions.
cp base.capsule thousand.capsule
python3 "$TOOLS/add_version.py" thousand.capsule --count 449
ok "$CAPSULE" push thousand.capsule $to:thousand
python3 "$TOOLS/add_version.py" thousand.capsule --count 550
ok "$CAPSULE" push thousand.capsule $to:thousand --json
digest=$(jq -r .digest out)
[ "$(jq .number out)" = 1000 ] || fail 'not a thousand versions'
[ "$(jq '.layers | length' "$(find store/data -path "*/sha256/*/${digest#sha256:}/data")")" -le 400 ] || fail 'more than 400 layers'
ok "$CAPSULE" push thousand.capsule $to:thousand
says out 'version 1000 is already there'
ok "$CAPSULE" log $to:thousand
[ "$(wc -l < out)" = 1001 ] || fail 'log'
cp base.capsule part.capsule
ok "$CAPSULE" pull $to:thousand -o part.capsule
same part.capsule thousand.capsule
ok "$CAPSULE" pull $to:thousand@450 -o part2.capsule
ok "$CAPSULE" pull $to:thousand -o part2.capsule
same part2.capsule thousand.capsule
python3 "$TOOLS/add_version.py" thousand.capsule
ok "$CAPSULE" push thousand.capsule $to:thousand --json
jq -e '.bytesSent < 100000 and .number == 1001' out > jq.out || fail 'a small push sends much'
