"""What is there before the commands of a document are run: the names that its examples speak of, made of the samples."""

BEFORE, AFTER = "Samples/Gifs-before.xcappdata", "Samples/Gifs-after.xcappdata"
INFO, TEST = "Samples/overlays/scene-delegate/Info.plist", "Samples/overlays/scene-delegate/Test.plist"
DEFAULTS = "AppData/Library/Preferences/com.example.gifs.plist"


def capsule(name, *labels):
    """A capsule of two versions, or of one."""
    steps = []
    for label, container in zip(labels, [BEFORE, AFTER]):
        steps.append(f"capsule pack -q {container} --append -o {name}.capsule --label {label}")
    return "\n".join(steps) + "\n"


def copies(source, *names):
    return "".join(f"cp -R {source} {name}\n" for name in names)


# A simulator that is booted, with the app of the samples as the run left it, and others.
SIMULATOR = f"""
set=$HOME/Library/Developer/CoreSimulator/Devices
python3 "$TOOLS/make_simulators.py" "$set" --devices 1 --apps 1 --booted 0 --also com.example.gifs=Gifs > devices
data=$(sed -n '/"identifier": "com.example.gifs", "kind": "data"/s/.*"path": "\\([^"]*\\)".*/\\1/p' devices)
rm -rf devices "$data"
cp -R {AFTER}/AppData "$data"
"""
# What git merges and shows: a repository with a change that is not committed.
REPOSITORY = f"git init -q .\ncp {INFO} .\ngit add Info.plist\ngit commit -qm first\n"
# The example app, which is built with the tests.
EXAMPLE = """
mkdir -p .build/debug
cp "$(dirname "$(readlink -f bin/capsule)")/ExampleApp" .build/debug
"""
# What a tarball of a release has to install itself. This one does nothing.
INSTALLER = """
printf '#!/bin/sh\n' > install.sh
chmod +x install.sh
"""
TARBALL = INSTALLER + """
name=capsule-0.1.0-linux-x86_64
mkdir $name
mv install.sh $name
tar -czf $name.tar.gz $name
rm -r $name
sha256sum $name.tar.gz > SHA256SUMS
"""
# A key, and who may sign with it.
KEY = """
mkdir -p ~/.ssh
ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519
echo "ann@example.com $(cat ~/.ssh/id_ed25519.pub)" > signers
"""
DOWNLOAD = "'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"

# Pages whose examples are steps of one story.
IN_SEQUENCE = {"man/capsule.1"}

