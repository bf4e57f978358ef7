# Whatever call of an append fails, and wherever the process or the power goes: the versions before are there, byte for byte,
# and the next append comes out as if nothing had been.
. "$LIB"
need python3
faults() {
    python3 "$TOOLS/faults.py" "$@" > report || { cat report; fail "faults $*"; }
    says report "^faults: [0-9][0-9]* cases$"
}
# big FILE WORD: over 2 MiB of text, with WORD in its middle.
python3 -c 'import random
draw = random.Random(1)
words = [b"%08x\n" % draw.getrandbits(32) for _ in range(40)]
open("half", "wb").write(b"".join(draw.choices(words, k=120_000)))
for version in 1, 2, 3, 9: open("noise.%d" % version, "wb").write(random.Random(version).randbytes(3_000))'
big() { { cat half && printf %s "$2" && cat half; } > "$1"; }
export SOURCE_DATE_EPOCH=1700000000
long=${CAPSULE_LONG_TESTS:-}
# One in ten of the cases, by lot, of each mode at least one; a failure names its case. The power goes in one of the two starts.
[ -n "$long" ] && part=1 || part=10
[ "$(lot 2)" = 0 ] && cut=whole || cut=torn

# Something of everything: what is new, twins of it, what has changed, in one place and in all, a link, what is gone.
mkdir -p t/d
echo one > t/a
echo gone > t/d/gone
ln -s a t/link
big t/big 'in the beginning'
# Appending what is like what the last version has: the third version, and the fourth.
change() {
    echo "$1" > t/a
    echo "twins of $1" > t/twin
    cp t/twin t/d/twin
    cp "noise.$1" t/noise
    rm -f t/d/gone t/link
    ln -s "$1" t/link
    big t/big "$1"
}
append() {
    file=$1
    shift
    ok "$CAPSULE" pack t --append -o "$file" --no-cache --quiet "$@"
}

# Behind a failed append: the versions before are whole, and what the next append makes is what it always makes.
check='
export SOURCE_DATE_EPOCH=1700000000
cmp -n "$TWO" x.capsule $HERE/two.capsule
# One of those that were verified before is not verified again.
if ! cmp -s x.capsule $HERE/two.capsule && ! cmp -s x.capsule $HERE/three.capsule && ! "$CAPSULE" verify --quiet x.capsule; then
    # Only the power leaves a damaged tail; none of it is lost.
    case "$FAULT" in cut*) ;; *) fail damaged ;; esac
    cp x.capsule before
    "$CAPSULE" repair x.capsule
    cat x.capsule x.capsule.damaged | cmp - before
fi
# What is the third version to the byte, takes a fourth.
cmp -s x.capsule $HERE/three.capsule || {
    [ "$STATUS" != 0 ]
    # Who could clean up did: what failed left nothing.
    case "$STATUS $FAULT" in 137*|*+) ;; *) cmp x.capsule $HERE/two.capsule || cmp x.capsule $HERE/start/x.capsule ;; esac
    "$CAPSULE" pack $HERE/t --append -o x.capsule --no-cache --quiet
    cmp x.capsule $HERE/three.capsule
}'
if [ -n "$long" ]; then
    check="$check"'
    for version in 1 2 3; do
        "$CAPSULE" unpack x.capsule@$version -o back --as directory --quiet
        python3 "$TOOLS/compare_trees.py" back $HERE/tree.$version
        rm -rf back
    done'
fi

for codec in gzip zstd; do
    rm -rf start ./*.capsule tree.*
    change 1
    cp -a t tree.1
    ok "$CAPSULE" pack t -o two.capsule --codec "$codec" --no-cache --quiet
    change 2
    cp -a t tree.2
    append two.capsule --label two
    change 3
    cp -a t tree.3
    cp two.capsule three.capsule
    append three.capsule
    cp three.capsule four.capsule
    append four.capsule --label last
    for version in two three four; do ok "$CAPSULE" verify --strict --quiet "$version.capsule"; done
    two=$(wc -c < two.capsule | tr -d ' ')
    three=$(wc -c < three.capsule | tr -d ' ')
    [ $((three - two)) -lt 16000 ] || fail 'the large file was stored again'
    export TWO="$two"

    mkdir start
    for start in whole torn; do
        cp two.capsule start/x.capsule
        # Of another append, and longer than what comes.
        [ "$start" = whole ] || head -c $((three - 9)) three.capsule | tail -c +$((two + 1)) >> start/x.capsule
        case "$long $codec $start" in
            1*|*" gzip whole") set -- --pairs ;;
            *" zstd torn") continue ;;
            *torn) set -- --mode kill --mode EIO ;;
            *) set -- --mode kill --mode ENOSPC ;;
        esac
        python3 "$TOOLS/faults.py" count --from start -- "$CAPSULE" pack "$PWD/t" --append -o x.capsule --no-cache --quiet > calls
        says calls ' write .*sync .*write.* sync'
        faults each --part $part "$@" --from start --check "$check" -- "$CAPSULE" pack "$PWD/t" --append -o x.capsule --no-cache --quiet
        [ "$codec $start" = "gzip $cut" ] || [ -n "$long" ] || continue
        echo "cuts: $start"
        [ -n "$long" ] && limit=300 || limit=8
        faults cuts --limit "$limit" --from start --check "$check" -- \
            "$CAPSULE" pack "$PWD/t" --append -o x.capsule --no-cache --quiet
    done
done

# With caches: of the files, which are older than the moment before which nothing is believed, and of eight versions. Killed
# while it keeps them, an append leaves caches that say nothing wrong.
rm -rf start
mkdir start
cp four.capsule start/x.capsule
cached='XDG_CACHE_HOME=$PWD/cache exec "$CAPSULE" pack "$0" --append -o x.capsule --quiet "$@"'
for version in 5 6 7 8 9; do
    [ $version != 9 ] || { change 9; sleep 3; }
    (cd start && sh -c "$cached" "$OLDPWD/t")
done
[ "$(find start/cache/capsule -type f -name '*.*s*' | wc -l)" = 2 ] || fail 'nothing is cached'
echo 10 > t/a
cp start/x.capsule plain.capsule
append plain.capsule
cp plain.capsule next.capsule
append next.capsule --label next
python3 "$TOOLS/faults.py" count --from start -- sh -c "$cached" "$PWD/t" > calls
says calls ' sync .* rename'
# The second append believes what the first one left.
check='
export SOURCE_DATE_EPOCH=1700000000
append() { XDG_CACHE_HOME=$PWD/cache "$CAPSULE" pack $HERE/t --append -o x.capsule --quiet "$@"; }
cmp x.capsule $HERE/plain.capsule || append
cmp x.capsule $HERE/plain.capsule
append --label next
cmp x.capsule $HERE/next.capsule'
faults each --part $part --mode kill --mode tear --from start --check "$check" -- sh -c "$cached" "$PWD/t"
