# Whatever system call fails, and wherever the process or the power goes: a new capsule is whole or not there, and the old
# one stays until then.
. "$LIB"
need python3
mkdir -p start/t
# In the short form one in six of the cases, by lot, of each mode at least one; a failure names its case.
[ -n "${CAPSULE_LONG_TESTS:-}" ] && part=1 || part=6
echo hello > start/t/a
ok "$CAPSULE" pack start/t -o start/out.capsule --note old
cp start/out.capsule old

faults() { python3 "$TOOLS/faults.py" "$@" || fail "faults $*"; }

faults count --from start -- "$CAPSULE" pack t -o out.capsule --force --quiet --no-cache > calls
says calls ' create .* write .* sync rename sync'

whole='"$CAPSULE" verify --strict --quiet out.capsule'
# Only who is killed leaves something, under a hidden name; the last call there is deletes nothing more.
tidy='[ "$STATUS" = 137 ] || case "$FAULT" in *:13*) ;; *) [ "$(ls -A)" = "$(printf "out.capsule\nt")" ] || fail "$(ls -A)" ;; esac'
faults each --part $part --pairs --from start --check "$whole; $tidy" -- "$CAPSULE" pack t -o out.capsule --force --quiet --no-cache > report
says report '^faults: [0-9][0-9]* cases$'
faults cuts --from start --check "$whole" -- "$CAPSULE" pack t -o out.capsule --force --quiet --no-cache > report
says report '^faults: [0-9][0-9]* cases$'

# What fails is told, and tried by hand it is the same.
status 1 python3 "$TOOLS/faults.py" each --mode ENOSPC --from start --check '[ "$STATUS" = 0 ]' -- \
    "$CAPSULE" pack t -o out.capsule --force --quiet --no-cache
says out '^ENOSPC:2: status 2, check 1$'
says out 'no space left on device'
cp -R start again
status 2 env CAPSULE_FAULT=ENOSPC:2 "$CAPSULE" pack again/t -o again/out.capsule --force --no-cache
says err '^capsule: error: again/out.capsule: cannot write: no space left on device$'
same again/out.capsule old
status 99 env CAPSULE_FAULT=nonsense:2 "$CAPSULE" pack again/t -o again/out.capsule --force --no-cache
