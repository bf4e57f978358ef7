# Without /proc, as in a sandbox, the arguments are read all the same.
. "$LIB"
needs_linux 'other systems keep the arguments elsewhere'
needs unshare
unshare -m mount -t tmpfs none /proc 2> err || skip 'only root may mount'
mkdir d
echo x > d/f
status 0 unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$CAPSULE" pack d -o c.capsule
says out '^c.capsule: version 1'
status 0 "$CAPSULE" diff c.capsule d
