# PATH of ls, cat, unpack and diff: paths, patterns, and what may have been meant.
. "$LIB"
cp -R "$SAMPLES/Gifs-before.xcappdata" a.xcappdata
cp -R "$SAMPLES/Gifs-after.xcappdata" b.xcappdata
ok "$CAPSULE" pack -q a.xcappdata -o c.capsule --label a
ok "$CAPSULE" pack -q b.xcappdata --append -o c.capsule --label b
for container in a.xcappdata c.capsule@a; do
    ok "$CAPSULE" ls $container 'Documents/Exports/*.csv'
    [ "$(cat out)" = 'Documents/Exports/week 19.csv' ] || fail 'ls of a pattern'
    # A directory goes with all that is in it; several patterns are one list.
    ok "$CAPSULE" ls $container 'Doc*/Exp*' 'Library/Preferences/group*'
    [ "$(wc -l < out)" -eq 3 ] || fail 'ls of patterns'
    ok "$CAPSULE" ls $container '**/*.sqlite'
    says out '^Library/Application Support/Model.sqlite$'
    ok "$CAPSULE" cat $container 'Documents/Exports/*.csv'
    mv out printed
    ok "$CAPSULE" cat $container 'Documents/Exports/week 19.csv'
    same out printed
    status 64 "$CAPSULE" cat $container 'Documents/Notes/*'
    says err "matches [0-9]* entries, but must match one file$"
    says err 'hint: some are: Documents/Notes/'
    # Without a slash in every directory, and after './' only at the top.
    ok "$CAPSULE" ls $container '*.sqlite'
    says out '^Library/Application Support/Model.sqlite$'
    ok "$CAPSULE" cat $container 'week 1?.csv'
    same out printed
    ok "$CAPSULE" unpack -q $container '*.csv' --as directory -o "csv-$container"
    present "csv-$container/Documents/Exports/week 19.csv"
    absent "csv-$container/Library"
    status 2 "$CAPSULE" ls $container './*.sqlite'
    says err 'matches nothing in the container'
    ok "$CAPSULE" ls $container './D*s/E*'
    # In another case, in another Unicode form, or the name alone.
    for path in 'documents/exports/WEEK 19.csv' 'week 19.csv'; do
        for verb in ls cat; do
            status 2 "$CAPSULE" $verb $container "$path"
            says err "hint: did you mean 'Documents/Exports/week 19.csv'?$"
        done
    done
    status 2 "$CAPSULE" cat $container "$(printf 'Documents/Notes/Caf\303\251 menu.txt')"
    says err 'did you mean'
    for verb in ls cat; do
        status 2 "$CAPSULE" $verb $container 'Documents/*.none'
        says err 'matches nothing in the container'
        status 2 "$CAPSULE" $verb $container 'documents/exports/*.csv'
        says err "hint: case matters: in another case it matches 'Documents/Exports/week 19.csv'$"
        status 2 "$CAPSULE" $verb $container 'WEEK*.csv'
        says err "hint: case matters: in another case it matches 'Documents/Exports/week 19.csv'$"
        status 2 "$CAPSULE" $verb $container nowhere
        says err "hint: 'capsule ls [^ ]*' lists its paths$"
        status 64 "$CAPSULE" $verb $container 'a['
    done
    # A database comes as a unit.
    ok "$CAPSULE" unpack -q $container '**/Model.sqlite' --as directory -o "d-$container"
    present "d-$container/Library/Application Support/Model.sqlite-wal"
    absent "d-$container/Documents"
    status 2 "$CAPSULE" unpack -q $container 'none*' --as directory -o none
    absent none
    ok "$CAPSULE" unpack -q $container 'Documents/E*' 'Documents/Notes' --as zip -o "z-$container.zip"
    ok "$CAPSULE" ls "z-$container.zip"
    says out '/week 19.csv$'
    says_not out 'Library'
done

