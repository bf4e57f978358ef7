# However the tail is torn, stock tools give version 1 whole, and we do with one warning.
. "$LIB"
needs_gnu tar
need python3 bsdtar
samples
for codec in gzip zstd; do
    extension=tar.gz
    [ "$codec" = gzip ] || extension=tar.zst
    ok "$CAPSULE" pack Gifs-before.xcappdata -o "$codec.capsule" --codec "$codec"
    ok "$CAPSULE" pack Gifs-after.xcappdata -o other.capsule --force --codec "$codec"
    python3 - "$codec.capsule" other.capsule "$extension" "$TOOLS/capsule_reader.py" > cases << 'PY'
import contextlib, io, json, os, random, runpy, sys
whole, other, extension = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read(), sys.argv[3]
reader = sys.argv[4]
sys.path.insert(0, os.path.dirname(reader))
def members(name):
    arguments, sys.argv = sys.argv, [reader, "members", name]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        runpy.run_path(reader, run_name="__main__")
    sys.argv = arguments
    return [json.loads(line) for line in printed.getvalue().splitlines()]
tails = {"cut": b"", "zeros": bytes(700), "garbage": bytes(range(90, 190)) * 7}
cases = []
long = os.environ.get("CAPSULE_LONG_TESTS")
# Torn in the first version's own metadata: nothing but stock tools can read it.
for member in members(sys.argv[1]):
    if member["kind"] != "D":
        for part in (0, 9, member["length"] // 2, member["length"] - 1):
            for kind, tail in tails.items():
                cases.append(("first", kind, whole[:member["offset"] + part] + tail))
# Torn in a segment behind it.
later = members(sys.argv[2])
for member in [later[0]] + [m for m in later if m["kind"] != "D"]:
    for part in (0, 9, member["length"] - 1):
        for kind, tail in tails.items():
            cases.append(("later", kind, whole + other[:member["offset"] + part] + tail))
# The short form takes one kind of tail for each place, in turn, and every other place, from one of the first two by lot on.
start = random.randrange(2)
for number, (where, kind, data) in enumerate(cases):
    if not long and (number % 3 != (number // 3 + number // 9) % 3 or number // 3 % 2 != start):
        continue
    if where == "first" and data[:len(whole)] == whole:
        continue
    name = f"torn-{number}.{extension}"
    open(name, "wb").write(data)
    print(name, where, kind)
PY
    [ -s cases ] || fail 'no cases'
    # What a whole capsule gives, in one file to compare with.
    picture() { tar --sort=name --numeric-owner --format=gnu -cf - -C x . ; }
    rm -rf x
    mkdir x
    tar -xpf "$codec.capsule" -C x
    same_trees Gifs-before.xcappdata x/Gifs-before.xcappdata --times s
    touch -d 1970-01-01T00:00:00Z x
    picture > wanted.tar
    while read -r file where kind; do
        for tool in tar bsdtar; do
            rm -rf x
            mkdir x
            ok "$tool" -xpf "$file" -C x < /dev/null
            touch -d 1970-01-01T00:00:00Z x
            picture > found.tar
            same wanted.tar found.tar
        done
        if [ "$where" = first ]; then
            # Cut where the tar stream ends, a zstd file is an archive like any other; a whole capsule it never is.
            status 2 "$CAPSULE" verify "$file"
        elif [ "$kind" != garbage ] && [ "$(wc -c < "$file")" -gt "$(wc -c < "$codec.capsule")" ]; then
            # Cut just between two versions there is no tail.
            status 0 "$CAPSULE" cat "$file" Documents/Gifs/otter.gif
            [ "$(grep -c '^capsule: warning: ' err)" = 1 ] || fail "not one warning: $file"
            same out Gifs-before.xcappdata/AppData/Documents/Gifs/otter.gif
        fi
        rm -f "$file"
    done < cases
done
