# Names on a file system as APFS: what it takes for one, or does not take, is refused with a word, before anything is changed.
. "$LIB"
need python3
. "$TOOLS/apfs_like.sh"
home=$apfs_home

# It is as APFS; else the rest would show nothing.
mkdir semantics
(cd semantics && python3 "$TOOLS/check_apfs_like.py") > log || fail "$(cat log)"

# twins NAME ONE OTHER: a container, made where all names are told apart, with two entries that are one here.
twins() {
    mkdir -p "$home/$1/Documents" "$home/$1/Library"
    echo one > "$home/$1/Documents/$2"
    echo other > "$home/$1/Documents/$3"
    ok "$CAPSULE" pack "$home/$1" -o "$home/$1.capsule" --quiet
}
composed=$(printf 'caf\303\251')
decomposed=$(printf 'cafe\314\201')
twins case A a
twins forms "$decomposed" "$composed"
twins sharp STRASSE "$(printf 'stra\303\237e')"
twins capital "$(printf '\303\237')" "$(printf '\341\272\236')"
twins long s "$(printf '\305\277')"
twins kelvin k "$(printf '\342\204\252')"
mkdir -p "$home/dirs/Documents/Dir" "$home/dirs/Documents/dir" "$home/dirs/Library"
echo one > "$home/dirs/Documents/Dir/file"
echo other > "$home/dirs/Documents/dir/file"
ok "$CAPSULE" pack "$home/dirs" -o "$home/dirs.capsule" --quiet
mkdir -p "$home/plain/Documents" "$home/plain/Library"
echo old > "$home/plain/Documents/README"
echo kept > "$home/plain/Library/kept"
ok "$CAPSULE" pack "$home/plain" -o "$home/plain.capsule" --quiet
cp -a "$home/plain" live

# looked_at FILE: all of the live container but for times of change, by whom a transaction that began is told.
looked_at() { { find live -printf '%p %y %m %i %T@ %l\n' | sort && find live -type f -exec cksum {} + | sort; } > "$home/$1"; }

# refused PATTERN HINT COMMAND...: it ends with 2, says so, and leaves the live container and this directory as they were.
refused() {
    pattern=$1 hint=$2
    shift 2
    looked_at before
    ls -A > "$home/names"
    status 2 "$@"
    says err "^capsule: error: $pattern"
    says err "^capsule: hint: .*$hint"
    [ "$(wc -l < err)" = 2 ] || fail "more than a message and a hint: $*"
    ls -A | cmp -s - "$home/names" || fail "something is left behind: $*"
    looked_at after
    same "$home/before" "$home/after"
}
touch err out

takes='this file system does not distinguish it from Documents/'
for name in case forms sharp capital long kelvin dirs; do
    refused "new/Documents/[^:]*: $takes" '--as tar.gz' "$CAPSULE" unpack "$home/$name.capsule" -o new --as directory
    refused "live/Documents/[^:]*: $takes" 'distinguishes them' "$CAPSULE" restore "$home/$name.capsule" live
    [ -n "${CAPSULE_LONG_TESTS:-}" ] || [ "$name" = forms ] || continue
    refused "new/AppData/Documents/[^:]*: this file system does not distinguish it from AppData/Documents/" '--as tar.gz' \
        "$CAPSULE" unpack "$home/$name.capsule" -o new --as xcappdata --jobs 1
    refused "in/$name/Documents/[^:]*: $takes" '--as tar.gz' "$CAPSULE" unpack "$home/$name.capsule" -C in --as directory
    refused "new/Documents/[^:]*: $takes" "'.capsule'" \
        "$CAPSULE" merge "$home/$name.capsule" "$home/$name.capsule" "$home/$name.capsule" -o new
    ok "$CAPSULE" unpack "$home/$name.capsule" --as tar.gz -o new.tar.gz --quiet
    ok "$CAPSULE" diff --all "$home/$name" new.tar.gz
    ok "$CAPSULE" unpack "$home/$name.capsule" --as zip -o new.zip --quiet
    ok "$CAPSULE" merge "$home/$name.capsule" "$home/$name.capsule" "$home/$name.capsule" -o new.capsule --quiet
    ok "$CAPSULE" diff --all "$home/$name" new.capsule
    rm new.tar.gz new.zip new.capsule
done
# Both are named, and the first is the one that others come after.
refused 'new/Documents/a: this file system does not distinguish it from Documents/A$' tar "$CAPSULE" unpack "$home/case.capsule" -o new --as directory
# A part without the other one is taken.
ok "$CAPSULE" unpack "$home/case.capsule" Documents/a -o part --as directory
[ "$(cat part/Documents/A)" = other ] && only part/Documents a
rm -r part
# What is there stays where it is to be replaced.
mkdir -p kept/Documents
echo kept > kept/Documents/a
refused "kept/Documents/a: $takes" tar "$CAPSULE" unpack "$home/case.capsule" -o kept --as directory --force
[ "$(cat kept/Documents/a)" = kept ] || fail 'what was to be replaced is gone'
rm -r kept

