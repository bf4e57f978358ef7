# Each overlay of Samples/overlays does what it says, and done again it writes nothing.
. "$LIB"
need python3
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH

identity() { ls -lin --time-style=full-iso "$1" 2> /dev/null || ls -linT "$1"; }

# Of the two property lists, which need not have one encoding, the values.
same_values() {
    python3 - "$1" "$2" << 'END' || fail "$1 and $2 have other values"
import plistlib, sys
first, second = (plistlib.load(open(path, "rb")) for path in sys.argv[1:])
def exact(value):
    if isinstance(value, dict): return [(key, exact(item)) for key, item in sorted(value.items())]
    if isinstance(value, list): return [exact(item) for item in value]
    if isinstance(value, bytes) and value.startswith(b"bplist00"): return ("plist", exact(plistlib.loads(value)))
    return (type(value), value)
sys.exit(exact(first) != exact(second))
END
}

count=0
checked=0
for sample in "$SAMPLES"/overlays/*/; do
    name=$(basename "$sample")
    cp -R "$sample" "$name"
    cd "$name"
    target=Info.plist
    chmod -R u+w .
    if [ -f expected/error ]; then
        cp Info.plist ../was
        found=0
        sh ./command > out 2> err || found=$?
        [ "$found" = 2 ] || fail "$name: status $found, not 2"
        grep -qF "$(cat expected/error)" err || fail "$name: does not say: $(cat expected/error)"
        same Info.plist ../was
    else
        expected=$(echo expected/*)
        target=$(basename "$expected" .xml)
        # Where the overlay is not meant, nothing happens.
        if [ -f without ]; then
            before=$(identity "$target")
            sh ./without > out 2> err || fail "$name: without: status $?"
            [ "$before" = "$(identity "$target")" ] || fail "$name: written where it should not be"
        fi
        sh ./command > out 2> err || fail "$name: status $?"
        case $expected in
            *.xml) same_values "$target" "$expected" ;;
            *) same "$target" "$expected" ;;
        esac
        before=$(identity "$target")
        sh ./command > out 2> err || fail "$name: again: status $?"
        [ "$before" = "$(identity "$target")" ] || fail "$name: written again: $before, $(identity "$target")"
    fi
    rm out err
    # What is neither command nor target is the overlay: sound.
    for overlay in *.*; do
        case $overlay in
            "$target" | *.sh) continue ;;
        esac
        status 0 "$CAPSULE" overlay check "$overlay"
        checked=$((checked + 1))
    done
    cd ..
    count=$((count + 1))
done
# The build phase fails if nothing of its overlay applies, and says so in a configuration that gets none.
sed 's/Debug/Debgu/' "$SAMPLES/overlays/run-script/Testing.plist" > slip.plist
phase() {
    status "$1" env PRODUCT_BUNDLE_IDENTIFIER=a CAPSULE_PRODUCT_OVERLAY=slip.plist CAPSULE_PRODUCT_INFO_PLIST=run-script/Info.plist "$2" "$3" \
        sh "$SAMPLES/overlays/run-script/apply-overlay.sh"
    same run-script/Info.plist was
}
cp run-script/Info.plist was
phase 2 CONFIGURATION=Debug CAPSULE_PRODUCT_CONFIGURATIONS=Debug
says err 'slip.plist: no part of it applies: CONFIGURATION is Debug$'
phase 0 CONFIGURATION=Debug CAPSULE_PRODUCT_CONFIGURATIONS=Debgu
says err "^note: no overlay: CONFIGURATION is 'Debug', not one of 'Debgu'$"
[ "$count" = 17 ] || fail "$count samples, not 17"
[ "$checked" = 17 ] || fail "$checked overlays, not 17"
