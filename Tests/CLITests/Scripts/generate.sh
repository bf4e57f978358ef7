# Help, man pages and completions come out of one table.
. "$LIB"
ok "$CAPSULE" generate man man
for page in capsule capsule-pack capsule-info capsule-ls capsule-cat capsule-unpack capsule-verify; do
    [ -s "man/$page.1" ] || fail "no page $page.1"
    says "man/$page.1" '^\.TH '
    says "man/$page.1" '^\.SH '
    if command -v man > /dev/null && command -v groff > /dev/null; then
        groff -man -ww -Tutf8 "man/$page.1" > /dev/null 2> groff.err || fail "groff fails on $page.1: $(cat groff.err)"
        [ ! -s groff.err ] || fail "groff warns of $page.1: $(head -3 groff.err)"
    fi
done
ok "$CAPSULE" generate man
same out man/capsule.1
ok "$CAPSULE" generate man share/man --by-section
for page in man/*.1; do same "$page" "share/man/man1/$(basename "$page")"; done
[ "$(find share -type f | wc -l)" = "$(ls man | wc -l)" ] || fail 'other pages'
# All or nothing.
mkdir -p other/man1/capsule.1
status 2 "$CAPSULE" generate man other --by-section --force
says err 'other/man1/capsule.1: is a directory'
absent other/man1/capsule-pack.1
status 64 "$CAPSULE" generate man --by-section
# Again over what is there, through no link.
echo untouched > victim
# What can't be replaced is named with what can be done: there is no other name to give.
rm man/capsule.1
mkdir man/capsule.1
status 2 "$CAPSULE" generate man man --force
says err 'man/capsule.1: is a directory'
says err 'hint: move it elsewhere, or choose another directory'
rmdir man/capsule.1
mkfifo man/capsule.1
status 2 "$CAPSULE" generate man man --force
says err 'hint: move it elsewhere, or choose another directory'
rm man/capsule.1
ln -s ../victim man/capsule.1
status 2 "$CAPSULE" generate man man
says err 'man/capsule.1: already exists'
ok "$CAPSULE" generate man man --force
[ "$(cat victim)" = untouched ] || fail 'written through a link'
[ ! -L man/capsule.1 ] || fail 'the link is still there'
for shell in bash zsh fish; do
    ok "$CAPSULE" generate completions $shell
    [ -s out ] || fail "no completions for $shell"
    if command -v $shell > /dev/null; then
        cp out script
        $shell -n script 2> err || fail "the completions are no $shell"
    fi
done
for verb in pack info ls cat unpack verify generate; do
    ok "$CAPSULE" $verb --help
    says out 'EXIT STATUS'
    cp out long
    ok "$CAPSULE" help $verb
    same out long
    ok "$CAPSULE" $verb -h
    [ "$(wc -l < out)" -lt "$(wc -l < long)" ] || fail "the short help of $verb is not short"
done
ok "$CAPSULE" -h
cp out short
for heading in 'Every day' Look Change 'Check and repair' 'Set up'; do says short "^$heading\$"; done
status 64 "$CAPSULE"
[ ! -s out ] || fail 'no arguments: help belongs on standard error'
same err short
# What is no verb: guides and forms.
for topic in expectations rules reports overlays format; do
    says short "^  $topic "
    ok "$CAPSULE" help $topic
    says out "^capsule help $topic: "
done
ok "$CAPSULE" help plist get
says out '^    capsule plist get FILE \[POINTER\]'
says_not out '--unarchive'
cp out form
ok "$CAPSULE" plist get --help
same out form
ok "$CAPSULE" help diff
cp out verb
for name in capsule-diff capsule-diff.1 'diff(1)'; do
    ok "$CAPSULE" help "$name"
    same out verb
done
status 64 "$CAPSULE" help expecations
says err "did you mean 'expectations'?"
# The flags of every verb are listed once, at the end.
ok "$CAPSULE" --help
[ "$(grep -c '^ *-' out)" -ge 7 ] || fail 'flags are missing'
tail -20 out > end
says end '^    -v, --verbose$'
for verb in pack cat help; do
    for flag in -h --help; do
        ok "$CAPSULE" $verb $flag
        says_not out '--verbose'
        [ "$(tail -1 out)" = 'capsule --help lists what all verbs share: flags, exit statuses, variables.' ] || fail "$verb $flag has another end"
    done
done
