# Messages where GitHub's CI shows them.
. "$LIB"
export GITHUB_ACTIONS=true
printf '<plist version="1.0"><dict><key>a</key></dict></plist>' > 'b%a,d:1.plist'
status 2 "$CAPSULE" plist lint 'b%a,d:1.plist'
says err '^::error file=b%25a%2Cd%3A1.plist,line=1,col=[0-9]*::'
status 2 "$CAPSULE" pack missing
says err '^::error::missing: '
mkdir -p a b t
mkfifo t/pipe
status 0 "$CAPSULE" pack t
says err '^::warning::1 entry was left out'
status 64 "$CAPSULE" pakc
says err '^::error::'
says err '^capsule: hint: '

# The findings of an expectation, beside the report.
echo 1 > a/x
echo 2 > b/x
echo 100% > 'b/new'
echo '{"CapsuleExpectation": 1, "Must": [{"Path": "y", "Kind": "added"}]}' > run.json
status 1 "$CAPSULE" diff a b --expect run.json
says out '^! missing: y (added)$'
says err '^::error title=run.json::missing: y (added)$'
says err '^::error title=run.json::not allowed: new'
[ "$(grep -c '^::error' err)" = 3 ] || fail 'not each finding once'
for n in 1 2 3 4 5 6 7 8 9 0 1a 2a 3a; do echo $n > b/$n; done
status 1 "$CAPSULE" diff a b --expect run.json
[ "$(grep -c '^::error' err)" = 10 ] || fail 'more than GitHub shows'
# No text of a file becomes a command.
echo x > "b/$(printf 'z\n::error::forged')"
status 1 "$CAPSULE" diff a b --expect run.json
says_not err '^::error::forged'
unset GITHUB_ACTIONS
status 1 "$CAPSULE" diff a b --expect run.json
says_not err '::'

# Nor on standard output, where a newline in a name, and the lines of a text after blanks, begin a line.
export GITHUB_ACTIONS=true
rm -r a b && mkdir a b
printf '::stop-commands::x1\none\n' > a/t.txt
printf '::stop-commands::x1\ntwo\n' > b/t.txt
xml_of '::k=##[v]' > a/p.plist
xml_of '::k=##[w]' > b/p.plist
echo 1 > "b/$(printf 'n\n::set-output name=ok::yes')"
echo 2 > 'b/##[add-mask]true'
echo '{"CapsuleExpectation": 1}' > none.json
harmless() {
    found=0
    "$CAPSULE" "$@" > out 2> err || found=$?
    [ "$found" -lt 2 ] || fail "status $found: $*"
    ! grep -q -e '^[[:space:]]*::' -e '##\[' out || fail "a command in the report: $*"
}
for flags in '' --stat --name-status --full '--expect none.json' --json; do harmless diff a b $flags; done
harmless ls b
harmless ls -l b
harmless ls --json b
harmless pack b -o b.capsule
harmless restore --any-directory --dry-run b.capsule a
harmless run a -- sh -c 'cp -R b/. a'
harmless plist print a/p.plist
harmless plist get a/p.plist --json
"$CAPSULE" ls --json b | grep -q 'n\\u000a:\\u003aset-output name=ok:\\u003ayes' || fail 'the name is another one'
# Data stays byte for byte.
ok "$CAPSULE" plist get a/p.plist /::k
[ "$(cat out)" = '##[w]' ] || fail 'the value is another one'
ok "$CAPSULE" cat b t.txt
same out b/t.txt
mkdir c
"$CAPSULE" diff --exit-zero -z --name-status c b | tr '\0' '\n' | grep -qx '##\[add-mask\]true' || fail 'a name is escaped'
