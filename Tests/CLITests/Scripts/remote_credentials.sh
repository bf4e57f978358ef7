# Where passwords for registries are found, whom they are sent to, and which servers are trusted.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
samples
ok "$CAPSULE" pack Gifs-before.xcappdata -o gifs.capsule --quiet
mkdir -p home/.docker home/.config/containers run bin
base64_of() { printf %s "$1" | openssl base64 -A; }
auths() { printf '{"auths":{"%s":{"auth":"%s"}}}' "$1" "$(base64_of "$2")"; }

# TLS: the system's authorities don't know this one.
serve tls registry tls --tls
host=127.0.0.1:$(fact tls port)
to=oci+https://$host/team/gifs:tls
status 2 "$CAPSULE" push gifs.capsule $to
says err 'certificate is not trusted'
says err "hint: put the certificate of its authority into ~/.config/containers/certs.d/$host/ca.crt"
status 2 "$CAPSULE" push gifs.capsule oci://$host/team/gifs:tls
ok env SSL_CERT_FILE="$(fact tls ca)" "$CAPSULE" push gifs.capsule $to
ok env CURL_CA_BUNDLE="$(fact tls ca)" "$CAPSULE" log $to
status 2 env CURL_CA_BUNDLE=nothing.crt "$CAPSULE" log $to
says err 'nothing.crt'
mkdir -p "home/.config/containers/certs.d/$host"
cp "$(fact tls ca)" "home/.config/containers/certs.d/$host/ca.crt"
ok "$CAPSULE" pull $to -o pulled.capsule
same pulled.capsule gifs.capsule
ok env XDG_CONFIG_HOME="$PWD/home/.config" "$CAPSULE" verify $to
# Its certificate is not for this name of the same server.
mkdir -p "home/.config/containers/certs.d/127.0.0.2:$(fact tls port)"
cp "$(fact tls ca)" "home/.config/containers/certs.d/127.0.0.2:$(fact tls port)/ca.crt"
status 2 "$CAPSULE" ls oci+https://127.0.0.2:$(fact tls port)/team/gifs:tls
stop tls

# A password, in every place.
serve pw registry pw --htpasswd ann:se:cret
host=127.0.0.1:$(fact pw port)
to=oci://$host/team/gifs:pw
status 2 "$CAPSULE" push gifs.capsule $to
says err 'the registry wants a login, and none was found: UNAUTHORIZED'
says err "hint: 'docker login $host'"
auths "$host" ann:wrong > home/.docker/config.json
status 2 "$CAPSULE" push gifs.capsule $to
says err 'the registry does not accept the password of ann'
says_not err wrong
auths "$host" ann:se:cret > home/.docker/config.json
ok "$CAPSULE" push gifs.capsule $to
auths "https://$host/v1/" ann:se:cret > home/.docker/config.json
ok "$CAPSULE" ls $to
auths other.example ann:se:cret > home/.docker/config.json
status 2 "$CAPSULE" ls $to
mkdir docker
auths "$host" ann:se:cret > docker/config.json
ok env DOCKER_CONFIG="$PWD/docker" "$CAPSULE" ls $to
# podman's files come first.
auths "$host/team" ann:se:cret > home/.config/containers/auth.json
auths "$host" ann:wrong > home/.docker/config.json
ok "$CAPSULE" ls $to
if [ "$(uname -s)" = Linux ]; then
    mkdir run/containers
    auths "$host" ann:wrong > run/containers/auth.json
    status 2 env XDG_RUNTIME_DIR="$PWD/run" "$CAPSULE" ls $to
fi
auths "$host" ann:se:cret > only.json
rm home/.config/containers/auth.json
ok env REGISTRY_AUTH_FILE=only.json "$CAPSULE" ls $to
status 2 env REGISTRY_AUTH_FILE=nothing.json "$CAPSULE" ls $to
says err nothing.json
# The variables, for their host alone.
named() { env CAPSULE_REGISTRY_HOST="$1" CAPSULE_REGISTRY_USERNAME=ann CAPSULE_REGISTRY_PASSWORD="$2" REGISTRY_AUTH_FILE="$3" "$CAPSULE" ls $to; }
echo '{}' > none.json
ok named "$host" se:cret none.json
status 2 named "$host" wrong only.json
status 2 named other.example se:cret none.json
ok named other.example wrong only.json
status 2 env CAPSULE_REGISTRY_USERNAME=ann CAPSULE_REGISTRY_PASSWORD=se:cret REGISTRY_AUTH_FILE=none.json "$CAPSULE" ls $to
says err 'CAPSULE_REGISTRY_HOST is not set'
# A credential helper.
cat > bin/docker-credential-test <<'END'
#!/bin/sh
[ "$1" = get ] || exit 1
read -r server
echo "$server" >> "$HOME/asked"
case "$server" in
    "$(cat "$HOME/helped")") echo "{\"ServerURL\":\"$server\",\"Username\":\"ann\",\"Secret\":\"se:cret\"}" ;;
    *) echo 'credentials not found in native keychain'; exit 1 ;;
