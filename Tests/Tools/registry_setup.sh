# A registry with three capsules, for scripts that stop what is sent and fetched.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
samples
serve reg registry store
port=$(fact reg port)
to=oci://127.0.0.1:$port/team/gifs
ok "$CAPSULE" pack Gifs-before.xcappdata -o one.capsule --quiet
cp one.capsule two.capsule
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o two.capsule --quiet
# Large enough for several blobs and many pieces.
mkdir big
noise 6000000 registry > big/noise
ok "$CAPSULE" pack big -o big.capsule --quiet
ok "$CAPSULE" push one.capsule $to:main
ok "$CAPSULE" push two.capsule $to:two
ok "$CAPSULE" push big.capsule $to:big
