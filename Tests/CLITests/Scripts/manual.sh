# The manual: pages that linters have nothing against, and whose examples do what stands there.
. "$LIB"
need python3 git jq
root=$(cd "$SAMPLES/.." && pwd)
(cd "$root" && ls man/*.1 man/*.5) > pages
[ "$(wc -l < pages)" -ge 24 ] || fail 'there are fewer pages than there were'
# Every verb has a page, and section 5 those that are written by hand.
for verb in $("$CAPSULE" -h | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'); do present "$root/man/capsule-$verb.1"; done
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
xargs python3 "$TOOLS/check_documents.py" "$root" < pages > out 2> err || fail 'an example of the manual does not work'
for page in $(grep '\.1$' pages); do says out "^$page: [1-9]"; done

# What capsule-diff(5) shows of rules and expectations.
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
samples
python3 - "$SAMPLES/../man/capsule-diff.5" << 'END' > out 2> err || fail 'capsule-diff.5 has other examples'
import json, sys
page = open(sys.argv[1]).read()
found = {}
for part in page.split(".nf\n")[1:]:
    text = part.split(".fi\n")[0].replace("\\-", "-").replace("\\e", "\\")
    if text.startswith("{\n"):
        value = json.loads(text)
        name = next(key for key in value if key.startswith("Capsule"))
        with open(name + ".json", "w") as file: json.dump(value, file)
        found[name] = value
assert sorted(found) == ["CapsuleExpectation", "CapsuleRules"], found
END
status 1 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --rules CapsuleRules.json
says out 'clock 2'
says out '_delegateClassName'
status 1 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --expect CapsuleExpectation.json
says out '^! forbidden: Documents/\*\* (deleted) (a run never deletes gifs)$'
says_not out 'missing'
