# capsule run: what a command changed in a container, and whether it may.
. "$LIB"
need python3

mkdir -p Data/Library/Preferences Data/Documents
printf '<plist version="1.0"><dict><key>n</key><integer>1</integer></dict></plist>\n' > Data/Library/Preferences/a.plist
cat > change.sh << 'SH'
printf '<plist version="1.0"><dict><key>n</key><integer>2</integer></dict></plist>\n' > Data/Library/Preferences/a.plist
echo "changed by $1"
SH
reset() { printf '<plist version="1.0"><dict><key>n</key><integer>1</integer></dict></plist>\n' > Data/Library/Preferences/a.plist; }

# The changes of a command, which keeps its standard streams.
status 0 "$CAPSULE" run Data -- sh change.sh me
says out '^changed by me$'
says out '/n: 1 → 2'
status 0 "$CAPSULE" run Data -- cat < change.sh
says out '^echo "changed by'
reset

# An expectation: the verdict is the status.
echo '{"CapsuleExpectation": 1, "Must": [{"Pointer": "/n", "To": 2}]}' > two.json
status 0 "$CAPSULE" run Data --expect two.json -- sh change.sh me
says out '^two.json: passed: 1 change$'
status 1 "$CAPSULE" run Data --expect two.json -- true
says out '^! missing: '
reset

# The command's own failure is told, with the verdict.
status 7 "$CAPSULE" run Data --expect two.json -- sh -c 'exit 7'
says out '^! missing: '
says err "error: sh: failed with status 7"
# No report says that a run passed whose command failed.
echo '{"CapsuleExpectation": 1}' > nothing.json
status 7 "$CAPSULE" run Data --expect nothing.json --junit j.xml --html h.html -- sh -c 'exit 7'
says out '^nothing.json: no findings: 0 changes$'
says j.xml ' tests="2" failures="1" '
says j.xml 'failure message="failed with status 7" type="Command"'
says h.html '<strong>Failed</strong> <span class="source">sh</span>: failed with status 7<'
status 137 "$CAPSULE" run Data --json -- sh -c 'kill -KILL $$'
says out '"passed":false,"status":137,"signal":9,'
status 0 "$CAPSULE" run Data --expect nothing.json --junit j.xml --force -q -- true
says j.xml ' tests="2" failures="0" '
status 143 "$CAPSULE" run Data -- sh -c 'kill -TERM $$'
says err 'ended by signal 15'
# An exit status above 128 is no signal.
for code in 130 255; do
    status $code "$CAPSULE" run Data -q -- sh -c "exit $code"
    says err "sh: failed with status $code$"
done
status 127 "$CAPSULE" run Data -- ./none
says err "./none: command not found"
status 127 "$CAPSULE" run Data --json -- ./none
says out '"kind":"error".*"status":127'
mkdir dir
status 126 "$CAPSULE" run Data -- ./dir

# Machines: the command's output does not mix with the report.
status 0 "$CAPSULE" run Data --json -- sh change.sh me
says err '^changed by me$'
says_not out 'changed by'
says out '"schema":"capsule.diff"'
says out '^{"schema":"capsule.run","version":1,"command":\["sh","change.sh","me"\],"passed":true,"status":0,"milliseconds":[0-9]*}$'
reset

# Both states can be kept, and one restored.
status 0 "$CAPSULE" run Data -o run.capsule -q -- sh change.sh me
status 0 "$CAPSULE" log run.capsule
says out 'before'
says out 'after'
status 0 "$CAPSULE" restore run.capsule@before Data -q
status 1 "$CAPSULE" diff run.capsule Data
says out '/n: 2 → 1'
status 2 "$CAPSULE" run Data -o run.capsule -- touch ran
absent ran
status 64 "$CAPSULE" run Data -o - -- touch ran
absent ran
# What has the name of a version, or takes the capsule's name meanwhile, is not taken for it.
reset
mkdir r.capsule@before
status 0 "$CAPSULE" run Data -o r.capsule -- sh change.sh me
says out '/n: 1 → 2'
reset
status 2 "$CAPSULE" run Data -o s.capsule -- sh -c 'echo mine > s.capsule'
says err 's.capsule: '
[ "$(cat s.capsule)" = mine ] || fail 'a file was replaced'
status 127 "$CAPSULE" run Data -o t.capsule -- ./none
absent t.capsule
status 0 env -i PATH="$PATH" TMPDIR="$PWD" bash -c 'trap "" CHLD; exec "$0" "$@"' "$CAPSULE" run Data -q -- true
# A page has nothing of the program's arguments, which may be secrets.
status 0 "$CAPSULE" run Data --html r.html -q -- env TOKEN=secret123 sh -c 'exit 0'
says_not r.html 'secret123'

