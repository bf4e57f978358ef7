# What 'diff --overlay' writes of two containers: a capsule whose new files stock tools show, the same whatever the threads, small
# where little changed; and what refuses it.
. "$LIB"
need python3 tar bsdtar gzip sqlite3
samples
reader="$TOOLS/capsule_reader.py"
export SOURCE_DATE_EPOCH=1700000000
a=Gifs-before.xcappdata
b=Gifs-after.xcappdata

# The report and the status are those of a diff without it.
status 1 "$CAPSULE" diff "$a" "$b"
cp out plain.out
status 1 "$CAPSULE" diff "$a" "$b" --overlay run.capsule --jobs 1
same out plain.out
status 1 "$CAPSULE" diff "$a" "$b" --overlay eight.capsule --jobs 8 -q
same run.capsule eight.capsule
ok "$CAPSULE" verify --strict run.capsule
[ "$(python3 "$reader" check run.capsule)" = ok ] || fail "the independent reader finds fault"

# Of capsules of the two the same overlay comes, byte for byte.
ok "$CAPSULE" pack "$a" -o a.capsule -q
ok "$CAPSULE" pack "$b" -o b.capsule -q
status 1 "$CAPSULE" diff a.capsule b.capsule --overlay stored.capsule -q
same run.capsule stored.capsule
ok "$CAPSULE" pack "$b" --append -o a.capsule -q
status 1 "$CAPSULE" diff a.capsule@1 a.capsule@2 --overlay versions.capsule -q
same run.capsule versions.capsule

# Stock tools list and extract the new files, and say nothing.
ok gzip -t < run.capsule
cp run.capsule run.tar.gz
ok "$CAPSULE" ls run.capsule
grep -v '/$' out | sort > listed
for tool in tar bsdtar python; do
    rm -rf x
    mkdir x
    case $tool in
    tar) ok tar -xzf run.tar.gz -C x ;;
    bsdtar) ok bsdtar -xf run.tar.gz -C x ;;
    python)
        ok python3 -W ignore -c 'import sys, tarfile
