# capsule-http: built by .ci/make-http, installed with capsule, and found by it. What is said where it, or its libcurl, is missing.
. "$LIB"
need make cc
. "$TOOLS/servers.sh"
root=$(cd "$SAMPLES/.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS CAPSULE_HTTP
make_http() { "$root/.ci/make-http" "$@"; }

# A compiler that finds no headers of libcurl: a note, or an error.
cat > no_headers << 'TEXT'
#!/bin/sh
exit 1
TEXT
chmod +x no_headers
status 0 env CC="$PWD/no_headers" "$root/.ci/make-http" --if-possible made
says err "^make-http: note: libcurl's headers are missing (package libcurl4-openssl-dev on Debian and Ubuntu): "
absent made
status 1 env CC="$PWD/no_headers" "$root/.ci/make-http" made
says err "^make-http: error: libcurl's headers are missing"
absent made
status 64 make_http
status 64 make_http --all made

# Installed, it is found by the program that lies beside libexec, by a link to it as well, and whatever the current directory has.
status 0 make_http built/capsule-http
[ ! -s out ] && [ ! -s err ] || fail 'not silent'
status 0 make -s -C "$root" install-files CAPSULE="$CAPSULE" HTTP="$PWD/built/capsule-http" DESTDIR= PREFIX="$PWD/prefix"
mkdir web data
echo text > data/note.txt
"$CAPSULE" pack -q data -o web/data.capsule
serve web web_server web --log web.log
address=$(fact web url)/data.capsule
capsule=$PWD/prefix/bin/capsule http=$PWD/prefix/libexec/capsule/capsule-http
printf '#!/bin/sh\nexit 3\n' > capsule-http
chmod +x capsule-http
ok "$capsule" cat "$address" note.txt
[ "$(cat out)" = text ] || fail 'other content'
ln -s "$capsule" linked
ok ./linked ls "$address"
[ "$(requests web.log 'r["status"] != 206')" = 0 ] || fail 'not read by ranges'

# Without it, what lies on this machine is read as before.
mv "$http" kept
status 2 "$capsule" ls "$address"
says err '^capsule: error: remote containers need the program capsule-http, which is not installed beside capsule$'
says err '^capsule: hint: .*CAPSULE_HTTP'
ok "$capsule" ls web/data.capsule
ok env CAPSULE_HTTP="$PWD/kept" "$capsule" ls "$address"

# does_not_start: no libcurl, or a loader for another C library.
does_not_start() {
    status 2 "$@"
    says err "^capsule: error: $http: "
    says err "^capsule: hint: it needs libcurl 4: 'apt-get install libcurl4' installs it on Debian and Ubuntu$"
}
printf '#!/lib/ld-none.so.1\n' > "$http"
chmod +x "$http"
does_not_start "$capsule" ls "$address"
if [ "$(uname -s)" = Linux ]; then
    mv kept "$http"
    mkdir broken
    : > broken/libcurl.so.4
    does_not_start env LD_LIBRARY_PATH="$PWD/broken" "$capsule" ls "$address"
    says err 'does not start, so no server can be reached$'
    says err 'libcurl.so.4'
fi
