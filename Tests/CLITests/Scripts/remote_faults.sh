# A web server that fails: the right bytes, or an error with status 2 that says what is wrong, soon, in little memory, and nothing is left.
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
for name in range(40): open("tree/%02d" % name, "wb").write(random.Random(name).randbytes(60_000))
open("tree/large", "wb").write(random.Random(99).randbytes(34_000_000))'
ok "$CAPSULE" pack tree -o large.capsule -q
ok "$CAPSULE" ls -l small.capsule
mv out small.ls
serve web web_server . --tls ca --log web.log
url=$(fact web url)
SSL_CERT_FILE=$(fact web ca)
export SSL_CERT_FILE

# bounded COMMAND...: ends within a minute, and takes less than 400 MB.
cat > bounded.py <<'PY'
import resource, subprocess, sys
try:
    status = subprocess.run(sys.argv[1:], timeout=60).returncode
except subprocess.TimeoutExpired:
    sys.exit("not within a minute")
taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if taken > 400_000 * (1024 if sys.platform == "darwin" else 1):
    sys.exit("took %d kB" % taken)
sys.exit(status)
PY
bounded() { python3 bounded.py "$@"; }
# right NAME FAULT...: the bytes are right all the same.
right() {
    right_of=$1
    shift
    faults web "$@"
    bounded "$CAPSULE" unpack "$url/$right_of.capsule" -o right.d > out 2> err || fail "$right_of: $*"
    case $right_of in small) same_trees right.d Gifs-after.xcappdata ;; *) same_trees right.d tree ;; esac
    rm -rf right.d
}
# wrong NAME PATTERN FAULT...: an error that says PATTERN.
wrong() {
    wrong_of=$1 wrong_says=$2
    shift 2
    faults web "$@"
    status 2 bounded "$CAPSULE" unpack "$url/$wrong_of.capsule?sig=SECRET" -o wrong.d
    says err "^capsule: error: .*$wrong_says"
    says_not err SECRET
    [ ! -s out ] || fail "output: $*"
    absent wrong.d
}

right small
right large
# What goes over.
right small busy
right small limit
right small short,bytes=100,times=2
right small reset,bytes=20000,times=2
right large reset,bytes=1000000,times=3,skip=2
right small status,status=503,times=1,path=/small.capsule
# What other servers do.
right small redirect
right small presigned
right large presigned
right small presigned,uses=3 short,times=1,server=other
right small no-ranges
right small no-suffix
right small no-suffix,status=416
right small weak
right small header,name=Content-Encoding,value=gzip
right small huge-headers,kilobytes=60
if [ -n "${CAPSULE_LONG_TESTS:-}" ]; then
    right large short,times=4
    right large redirect,status=307
    right large no-suffix
    right large no-suffix,status=400
    right large no-etag
    right small slow,bytes=8192,ms=20,times=2
    right small drop,times=2
fi
# What is wrong for good.
wrong small 'the connection broke' drop
wrong small 'sent other bytes than those that were asked for' wrong-range,part=end
wrong small 'sent other bytes' wrong-range,part=unit
wrong small 'sent other bytes' wrong-range,part=missing
wrong large 'only whole files' no-ranges
wrong large 'only whole files' no-ranges endless
wrong small 'more bytes than those that were asked for' endless
wrong small 'too long' huge-headers,kilobytes=2000
wrong small 'redirects more than 5 times' loop
wrong small 'from https to http' downgrade
wrong small 'refuses access (403)' status,status=403
wrong small 'status 418' status,status=418
wrong small 'too many requests' status,status=429
wrong small 'status 503' status,status=503,retry_after=121
wrong small 'something that is not a web address' redirect,to=ftp://localhost/
wrong small 'refuses access (403)' presigned,uses=0
# In the middle: the first request succeeds.
for fault in changed,skip=1 changed,skip=1,content=1 'changed,skip=1,content=1 weak' 'changed,skip=1 no-ranges,skip=1'; do
    # shellcheck disable=SC2086
    faults web $fault
    status 2 bounded "$CAPSULE" unpack "$url/large.capsule" -o wrong.d
    case $fault in *weak) says err 'error: ' ;; *) says err 'changed while it was read' ;; esac
    absent wrong.d
done
faults web flip,at=1000000,skip=1
status 2 bounded "$CAPSULE" unpack "$url/large.capsule" -o wrong.d
absent wrong.d
status 2 bounded "$CAPSULE" verify "$url/large.capsule"
says out damaged
faults web status,status=404,skip=1
status 2 bounded "$CAPSULE" unpack "$url/large.capsule" -o wrong.d
says err 'no such file (404)'
absent wrong.d
# The user learns that he waits, unless he does not want to.
faults web status,status=503,retry_after=2,times=1
status 0 "$CAPSULE" ls -l "$url/small.capsule"
says err '^capsule: note: 127.0.0.1:[0-9]* answered 503; trying again in 2 s$'
same out small.ls
faults web status,status=503,retry_after=2,times=1
ok "$CAPSULE" ls -l "$url/small.capsule" --quiet
faults web

