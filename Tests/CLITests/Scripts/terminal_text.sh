# On a terminal nothing that a container holds does anything but show; on a pipe every byte goes as it is.
. "$LIB"

found=0
python3 "$TOOLS/terminal.py" true > out || found=$?
[ "$found" != 77 ] || skip "$(cat out)"

# C1's CSI, an override of direction, a line separator, ESC and BEL, in names, texts and values.
python3 - << 'EOF'
import os, plistlib
evil = "\u009b31m\u202e\u2028\u001b[2J\a"
for side in "a", "b":
    os.makedirs(side)
    with open(f"{side}/{evil}name", "w") as file: file.write(side)
    with open(f"{side}/text", "w") as file: file.write(f"{side} é\t{evil}\r\nover\rwritten\n")
    with open(f"{side}/p.plist", "wb") as file:
        # XML can't hold ESC, and JSON and binary can.
        plistlib.dump({"k" + evil: side + evil}, file, fmt=plistlib.FMT_BINARY)
EOF
"$CAPSULE" pack -q a -o a.capsule
"$CAPSULE" pack -q b --append -o a.capsule

# shows VERB...: what a terminal gets has none of them, and has them escaped.
shows() {
    PAGER= python3 "$TOOLS/terminal.py" "$CAPSULE" "$@" > out 2> err || :
    python3 - "$*" << 'EOF' || fail "not harmless on a terminal: $*"
import re, sys
out = open("out", "rb").read()
# The terminal's own line ends, and the program's own colors.
out = re.sub(rb"\x1b\[[0-9;]*m", b"", out.replace(b"\r\n", b"\n"))
text = out.decode()
bad = [c for c in text if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) <= 0x9F or c in "\u2028\u2029\u202e"]
assert not bad, (sys.argv[1], bad, text)
assert sys.argv[1].split()[0] in ("info", "log") or "\\x" in text or "\\u" in text or "\\033" in text, (sys.argv[1], text)
EOF
}
shows info a.capsule@1
shows ls a.capsule
shows ls --long a
shows log a.capsule
shows diff a b
shows diff --name-status a b
shows diff --stat a b
shows diff a/p.plist b/p.plist
shows diff --json a b
shows cat a text
shows cat a.capsule text
shows plist print a/p.plist
shows plist convert json a/p.plist --lossy -o -

# The rest of a text is as it was, and a file's own colors are no colors.
shows cat a text
says out 'a é	'
says out 'over\\rwritten'
printf '\033[31mred\033[0m\n' > a/red
shows cat a red
grep -q '\\x1B\[31mred' out || fail "a file's colors are shown"

# Characters of more than a byte are whole wherever a piece of a file ends.
python3 -c 'open("a/long", "w").write("é\u202ex" * 60_000)'
PAGER= python3 "$TOOLS/terminal.py" "$CAPSULE" cat a long > out
python3 - << 'EOF' || fail "a long text is not what it was"
assert open("out", encoding="utf-8", newline="").read() == "é\\xE2\\x80\\xAEx" * 60_000
EOF

# On a pipe.
"$CAPSULE" cat a text | cmp -s - a/text || fail "cat is not exact"
"$CAPSULE" diff --name-status -z a b > out || :
grep -q "$(printf '\302\233')" out || fail "a name is changed on a pipe"
