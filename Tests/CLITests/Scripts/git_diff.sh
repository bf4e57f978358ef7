# 'git diff' with the driver: property lists by pointer, capsules by entry, anything else as it is, and never a failure.
. "$LIB"
need python3
git_home
git init -q -b main r
cd r
printf '%s\n' out err cached listed command moved '*wanted' > .git/info/exclude
ok "$CAPSULE" git install

python3 - <<'END'
import plistlib
value = {
    "CFBundleIdentifier": "com.example.app", "Count": 1, "Ratio": 1.0, "On": True, "Empty": {}, "None": [],
    "CFBundleURLTypes": [
        {"CFBundleURLName": "a", "CFBundleURLSchemes": ["x"]}, {"CFBundleURLName": "b", "CFBundleURLSchemes": ["y"]}],
    "UIAppFonts": ["one.ttf", "two.ttf"], "Order": ["p", "q"], "Text": "two\nlines \"quoted\"", "a/b~c": 1, "line\nend": 2,
    "Data": bytes(300), "State": plistlib.dumps({"count": 3}, fmt=plistlib.FMT_BINARY),
}
plistlib.dump(value, open("Info.plist", "wb"))
plistlib.dump(value, open("binary.plist", "wb"), fmt=plistlib.FMT_BINARY)
plistlib.dump(dict(reversed(value.items())), open("turned.plist", "wb"), sort_keys=False)
END
ok "$CAPSULE" git textconv Info.plist
cat > wanted <<'END'
(encoding): xml
/CFBundleIdentifier: "com.example.app"
/CFBundleURLTypes/[CFBundleURLName=a]/CFBundleURLName: "a"
/CFBundleURLTypes/[CFBundleURLName=a]/CFBundleURLSchemes/[=x]: "x"
/CFBundleURLTypes/[CFBundleURLName=b]/CFBundleURLName: "b"
/CFBundleURLTypes/[CFBundleURLName=b]/CFBundleURLSchemes/[=y]: "y"
/Count: 1
/Data: data of 300 bytes, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…, sha256 e44bb8a4ca39e02eca42612ce05e5c3e4208ff6ce3c5bd05f5b1c2d0ff25d6a8
/Empty: {}
/None: []
/On: true
/Order/0: "p"
/Order/1: "q"
/Ratio: 1.0
/State/<plist>/count: 3
/Text: "two\nlines \"quoted\""
/UIAppFonts/[=one.ttf]: "one.ttf"
/UIAppFonts/[=two.ttf]: "two.ttf"
/a~1b~0c: 1
"/line\nend": 2
END
python3 - <<'END'
import hashlib
text = open("wanted").read()
place = text.index("sha256 ") + 7
open("wanted", "w").write(text[:place] + hashlib.sha256(bytes(300)).hexdigest() + text[place + 64:])
END
same wanted out
# Whatever the order of the keys, and the encoding but for the line that says so.
ok "$CAPSULE" git textconv turned.plist
same wanted out
ok "$CAPSULE" git textconv binary.plist
sed '1s/xml/binary/' wanted > binary.wanted
same binary.wanted out
printf '"string"' > scalar.json
printf '/* c */ "greeting" = "hello";\n' > Localizable.strings
iconv -f UTF-8 -t UTF-16 < Localizable.strings > Wide.strings
ok "$CAPSULE" git textconv Wide.strings
printf '(encoding): openstep\n/greeting: "hello"\n' > wanted
same wanted out
printf '{}' > empty.xctestplan
ok "$CAPSULE" git textconv empty.xctestplan
says out '^(root): {}$'
# Twice the same key is told, and shown.
printf '<plist><dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict></plist>' > twice.plist
ok "$CAPSULE" git textconv twice.plist
says out '^(warning): '
says out '^/a: 2$'

# git diff shows them; also what is in the index, and in commits.
git add Info.plist binary.plist Localizable.strings
git commit -q -m one
"$CAPSULE" plist set Info.plist /Count --integer 7 > /dev/null
"$CAPSULE" plist set binary.plist '/CFBundleURLTypes/[CFBundleURLName=b]/CFBundleURLName' --string c > /dev/null
printf '/* other */ "greeting" = "hi";\n' > Localizable.strings
git diff > out
says out '^-/Count: 1$'
says out '^+/Count: 7$'
says out '^+/CFBundleURLTypes/\[CFBundleURLName=c\]/CFBundleURLSchemes/\[=y\]: "y"$'
says out '^+/greeting: "hi"$'
says_not out '<key>'
says_not out 'Binary files'
git add .
git diff --cached > cached
says cached '^+/Count: 7$'
git commit -q -m two
git log -p -1 > out
says out '^+/Count: 7$'
git show HEAD:Info.plist > out
says out '<key>Count</key>'
git diff --no-textconv HEAD~ -- Info.plist > out
says out '<integer>7</integer>'
git format-patch -q -1 --stdout > out
says_not out '^+/Count'

