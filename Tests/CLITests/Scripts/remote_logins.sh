# Secrets go to the registry, and to nobody else.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
samples
ok "$CAPSULE" pack Gifs-before.xcappdata -o one.capsule --quiet
cp one.capsule two.capsule
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o two.capsule --quiet
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
secret=$(printf ann:secret | openssl base64 -A)
# leaks LOG: how many requests to other servers had a secret.
leaks() { requests "$1" 'r["server"] != "main" and any("secret" in v or "'"$secret"'" in v for v in [r["path"], r["query"] or "", *r["headers"].values()])'; }
authorized() { requests "$1" 'r["server"] == "'"$2"'" and "authorization" in r["headers"]'; }

# Basic: blobs that are stored elsewhere are got and put without it.
serve basic fake_registry basic --auth basic --log basic.log
host=127.0.0.1:$(fact basic port)
to=oci://$host/team/gifs
CAPSULE_REGISTRY_HOST=$host CAPSULE_REGISTRY_USERNAME=ann CAPSULE_REGISTRY_PASSWORD=secret
export CAPSULE_REGISTRY_HOST CAPSULE_REGISTRY_USERNAME CAPSULE_REGISTRY_PASSWORD
faults basic "refuse,what=data" location,to=storage redirect
status 0 "$CAPSULE" push two.capsule $to:main
[ "$(requests basic.log 'r["server"] == "storage" and r["method"] == "PUT" and r["status"] == 201')" -ge 3 ] || fail 'no upload went elsewhere'
rm -rf cache
ok "$CAPSULE" pull $to:main -o new.capsule
same new.capsule two.capsule
[ "$(requests basic.log 'r["server"] == "storage" and r["method"] == "GET" and r["status"] == 200')" -ge 2 ] || fail 'no blob came from elsewhere'
[ "$(authorized basic.log storage)$(leaks basic.log)" = 00 ] || fail 'the storage got the password'
for where in relative bare missing; do
    rm -rf cache
    faults basic location,to=$where
    found=0
    "$CAPSULE" push one.capsule oci://$host/team/$where:x > out 2> err || found=$?
    case $where in relative) wanted=0 ;; bare) wanted=$found ;; missing) wanted=2 ;; esac
    [ $found = $wanted ] || fail "an upload's Location is $where"
    [ "$(requests basic.log 'r["server"] != "main" and r["server"] != "storage"')" = 0 ] || fail "$where: another server was asked"
done
faults basic loop,path=*/blobs/*
rm -rf cache
status 2 "$CAPSULE" pull $to:main -o other.capsule
says err 'redirects more than 5 times'
absent other.capsule
# A manifest that is redirected elsewhere gets no password there either.
: > basic.log
faults basic redirect,path=*/manifests/*,to=storage
"$CAPSULE" ls $to:main > out 2> err || :
[ "$(authorized basic.log storage)" = 0 ] || fail 'a redirected manifest took the password along'
faults basic status,status=302,method=PUT,path=*/manifests/*
status 2 "$CAPSULE" push one.capsule $to:moved

# Where a secret could be seen: arguments and environment of the helper program, messages, JSON, files.
if [ -d /proc/self ]; then
    faults basic stall,path=*/manifests/*,seconds=3,bytes=0
    "$CAPSULE" ls $to:main > out 2> err &
    pushing=$!
    tries=0
    until helper=$(pgrep -P $pushing capsule-http) || [ $tries -gt 1000 ]; do tries=$((tries + 1)); sleep 0.05; done
    [ -n "$helper" ] || fail 'there is no helper program'
    tr '\0' '\n' < "/proc/$helper/cmdline" > seen
    tr '\0' '\n' < "/proc/$helper/environ" >> seen
    says_not seen "secret"
    says_not seen "$secret"
    kill $pushing
    wait $pushing 2> /dev/null || :
fi
faults basic
CAPSULE_REGISTRY_PASSWORD=other-secret
status 2 "$CAPSULE" push one.capsule $to:main --json
says_not out other-secret
says_not err other-secret
CAPSULE_REGISTRY_PASSWORD=secret
! grep -rqs -e "$secret" -e 'ann:secret' cache home || fail 'a secret was written'

# Bearer: the token service of the registry itself, in all its spellings.
serve bearer fake_registry bearer --auth bearer --log bearer.log
host=127.0.0.1:$(fact bearer port)
to=oci://$host/team/gifs
CAPSULE_REGISTRY_HOST=$host
for fault in challenges access-token expires token-uses,uses=2; do
    faults bearer "$fault"
    ok "$CAPSULE" push one.capsule "$to:$(echo "$fault" | tr , - | tr = -)"
done
faults bearer
ok "$CAPSULE" push one.capsule $to:main
faults bearer giant-token
status 2 "$CAPSULE" push two.capsule $to:main
says err 'longer than'
faults bearer "status,status=401,path=/token"
status 2 "$CAPSULE" push two.capsule $to:main
says err 'does not accept the password of ann'
# Token services that must not be asked, or not be followed.
: > bearer.log
for realm in token userinfo fragment http://169.254.169.254/token http://10.0.0.1/token ftp://127.0.0.1/token http://2130706433/token; do
    faults bearer "realm,to=$realm"
    status 2 "$CAPSULE" push two.capsule $to:main
    says err 'token service'
done
faults bearer redirect,path=/token,to=token
status 2 "$CAPSULE" push two.capsule $to:main
says err 'redirects where it must not'
[ "$(requests bearer.log 'r["server"] != "main"')" = 0 ] || fail 'a token service elsewhere was asked'
faults bearer realm,to=token
ok env CAPSULE_TRUST_REALM=localhost "$CAPSULE" push two.capsule $to:main
[ "$(authorized bearer.log token)" = 1 ] || fail 'the named token service got no password'

# https never becomes http.
serve tls fake_registry tls --auth bearer --tls ca --log tls.log
export SSL_CERT_FILE="$(fact tls ca)"
host=127.0.0.1:$(fact tls port)
to=oci+https://$host/team/gifs
CAPSULE_REGISTRY_HOST=$host
ok "$CAPSULE" push one.capsule $to:main
rm -rf cache
faults tls downgrade,path=*/manifests/*
status 2 "$CAPSULE" ls $to:main
says err 'from https to http'
faults tls realm,to=plain
status 2 "$CAPSULE" ls $to:main
says err 'reached by https, but its token service'
faults tls location,to=plain
status 2 "$CAPSULE" push two.capsule $to:main
says err 'over http to'
[ "$(requests tls.log 'r["server"] == "plain"')" = 0 ] || fail 'something went over http'
