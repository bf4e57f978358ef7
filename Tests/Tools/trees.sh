# Trees are looked at by one process, for a script that has sourced lib.sh and now sources this.
#
# `same_trees` is that of lib.sh. `snapshot DIR FILE` writes to FILE what snapshot.py prints of DIR. The process ends with the script.
need python3
trees_home=$(mktemp -d)
mkfifo "$trees_home/asked" "$trees_home/answered"
python3 "$TOOLS/trees.py" < "$trees_home/asked" > "$trees_home/answered" &
exec 7> "$trees_home/asked" 8< "$trees_home/answered"
rm -r "$trees_home"

# tool_prints FILE TOOL ARGUMENT...: runs a tool of this directory with its output in FILE; its status.
tool_prints() {
    printf '%s\0' $(($# - 2)) "$PWD" "$@" >&7
    read -r trees_status <&8 || fail 'the process that looks at trees has ended'
    return "$trees_status"
}

same_trees() {
    tool_prints comparison compare_trees.py "$@" || { head -30 comparison; fail "trees differ: $*"; }
}

snapshot() {
    tool_prints "$2" snapshot.py "$1" || { cat "$2"; fail "no snapshot of $1"; }
}
