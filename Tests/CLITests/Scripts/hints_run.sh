# Every command in a hint runs as printed, whatever the names are.
. "$LIB"
need python3

mkdir bin live
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
name='it'\''s a "näme" $x & (*)'
mkdir -p "live/Documents/$name" live/Library/Preferences live/tmp
seq 1000 > "live/Documents/$name/note"
ok "$CAPSULE" pack -q live -o one
cp one two
echo 2 > live/Documents/two
ok "$CAPSULE" pack -q live --append -o two
python3 - << 'END'
data = open("two", "rb").read()
open("torn", "wb").write(data[:-300])
open("tail", "wb").write(data + bytes(range(256)) * 40)
first = bytearray(open("one", "rb").read())
first[100] ^= 255
open("bad", "wb").write(first)
END

one="$name one.capsule" two="$name two.capsule" torn="$name torn.capsule" tail="$name tail.capsule" bad="$name bad.capsule"
container="$name live" over="$name over.plist" path="Documents/$name"

# fixture: a new directory that has these names. It is the current one.
fixture() {
    rm -rf work
    mkdir work
    for file in one two torn tail bad; do cp $file "work/$name $file.capsule"; done
    cp -R live "work/$container"
    xml_of a=b > "work/$over"
    xml_of a=c > work/Info.plist
    cd work
}

# Prints the commands in hints: what is between quotation marks, has operands, and no placeholder in capital letters.
cat > commands.py << 'END'
import re, sys
for line in open(sys.argv[1], encoding="utf-8"):
    if not line.startswith("capsule: hint: "): continue
    for text in re.findall(r"'((?:capsule|mkdir|chmod) (?:[^'\\]|\\.)*)'", line):
        words = text.split()
        if len(words) > 2 and not any(re.fullmatch("[A-Z:]+", word) for word in words): print(text)
END

# runs STATUS COMMAND...: COMMAND ends with STATUS, and each command in its hints succeeds; at least one is there.
runs() {
    (
        fixture
        status "$@"
        cp err ../hints
        python3 ../commands.py err > ../commands
        [ -s ../commands ] || fail "no command in the hints: $*"
        while read -r line; do
            found=0
            sh -c "$line" > out 2> err < /dev/null || found=$?
            [ $found -le 1 ] || { cat ../hints; fail "status $found: $line"; }
        done < ../commands
    ) || exit 1
}

# Arguments in another order, or too many.
runs 64 capsule restore "$two" "$container" "$path"
runs 64 capsule restore "$two" "$path" "$container"
runs 64 capsule restore "$container" "$two"
runs 64 capsule restore "$two:$path" "$container"
runs 64 capsule merge "$over" Info.plist
runs 64 capsule merge Info.plist "$over"
runs 64 capsule pack "$container" "$name new.capsule"
runs 64 capsule pack "$container" "$two" --append
runs 64 capsule pack "$container" "$container" -o "$one"
runs 64 capsule drop caches "$container"
runs 64 capsule undo "$one" "$container"
runs 2 capsule diff "$two" 1 2
runs 2 capsule diff "$two@1" @2
runs 2 capsule diff "$two" "$path"
runs 2 capsule plist get "$two" /a
# One version where a file is wanted, and versions that are not there.
runs 64 capsule log "$two@1"
runs 64 capsule verify "$two@1"
runs 64 capsule repair "$two@1"
runs 2 capsule ls "$two@none"
runs 2 capsule label "$two" --delete none
# Damage. What a command says of its result counts, too.
runs 0 capsule ls "$torn"
runs 0 capsule recover "$torn"
runs 0 capsule recover "$tail"
runs 2 capsule ls "$tail"
runs 2 capsule compact "$tail" --keep 1
runs 2 capsule pack "$container" --append -o "$tail"
runs 2 capsule ls "$one" nowhere
# Directories that are not there.
runs 2 capsule pack "$container" -o "$name/new/x.capsule"
runs 2 capsule unpack "$one" -o "$name/new/x"
runs 2 capsule apply "$over" Info.plist -o "$name/new/x.plist"
runs 2 capsule diff "$two" --html "$name/x.html"

# The commands about damage can only report it.
(fixture; status 2 capsule unpack "$bad" -o x; python3 ../commands.py err > commands; status 2 sh "$PWD/commands"; says err 'damaged: ') || exit 1

# Hints that are no commands.
fixture
status 64 capsule undo "$container" "$two"
says err "^capsule: hint: 'restore', 'apply' and 'drop' write an undo file with '--undo'$"
status 2 capsule ls "$two@-1"
says err '^capsule: hint: .*@~1'\'' counts back from the latest version$'
status 2 capsule ls "$two@-7"
says err "capsule log"
status 2 capsule diff "$two" Docments
says err "^capsule: hint: did you mean 'Documents'?$"
status 2 capsule cat "$two" Docments/tow
says err "^capsule: hint: did you mean 'Documents/two'?$"
