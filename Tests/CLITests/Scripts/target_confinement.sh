# Apply, restore and recover stay in their target, whatever lies in it, whatever an overlay says, and whoever swaps what for what.
. "$LIB"
needs timeout
need python3
long=${CAPSULE_LONG_TESTS:-}
here=$PWD

# Two trees, with links, modes and directories in directories.
mkdir -p a/d/e b/d/e b/d/n a/l b/l
for name in d/a d/e/b d/same x l/f; do
    echo "a's $name" > "a/$name"
    echo "b's $name" > "b/$name"
done
cp a/d/same b/d/same
chmod 600 b/d/same
echo gone > a/d/gone
echo new > b/d/n/m
ln -s d/a a/link
ln -s d/e b/link

race() {
    rm -rf race
    mkdir race
    cp -a a b race
    (cd race && timeout 5000 python3 "$TOOLS/race_target.py" "$1" "$CAPSULE" "$2") > raced 2>&1 || fail "$1: $(head -c 3000 raced)"
    echo "$1: $(cat raced)"
}
race links "$([ -n "$long" ] && echo 10000 || echo 8)"
race twins "$([ -n "$long" ] && echo 600 || echo 2)"
race writer "$([ -n "$long" ] && echo 600 || echo 2)"

# What recover, restore and apply do in a directory `t`: nothing outside is opened, nor different afterwards.
rm -rf outside
mkdir -p outside/d
echo "somebody else's" > outside/secret
echo "somebody else's a" > outside/d/a
cp outside/secret outside/x
chmod 666 outside/secret
ok "$CAPSULE" pack a -o a.capsule --quiet
ok "$CAPSULE" pack b -o b.capsule --quiet
ok "$CAPSULE" diff a b --overlay to-b.capsule --exit-zero --quiet
python3 "$TOOLS/snapshot.py" outside > outside.before
# stays STATUSES COMMAND...: it ends soon, with one of the statuses.
looks=
stays() {
    statuses=$1
    shift
    found=0
    # shellcheck disable=SC2086
    timeout 30 python3 "$TOOLS/audit.py" outside $looks -- "$@" > out 2> err || found=$?
    case " $statuses " in *" $found "*) ;; *) fail "status $found, not one of $statuses: $*" ;; esac
    ! grep -rqs "somebody else's" t || fail "something outside came into the target by: $*"
}
# unchanged: as audit.py sees too, where it can.
unchanged() {
    python3 "$TOOLS/snapshot.py" outside > outside.after
    same outside.before outside.after
}
fresh() {
    rm -rf t
    cp -a "$1" t
}

# Links on the way: never followed, and replaced where a version wants something else there.
fresh a
rm -r t/d t/x
ln -s "$here/outside/d" t/d
ln -s "$here/outside/x" t/x
cp -a t linked
stays 2 "$CAPSULE" apply to-b.capsule t
same_trees linked t --times none
stays 1 "$CAPSULE" restore a.capsule t --check
stays 0 "$CAPSULE" restore a.capsule t --dry-run
stays 0 "$CAPSULE" restore a.capsule t --undo back.capsule
same_trees a t --times none
stays 0 "$CAPSULE" apply back.capsule t
same_trees linked t --times none
stays '0 2' "$CAPSULE" apply to-b.capsule t --force
unchanged

# Overlays that climb, lead away, or write where only transactions do: as documents, and as capsules whose contents are there.
python3 - <<'END' > overlays
import json, os
paths = ["../outside/secret", "../../outside/secret", "d/../../outside/secret", os.getcwd() + "/outside/secret", "/etc/made-by-capsule",
         ".capsule-transaction/journal", ".capsule-transaction", "d/./a", "d//a", "", ".", "..", "d/", "a\0b"]
for number, path in enumerate(paths):
    for kind, new in ("made", {"Kind": "directory", "Mode": "0777"}), ("linked", {"Kind": "link", "Target": os.getcwd() + "/outside"}):
        name = f"hostile.{number}.{kind}.json"
        with open(name, "w") as out:
            json.dump({"CapsuleOverlay": 1, "Files": [{"Path": path, "New": new}]}, out)
        print(name)
    name = f"hostile.{number}.gone.json"
    with open(name, "w") as out:
        json.dump({"CapsuleOverlay": 1, "Files": [{"Path": path, "Old": {"Kind": "directory"}}]}, out)
    print(name)
    name = f"hostile.{number}.target.json"
    with open(name, "w") as out:
        json.dump({"CapsuleOverlay": 1, "Targets": [{"Path": path, "Create": "xml", "Merge": {"a": 1}}]}, out)
    print(name)
