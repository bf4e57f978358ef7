# 'capsule serve' does for tests what the verbs of a project do: here by hand, by many at once, and by those that mean harm.
. "$LIB"
need python3
needs_linux 'what a process holds is read from /proc'
HOME=$PWD/home
export HOME
unset SIMULATOR_UDID
mkdir -p "$HOME" app
python3 "$TOOLS/make_simulators.py" "$HOME/Library/Developer/CoreSimulator/Devices" --devices 2 --apps 2 --booted 0 --seed 5 > devices
sed -n 's/.*"identifier": "com.example.app01", "kind": "data".*"path": "\([^"]*\)".*/\1/p' devices > data
sed -n 's/.*"identifier": "com.example.app01", "kind": "data".*"udid": "\([^"]*\)".*/\1/p' devices > udids
first=$(head -1 data)
udid=$(head -1 udids)
other=$(tail -1 udids)

# Outside of a project there is nothing to serve.
status 64 "$CAPSULE" serve -- true
says err 'capsule init com.example.app'

cd app
SIMULATOR_UDID=$udid "$CAPSULE" init -q com.example.app01
SIMULATOR_UDID=$udid "$CAPSULE" pack -q --label clean 2> err
# The other simulator's app begins as this one.
SIMULATOR_UDID=$other "$CAPSULE" restore -q @clean > out 2> err

# The command's status is the server's, and it finds the port file, which only the user can read and which goes with it.
cat > command <<'END'
stat -c '%a' "$CAPSULE_PORT_FILE"
[ "$CAPSULE_PORT_FILE" = "$TEST_RUNNER_CAPSULE_PORT_FILE" ] && echo same
echo "$CAPSULE_PORT_FILE" > port-file
exit 7
END
status 7 "$CAPSULE" serve -q -- sh ./command
[ "$(cat out)" = '600
same' ] || fail 'the port file'
absent "$(cat port-file)"
status 127 "$CAPSULE" serve -q -- no-such-program
status 126 "$CAPSULE" serve -q -- ./command
status 64 "$CAPSULE" serve --port 65536
status 64 "$CAPSULE" serve -q true
status 2 "$CAPSULE" serve --root ../none -- true
echo mine > taken
status 2 "$CAPSULE" serve -q --port-file taken -- true
[ "$(cat taken)" = mine ] || fail 'a file was replaced'
status 0 "$CAPSULE" serve -q --port-file taken --force -- true
absent taken

# A server that is left running: a port that is taken, requests, attacks, and its end by a signal.
mkfifo started
"$CAPSULE" serve --json --port-file port.json > started 2> log &
server=$!
read -r line < started
case $line in *'"kind":"start"'*) ;; *) fail "it begins with $line" ;; esac
port=$(sed -n 's/.*"port":\([0-9]*\),.*/\1/p' port.json)
status 2 "$CAPSULE" serve -q --port "$port" -- true
says err '--port'

ask() {
    python3 - "$@" <<'END'
import json, sys, urllib.request, urllib.error
with open("port.json") as file:
    found = json.load(file)
action, body, *fields = sys.argv[1:]
request = urllib.request.Request(f"http://127.0.0.1:{found['port']}/v1/{action}", body.encode(), method="POST")
request.add_header("Authorization", "Bearer " + found["token"])
for field in fields:
    request.add_header(*field.split("=", 1))
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status, answer.read().decode())
END
}
# wants STATUS ACTION BODY [FIELD=VALUE]...
wants() {
    wanted=$1
    shift
    ask "$@" > out 2> err || fail "no answer to $*"
    case $(cat out) in "$wanted "*) ;; *) fail "not $wanted: $*" ;; esac
}
echo new > "$first/Documents/new"
wants 200 diff "{\"device\":\"$udid\"}"
says out '"path":"Documents/new"'
says out '"status":1'
wants 200 restore "{\"version\":\"clean\",\"device\":\"$udid\"}"
absent "$first/Documents/new"
says out '"undo":true'
echo '{"CapsuleExpectation":1,"MustNot":[{"Path":"Documents/*"}]}' > run.json
wants 200 expect "{\"expectation\":\"run.json\",\"device\":\"$udid\"}"
says out '"status":0'
echo new > "$first/Documents/new"
wants 200 expect "{\"expectation\":\"run.json\",\"device\":\"$udid\",\"page\":true}"
says out '"kind":"finding"'
says out '<!DOCTYPE html>'
wants 200 pack "{\"label\":\"with-new\",\"device\":\"$udid\"}"
wants 500 pack "{\"label\":\"with-new\",\"device\":\"$udid\"}"
says out '"status":2'
wants 200 pack "{\"label\":\"with-new\",\"moveLabel\":true,\"device\":\"$udid\"}"
# What was restored is what is compared with, although there is a newer version now.
wants 200 diff "{\"device\":\"$udid\"}"
says out '"path":"Documents/new"'
# Labels and names only.
for body in '{"version":"../x"}' '{"version":"/etc/x.capsule"}' '{"version":"a:b"}' '{"version":7}' '{"version":"-f"}x' '[]' '{}' \
    '{"version":"clean","target":"/tmp"}' '{"version":"clean","device":"../x"}'; do
    wants 400 restore "$body"
    says out '"status":64'
done
for name in ../run.json /etc/hosts run.json/../../x ''; do wants 400 expect "{\"expectation\":\"$name\"}"; done
ln -s /etc/hosts outside.json
wants 400 expect '{"expectation":"outside.json"}'
wants 500 restore "{\"version\":\"none\",\"device\":\"$udid\"}"
# A request that names no simulator is about the booted one.
wants 200 restore '{"version":"clean"}'
says out "simctl terminate $udid"
wants 404 undo '{}'
# Pages of a browser, by the field that it can't leave out, and by a name that leads here.
wants 403 restore '{"version":"clean"}' Origin=http://evil.example
wants 421 restore '{"version":"clean"}' Host=evil.example
wants 401 restore '{"version":"clean"}' Authorization=x

python3 "$TOOLS/attack_server.py" port.json "$server" "$udid" "$other" --requests 1000 --seed "$CAPSULE_TEST_SEED" ||
    fail 'an attack'
absent "$first/Documents/new"
kill "$server"
wait "$server" && fail 'it did not end by the signal'
absent port.json
says log 'restore @clean on '

# An app on a named simulator answers only tests that run there.
sed "s|com.example.app01|sim:$udid/com.example.app01|" .capsule.plist > other.plist && mv other.plist .capsule.plist
cat > command <<'END'
cp "$CAPSULE_PORT_FILE" port.json
END
mkfifo begun ended
"$CAPSULE" serve -q --port-file port.json -- sh -c 'echo > begun; read -r line < ended' 2> log &
server=$!
read -r line < begun
wants 400 restore "{\"version\":\"clean\",\"device\":\"$other\"}"
says out 'is not on the simulator of the test'
wants 200 restore "{\"version\":\"clean\",\"device\":\"$udid\"}"
echo > ended
wait "$server" || fail 'it failed'

# More connections than the process may have files: those that are too many wait, and the server stays.
mkfifo limited
(ulimit -n 40 && exec "$CAPSULE" serve -q --port-file port.json -- sh -c 'echo > limited; read -r line < ended') 2> log &
server=$!
read -r line < limited
python3 - << 'END' || fail 'it does not stand many connections'
import json, socket
with open("port.json") as file:
    port = json.load(file)["port"]
connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
for connection in connections:
    connection.sendall(b"P")
for connection in connections:
    connection.close()
END
wants 200 restore "{\"version\":\"clean\",\"device\":\"$udid\"}"
echo > ended
wait "$server" || fail 'it failed with few files'
