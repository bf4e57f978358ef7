# Whatever call of an apply or a restore fails, and wherever the process goes: the target is exactly what it was, or exactly what
# it was to become, recover and the next command say which, and nothing is left behind.
. "$LIB"
need python3
long=${CAPSULE_LONG_TESTS:-}
# TransactionCrashTests lets the process die at every call in each run. Here each run draws one in 24 of the cases by lot, of each
# mode some; a failure names its case.
[ -n "$long" ] && part=1 || part=24
export SOURCE_DATE_EPOCH=1730000000
here=$PWD
cases=0
recoveries=0
faults() {
    python3 "$TOOLS/faults.py" "$@" > report || { cat report; fail "faults $*"; }
    says report "^faults: [1-9][0-9]* cases$"
    cases=$((cases + $(sed -n 's/^faults: \([0-9]*\) cases$/\1/p' report)))
}
record() { (cd "$1" && shift && python3 "$TOOLS/check_target.py" record "$@"); }
# made DIR NAME ROOT... -- COMMAND...: what COMMAND makes of DIR, before and after, in NAME.old and NAME.new.
made() {
    start=$1 name=$2 roots=
    shift 2
    while [ "$1" != -- ]; do roots="$roots $1" && shift; done
    shift
    rm -rf once
    cp -a "$start" once
    # shellcheck disable=SC2086
    record "$start" "$here/$name.old" $roots
    (cd once && "$@") > out 2> err || fail "status $?: $*"
    # shellcheck disable=SC2086
    record once "$here/$name.new" $roots
    ! cmp -s "$name.old" "$name.new" || fail 'nothing was changed'
    rm -rf once
}
# draw COUNT: one number of each half of 1 to COUNT, by lot; not of the first and last few, where nothing is left to recover.
draw() { echo $((5 + $(lot $(($1 / 2 - 4))))) $(($1 / 2 + 1 + $(lot $(($1 - 4 - $1 / 2))))); }
# after NAME OPTION...: the check of one case.
after() {
    name=$1
    shift
    echo "python3 \"\$TOOLS/check_target.py\" check \$HERE/$name.old \$HERE/$name.new $*"
}

# Few things, one of each kind.
python3 "$TOOLS/make_live.py" small old --small
python3 "$TOOLS/make_live.py" small.after new --small
ok "$CAPSULE" pack small/t -o small.base.capsule --quiet --no-cache
ok "$CAPSULE" pack small.after/t -o small.capsule --quiet --no-cache
ok "$CAPSULE" diff small.base.capsule small.capsule --overlay small.overlay --exit-zero --quiet
for verb in restore apply; do
    case $verb in
        restore)
            set -- restore "$here/small.capsule" t --no-cache --jobs 1
            next='--next "$CAPSULE" restore "$HERE/small.capsule" t --no-cache'
            ;;
        apply)
            set -- apply "$here/small.overlay" t --no-cache --jobs 1
            next='--next "$CAPSULE" apply --check "$HERE/small.overlay" t --no-cache'
            ;;
    esac
    made small small t -- "$CAPSULE" "$@"
    python3 "$TOOLS/faults.py" count --from small -- "$CAPSULE" "$@" > calls
    says calls ' sync.* rename .*rename .*times.* remove'
    if [ -n "$long" ]; then
        faults each --pairs --from small --check "$(after small "$next")" -- "$CAPSULE" "$@"
    else
        faults each --part $part --mode kill --mode ENOSPC --mode EIO --from small --check "$(after small "$next")" -- "$CAPSULE" "$@"
    fi
    # Killed in the middle, and then the recovery is killed, or fails.
    points=$(seq 1 "$(cut -d ' ' -f 1 calls)")
    [ -n "$long" ] || { [ $verb = restore ] && points=$(draw $(cut -d ' ' -f 1 calls)) || points=; }
    for point in $points; do
        again="fault=\$CAPSULE_FAULT; CAPSULE_FAULT=kill:$point \"\$CAPSULE\" \"\$@\" > ../first 2>&1; CAPSULE_FAULT=\$fault exec \"\$CAPSULE\" recover t"
        # At the first calls nothing has changed yet, and after the last ones nothing is left to recover.
        found=0
        python3 "$TOOLS/faults.py" count --from small -- sh -c "$again" again "$@" > calls || found=$?
        case $found in 0) ;; 77) continue ;; *) fail "status $found: recover after call $point" ;; esac
        recoveries=$((recoveries + 1))
        [ -n "$long" ] && few=1 || few=3
        faults each --part $few --mode kill --mode EIO --from small --check "$(after small --any)" -- sh -c "$again" again "$@"
    done
done

# Something of everything, in a container, an app group elsewhere and an app, with what takes it back.
python3 "$TOOLS/make_live.py" all old
python3 "$TOOLS/make_live.py" all.after new
printf '{"CapsuleOverlay":1,"Targets":[{"Root":"AppBundle","Path":"Info.plist","Merge":{"Scene":"Test"}}]}' > app.json
for state in all all.after; do
    ok "$CAPSULE" pack "$state/t" --group "group.x=$state/g" -o "$state.capsule" --quiet --no-cache
done
printf '<plist><dict><key>Scene</key><string>Test</string></dict></plist>' > app.plist
ok "$CAPSULE" pack all.after/t --group group.x=all.after/g --overlay AppBundle:Info.plist=app.plist -o full.capsule --quiet --no-cache
ok "$CAPSULE" diff all.capsule all.after.capsule --overlay all.overlay --exit-zero --quiet
for verb in restore apply; do
    case $verb in
        restore)
            set -- restore "$here/full.capsule" t --group group.x=g --overlays --app Foo.app --no-cache --undo undo.capsule
            next='--next "$CAPSULE" restore "$HERE/full.capsule" t --group group.x=g --overlays --app Foo.app --no-cache'
            ;;
        apply)
            set -- apply "$here/all.overlay" "$here/app.json" t --group group.x=g --app Foo.app --no-cache --undo undo.capsule
            next='--next "$CAPSULE" apply --check "$HERE/all.overlay" "$HERE/app.json" t --group group.x=g --app Foo.app --no-cache'
            ;;
    esac
    made all all t g Foo.app -- "$CAPSULE" "$@" --jobs 1
    check="$(after all --undo undo.capsule --untimed Foo.app/Info.plist "$next")"
    # All of it is new, and what takes it back does so.
    cp -a all back
    (cd back && "$CAPSULE" "$@" > ../out 2> ../err && "$CAPSULE" apply undo.capsule t --group group.x=g --app Foo.app > ../out 2> ../err) \
        || fail 'there and back'
    same_trees all back --times none --xattrs --skip undo.capsule
    rm -rf back
    [ -n "$long" ] || continue
    faults each --from all --check "$check" -- "$CAPSULE" "$@" --jobs 1
    faults each --mode kill --from all --check "$check" -- "$CAPSULE" "$@" --jobs 4
done
[ $recoveries -gt 0 ] || fail "no recovery was killed"
echo "$cases cases"
