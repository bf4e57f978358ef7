# .github/workflows: GitHub takes them and those of Packaging, what they promise stands in them, and the steps of the smoke test run here,
# in their order, with stand-ins for what a Mac alone has.
. "$LIB"
need python3 tar
root=$(cd "$SAMPLES/.." && pwd)
python3 -c 'import yaml' 2> /dev/null || skip 'PyYAML is not installed'
workflow=$root/.github/workflows/macos.yml
place=$PWD

# What it says.
cat > check.py << 'END'
import re, sys, yaml
def check(path):
    with open(path, encoding="utf-8") as file:
        workflow = yaml.safe_load(file)
    jobs = workflow["jobs"]
    assert workflow["permissions"] == {"contents": "read"}, "permissions"
    assert workflow["concurrency"]["group"], "concurrency"
    assert set(jobs) == {"smoke", "tests"}, jobs.keys()
    assert jobs["smoke"]["strategy"]["matrix"]["os"] == ["macos-15", "macos-26"], "systems"
    assert "continue-on-error" not in jobs["smoke"] and jobs["tests"]["continue-on-error"] is True, "which job informs"
    for job in jobs.values():
        assert job["timeout-minutes"] > 0, "no limit"
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            assert "continue-on-error" not in step, step
            assert re.fullmatch(r"actions/(checkout|upload-artifact)@v\d+", step.get("uses", "actions/checkout@v1")), step
    uploads = [step for step in jobs["tests"]["steps"] if "upload-artifact" in step.get("uses", "")]
    assert [step["if"] for step in uploads] == ["always()"], "the log is not kept"
    return jobs
jobs = check(sys.argv[1])
for name, job in jobs.items():
    with open(name + ".steps", "w") as file:
        file.writelines(step["run"].replace("\n", " ") + "\n" for step in job["steps"] if "run" in step)
# What it must not say is found out.
for path in sys.argv[2:]:
    try:
        check(path)
    except AssertionError:
        continue
    sys.exit(path + ": nothing is found")
END
wrong() {
    wrong_name=wrong-$1.yml
    shift
    sed "$@" "$workflow" > "$wrong_name"
    ! cmp -s "$workflow" "$wrong_name" || fail "nothing was changed: $*"
}
wrong rights 's/contents: read/contents: write/'
wrong action 's/@v4/@main/'
wrong limit 's/timeout-minutes: 60/timeout-minutes: 0/'
wrong informs 's/continue-on-error: true/continue-on-error: false/'
ok python3 check.py "$workflow" wrong-rights.yml wrong-action.yml wrong-limit.yml wrong-informs.yml
[ "$(wc -l < smoke.steps)" = 5 ] || fail 'the smoke test has other steps than this test knows'
[ "$(wc -l < tests.steps)" = 2 ] || fail 'the tests have other steps than this test knows'

# Its commands: shell that parses, scripts that are there, targets that make has.
for job in smoke tests; do
    ok bash -n "$job.steps"
    for word in $(cat "$job.steps"); do
        case "$word" in Tests/*.sh) [ -x "$root/$word" ] || fail "$word is not there, or can't be run" ;; esac
    done
    for target in $(sed -n 's/.*make \([a-z-]*\).*/\1/p' "$job.steps"); do
        grep -q "^$target:" "$root/Makefile" || fail "make has no target $target"
    done
done

# The workflow of releases: one job writes, and each of its commands is shell that parses.
cat > release.py << 'END'
import sys, yaml
with open(sys.argv[1], encoding="utf-8") as file:
    workflow = yaml.safe_load(file)
jobs = workflow["jobs"]
assert workflow["permissions"] == {}, "permissions"
rights = {name: job["permissions"]["contents"] for name, job in jobs.items()}
assert rights == {**dict.fromkeys(jobs, "read"), "publish": "write"}, rights
assert set(jobs["publish"]["needs"]) >= {"linux", "macos"}, "what is published"
for job in jobs.values():
    assert job["timeout-minutes"] > 0, "no limit"
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step) and "${{" not in step.get("run", ""), step
        print(step.get("run", ""))
END
python3 release.py "$root/Packaging/workflows/release.yml" > release.steps || fail 'the workflow of releases'
ok bash -n release.steps

