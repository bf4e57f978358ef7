#!/bin/sh
# Install Capsule from this directory, or remove it.
#
# usage: ./install.sh [--uninstall] [PREFIX]      without PREFIX: /usr/local for root, and ~/.local for others
#
# A version that is there already is removed first, so that no pages of verbs that are no more stay.
set -eu
umask 022

usage() { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }

uninstall=false
if [ "${1:-}" = --uninstall ]; then uninstall=true; shift; fi
if [ $# -eq 0 ]; then
    if [ "$(id -u)" = 0 ]; then set -- /usr/local; else set -- "$HOME/.local"; fi
fi
[ $# -eq 1 ] || usage
case "$1" in '' | -*) usage ;; esac
prefix=${1%/}
here=$(cd "$(dirname "$0")" && pwd)

share=$prefix/share
rm -f "$prefix/bin/capsule" "$share/man/man1/capsule.1" "$share"/man/man1/capsule-*.1 "$share/man/man5/capsule.5" \
    "$share"/man/man5/capsule-*.5 "$share/bash-completion/completions/capsule" "$share/zsh/site-functions/_capsule" \
    "$share/fish/vendor_completions.d/capsule.fish"

if $uninstall; then
    case "$prefix" in
        # Directories there are the system's.
        '' | /usr | /usr/local) ;;
        *)
            for directory in share/man/man1 share/man/man5 share/man share/bash-completion/completions share/bash-completion \
                share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish share bin; do
                rmdir "$prefix/$directory" 2>/dev/null || :
            done
            rmdir "$prefix" 2>/dev/null || :
            ;;
    esac
    echo "Removed $prefix/bin/capsule"
    exit
fi

(cd "$here" && find bin share -type f) | while IFS= read -r file; do
    mkdir -p "$prefix/${file%/*}"
    cp "$here/$file" "$prefix/$file"
    case "$file" in bin/*) chmod 755 "$prefix/$file" ;; *) chmod 644 "$prefix/$file" ;; esac
done
echo "Installed $prefix/bin/capsule"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "$prefix/bin is not in PATH" ;; esac
