# Each change of shape by itself in one overlay: forward, by its undo, by its inverse; what is there then is looked at by others.
. "$LIB"
need python3
. "$TOOLS/trees.sh"

# Pairs of trees, one for each change: NAME/a and NAME/b. None was thought of when the transaction was written.
python3 - << 'PY'
import os, shutil
has_attributes = True
def put(path, data=b"x\n", mode=0o644):
    path = os.fsencode(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out: out.write(data)
    os.chmod(path, mode)
def label(path, name, value):
    global has_attributes
    try: os.setxattr(path, name, value, follow_symlinks=False)
    except OSError: has_attributes = False
shapes = {}
def shape(function):
    a, b = function.__name__ + "/a/", function.__name__ + "/b/"
    for side in a, b:
        put(side + "kept/untouched", b"kept\n", 0o640)
        os.symlink("untouched", side + "kept/link")
    function(a, b)
@shape
def swap_files(a, b):
    for side, one, other in (a, b"1\n", b"2" * 70_000), (b, b"2" * 70_000, b"1\n"):
        put(side + "one", one, 0o600)
        put(side + "d/other", other)
@shape
def swap_file_and_directory(a, b):
    put(a + "x", b"file\n"); put(a + "y/in/deep", b"deep\n")
    put(b + "y", b"file\n"); put(b + "x/in/deep", b"deep\n")
@shape
def swap_directories(a, b):
    for side, one, other in (a, "one", "other"), (b, "other", "one"):
        put(f"{side}{one}/a"); put(f"{side}{one}/sub/b", b"b"); os.symlink("a", f"{side}{one}/l")
        put(f"{side}{other}/a", b"another"); os.mkdir(f"{side}{other}/empty"); os.chmod(f"{side}{other}", 0o711)
@shape
def swap_into_each_other(a, b):
    put(a + "p/q/f", b"1"); put(a + "p/g", b"2")
    put(b + "q/p/f", b"1"); put(b + "q/g", b"2")
    put(b + "p", b"p is a file now")
@shape
def inside_out(a, b):
    # What was inside is outside, and the outside lies in it.
    put(a + "x/x/x", b"innermost"); put(a + "x/x/y", b"y")
    put(b + "x", b"innermost")
@shape
def deeper(a, b):
    put(a + "x", b"a file")
    put(b + "x/x/x/x", b"a file")
@shape
def chain(a, b):
    for number in range(6):
        put(f"{a}f{number}", b"content %d\n" % number, 0o600 + number)
        put(f"{b}f{number + 1}", b"content %d\n" % number, 0o600 + number)
@shape
def ring(a, b):
    for number in range(5):
        put(f"{a}f{number}", b"content %d\n" % number * 3000)
        put(f"{b}f{(number + 1) % 5}", b"content %d\n" % number * 3000)
@shape
def file_to_directory(a, b):
    put(a + "t", b"file"); put(b + "t/inner/f", b"inner"); os.mkdir(b + "t/empty")
@shape
def link_to_file(a, b):
    put(a + "real"); put(b + "real")
    os.symlink("real", a + "l"); put(b + "l", b"a file")
    os.symlink("/etc", a + "out"); put(b + "out/passwd", b"not that one")
    put(a + "f"); os.symlink("/etc/passwd", b + "f")
    os.mkdir(a + "d"); os.symlink("kept", b + "d")
@shape
def links(a, b):
    os.symlink("a", a + "moved"); os.symlink("b", b + "moved")
    os.symlink(b"\xff\n", os.fsencode(a + "odd")); os.symlink(b"\xfe ", os.fsencode(b + "odd"))
    os.symlink("x" * 4000, b + "long"); os.symlink("gone", a + "gone")
@shape
def directory_renamed(a, b):
    for side, name in (a, "old name"), (b, "new name"):
        for number in range(20): put(f"{side}{name}/deep/{number}", b"%d\n" % number)
        os.chmod(f"{side}{name}/deep", 0o750)
@shape
def modes(a, b):
    for number, (old, new) in enumerate([(0o644, 0o600), (0o600, 0o777), (0o755, 0o444), (0o400, 0o000 if os.geteuid() == 0 else 0o440)]):
        put(f"{a}f{number}", b"f", old); put(f"{b}f{number}", b"f", new)
    for side, mode in (a, 0o755), (b, 0o1777):
        os.mkdir(side + "d", mode); os.chmod(side + "d", mode)
@shape
def attributes(a, b):
    for side, value in (a, b"old"), (b, b"\0new\xff" * 100):
        put(side + "f"); os.mkdir(side + "d")
        label(side + "f", "user.changed", value); label(side + "d", "user.changed", value)
    label(a + "f", "user.gone", b""); label(b + "f", "user.come", b"")
    put(b + "made"); label(b + "made", "user.with", b"it")
@shape
def unwritable(a, b):
    # Directories that may not be written to, in which all kinds of things change.
    for side in a, b:
        put(side + "r/kept"); os.mkdir(side + "r/s")
    put(a + "r/gone"); put(b + "r/come"); put(a + "r/changed", b"1"); put(b + "r/changed", b"2")
    put(a + "r/s/x"); put(b + "r/s/y"); put(a + "goes/in/f"); put(b + "comes/in/f")
    for path in a + "r/s", b + "r/s", a + "r", b + "r", a + "goes/in", a + "goes", b + "comes/in", b + "comes": os.chmod(path, 0o555)
    for side, mode in (a, 0o555), (b, 0o755):
        put(side + "opens/f", b"f" + side.encode()); os.chmod(side + "opens", mode)
@shape
def empties(a, b):
    for name in "1", "2/3", "4/5/6": os.makedirs(a + "e/" + name)
    for name in "1/2", "2", "7/8/9": os.makedirs(b + "e/" + name)
    put(a + "zero", b""); put(b + "zero/zero", b""); put(b + "none", b"")
@shape
def twins(a, b):
    put(a + "name", b"lower"); put(b + "NAME", b"upper")
    put(a + "both", b"1"); put(a + "Both", b"2"); put(b + "both", b"2"); put(b + "Both", b"1")
    put(a + "d/f"); put(b + "D/f"); put(b + "caf\u00e9"); put(b + "cafe\u0301", b"another")
@shape
def names(a, b):
    odd = [b"\xff", b"\xfe\x80.plist", b"new\nline", b"tab\there", b" ", b"-rf", b"--", b"*", b"[a]", b"?", b"back\\slash", b"'",
           b'"', b"$(touch x)", b"`x`", b"~", b"...", b"..a", b"a:b", b"{DEFAULT GROUP}", b"\x01", b"\x7f", b"x" * 255,
           "\U0001f63a\u200d".encode(), b".hidden", b"%41", b"A=B", b"@", b"#"]
    for number, name in enumerate(odd):
        put(os.fsencode(a) + b"n/" + name, b"%d" % number)
        put(os.fsencode(b) + b"n/" + odd[(number + 1) % len(odd)], b"%d" % number)
        put(os.fsencode(b) + b"m/" + name + b"/" + name, b"%d" % number)
@shape
def holes(a, b):
    for side, place in (a, 3 << 20), (b, 5 << 20):
        with open(side + "sparse", "wb") as out:
            out.truncate(8 << 20); out.seek(place); out.write(b"data")
@shape
def from_nothing(a, b):
    shutil.rmtree(a + "kept"); put(b + "all/new")
@shape
def to_nothing(a, b):
    put(a + "all/old"); shutil.rmtree(b + "kept")
@shape
def deep(a, b):
    # Each step is taken from the top: the time grows with the square.
    for side, name in (a, "d"), (b, "e"):
        path = side.rstrip("/")
        for _ in range(200 if os.environ.get("CAPSULE_LONG_TESTS") else 80): path += "/" + name * 3
        os.makedirs(path); put(path + "/bottom", name.encode())
open("attributes.told", "w").write("yes" if has_attributes else "no")
PY
[ "$(cat attributes.told)" = yes ] || echo 'no extended attributes here'

# there_and_back NAME: by the undo, then by the inverse.
there_and_back() {
    a=$1/a
    b=$1/b
    rm -rf w ./*.capsule
    cp -a "$a" w
    status 1 "$CAPSULE" diff "$a" "$b" --overlay forth.capsule -q
    ok "$CAPSULE" overlay check -q forth.capsule
    ok "$CAPSULE" apply forth.capsule w --undo back.capsule -q
    same_trees "$b" w --times none --xattrs --skip .
    absent w/.capsule-transaction
    snapshot w s1
    ok "$CAPSULE" apply forth.capsule w
    says out 'nothing to change'
    snapshot w s2
    same s1 s2
    ok "$CAPSULE" apply back.capsule w -q
    same_trees "$a" w --times none --xattrs --skip .
    ok "$CAPSULE" apply forth.capsule w -q
    ok "$CAPSULE" overlay invert forth.capsule -o inverse.capsule -q
    ok "$CAPSULE" apply inverse.capsule w --undo again.capsule -q
    same_trees "$a" w --times none --xattrs --skip .
    ok "$CAPSULE" apply again.capsule w -q
    same_trees "$b" w --times none --xattrs --skip .
    chmod -R u+rwX w 2> /dev/null || true
    rm -rf w
}
shapes=0
for name in */; do
    there_and_back "${name%/}"
    shapes=$((shapes + 1))
done
[ "$shapes" -gt 20 ] || fail "only $shapes shapes"

# The same for somebody who is not root, for whom a directory without write permission is closed.
[ "$(id -u)" = 0 ] || exit 0
# The directory around this one is the test's own, too.
chmod o+x .. .
mkdir own
chown 65534:65534 own
nobody "$CAPSULE" --version > out 2>&1 && nobody test -w own || {
    untested 'the same without the rights of root: no other user can run the program'
    exit 0
}
for name in unwritable modes swap_directories; do
    cp -a $name own/
    chmod -R u+r own/$name
    chown -R 65534:65534 own/$name
    XDG_CACHE_HOME=$PWD/own/cache HOME=$PWD/own TMPDIR=$PWD/own nobody sh -c 'cd own && . "$LIB"
        rm -f ./*.capsule
        chmod -R u+w w 2> /dev/null || true
        rm -rf w
        cp -a "$1/a" w
        [ ! -d w/r ] || ! touch w/r/probe 2> /dev/null || fail "this is no test: anybody may write there"
        status 1 "$CAPSULE" diff "$1/a" "$1/b" --overlay forth.capsule -q
        ok "$CAPSULE" apply forth.capsule w --undo back.capsule -q
        same_trees "$1/b" w --times none --xattrs --skip .
        ok "$CAPSULE" apply back.capsule w -q
        same_trees "$1/a" w --times none --xattrs --skip .' sh $name
done
chmod -R u+rwX own
