# Whatever call of a compaction fails, and wherever the process or the power goes: the capsule is just the old one or just the
# new one, only who was killed leaves a temporary file, and compacting again does what is left to do.
. "$LIB"
need python3
faults() {
    python3 "$TOOLS/faults.py" "$@" > report || { cat report; fail "faults $*"; }
    says report "^faults: [0-9][0-9]* cases$"
}
export SOURCE_DATE_EPOCH=1700000000
long=${CAPSULE_LONG_TESTS:-}
# One in twelve of the cases, by lot, of each mode at least one; a failure names its case.
[ -n "$long" ] && part=1 || part=12
mkdir t
ln -s a t/link
change() {
    echo "$1" > t/a
    echo "$1" > "t/of $1"
}
# Over 2 MiB, of which little changes.
python3 -c 'import random
draw = random.Random(1)
open("half", "wb").write(b"".join(draw.choices([b"%08x\n" % draw.getrandbits(32) for _ in range(9)], k=120_000)))'
change_big() { { cat half && printf %s "$1" && cat half; } > t/big; }

# The same for a file and for a link to one, which stays a link.
in_place='
[ ! -L x.capsule ] || [ "$(readlink x.capsule)" = real ]
# Killed it may leave what it has written so far, under a hidden name. The call that takes that name away is not tried again.
case "$STATUS $FAULT" in
    137*|*:$LAST|*:$LAST+) ;;
    *) [ -z "$(ls -A | grep -v -e "^x.capsule$" -e "^real$")" ] || fail "$(ls -A)" ;;
esac
cmp -s x.capsule $HERE/new.capsule || { [ "$STATUS" != 0 ]; cmp x.capsule $HERE/old.capsule; }
"$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
cmp x.capsule $HERE/new.capsule'
to_another='
case "$STATUS $FAULT" in
    137*|*:$LAST|*:$LAST+) ;;
    *) [ -z "$(ls -A | grep -v -e "^x.capsule$" -e "^out.capsule$")" ] || fail "$(ls -A)" ;;
esac
cmp x.capsule $HERE/old.capsule
[ ! -e out.capsule ] || cmp out.capsule $HERE/new.capsule
[ "$STATUS" != 0 ] || [ -e out.capsule ]
rm -f out.capsule
"$CAPSULE" compact --keep "$KEEP" --quiet x.capsule -o out.capsule
cmp out.capsule $HERE/new.capsule'

# make FILE CHANGE...: three versions.
make() {
    file=$1
    shift
    rm -rf t/of* t/big
    for version in 1 2 3; do
        for change in "$@"; do "$change" "$version"; done
        ok "$CAPSULE" pack t --append -o "$file" --no-cache --quiet --label "v$version" --codec "$codec"
    done
}

# prepare BASE: start, what is there before and what comes of it; the new one takes another version.
prepare() {
    rm -rf start
    mkdir start
    cp "$1" start/x.capsule
    [ "$START" = whole ] || head -c 9000 "$1" >> start/x.capsule
    cp start/x.capsule old.capsule
    cp start/x.capsule new.capsule
    status 0 "$CAPSULE" compact --keep "$KEEP" --quiet new.capsule
    ok "$CAPSULE" verify --strict --quiet new.capsule
    cp new.capsule next.capsule
    change last
    ok "$CAPSULE" pack t --append -o next.capsule --no-cache --quiet
    ok "$CAPSULE" verify --strict --quiet next.capsule
    ok "$CAPSULE" cat next.capsule@4 a
    says out '^last$'
}

# The last call but one makes the name last; the last takes away the temporary one, and fails unseen.
count() {
    python3 "$TOOLS/faults.py" count --from start -- "$@" > calls
    LAST=$(wc -w < calls)
    LAST=$((LAST - 1))
    export LAST
}

for codec in gzip zstd; do
    rm -f ./*.capsule
    [ "$codec" = zstd ] && [ -z "$long" ] || make small.capsule change
    make base.capsule change change_big
    for START in whole torn; do
        for KEEP in 1,3 latest; do
            export START KEEP
            case "$codec $START $KEEP $long" in
                *1) set -- --pairs ;;
                "gzip whole 1,3 ") set -- --mode kill --mode tear --mode ENOSPC --mode EIO+ ;;
                "zstd torn latest ") set -- --mode kill --mode EIO ;;
                *) continue ;;
            esac
            prepare base.capsule
            count "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
            says calls ' lock create .* write .* sync rename sync'
            faults each --part $part "$@" --from start --check "$in_place" -- "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
        done
    done
    [ "$codec" = gzip ] || [ -n "$long" ] || continue
    START=whole
    KEEP=1,3
    prepare small.capsule
    [ -n "$long" ] && limit=300 || limit=8
    count "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
    faults each --part $part --mode EIO --pairs --from start --check "$in_place" -- "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
    faults cuts --limit "$limit" --from start --check "$in_place" -- "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
    set -- "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule -o out.capsule
    count "$@"
    faults each --part $part --mode kill --mode ENOSPC --mode EIO+ --from start --check "$to_another" -- "$@"
    faults cuts --limit "$limit" --from start --check "$to_another" -- "$@"
    # A link stays one.
    mv start/x.capsule start/real
    ln -s real start/x.capsule
    faults each --part $part --mode kill --mode ENOSPC --from start --check "$in_place" -- "$CAPSULE" compact --keep "$KEEP" --quiet x.capsule
done
