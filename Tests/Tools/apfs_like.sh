# A mounted file system that finds names as APFS does, for a script that has sourced lib.sh and now sources this.
#
# `apfs` is the path of the mount. The current directory, and TMPDIR with it, lie in the mount afterwards, and all goes when the
# script ends, however it ends. Where nothing can be mounted, the script ends with 77 and the reason.
[ "$(uname)" = Linux ] || skip 'a Mac has APFS itself, and no libfuse'
[ -c /dev/fuse ] || skip '/dev/fuse is missing'
[ -r /dev/fuse ] && [ -w /dev/fuse ] || skip '/dev/fuse may not be opened by this user'
need gcc pkg-config fusermount3 mountpoint
pkg-config --exists fuse3 libutf8proc || fail "libfuse3-dev or libutf8proc-dev is not installed: run 'make setup-test'"

apfs_home=$PWD
apfs=$apfs_home/apfs
apfs_process=

# Unmounts, and waits for the process; lazily where something in the mount is still open.
apfs_end() {
    cd "$apfs_home"
    if [ -n "$apfs_process" ]; then
        fusermount3 -q -u "$apfs" 2> /dev/null || fusermount3 -q -u -z "$apfs" 2> /dev/null || kill "$apfs_process" 2> /dev/null || :
        # After a lazy unmount the process waits for the last file to be closed.
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            kill -0 "$apfs_process" 2> /dev/null || break
            sleep 0.1
        done
        kill "$apfs_process" 2> /dev/null || :
        wait "$apfs_process" 2> /dev/null || :
        apfs_process=
    fi
}
trap apfs_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# shellcheck disable=SC2046 -- a list of flags
gcc -O2 -Wall -Wextra -Werror "$TOOLS/apfs_like.c" -o apfs_like $(pkg-config --cflags --libs fuse3 libutf8proc) > apfs.log 2>&1 \
    || { cat apfs.log; fail 'apfs_like.c does not compile'; }
mkdir apfs apfs.below
./apfs_like apfs.below apfs > apfs.log 2>&1 &
apfs_process=$!
apfs_turns=0
until mountpoint -q apfs; do
    apfs_turns=$((apfs_turns + 1))
    if ! kill -0 "$apfs_process" 2> /dev/null || [ $apfs_turns -gt 200 ]; then
        # Only a system that forbids it is a reason to skip: a file system that ends by itself is broken.
        grep -q -i -e 'permitted' -e 'permission denied' -e 'trace' apfs.log && skip "nothing can be mounted here: $(cat apfs.log)"
        fail "the file system does not mount: $(cat apfs.log)"
    fi
    sleep 0.05
done
cd "$apfs"
mkdir tmp work
TMPDIR=$apfs/tmp
export TMPDIR
cd work
