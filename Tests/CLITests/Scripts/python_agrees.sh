# Rows, values and lines are what Python's sqlite3, plistlib and json read, for fixed seeds.
. "$LIB"
need python3
for what in tables grep; do
    ok python3 "$TOOLS/check_against_python.py" $what "$CAPSULE" "$PWD" 1 12
    says out ': 0 differences$'
done
