# README.md, docs/diff.md and docs/apply.md: the commands with a `$` in front print what stands below them, in a checkout of the
# project.
. "$LIB"
need python3
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
python3 "$SAMPLES/make_samples.py" Samples > /dev/null
cp -R "$SAMPLES/expectations" "$SAMPLES/overlays" "$SAMPLES/rules.json" Samples
# What git does not keep of the samples: modes, but for the executable one, and times.
for side in before after; do
    find "Samples/Gifs-$side.xcappdata" -type f ! -perm -100 -exec chmod 644 {} +
done
ok capsule pack Samples/Gifs-before.xcappdata -q --label before
ok capsule pack Samples/Gifs-after.xcappdata -q --append -o Gifs-before.capsule --label after

cat > blocks.py << 'END'
import os, shutil, subprocess, sys

def commands(path):
    """Each command of an indented block, with the lines below it; in a list a block is indented more."""
    found, isFirst, indent = [], True, 4
    for line in open(path, encoding="utf-8"):
        text = line.rstrip("\n")
        if text.lstrip(" ").startswith("$ ") and text.startswith("    "):
            indent = len(text) - len(text.lstrip(" "))
            found.append((text[indent + 2:], []))
            isFirst = False
        elif text.startswith(" " * indent) and not isFirst:
            found[-1][1].append(text[indent:])
        elif text.strip() or isFirst:
            isFirst = True
    return found

def fits(wanted, lines):
    """Whether the lines are as wanted, where an ellipsis is any number of lines."""
    if not wanted: return not lines
    if wanted[0] == "…": return any(fits(wanted[1:], lines[start:]) for start in range(len(lines) + 1))
    return bool(lines) and lines[0] == wanted[0] and fits(wanted[1:], lines[1:])

for path in sys.argv[1:]:
    pairs = commands(path)
    if len(pairs) < 3: sys.exit(f"{path} has {len(pairs)} commands")
    # What the commands of one document make is in no other one's way.
    place = os.path.basename(path) + ".d"
    shutil.copytree("Samples", place + "/Samples", symlinks=True)
    shutil.copy2("Gifs-before.capsule", place)
    for command, wanted in pairs:
        done = subprocess.run(
            command, shell=True, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = done.stdout.splitlines()
        isError = any(line.startswith("capsule: error: ") for line in wanted)
        if (done.returncode > 1) != isError or not fits(wanted, lines):
            sys.exit(f"{path}: {command}: status {done.returncode}\n" + "\n".join(lines))
END
python3 blocks.py "$SAMPLES/../README.md" "$SAMPLES/../docs/diff.md" "$SAMPLES/../docs/apply.md" > out 2> err || fail 'a document does not tell the truth'
present README.md.d/report.html
# The expectation holds with the modes that the samples have, too.
samples
ok capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --expect Samples/expectations/run.plist
says out ': holds: 21 changes$'
status 1 capsule diff Gifs-after.xcappdata Gifs-before.xcappdata --expect Samples/expectations/run.plist

# The pages that are written by hand, and what they say of rules and expectations.
for page in "$SAMPLES"/../man/*.5; do
    if command -v groff > /dev/null; then
        groff -man -ww -z -Tutf8 "$page" 2> groff.err || fail "groff fails on $page"
        [ ! -s groff.err ] || fail "$page: $(cat groff.err)"
    fi
done
python3 - "$SAMPLES/../man/capsule-diff.5" << 'END' > out 2> err || fail 'capsule-diff.5 has other examples'
import json, sys
page = open(sys.argv[1]).read()
found = {}
for part in page.split(".nf\n")[1:]:
    text = part.split(".fi\n")[0].replace("\\-", "-").replace("\\e", "\\")
    if text.startswith("{\n"):
        value = json.loads(text)
        name = next(key for key in value if key.startswith("Capsule"))
        with open(name + ".json", "w") as file: json.dump(value, file)
        found[name] = value
assert sorted(found) == ["CapsuleExpectation", "CapsuleRules"], found
END
status 1 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --rules CapsuleRules.json
says out 'clock 2'
says out '_delegateClassName'
status 1 capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --expect CapsuleExpectation.json
says out '^! must not be: Documents/\*\* (deleted) (a run never deletes gifs)$'
says_not out 'missing'
