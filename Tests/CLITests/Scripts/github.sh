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