esac
END
chmod +x bin/docker-credential-test
echo "$host" > home/helped
PATH=$PWD/bin:$PATH
printf '{"credHelpers":{"%s":"test"}}' "$host" > home/.docker/config.json
ok "$CAPSULE" ls $to
printf '{"credsStore":"test","auths":{"%s":{}}}' "$host" > home/.docker/config.json
ok "$CAPSULE" ls $to
echo nobody > home/helped
status 2 "$CAPSULE" ls $to
says err 'wants a login, and none was found'
# What one prints gets to no terminal as it is.
printf '#!/bin/sh\nprintf "\\033[31mred" >&2\nexit 1\n' > bin/docker-credential-loud
chmod +x bin/docker-credential-loud
printf '{"credHelpers":{"%s":"loud"}}' "$host" > home/.docker/config.json
status 2 "$CAPSULE" ls $to
says err 'docker-credential-loud, which failed: .*red'
! grep -q "$(printf '\033')" err || fail 'an escape sequence'
printf '{"credHelpers":{"%s":"missing"}}' "$host" > home/.docker/config.json
status 2 "$CAPSULE" ls $to
says err 'docker-credential-missing, which is not in PATH'
printf '{"credHelpers":{"%s":"../evil"}}' "$host" > home/.docker/config.json
status 2 "$CAPSULE" ls $to
says err 'is not the name of a credential helper'
rm home/.docker/config.json
# Nothing kept a secret.
! grep -rqs -e se:cret -e "$(base64_of ann:se:cret)" home/.cache pw/registry.log || fail 'a secret was written'
stop pw

# A token service: anyone may pull, ann may push.
serve token registry token --token
host=127.0.0.1:$(fact token port)
to=oci://$host/team/gifs:token
status 2 "$CAPSULE" push gifs.capsule $to
says err 'wants a login, and none was found'
export CAPSULE_REGISTRY_HOST=$host CAPSULE_REGISTRY_USERNAME=ann CAPSULE_REGISTRY_PASSWORD=secret
ok "$CAPSULE" push gifs.capsule $to
CAPSULE_REGISTRY_PASSWORD=wrong
status 2 "$CAPSULE" push gifs.capsule $to
says err 'does not accept the password of ann'
unset CAPSULE_REGISTRY_HOST CAPSULE_REGISTRY_USERNAME CAPSULE_REGISTRY_PASSWORD
ok "$CAPSULE" pull $to -o token.capsule
same token.capsule gifs.capsule
ok "$CAPSULE" tags oci://$host/team/gifs
printf '{"auths":{"%s":{"identitytoken":"identity"}}}' "$host" > home/.docker/config.json
ok "$CAPSULE" push gifs.capsule oci://$host/team/gifs:identity
[ "$(requests token/tokens.log 'r["method"] == "POST"')" = 1 ] || fail 'an identity token is not posted'
[ "$(requests token/tokens.log '"identity" in (r["query"] or "")')" = 0 ] || fail 'an identity token in a URL'
stop token

# On another host: it is not asked unless the user names it, and gets nothing before.
serve far registry far --token --token-host localhost
host=127.0.0.1:$(fact far port)
to=oci://$host/team/gifs:far
auths "$host" ann:secret > home/.docker/config.json
status 2 "$CAPSULE" push gifs.capsule $to
says err "names 'localhost' as its token service, which is a private address"
[ "$(requests far/tokens.log True)" = 0 ] || fail 'the foreign service was asked'
ok env CAPSULE_TRUST_REALM=localhost "$CAPSULE" push gifs.capsule $to
