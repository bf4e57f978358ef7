# Expectations for scripts. A script sources this first; what fails ends it, after a line that says where.
# CAPSULE is the program, TOOLS and SAMPLES are directories of the repository; the current directory is the script's own.
set -eu
umask 022
export CAPSULE_TEST_SEED="${CAPSULE_TEST_SEED:-7}"
unset SOURCE_DATE_EPOCH CAPSULE_JOBS NO_COLOR XCODE_VERSION_ACTUAL GITHUB_ACTIONS

fail() {
    echo "FAILED: $*"
    [ -f out ] && { echo '--- out'; head -c 2000 out; }
    [ -f err ] && { echo '--- err'; head -c 2000 err; }
    exit 1
}

# skip REASON: the script can't run here. Said before it does anything; a script that ran in part has told that with `untested`.
skip() {
    echo "$*"
    exit 77
}

# untested REASON: a part of the script can't run here. It is listed, and where all is there it is a failure.
untested() { echo "untested: $*"; }

# needs TOOL...: what not every system has; without it the script is skipped.
needs() {
    for tool in "$@"; do command -v "$tool" > /dev/null || skip "there is no $tool in PATH"; done
}

# needs_linux REASON: only Linux has what is looked at.
needs_linux() { [ "$(uname -s)" = Linux ] || skip "not Linux: $*"; }

# needs_gnu TOOL...: the options are those of GNU. On a Mac Homebrew's coreutils, findutils, gnu-sed and gnu-tar have them.
needs_gnu() {
    for tool in "$@"; do
        "$tool" --version 2> /dev/null | grep -q GNU || skip "$tool is not GNU's"
    done
}

# need TOOL...: these must be installed ('make setup-test' does it).
need() {
    for tool in "$@"; do command -v "$tool" > /dev/null || fail "$tool is not installed: run 'make setup-test'"; done
}

# status N COMMAND...: runs COMMAND with its output in out and err, and wants status N.
status() {
    wanted=$1
    shift
    found=0
    "$@" > out 2> err || found=$?
    [ "$found" = "$wanted" ] || fail "status $found, not $wanted: $*"
}

# ok COMMAND...: status 0, and nothing on standard error but warnings, which even --quiet lets through.
ok() {
    status 0 "$@"
    ! grep -qv '^capsule: \(warning\|hint\): ' err || fail "not silent: $*"
}

# alike A B: two files have the same value, in whatever spelling.
alike() {
    "$CAPSULE" diff "$1" "$2" > out 2> err || grep -q '^    ~ encoding only: ' out || fail "other values: $1 $2"
}

# says FILE PATTERN: a line of FILE matches the basic regular expression.
says() { grep -q -e "$2" "$1" || fail "$1 does not say: $2"; }

says_not() { ! grep -q -e "$2" "$1" || fail "$1 says: $2"; }

same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

# same_trees A B OPTION...: compare_trees.py finds no difference.
same_trees() {
    python3 "$TOOLS/compare_trees.py" "$@" > comparison 2>&1 || { head -30 comparison; fail "trees differ: $*"; }
}

absent() { for path in "$@"; do [ ! -e "$path" ] && [ ! -L "$path" ] || fail "$path is there"; done; }

present() { for path in "$@"; do [ -e "$path" ] || fail "$path is missing"; done; }

# lot COUNT: a number from 0 to COUNT - 1, for what the short form of a test draws. CAPSULE_TEST_SEED says which.
lot() { echo $(($(echo "$CAPSULE_TEST_SEED $1" | cksum | cut -d ' ' -f 1) % $1)); }

# noise LENGTH SEED: bytes without any order.
noise() { python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(sys.argv[2]).randbytes(int(sys.argv[1])))' "$@"; }

# wait_for FILE: for up to a minute until it is there.
wait_for() {
    tries=0
    until [ -e "$1" ]; do
        tries=$((tries + 1))
        [ $tries -le 1200 ] || fail "$1 does not appear"
        sleep 0.05
    done
}

# unlittered NAME...: just these are in the directory `d`.
only() {
    dir=$1
    shift
    for name in "$@"; do echo "$name"; done | sort > wanted.names
    # Its own two files are there or not, in the directory that it is called in.
    ls -A "$dir" | grep -v -x -e wanted.names -e found.names | sort > found.names || :
    cmp -s wanted.names found.names || { cat found.names; fail "$dir holds other names than: $*"; }
}

# git_home: git knows nothing but what a script tells it.
git_home() {
    need git
    for name in $(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
    unset XDG_CONFIG_HOME
    mkdir -p home
    HOME=$PWD/home
    GIT_CONFIG_NOSYSTEM=1
    GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@example.com
    GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester@example.com
    export HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
}

# xml_of KEY=VALUE...: prints a property list in XML, as another program would write it.
xml_of() {
    printf '%s\n' '<?xml version="1.0" encoding="UTF-8"?>' \
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">' \
        '<plist version="1.0">' '<dict>'
    for pair in "$@"; do printf '\t<key>%s</key>\n\t<string>%s</string>\n' "${pair%%=*}" "${pair#*=}"; done
    printf '</dict>\n</plist>\n'
}

# What `stat` tells, which has other options everywhere.
# modes_of FILE...: the modes in octal digits, a line for each.
modes_of() {
    python3 -c 'import os, sys
for path in sys.argv[1:]: print("%o" % (os.lstat(path).st_mode & 0o7777))' "$@"
}

# identities_of FILE...: inode and times, which show whether a file was touched.
identities_of() {
    python3 -c 'import os, sys
for path in sys.argv[1:]: status = os.lstat(path); print(status.st_ino, status.st_mtime_ns, status.st_ctime_ns)' "$@"
}

# times_of FILE...: when the content was changed last, in nanoseconds.
times_of() {
    python3 -c 'import os, sys
for path in sys.argv[1:]: print(os.lstat(path).st_mtime_ns)' "$@"
}

# length_of FILE: its bytes.
length_of() { wc -c < "$1" | tr -d ' '; }

# digest_of FILE: SHA-256 in hexadecimal digits.
digest_of() {
    python3 -c 'import hashlib, sys
print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"
}

# samples: fresh sample bundles with their modes and times, here.
samples() { python3 "$SAMPLES/make_samples.py" . > /dev/null; }

# nobody COMMAND...: runs COMMAND as the user nobody, which takes the superuser.
nobody() {
    python3 -c 'import os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}
