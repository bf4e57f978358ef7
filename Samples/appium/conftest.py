"""Each test starts with the same data in the app's container. The tests' own fixture `driver` returns Appium's driver."""

import os
import subprocess

import pytest

# Change these, or set them in the environment.
# The app's bundle identifier.
APP = os.environ.get("CAPSULE_APP", "com.example.gifs")
# The version in the project's capsule.
VERSION = os.environ.get("CAPSULE_VERSION", "@clean")


@pytest.fixture(autouse=True)
def clean_data(driver):
    driver.terminate_app(APP)
    # Each worker has its own simulator; capsule restores the container there.
    environment = {**os.environ, "SIMULATOR_UDID": driver.capabilities["udid"]}
    subprocess.run(["capsule", "restore", "-q", VERSION], env=environment, check=True)
    driver.activate_app(APP)
