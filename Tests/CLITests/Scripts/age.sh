# Containers that age encrypted are read like any other with an identity, and written for recipients. Whatever is wrong is an error that
# says what to do, and nothing is left behind.
. "$LIB"
needs age age-keygen ssh-keygen
need python3
unset CAPSULE_IDENTITY
mkdir -p t/Documents t/Library/Preferences d
printf 'hello\n' > t/Documents/a.txt
noise 300000 age > t/Documents/noise
xml_of name=otter > t/Library/Preferences/com.example.app.plist
age-keygen -o key 2> note
recipient=$(age-keygen -y key)
age-keygen -o other 2> note
ssh-keygen -q -t ed25519 -N '' -f ssh
clean() { [ -z "$(ls -A "$TMPDIR")" ] || { ls -la "$TMPDIR"; fail 'something is left in TMPDIR'; }; }

# Written and read again, for an age key, an SSH key, and the keys in a file.
ok "$CAPSULE" pack t -o run.capsule.age --recipient "$recipient" --recipient "$(cat ssh.pub)"
says out "^run.capsule.age: version 1, 8 entries, .* stored in "
head -c 21 run.capsule.age | grep -q '^age-encryption.org/v1$' || fail 'not an age file'
[ "$(modes_of run.capsule.age)" = 644 ] || fail 'the mode is another'
age -d -i key run.capsule.age > plain.capsule
ok "$CAPSULE" verify plain.capsule --strict
for key in key ssh; do
    ok "$CAPSULE" unpack run.capsule.age --identity $key -o back --as directory
    same_trees t back
    rm -r back
