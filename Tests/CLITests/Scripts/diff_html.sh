# capsule diff --html: one page that a real browser shows as it should, with everything that differs in it.
. "$LIB"

python3 "$TOOLS/make_container.py" A.xcappdata --scale small
python3 "$TOOLS/make_container.py" B.xcappdata --scale small --after
python3 "$TOOLS/make_contents.py" kinds
for side in A B; do cp -R kinds/$side/Library "$side.xcappdata/AppData/Documents/Kinds"; done
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata --html page.html -q
mv page.html first.html
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata --html page.html
says out '^+ Documents/Exports/report.txt'
same page.html first.html
! grep -qE 'src="http|href="http|url\(|@import' page.html || fail "the page asks for something else"

# All that the text report has is in the page.
python3 "$TOOLS/read_page.py" page.html > page.json
python3 - page.json << 'EOF' || fail "the page is not well formed"
import json, sys
page = json.load(open(sys.argv[1]))
assert page["problems"] == [], page["problems"]
EOF

found=0
python3 "$TOOLS/check_report.py" page.html --images 3 \
    --has 'Documents/Exports/report.txt' --has 'Documents/Library/00001.gif' --has 'renamed.gif' --has 'OnboardingFinished' \
    --has 'LastLaunchDate' --has 'changed by the test run' --has 'added by the test run' --has '547,894' --has 'line thirty' \
    --has 'Away' --has 'hidden' --has 'not a SQLite database' --has 'CREATE INDEX by_v' --has 'note-0.json' \
    --noise 'KnownSceneSessions' --noise 'launch sync migrate' > page.found 2>&1 || found=$?
case $found in
0) ;;
77) untested "the page in a browser: $(cat page.found)" ;;
*) cat page.found; fail "the browser does not show the page as it should" ;;
esac

# On standard output, and over a file that is compared.
status 1 "$CAPSULE" diff A.xcappdata B.xcappdata --html -
same out page.html
ok "$CAPSULE" pack A.xcappdata -o A.capsule -q
cp A.capsule kept.capsule
status 64 "$CAPSULE" diff A.capsule B.xcappdata --html A.capsule
same A.capsule kept.capsule
