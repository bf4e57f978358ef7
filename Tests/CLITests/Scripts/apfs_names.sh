. "$LIB"
need python3
. "$TOOLS/apfs_like.sh"
mkdir semantics
(cd semantics && python3 "$TOOLS/check_apfs_like.py") > log || fail "$(cat log)"
