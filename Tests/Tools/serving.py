#!/usr/bin/env python3
"""How a server for tests starts and ends, and its certificates. A library for the servers here, which listen on 127.0.0.1 alone.

Ports are chosen by the kernel. The first line of a server's standard output is its port, the second one a JSON object with all that a
test has to know, above all `url` and, with TLS, `ca`; with --ready FILE the object is also written there. The server ends when its
standard input or its parent does, so it wants a standard input that stays open.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

PARENT = os.getppid()


def announce(facts, ready=None):
    """Tells where the server is."""
    text = json.dumps(facts)
    if ready:
        with open(ready + ".new", "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.rename(ready + ".new", ready)
    sys.stdout.write(f"{facts['port']}\n{text}\n")
    sys.stdout.flush()


def until_abandoned(cleanup=lambda: None):
    """Ends the process, after `cleanup`, when standard input or the parent ends, or by a signal. Called by the main thread."""
    once = threading.Lock()

    def end(*_):
        if once.acquire(blocking=False):
            cleanup()
            os._exit(0)

    def watch():
        while os.getppid() == PARENT:
            time.sleep(0.2)
        end()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    threading.Thread(target=watch, daemon=True).start()
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    end()
    threading.Event().wait()


def make_certificates(directory):
    """A private authority and a certificate for localhost and 127.0.0.1, in `directory`: the paths of ca.crt, srv.crt, srv.key."""
    os.makedirs(directory, exist_ok=True)
    path = lambda name: os.path.join(directory, name)
    if not os.path.exists(path("srv.crt")):
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        with open(path("srv.ext"), "w", encoding="ascii") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
                       "basicConstraints=CA:FALSE\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n")
        for command in (
            ["req", "-x509", *key, "-days", "30", "-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign",
             "-keyout", path("ca.key"), "-out", path("ca.crt")],
            ["req", "-new", *key, "-subj", "/CN=localhost", "-keyout", path("srv.key"), "-out", path("srv.csr")],
            ["x509", "-req", "-days", "30", "-in", path("srv.csr"), "-CA", path("ca.crt"), "-CAkey", path("ca.key"),
             "-CAcreateserial", "-extfile", path("srv.ext"), "-out", path("srv.crt")],
        ):
            subprocess.run(["openssl", *command], check=True, capture_output=True)
    return path("ca.crt"), path("srv.crt"), path("srv.key")
