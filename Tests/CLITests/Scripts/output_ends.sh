# Where the output ends before it should: a limit on files, standard output that is closed or full, an input without an end.
. "$LIB"
mkdir t few
for name in 1 2 3 4 5 6 7 8 9; do noise 60000 $name > t/$name; done
echo 1 > few/h
ok "$CAPSULE" pack -q t -o whole.capsule
ok "$CAPSULE" pack -q few -o few.capsule
cp few.capsule before.capsule
cp -R t target
echo changed > target/1
cp -R target target.before
mkdir d
# Blocks of 512 or 1024 bytes, as the shell has it: less than any of the files in either.
limited() { (ulimit -f 100 && exec "$@"); }
status 2 limited "$CAPSULE" pack t -o d/x.capsule
says err 'd/x.capsule: cannot write: file too large'
says err 'hint: '
status 2 limited "$CAPSULE" pack t --append -o few.capsule
same few.capsule before.capsule
for form in tar.gz zip; do status 2 limited "$CAPSULE" unpack t --as $form -o d/x; done
limited "$CAPSULE" pack t -o - > /dev/null 2> err && fail 'spooled more than may be written' || [ $? = 2 ] || fail 'died of a signal'
(ulimit -f 20 && exec "$CAPSULE" unpack whole.capsule -o d/out) > out 2> err && fail 'unpacked' || [ $? = 2 ] || fail 'died of a signal'
only d
(ulimit -f 20 && exec "$CAPSULE" restore whole.capsule target) > out 2> err && fail 'restored' || [ $? = 2 ] || fail 'died of a signal'
diff -r target target.before > out || fail 'the target changed'
# A program that is run finds the signal as it was.
if [ -r /proc/self/status ]; then
    mkdir bin
    printf '#!/bin/sh\ngrep SigIgn /proc/self/status > "%s/ignored"\nexit 1\n' "$PWD" > bin/git
    chmod +x bin/git
    PATH=$PWD/bin:$PATH "$CAPSULE" git status > out 2> err || :
    python3 -c 'import signal
ignored = int(open("ignored").read().split()[1], 16)
assert not ignored >> (signal.SIGXFSZ - 1) & 1, hex(ignored)' || fail 'a program is run with the signal ignored'
fi

# What is done is done when its report can't be printed, and the message says so: the status is 2.
rm -rf d && mkdir d
done_but_unsaid() {
    file=$1
    shift
    "$@" >&- 2> err && fail "no failure: $*" || [ $? = 2 ] || fail 'another status'
    says err 'standard output'
    says err 'hint: everything else is done'
    if [ -n "$file" ]; then present "$file"; fi
    if [ -e /dev/full ]; then
        "$@" --force > /dev/full 2> err && fail "no failure: $*" || [ $? = 2 ] || fail 'another status'
        says err 'hint: everything else is done'
    fi
}
done_but_unsaid d/x.capsule "$CAPSULE" pack few -o d/x.capsule
ok "$CAPSULE" verify -q d/x.capsule
done_but_unsaid d/few "$CAPSULE" unpack few.capsule -o d/few
done_but_unsaid d/r.html "$CAPSULE" diff few t --html d/r.html
done_but_unsaid d/x.plist "$CAPSULE" merge "$SAMPLES/overlays/scene-delegate/Info.plist" "$SAMPLES/overlays/scene-delegate/Info.plist" "$SAMPLES/overlays/scene-delegate/Info.plist" -o d/x.plist
# Where nothing but the report was asked for, it says no such thing.
"$CAPSULE" ls few >&- 2> err && fail 'no failure'
says_not err 'everything else is done'
"$CAPSULE" restore few.capsule t --different-app --dry-run >&- 2> err && fail 'no failure'
says_not err 'everything else is done'

# Whoever stops reading a report changes nothing of what is judged or done.
unread() {
    python3 - "$@" <<'PY'
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
sys.exit(subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writer).returncode)
PY
}
# judged COMMAND...: it ends with a status that is not 0, and with the same where nobody reads.
judged() {
    "$@" > out 2> err && fail "status 0: $*" || wanted=$?
    status "$wanted" unread "$@"
}
echo '{"a":1}' > 1.json
echo '{"a":2}' > 2.json
echo '{"a":3}' > 3.json
echo '{"a":' > broken.json
"$CAPSULE" diff -q few few --expect-write e.json
python3 -c 'import sys
bytes = bytearray(open("whole.capsule", "rb").read())
bytes[len(bytes) // 2] ^= 255
open("bad.capsule", "wb").write(bytes)'
for flag in '' --json; do
    # shellcheck disable=SC2086
    {
        judged "$CAPSULE" diff few t $flag
        judged "$CAPSULE" diff few t --expect e.json $flag
        judged "$CAPSULE" diff 1.json 2.json $flag
        judged "$CAPSULE" verify bad.capsule $flag
        judged "$CAPSULE" plist lint broken.json $flag
        judged "$CAPSULE" restore whole.capsule target --check $flag
        judged "$CAPSULE" apply 2.json 1.json --check $flag
        judged "$CAPSULE" merge 1.json 2.json 3.json -o none $flag
        judged "$CAPSULE" ls missing.capsule $flag
    }
done
rm -rf d && mkdir d
status 0 unread "$CAPSULE" pack few -o d/x.capsule
ok "$CAPSULE" verify -q d/x.capsule
# A listing that is cut is nothing to speak of.
quiet() {
    status 0 unread "$CAPSULE" "$@"
    [ ! -s err ] || fail "it speaks: $*"
}
quiet ls whole.capsule
quiet ls -l few
quiet ls --json few
quiet cat whole.capsule 1
quiet log whole.capsule
quiet info few
quiet plist print 1.json
quiet plist get 1.json /a
quiet generate man
quiet generate completions bash
quiet help
quiet --version
# A result is needed whole: that it can't be written is a failure, and what depends on it is not done.
needed() {
    status 2 unread "$CAPSULE" "$@"
    says err 'standard output: cannot write: '
    says err 'hint: '
}
needed pack t -o -
needed unpack t --as zip -o -
needed plist convert xml 1.json -o -
needed diff 1.json 2.json --overlay -
needed diff few t --html - --exit-zero
needed merge 1.json 2.json 2.json -o -
needed merge 1.json 2.json 3.json -o none --conflicts -
needed merge 1.json 2.json 3.json -o none --conflicts - --partial
absent none
needed restore whole.capsule target --undo -
diff -r target target.before > out || fail 'restored without its undo'
cp 1.json before.json
needed apply 2.json 1.json --undo -
same 1.json before.json

# An input without an end: what is no archive is told from its first bytes, and no disk is filled.
endless() {
    python3 - "$@" <<'PY'
import subprocess, sys
feed = subprocess.Popen(["yes", "["], stdout=subprocess.PIPE)
run = subprocess.run(sys.argv[1:], stdin=feed.stdout, stdout=open("out", "w"), stderr=open("err", "w"), timeout=60)
feed.kill()
feed.stdout.close()
feed.wait()
if run.returncode != 2: sys.exit("status %d" % run.returncode)
PY
}
for verb in ls info pack unpack; do
    endless "$CAPSULE" $verb - || fail "$verb - without an end"
    says err 'is not an archive'
done
# Nor is it said of a failure, whose message is not lost.
if [ -e /dev/full ]; then
    "$CAPSULE" info missing --json > /dev/full 2> err && fail 'no failure' || [ $? = 2 ] || fail 'another status'
    says err 'missing: '
    says_not err 'everything else is done'
fi
