# Test servers on this machine, for a script that has sourced lib.sh and now sources this. They end when the script does.
need python3 openssl
servers_home=$PWD
# Where .ci/setup puts docker-registry.
PATH=$PATH:$TOOLS/../../.build/tools/usr/bin
# Nothing of the user's: certificates, proxies and credentials are the script's own.
unset CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
unset CAPSULE_REGISTRY_HOST CAPSULE_REGISTRY_USERNAME CAPSULE_REGISTRY_PASSWORD CAPSULE_TRUST_REALM REGISTRY_AUTH_FILE
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME DOCKER_CONFIG
HOME=$PWD/home
export HOME
mkfifo servers.open
# Their standard input, which has a writer while the script runs.
exec 9<> servers.open

# serve NAME TOOL ARGUMENT...: starts TOOL.py, and waits until it can be asked. What it says of itself is in NAME.ready, its
# output in NAME.out. Where the tool can't run, the script is skipped.
serve() {
    served=$1 served_by=$2
    shift 2
    rm -f "$servers_home/$served.ready"
    python3 "$TOOLS/$served_by.py" "$@" --ready "$servers_home/$served.ready" \
        < "$servers_home/servers.open" > "$servers_home/$served.out" 2>&1 9>&- &
    eval "server_$served=$!"
    tries=0
    until [ -e "$servers_home/$served.ready" ]; do
        if ! kill -0 $! 2> /dev/null; then
            served_status=0
            wait $! || served_status=$?
            [ $served_status != 77 ] || skip "$(cat "$servers_home/$served.out")"
            cat "$servers_home/$served.out"
            fail "$served_by.py: status $served_status"
        fi
        tries=$((tries + 1))
        [ $tries -le 1200 ] || fail "$served_by.py does not start"
        sleep 0.05
    done
}

# stop NAME
stop() {
    eval "served=\$server_$1"
    kill "$served" 2> /dev/null || :
    wait "$served" 2> /dev/null || :
}

# fact NAME KEY...: what the server says of itself: `fact web url`, `fact web servers other`, `fact web ca`.
fact() {
    fact_of=$1
    shift
    python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]: value = value[key]
print(value)' "$servers_home/$fact_of.ready" "$@"
}

# faults NAME FAULT...: these replace the server's, and are counted anew. Without any, there are none.
faults() {
    faults_of=$1
    shift
    python3 -c 'import json, ssl, sys, urllib.request
facts = json.load(open(sys.argv[1]))
context = ssl.create_default_context(cafile=facts["ca"]) if "ca" in facts else None
request = urllib.request.Request(facts["url"] + "/_faults", json.dumps(sys.argv[2:]).encode(), method="PUT")
handlers = urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
urllib.request.build_opener(*handlers).open(request)' "$servers_home/$faults_of.ready" "$@"
}

# requests LOG CONDITION: how many of the requests in LOG meet CONDITION, an expression of Python in which `r` is one.
requests() {
    python3 -c 'import json, sys
print(sum(bool(eval(sys.argv[2], {"r": json.loads(line)})) for line in open(sys.argv[1])))' "$1" "$2"
}
