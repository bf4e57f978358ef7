# An index that is not a valid tree is refused wherever it is used; forged attributes and streams are told; one damaged place is one line.
. "$LIB"
need python3
forge() { python3 "$TOOLS/forge_capsule.py" "$@"; }
mkdir t
echo a > t/a
for kind in parent file link reserved; do
    forge tree "$kind.capsule" "$kind"
    for verb in 'ls' 'ls --json' 'ls -l' 'log' 'verify' 'unpack' 'info --json'; do
        case $verb in info*) continue ;; esac
        status 2 "$CAPSULE" $verb "$kind.capsule"
        grep -q 'the index of version 1 is not a valid tree' out err || fail "$verb of $kind does not say why"
        absent x
    done
    [ "$("$CAPSULE" ls "$kind.capsule" 2> /dev/null)" = '' ] || fail 'it is listed'
    cp "$kind.capsule" before
    status 2 "$CAPSULE" pack t --append -o "$kind.capsule"
    says err 'the index of version 1 is not a valid tree'
    same "$kind.capsule" before
    status 2 "$CAPSULE" pack "$kind.capsule" -o packed.capsule
    absent packed.capsule
done

# Attributes that would be rights, or hide files, and any name in Linux's spelling.
for name in trusted.overlay.opaque security.capability user.com.apple.quarantine com.apple.quarantine user.com.apple.x; do
    forge attribute attribute.capsule "$name"
    status 2 "$CAPSULE" unpack attribute.capsule
    says err 'an attribute that a capsule can.t have'
done
forge attribute attribute.capsule user.x
ok "$CAPSULE" ls attribute.capsule

# Without --strict the tar stream is not compared, and that is said.
forge stream stream.capsule
ok "$CAPSULE" verify stream.capsule
says out "OK: .*; the tar stream was not compared, use '--strict' for that$"
status 2 "$CAPSULE" verify --strict stream.capsule
ok "$CAPSULE" pack t -q -o t.capsule
ok "$CAPSULE" verify --strict t.capsule
says_not out 'not compared'
ok "$CAPSULE" verify --json t.capsule
says out '"streamCompared":false'

# One bad byte under 21 files of 3 versions is one line for them, with the total once, and what to do next.
for number in $(seq 10 30); do echo "$number" > "t/f$number"; done
ok "$CAPSULE" pack t -q -o many.capsule --force
for version in 2 3; do
    echo "$version" > t/new
    ok "$CAPSULE" pack t -q --append -o many.capsule
done
python3 -c 'data = bytearray(open("many.capsule", "rb").read()); data[60] ^= 1; open("many.capsule", "wb").write(data)'
status 2 "$CAPSULE" verify many.capsule
[ "$(wc -l < out)" -le 3 ] || fail 'more than a few lines'
says out '^many.capsule: versions 1 to 3: the compressed data that starts at byte [0-9]* is damaged: 22 files: a, f10, f11 and 19 more (--json lists them)$'
[ "$(cat out err | grep -c 'damaged: 22 files of versions 1 to 3$')" = 1 ] || fail 'the total is not said once'
says err "^capsule: hint: 'capsule unpack many.capsule PATH' extracts a file that is not damaged"
# Repair says what it does not do.
cp many.capsule before
status 2 "$CAPSULE" repair many.capsule
says_not out 'nothing to repair'
says err "still damaged: .*; 'repair' only removes"
says err "^capsule: hint: 'capsule verify many.capsule' lists"
same many.capsule before
