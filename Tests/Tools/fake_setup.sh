# A registry that fails as it is told to, with a capsule of two versions, for scripts about what a registry can do.
. "$LIB"
needs openssl
. "$TOOLS/servers.sh"
samples
ok "$CAPSULE" pack Gifs-before.xcappdata -o one.capsule --quiet
cp one.capsule two.capsule
ok "$CAPSULE" pack Gifs-after.xcappdata --append -o two.capsule --quiet --label after
serve fake fake_registry store --log fake.log
host=127.0.0.1:$(fact fake port)
to=oci://$host/team/gifs
ok "$CAPSULE" push two.capsule $to:main
# No blob is in the manifest: each is fetched.
faults fake "refuse,what=data"
status 0 "$CAPSULE" push two.capsule $to:bare
faults fake
# Nothing is remembered between the cases.
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
fresh() { rm -rf cache new.capsule; }
refused() {
    fresh
    pattern=$1
    shift
    status 2 "$CAPSULE" "$@"
    says err "$pattern"
}

