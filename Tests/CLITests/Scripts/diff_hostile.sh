# capsule diff: what is made to do harm costs bounded time and memory, is told for what it is, and spoils nothing else.
. "$LIB"
needs timeout
# Elsewhere memory has no such limit.
needs_linux 'ulimit -v'

python3 "$TOOLS/make_hostile_contents.py" .
# A comparison of these takes seconds.
mkdir one other
mv A/many.plist one
mv B/many.plist other
for side in A B; do ok "$CAPSULE" pack $side -o $side.capsule -q; done

# bounded COMMAND...: within five minutes and 1.5 GiB of memory, and neither crashed nor hung.
bounded() {
    found=0
    (ulimit -v 1572864; exec timeout 300 "$@") > out 2> err || found=$?
    [ "$found" = 1 ] || fail "status $found: $*"
    [ ! -s err ] || ! grep -q 'error' err || fail "an error where there is none: $*"
}

for pair in 'A.capsule B.capsule' 'B A.capsule'; do
    # shellcheck disable=SC2086 -- two names
    bounded "$CAPSULE" diff $pair --all --jobs 2
    case "$pair" in
    B*) says out '^    ~ /a: 2 → 1$' ;;
    *) says out '^    ~ /a: 1 → 2$' ;;
    esac
    # Every file that differs is there, whatever could be made of it.
    for name in shared.plist bomb.gz layers.gz deep.json deep.plist entities.plist count.plist circle.archive view.db trigger.db \
        rigged.db generated.db cut.db broken.db pages.db lies.binarycookies lies.png lies.jpg one-line.txt lines.txt escapes.txt; do
        says out "^~ $name"
    done
    [ "$(wc -c < out)" -lt 3000000 ] || fail "the report has no bounds"
done
bounded "$CAPSULE" diff A B --all
# Nothing in a file acts on a terminal, or makes a line of the report its own.
! grep -q "$(printf '\033')" out || fail "an escape came through"
says out '^        ~ k 1: v "one" → "two"$'
says out '^    ! not compared as sqlite: the new side: '
bounded "$CAPSULE" diff A B --json --all
python3 -c 'import json, sys
for line in open("out"): json.loads(line)' || fail "no JSON"
# Where the comparison ended there is more than it found, and every report says so.
says out '"complete":false,"exact":false,'
bounded "$CAPSULE" diff A B --html page.html --learn rules.plist -q
python3 "$TOOLS/read_page.py" page.html > page.json
python3 -c 'import json; page = json.load(open("page.json")); assert page["problems"] == [], page["problems"]' || fail "the page is not sound"
says_not page.html '<script>alert'
# Not all of it could be compared: nothing is written that would not hold.
status 2 "$CAPSULE" diff A B --expect-write run.plist -q
says err 'can.t write an expectation from an incomplete comparison: broken.db: '
absent run.plist
bounded "$CAPSULE" diff A B --stat
says out '^shared.plist | '
bounded "$CAPSULE" diff A B --name-status
# Whatever an expectation allows, it does not hold for what is not known.
echo '{"CapsuleExpectation": 1, "Other": "allow"}' > all.json
bounded "$CAPSULE" diff one other --stat --expect all.json --html one.html --junit one.xml
says out '^many.plist | plist, at least 100,000 changes'
says one.html '<strong>at least [0-9,]* changes</strong>'
says one.xml '"the comparison is incomplete: many.plist: the limit of 100000 changes was reached"'
# Among the findings, too.
mkdir cut whole
cp A/broken.db whole
cp B/broken.db cut
bounded "$CAPSULE" diff whole cut --expect all.json
says out '^! the comparison is incomplete: broken.db: '