with tarfile.open(sys.argv[1]) as tar:
    tar.extractall(sys.argv[2])' run.tar.gz x
        ;;
    esac
    [ ! -s out ] || fail "$tool says something"
    (cd x/*/AppData && find . -type f | sed 's,^\./,,' | sort) > extracted
    [ -s extracted ] || fail "$tool extracted nothing"
    while read -r file; do same "x/$(ls x)/AppData/$file" "$b/AppData/$file"; done < extracted
    while read -r file; do
        [ -d "$b/AppData/$file" ] || grep -qxF "$file" extracted || fail "$tool lacks $file"
    done < listed
done

# It is shown as what it is, and is no container.
ok "$CAPSULE" info run.capsule
says out '^file  *overlay capsule'
says out '^overlay  *[0-9]* records, '
ok "$CAPSULE" info run.capsule --json
says out '"overlay":{"records":'
for use in "unpack run.capsule -o y" "pack run.capsule -o y" "diff run.capsule $a" "diff $a run.capsule" "compact run.capsule" \
    "pack $a --append -o run.capsule"; do
    # shellcheck disable=SC2086
    status 64 "$CAPSULE" $use
    says err 'is an overlay, not a container'
    says err "hint: 'capsule apply run.capsule TARGET' applies it"
done
absent y
same run.capsule eight.capsule

# By a pipe; and nothing is written over what is compared.
"$CAPSULE" diff "$a" "$b" --overlay - > piped.capsule || [ $? = 1 ]
same piped.capsule run.capsule
ok "$CAPSULE" info - < run.capsule
cp a.capsule before
status 64 "$CAPSULE" diff a.capsule@1 a.capsule@2 --overlay ./a.capsule
status 64 "$CAPSULE" diff "$a" "$b" --overlay "$a/AppData/o"
same a.capsule before
absent "$a/AppData/o"

# One way is less; equal containers make a document of nothing.
status 1 "$CAPSULE" diff "$a" "$b" --overlay one.capsule --one-way -q
ok "$CAPSULE" verify --strict one.capsule
[ "$(wc -c < one.capsule)" -lt "$(wc -c < run.capsule)" ] || fail "one way is no less"
# The name of a document is refused before anything is compared or run; by value, an overlay may be a document.
for name in o.json o.plist O.PLIST; do
    for command in "diff $a $b" "diff $a $a" "run $a"; do
        behind=
        [ "$command" != "run $a" ] || behind='-- touch ran'
        # shellcheck disable=SC2086 # several words
        status 64 "$CAPSULE" $command --overlay "$name" $behind
        says err "$name: an overlay with files is a capsule, and can't be named"
        says err "^capsule: hint: name it '[oO].capsule'$"
    done
done
absent ran o.json o.plist O.PLIST
ok "$CAPSULE" diff "$a" "$a" --overlay none.plist --by-value
python3 -c 'import plistlib, sys
assert plistlib.load(open("none.plist", "rb")) == {"CapsuleOverlay": 1, "Targets": []}'
for flag in --by-value --carry-whole --one-way; do
    status 64 "$CAPSULE" diff "$a" "$b" $flag
    status 64 "$CAPSULE" diff "$a/AppDataInfo.plist" "$b/AppDataInfo.plist" --overlay o $flag
    says err 'is for containers'
done
status 64 "$CAPSULE" diff "$a" "$b" --overlay o --plain
says err "to compare one property list: 'capsule diff A:PATH B:PATH --overlay FILE --plain'"
absent o

# Three pages of a large database cost three pages, with the way back.
mkdir c d
python3 - <<'PYTHON'
import random, shutil, sqlite3
numbers = random.Random(1)
base = sqlite3.connect("c/app.db")
base.execute("create table t(id integer primary key, b blob)")
base.executemany("insert into t(b) values(?)", ((numbers.randbytes(3900),) for _ in range(4000)))
base.commit()
base.close()
shutil.copy("c/app.db", "d/app.db")
base = sqlite3.connect("d/app.db")
base.execute("update t set b = zeroblob(3900) where id in (100, 2000, 3900)")
base.commit()
base.close()
PYTHON
status 1 "$CAPSULE" diff c d --overlay pages.capsule -q
[ "$(wc -c < pages.capsule)" -lt 60000 ] || fail "pages.capsule has $(wc -c < pages.capsule) bytes"
ok "$CAPSULE" verify --strict pages.capsule
[ "$(python3 "$reader" check pages.capsule)" = ok ] || fail "the independent reader finds fault"

# A file that can't be read, and nothing is written.
if [ "$(id -u)" != 0 ]; then
    chmod 000 d/app.db
    status 2 "$CAPSULE" diff c d --overlay unread.capsule
    says err 'an overlay needs every file'
    absent unread.capsule
    chmod 644 d/app.db
fi

# An overlay of a container and one for a property list without a Path can't be one overlay: nothing could apply both.
echo '{ theme = "x"; }' > part.plist
"$CAPSULE" plist convert xml part.plist
"$CAPSULE" diff -q --exit-zero "$SAMPLES/Gifs-before.xcappdata" "$SAMPLES/Gifs-after.xcappdata" --overlay both.capsule
status 2 "$CAPSULE" overlay compose both.capsule part.plist -o composed.capsule
says err 'the second overlay has no Path, and the first names the files that it changes$'
[ ! -e composed.capsule ] || fail 'composed all the same'
status 2 "$CAPSULE" overlay compose part.plist both.capsule -o composed.capsule
says err 'the first overlay has no Path'
# The reason why --plain can't be used comes before one about the name.
status 64 "$CAPSULE" diff "$SAMPLES/Gifs-before.xcappdata" "$SAMPLES/Gifs-after.xcappdata" --overlay o.plist --plain
says err "'--plain' is for property lists, but these are containers$"
