# Archives on standard input, targets that are never replaced, patterns, and what is told.
. "$LIB"
cp -R "$SAMPLES/Gifs-before.xcappdata" b.xcappdata
tar czf b.tar.gz b.xcappdata
for verb in info ls 'ls -l' 'ls --json' 'cat - AppDataInfo.plist' 'unpack - -o result'; do
    case $verb in
        *' - '*) set -- $verb ;;
        *) set -- $verb - ;;
    esac
    status 0 "$CAPSULE" "$@" < b.tar.gz
    rm -rf result
done
status 0 "$CAPSULE" pack - -o stdin.capsule < b.tar.gz
ok "$CAPSULE" pack b.xcappdata -o b.capsule -q
status 64 "$CAPSULE" info b.xcappdata@1
says err 'only a capsule has versions'

# Nothing but files, links and directories is replaced.
mkfifo pipe
status 2 "$CAPSULE" pack b.xcappdata -o pipe --force
says err 'never replaced'
[ -p pipe ] || fail 'the pipe is gone'
for name in . .. x/; do
    status 64 "$CAPSULE" pack b.xcappdata -o "$name" --force
done
status 64 "$CAPSULE" unpack b.capsule -o . --force

# Patterns.
for pattern in Documents/ /Documents; do
    status 64 "$CAPSULE" pack b.xcappdata -o x.capsule --exclude "$pattern"
    says err 'matches no path'
done
status 0 "$CAPSULE" pack b.xcappdata -o x.capsule --exclude './*.gif'
says err "^capsule: warning: '--exclude ./\*.gif' matches nothing"
status 0 "$CAPSULE" pack b.xcappdata -o x.capsule --exclude '*.gif' --force
says err '^capsule: note: excluded: '
says_not err 'warning'
status 64 "$CAPSULE" pack b.xcappdata -o y.capsule --group a=b.xcappdata --group a=b.xcappdata
absent y.capsule

# What is told.
mkfifo b.xcappdata/AppData/Documents/fifo
status 0 "$CAPSULE" pack b.xcappdata -o v.capsule --verbose
says err '^capsule: note: Documents/fifo: pipe$'
says err '^capsule: note: detected as bundle: '
status 0 "$CAPSULE" unpack b.xcappdata -o copy -q
says err 'Documents/fifo: pipe'
status 2 "$CAPSULE" cat b.capsule Documents/latest.gif
says err 'is a symbolic link to '
ok "$CAPSULE" pack stdin.capsule -o l.capsule --label before -q
status 2 "$CAPSULE" info l.capsule@befor
says err "^capsule: hint: did you mean 'before'?"

# A damaged file: findings on standard output, the verdict on standard error, an object for machines in any case.
head -c 3000 b.capsule > cut.capsule
status 2 "$CAPSULE" verify --json cut.capsule
python3 -c 'import json, sys; report = json.load(open("out")); assert report["whole"] is False and report["findings"]'
python3 - <<'PY'
data = bytearray(open("b.capsule", "rb").read())
data[2000] ^= 1
open("flipped.capsule", "wb").write(data)
PY
status 2 "$CAPSULE" verify flipped.capsule
says out '^flipped.capsule: version 1: '
says err '^capsule: error: flipped.capsule: damaged: '

# A directory where a file is taken.
status 2 "$CAPSULE" verify b.xcappdata
says err '^capsule: error: b.xcappdata: is a directory, not a capsule$'
says err "^capsule: hint: 'capsule pack' turns a container into a capsule$"
status 2 "$CAPSULE" plist get b.xcappdata /a
says err '^capsule: error: b.xcappdata: is a directory, not a property list$'
says err "^capsule: hint: name a property list in it as 'b.xcappdata:PATH'; 'capsule ls b.xcappdata' lists the paths$"
