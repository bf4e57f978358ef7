# A pattern that protects and matches nothing is an error before anything is written; one that leaves out or judges is a warning.
. "$LIB"
mkdir -p a/Documents b/Documents
echo old > a/Documents/note.txt
echo new > b/Documents/note.txt
ok "$CAPSULE" pack -q a -o a.capsule

# What a misspelled --keep was to protect would be replaced.
for flags in '' --dry-run --check '--undo undo.capsule'; do
    # shellcheck disable=SC2086
    status 2 "$CAPSULE" restore a.capsule b --keep 'Documnets/**' $flags
    says err "^capsule: error: '--keep Documnets/\*\*' matches nothing; nothing was written$"
    says err "^capsule: hint: .*'--allow-unmatched' restores anyway$"
done
[ "$(cat b/Documents/note.txt)" = new ] || fail 'it was restored all the same'
absent undo.capsule
# A plain name is a path at the top, and the hint has the real one; a pattern matches in every directory.
status 2 "$CAPSULE" restore a.capsule b --only note.txt
says err "^capsule: hint: did you mean 'Documents/note.txt'?$"
cp -R b c
ok "$CAPSULE" restore a.capsule c --keep 'note.*'
says out 'nothing to change'
ok "$CAPSULE" restore a.capsule c -q --only '*.txt'
[ "$(cat c/Documents/note.txt)" = old ] || fail 'the pattern matches only at the top'
status 2 "$CAPSULE" restore a.capsule c --only './*.txt'
status 2 "$CAPSULE" restore a.capsule b --keep one --keep Documents/note.txt --keep two
says err "^capsule: error: 2 patterns of '--keep' match nothing"
says err '^capsule: note: one$'
says err '^capsule: note: two$'
# What is there and no container holds can be kept, as can what only the version has.
mkfifo b/pipe
ok "$CAPSULE" restore a.capsule b -q --keep pipe --keep Documents
rm b/Documents/note.txt
ok "$CAPSULE" restore a.capsule b -q --keep 'Documents/*.txt'
absent b/Documents/note.txt
ok "$CAPSULE" restore a.capsule b -q --keep nothing --allow-unmatched
says err "^capsule: warning: '--keep nothing' matches nothing$"
present b/Documents/note.txt

# --exclude, for a file, a pipe and an append; a class of noise that is not there is no news.
ok "$CAPSULE" pack -q a -o x.capsule --exclude './*.txt' --drop caches
says err "^capsule: warning: '--exclude ./\*.txt' matches nothing$"
status 2 "$CAPSULE" pack a -o y.capsule --exclude './*.txt' --strict-patterns
says err "^capsule: error: '--exclude ./\*.txt' matches nothing; nothing was written$"
absent y.capsule
"$CAPSULE" pack a -o - --exclude './*.txt' --strict-patterns > piped 2> err && fail 'packed'
[ ! -s piped ] || fail 'a capsule was written'
cp x.capsule before
status 2 "$CAPSULE" pack a --append -o x.capsule --exclude './*.txt' --strict-patterns
same before x.capsule
ok "$CAPSULE" pack -q a -o y.capsule --exclude '*.txt' --drop caches --strict-patterns
[ ! -s err ] || fail 'a warning'

# Rules: a warning for each of the first ten, and before a report or learned rules are written.
printf '%s' '{"CapsuleRules": 1, "Rules": [{"Path": "Documents/*", "Class": "signal"}, {"Path": "tmp/x", "Class": "mine"},
    {"Path": "Documents/note.txt", "Class": "mine"}, {"Pointer": "/a", "Class": "mine"}]}' > rules.json
