# Exit statuses and messages of failures; no failure leaves a file.
. "$LIB"
mkdir t
echo x > t/f
ok "$CAPSULE" pack t
status 2 "$CAPSULE" pack t
says err '^capsule: error: t.capsule: already exists$'
says err '^capsule: hint: .*--force'
ok "$CAPSULE" pack t --force
status 2 "$CAPSULE" ls 't.capsule@2'
says err '^capsule: error: t.capsule: has no version 2: it has 1 version$'
says err '^capsule: hint: '
status 2 "$CAPSULE" ls missing
says err '^capsule: error: missing: cannot open: no such file or directory$'
status 2 "$CAPSULE" cat t.capsule missing
says err 'is not in the container'
status 2 "$CAPSULE" verify t
status 2 "$CAPSULE" verify t/f
says err 'is not a capsule'
status 2 "$CAPSULE" pack missing -o no.capsule
status 2 "$CAPSULE" pack t -o missing/no.capsule
status 64 "$CAPSULE" pack t -o t/no.capsule
status 2 "$CAPSULE" unpack t.capsule -o t
says err 'already exists'
status 2 "$CAPSULE" unpack t.capsule missing -C made/for/it
absent made no.capsule
printf x | dd of=t.capsule bs=1 seek=70 conv=notrunc 2> /dev/null
status 2 "$CAPSULE" verify t.capsule
says out 'damaged'
status 2 "$CAPSULE" unpack t.capsule -C made
absent made
ls -A | grep -v -e '^out$' -e '^err$' -e '^t$' -e '^t.capsule$' -e names > ../others || true
[ ! -s ../others ] || fail "left behind: $(cat ../others)"
