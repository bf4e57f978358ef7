# What differs between two property lists, for people, scripts and machines.
. "$LIB"
need python3
python3 - << 'END'
import datetime, plistlib
old = {
    "CFBundleVersion": "1", "gone": 7, "when": datetime.datetime(2026, 1, 2, 3, 4, 5), "data": b"\x00\x01",
    "CFBundleURLTypes": [{"CFBundleURLName": "login", "CFBundleURLSchemes": ["x"]}, {"CFBundleURLName": "other"}],
    "inner": plistlib.dumps({"count": 1}), "same": [1, {"a": "b"}],
}
new = dict(old, CFBundleVersion=1, when=datetime.datetime(2026, 1, 2, 3, 4, 6), inner=plistlib.dumps({"count": 2}), come=True)
new["CFBundleURLTypes"] = [{"CFBundleURLName": "other"}, {"CFBundleURLName": "login", "CFBundleURLSchemes": ["x", "y"]}]
del new["gone"]
for name, value in ("a", old), ("b", new):
    plistlib.dump(value, open(name + ".plist", "wb"), sort_keys=False)
plistlib.dump(old, open("a.binary", "wb"), fmt=plistlib.FMT_BINARY)
plistlib.dump({"line\nfeed": 1}, open("odd.plist", "wb"))
plistlib.dump({}, open("empty.plist", "wb"))
END

status 1 "$CAPSULE" diff a.plist b.plist
cat > wanted << 'END'
~ /CFBundleVersion: string "1" → integer 1
- /gone: 7
~ /when: 2026-01-02T03:04:05Z → 2026-01-02T03:04:06Z
+ /CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLSchemes/[=y]: "y"
~ /CFBundleURLTypes: order ["login", "other"] → ["other", "login"]
~ /inner/<plist>/count: 1 → 2
+ /come: true
END
same out wanted
[ ! -s err ] || fail 'not silent'
status 1 "$CAPSULE" diff -q a.plist b.plist
[ ! -s out ] || fail '--quiet prints'
status 0 "$CAPSULE" diff --exit-zero a.plist b.plist
same out wanted
ok "$CAPSULE" diff a.plist a.plist
[ ! -s out ] || fail 'a difference from itself'

# The same values, in another encoding.
status 1 "$CAPSULE" diff a.plist a.binary
printf '~ encoding only: xml → binary\n' | cmp -s - out || fail 'not encoding only'
status 1 "$CAPSULE" diff --name-status a.plist a.binary
printf 'E\t\n' | cmp -s - out || fail 'not E'

# For scripts.
status 1 "$CAPSULE" diff --name-status a.plist b.plist
printf '%s\n' M /CFBundleVersion D /gone M /when A '/CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLSchemes/[=y]' \
    O /CFBundleURLTypes M '/inner/<plist>/count' A /come | paste - - | cmp -s - out || fail 'name-status'
status 1 "$CAPSULE" diff --name-status empty.plist odd.plist
printf 'A\t"/line\\nfeed"\n' | cmp -s - out || fail 'no quotation'
status 1 "$CAPSULE" diff --name-status -z empty.plist odd.plist
printf 'A\0/line\nfeed\0' | cmp -s - out || fail 'quoted in spite of -z'
# Only names, as with git.
status 1 "$CAPSULE" diff --name-only a.plist b.plist
[ "$(head -2 out | tr '\n' ' ')" = '/CFBundleVersion /gone ' ] || fail 'name-only'
status 1 "$CAPSULE" diff --name-only -z empty.plist odd.plist
printf '/line\nfeed\0' | cmp -s - out || fail 'name-only -z'

# For machines: every line is JSON, header first, end last.
status 1 "$CAPSULE" diff --json a.plist b.plist
python3 - << 'END' || fail 'other JSON'
import json
lines = [json.loads(line) for line in open("out", encoding="utf-8")]
assert lines[0] == {"kind": "header", "schema": "capsule.diff", "version": 1, "a": {"source": "a.plist", "encoding": "xml"},
                    "b": {"source": "b.plist", "encoding": "xml"}, "all": False}, lines[0]
