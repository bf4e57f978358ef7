# capsule diff: two containers in whatever form differ in what they differ in, and comparing leaves them alone.
. "$LIB"

python3 "$TOOLS/make_container.py" A.xcappdata --scale small
python3 "$TOOLS/make_container.py" B.xcappdata --scale small --after
python3 "$TOOLS/snapshot.py" A.xcappdata > A.before
python3 "$TOOLS/snapshot.py" B.xcappdata > B.before

# All that differs, and nothing else: as somebody else finds it.
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata --json --all
mv out report
python3 "$TOOLS/check_diff.py" A.xcappdata B.xcappdata < report || fail "the report is not what differs"
grep -v OnboardingFinished report > less
! python3 "$TOOLS/check_diff.py" A.xcappdata B.xcappdata < less > /dev/null || fail "check_diff.py sees nothing"
status 1 "$CAPSULE" diff B.xcappdata A.xcappdata --json --all
python3 "$TOOLS/check_diff.py" B.xcappdata A.xcappdata < out || fail "the report is not what differs the other way round"

# The same in every form.
ok "$CAPSULE" pack A.xcappdata -o A.capsule -q
ok "$CAPSULE" pack B.xcappdata -o B.capsule -q --codec zstd
ok "$CAPSULE" pack A.xcappdata -o both.capsule -q
ok "$CAPSULE" pack B.xcappdata --append -o both.capsule -q --label after
ok "$CAPSULE" unpack A.capsule -o bare -q --as container
(zip -qry A.zip A.xcappdata && cd A.xcappdata && tar czf ../A.tar.gz .)
sed 1d report > wanted
# In the short form every third of them, from one drawn by lot on.
[ -n "${CAPSULE_LONG_TESTS:-}" ] && part=1 || part=3
number=$(lot $part)
for pair in 'A.capsule B.capsule' 'both.capsule@1 both.capsule@after' 'both.capsule@~1 B.capsule' 'A.zip B.xcappdata' \
    'A.tar.gz B.capsule' 'bare B.xcappdata' 'bare both.capsule' 'A.capsule B.xcappdata' 'A.xcappdata B.capsule'; do
    number=$((number + 1))
    [ $((number % part)) = 0 ] || continue
    # shellcheck disable=SC2086 -- two names
    status 1 "$CAPSULE" diff $pair --json --all
    sed 1d out > found
    same wanted found
    head -1 out | grep -q '"a":{"source":"[^"]*","tree":"[0-9a-f]\{64\}"}' || fail "no tree digest: $pair"
done
for order in 'A.capsule -' '- B.capsule'; do
    # shellcheck disable=SC2086 -- two names
    case "$order" in
    -*) status 1 "$CAPSULE" diff $order --json --all < A.capsule ;;
    *) status 1 "$CAPSULE" diff $order --json --all < B.capsule ;;
    esac
    sed 1d out > found
    same wanted found
done
# At any width.
for jobs in 1 2 8; do
    status 1 "$CAPSULE" diff A.xcappdata B.capsule --json --all --jobs $jobs --no-cache
    sed 1d out > found
    same wanted found
done

# Nothing differs: nothing is said.
for name in A.xcappdata A.capsule A.zip A.tar.gz both.capsule@after; do
    ok "$CAPSULE" diff "$name" "$name"
    [ ! -s out ] || fail "$name differs from itself"
done
ok "$CAPSULE" diff A.capsule bare
[ ! -s out ] || fail "what was unpacked differs"
status 1 "$CAPSULE" diff -q A.capsule B.capsule
[ ! -s out ] || fail "--quiet is not"
ok "$CAPSULE" diff --exit-zero A.capsule B.capsule
[ -s out ] || fail "--exit-zero says nothing"

# People's words.
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata
says out '^+ Documents/Exports/report.txt (.*B)$'
says out '^- Documents/Library/00001.gif (.*B)$'
says out '^> Documents/Library/00002.gif → Documents/Library/renamed.gif$'
says out '^    ~ mode 0644 → 0600$'
says out '^    + /OnboardingFinished: true$'
says out '^        ~ Z_PK 997: rating 0 → 5$'
says out '^        + Z_PK 2001: .*title "added by the test run"'
says out 'first difference at byte 547,894'
says out '^4 changes hidden as noise (core-data 3, scene-sessions 1); --all shows them$'
says_not out 'Z_OPT 1 → 2'
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata --all
says out 'Z_PK 1994: Z_OPT 1 → 2  \[core-data\]'
says_not out 'hidden as noise'

# Sources stay as they are, to the bit and the nanosecond, and nothing appears beside them.
python3 "$TOOLS/snapshot.py" A.xcappdata > A.after
python3 "$TOOLS/snapshot.py" B.xcappdata > B.after
same A.before A.after
same B.before B.after
