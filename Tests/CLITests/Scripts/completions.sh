# Completion of what is in files, in a real bash: versions, paths in containers, classes of noise, simulators, keys.
. "$LIB"
needs bash python3
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
HOME=$PWD
export HOME
capsule generate completions bash > script
found=0
python3 "$TOOLS/type_in_shell.py" ./script 'capsule ver' > out || found=$?
[ $found != 77 ] || skip "$(cat out)"
[ "$(cat out)" = 'capsule verify ' ] || fail 'verbs are not completed'

# types TEXT WANTED ...: each TEXT becomes WANTED with a tab.
types() {
    : > wanted
    while [ $# -gt 0 ]; do
        printf '%s\n' "$2" >> wanted
        printf '%s\0' "$1" >> texts.bin
        shift 2
    done
    xargs -0 python3 "$TOOLS/type_in_shell.py" ./script ${keys:+--keys "$keys"} -- < texts.bin > out 2> err || fail 'bash can not be asked'
    rm texts.bin
    diff wanted out > difference || { cat difference; fail 'bash completes something else'; }
}

mkdir -p app/Documents/'My Notes' app/Documents/other app/Library/Preferences app/tmp
echo 1 > "app/Documents/My Notes/a b.txt"
echo 2 > "app/Documents/My Notes/it's.txt"
echo 3 > app/Documents/cat.gif
echo '{"name": {"first": "a", "la/st": "b"}, "list": [1, {"x": 1}]}' > app/Library/Preferences/p.plist
capsule pack -q app -o x.capsule --label before
capsule pack -q app -o x.capsule --append --label after
capsule pack -q app -o 'my notes.capsule' --label only
keys=
types 'capsule ls x.capsule@be' 'capsule ls x.capsule@before ' \
    'capsule diff x.capsule@1..af' 'capsule diff x.capsule@1..after ' \
    'capsule ls my\ notes.capsule@on' 'capsule ls my\ notes.capsule@only ' \
    "capsule ls 'my notes.capsule@on" "capsule ls 'my notes.capsule@only' " \
    'capsule ls ~/x.capsule@aft' 'capsule ls ~/x.capsule@after ' \
    'capsule ls $HOME/x.capsule@aft' 'capsule ls $HOME/x.capsule@after ' \
    'capsule ls x.capsule Doc' 'capsule ls x.capsule Documents/' \
    'capsule cat x.capsule@1 Documents/My' 'capsule cat x.capsule@1 Documents/My\ Notes/' \
    'capsule cat x.capsule@1 Documents/My\ Notes/a' 'capsule cat x.capsule@1 Documents/My\ Notes/a\ b.txt ' \
    'capsule cat x.capsule "Documents/My Notes/i' 'capsule cat x.capsule "Documents/My Notes/it'"'"'s.txt" ' \
    'capsule cat x.capsule Documents/My\ Notes/i' "capsule cat x.capsule Documents/My\\ Notes/it\\'s.txt " \
    'capsule unpack x.capsule Library tm' 'capsule unpack x.capsule Library tmp/' \
    'capsule diff app x.capsule Documents/c' 'capsule diff app x.capsule Documents/cat.gif ' \
    'capsule ls app Lib' 'capsule ls app Library/' \
    'capsule ls app/ Library/Preferences/' 'capsule ls app/ Library/Preferences/p.plist ' \
    'capsule pack app --drop caches,tm' 'capsule pack app --drop caches,tmp ' \
    'capsule pack app --drop=sc' 'capsule pack app --drop=scene-sessions ' \
    'capsule compact x.capsule --keep 1,bef' 'capsule compact x.capsule --keep 1,before ' \
    'capsule plist get app/Library/Preferences/p.plist /na' 'capsule plist get app/Library/Preferences/p.plist /name' \
    'capsule plist get app/Library/Preferences/p.plist /name/l' 'capsule plist get app/Library/Preferences/p.plist /name/la~1st ' \
    'capsule help plist conv' 'capsule help plist convert ' \
    'capsule help ove' 'capsule help overlay' \
    'capsule nothing x' 'capsule nothing x' 'capsule cat x.capsule Nothing' 'capsule cat x.capsule Nothing'
# CONTAINER:PATH, which bash parts at the colon; a version before it, and names with a blank.
types 'capsule cat x.capsule:Doc' 'capsule cat x.capsule:Documents/' \
    'capsule cat x.capsule:t' 'capsule cat x.capsule:tmp/' \
    'capsule cat x.capsule@1:Documents/My' 'capsule cat x.capsule@1:Documents/My\ Notes/' \
    'capsule cat my\ notes.capsule@only:Documents/c' 'capsule cat my\ notes.capsule@only:Documents/cat.gif ' \
    "capsule cat 'my notes.capsule:Documents/c" "capsule cat 'my notes.capsule:Documents/cat.gif' " \
    'capsule cat app:Library/Pref' 'capsule cat app:Library/Preferences/' \
    'capsule plist get x.capsule@1:Library/Pref' 'capsule plist get x.capsule@1:Library/Preferences/' \
    'capsule plist get ~/x.capsule:Library/Preferences/p' 'capsule plist get ~/x.capsule:Library/Preferences/p.plist ' \
    'capsule plist convert xml x.capsule:Lib' 'capsule plist convert xml x.capsule:Library/' \
    'capsule plist get x.capsule@be' 'capsule plist get x.capsule@before ' \
    'capsule plist get x.ca' 'capsule plist get x.capsule ' \
    'capsule diff x.capsule@1:Doc' 'capsule diff x.capsule@1:Documents/' \
    'capsule ls x.capsule:Doc' 'capsule ls x.capsule:Doc' 'capsule cat x.capsule:Nothing' 'capsule cat x.capsule:Nothing'
# PATH:PLACE in a file, and a project's capsule and app.
mkdir -p project/Data/Documents
python3 - << 'END'
import sqlite3
database = sqlite3.connect("app/Documents/app.db")
database.execute('create table "odd name" (x)')
database.close()
END
types 'capsule show app Documents/app.db:od' 'capsule show app Documents/app.db:odd\ name ' \
    "capsule show app 'Documents/app.db:od" "capsule show app 'Documents/app.db:odd name' " \
    'capsule show app Library/Preferences/p.plist:/nam' 'capsule show app Library/Preferences/p.plist:/name' \
    'capsule show app Library/Preferences/p.plist:/name/l' 'capsule show app Library/Preferences/p.plist:/name/la~1st ' \
    'capsule log x.capsule Library/Preferences/p.plist:/list/1/' 'capsule log x.capsule Library/Preferences/p.plist:/list/1/x '
rm app/Documents/app.db
echo 1 > project/Data/Documents/a.txt
(cd project && HOME=$PWD/.. && capsule init -q Data && capsule pack -q --label clean)
mv script project
cd project
ln -s ../x.capsule x.capsule
types 'capsule restore @cl' 'capsule restore @clean ' 'capsule ls app' 'capsule ls app:' 'capsule cat app:Doc' 'capsule cat app:Documents/' \
    'capsule cat @clean:Documents/a' 'capsule cat @clean:Documents/a.txt ' 'capsule log @ Doc' 'capsule log @ Documents/'
cd ..
mv project/script .
# Every class of drop, and a command with files behind it.
mkdir tools
for tool in ginger-tool-1; do
    printf '#!/bin/sh\n' > tools/$tool
    chmod +x tools/$tool
done
PATH=$PWD/tools:$PATH
types 'capsule drop app ca' 'capsule drop app caches ' \
    'capsule drop app caches tm' 'capsule drop app caches tmp ' \
    'capsule drop app caches tmp spl' 'capsule drop app caches tmp splashboard ' \
    'capsule run app -- ginger-to' 'capsule run app -- ginger-tool-1 ' \
    'capsule run app -q -- ginger-to' 'capsule run app -q -- ginger-tool-1 ' \
    'capsule run app -- tools/gin' 'capsule run app -- tools/ginger-tool-1 ' \
    'capsule run app -- ginger-tool-1 x.ca' 'capsule run app -- ginger-tool-1 x.capsule ' \
    'capsule run app -- ginger-tool-1 -v x.ca' 'capsule run app -- ginger-tool-1 -v x.capsule ' \
    'capsule run app ginger-to' 'capsule run app ginger-to'
# What is offered where several fit; directories a step at a time, and never what is in them.
keys='\e*'
types 'capsule ls x.capsule ' 'capsule ls x.capsule Documents/ Library/ tmp/ ' \
    'capsule ls x.capsule@' 'capsule ls x.capsule@1 @2 @after @before @first @latest ' \
    'capsule ls x.capsule Documents/' 'capsule ls x.capsule Documents/My\ Notes/ Documents/cat.gif Documents/other/ ' \
    'capsule cat x.capsule:' 'capsule cat x.capsule:Documents/ Library/ tmp/ ' \
    'capsule drop app caches s' 'capsule drop app caches scene-sessions splashboard system ' \
    'capsule run app ' 'capsule run app -- '
keys=
# A file is a file, and what is unfinished or takes a command is left alone.
types 'capsule ls x.c' 'capsule ls x.capsule ' \
    'capsule ls $(touch ran) Doc' 'capsule ls $(touch ran) Doc' 'capsule ls `touch ran`@' 'capsule ls `touch ran`@'
absent ran

# Simulators, with the names that they have.
python3 "$TOOLS/make_simulators.py" "$PWD/Library/Developer/CoreSimulator/Devices" > made 2> err || fail 'no simulators'
capsule locate --json | sed -n 's/.*"identifier":"\([^"]*\)".*/\1/p' | sort -u > identifiers
[ -s identifiers ] || fail 'no identifiers'
capsule __complete fish locate '' > out 2> err
[ ! -s err ] || fail 'not silent'
(echo nothing && cat identifiers) > wanted
same out wanted
capsule __complete fish ls sim: > out 2> err
says out '^sim:com.example'
says out '^sim:.*/$'
capsule __complete fish locate --device '' > out
says out '.'

# Names that would do something: none is run, and what a line can't hold is not offered.
python3 - << 'END'
import os
os.makedirs("evil/Documents")
for name in ["$(touch ran)", "`touch ran`", ";touch ran", "a\nb", "\x1b[31mred", "'quote", '"double', "*", "a b", "-rf", "~", "!!", "tab\there",
             "$HOME", "back\\slash", "#x", "&& touch ran", "\u202egpj.exe"]:
    open(os.path.join("evil/Documents", name), "w").close()
END
capsule pack -q evil -o evil.capsule
keys='\e*'
for container in evil evil.capsule; do
    python3 "$TOOLS/type_in_shell.py" ./script --keys '\e*' "capsule ls $container Documents/" > line || fail 'bash can not be asked'
    absent ran
    # The line, parted by bash, has just the names that a line can hold.
    printf 'printf "%%s\\n" %s\n' "$(sed 's/^capsule ls [a-z.]* //' line)" > words.sh
    bash words.sh | sort > out
    absent ran
    [ "$(wc -l < out)" = 14 ] || fail "other names of $container are offered"
    for name in '$(touch ran)' '`touch ran`' ';touch ran' "'quote" '"double' '*' 'a b' '-rf' '~' '!!' '$HOME' 'back\slash' '#x' \
        '&& touch ran'; do
        grep -q -x -F -e "Documents/$name" out || fail "$name is not offered"
    done
done

# Quick, for a capsule of 10,000 entries; nothing on standard error, whatever is asked.
python3 -c '
import tarfile
with tarfile.open("many.tar", "w") as archive:
    for directory in range(100):
        for number in range(100): archive.addfile(tarfile.TarInfo(f"many/d{directory:03}/f{number:03}"))'
capsule pack -q many.tar -o many.capsule
python3 - << 'END' || fail 'it takes too long'
import os, subprocess, sys
def ask(*words):
    start = os.times()
    done = subprocess.run(["capsule", "__complete", *words], capture_output=True)
    assert done.returncode == 0 and not done.stderr, (words, done)
    end = os.times()
    return sum(end[2:4]) - sum(start[2:4]), done.stdout.decode().split("\n")[1:-1]
found = ask("fish", "ls", "many.capsule", "d05")[1]
assert found == [f"d05{number}/" for number in range(10)], found
found = ask("fish", "ls", "many.capsule", "d042/f09")[1]
assert found == [f"d042/f09{number}" for number in range(10)], found
assert len(ask("fish", "ls", "many.capsule", "d042/")[1]) == 100
assert len(ask("fish", "ls", "many.capsule", "")[1]) == 100
best = min(ask("fish", "ls", "many.capsule", "d0")[0] for _ in range(5))
# A build for debugging takes several times as long.
sys.exit(best > 1)
END
mkfifo pipe
for words in 'ls pipe ' 'ls pipe@ ' 'cat - x' 'plist get pipe /' 'ls x.capsule@9 D' 'ls no.capsule D' 'ls / ..' 'ls app ../' 'ls app /' \
    'locate --devices nowhere x' 'nothing' ''; do
    # shellcheck disable=SC2086 # several words
    capsule __complete fish $words '' > out 2> err < /dev/null || fail "a failure of: $words"
    [ ! -s err ] || fail "not silent: $words"
done
for words in '' bash 'no-shell x' 'bash' 'zsh'; do
    # shellcheck disable=SC2086 # several words
    capsule __complete $words > out 2> err || fail "a failure of: $words"
    [ ! -s out ] && [ ! -s err ] || fail "not silent: $words"
done
# Verbs, forms and flags have descriptions, and a shell is told what it can complete itself.
tab=$(printf '\t')
capsule __complete fish ver > out
says out "^verify${tab}check"
capsule __complete zsh 'capsule plist pri' '' > out
says out "^print${tab}"
capsule __complete bash 'capsule pack --dro' '' > out
says out '^--drop$'
for request in 'files pack -o ' 'files pack ' 'directories unpack x.capsule -C ' 'nothing pack --codec ' 'nothing run app ' \
    'program run app -- ' 'files run app -- ls '; do
    capsule __complete bash "capsule ${request#* }" '' > out
    [ "$(head -1 out)" = "${request%% *}" ] || fail "another way to complete: $request"
done
# Other shells, if they are there: all of them quote what they are told.
for shell in zsh fish; do
    capsule generate completions $shell > script.$shell
    says script.$shell "__complete $shell"
    if ! command -v $shell > /dev/null; then continue; fi
    $shell -n script.$shell || fail "the completions are no $shell"
    python3 "$TOOLS/type_in_shell.py" --shell $shell ./script.$shell 'capsule ver' 'capsule ls x.capsule@be' 'capsule ls x.capsule Doc' \
        'capsule cat x.capsule Documents/My\ Notes/a' "capsule cat x.capsule 'Documents/My Notes/a" 'capsule pack app --drop=caches,tm' \
        'capsule pack app --drop caches,tm' 'capsule ls x.c' 'capsule ls evil.capsule Documents/\$\(' 'capsule ls evil.capsule Documents/\;' \
        'capsule ls $(touch ran) Doc' 'capsule cat x.capsule:Doc' 'capsule plist get x.capsule@1:Library/Pref' \
        'capsule cat my\ notes.capsule:Documents/c' 'capsule drop app caches tm' 'capsule run app -- ginger-to' \
        'capsule run app -- ginger-tool-1 x.ca' 'capsule pack app --output=x.ca' 'capsule pack --app' > out || fail "$shell can not be asked"
    cat > wanted << 'END'
capsule verify 
capsule ls x.capsule@before 
capsule ls x.capsule Documents/
capsule cat x.capsule Documents/My\ Notes/a\ b.txt 
capsule cat x.capsule 'Documents/My Notes/a b.txt' 
capsule pack app --drop=caches,tmp 
capsule pack app --drop caches,tmp 
capsule ls x.capsule 
capsule ls evil.capsule Documents/\$\(touch\ ran\) 
capsule ls evil.capsule Documents/\;touch\ ran 
capsule ls $(touch ran) Doc
capsule cat x.capsule:Documents/
capsule plist get x.capsule@1:Library/Preferences/
capsule cat my\ notes.capsule:Documents/cat.gif 
capsule drop app caches tmp 
capsule run app -- ginger-tool-1 
capsule run app -- ginger-tool-1 x.capsule 
capsule pack app --output=x.capsule 
capsule pack --append 
END
    diff wanted out > difference || { cat difference; fail "$shell completes something else"; }
    absent ran
done
says_not script 'eval'
# It is no verb: no help speaks of it, and none suggests it.
capsule --help > out
says_not out __complete
status 64 capsule _complete
says_not err __complete