# A capsule by the entries of its latest version.
mkdir t
echo one > t/a.txt
touch -d '2023-11-14T22:13:20Z' t/a.txt t
"$CAPSULE" -q pack t -o t.capsule > /dev/null
ok "$CAPSULE" git textconv t.capsule
cp out listed
ok "$CAPSULE" ls -l t.capsule
same listed out
git add -f t.capsule
git commit -q -m capsule
echo two > t/b.txt
"$CAPSULE" -q pack t --append -o t.capsule > /dev/null
git diff t.capsule > out
says out '^+.* [0-9a-f]\{12\} b.txt$'
says_not out '^+.* a.txt$'
# One that is damaged is shown as the binary file it is.
head -c 700 t.capsule > cut.capsule
ok "$CAPSULE" git textconv cut.capsule
same cut.capsule out

# What is no property list is passed through.
printf 'no list at all\n' > no.plist
ok "$CAPSULE" git textconv no.plist
same no.plist out
: > none.plist
ok "$CAPSULE" git textconv none.plist
same none.plist out
head -c 100 Info.plist > half.plist
ok "$CAPSULE" git textconv half.plist
same half.plist out
noise 200000 git > noise.plist
ok "$CAPSULE" git textconv noise.plist
same noise.plist out
# Long lines of few bytes would be more text than anybody reads.
python3 -c 'import plistlib
with open("bomb.plist", "wb") as file: plistlib.dump({"k" * 300: [0] * 40_000}, file, fmt=plistlib.FMT_BINARY)'
"$CAPSULE" plist lint bomb.plist > /dev/null || fail 'the long lines are no property list'
ok "$CAPSULE" git textconv bomb.plist
same bomb.plist out
# What is not there at all is a failure, and the pipe's reader may go.
status 2 "$CAPSULE" git textconv missing.plist
status 2 "$CAPSULE" git textconv t
"$CAPSULE" git textconv noise.plist | head -c 1 > /dev/null

# In a conflict, both sides by their values, and marks around what differs.
printf '"a" = "1";\n<<<<<<< one\n"b" = "1";\n=======\n"b" = "2";\n>>>>>>> other\n"c" = "1";\n' > marked.strings
ok "$CAPSULE" git textconv marked.strings
printf '%s\n' '(encoding): openstep' '/a: "1"' '<<<<<<< one' '/b: "1"' ======= '/b: "2"' '>>>>>>> other' '/c: "1"' > wanted
same wanted out
sed '/^=====/d' marked.strings > half.strings
ok "$CAPSULE" git textconv half.strings
same half.strings out
rm wanted marked.strings half.strings
# many VALUE: two files of many keys, one of which is that.
many() {
    python3 - "$1" <<'END'
import plistlib, sys
value = {f"Key{n}": n for n in range(30)}
value["Key15"] = sys.argv[1]
plistlib.dump(value, open("many.plist", "wb"))
plistlib.dump(value, open("many.binary.plist", "wb"), fmt=plistlib.FMT_BINARY)
END
    git add many.plist many.binary.plist
    git commit -q -m "$1"
}
many base
git branch other
many one
git checkout -q other
many two
git checkout -q main
! git merge -q other > ../merged 2>&1 || fail 'a conflict is merged'
for name in many.plist many.binary.plist; do
    git diff $name > out
    says out '^++<<<<<<< ours$'
    says out '^ +/Key15: "one"$'
    says out '^+ /Key15: "two"$'
    says_not out '<key>'
    [ "$(wc -l < out)" -lt 24 ] || fail 'more than what differs is shown'
done
git merge --abort

# Names of all kinds, as git hands them over.
for name in '-x.plist' "it's \"so\".plist" 'a b.plist' '$(touch bad).plist' 'a%O.plist' '-'; do
    cp turned.plist "./$name"
    git add -- "./$name"
done
git commit -q -m names
for name in '-x.plist' "it's \"so\".plist" 'a b.plist' '$(touch bad).plist' 'a%O.plist'; do
    "$CAPSULE" plist set "./$name" /Count --integer 8 > /dev/null
    git diff -- "./$name" > out
    says out '^+/Count: 8$'
done
absent bad
python3 - <<'END'
import os, shutil
shutil.copy(b"turned.plist", b"odd\xff\x01.plist")
END
git add .
git commit -q -m odd
python3 - <<'END'
import re
text = open(b"odd\xff\x01.plist").read()
open(b"odd\xff\x01.plist", "w").write(text.replace("<integer>1</integer>", "<integer>9</integer>", 1))
END
git diff > out
says out '<\|^+/.*: 9$'
says out '^+/.*: 9$'
ok "$CAPSULE" git textconv -
ok "$CAPSULE" git textconv ./-
git checkout -q .

# Where this program can't be run, files are shown as they are.
"$CAPSULE" plist set Info.plist /Count --integer 9 > /dev/null
git config diff.capsule.textconv > command
sed "s|^f() { .* git textconv|f() { /nowhere/capsule git textconv|" command > moved
git config diff.capsule.textconv "$(cat moved)"
git diff > out 2> err || fail 'git diff failed'
says out '<integer>9</integer>'