STAGES = {
    "README.md": SIMULATOR + REPOSITORY,
    "docs/serve.md": SIMULATOR,
    "Packaging/README.md": INSTALLER,
    "Samples/appium/README.md": SIMULATOR,
    "Samples/detox/README.md": SIMULATOR,
    "Samples/fastlane/README.md": SIMULATOR,
    "Samples/maestro/README.md": SIMULATOR,
    "Samples/reset/README.md": SIMULATOR + EXAMPLE,
    "Samples/run-modes/README.md": EXAMPLE,
    "Samples/scene-delegate/README.md": SIMULATOR,
    "Skills/capsule/SKILL.md": SIMULATOR,
    "docs/coming-from.md": SIMULATOR,
    "docs/faq.md": SIMULATOR,
    "docs/install.md": TARBALL,
    "docs/recipes.md": SIMULATOR + "printf '#!/bin/sh\\n' > test.sh\nchmod +x test.sh\n",
    "docs/apply.md": SIMULATOR + copies("Samples/expectations/run.plist", "run.plist"),
    "docs/overlay.md": copies(BEFORE, "Gifs.xcappdata") + copies(TEST, "TestInfo.plist") + "cp Samples/overlays/defaults/Seed.plist Testing.plist\n",
    "docs/diff.md": capsule("run", "before") + copies(BEFORE, "idle-1.xcappdata") + copies(AFTER, "idle-2.xcappdata")
    + copies("Samples/expectations/run.plist", "run.plist") + copies("Samples/rules.json", "rules.json"),
    "man/capsule.1": copies(BEFORE, DOWNLOAD),
    "man/capsule-apply.1": SIMULATOR + copies(INFO, "Info.plist") + copies(TEST, "Testing.plist") + f"""
mkdir Build
cp Samples/overlays/defaults/com.example.gifs.plist defaults.plist
cp Samples/overlays/defaults/Seed.plist seed.plist
capsule diff -q --exit-zero {AFTER} {BEFORE} --overlay run.capsule
""",
    "man/capsule-cat.1": f"""
cp -R {BEFORE} container.xcappdata
echo cat > container.xcappdata/AppData/Documents/cat.gif
echo list > container.xcappdata/AppData/Documents/Notes/list.txt
capsule pack -q container.xcappdata -o run.capsule --label before
capsule unpack -q container.xcappdata --as zip
""",
    "man/capsule-compact.1": capsule("fixtures", "before", "after"),
    "man/capsule-diff.1": capsule("before", "before") + copies(AFTER, "after.xcappdata") + f"""
cp before.capsule A.capsule
capsule pack -q {AFTER} -o B.capsule
cp B.capsule after.capsule
cp {INFO} before.plist
cp {INFO} after.plist
capsule plist set -q after.plist /CFBundleVersion --string 42
capsule diff -q --exit-zero {BEFORE} {AFTER} --expect-write run.plist
""",
    "man/capsule-drop.1": SIMULATOR + copies(BEFORE, "Data"),
    "man/capsule-generate.1": "mkdir -p ~/.local/share/man/man1 ~/.zsh/completions\n",
    "man/capsule-git.1": REPOSITORY,
    "man/capsule-sign.1": capsule("run", "before", "after") + KEY,
    "man/capsule-show.1": capsule("run", "before") + copies(BEFORE, "container.xcappdata"),
    "man/capsule-grep.1": capsule("run", "before") + copies(BEFORE, "container.xcappdata"),
    "man/capsule-du.1": SIMULATOR + capsule("fixtures", "before") + capsule("run", "before", "after"),
    "man/capsule-init.1": SIMULATOR + copies(BEFORE, "Data"),
    "man/capsule-info.1": capsule("fixtures", "before") + capsule("run", "before"),
    "man/capsule-locate.1": SIMULATOR,
    "man/capsule-label.1": capsule("fixtures", "base", "after"),
    "man/capsule-log.1": capsule("fixtures", "before", "after") + capsule("run", "before", "after"),
    "man/capsule-ls.1": capsule("fixtures", "before") + copies(BEFORE, DOWNLOAD),
    "man/capsule-merge.1": capsule("base", "before") + copies(BEFORE, "ann.xcappdata", "bob.xcappdata", "base", "ours", "b", "o")
    + copies(AFTER, "theirs", "t") + copies(INFO, "Base.plist", "Info.plist", "Their.plist") + """
echo ann > ann.xcappdata/AppData/Documents/ann.txt
echo bob > bob.xcappdata/AppData/Documents/bob.txt
capsule plist set -q Info.plist /CFBundleVersion --string 42
echo ours >> 'ours/AppData/Documents/Notes/Shopping list.txt'
""",
    "man/capsule-overlay.1": copies(TEST, "Testing.plist") + copies(INFO, "Info.plist", "a.plist", "b.plist") + """
capsule plist set -q b.plist /CFBundleVersion --string 42
capsule diff -q --exit-zero a.plist b.plist --overlay run.plist
""",
    "man/capsule-pack.1": copies(BEFORE, DOWNLOAD, "Data") + "tar -cJf container.tar.xz -C Samples Gifs-before.xcappdata\n",
    "man/capsule-plist.1": copies(INFO, "Info.plist")
    + "capsule plist set -q Info.plist /CFBundleVersion --string 41\n"
    + copies(f"{AFTER}/{DEFAULTS}", "com.example.gifs.plist") + copies(BEFORE, "games.xcappdata")
    + copies(f"{AFTER}/{DEFAULTS}", "games.xcappdata/AppData/Documents/game.plist") + "capsule pack -q games.xcappdata -o run.capsule\n",
    "man/capsule-pull.1": capsule("gifs", "base") + "capsule push -q gifs.capsule oci:shared:main\n",
    "man/capsule-push.1": capsule("gifs", "base", "after"),
    "man/capsule-tags.1": capsule("gifs", "base") + "capsule push -q gifs.capsule oci:shared:main\n",
    "man/capsule-recover.1": SIMULATOR + copies(BEFORE, "com.example.gifs.xcappdata"),
    "man/capsule-repair.1": capsule("fixtures", "before"),
    "man/capsule-restore.1": SIMULATOR + capsule("base", "before") + copies(AFTER, "Data"),
    "man/capsule-run.1": capsule("base", "before") + SIMULATOR + copies(BEFORE, "Data") + """
printf '%s\\n' '#!/bin/sh' 'echo x > Data/AppData/Documents/x' > test.sh
cp test.sh migrate.sh
chmod +x test.sh migrate.sh
echo '{"CapsuleExpectation": 1, "Other": "allow"}' > run.json
""",
    "man/capsule-redact.1": capsule("run", "before", "after"),
    "man/capsule-watch.1": "",
    "man/capsule-serve.1": "",
    "man/capsule-undo.1": SIMULATOR + copies(AFTER, "Data") + f"capsule restore -q {BEFORE} Data --undo back.capsule\n",
    "man/capsule-unpack.1": capsule("fixtures", "first-run", "login") + capsule("run", "before", "after")
    + copies(BEFORE, "com.example.gifs.xcappdata"),
    "man/capsule-verify.1": capsule("fixtures", "before") + "mkdir Tests\ncp fixtures.capsule Tests\n"
    + capsule("run", "before") + KEY + "capsule sign -q run.capsule --key ~/.ssh/id_ed25519\n",
}