# An overlay that brings what is there under another spelling: not somebody else's doing, and not in the place of what is there.
cp -a "$home/plain" "$home/more"
echo new > "$home/more/Documents/readme"
mkdir "$home/more/library"
echo new > "$home/more/library/new"
ok "$CAPSULE" diff --quiet --exit-zero "$home/plain" "$home/more" --overlay "$home/more.capsule"
refused 'live/Documents/readme: this file system does not distinguish it from Documents/README$' 'distinguishes them' "$CAPSULE" apply "$home/more.capsule" live
refused 'live/Documents/readme: this file system does not distinguish it from Documents/README$' 'distinguishes them' \
    "$CAPSULE" apply "$home/more.capsule" live --force
refused 'live/library: this file system does not distinguish it from Library$' 'distinguishes them' \
    "$CAPSULE" restore "$home/more" live --keep 'Documents/**' --keep Library --keep 'Library/**'

# Names that are not UTF-8.
raw=$(printf 'not\377utf8')
mkdir -p "$home/raw/Documents" "$home/raw/Library"
echo raw > "$home/raw/Documents/$raw"
ok "$CAPSULE" pack "$home/raw" -o "$home/raw.capsule" --quiet
refused 'new/Documents/not\\xFFutf8: this file system allows only UTF-8 names$' '--as tar.gz' \
    "$CAPSULE" unpack "$home/raw.capsule" -o new --as directory
refused 'live/Documents/not\\xFFutf8: this file system allows only UTF-8 names$' 'any bytes' "$CAPSULE" restore "$home/raw.capsule" live
refused 'new/Documents/not\\xFFutf8: this file system allows only UTF-8 names$' "'.capsule'" \
    "$CAPSULE" merge "$home/raw.capsule" "$home/raw.capsule" "$home/raw.capsule" -o new
ok "$CAPSULE" diff --quiet --exit-zero "$home/plain" "$home/raw" --overlay "$home/to-raw.capsule"
refused 'live/Documents/not\\xFFutf8: this file system allows only UTF-8 names$' 'any bytes' "$CAPSULE" apply "$home/to-raw.capsule" live
for form in tar.gz tar.zst zip; do
    ok "$CAPSULE" unpack "$home/raw.capsule" --as "$form" -o "new.$form" --quiet
    ok "$CAPSULE" cat "new.$form" "Documents/$raw"
    [ "$(cat out)" = raw ] || fail "$form: other content"
    rm "new.$form"
done
status 2 "$CAPSULE" pack live -o "$raw.capsule"
says err 'not\\xFFutf8.capsule: cannot [a-z]*: this file system allows only UTF-8 names$'
status 2 "$CAPSULE" ls "$raw"
says err 'not\\xFFutf8: cannot [a-z]*: this file system allows only UTF-8 names$'

# What would be found as a transaction that was not finished, and be believed.
mkdir -p "$home/hostile/Documents" "$home/hostile/Library" "$home/hostile/.Capsule-Transaction/new"
echo hostile > "$home/hostile/.Capsule-Transaction/journal"
ok "$CAPSULE" pack "$home/hostile" -o "$home/hostile.capsule" --quiet
refused 'new/.Capsule-Transaction: this file system does not distinguish it from .capsule-transaction$' tar \
    "$CAPSULE" unpack "$home/hostile.capsule" -o new --as directory
refused 'live/.Capsule-Transaction: this file system does not distinguish it from .capsule-transaction$' 'distinguishes them' \
    "$CAPSULE" restore "$home/hostile.capsule" live

# What lies inside of a container does so by any spelling of it.
cp "$home/plain.capsule" live/Documents/inner.capsule
status 64 "$CAPSULE" restore LIVE/documents/INNER.capsule live
says err 'is inside the container'
status 64 "$CAPSULE" restore "$home/plain.capsule" live --undo LIVE/back.capsule
says err 'is inside the container'
status 64 "$CAPSULE" restore LIVE live
status 64 "$CAPSULE" pack live -o Live/new.capsule
says err 'is inside the container'
status 64 "$CAPSULE" pack live --append -o LIVE/Documents/Inner.capsule
says err 'is inside the container'
status 64 "$CAPSULE" merge live live live -o LIVE/new
status 64 "$CAPSULE" merge live live live -o LIVE --force
status 64 "$CAPSULE" diff live "$home/plain" --html LIVE/report.html
says err 'is inside the container'
status 64 "$CAPSULE" diff "$home/plain" live/Documents/inner.capsule --overlay Live/documents/INNER.capsule --force
same "$home/plain.capsule" live/Documents/inner.capsule