echo changed > b/Documents/note.txt
rm b/pipe
status 0 "$CAPSULE" diff a b --rules rules.json
cat > wanted << 'END'
capsule: warning: rules.json: rule 1 is unused: Documents/*
capsule: warning: rules.json: rule 2 is unused: tmp/x
capsule: warning: rules.json: rule 4 is unused: /a
capsule: hint: no change matches them, or a later rule also matches and wins
END
same wanted err
status 2 "$CAPSULE" diff a b --rules rules.json --strict-patterns --html report.html --learn learned.plist
cat > wanted << 'END'
capsule: error: rules.json: 3 rules are unused
capsule: note: rule 1: Documents/*
capsule: note: rule 2: tmp/x
capsule: note: rule 4: /a
capsule: hint: no change matches them, or a later rule also matches and wins
END
same wanted err
absent report.html learned.plist
# In JSON each has a line, before those of the expectation.
status 0 "$CAPSULE" diff a b --rules rules.json --json
[ "$(grep -c '^{"kind":"unused"' out)" = 3 ] || fail 'not each rule in JSON'
says out '^{"kind":"unused","message":"rule 2 is unused: tmp/x","rule":{"part":"Rules","number":2,"pointer":"/Rules/1","class":"mine","match":{"Path":"tmp/x"}},"suggestions":\[\]}$'
# Of many, ten are listed.
python3 - << 'END'
import json
rules = [{"Path": f"gone/{number}", "Class": "mine"} for number in range(12)]
json.dump({"CapsuleRules": 1, "Rules": rules}, open("many.json", "w"))
END
status 1 "$CAPSULE" diff a b --rules many.json
[ "$(grep -c 'warning: many.json: rule .* is unused: ' err)" = 10 ] || fail 'not ten rules'
says err '^capsule: warning: many.json: 2 more rules are unused$'
status 2 "$CAPSULE" diff a b --rules many.json --strict-patterns
says err '^capsule: note: rule 10: gone/9$'
says err '^capsule: note: 2 more rules are unused$'
# One alone has the whole hint.
printf '%s' '{"CapsuleRules": 1, "Rules": [{"Path": "tmp/x", "Class": "mine"}]}' > one.json
status 2 "$CAPSULE" diff a b --rules one.json --strict-patterns
says err '^capsule: error: one.json: rule 1 is unused: tmp/x$'
says err '^capsule: hint: no change matches it, or a later rule also matches and wins$'
# Paths begin inside AppData: a pattern of a clause, a rule or the command line that does not is told what to write.
printf '%s' '{"CapsuleRules": 1, "Rules": [{"Path": "AppData/Documents/**", "Class": "mine"}]}' > inside.json
status 1 "$CAPSULE" diff a b --rules inside.json
says err '^capsule: warning: inside.json: rule 1 is unused: AppData/Documents/\*\*$'
says err "^capsule: hint: paths begin inside AppData: write 'Documents/\*\*'$"
for kind in modified added; do
    printf '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Path": "AppData/Documents/*.log", "Kind": "%s"}]}' $kind > expect.json
    for pair in 'a b' "$SAMPLES/Gifs-before.xcappdata $SAMPLES/Gifs-after.xcappdata"; do
        # shellcheck disable=SC2086
        status 0 "$CAPSULE" diff $pair --expect expect.json
        says err "^capsule: warning: expect.json: MustNot 1: no path matches 'AppData/Documents/\*.log' on either side$"
        says err "^capsule: hint: paths begin inside AppData: write 'Documents/\*.log'$"
    done
done
for call in 'ls a' 'unpack a -o out.tar.gz' 'diff a b' 'cat a' 'ls a.capsule' 'unpack a.capsule -o out.tar.gz' 'cat a.capsule'; do
    for path in AppData/Documents/note.txt 'AppData/Documents/*.txt' 'AppData/**/note.txt'; do
        # shellcheck disable=SC2086
        status 2 "$CAPSULE" $call "$path"
        grep -qF "hint: did you mean '${path#AppData/}'?" err || fail "no hint: $call $path"
    done
    # shellcheck disable=SC2086
    status 2 "$CAPSULE" $call AppData/gone.txt
    says_not err 'did you mean'
done
absent out.tar.gz
printf '%s' '{"CapsuleRules": 1, "Rules": [{"Path": "Documents/note.txt", "Class": "mine"}]}' > rules.json
ok "$CAPSULE" diff a b --rules rules.json --strict-patterns
[ ! -s err ] || fail 'a warning'

# A path that no entry can have guards nothing: in expectations, rules and preferences.
for path in /Documents/note.txt Documents/ ./Documents ../x a//b; do
    printf '{"CapsuleExpectation": 1, "Other": "allow", "MustNot": [{"Path": "%s"}]}' $path > expect.json
    status 2 "$CAPSULE" diff a b --expect expect.json
    says err 'expect.json:1:[0-9]*: error: .*matches no path'
    printf '{"CapsuleRules": 1, "Rules": [{"Path": "%s", "Class": "mine"}]}' $path > rules.json
    status 2 "$CAPSULE" diff a b --rules rules.json
    says err 'matches no path'
    status 64 "$CAPSULE" merge a a b -o none --prefer "ours={\"Path\":\"$path\"}"
    says err 'matches no path'
    [ $path = ./Documents ] && continue
    status 64 "$CAPSULE" pack a -o none --exclude $path
    says err 'matches no path'
