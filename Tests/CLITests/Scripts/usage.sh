# Usage errors: status 64, a message on standard error, a suggestion, nothing on standard output.
. "$LIB"
mkdir t
echo x > t/f
usage() {
    pattern=$1
    shift
    status 64 "$CAPSULE" "$@"
    [ ! -s out ] || fail "output of a usage error: $*"
    says err "$pattern"
}
usage . 
usage "'pack'" pakc t
usage "'--force'" pack t --forse
usage "'--strict'" verify --strcit x
usage error unpack
usage error pack
usage error pack t u
usage error cat t
usage error pack t --codec lzma
usage error pack t --level 0
usage error pack t --level 13
usage error pack t --codec zstd --level 20
usage error pack t --jobs 0
usage error pack t --label latest
usage error pack t --label 7
usage error pack t --label 'a b'
usage error pack t --exclude '['
usage error pack t --group nothing
usage error pack t --json -o -
usage error unpack t -C a -o b
usage error unpack t --as rar
usage error ls --color perhaps t
usage error generate completions powershell
usage error ls 't@' --nonsense
usage "is not a version" ls 't/f@a b'
usage 'is not a path in a container' cat t ../f
# Words of other tools.
usage "did you mean '--name-only'" diff t t --names
usage "'--null' needs '--name-only' or '--name-status'" diff t t -z
usage "did you mean '--quiet'" diff t t --brief
usage "did you mean '--dry-run'" restore -n t t
usage "did you mean '--dry-run'" apply t t -n
usage "use 'capsule --version'" version
usage "did you mean 'diff'" status
usage "did you mean 'plist convert'" convert t
usage "did you mean 'plist set'" set t
for words in 'replace set' 'insert add' 'extract get' 'rm remove' 'unset remove' 'type print'; do
    usage "did you mean '${words#* }'" plist "${words% *}" t
done
# One range for each compression, whatever is wrong with the level.
usage "expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd" pack t --level 30
usage "expected a whole number from 1 to 12 with gzip, or from 1 to 19 with zstd" pack t --level x
usage "expected a whole number from 1 to 12 with gzip" pack t --level 15
# What a form can't do without is no option.
usage "usage: capsule merge BASE OURS THEIRS -o FILE \[FLAG\]..." merge a b
"$CAPSULE" help overlay > out
says out 'compose FILE\.\.\. -o FILE \['
says out 'invert FILE -o FILE \['
"$CAPSULE" help overlay invert > out
says out 'invert FILE -o FILE \['
CAPSULE_JOBS=none status 64 "$CAPSULE" ls t
says err CAPSULE_JOBS
status 0 "$CAPSULE" ls t
absent t.capsule
ls -A > names
grep -qx -e 't' names || fail 't is gone'