assert lines[1] == {"kind": "value", "op": "modified", "pointer": "/CFBundleVersion", "old": "1", "new": 1}, lines[1]
assert lines[3] == {"kind": "value", "op": "modified", "pointer": "/when", "old": {"$date": "2026-01-02T03:04:05Z"},
                    "new": {"$date": "2026-01-02T03:04:06Z"}}, lines[3]
assert lines[-1] == {"kind": "end", "status": 1, "changes": 7, "noise": 0, "complete": True, "exact": True, "shown": 7}, lines[-1]
END

# As an overlay, which does it, and whose inverse takes it back.
status 1 "$CAPSULE" diff -q a.plist b.plist --overlay o.plist
cp a.plist t.plist
ok "$CAPSULE" apply o.plist t.plist
alike t.plist b.plist
ok "$CAPSULE" overlay invert o.plist -o back.plist
ok "$CAPSULE" apply back.plist t.plist
alike t.plist a.plist
status 2 "$CAPSULE" apply back.plist t.plist
says err '^t.plist:.* in back.plist:9:3'
"$CAPSULE" diff a.plist b.plist --overlay - > piped.plist || true
same piped.plist o.plist
status 1 "$CAPSULE" diff -q a.binary b.plist --overlay o.plist -f
cp a.binary t.plist
ok "$CAPSULE" apply o.plist t.plist
status 1 "$CAPSULE" diff t.plist b.plist
printf '~ encoding only: binary → xml\n' | cmp -s - out || fail 'other values'
ok "$CAPSULE" overlay invert o.plist -o inverse.plist
ok "$CAPSULE" apply inverse.plist t.plist
alike t.plist a.binary

# A partial property list, if one can say it.
ok "$CAPSULE" plist set a.plist /CFBundleVersion --string 2 -o c.plist
status 1 "$CAPSULE" diff -q a.plist c.plist --overlay p.plist --plain
ok "$CAPSULE" diff p.plist p.plist
ok "$CAPSULE" plist get p.plist /CFBundleVersion
cp a.plist t.plist
ok "$CAPSULE" apply p.plist t.plist
same t.plist c.plist
rm p.plist
status 2 "$CAPSULE" diff a.plist b.plist --overlay p.plist --plain
says err 'removed at /gone'
says err "hint: omit '--plain' to write an overlay with operations"
absent p.plist

# One side from standard input; what can't be compared.
status 1 "$CAPSULE" diff - b.plist < a.plist
same out wanted
mkfifo pipe
cat a.plist > pipe &
status 1 "$CAPSULE" diff pipe b.plist
same out wanted
wait
status 64 "$CAPSULE" diff - -
status 64 "$CAPSULE" diff a.plist b.plist --overlay ./b.plist
status 64 "$CAPSULE" diff a.plist
status 64 "$CAPSULE" diff a.plist b.plist --plain
status 64 "$CAPSULE" diff a.plist b.plist --overlay a.plist
status 2 "$CAPSULE" diff a.plist missing
says err '^capsule: error: missing: '
mkdir directory
status 64 "$CAPSULE" diff directory a.plist
says err '^capsule: error: a.plist: is a single file, but the other side is a container'
echo nothing > nothing
status 1 "$CAPSULE" diff a.plist nothing
says out '! not compared as plist: the new side: not a property list$'

# Work that takes long ends at once when it is asked to: there is nothing to be cleaned up.
python3 - "$CAPSULE" << 'END' || fail 'a signal has no effect'
import plistlib, signal, subprocess, sys, time
for odd, name in enumerate(["x.plist", "y.plist"]):
    with open(name, "wb") as file: plistlib.dump([odd + 2 * n for n in range(300_000)], file, fmt=plistlib.FMT_BINARY)
# At any moment: also before the program knows what it is to do.
for delay in [n / 500 for n in range(20)] + [0.5]:
    work = subprocess.Popen([sys.argv[1], "diff", "x.plist", "y.plist", "--overlay", "never.plist"], stdout=subprocess.DEVNULL)
    time.sleep(delay)
    work.send_signal(signal.SIGTERM)
    if work.wait(timeout=60) != -signal.SIGTERM:
        sys.exit(1)
END
absent never.plist