# The steps themselves. Xcodes of which one is to be taken, and what a runner has.
mkdir bin Xcodes clone clone/.build clone/.build/release
for name in Xcode_16.4 Xcode_26.0.1 Xcode_26.10 Xcode_26.9 Xcode_26.11_beta_2 Xcode_260 Xcode_27; do mkdir "Xcodes/$name.app"; done
mkdir Xcodes/Xcode.app
ln -s "$root/Tests" "$root/Samples" clone
ln -s "$CAPSULE" clone/.build/release/capsule
stand_in() {
    { printf '#!/bin/sh\nplace=%s\n' "'$place'"; cat; } > "bin/$1"
    chmod +x "bin/$1"
}
echo 'echo "sudo $*" >> "$place/log"' | stand_in sudo
echo 'echo "swift $*" >> "$place/log"' | stand_in swift
echo 'echo "make $*" >> "$place/log"' | stand_in make
stand_in xcodebuild << 'END'
echo "xcodebuild $*" >> "$place/log"
case "$*" in *"generic/platform=$FAILING "*) echo 'no such platform' >&2; exit 70 ;; esac
END
# As GitHub runs them: each in a shell of its own that ends at an error.
# smoke FAILING STEPS: those of the file STEPS.
smoke() {
    : > log
    while IFS= read -r line; do
        (cd clone && env PATH="$place/bin:$PATH" XCODES="$place/Xcodes" FAILING="$1" bash -e -c "$line" < /dev/null) >> said 2>&1 || return
    done < "$2"
}
: > said
smoke none smoke.steps || { cat said; fail 'the smoke test fails'; }
says said '^smoke: passed$'
cat > wanted << END
sudo xcode-select -s $place/Xcodes/Xcode_26.10.app
xcodebuild -version
swift --version
make build V=1
make demo
END
for system in iOS 'iOS Simulator' tvOS watchOS visionOS macOS; do
    echo "xcodebuild build -quiet -scheme CapsuleRuntime -destination generic/platform=$system" \
        '-derivedDataPath .build/xcode CODE_SIGNING_ALLOWED=NO'
done >> wanted
same log wanted
# A system that the library does not build for fails the job; the others are tried all the same.
grep build_runtime smoke.steps > runtime.steps
if smoke tvOS runtime.steps; then fail 'a build that fails is not noticed'; fi
says said '^build_runtime: CapsuleRuntime does not build for tvOS$'
says log 'platform=macOS'
# A beta is taken where there is nothing else, and no Xcode is an error.
xcode() { env PATH="$place/bin:$PATH" XCODES="$place/Xcodes" "$root/Tests/mac/select_xcode.sh" "$1"; }
rm -r Xcodes/Xcode_26.0.1.app Xcodes/Xcode_26.10.app Xcodes/Xcode_26.9.app
status 0 xcode 26
says out '/Xcode_26.11_beta_2.app$'
status 1 xcode 25
says err '^select_xcode: there is no Xcode_25 in '
status 64 "$root/Tests/mac/select_xcode.sh"

# The smoke test itself notices what does not work, and leaves nothing behind.
broken() {
    reason=$1
    { printf '#!/bin/sh\nreal=%s\n' "'$CAPSULE'"; cat; printf 'exec "$real" "$@"\n'; } > bin/capsule
    chmod +x bin/capsule
    status 1 "$root/Tests/mac/smoke.sh" bin/capsule
    says err "$reason"
}
echo '[ "$1" != restore ] || exit 0' | broken 'smoke: failed: status 1, not 0: capsule diff --all gifs.capsule@before Live.xcappdata'
echo '[ "$1" != ls ] || { "$real" "$@" | sed "s/[^ -~]/?/g"; exit; }' | broken 'smoke: failed: pax.tar lists other names'
echo '[ "$1" != verify ] || exit 0' | broken 'smoke: failed: status 0, not 2: capsule verify gifs.capsule'
status 64 "$root/Tests/mac/smoke.sh"
[ -z "$(ls -A "$TMPDIR")" ] || fail 'something is left'

# The demo is what `make demo` runs.
status 0 "$SAMPLES/demo.sh" "$CAPSULE"
status 1 "$SAMPLES/demo.sh" nothing

# GitHub's own schemas, and what makes a workflow unsafe: the workflow of releases, the actions and the sample's workflow too.
found=0
"$root/.ci/check-workflows" "$workflow" "$SAMPLES/ci/app-data.yml" "$root"/Packaging/workflows/*.yml "$root"/Packaging/action/*/action.yml \
    > out 2> err || found=$?
[ "$found" != 77 ] || skip "$(cat out)"
[ "$found" = 0 ] || fail 'GitHub would not take a workflow or an action'
sed 's/runs-on: macos-26/runs-in: macos-26/' "$workflow" > wrong.yml
status 1 "$root/.ci/check-workflows" wrong.yml
sed 's/contents: read/contents: write/; s/run: make demo/run: echo ${{ github.head_ref }}/' "$workflow" > unsafe.yml
status 1 "$root/.ci/check-workflows" unsafe.yml
says out 'template-injection'
sed 's/using: composite/using: composit/' "$root/Packaging/action/capsule-diff/action.yml" > action.yml
status 1 "$root/.ci/check-workflows" action.yml
# Where it can't be had, CI fails and others skip.
mkdir none none/.ci
cp "$root/.ci/check-workflows" none/.ci
printf '#!/bin/sh\necho "no network"\nexit 1\n' > bin/python3
chmod +x bin/python3
status 77 env PATH="$place/bin:/usr/bin:/bin" CI= PYTHON="$place/bin/python3" none/.ci/check-workflows "$workflow"
says out "^check-workflows: pip can't install check-jsonschema and zizmor: no network$"
status 1 env PATH="$place/bin:/usr/bin:/bin" CI=true PYTHON="$place/bin/python3" none/.ci/check-workflows "$workflow"