done
# A preference that fits no conflict, though there are some.
cp -r a c
echo other > c/Documents/note.txt
ok "$CAPSULE" merge -q a b c -o preferred --prefer theirs --prefer 'ours={"Path":"Documnets/**"}'
says err "no conflict matches '--prefer ours={\"Path\":\"Documnets/\*\*\"}'"
says_not err "'--prefer theirs'"
ok "$CAPSULE" merge -q a a c -o quiet --prefer 'ours={"Path":"Documnets/**"}'
[ ! -s err ] || fail 'a warning where there is no conflict'
# A group or an app that no overlay is about.
mkdir group app
cp -R "$SAMPLES/Gifs-before.xcappdata" g.xcappdata
status 1 "$CAPSULE" diff -q g.xcappdata "$SAMPLES/Gifs-after.xcappdata" --overlay o.capsule
status 0 "$CAPSULE" apply o.capsule g.xcappdata --group g.typo=group --app app --dry-run
says err '^capsule: warning: no overlay applies to the app group g.typo$'
says err "^capsule: warning: no overlay applies to the app: '--app' has no effect$"
# The same where a version's overlays are applied, and groups of property lists.
ok "$CAPSULE" unpack -q a.capsule --overlays -o none-there
says err "^capsule: warning: the version has no overlays: '--overlays' has no effect$"
printf '<plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>' > p.plist
cp p.plist a/p.plist
ok "$CAPSULE" pack -q a --overlay p.plist=p.plist -o over.capsule
ok "$CAPSULE" unpack -q over.capsule --overlays --app app -o over
says err "^capsule: warning: no overlay applies to the app: '--app' has no effect$"
status 64 "$CAPSULE" diff p.plist a/p.plist --group g=a
says err "'--group' is for containers"
status 64 "$CAPSULE" apply p.plist a/p.plist --group g=a
says err "'--group' is for containers"

# Clauses of an expectation that can never match: a path, a table or a column that neither side has.
python3 - << 'END'
import os, sqlite3
for side in "x", "y":
    os.makedirs(f"{side}/Documents")
    database = sqlite3.connect(f"{side}/Documents/B.sqlite")
    database.execute("CREATE TABLE Note(id INTEGER PRIMARY KEY, title TEXT)")
    database.execute("CREATE TABLE Other(id INTEGER PRIMARY KEY)")
    if side == "y": database.execute("INSERT INTO Other VALUES (1)")
    database.commit()
    open(f"{side}/Documents/same.txt", "w").close()
END
# clauses CLAUSES: an expectation of these clauses that allows all else.
clauses() { echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", $1}" > expect.json; }
clauses '"May": [{"Path": "Documents/same.txt"}, {"Path": "Documnets/**", "Kind": "modified"}],
    "MustNot": [{"Path": "**/B.sqlite", "Table": "Note"}, {"Path": "**/B.sqlite", "Table": "Notee"},
        {"Table": "Note", "Column": "titel"}, {"Table": "Note", "Row": {"idd": 1}}, {"Path": "gone.txt"}]'
status 0 "$CAPSULE" diff x y --expect expect.json
says out 'passed: 1 change$'
cat > wanted << 'END'
capsule: warning: expect.json: May 2: no path matches 'Documnets/**' on either side
capsule: hint: did you mean 'Documents/**'?
capsule: warning: expect.json: MustNot 2: no table 'Notee' in **/B.sqlite on either side
capsule: hint: did you mean 'Note'?
capsule: warning: expect.json: MustNot 3: no column 'titel' in Note on either side
capsule: hint: did you mean 'title'?
capsule: warning: expect.json: MustNot 4: no column 'idd' in Note on either side
capsule: hint: did you mean 'id' or 'rowid'?
capsule: warning: expect.json: MustNot 5: no path matches 'gone.txt' on either side
END
sed "s/did you mean 'id'.*/did you mean 'id' or 'rowid'?/" err > told
same wanted told
status 0 "$CAPSULE" diff x y --expect expect.json --json
[ "$(grep -c '^{"kind":"unmatchable"' out)" = 5 ] || fail 'not each clause in JSON'
says out '^{"kind":"unmatchable","message":"MustNot 2: no table .Notee. in .*"what":"table","name":"Notee","suggestions":\["Note"\]}$'
says out '"status":0'
status 2 "$CAPSULE" diff x y --expect expect.json --strict-patterns --html report.html
says err "^capsule: error: expect.json: 5 clauses can't match anything$"
says err "^capsule: note: MustNot 3: no column 'titel' in Note on either side$"
absent report.html
# What a run may add need not be there yet; where a directory is misspelled it is told. So it is with tables.
clauses '"MustNot": [{"Path": "Documents/crash.log", "Kind": "added"}, {"Path": "New/*.csv", "Kind": ["added", "modified"]},
    {"Path": "**/*.sqlite", "Table": "ZTEMP", "Kind": "schema"}, {"Path": "Documents/B.sqlite", "Row": {"rowid": 9}}]'
