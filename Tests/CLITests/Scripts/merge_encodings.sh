# What an encoding can't hold: conflicts are told all the same, whichever side is ours, and nothing is lost.
. "$LIB"
need python3

mkdir base number strings
python3 - << 'EOF'
import plistlib
def write(name, value, **options): plistlib.dump(value, open(name, "wb"), **options)
write("base/Open.plist", {"Key": "1"})
write("number/Open.plist", {"Key": "1", "Count": 7}, fmt=plistlib.FMT_BINARY)
open("strings/Open.plist", "w").write("{\n    Key = 2;\n}\n")
# Only one side changed the encoding.
write("base/Value.plist", {"Key": "1", "Other": "1"})
write("number/Value.plist", {"Key": 2, "Other": "2"})
open("strings/Value.plist", "w").write("{\n    Key = 3;\n    Other = 1;\n}\n")
# No conflict at all, and still no way to write what is merged.
write("base/Whole.plist", {"Key": "1", "Other": "1"})
write("number/Whole.plist", {"Key": 2, "Other": "1"})
open("strings/Whole.plist", "w").write("{\n    Key = 1;\n    Other = 2;\n}\n")
EOF

for sides in 'number strings' 'strings number'; do
    # shellcheck disable=SC2086 # two words
    status 1 "$CAPSULE" merge base $sides -o merged
    grep -o '^conflict [0-9]*: [a-z]* [^:]*' out > found
    printf 'conflict %s\n' '1: encoding Open.plist' '2: value Value.plist /Key' '3: contents Whole.plist' | cmp -s - found \
        || fail "other conflicts in $sides: $(cat found)"
    says out 'conflict 3: .*OpenStep property lists support only strings and data'
    absent merged
done

# What was decided and can't be written is said; another decision can.
status 2 "$CAPSULE" merge base number strings -o merged --prefer theirs
says err "Open.plist: the value chosen for conflict '1' can't be written: OpenStep .* (at /Count)"
says err 'hint: choose a different encoding or value'
absent merged
ok "$CAPSULE" merge base number strings -o merged --prefer theirs --prefer 'ours={"Kind":"encoding"}'
[ "$("$CAPSULE" plist get merged/Open.plist /Count)" = 7 ] || fail "ours' number is lost"
[ "$("$CAPSULE" plist get merged/Open.plist /Key)" = 2 ] || fail "theirs' change is lost"
same merged/Whole.plist strings/Whole.plist

# What is written in spite of open conflicts has all that is not in question.
status 1 "$CAPSULE" merge base strings number -o partial --partial
[ "$("$CAPSULE" plist get partial/Open.plist /Count)" = 7 ] || fail "theirs' number is lost"
[ "$("$CAPSULE" plist get partial/Open.plist /Key)" = 2 ] || fail "ours' change is lost"
[ "$("$CAPSULE" plist get partial/Value.plist /Key)" = 3 ] || fail "not ours where a conflict is open"

# Property lists by themselves: the same, and marks around what is in question.
status 1 "$CAPSULE" merge base/Open.plist strings/Open.plist number/Open.plist -o open.plist
says out '^conflict 1: encoding'
absent open.plist
status 1 "$CAPSULE" merge base/Value.plist number/Value.plist strings/Value.plist -o marked.plist --partial --markers
says marked.plist '<integer>2</integer>'
says marked.plist '<string>3</string>'
[ "$(grep -c '^<<<<<<< ' marked.plist)" = 1 ] || fail "not one block"
status 2 "$CAPSULE" merge base/Whole.plist number/Whole.plist strings/Whole.plist -o whole.plist
says err 'OpenStep property lists support only strings and data'
absent whole.plist
