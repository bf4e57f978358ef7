# Lines that break, servers that are not there, ^C, and a capsule-http that is something else.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
unset CURL_CA_BUNDLE SSL_CERT_DIR http_proxy https_proxy HTTPS_PROXY ALL_PROXY all_proxy NO_PROXY no_proxy
mkdir home
HOME=$PWD/home
export HOME
samples
ok "$CAPSULE" pack Gifs-before.xcappdata -o small.capsule -q
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o small.capsule -q
mkdir tree
python3 -c 'import random
open("tree/large", "wb").write(random.Random(1).randbytes(9_000_000))'
ok "$CAPSULE" pack tree -o large.capsule -q
ok "$CAPSULE" ls -l small.capsule
mv out small.ls
serve web web_server . --tls ca --log web.log
url=$(fact web url)
SSL_CERT_FILE=$(fact web ca)
export SSL_CERT_FILE

# bounded COMMAND...: ends within a minute.
bounded() { python3 -c 'import subprocess, sys
sys.exit(subprocess.run(sys.argv[1:], timeout=60).returncode)' "$@"; }
# Lines that break after any number of bytes.
serve line latency_proxy "$(fact web port)"
through=https://localhost:$(fact line port)
ok "$CAPSULE" ls -l "$through/small.capsule"
stop line
for bytes in 0 1 $(lot 1000) $(lot 3000) $(lot 20000) $(lot 35000); do
    for how in '' --reset; do
        # shellcheck disable=SC2086
        serve line latency_proxy "$(fact web port)" --cut-after "$bytes" --connection 1 $how
        bounded "$CAPSULE" unpack "https://localhost:$(fact line port)/small.capsule" -o cut.d > out 2> err || fail "cut after $bytes bytes"
        same_trees cut.d Gifs-after.xcappdata
        rm -rf cut.d
        stop line
    done
done
bytes=$(lot 5000)
serve line latency_proxy "$(fact web port)" --cut-after "$bytes"
status 2 bounded "$CAPSULE" unpack "https://localhost:$(fact line port)/small.capsule" -o cut.d
absent cut.d
port=$(fact line port)
stop line

# No server, another one, or none that speaks TLS.
status 2 bounded "$CAPSULE" ls "https://localhost:$port/small.capsule"
says err "error: https://localhost:$port/small.capsule: can't connect: "
status 2 bounded "$CAPSULE" ls https://nowhere.invalid/small.capsule
says err "can't find the host nowhere.invalid"
plain=$(fact web servers plain)
status 2 bounded "$CAPSULE" ls "https${plain#http}/small.capsule"
says err "can't agree on TLS"
says err "^capsule: hint: .*'http://'"
ok "$CAPSULE" ls -l "$plain/small.capsule"
same out small.ls
status 2 bounded "$CAPSULE" ls "http${url#https}/small.capsule"

# ^C while nothing comes, or while a server makes us wait.
for fault in stall,bytes=100 status,status=503,retry_after=100; do
    faults web $fault
    python3 - "$CAPSULE" unpack "$url/large.capsule" -o stopped.d <<'PY' > log 2>&1 || fail "$(cat log)"
import os, signal, subprocess, sys, time
logged = os.path.getsize("web.log")
process = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while os.path.getsize("web.log") == logged: time.sleep(0.02)
time.sleep(0.5)
process.send_signal(signal.SIGINT)
# Far less than the server takes.
errors = process.communicate(timeout=40)[1]
if process.returncode != 130: sys.exit("%d: %s" % (process.returncode, errors))
PY
    absent stopped.d
done
faults web

# A server that dies in between.
faults web slow,bytes=65536,ms=200
"$CAPSULE" unpack "$url/large.capsule" -o died.d > out 2> err &
victim=$!
sleep 2
stop web
found=0
wait $victim || found=$?
[ $found = 2 ] || fail "status $found without a server"
absent died.d

# capsule-http is missing, is something else, or is of another release.
program() {
    status 2 bounded env CAPSULE_HTTP="$1" "$CAPSULE" ls "$url/small.capsule"
    says err "^capsule: error: .*$2"
}
program "$PWD/missing" missing
program "$PWD/small.capsule" small.capsule
program "$(command -v true)" 'does not start'
program "$(command -v yes)" 'not an answer'
printf '#!/bin/sh\nprintf "V\\000\\000\\000\\002\\000\\000\\000\\000"\ncat > /dev/null\n' > later
printf '#!/bin/sh\nprintf "V\\000\\000\\000\\001\\000\\000\\000\\000"\n' > dies
chmod +x later dies
program "$PWD/later" 'not the capsule-http of this release'
program "$PWD/dies" 'ended unexpectedly'
cp "$CAPSULE" alone
status 2 env -u CAPSULE_HTTP ./alone ls "$url/small.capsule"
says err 'need the program capsule-http'
ok ./alone ls -l small.capsule
only . Gifs-after.xcappdata Gifs-before.xcappdata alone ca comparison dies err home large.capsule later line.out line.ready \
    log out servers.open small.capsule small.ls tree web.log web.out web.ready