ok "$CAPSULE" diff x y --expect expect.json --strict-patterns
[ ! -s err ] || fail 'a warning'
clauses '"MustNot": [{"Path": "Documnets/crash.log", "Kind": "added"}]'
status 2 "$CAPSULE" diff x y --expect expect.json --strict-patterns
says err "^capsule: error: expect.json: MustNot 1: no path matches 'Documnets/crash.log' on either side$"
says err "^capsule: hint: did you mean 'Documents/crash.log'?$"
# A missing Must is a finding that gives the reason.
clauses '"Must": [{"Path": "Documents/B.sqlite", "Table": "note"}]'
status 1 "$CAPSULE" diff x y --expect expect.json --strict-patterns
says out "^    no table 'note' in Documents/B.sqlite on either side$"
[ ! -s err ] || fail 'a warning'
# What can't be read may hold anything.
head -c 3000 x/Documents/B.sqlite > x/Documents/C.sqlite
cp x/Documents/C.sqlite y/Documents/C.sqlite
clauses '"MustNot": [{"Path": "Documents/C.sqlite", "Table": "Notee"}]'
ok "$CAPSULE" diff x y --expect expect.json --strict-patterns
[ ! -s err ] || fail 'a warning'
# Entities and attributes of Core Data are known by both of their names; a single property list has no path but its name.
clauses '"MustNot": [{"Table": "Gif", "Column": "title", "To": "zzz"}, {"Table": "ZGIF", "Row": {"title": "zzz"}}, {"Table": "Giff"}]'
ok "$CAPSULE" diff "$SAMPLES/Gifs-before.xcappdata" "$SAMPLES/Gifs-after.xcappdata" --expect expect.json
[ "$(grep -c warning err)" = 1 ] || fail 'not just one clause'
says err "^capsule: warning: expect.json: MustNot 3: no table 'Giff' on either side$"
clauses '"MustNot": [{"Path": "q.plist", "Pointer": "/x"}, {"Path": "p.plist", "Pointer": "/a"}]'
ok "$CAPSULE" diff a/p.plist p.plist --expect expect.json
says err "^capsule: warning: expect.json: MustNot 1: no path matches 'q.plist' on either side$"
says_not err 'MustNot 2'
# Around a container is a wrapper, which is not compared.
clauses '"MustNot": [{"Path": "AppDataInfo.plist"}, {"Path": "AppData"}, {"Path": "Documents"}]'
ok "$CAPSULE" diff "$SAMPLES/Gifs-before.xcappdata" "$SAMPLES/Gifs-after.xcappdata" --expect expect.json
[ "$(grep -c warning err)" = 2 ] || fail 'not both clauses'

# A green test would hide it: JUnit skips it, and the page lists it.
clauses '"MustNot": [{"Path": "Documnets/**", "Kind": "modified"}, {"Path": "Documents/same.txt"}]'
status 0 "$CAPSULE" diff x y --expect expect.json --junit junit.xml --html page.html
says junit.xml 'tests="2" failures="0" errors="0" skipped="1"'
says junit.xml '<skipped message="can&apos;t match anything: no path matches &apos;Documnets/\*\*&apos; on either side"'
says page.html '<strong>Passed</strong>'
says page.html '<p>Warning: 1 clause can.t match anything.</p>'
says page.html '<li>MustNot 1: no path matches .*<span class="seen">did you mean .*Documents'
# A clause that fails is no skipped test, and has the reason.
clauses '"Must": [{"Path": "Documnets/**", "Kind": "modified"}]'
status 1 "$CAPSULE" diff x y --expect expect.json --junit junit.xml --html page.html
says out "^    no path matches 'Documnets/\*\*' on either side"
says junit.xml 'failures="1" errors="0" skipped="0"'
says_not page.html 'Warning:'
