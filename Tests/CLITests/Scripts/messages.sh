# Prefixes, colors, quiet.
. "$LIB"
mkdir t
echo x > t/f
mkfifo t/pipe
status 0 "$CAPSULE" pack t
says err "^capsule: warning: 1 entry was left out"
status 0 env XCODE_VERSION_ACTUAL=2700 "$CAPSULE" pack t --force
says err '^warning: 1 entry was left out'
status 2 env XCODE_VERSION_ACTUAL=2700 "$CAPSULE" pack t
says err '^error: t.capsule: already exists$'
says err '^note: '
says_not err '^capsule:'
status 64 env XCODE_VERSION_ACTUAL=2700 "$CAPSULE" pakc
says err '^error: '
ok "$CAPSULE" pack t --force --quiet
[ ! -s out ] || fail 'not quiet'
says err '^capsule: warning: 1 entry was left out'
status 2 "$CAPSULE" pack t --strict -o no.capsule
says err 't/pipe\|pipe: can.t be stored'
absent no.capsule
escape=$(printf '\033')
ok "$CAPSULE" verify t.capsule
says_not out "$escape"
ok "$CAPSULE" verify --color always t.capsule
says out "$escape"
ok env NO_COLOR=1 "$CAPSULE" verify --color always t.capsule
says out "$escape"
ok env NO_COLOR=1 "$CAPSULE" verify t.capsule
says_not out "$escape"
ok "$CAPSULE" verify --color never t.capsule
says_not out "$escape"
ok "$CAPSULE" --version
says out '^capsule [0-9]*\.[0-9]*\.[0-9]*$'
[ "$(wc -l < out)" = 1 ] || fail 'more than the version'
ok "$CAPSULE" --version -v
for library in libarchive libdeflate zlib zstd liblzma bzip2 SQLite; do says out "^$library [0-9]*\.[0-9.]*$"; done

# What to do instead.
status 64 "$CAPSULE" verify t.capsule@1
says err "^capsule: hint: 'capsule verify t.capsule' checks all versions of the file$"
status 64 "$CAPSULE" cat t.capsule /f
says err "^capsule: hint: write it as 'capsule ls' does: no leading '/'"
status 64 "$CAPSULE" unpack t.capsule --as xcappdata -C no
says err "^capsule: error: t.capsule: is a plain directory"
says err "^capsule: hint: use '--as directory'"
absent no
