# The servers that tests of remote containers use, which must fail as they are told to, and end.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
python3 "$TOOLS/check_remote_tools.py" || fail 'the servers for tests'

# As a script uses them.
echo content > file
serve web web_server . --tls ca --log web.log
port=$(fact web port)
get() {
    python3 -c 'import ssl, sys, urllib.request
handlers = urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=sys.argv[2]))
sys.stdout.write(urllib.request.build_opener(*handlers).open(sys.argv[1]).read().decode())' "$@"
}
ok get "$(fact web url)/file" "$(fact web ca)"
says out '^content$'
faults web redirect drop,server=other,times=1
status 1 get "$(fact web url)/file" "$(fact web ca)"
ok get "$(fact web url)/file" "$(fact web ca)"
[ "$(requests web.log 'r["server"] == "other"')" = 2 ] || fail 'the log'
faults web
serve slow latency_proxy "$port" --cut-after 0
status 1 get "https://localhost:$(fact slow port)/file" "$(fact web ca)"
stop slow
stop web
status 1 get "https://localhost:$port/file" "$PWD/ca/ca.crt"
