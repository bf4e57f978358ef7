# capsule-http by itself, with the compiler's checks: it never crashes, whatever comes from either side.
. "$LIB"
needs cc
sources=$TOOLS/../../Sources/capsule-http
# shellcheck disable=SC2046
cc -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -o checked "$sources"/*.c $(pkg-config --cflags --libs libcurl 2> /dev/null || echo -lcurl) \
    2> err || skip "cc has no sanitizers, or no libcurl: $(head -1 err)"
unset http_proxy ALL_PROXY all_proxy
python3 "$TOOLS/fuzz_http_helper.py" ./checked 1 || fail 'capsule-http'

# By hand it explains itself, and does nothing.
status 64 ./checked --version
says err 'it has no commands of its own'
status 0 ./checked < /dev/null
says out 'libcurl/'
