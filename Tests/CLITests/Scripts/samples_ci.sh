# Samples/ci: the job is YAML, its commands are those of a shell, and those of capsule do what their steps say.
. "$LIB"
need python3 git
python3 -c 'import yaml' 2> /dev/null || skip 'PyYAML is not installed'
[ "$(uname)" != Darwin ] || skip 'on a Mac this would read the simulators that are there'
mkdir bin home Tests
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
export HOME="$PWD/home"
samples
cp "$SAMPLES/expectations/run.plist" Tests
python3 "$TOOLS/make_simulators.py" home/Library/Developer/CoreSimulator/Devices --devices 1 --apps 1 --booted 0 \
    --also com.example.gifs=Gifs > devices
data=$(capsule locate com.example.gifs --device booted --kind data)
export data
have() { rm -rf "$data"; cp -Rp "$1/AppData" "$data"; }
have Gifs-before.xcappdata
capsule init -q com.example.gifs
capsule plist set -q .capsule.plist /Expectation --string Tests/run.plist
capsule pack -q --label clean

# What stands for a Mac's: a test that does to the app's data what the sample's run did, and a simulator that does nothing.
cat > bin/xcodebuild << 'END'
#!/bin/sh
[ "$1" = test-without-building ] || exit 0
rm -rf "$data"
cp -Rp "${AFTER:-Gifs-after.xcappdata}/AppData" "$data"
END
printf '#!/bin/sh\n[ "$2" != terminate ]\n' > bin/xcrun
chmod +x bin/xcodebuild bin/xcrun

# The commands of a job's step, by a word of its name; they run as GitHub runs them, in bash, which ends at an error.
cat > step.py << 'END'
import shlex, sys, yaml
workflow = yaml.safe_load(open(sys.argv[1]))
jobs = workflow["jobs"]
if sys.argv[2:] == ["env"]:
    for name, value in workflow["env"].items(): print("export " + name + "=" + shlex.quote(value))
elif len(sys.argv) == 2:
    for job in jobs.values():
        assert job["runs-on"] and all(("uses" in step) != ("run" in step) for step in job["steps"])
        for step in job["steps"]: print(step.get("run", ""))
else:
    found = [step["run"] for step in jobs[sys.argv[2]]["steps"] if sys.argv[3] in step.get("name", "")]
    assert len(found) == 1, found
    print(found[0])
END
workflow=$SAMPLES/ci/app-data.yml
python3 step.py "$workflow" > all.sh || fail 'the workflow is none'
ok bash -n all.sh
grep -c '^capsule ' all.sh > count
[ "$(cat count)" = 1 ] || fail 'there are other commands of capsule than this test runs'
# The names that a user changes are in one place, and steps have no others.
python3 step.py "$workflow" env > names.sh
says_not all.sh com.example
says_not all.sh Gifs
. ./names.sh
step() {
    wanted=$1
    shift
    python3 step.py "$workflow" "$@" > step.sh || fail "no step: $*"
    status "$wanted" bash -e step.sh
}
job() {
    rm -f run.capsule report.*
    step "$1" test 'check'
    present report.xml report.html run.capsule
}
job 0
python3 -c 'import sys, xml.etree.ElementTree as t; sys.exit(t.parse("report.xml").find(".//failure") is not None)' || fail 'a failure'
says out ': passed: '
ok "$CAPSULE" verify --strict run.capsule

# A run that also deletes a note is found out.
cp -Rp Gifs-after.xcappdata Worse.xcappdata
rm 'Worse.xcappdata/AppData/Documents/Notes/Shopping list.txt'
AFTER=Worse.xcappdata
export AFTER
job 1
says report.xml 'a run never deletes a note'

# A test that fails is the job's failure, whatever it left.
printf '#!/bin/sh\nexit 65\n' > bin/xcodebuild
unset AFTER
job 65
