# Whatever call of an apply or a restore fails, and wherever the process or the power goes: the target is exactly what it was,
# or exactly what it was to become, recover and the next command say which, and nothing is left behind.
. "$LIB"
need python3
long=${CAPSULE_LONG_TESTS:-}
export SOURCE_DATE_EPOCH=1730000000
faults() {
    python3 "$TOOLS/faults.py" "$@" > report || { cat report; fail "faults $*"; }
    says report "^faults: [1-9][0-9]* cases$"
    cases=$((${cases:-0} + $(sed -n 's/^faults: \([0-9]*\) cases$/\1/p' report)))
}
record() { (cd "$1" && shift && python3 "$TOOLS/check_target.py" record "$@"); }
# made NAME ROOTS...: what `perform` makes of NAME/, in NAME.old and NAME.new.
made() {
    name=$1
    shift
    rm -rf once
    cp -a "$name" once
    record "$name" "$PWD/$name.old" "$@"
    (cd once && perform > ../out 2> ../err) || fail "status $?: perform in $name"
    record once "$PWD/$name.new" "$@"
    ! cmp -s "$name.old" "$name.new" || fail 'nothing was changed'
}
checked() {
    one=$1
    shift
    echo "python3 \$TOOLS/check_target.py check \$HERE/$one.old \$HERE/$one.new $*"
}

# Few things, one of each kind.
python3 "$TOOLS/make_live.py" small old --small
python3 "$TOOLS/make_live.py" small.after new --small
ok "$CAPSULE" pack small/t -o small.base.capsule --quiet --no-cache
ok "$CAPSULE" pack small.after/t -o small.capsule --quiet --no-cache
ok "$CAPSULE" diff small.base.capsule small.capsule --overlay small.overlay --exit-zero --quiet
here=$PWD
for verb in restore apply; do
    case $verb in
        restore) set -- restore "$here/small.capsule" t --no-cache --jobs 1 ;;
        apply) set -- apply "$here/small.overlay" t --no-cache --jobs 1 ;;
    esac
    case $verb in
        restore) next="--next \$CAPSULE restore \$HERE/small.capsule t --no-cache" ;;
        apply) next="--next \$CAPSULE apply --check \$HERE/small.overlay t --no-cache" ;;
    esac
    perform() { "$CAPSULE" "$@"; }
    eval "perform() { \"\$CAPSULE\" $(printf "'%s' " "$@"); }"
    made small t
    python3 "$TOOLS/faults.py" count --from small -- "$CAPSULE" "$@" > calls
    says calls ' sync.* rename .*rename .*times.* remove'
    [ -n "$long" ] && modes= || modes='--mode kill --mode ENOSPC --mode EIO'
    # shellcheck disable=SC2086
    faults each $modes --from small --check "$(checked small "$next")" -- "$CAPSULE" "$@"
    # Killed in the middle, and then the recovery is killed, or fails.
    [ -n "$long" ] && points=$(seq 1 "$(cut -d ' ' -f 1 calls)") || points='31 52'
    for point in $points; do
        again="fault=\$CAPSULE_FAULT; CAPSULE_FAULT=kill:$point \"\$CAPSULE\" \"\$@\" > ../first 2>&1; CAPSULE_FAULT=\$fault exec \"\$CAPSULE\" recover t"
        faults each --mode kill --mode EIO --from small --check "$(checked small --any)" -- sh -c "$again" again "$@"
    done
done
echo "$cases cases"
