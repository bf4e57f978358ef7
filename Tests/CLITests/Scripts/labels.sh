# Labels: given, moved and deleted, in a file whose versions stay as they are.
. "$LIB"
need python3
export SOURCE_DATE_EPOCH=1700000000
mkdir t
for version in 1 2 3; do
    echo "$version" > t/a
    ok "$CAPSULE" pack t --append -o x.capsule --no-cache --quiet
done
cp x.capsule three.capsule
labels() { python3 "$TOOLS/capsule_reader.py" labels x.capsule; }

# One label after another. Each is a small record behind the versions, which no version and no number notices.
ok "$CAPSULE" label x.capsule new
says out "^x.capsule: label 'new' names version 3$"
ok "$CAPSULE" label x.capsule@1 base
ok "$CAPSULE" label x.capsule@~1 base --move-label
says out "^x.capsule@~1: label 'base' names version 2 (before: version 1)$"
[ "$("$CAPSULE" cat x.capsule@base a)" = 2 ] || fail 'the label names another version'
[ "$("$CAPSULE" cat x.capsule@latest a) $("$CAPSULE" cat x.capsule@~2 a)" = '3 1' ] || fail 'other versions are meant'
[ "$(labels)" = '{"base": 2, "new": 3}' ] || fail "labels: $(labels)"
cmp -n "$(wc -c < three.capsule)" x.capsule three.capsule || fail 'a version changed'
[ "$(wc -c < x.capsule)" -lt "$(($(wc -c < three.capsule) + 3 * 1024))" ] || fail 'a label takes more than 1 kB'
ok "$CAPSULE" verify --strict x.capsule
says out '^x.capsule: OK: 3 versions'
ok python3 "$TOOLS/capsule_reader.py" check x.capsule
ok tar -xOzf x.capsule t/a
says out '^1$'
ok "$CAPSULE" info x.capsule@base
says out '^label  *base$'

# What has it already: nothing is written. Another version: only if it is asked for, here as with pack.
cp x.capsule before
ok "$CAPSULE" label x.capsule@base base
says out "^x.capsule@base: version 2 already has the label 'base'$"
status 2 "$CAPSULE" label x.capsule base
says err "^capsule: error: x.capsule: version 2 already has the label 'base'$"
says err "^capsule: hint: choose a different label, or move it with '--move-label'$"
status 2 "$CAPSULE" pack t --append -o x.capsule --label base
status 2 "$CAPSULE" label x.capsule@9 other
status 2 "$CAPSULE" label x.capsule --delete bass
status 64 "$CAPSULE" label x.capsule
status 64 "$CAPSULE" label x.capsule latest
status 64 "$CAPSULE" label x.capsule@2 --delete base
status 64 "$CAPSULE" label x.capsule new --delete base
status 64 "$CAPSULE" label - new
same x.capsule before
ok "$CAPSULE" pack t --append -o x.capsule --label base --move-label
says out 'version 4'
[ "$(labels)" = '{"base": 4, "new": 3}' ] || fail "labels: $(labels)"
ok "$CAPSULE" label x.capsule --delete base --json
says out '"label":"base","previous":4,"changed":true}$'
status 2 "$CAPSULE" ls x.capsule@base
ok "$CAPSULE" label x.capsule@1 old
ok "$CAPSULE" log x.capsule
says out '^      4  -  '
says out '^      3  new  '
says out '^      1  old  '

# Compacting keeps what each label of a version that stays means, and takes none from the versions that go.
ok "$CAPSULE" label x.capsule@2 old --move-label
ok "$CAPSULE" compact x.capsule --drop 2 --quiet
[ "$(labels)" = '{"new": 3}' ] || fail "labels: $(labels)"
ok "$CAPSULE" label x.capsule@1 new --move-label
ok "$CAPSULE" compact x.capsule --drop 4 --quiet
[ "$(labels)" = '{"new": 1}' ] || fail "labels: $(labels)"

# An overlay has no versions.
status 1 "$CAPSULE" diff three.capsule@1 three.capsule@2 --overlay o.capsule --quiet
cp o.capsule before
status 64 "$CAPSULE" label o.capsule x
says err '^capsule: error: o.capsule: is an overlay'
same o.capsule before

# Cut anywhere, a record is a torn tail: it gives no label, and the next one comes out as if it had not been.
cp three.capsule x.capsule
ok "$CAPSULE" label x.capsule@1 base
cp x.capsule labeled.capsule
start=$(wc -c < three.capsule | tr -d ' ')
end=$(wc -c < labeled.capsule | tr -d ' ')
for length in $(seq $((start + 1)) 37 $((end - 1))); do
    head -c "$length" labeled.capsule > x.capsule
    [ "$("$CAPSULE" cat x.capsule a)" = 3 ] || fail "cut to $length"
    status 2 "$CAPSULE" ls x.capsule@base
    ok "$CAPSULE" label x.capsule@1 base
    cmp x.capsule labeled.capsule || fail "cut to $length: another file"
done
# A wrong bit in the record: no label is taken for what it may not be, but a number is.
cp labeled.capsule x.capsule
python3 -c 'import sys
data = bytearray(open("x.capsule", "rb").read()); data[int(sys.argv[1]) + 60] ^= 4; open("x.capsule", "wb").write(data)' "$start"
status 2 "$CAPSULE" ls x.capsule@base
status 2 "$CAPSULE" ls x.capsule@other
status 2 "$CAPSULE" verify x.capsule
says err "^capsule: hint: 'capsule compact x.capsule -o NEW' writes all versions"
cp x.capsule before
status 2 "$CAPSULE" compact x.capsule
says err "^capsule: hint: 'capsule compact x.capsule -o NEW' writes all versions"
same x.capsule before
ok "$CAPSULE" compact x.capsule -o mended.capsule
ok "$CAPSULE" verify --strict mended.capsule
ok "$CAPSULE" ls x.capsule@2

# A wrong bit in the newest version's footer, behind which a label follows: the versions before it are found all the same.
cp labeled.capsule x.capsule
python3 -c 'import sys
data = bytearray(open("x.capsule", "rb").read()); data[int(sys.argv[1]) - 100] ^= 4; open("x.capsule", "wb").write(data)' "$start"
status 2 "$CAPSULE" ls x.capsule
[ "$("$CAPSULE" cat x.capsule@2 a 2> /dev/null)" = 2 ] || fail 'no version before the damage'
ok "$CAPSULE" repair x.capsule
ok "$CAPSULE" log x.capsule
says out '^      2  '
says_not out '^      3  '

# Whatever call fails, the file is as it was, or has the label.
mkdir start
cp three.capsule start/x.capsule
check='
if [ "$STATUS" = 0 ]; then cmp x.capsule $HERE/labeled.capsule; fi
case "$STATUS $FAULT" in 0*|137*|*+) ;; *) cmp x.capsule $HERE/three.capsule ;; esac
cmp -n "$(wc -c < $HERE/three.capsule)" x.capsule $HERE/three.capsule
[ "$("$CAPSULE" cat x.capsule a)" = 3 ]
"$CAPSULE" label x.capsule@1 base --quiet
cmp x.capsule $HERE/labeled.capsule'
python3 "$TOOLS/faults.py" each --mode kill --mode tear --mode ENOSPC --from start --check "$check" -- \
    "$CAPSULE" label x.capsule@1 base --quiet > report || { cat report; fail 'faults'; }
says report '^faults: [0-9][0-9]* cases$'
