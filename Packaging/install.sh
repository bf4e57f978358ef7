#!/bin/sh
# Install Capsule from this directory, or remove it.
#
# usage: ./install.sh [--uninstall] [PREFIX]      without PREFIX: /usr/local for root, and ~/.local for others
#
# Whatever can be refused is refused before anything changes, and each program is replaced in one step. The pages of a version that is there
# already are removed, so that none of verbs that are no more stay.
set -eu
umask 022
unset CDPATH

usage() { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
fail() { echo "install.sh: $1" >&2; exit 1; }

uninstall=false
if [ "${1:-}" = --uninstall ]; then uninstall=true; shift; fi
if [ $# -eq 0 ]; then
    if [ "$(id -u)" = 0 ]; then
        set -- /usr/local
    else
        [ -n "${HOME:-}" ] || fail 'HOME is not set: name a directory to install below'
        set -- "$HOME/.local"
    fi
fi
[ $# -eq 1 ] || usage
case "$1" in '' | -*) usage ;; esac

here=$(cd "$(dirname "$0")" && pwd)
if $uninstall; then
    [ -e "$1/bin/capsule" ] || { echo "There is no $1/bin/capsule"; exit; }
else
    [ -f "$here/install.sh" ] && [ -f "$here/bin/capsule" ] || fail 'run it where it is, in the directory that the tarball contains'
    mkdir -p "$1/bin" || fail "$1 can't be written to: use sudo, or name another directory"
fi
prefix=$(cd "$1" && pwd)
prefix=${prefix%/}
share=$prefix/share
http=libexec/capsule/capsule-http
[ -w "$prefix/bin" ] || fail "$prefix can't be written to: use sudo, or name another directory"
[ "$prefix" != "$here" ] || fail 'name another directory than this one'

remove_pages() {
    rm -f "$share/man/man1/capsule.1" "$share"/man/man1/capsule-*.1 "$share/man/man5/capsule.5" "$share"/man/man5/capsule-*.5 \
        "$share/bash-completion/completions/capsule" "$share/zsh/site-functions/_capsule" "$share/fish/vendor_completions.d/capsule.fish"
}

if $uninstall; then
    remove_pages
    rm -f "$prefix/bin/capsule" "$prefix/$http"
    rmdir "$prefix/libexec/capsule" 2>/dev/null || :
    case "$prefix" in
        # Directories there are the system's.
        '' | /usr | /usr/local) ;;
        *)
            for directory in share/man/man1 share/man/man5 share/man share/bash-completion/completions share/bash-completion \
                share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish share libexec bin; do
                rmdir "$prefix/$directory" 2>/dev/null || :
            done
            rmdir "$prefix" 2>/dev/null || :
            ;;
    esac
    echo "Removed $prefix/bin/capsule"
    exit
fi

part=
trap 'rm -f "$part"' EXIT
trap 'exit 130' INT TERM
for file in "$http" bin/capsule; do
    mkdir -p "$prefix/${file%/*}"
    part=$prefix/$file.part
    cp "$here/$file" "$part"
    chmod 755 "$part"
    mv -f "$part" "$prefix/$file"
done
remove_pages
(cd "$here" && find share -type f) | while IFS= read -r file; do
    mkdir -p "$prefix/${file%/*}"
    cp "$here/$file" "$prefix/$file"
    chmod 644 "$prefix/$file"
done
echo "Installed $prefix/bin/capsule"
found=$(command -v capsule || :)
if [ -z "$found" ]; then
    echo "$prefix/bin is not in PATH. For this shell: export PATH=\"$prefix/bin:\$PATH\""
elif ! [ "$found" -ef "$prefix/bin/capsule" ]; then
    echo "'capsule' runs $found: put $prefix/bin before it in PATH"
fi
