# The manual: pages that linters have nothing against, and whose examples do what stands there.
. "$LIB"
need python3 git jq
root=$(cd "$SAMPLES/.." && pwd)
(cd "$root" && ls man/*.1 man/*.5) > pages
[ "$(wc -l < pages)" -ge 24 ] || fail 'there are fewer pages than there were'
# Every verb has a page, and every file format.
for verb in $("$CAPSULE" -h | sed -n -e "/^Guides$/q" -e 's/^  \([a-z][a-z]*\)  .*/\1/p'); do present "$root/man/capsule-$verb.1"; done
present "$root/man/capsule.5" "$root/man/capsule-overlay.5" "$root/man/capsule-diff.5"
for page in $(cat pages); do
    if command -v mandoc > /dev/null; then
        mandoc -T lint "$root/$page" > out 2> err || fail "mandoc has something against $page"
        [ ! -s out ] && [ ! -s err ] || fail "mandoc has something against $page"
        mandoc -T utf8 "$root/$page" > out 2> err || fail "mandoc can't set $page"
        [ -s out ] || fail "mandoc sets nothing for $page"
    fi
    if command -v groff > /dev/null; then
        groff -man -ww -z -Tutf8 "$root/$page" 2> err || fail "groff fails on $page"
        [ ! -s err ] || fail "groff warns of $page"
    fi
done
# What section 5 says is checked in docs, of which it is made.
mkdir made
python3 "$root/Packaging/make_pages" made
for page in made/*.5; do same "$page" "$root/man/$(basename "$page")"; done
grep '\.1$' pages | xargs python3 "$TOOLS/check_documents.py" "$root" > out 2> err || fail 'an example of the manual does not work'
# A watch waits for an app and a server for tests, so their examples are only parsed.
for page in $(grep '\.1$' pages | grep -v -e capsule-watch -e capsule-serve); do says out "^$page: [1-9]"; done
says out '^man/capsule-watch.1: 0 commands run, [1-9]'
says out '^man/capsule-serve.1: 0 commands run, [1-9]'

# The examples of the guides do what they say.
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
samples
for topic in rules expectations overlays; do capsule help $topic > $topic.guide; done
python3 - << 'END' > out 2> err || fail 'a guide has other examples'
import re
for topic in "rules", "expectations", "overlays":
    found = re.findall(r"(?m)^        ((?:\{|<plist).*\n(?:        .*\n)*)", open(topic + ".guide").read())
    for number, text in enumerate(found, 1):
        with open(f"{topic}.{number}", "w") as file: file.write(text)
    assert len(found) == (2 if topic == "overlays" else 1), (topic, found)
END
status 1 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --rules rules.1
says out 'clock 2'
says out '_delegateClassName'
status 1 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --expect expectations.1
says out '^! forbidden: Documents/\*\* (deleted)$'
says_not out 'missing'
for overlay in overlays.1 overlays.2; do ok capsule overlay check $overlay; done
cat > Info.plist << 'END'
<plist version="1.0">
<dict>
  <key>UIRequiresFullScreen</key><true/>
  <key>UIBackgroundModes</key><array/>
</dict>
</plist>
END
ok capsule apply overlays.1 Info.plist
ok capsule plist get Info.plist /CFBundleDisplayName
[ "$(cat out)" = Test ] || fail 'not merged'
ok capsule apply overlays.2 Info.plist --expand --define PRODUCT_NAME=Gifs --define CONFIGURATION=Debug
ok capsule plist get Info.plist /CFBundleDisplayName
[ "$(cat out)" = 'Gifs Test' ] || fail 'not expanded'
ok capsule plist get Info.plist /UIBackgroundModes/0
[ "$(cat out)" = fetch ] || fail 'no union'
status 2 capsule plist get Info.plist /UIRequiresFullScreen
