# Samples/reset: UI tests one by one, each with the same data, on a simulator that this makes; xcodebuild is a replacement.
. "$LIB"
. "$TOOLS/project_samples.sh"
export SIMULATOR_UDID="$first"
cat > bin/xcodebuild << 'SH'
#!/bin/sh
echo "$*" > called
for test; do :; done
exec ./a_test "$test" "$SIMULATOR_UDID"
SH
chmod +x bin/xcodebuild
run=$SAMPLES/reset/run-tests.sh
ok "$run" GifsUITests/A GifsUITests/B GifsUITests/C
wants 'GifsUITests/A: clean' 'GifsUITests/B: clean' 'GifsUITests/C: clean'

# One that fails does not keep the others from being run, or from having their data.
status 65 "$run" GifsUITests/Failing GifsUITests/B
wants 'GifsUITests/Failing: clean' 'GifsUITests/B: clean'

# Without data there is nothing to test.
status 2 env CAPSULE_VERSION=@dirty "$run" GifsUITests/A
says err "capsule: error: .*dirty"
absent tests
status 64 "$run"

# Other names for xcodebuild.
ok env CAPSULE_SCHEME=Other CAPSULE_DESTINATION='platform=macOS' "$run" GifsUITests/A
says called '-scheme Other -destination platform=macOS -only-testing:GifsUITests/A$'

# Outside of a project nothing is run.
rm tests .capsule.plist
status 64 "$run" GifsUITests/A
says err 'capsule init'
absent tests
