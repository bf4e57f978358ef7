# CapsuleRuntime in the example app, on a file system as APFS: seeded, reset, and with data of the same names in other spellings.
. "$LIB"
need python3 sqlite3
program=$(dirname "$CAPSULE")/ExampleApp
[ -x "$program" ] || skip 'ExampleApp is not beside the program'
. "$TOOLS/apfs_like.sh"
mkdir App Home
# By a copy of its own: it finds the seed beside itself.
cp "$program" App/ExampleApp
samples
mkdir -p group/Library/Preferences
cp Gifs-before.xcappdata/AppData/Library/Preferences/group.com.example.gifs.plist group/Library/Preferences
echo shared > group/shared.txt
ok "$CAPSULE" pack -q Gifs-before.xcappdata --group group.com.example.gifs=group -o seed.capsule
ok "$CAPSULE" unpack -q seed.capsule -o App/UITests.xcappdata
launch() { ok env EXAMPLE_HOME="$PWD/Home" HOME="$PWD/Home" CFFIXED_USER_HOME="$PWD/Home" App/ExampleApp "$@"; }
gifs='^gifs: cat, dog, old joke, otter, party parrot, 猫$'
fresh() { rm -rf Home && mkdir -p Home/Data Home/Group; }

fresh
launch
says out '^gifs: $'
launch --ResetData --UITest
says out '^seed: installed .*with 2 databases'
says out "$gifs"
says out '^theme: dark$'
[ "$(cat Home/Group/SHARED.txt)" = shared ] || fail 'the group was not seeded'
same "Gifs-before.xcappdata/AppData/Documents/Notes/Shopping list.txt" "home/DATA/documents/notes/SHOPPING LIST.txt"
cp -a Home/Data/Documents seeded

# The app has data: it is left alone, whatever its directories are called.
mv Home/Data/Documents Home/Data/documents
echo mine > Home/Data/DOCUMENTS/Mine.txt
launch --UITest
says out '^seed: nothing installed: the app has data$'
[ "$(ls Home/Data/documents/MINE.txt)" ] || fail 'data is gone'
rm -rf Home/Data/Library Home/Data/documents/*
echo mine > Home/Data/documents/Mine.txt
launch --UITest
says out '^seed: nothing installed: the app has data$'
launch --UITest --ResetData
says out '^reset: .*[Mm]ine.txt'
says out "$gifs"
absent Home/Data/Documents/Mine.txt
same_trees seeded Home/Data/Documents --times none

# Into directories that are there under another spelling.
fresh
mkdir -p Home/Data/documents/NOTES Home/Data/library
launch --UITest
says out '^seed: installed '
says out "$gifs"
same "Gifs-before.xcappdata/AppData/Documents/Notes/Shopping list.txt" "Home/Data/Documents/Notes/Shopping list.txt"
[ -f "$(printf 'Home/Data/Documents/notes/CAFE\314\201 menu.txt')" ] || fail 'a composed name is not found decomposed'
only Home/Data documents library tmp
launch --ResetData
says out '^gifs: $'
absent Home/Data/Documents/Notes

# A preview's store beside the program, with its log.
fresh
for name in Model.sqlite Model.sqlite-wal Model.sqlite-shm .Model_SUPPORT; do
    cp -R "Gifs-before.xcappdata/AppData/Library/Application Support/$name" App
done
XCODE_RUNNING_FOR_PREVIEWS=1
export XCODE_RUNNING_FOR_PREVIEWS
launch
says out "$gifs"
unset XCODE_RUNNING_FOR_PREVIEWS

[ -n "${CAPSULE_LONG_TESTS:-}" ] || exit 0
# The tests of both libraries, in directories of this file system. Not those that make hundreds of directories in each other, where
# each step looks at all from the top, nor those of another user, who may not enter the directory of a script.
for bundle in "$(dirname "$CAPSULE")"/*.xctest; do
    [ -x "$bundle" ] || continue
    status 0 "$bundle" --testing-library swift-testing --filter 'CapsuleSystemTests|CapsuleRuntimeTests' \
        --skip 'aDeepTreeGoes|deepDirectoriesComeAndGo|aTreeDeeperThanOurs|UnprivilegedTests'
    cat out >> err
    says err 'Test run with [1-9][0-9]* tests .*passed'
    # Else they ran elsewhere.
    says err 'SeedSpellingTests passed'
done
