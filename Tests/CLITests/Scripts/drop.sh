# What is noise is left out if that is asked for, and never otherwise.
. "$LIB"
need python3
mkdir -p t/Documents t/tmp/deep t/Library/Caches/app t/Library/SplashBoard t/SystemData/com.apple.chrono t/SystemData/own \
    "t/Library/Saved Application State/x.savedState/KnownSceneSessions" t/Documents/Library/Caches
for path in Documents/a tmp/deep/t Library/Caches/app/c Library/Cachesque Library/SplashBoard/s \
    SystemData/com.apple.chrono/h SystemData/own/o 'Library/Saved Application State/x.savedState/KnownSceneSessions/data.data' \
    Documents/Library/Caches/kept; do echo "$path" > "t/$path"; done

omitted() {
    "$CAPSULE" info --json "$1" > info
    says info '"omitted":\['
    # Each on a line of its own.
    tr '{}' '\n\n' < info | sed -n 's/^"path":"\([^"]*\)",.*"reason":"\([^"]*\)".*/\1: \2/p' > found.omitted
}

# Told nothing, pack drops nothing.
ok "$CAPSULE" pack t -o all.capsule --quiet
omitted all.capsule
[ ! -s found.omitted ] || fail "$(cat found.omitted)"
ok "$CAPSULE" unpack all.capsule -o all --as container --quiet
same_trees t all

# The rest is as it was; what went is recorded with its class.
status 0 "$CAPSULE" pack t -o some.capsule --drop caches,tmp,scene-sessions
says err '^capsule: note: dropped: caches, tmp, scene-sessions$'
says_not err excluded
omitted some.capsule
cat > wanted.omitted <<END
Library/Caches: dropped: caches
Library/Saved Application State: dropped: scene-sessions
tmp: dropped: tmp
END
same found.omitted wanted.omitted
ok "$CAPSULE" unpack some.capsule -o some --as container --quiet
cp -Rp t rest
rm -r rest/tmp rest/Library/Caches 'rest/Library/Saved Application State'
touch -r t rest
touch -r t/Library rest/Library
same_trees rest some

ok "$CAPSULE" pack t -o system.capsule --drop system,splashboard --quiet
"$CAPSULE" ls system.capsule > listed
says listed '^SystemData/own/o$'
says listed '^Library/Caches/app/c$'
says_not listed 'chrono\|SplashBoard'

# An archive and a capsule as sources come to the same tree.
digest() { "$CAPSULE" info "$1" | grep '^tree '; }
tar -cf t.tar t
ok "$CAPSULE" pack t.tar -o archive.capsule --drop caches,tmp,scene-sessions --quiet
[ "$(digest archive.capsule)" = "$(digest some.capsule)" ] || fail 'an archive comes to another tree'
omitted archive.capsule
same found.omitted wanted.omitted
ok "$CAPSULE" pack all.capsule -o again.capsule --drop caches,tmp,scene-sessions --quiet
[ "$(digest again.capsule)" = "$(digest some.capsule)" ] || fail 'a capsule comes to another tree'
omitted again.capsule
same found.omitted wanted.omitted
# What was left out then is known, and not told as if it were done now.
status 0 "$CAPSULE" pack some.capsule -o third.capsule --drop system
says err '^capsule: note: dropped: system$'
says_not err excluded

# Appended, from each of them.
for source in t t.tar all.capsule; do
    cp all.capsule grown.capsule
    ok "$CAPSULE" pack "$source" --append -o grown.capsule --drop scene-sessions,tmp,caches --quiet
    [ "$(digest grown.capsule)" = "$(digest some.capsule)" ] || fail "appended, $source comes to another tree"
    omitted grown.capsule
    same found.omitted wanted.omitted
    ok "$CAPSULE" verify grown.capsule --strict --quiet
done

# Beside patterns: those count first, and each is told for itself.
status 0 "$CAPSULE" pack t -o both.capsule --drop caches,tmp --exclude 'Library/Caches' --exclude 'Documents/a'
says err '^capsule: note: excluded: 2 paths (a directory counts once)$'
says err '^capsule: note: dropped: tmp$'
omitted both.capsule
says found.omitted '^Library/Caches: excluded$'
says found.omitted '^tmp: dropped: tmp$'
says found.omitted '^Documents/a: excluded$'

# A class that there is nothing of is no cause for a word, and wanted losses are none with --strict.
mkdir -p bare/Documents bare/Library
ok "$CAPSULE" pack bare -o bare.capsule --drop caches,system,splashboard,scene-sessions,tmp --strict --quiet
ok "$CAPSULE" pack t -o strict.capsule --drop caches,caches --strict --quiet

# Not a class.
status 64 "$CAPSULE" pack t -o no.capsule --drop cachse
says err "there is no class 'cachse': the class must be scene-sessions, splashboard, caches, system or tmp"
says err "^capsule: hint: did you mean 'caches'?"
status 64 "$CAPSULE" pack t -o no.capsule --drop tmp,
says err "there is no class ''"
status 64 "$CAPSULE" pack t -o no.capsule --drop ''
status 64 "$CAPSULE" pack t -o no.capsule --drop core-data
says err "the class 'core-data' has no path rules"
status 64 "$CAPSULE" pack t -o no.capsule --drop signal
absent no.capsule
