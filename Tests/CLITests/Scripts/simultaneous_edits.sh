# Commands that edit the same file at the same time: no edit that ended with status 0 is lost, and none has to be tried again.
. "$LIB"
need python3
numbers='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20'

# all COMMAND...: runs COMMAND twenty times at once, with a number as its last argument, and wants status 0 from each.
all() {
    rm -f status.*
    for number in $numbers; do
        (found=0; "$@" "$number" > "out.$number" 2> "err.$number" || found=$?
            echo "$found" > "ended.$number"; mv "ended.$number" "status.$number") &
    done
    # Not `wait`: a test runner may block SIGCHLD, and then a shell waits in vain.
    tries=0
    for number in $numbers; do
        until [ -e "status.$number" ]; do
            tries=$((tries + 1))
            [ $tries -lt 1200 ] || fail "has not ended after two minutes: $* $number"
            sleep 0.1
        done
    done
    for number in $numbers; do
        [ "$(cat "status.$number")" = 0 ] || fail "status $(cat "status.$number"): $* $number: $(cat "err.$number")"
    done
}

# holds FILE EXPRESSION: the Python expression is true of the document in FILE.
holds() {
    python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(0 if $2 else 1)" "$1" \
        || fail "$1 does not hold all edits: $(cat "$1")"
}

set_key() { "$CAPSULE" plist set -q p.json "/k$1" --integer "$1"; }
echo '{}' > p.json
all set_key
holds p.json 'len(d) == 20'

# Through a link, and into a file that only its directory lets its user replace.
apply() {
    echo "{\"k$1\": {\"n\": $1}}" > "o$1.json"
    "$CAPSULE" apply -q "o$1.json" link.json
}
echo '{}' > p.json
chmod 444 p.json
ln -s p.json link.json
all apply
holds p.json 'len(d) == 20'
[ "$(modes_of p.json)" = 444 ] || fail "the mode is $(modes_of p.json)"

# Half of the commands update what must be, the others append to what may be.
mkdir a b0 b1
for place in a b0 b1; do echo "{\"n\": \"$place\"}" > $place/f.json; done
update() {
    if [ $(($1 % 2)) = 0 ]; then
        "$CAPSULE" diff -q a "b$(($1 / 2 % 2))" --expect-update e.json
    else
        "$CAPSULE" plist append -q e.json /May --from-json "{\"Path\": \"none$1\"}"
    fi
}
status 1 "$CAPSULE" diff a b0 --expect-write e.json
ok "$CAPSULE" plist set -q e.json /May --from-json '[]'
all update
holds e.json 'len(d["May"]) == 10 and len(d["Must"]) == 1'

# The lock is that of the file. Who only reads, or writes elsewhere, does not wait for it.
rm p.json
echo '{"k": 1}' > p.json
python3 - << 'EOF'
import fcntl, os, subprocess
program = os.environ["CAPSULE"]
with open("p.json") as held:
    fcntl.flock(held, fcntl.LOCK_EX)
    for arguments in (["plist", "get", "p.json", "k"], ["plist", "set", "p.json", "k", "2", "-o", "q.json"],
                      ["apply", "o1.json", "p.json", "--dry-run"], ["apply", "o1.json", "p.json", "-o", "r.json"],
                      ["diff", "p.json", "p.json"], ["plist", "lint", "p.json"],
                      ["merge", "p.json", "p.json", "p.json", "-o", "m.json"]):
        subprocess.run([program, *arguments], check=True, timeout=60, stdout=subprocess.DEVNULL)
    waiting = subprocess.run([program, "plist", "set", "p.json", "k", "2"], capture_output=True, text=True)
assert waiting.returncode == 2, waiting
assert waiting.stderr == ("capsule: error: p.json: another process is changing it\n"
                          "capsule: hint: wait for it to finish, then try again\n"), waiting.stderr
EOF