# A name that has such signs in it is what it is.
mkdir odd
echo 1 > 'odd/[a]*'
echo 2 > odd/a
ok "$CAPSULE" cat odd '[a]*'
[ "$(cat out)" = 1 ] || fail 'a name'
ok "$CAPSULE" ls odd '\[a\]\*'
[ "$(cat out)" = '[a]*' ] || fail 'an escaped name'

# diff: only what is named, on either side.
for sides in 'a.xcappdata b.xcappdata' 'c.capsule@a c.capsule@b' 'a.xcappdata c.capsule@b'; do
    # shellcheck disable=SC2086
    {
    status 1 "$CAPSULE" diff $sides Documents
    says out '^+ Documents/Exports/week 20.csv'
    says_not out 'Library'
    status 1 "$CAPSULE" diff $sides -- 'Documents/Exports/*20*' '**/*.sqlite'
    says out '^+ Documents/Exports/week 20.csv'
    says out 'Z_PK 2: favourite 0 → 1$'
    says_not out 'Preferences'
    ok "$CAPSULE" diff $sides 'Documents/emp*'
    status 1 "$CAPSULE" diff $sides --stat Documents
    status 1 "$CAPSULE" diff $sides --name-status Documents
    says_not out 'Library'
    status 2 "$CAPSULE" diff $sides nowhere
    says err 'nowhere: matches nothing on either side'
    status 2 "$CAPSULE" diff $sides documents
    says err "did you mean 'Documents'?"
    echo '{"CapsuleExpectation": 1, "Other": "allow"}' > e.json
    status 64 "$CAPSULE" diff $sides Documents --expect e.json
    status 64 "$CAPSULE" diff $sides Documents --expect-write w.json
    absent w.json
    status 64 "$CAPSULE" diff $sides Documents --overlay o.capsule
    absent o.capsule
    }
done
echo '{"a": 1}' > 1.json
status 64 "$CAPSULE" diff 1.json 1.json Documents

# A directory that both sides have is not told to be added or deleted with what is in it.
for sides in 'a.xcappdata b.xcappdata' 'c.capsule@a c.capsule@b' c.capsule@a..b; do
    # shellcheck disable=SC2086
    {
    status 1 "$CAPSULE" diff $sides 'Documents/Gifs/old joke.gif' --name-status
    [ "$(cat out)" = 'D	Documents/Gifs/old joke.gif' ] || fail 'more than the file'
    status 1 "$CAPSULE" diff $sides 'Documents/Exports/week 20.csv' --stat
    says out '^1 entry differs: 1 added'
    # What lies around the data is never compared.
    status 2 "$CAPSULE" diff $sides AppDataInfo.plist
    }
done
says err 'AppDataInfo.plist: is not part of the data, so it is not compared'

# Paths behind a range of versions.
status 1 "$CAPSULE" diff c.capsule@a..b Documents '**/*.plist' --name-status
says out '^A	Documents/Exports/week 20.csv$'
says out 'Library/Preferences/com.example.gifs.plist$'
status 2 "$CAPSULE" diff c.capsule@a..b nowhere
says err 'nowhere: matches nothing on either side'
status 2 "$CAPSULE" diff c.capsule Documents
says err "hint: 'capsule diff c.capsule@~1.. Documents' compares a part of the last two versions$"
ok "$CAPSULE" diff c.capsule@~1.. Library/Caches
status 64 "$CAPSULE" diff c.capsule@..b
says err 'the range has no start'
status 2 "$CAPSULE" diff missing.capsule
says err 'missing.capsule: cannot open'

# Sockets and pipes are in no form of a container: a note says that they are not compared, unless both sides have them.
cp -R a.xcappdata piped.xcappdata
mkfifo piped.xcappdata/AppData/Documents/pipe
status 0 "$CAPSULE" diff a.xcappdata piped.xcappdata
says err 'note: sockets, pipes and devices are not compared: Documents/pipe$'
status 0 "$CAPSULE" pack -q piped.xcappdata -o piped.capsule
status 0 "$CAPSULE" diff c.capsule@a piped.capsule
says err 'are not compared: Documents/pipe$'
ok "$CAPSULE" diff piped.xcappdata piped.capsule
says_not err 'are not compared'
