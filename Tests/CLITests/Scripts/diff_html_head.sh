# capsule diff --html: says what it wrote and can open it; the page says which versions and which app.
. "$LIB"
unset CI
samples
ok "$CAPSULE" pack -q Gifs-before.xcappdata --label before -o run.capsule
ok "$CAPSULE" pack -q Gifs-after.xcappdata --append --label after -o run.capsule

# The note on standard error is no part of a report, and -q leaves it out.
status 1 "$CAPSULE" diff run.capsule@before run.capsule --html page.html --json
says err '^capsule: note: wrote page.html$'
says_not out 'wrote'
status 1 "$CAPSULE" diff run.capsule@before run.capsule --html page.html -q
[ ! -s err ] && [ ! -s out ] || fail '-q is not quiet'
status 1 "$CAPSULE" diff run.capsule@before run.capsule --html -
says_not err 'wrote'
same out page.html

says page.html '<title>run.capsule@1 (before) → run.capsule@2 (after) · capsule diff</title>'
says page.html 'version 1, before · captured .*Z · com.example.gifs 2.4'
says page.html 'version 2, after · captured .*Z · com.example.gifs 2.4'
# A container that is not a capsule has an app, and no version.
mkdir -p d/e
status 1 "$CAPSULE" diff -q "$PWD/Gifs-before.xcappdata" run.capsule 'Library/**' --rows 2 --html d/e/page.html
says d/e/page.html '<title>Gifs-before.xcappdata → run.capsule@2 (after) · capsule diff</title>'
says d/e/page.html '<span class="origin">com.example.gifs 2.4</span>'
# Two that are equal: nothing of the capsule but its head is read.
ok "$CAPSULE" unpack -q run.capsule -o same.xcappdata
ok "$CAPSULE" diff -q run.capsule same.xcappdata --html same.html
says same.html 'version 2, after · captured .*Z · com.example.gifs'
says same.html 'Nothing differs'

# A store that changed in its write-ahead log alone: the digest is the same, and the page says where the change is.
mkdir a b
python3 - << 'EOF'
import shutil, sqlite3
connection = sqlite3.connect("live.db")
connection.executescript("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE note (id INTEGER PRIMARY KEY, title);")
connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
connection.commit()
for side, title in (("a", "one"), ("b", "two")):
    connection.execute("INSERT INTO note (title) VALUES (?)", (title,))
    connection.commit()
    for suffix in ("", "-wal"): shutil.copy("live.db" + suffix, f"{side}/Notes.sqlite{suffix}")
EOF
cmp -s a/Notes.sqlite b/Notes.sqlite || fail 'the databases differ'
status 1 "$CAPSULE" diff -q a b --html wal.html
says wal.html 'on both sides: the change is in <b class="in-file">Notes.sqlite-wal</b> (write-ahead log)'
[ "$(grep -c "$(digest_of a/Notes.sqlite)" wal.html)" = 1 ] || fail 'the digest is not told once'

# --open: what it needs, and where it does nothing.
status 1 "$CAPSULE" diff a b --open
says err "note: not opened.*'--html FILE' writes it"
status 64 "$CAPSULE" diff a b --html - --open
status 1 "$CAPSULE" diff -q a b --html wal.html --open
status 1 "$CAPSULE" diff a b --html wal.html --open
says err 'note: not opened'

mkdir bin
for name in open xdg-open; do
    printf '#!/bin/sh\nprintf "%%s\\n" "$*" > "%s/opening"\nmv "%s/opening" "%s/opened"\n' "$PWD" "$PWD" "$PWD" > bin/$name
    chmod +x bin/$name
done
found=0
python3 "$TOOLS/terminal.py" true > out || found=$?
if [ $found = 77 ]; then
    untested "--open on a terminal: $(cat out)"
else
    on_terminal() { status 1 env PATH="$PWD/bin:$PATH" PAGER= "$@"; }
    on_terminal python3 "$TOOLS/terminal.py" "$CAPSULE" diff a b --html 'd/my page.html' --open
    says out 'wrote d/my page.html'
    wait_for opened
    [ "$(cat opened)" = "$(cd d && pwd -P)/my page.html" ] || fail "opened: $(cat opened)"
    rm opened
    # A CI system's job may well have a terminal.
    on_terminal env CI=true python3 "$TOOLS/terminal.py" "$CAPSULE" diff a b --html wal.html --open
    says out 'not opened'
    on_terminal python3 "$TOOLS/terminal.py" "$CAPSULE" diff a b --html wal.html
    sleep 0.2
    absent opened
    # A program that is missing or fails is a warning, and no other status.
    rm bin/*
    if [ "$(uname -s)" = Linux ]; then
        python=$(python3 -c 'import sys; print(sys.executable)')
        status 1 env PATH="$PWD/bin" "$python" "$TOOLS/terminal.py" "$CAPSULE" diff -q a b --html wal.html --open
        says out "warning: wal.html: can't be opened: 'xdg-open' is not installed"
    fi
fi
