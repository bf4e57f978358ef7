# Two property lists, one of them from standard input or a pipe, and a signal while they are compared.
. "$LIB"
need python3
for name in a b; do printf '<plist version="1.0"><dict><key>k</key><string>%s</string></dict></plist>' $name > $name.plist; done
status 1 "$CAPSULE" diff a.plist b.plist
cp out wanted
says out '^~ b.plist (plist)$'
status 1 "$CAPSULE" diff - b.plist < a.plist
same out wanted
mkfifo pipe
cat a.plist > pipe &
status 1 "$CAPSULE" diff pipe b.plist
same out wanted
wait

# Work that takes long ends when it is asked to.
python3 - "$CAPSULE" << 'END' || fail 'a signal has no effect'
import plistlib, signal, subprocess, sys, time
for odd, name in enumerate(["x.plist", "y.plist"]):
    with open(name, "wb") as file: plistlib.dump([odd + 2 * n for n in range(300_000)], file, fmt=plistlib.FMT_BINARY)
# At any moment: also before the program knows what it is to do.
for delay in [n / 500 for n in range(20)] + [0.1]:
    work = subprocess.Popen([sys.argv[1], "diff", "x.plist", "y.plist"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    work.send_signal(signal.SIGTERM)
    if work.wait(timeout=60) not in (-signal.SIGTERM, 128 + signal.SIGTERM):
        sys.exit(1)
END
