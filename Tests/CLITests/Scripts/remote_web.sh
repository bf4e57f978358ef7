# Capsules on a web server: every verb that reads a container reads them, and the others refuse an address.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
unset CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR XDG_CONFIG_HOME http_proxy https_proxy HTTPS_PROXY ALL_PROXY all_proxy NO_PROXY no_proxy
mkdir home
HOME=$PWD/home
export HOME

samples
for codec in gzip zstd; do
    ok "$CAPSULE" pack Gifs-before.xcappdata -o $codec.capsule --codec $codec --label before -q
    ok "$CAPSULE" pack Gifs-after.xcappdata --append -o $codec.capsule --label after -q
done
ok "$CAPSULE" unpack gzip.capsule --as zip -o foreign.zip -q
ok "$CAPSULE" unpack gzip.capsule --as tar.gz -o foreign.tar.gz -q
serve web web_server . --tls ca --log web.log
url=$(fact web url)
ca=$PWD/ca/ca.crt
secret='?sig=SECRET'
# Nothing that is printed has the query.
remote() {
    ok "$CAPSULE" "$@"
    ! grep -q SECRET out err || fail "a secret is shown: $*"
}
refused() {
    status "$@"
    [ ! -s out ] || fail 'there is output'
    ! grep -q SECRET out err || fail "a secret is shown: $*"
}

# Whom to trust.
refused 2 "$CAPSULE" log "$url/gzip.capsule$secret"
says err 'certificate is not trusted'
says err "^capsule: hint: .*certs.d/127.0.0.1:$(fact web port)/ca.crt"
for name in SSL_CERT_FILE CURL_CA_BUNDLE; do ok env $name="$ca" "$CAPSULE" log "$url/gzip.capsule"; done
refused 2 env SSL_CERT_FILE=missing "$CAPSULE" log "$url/gzip.capsule"
says err '^capsule: error: missing: '
trusted=home/.config/containers/certs.d/127.0.0.1:$(fact web port)
mkdir -p "$trusted"
echo nothing > "$trusted/broken.crt"
cp "$ca" "$trusted/own.crt"

# What a verb prints of an address is what it prints of the file.
for local in gzip.capsule gzip.capsule@1 gzip.capsule@before gzip.capsule@~1 zstd.capsule; do
    ok "$CAPSULE" ls -l "$local"
    mv out expected
    remote ls -l "$url/$local$secret"
    same out expected
    for verb in info ls; do
        ok "$CAPSULE" $verb --json "$local"
        sed "s|\"$local\"|X|" out > expected
        remote $verb --json "$url/$local$secret"
        sed "s|\"$url/$local\"|X|" out > found
        same found expected
    done
    remote unpack "$url/$local$secret" -o found.d
    case $local in *@*) same_trees found.d Gifs-before.xcappdata ;; *) same_trees found.d Gifs-after.xcappdata ;; esac
    rm -rf found.d
done
for codec in gzip zstd; do
    ok "$CAPSULE" unpack $codec.capsule@2 --as container -o target -q
    remote restore "$url/$codec.capsule@1$secret" target
    ok "$CAPSULE" diff $codec.capsule@1 target
    rm -rf target
    ok "$CAPSULE" ls "$codec.capsule"
    file=$(grep '\.gif$' out | head -1)
    ok "$CAPSULE" cat "$codec.capsule" "$file"
    mv out expected
    remote cat "$url/$codec.capsule$secret" "$file"
    same out expected
    ok "$CAPSULE" log --json "$codec.capsule"
    sed "s|\"$codec.capsule\"|X|" out > expected
    remote log --json "$url/$codec.capsule$secret"
    sed "s|\"$url/$codec.capsule\"|X|" out > found
    same found expected
    remote verify --strict "$url/$codec.capsule$secret"
    says out ': OK: 2 versions'
    status 1 "$CAPSULE" diff "$codec.capsule"
    mv out expected
    for sides in "$url/$codec.capsule$secret" "$url/$codec.capsule@1..2$secret" "$codec.capsule@1 $url/$codec.capsule$secret"; do
        # shellcheck disable=SC2086
        status 1 "$CAPSULE" diff $sides
        same out expected
    done
