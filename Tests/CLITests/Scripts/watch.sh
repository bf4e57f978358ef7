# capsule watch: 1,000 writes, how it ends, and containers that go away.
. "$LIB"
need python3
root=$(cd "$SAMPLES/.." && pwd)
ok "$root/Tests/mac/watch.sh" "$CAPSULE"
says out 'nothing missed, nothing twice'
status 64 "$root/Tests/mac/watch.sh"

mkdir Data
status 1 "$CAPSULE" watch Data --until new --timeout 0
says err 'no change met the clause in time: 0 changes'
status 0 "$CAPSULE" watch Data --timeout 0
status 64 "$CAPSULE" watch Data --until '{"Paht":"x"}'
says err 'the clause is not valid'
status 64 "$CAPSULE" watch Data --until '{"Path"'
status 2 "$CAPSULE" watch none

# What ends a watch: ^C, ^C while it waits for a change, and the end of the container.
cat > ends.py << 'END'
import os, shutil, signal, subprocess, sys
def start(*flags):
    watch = subprocess.Popen([os.environ["CAPSULE"], "watch", "Data", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert watch.stderr.readline().startswith("capsule: note: watching Data")
    return watch
def end(watch, status, text):
    errors = watch.communicate(timeout=60)[1]
    assert watch.returncode == status and text in errors, (watch.returncode, errors)
watch = start(); watch.send_signal(signal.SIGINT); end(watch, 0, "0 changes")
watch = start("--until", "x"); watch.send_signal(signal.SIGINT); end(watch, 130, "interrupted")
watch = start(); os.rename("Data", "Moved"); end(watch, 2, "was deleted or moved while it was watched"); os.rename("Moved", "Data")
watch = start(); shutil.rmtree("Data"); end(watch, 2, "Data")
END
ok python3 ends.py
