# What 'git install' writes and 'git uninstall' takes away: after both, every line of git's files is what it was.
. "$LIB"
need python3
git_home

# traces DIR: the links, and the mode and the lines of each file that is not empty.
traces() {
    find "$1" -type l | sort | while IFS= read -r path; do echo "$path $(readlink "$path")"; done
    find "$1" -type f -size +0 | sort | while IFS= read -r path; do
        echo "$path $(ls -l "$path" | cut -c 1-10) $(awk 1 "$path" | cksum)"
    done
}

empty() { for path in "$@"; do [ ! -s "$path" ] || fail "$path is not empty"; done; }

leaves_no_trace() {
    what=$1
    shift
    traces r > before
    traces home > home.before
    (cd r && ok "$CAPSULE" git install "$@" && says out 'installed$') || exit 1
    (cd r && ok "$CAPSULE" git status "$@" && says out ': installed$') || exit 1
    rm -f r/out r/err
    traces r > between
    traces home > home.between
    ! cmp -s before between || ! cmp -s home.before home.between || fail "$what: nothing was installed"
    (cd r && ok "$CAPSULE" git install "$@" && says out 'nothing to change: installed$') || exit 1
    rm -f r/out r/err
    traces r > again
    traces home > home.again
    same between again
    same home.between home.again
    (cd r && ok "$CAPSULE" git uninstall "$@" && says out 'not installed$') || exit 1
    (cd r && ok "$CAPSULE" git uninstall "$@" && says out 'nothing to change: not installed$') || exit 1
    rm -f r/out r/err
    traces r > after
    traces home > home.after
    cmp -s before after || { diff before after || :; fail "$what: not as it was"; }
    cmp -s home.before home.after || { diff home.before home.after || :; fail "$what: the home directory is not as it was"; }
}

fresh() { rm -rf r home; mkdir home; git init -q -b main r; }

fresh
leaves_no_trace 'a fresh repository'
fresh
rm -r r/.git/info
leaves_no_trace 'a repository without info'
fresh
printf '*.c diff=cpp' > r/.git/info/attributes
printf '[user]\n\tname = x # no end' >> r/.git/config
leaves_no_trace 'files whose last line has no end'
(cd r && ok "$CAPSULE" git install)
printf '*.h diff=cpp\n' >> r/.git/info/attributes
(cd r && ok "$CAPSULE" git uninstall)
printf '*.c diff=cpp\n*.h diff=cpp\n' > wanted
same wanted r/.git/info/attributes
fresh
printf '*.c diff=cpp\r\n# mine\r\n' > r/.git/info/attributes
printf '\r\n[a]\r\n\tb = c\r\n[merge "capsule"]\n# mine\n\trecursive = binary\n[diff "other"]\n\ttextconv = cat\n' >> r/.git/config
leaves_no_trace 'foreign lines and settings'
fresh
chmod 600 r/.git/info/exclude
printf '# mine\n' > attributes.real
mv attributes.real r/real
ln -s ../../real r/.git/info/attributes
chmod 640 r/real
leaves_no_trace 'a link'
(cd r && ok "$CAPSULE" git install)
[ -L r/.git/info/attributes ] || fail 'the link is gone'
says r/real 'merge=capsule'
fresh
ln -s ../../elsewhere r/.git/info/attributes
leaves_no_trace 'a link to nothing'
(cd r && ok "$CAPSULE" git install)
says r/elsewhere 'merge=capsule'

# For all repositories, wherever git keeps that.
fresh
leaves_no_trace 'an empty home' --global
fresh
printf '[init]\n\tdefaultBranch = main' > home/.gitconfig
mkdir -p home/.config/git
printf '*.c diff=cpp' > home/.config/git/attributes
leaves_no_trace 'a home with settings' --global
fresh
mkdir -p home/.config/git
: > home/.config/git/config
leaves_no_trace 'an empty file of settings' --global
fresh
: > home/.gitconfig
leaves_no_trace 'another empty file of settings' --global
fresh
mkdir home/xdg
export XDG_CONFIG_HOME="$HOME/xdg"
leaves_no_trace 'XDG_CONFIG_HOME' --global
(cd r && ok "$CAPSULE" git install --global)
present home/xdg/git/attributes home/.gitconfig
absent home/.config
unset XDG_CONFIG_HOME
fresh
printf '[core]\n\tattributesFile = ~/own attributes\n' > home/.gitconfig
leaves_no_trace 'core.attributesFile' --global
(cd r && ok "$CAPSULE" git install --global)
says "home/own attributes" 'merge=capsule'
absent home/.config
# A driver in the repository's own place is found by git.
(cd r && echo 1 > a.plist && git check-attr merge a.plist) > out
says out 'merge: capsule$'
# Lines that were written before core.attributesFile was set go as well.
fresh
ok "$CAPSULE" git install --global
git config --global core.attributesFile "$HOME/other"
ok "$CAPSULE" git uninstall --global
empty home/.config/git/attributes home/other
printf '[core]\n\tattributesFile = %s\n' "$HOME/other" > wanted
same wanted home/.gitconfig

