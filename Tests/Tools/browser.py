"""A headless Chromium that is spoken to over a pipe by the DevTools protocol (chromedevtools.github.io), nothing installed.

The browser has a directory of its own for all that it writes, is stopped after a time, and leaves nothing behind.
"""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = (
    "--headless", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
    "--disable-extensions", "--disable-sync", "--disable-breakpad", "--disable-crash-reporter", "--metrics-recording-only",
    "--mute-audio", "--no-pings", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND", "--force-color-profile=srgb",
    "--font-render-hinting=none")


class BrowserError(Exception):
    """The browser did not do what it was asked to, or not in time."""


def find():
    """The path of a Chromium, or None."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return MAC if os.access(MAC, os.X_OK) else None


class Browser:
    """A browser that lives as long as the `with` does."""

    def __init__(self, program, seconds):
        self.program, self.deadline = program, time.monotonic() + seconds
        self.number, self.pending, self.events, self.session = 0, b"", [], None

    def __enter__(self):
        # The browser makes a socket deep in it, whose path may have 107 bytes.
        self.directory = tempfile.mkdtemp(prefix="b-")
        try:
            self.start()
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self.output, self.input = ours_out, ours_in
        environment = dict(os.environ, HOME=self.directory, TMPDIR=self.directory, XDG_CONFIG_HOME=self.directory,
                           XDG_CACHE_HOME=self.directory, XDG_RUNTIME_DIR=self.directory)
        arguments = [self.program, *FLAGS, "--user-data-dir=" + os.path.join(self.directory, "profile")]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        # The browser reads from 3 and writes to 4: a shell puts the pipes there, whatever their numbers are.
        line = 'in=$1 out=$2; shift 2; eval "exec 7<&$in 8>&$out"; exec 3<&7 4>&8 7<&- 8>&-; exec "$@"'
        try:
            self.process = subprocess.Popen(
                ["sh", "-c", line, "sh", str(theirs_in), str(theirs_out), *arguments], env=environment, cwd=self.directory,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(theirs_in, theirs_out),
                start_new_session=True)
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def __exit__(self, *_):
        process = getattr(self, "process", None)
        if process:
            try:
                self.session = None
                self.deadline = time.monotonic() + 5
                self.call("Browser.close")
                process.wait(timeout=5)
            except (BrowserError, OSError, subprocess.TimeoutExpired):
                pass
            try:
                # Its session is its own: whatever it started is in it.
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            process.wait()
            os.close(self.output)
            os.close(self.input)
        for _ in range(20):
            shutil.rmtree(self.directory, ignore_errors=True)
            if not os.path.exists(self.directory):
                break
            time.sleep(0.1)

    def call(self, method, **parameters):
        """What the browser answers; events that come before the answer are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            self.wait([], [self.output], method)
            data = data[os.write(self.output, data[:32_768]):]
        while True:
            answer = self.message(method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return answer.get("result", {})

    def go(self, url):
        """Goes to another page and waits until it is loaded: the answer of Page.navigate."""
        answer = self.call("Page.navigate", url=url)
        # The page before may still be sending its own events: a load counts with the loader that was answered.
        loaded = {"loaderId": answer.get("loaderId"), "name": "load"}
        while "errorText" not in answer:
            if any(event["method"] == "Page.lifecycleEvent" and loaded.items() <= event["params"].items() for event in self.events):
                break
            self.message("loading " + url[:80])
        return answer

    def settle(self, seconds=0.1):
        """Lets events come for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if b"\0" in self.pending or select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                self.message("settling")

    def message(self, purpose):
        while b"\0" not in self.pending:
            self.wait([self.input], [], purpose)
            data = os.read(self.input, 1 << 20)
            if not data:
                raise BrowserError(f"the browser went away at {purpose}")
            self.pending += data
        text, _, self.pending = self.pending.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def wait(self, reading, writing, purpose):
        left = self.deadline - time.monotonic()
        if left <= 0 or not any(select.select(reading, writing, [], left)):
            raise BrowserError(f"no time left at {purpose}")

    def evaluate(self, expression):
        """The value of an expression of the page's, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression[:80]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")