done
remote merge "$url/gzip.capsule@1$secret" "$url/gzip.capsule@2$secret" Gifs-before.xcappdata -o merged
same_trees merged/AppData Gifs-after.xcappdata/AppData --times none
rm -rf merged
remote compact "$url/gzip.capsule$secret" --keep latest -o small.capsule
ok "$CAPSULE" verify --strict small.capsule
status 0 "$CAPSULE" diff small.capsule "gzip.capsule"
rm small.capsule
remote pack "$url/gzip.capsule$secret" -o again.capsule
ok "$CAPSULE" info --plist again.capsule
says_not out SECRET
rm again.capsule

# Archives of others are containers, too; other files are not.
for name in foreign.zip foreign.tar.gz; do
    ok "$CAPSULE" ls "$name"
    mv out expected
    remote ls "$url/$name$secret"
    same out expected
    refused 64 "$CAPSULE" ls "$url/$name@1$secret"
    refused 2 "$CAPSULE" verify "$url/$name$secret"
    says err 'not a capsule'
done
: > empty
echo text > text
for name in empty text; do
    refused 2 "$CAPSULE" ls "$url/$name"
    refused 2 "$CAPSULE" log "$url/$name"
    says err 'not a capsule'
done
refused 2 "$CAPSULE" ls "$url/missing.capsule$secret"
says err 'no such file (404)'
refused 2 "$CAPSULE" ls "$url/gzip.capsule@7$secret"
says err 'has no version 7'
status 2 "$CAPSULE" log --json "$url/missing.capsule$secret"
says out "\"code\":\"notFound\".*\"path\":\"$url/missing.capsule\""

# A listing takes few requests, on one connection; a second process needs no more.
: > web.log
remote ls "$url/gzip.capsule@1$secret"
[ "$(requests web.log True)" = 1 ] || fail "$(cat web.log)"

# Where only a file on this machine will do, an address is a mistake that is named.
x=$url/gzip.capsule$secret
local_only() {
    refused 64 "$CAPSULE" "$@"
    says err 'is an address, and only a file or a directory on this machine can be used here'
    says err "^capsule: hint: \('capsule pull' downloads it\|choose a place on this machine\|'--append' adds\)"
}
local_only pack Gifs-before.xcappdata -o "$x"
refused 64 "$CAPSULE" pack Gifs-before.xcappdata --append -o "$x"
local_only push "$x" oci:layout:tag
local_only pull "$x" -o "$x"
local_only unpack gzip.capsule -C "$x"
local_only apply "$x" Gifs-before.xcappdata
local_only apply gzip.capsule "$x"
local_only restore gzip.capsule "$x"
local_only label "$x" name
local_only repair "$x"
local_only compact "$x"
local_only compact gzip.capsule -o "$x"
local_only recover "$x"
local_only overlay show "$x"
local_only plist set "$x" /key value
local_only plist print "$x"
local_only diff gzip.capsule "$x" --expect "$x"
local_only diff gzip.capsule "$x" --html "$x"
refused 64 "$CAPSULE" ls 'https://name:SECRET@localhost/x.capsule'
refused 64 "$CAPSULE" log "$url/gzip.capsule@1$secret"
absent https:

# A proxy, which this server is one of: it has a file with the name of the whole address.
mkdir -p http:/nowhere.invalid
cp gzip.capsule http:/nowhere.invalid/
serve plain web_server . --log plain.log
ok env http_proxy="$(fact plain url)" "$CAPSULE" ls 'http://nowhere.invalid/gzip.capsule'
same out expected
ok env http_proxy=http://nowhere.invalid no_proxy=127.0.0.1 "$CAPSULE" ls "$(fact plain url)/gzip.capsule"
refused 2 env http_proxy=http://nowhere.invalid "$CAPSULE" ls "$(fact plain url)/gzip.capsule$secret"
says err "can't find the proxy"
