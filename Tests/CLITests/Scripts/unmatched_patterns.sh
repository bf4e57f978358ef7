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
ok "$CAPSULE" pack -q a -o x.capsule --exclude '*.txt' --drop caches
says err "^capsule: warning: '--exclude \*.txt' matches nothing$"
status 2 "$CAPSULE" pack a -o y.capsule --exclude '*.txt' --strict-patterns
says err "^capsule: error: '--exclude \*.txt' matches nothing; nothing was written$"
absent y.capsule
"$CAPSULE" pack a -o - --exclude '*.txt' --strict-patterns > piped 2> err && fail 'packed'
[ ! -s piped ] || fail 'a capsule was written'
cp x.capsule before
status 2 "$CAPSULE" pack a --append -o x.capsule --exclude '*.txt' --strict-patterns
same before x.capsule
ok "$CAPSULE" pack -q a -o y.capsule --exclude '**/*.txt' --drop caches --strict-patterns
[ ! -s err ] || fail 'a warning'

# Rules: one line, whatever their number, and before a report or learned rules are written.
printf '%s' '{"CapsuleRules": 1, "Rules": [{"Path": "Documents/*", "Class": "signal"}, {"Path": "tmp/x", "Class": "mine"},
    {"Path": "Documents/note.txt", "Class": "mine"}, {"Pointer": "/a", "Class": "mine"}]}' > rules.json
echo changed > b/Documents/note.txt
rm b/pipe
status 0 "$CAPSULE" diff a b --rules rules.json
says err '^capsule: warning: rules.json: 3 rules are unused, the first is: Documents/\*$'
[ "$(grep -c warning err)" = 1 ] || fail 'more than one line'
status 2 "$CAPSULE" diff a b --rules rules.json --strict-patterns --html report.html --learn learned.plist
says err '^capsule: error: rules.json: 3 rules are unused'
absent report.html learned.plist
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
