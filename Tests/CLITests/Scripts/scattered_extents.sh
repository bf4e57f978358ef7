# What reading a file takes is bounded by its size, wherever an index says that its bytes are.
. "$LIB"
need python3
forge() { python3 "$TOOLS/forge_capsule.py" "$@"; }

# A file that a few bytes spread over more data than any capsule needs is refused.
forge spread spread.capsule
status 2 "$CAPSULE" verify spread.capsule
says out 'spread over more than'
status 2 "$CAPSULE" pack spread.capsule -o packed.capsule
says err '^capsule: error: spread.capsule: 65536 bytes of one file are spread over'
absent packed.capsule

# A million extents in few members, of which each would take a member's decompression: read in time, and ^C is heard within.
forge extents extents.capsule
cat > interrupt.py <<'PY'
import os
import signal
import subprocess
import time

for verb in ["verify"], ["unpack", "-o", "unpacked"], ["pack", "-o", "packed.capsule"]:
    process = subprocess.Popen([os.environ["CAPSULE"], verb[0], "extents.capsule", *verb[1:]], stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise SystemExit(f"{verb[0]} does not hear SIGINT")
    assert process.returncode in (0, 130, -signal.SIGINT), process.returncode
PY
CAPSULE="$CAPSULE" python3 interrupt.py 2> /dev/null || fail 'an interruption is not heard'