# By way of a link that the same overlay makes.
with open("hostile.through.json", "w") as out:
    json.dump({"CapsuleOverlay": 1, "Files": [
        {"Path": "way", "New": {"Kind": "link", "Target": os.getcwd() + "/outside"}},
        {"Path": "way/made", "New": {"Kind": "directory"}}]}, out)
names = ["hostile.through.json"] + [f"hostile.{number}.capsule {path}" for number, path in enumerate(paths[:7])]
# Twice: the flags go round, and these come with another one then.
print(*names * 2, sep="\n")
END
fresh a
while read -r name path; do
    case $name in
        *.capsule)
            cp to-b.capsule "$name"
            python3 "$TOOLS/add_version.py" "$name" --overlay-path "d/n/m=$path"
            ;;
    esac
    case ${flag:-} in
        '') flag=--force ;;
        --force) flag=--check ;;
        --check) flag= ;;
    esac
    # shellcheck disable=SC2086
    stays 2 "$CAPSULE" apply "$name" t $flag
    says err 'error: '
    same_trees a t --times none
done < overlays
absent /etc/made-by-capsule t/.capsule-transaction
# The way there may be no link either.
ln -s ../outside t/way
printf '{"CapsuleOverlay":1,"Files":[{"Path":"way/made","New":{"Kind":"directory"}}]}' > through.json
stays 2 "$CAPSULE" apply through.json t
stays 2 "$CAPSULE" apply through.json t --force
printf '{"CapsuleOverlay":1,"Targets":[{"Path":"way/made.plist","Create":"xml","Merge":{"a":1}}]}' > through.json
stays 2 "$CAPSULE" apply through.json t
printf '{"CapsuleOverlay":1,"Targets":[{"Path":"way/secret","Merge":{"a":1}}]}' > through.json
stays 2 "$CAPSULE" apply through.json t
unchanged

# A staging that came with the container. All of it ends soon and touches nothing outside; what is no transaction's is refused.
plant() {
    fresh a
    mkdir -p t/.capsule-transaction/new t/.capsule-transaction/old
    python3 "$TOOLS/plant_journal.py" "$1" "$here/outside"
}
for plan in $(python3 "$TOOLS/plant_journal.py" list); do
    looks=
    case $plan in
        sparse-*)
            # 256 MiB each.
            [ -n "$long" ] || continue
            ;;
        leader-* | roots-*) looks=--may-look ;;
    esac
    turn=$(((${turn:-0} + 1) % 4))
    case $turn in
        0) other='apply to-b.capsule t' ;;
        1) other='apply to-b.capsule t --check' ;;
        2) other='restore a.capsule t' ;;
        3) other='pack t -o planted.capsule' ;;
    esac
    for command in 'recover t' "$other"; do
        plant "$plan"
        rm -f planted.capsule
        # shellcheck disable=SC2086
        stays '0 1 2' "$CAPSULE" $command
        case "$command $found $plan" in
            # What only reads does not look into a staging without a journal.
            pack* | *' --check 1 foreign'*) ;;
            *' 2 '*) grep -q '^capsule: error: .' err || fail "$plan, $command: no reason is given" ;;
            *' good-'* | *' leader-outside' | *' leader-elsewhere' | *' leader-itself') ;;
            *) fail "$plan, $command: status $found" ;;
        esac
    done
done
looks=
unchanged

# Another file system below the target is not entered.
fresh a
if [ "$(id -u)" = 0 ] && mount -t tmpfs none t/d 2> /dev/null; then
    trap 'umount "$here/t/d"' EXIT
    cp -a a/d/. t/d/
    python3 "$TOOLS/snapshot.py" t > before
    for command in 'restore b.capsule' 'apply to-b.capsule'; do
        # shellcheck disable=SC2086
        status 2 "$CAPSULE" $command t
        says err "t/d.*another file system"
        python3 "$TOOLS/snapshot.py" t > after
        # The directory itself had a staging for a moment.
        sed 1d before > wanted
        sed 1d after > found.after
        same wanted found.after
        absent t/.capsule-transaction
    done
    umount t/d
    trap - EXIT
else
    untested 'another file system below the target: none could be mounted'
fi