# Without any file of attributes there is nothing to install into, and what was written before goes.
fresh
ok "$CAPSULE" git install --global
cp home/.config/git/attributes before
git config --global core.attributesFile ''
status 2 "$CAPSULE" git install --global
says err "^capsule: error: 'core.attributesFile' is empty"
says err '^capsule: hint: unset it'
same before home/.config/git/attributes
ok "$CAPSULE" git status --global
says out '^global: partly installed$'
ok "$CAPSULE" git uninstall --global
says out '^global: not installed$'
empty home/.config/git/attributes
# Lines in a file that git does not read any more are not all.
fresh
ok "$CAPSULE" git install --global
git config --global core.attributesFile "$HOME/other"
ok "$CAPSULE" git status --global
says out '^global: partly installed$'
says out '^  attributes: .*/home/.config/git/attributes$'

# Both at once, told apart.
fresh
cd r
ok "$CAPSULE" git status
[ "$(cat out)" = 'local: not installed
global: not installed' ] || fail 'status'
ok "$CAPSULE" git install
ok "$CAPSULE" git status --json
python3 - "$CAPSULE" <<'END' || fail 'JSON'
import json, sys
report = json.load(open("out"))
assert report["schema"] == "capsule.git" and report["version"] == 1 and "changed" not in report
local, everywhere = report["scopes"]
assert (local["scope"], local["state"], local["attributes"]) == ("local", "installed", ".git/info/attributes"), local
assert "merge-driver" in local["driver"]
assert everywhere["scope"] == "global" and everywhere["state"] == "absent" and "driver" not in everywhere
END
ok "$CAPSULE" git install --json
says out '"changed":false'
ok "$CAPSULE" git uninstall --json
says out '"changed":true'
ok "$CAPSULE" -q git install
[ ! -s out ] || fail 'not quiet'
git config --unset merge.capsule.name
ok "$CAPSULE" git status
says out '^local: partly installed$'
ok "$CAPSULE" git install
says out '^local: installed$'
git config merge.capsule.driver 'elsewhere/capsule git merge-driver %O %A %B'
ok "$CAPSULE" git status
says out "^local: outdated: 'capsule git install' updates it$"
ok "$CAPSULE" git install
ok "$CAPSULE" git uninstall

# What somebody else set is neither overwritten nor taken away.
git config merge.capsule.driver 'mine %A'
cp .git/config before
status 2 "$CAPSULE" git install
says err "^capsule: error: 'merge.capsule.driver' is 'mine %A', which capsule did not set$"
ok "$CAPSULE" git uninstall
same before .git/config
empty .git/info/attributes
git config --unset merge.capsule.driver
# A block without an end is left alone.
printf '# capsule git: begin\n*.plist diff=capsule\n' > .git/info/attributes
cp .git/info/attributes before
status 2 "$CAPSULE" git install
says err 'attributes: .*has no .# capsule git: end.'
status 2 "$CAPSULE" git uninstall
same before .git/info/attributes
ok "$CAPSULE" git status
says out '^local: partly installed$'
says out '^  attributes: .git/info/attributes$'
rm .git/info/attributes
# Nor is anything else taken away then.
ok "$CAPSULE" git install
sed '/^# capsule git: end$/d' .git/info/attributes > before
cp before .git/info/attributes
cp .git/config config.before
status 2 "$CAPSULE" git uninstall
says err '^capsule: hint: delete the lines'
same before .git/info/attributes
same config.before .git/config
ok "$CAPSULE" git status --local
says out '^local: partly installed$'
ok "$CAPSULE" git status --json
says out '"state":"incomplete"'
printf '# capsule git: end\n' >> .git/info/attributes
ok "$CAPSULE" git uninstall
empty .git/info/attributes
rm config.before
# Settings that can't be written leave no lines behind.
: > .git/config.lock
status 2 "$CAPSULE" git install
says err '^capsule: error: git could not write its configuration'
empty .git/info/attributes
rm .git/config.lock

# A worktree has the settings and lines of its repository.
git commit -q --allow-empty -m one
git worktree add -q ../tree 2> /dev/null
cd ../tree
ok "$CAPSULE" git install
says ../r/.git/info/attributes 'merge=capsule'
git check-attr merge a.plist > out
says out 'merge: capsule$'
cd ../r
ok "$CAPSULE" git status --local
says out '^local: installed$'
mkdir -p 'a b/c'
cd 'a b/c'
ok "$CAPSULE" git uninstall
says out '^local: not installed$'
empty ../../.git/info/attributes
cd ../../..

# Where there is nothing to install into.
git init -q --bare bare
cd bare
status 2 "$CAPSULE" git install
says err '^capsule: error: this repository is bare'
says err '^capsule: hint: .*--global'
absent info/attributes
ok "$CAPSULE" git status
cd ..
mkdir none
GIT_CEILING_DIRECTORIES=$PWD
export GIT_CEILING_DIRECTORIES
cd none
for word in install uninstall 'status --local'; do
    # shellcheck disable=SC2086
    status 2 "$CAPSULE" git $word
    says err '^capsule: error: git could not find a repository here'
    says err '^capsule: note: git: fatal: not a git repository'
    says err '^capsule: hint: .*--global'
done
ok "$CAPSULE" git status
says out '^global: not installed$'
cd ..
status 64 "$CAPSULE" git install --local --global
mkdir nothing
PATH=$PWD/nothing status 2 "$CAPSULE" git status
says err '^capsule: error: can.t run git'

# The program goes by its name if PATH leads to it, else by its path, however that is spelled.
fresh
mkdir bin
ln -s "$CAPSULE" bin/capsule
(
    PATH=$PWD/bin:$PATH
    export PATH
    cd r
    ok capsule git install
    git config merge.capsule.driver > driver
    says driver '^capsule git merge-driver '
    ok "$CAPSULE" git status --local
    says out '^local: installed$'
) || exit 1
