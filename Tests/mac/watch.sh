#!/bin/sh
# capsule watch against 1,000 writes: nothing that stays is missed, and nothing is reported twice. It runs on Linux and on a Mac.
#
# usage: Tests/mac/watch.sh CAPSULE      works in a new directory in TMPDIR, and deletes it; needs python3
set -eu

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
place=$(mktemp -d "${TMPDIR:-/tmp}/capsule-watch.XXXXXX")
trap 'rm -rf "$place"' EXIT
trap 'exit 130' INT TERM
cd "$place"
python3 - "$program" << 'END'
import hashlib, json, os, subprocess, sys

os.makedirs("Data/Documents")
watch = subprocess.Popen(
    [sys.argv[1], "watch", "Data", "--json", "--no-cache", "--all", "--until", "done", "--timeout", "120"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
header = json.loads(watch.stdout.readline())
assert header["schema"] == "capsule.watch", header
for number in range(1000):
    directory = f"Data/Documents/{number % 7}"
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/file-{number % 100}", "w") as file:
        file.write(f"content {number}\n")
with open("Data/done", "w") as file:
    file.write("done\n")
reports = [json.loads(line) for line in watch.stdout]
assert watch.wait(timeout=60) == 0, watch.returncode
assert reports[-1]["kind"] == "end" and reports[-1]["met"], reports[-1]
seen, last = set(), {}
for report in reports[:-1]:
    for line in report["lines"]:
        digest = line.get("new", {}).get("digest")
        if digest is None:
            continue
        assert (line["path"], digest) not in seen, ("twice", line)
        seen.add((line["path"], digest))
        last[line["path"]] = digest
there = {}
for directory, _, names in os.walk("Data"):
    for name in names:
        path = os.path.join(directory, name)
        there[os.path.relpath(path, "Data")] = hashlib.sha256(open(path, "rb").read()).hexdigest()
assert last == there, ("missed", set(there.items()) ^ set(last.items()))
print(f"watch: {len(there)} files, {len(reports) - 1} settled changes: nothing missed, nothing twice")
END
