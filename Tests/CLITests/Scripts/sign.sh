# Signatures of versions by ssh-keygen: a missing program, keys that are in an agent, names of files that look like options, and nothing left.
. "$LIB"
needs ssh-keygen ssh-agent ssh-add
need python3
clean() { [ -z "$(ls -A "$TMPDIR")" ] || { ls -la "$TMPDIR"; fail 'something is left in TMPDIR'; }; }
mkdir -p t/Documents
echo 1 > t/Documents/a
ssh-keygen -q -t ed25519 -N '' -f key
echo "ann@example.com $(cat key.pub)" > signers
ok "$CAPSULE" pack -q t -o c.capsule

# Without the program.
cp c.capsule before
status 2 env PATH=/nowhere "$CAPSULE" sign c.capsule --key key
says err "^capsule: error: signatures need the program ssh-keygen, which is not in PATH$"
says err "openssh-client"
absent c.capsule.1.sig
same before c.capsule
ok "$CAPSULE" sign c.capsule --key key
status 2 env PATH=/nowhere "$CAPSULE" verify c.capsule --signers signers
says err "openssh-client"
ok env PATH=/nowhere "$CAPSULE" log c.capsule
ok env PATH=/nowhere "$CAPSULE" info c.capsule
says_not out 'PRIVATE KEY'

# The signature is one that ssh-keygen reads.
ssh-keygen -Y check-novalidate -n capsule -s c.capsule.1.sig < c.capsule > out 2>&1 && fail 'it signs the file'
ssh-keygen -Y find-principals -s c.capsule.1.sig -f signers | grep -qx ann@example.com || fail 'it is no signature of hers'

# Odd names.
cp c.capsule ./-odd
cp key ./-key
cp signers ./-signers
for name in 'a b' "$(printf 'tab\tnew\nline')" "$(printf 'no\377utf8')" 'at@2'; do
    cp c.capsule "$name" 2> /dev/null || continue
    ok "$CAPSULE" sign "$name" --key=-key
    present "$name.1.sig"
    ok "$CAPSULE" verify "$name" --signers=-signers --require-signature
done
ok "$CAPSULE" sign --key=-key -- -odd
ok "$CAPSULE" verify --signers=-signers --require-signature -- -odd
present ./-odd.1.sig

# A key in an agent.
eval "$(ssh-agent -s)" > /dev/null
trap 'kill "$SSH_AGENT_PID"' EXIT
ssh-add -q key 2> /dev/null
mv key away
ok "$CAPSULE" sign c.capsule --key key.pub --force
says out '^c.capsule: version 1 signed: c.capsule.1.sig$'
ok "$CAPSULE" verify c.capsule --signers signers --require-signature
ssh-add -q -D 2> /dev/null
rm c.capsule.1.sig
status 2 "$CAPSULE" sign c.capsule --key key.pub
says err "ssh-keygen can't sign with it: "
absent c.capsule.1.sig

# A key with a passphrase, and no terminal to ask on.
ssh-keygen -q -t ed25519 -N secret -f locked
status 2 python3 -c 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])' "$CAPSULE" sign c.capsule --key locked < /dev/null
says_not err secret
absent c.capsule.1.sig

# On a terminal it is asked for. ^C leaves the terminal as it was, and no signature.
cat > terminal.py << 'END'
import os, pty, sys, termios
child, terminal = pty.fork()
if child == 0: os.execv(sys.argv[1], [sys.argv[1], "sign", "c.capsule", "--key", "locked"])
shown = b""
while b"passphrase" not in shown: shown += os.read(terminal, 1000)
os.write(terminal, sys.argv[2].encode())
try:
    while os.read(terminal, 1000): pass
except OSError: pass
echoes = termios.tcgetattr(terminal)[3] & termios.ECHO
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "echo" if echoes else "no echo")
END
if [ "$(uname -s)" = Linux ]; then
    [ "$(python3 terminal.py "$CAPSULE" "$(printf '\003')")" = '130 echo' ] || fail 'the terminal is another'
    absent c.capsule.1.sig
    [ "$(python3 terminal.py "$CAPSULE" "$(printf 'secret\r')")" = '0 echo' ] || fail 'the passphrase is not asked for'
    present c.capsule.1.sig
    rm c.capsule.1.sig
fi

# The text that is signed is the one that docs/format.md describes, and nothing secret is among the arguments.
mkdir bin
printf '%s\n' '#!/bin/sh' 'echo "$@" > arguments' 'cat > statement' 'echo "-----BEGIN SSH SIGNATURE-----"' > bin/ssh-keygen
chmod +x bin/ssh-keygen
ok env PATH="$PWD/bin:$PATH" "$CAPSULE" sign c.capsule --key key.pub
[ "$(cat arguments)" = '-Y sign -n capsule -f key.pub' ] || fail 'other arguments'
ok "$CAPSULE" info c.capsule --plist
python3 - << 'END' || fail 'another statement'
import hashlib, plistlib
manifest = plistlib.load(open("out", "rb"))
signed = {key: manifest[key] for key in sorted(manifest) if key not in ("Label", "IndexDigest")}
digest = hashlib.sha256(plistlib.dumps(signed, fmt=plistlib.FMT_BINARY, sort_keys=False)).hexdigest()
captured = manifest["Captured"].strftime("%Y-%m-%dT%H:%M:%SZ")
wanted = ["capsule statement 1", "version 1", "tree " + manifest["TreeDigest"], "content " + manifest["ContentDigest"],
          "manifest " + digest, "captured " + captured, "source directory", "archive -", "app -", ""]
found = open("statement").read().split("\n")
assert found == wanted, (found, wanted)
END
clean
