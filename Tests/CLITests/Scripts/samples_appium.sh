# Samples/appium: the fixture, in pytest, with a replacement for Appium's driver, on two simulators that this makes.
. "$LIB"
# Of several Pythons the first may not be the one that has it.
python=$(IFS=: && for place in $PATH; do
    [ ! -x "$place/python3" ] || ! "$place/python3" -c 'import pytest' 2> /dev/null || { echo "$place/python3" && break; }
done)
[ -n "$python" ] || skip 'pytest is not installed'
. "$TOOLS/project_samples.sh"
mkdir suite
cp "$SAMPLES/appium/conftest.py" suite
cat > suite/test_gifs.py << 'PY'
import os
import subprocess
import pytest

class Driver:
    capabilities = {"udid": os.environ["DEVICE"]}
    calls = []

    def terminate_app(self, app_id, **options):
        self.calls.append(("terminate", app_id))
        return True

    def activate_app(self, app_id):
        self.calls.append(("activate", app_id))
        return self

@pytest.fixture(scope="session")
def driver():
    return Driver()

@pytest.mark.parametrize("name", os.environ["NAMES"].split())
def test_gifs(driver, name):
    assert driver.calls[-2:] == [("terminate", "com.example.gifs"), ("activate", "com.example.gifs")]
    subprocess.run(["./a_test", name, driver.capabilities["udid"]], check=True)
PY
run() { wanted=$1 && shift && status "$wanted" env "$@" "$python" -m pytest -q -s -p no:cacheprovider suite; }
run 0 DEVICE="$first" NAMES='A B C'
wants 'A: clean' 'B: clean' 'C: clean'
# Another worker's simulator has its own container.
run 0 DEVICE="$second" NAMES=D
wants 'D: clean'
# A test that fails does not keep the others from being run, or from having their data.
run 1 DEVICE="$first" NAMES='Failing E'
says out '^1 failed, 1 passed'
wants 'Failing: clean' 'E: clean'
# Without data no test runs.
run 1 DEVICE="$first" NAMES=A CAPSULE_VERSION=@dirty
says err "capsule: error: .*dirty"
absent tests