done
echo "$recipient" > -keys
ok "$CAPSULE" pack t -o keys.age -R -keys --json
python3 -c 'import json, os; assert json.load(open("out"))["fileBytes"] == os.path.getsize("keys.age")' || fail 'another length'
(cd d && ok "$CAPSULE" pack ../t --recipient "$recipient")
only d t.capsule.age err out
rm d/*
clean

# Every verb that reads.
export CAPSULE_IDENTITY="$PWD/key"
for command in 'info' 'info --json' 'show' 'ls -l' 'du' 'grep otter' 'verify' 'verify --strict' 'log'; do
    # shellcheck disable=SC2086
    set -- $command
    verb=$1
    shift
    found=0
    [ "$verb" = grep ] || { ok "$CAPSULE" "$verb" plain.capsule "$@"; sed 's/plain\.capsule/FILE/g' out > wanted; }
    [ "$verb" != grep ] || { ok "$CAPSULE" grep "$@" plain.capsule; cp out wanted; }
    if [ "$verb" = grep ]; then ok "$CAPSULE" grep "$@" run.capsule.age; else ok "$CAPSULE" "$verb" run.capsule.age "$@"; fi
    sed 's/run\.capsule\.age/FILE/g' out | cmp -s - wanted || fail "$command prints something else"
done
ok "$CAPSULE" cat run.capsule.age Documents/a.txt
same out t/Documents/a.txt
ok "$CAPSULE" cat run.capsule.age@1:Documents/a.txt
same out t/Documents/a.txt
ok "$CAPSULE" diff run.capsule.age plain.capsule
ok "$CAPSULE" diff run.capsule.age@1 t
cp -r t live
echo changed > live/Documents/a.txt
status 1 "$CAPSULE" diff run.capsule.age live -q
ok "$CAPSULE" restore run.capsule.age live -q
ok "$CAPSULE" diff t live -q
ok "$CAPSULE" info - < run.capsule.age
says out "^entries  *8$"
ok "$CAPSULE" pack run.capsule.age -o again.capsule
ok "$CAPSULE" diff again.capsule plain.capsule
ok "$CAPSULE" compact run.capsule.age -o compacted.capsule
ok "$CAPSULE" diff compacted.capsule plain.capsule
# Several versions, and one age for two of them.
echo more > t/Documents/b.txt
cp plain.capsule two.capsule
ok "$CAPSULE" pack t --append -o two.capsule -q
age -r "$recipient" -a -o two.age two.capsule
rm t/Documents/b.txt
mkdir counting
printf '#!/bin/sh\necho x >> "%s/count"\nexec %s "$@"\n' "$PWD" "$(command -v age)" > counting/age
chmod +x counting/age
status 1 env PATH="$PWD/counting:$PATH" "$CAPSULE" diff two.age@1 two.age@2 --name-status
says out 'Documents/b.txt'
[ "$(wc -l < count)" -eq 1 ] || fail 'age ran more than once'
status 1 "$CAPSULE" diff two.age
# Archives, too.
for form in tar.gz tar.zst tar; do
    ok "$CAPSULE" unpack plain.capsule -o x.$form.age --recipient "$recipient"
    age -d -i key x.$form.age > "x.$form"
    ok "$CAPSULE" diff x.$form.age x.$form
    ok "$CAPSULE" unpack x.$form.age --as directory -o back
    same_trees t back --times none
    rm -r back
done
ok "$CAPSULE" unpack plain.capsule --as tar.gz -C d --recipient "$recipient"
only d t.tar.gz.age
rm d/*
clean

# Names.
for name in '-x.age' 'a b.age' "$(printf 'a\nb.age')"; do
    ok "$CAPSULE" pack t -o "./$name" --recipient "$recipient"
    ok "$CAPSULE" verify "./$name"
done
cp key ./-key
ok "$CAPSULE" verify run.capsule.age --identity=-key
status 64 "$CAPSULE" verify run.capsule.age --identity - < key
says err 'an identity is a file'
status 2 "$CAPSULE" verify run.capsule.age --identity none
says err '^capsule: error: none: '

# Refusals.
status 2 "$CAPSULE" ls run.capsule.age --identity other
says err "^capsule: error: run.capsule.age: age can't decrypt it: no identity matched"
says err '^capsule: hint: '
unset CAPSULE_IDENTITY
status 64 "$CAPSULE" ls run.capsule.age
says err 'is encrypted, and no identity is given'
says err "^capsule: hint: '--identity FILE'"
status 64 "$CAPSULE" pack t -o d/x.age
says err 'would not be encrypted'
status 64 "$CAPSULE" pack t -o d/x.capsule --recipient "$recipient"
says err "does not end in '.age'"
status 64 "$CAPSULE" pack t -o - --recipient "$recipient"
status 64 "$CAPSULE" unpack plain.capsule -o d/x.age --recipient "$recipient"
says err "a directory can't be encrypted"
status 64 "$CAPSULE" unpack plain.capsule -o d/x.zip.age --recipient "$recipient"
says err "a zip can't be encrypted"
status 64 "$CAPSULE" unpack plain.capsule -o d/x.tar.age
cp run.capsule.age same.age
for command in 'pack t --append -o same.age' 'label same.age one' 'repair same.age' 'compact same.age --keep 1'; do
    # shellcheck disable=SC2086
    status 64 "$CAPSULE" $command
    says err "is encrypted, and can't be changed"
    says err "hint: 'age -d -i KEY -o same same.age' decrypts it"
    same run.capsule.age same.age
done
status 64 "$CAPSULE" pack t --append -o d/new.age
only d
# No secret key in a message, wherever it is given by mistake.
secret=$(grep SECRET key)
for place in --recipient --identity --recipients-file; do
    found=0
    case $place in
        --identity) "$CAPSULE" ls run.capsule.age $place "$secret" > out 2> err || found=$? ;;
        --recipients-file) "$CAPSULE" pack t -o d/x.age $place key > out 2> err || found=$? ;;
        *) "$CAPSULE" pack t -o d/x.age $place "$secret" > out 2> err || found=$? ;;
    esac
    [ $found != 0 ] || fail "$place takes a secret key"
    ! grep -q "$secret" out err || fail "$place shows a secret key"
    only d
done
status 2 "$CAPSULE" pack t -o d/x.age --recipient nobody
says err "^capsule: error: d/x.age: age can't encrypt it: "
only d
# A part of a container has any name.
mkdir n
echo x > n/y.age
ok "$CAPSULE" pack n -o n.capsule
ok "$CAPSULE" unpack n.capsule y.age -o y.age
same n/y.age y.age
clean

# Cut: in the header, at the blocks of 64 KiB, and in the last one.
length=$(length_of run.capsule.age)
for cut in 25 100 300 600 65700 131272 196900 262500 $((length - 1)); do
    head -c "$cut" run.capsule.age > cut.age
    status 2 "$CAPSULE" verify cut.age --identity key
    says err "^capsule: error: cut.age: age can't decrypt it: "
    status 2 "$CAPSULE" unpack cut.age --identity key -C d
    only d
done
{ head -c 100000 run.capsule.age; printf x; tail -c +100002 run.capsule.age; } > bad.age
status 2 "$CAPSULE" verify bad.age --identity key
clean

# Without age.
mkdir none
status 2 env PATH="$PWD/none" "$CAPSULE" ls run.capsule.age --identity key
says err 'need the program age'
says err "^capsule: hint: 'apt-get install age'"
status 2 env PATH="$PWD/none" "$CAPSULE" pack t -o d/x.age --recipient "$recipient"
says err 'need the program age'
only d
clean

# A passphrase without a terminal is an error, not a wait; with one, age asks for it.
cat > terminal.py << 'END'
import os, pty, sys, time
def run(arguments, text):
    process, terminal = pty.fork()
    if process == 0: os.execvp(arguments[0], arguments)
    heard, asked = b"", 0
    while True:
        try: piece = os.read(terminal, 4096)
        except OSError: break
        if not piece: break
        heard += piece
        if heard.count(b"assphrase") > asked and heard.rstrip().endswith(b":"):
            asked = heard.count(b"assphrase")
            time.sleep(0.2)
            os.write(terminal, text)
    sys.stdout.buffer.write(heard)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
sys.exit(run(sys.argv[2:], sys.argv[1].encode().decode("unicode_escape").encode()))
END
python3 terminal.py 'swordfish\n' age -p -o pass.age plain.capsule > out || fail "age -p"
python3 terminal.py 'swordfish\n' age -a -p -o armored.age plain.capsule > out || fail "age -a -p"
for file in pass.age armored.age; do
    status 2 timeout 20 setsid -w "$CAPSULE" ls $file < /dev/null
    says err "^capsule: error: $file: age can't decrypt it: "
    says err '^capsule: hint: age asks for the passphrase on the terminal'
    status 0 python3 terminal.py 'swordfish\n' "$CAPSULE" verify $file
    status 2 python3 terminal.py 'trout\n' "$CAPSULE" verify $file
    status 130 python3 terminal.py '\x03' "$CAPSULE" verify $file
done
clean

# ^C, and a signal to the program alone, while age runs: both end, and nothing is left.
cat > counting/age << 'END'
#!/bin/sh
echo $$ > started
exec sleep 60
END
for signal in INT TERM; do
    rm -f started
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' env PATH="$PWD/counting:$PATH" "$CAPSULE" ls run.capsule.age --identity key > out 2> err &
    process=$!
    wait_for started
    sleep 0.2
    kill -$signal $process
    found=0
    wait $process || found=$?
    [ $found -gt 128 ] || fail "status $found"
    ! kill -0 "$(cat started)" 2> /dev/null || fail 'age is still running'
done
clean

# A disk that is full: of what is decrypted, and of what is encrypted.
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=200k none small 2> /dev/null; then
    trap 'umount small' EXIT
    status 2 "$CAPSULE" pack t -o small/x.age --recipient "$recipient"
    says err "^capsule: error: small/x.age: age can't encrypt it: .*no space left"
    only small
    status 2 env TMPDIR="$PWD/small" "$CAPSULE" ls run.capsule.age --identity key
    says err "^capsule: error: run.capsule.age: age can't decrypt it: .*no space left"
    only small
fi

# What is packed for a recipient is on no disk as it is: no file has it, not even one without a name.
if command -v strace > /dev/null; then
    strace -f -o trace -e trace=openat "$CAPSULE" pack t -o traced.age --no-cache --recipient "$recipient" > out
    ! grep 'O_CREAT' trace | grep -v 'traced\.age\|\.stat\.' || fail 'another file was made'
fi
clean
