# Who may read what is written: the mask of the process, and standard input that others can't read.
. "$LIB"
mode() { found=$(modes_of "$2"); [ "$found" = "$1" ] || fail "$2 is $found, not $1"; }
mkdir open
echo 1 > open/h
chmod 755 open
(umask 077 && "$CAPSULE" pack -q open -o u.capsule) && mode 600 u.capsule
(umask 002 && chmod 775 open && "$CAPSULE" pack -q open -o w.capsule && chmod 755 open) && mode 664 w.capsule
"$CAPSULE" pack -q - -o u3.capsule < u.capsule
mode 600 u3.capsule
for name in p base; do
    printf '<plist version="1.0"><dict><key>a</key><string>%s</string></dict></plist>' $name > $name.plist
done
ok "$CAPSULE" diff -q p.plist base.plist --overlay o.plist --exit-zero
chmod 600 p.plist o.plist
"$CAPSULE" plist convert xml - -o t.plist < p.plist
mode 600 t.plist
"$CAPSULE" overlay invert - -o i.plist < o.plist
mode 600 i.plist
cat o.plist | "$CAPSULE" overlay invert - -o j.plist
mode 600 j.plist
"$CAPSULE" merge -q base.plist - base.plist -o stream.plist < p.plist
mode 600 stream.plist