# A command that leaves no container: both messages, its own status, and the state before.
cp -R Data Gone
status 7 "$CAPSULE" run Gone -o gone.capsule -- sh -c 'rm -rf Gone; exit 7'
says err '^capsule: error: Gone: '
says err '^capsule: error: sh: failed with status 7$'
says err "^capsule: note: gone.capsule: has only the version 'before'$"
"$CAPSULE" log gone.capsule > out
says out ' 1  before '
status 0 "$CAPSULE" unpack gone.capsule@before --as directory -o Gone
status 0 "$CAPSULE" diff --all Data Gone
status 2 "$CAPSULE" run Gone -- rm -rf Gone
says err '^capsule: error: Gone: '
says_not err 'failed with status'
cp -R Data Gone
status 7 "$CAPSULE" run Gone --json -- sh -c 'rm -rf Gone; exit 7'
tail -n 1 out | grep -q '"status":7' || fail 'the last line has another status'

# A container that is made anew by the command is found again.
status 0 "$CAPSULE" run Data -- sh -c 'cp -R Data Data2 && rm -rf Data && mv Data2 Data && echo x > Data/Documents/x'
says out '^+ Documents/x'

# A directory that the command turns into a container, or a container into a directory, is compared as what it was.
mkdir Plain
echo 1 > Plain/x
status 0 "$CAPSULE" run Plain -- sh -c 'mkdir -p Plain/Library Plain/Documents; echo 2 > Plain/x'
says out '^+ Library/$'
says out '^~ x'
status 0 "$CAPSULE" run Plain -- rmdir Plain/Documents
says out '^- Documents/$'
mkdir -p Bundle/AppData/Documents
echo 1 > Bundle/AppData/Documents/a
status 0 "$CAPSULE" run Bundle -- sh -c 'mkdir Bundle/Other; echo 2 > Bundle/AppData/Documents/a'
says out '^~ Documents/a'
rmdir Bundle/Other
status 2 "$CAPSULE" run Bundle -- mv Bundle/AppData Bundle/Elsewhere
says err '^capsule: error: Bundle.*AppData: '
says_not err 'run.capsule'
# It may become another app's.
cp -R Data App
app() { printf '<plist version="1.0"><dict><key>MCMMetadataIdentifier</key><string>%s</string></dict></plist>\n' "$1"; }
app com.example.one > App/.com.apple.mobile_container_manager.metadata.plist
app com.example.two > two.plist
status 0 "$CAPSULE" run App -- sh -c 'cp two.plist App/.com.apple.mobile_container_manager.metadata.plist; echo x > App/new'
says out '^+ new'

# A command that empties TMPDIR is told so.
mkdir emptied
for output in '' '-o emptied/run.capsule'; do
    # shellcheck disable=SC2086
    status 2 env TMPDIR="$PWD/emptied" "$CAPSULE" run Data $output -- sh -c 'rm -rf emptied/.[!.]*'
    says err "emptied: the command deleted Capsule's temporary files in this directory$"
    says_not err '\.tmp'
    absent emptied/run.capsule
done

# Arguments that can't work are told before anything runs.
status 64 "$CAPSULE" run Data true
says err "needs -- COMMAND"
status 64 "$CAPSULE" run Data --
status 64 "$CAPSULE" run -- touch ran
says err "needs CONTAINER"
status 64 "$CAPSULE" run Data Data -- touch ran
status 2 "$CAPSULE" run Data --expect none.json -- touch ran
status 64 "$CAPSULE" run run.capsule -- touch ran
absent ran
# So are outputs that can't be written, and the expectation is the one that was there before.
status 2 "$CAPSULE" run Data --expect two.json --junit none/j.xml -- touch ran
says err 'none: the directory does not exist'
status 64 "$CAPSULE" run Data --arrays x -- touch ran
absent ran
echo '{"CapsuleExpectation": 1}' > strict.json
status 1 "$CAPSULE" run Data --expect strict.json -- sh -c 'rm strict.json; echo new > Data/new'
says out '^! not allowed: '
rm Data/new
echo '{"CapsuleExpectation": 1}' > empty.json
status 0 "$CAPSULE" run Data --expect - -- true < empty.json

# A polite request to end reaches the command, and nothing stays in the directory for temporary files.
mkdir private
TMPDIR=$PWD/private "$CAPSULE" run Data -- sh -c 'trap "echo stopped > stopped; exit 3" TERM; : > started; while :; do sleep 0.05; done' > out 2> err &
id=$!
wait_for started
kill -TERM $id
code=0
wait $id || code=$?
[ $code = 143 ] || fail "status $code after SIGTERM"
wait_for stopped
says err "interrupted; 'sh' had started: what it changed in Data stays changed$"
says_not err 'nothing was left behind'
[ -z "$(ls -A private)" ] || fail "left behind: $(ls -A private)"

# Asking twice does not leave anything behind either.
TMPDIR=$PWD/private python3 - "$CAPSULE" << 'EOF'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
process = subprocess.Popen([sys.argv[1], "run", "Data", "--", "sh", "-c", 'trap "" INT QUIT; : > twice; sleep 1'], preexec_fn=lambda: [
    signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGQUIT)])
while not os.path.exists("twice"):
    time.sleep(0.02)
for number in (signal.SIGINT, signal.SIGINT, signal.SIGQUIT):
    process.send_signal(number)
    time.sleep(0.1)
assert process.wait() in (130, 131), process.returncode
EOF
[ -z "$(ls -A private)" ] || fail "left behind: $(ls -A private)"
