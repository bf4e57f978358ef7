#!/usr/bin/env python3
"""Run Docker's registry (Debian's docker-registry) on a directory, with TLS, a password or tokens if wanted.

usage: registry.py DIR [--tls] [--htpasswd USER:PASSWORD | --token [--token-host HOST]] [--ready FILE]

DIR        its blobs (DIR/data), configuration, output (DIR/registry.log) and certificates
--tls      https, with a private authority: DIR/ca.crt
--htpasswd one user, with Basic authorization
--token    Bearer authorization by a token service in this process: without credentials tokens to pull, for ann:secret, or for the
           identity token `identity` (POST, grant_type=refresh_token), to push as well; its requests are in DIR/tokens.log
--token-host HOST  the realm's host, such as localhost: the registry itself is told as 127.0.0.1

serving.py says how it tells its port and how it ends; the object has port, url, and with --tls ca, with --token realm.
Status 77, with the reason, if there is no docker-registry, neither in PATH nor where .ci/setup puts it.
"""
import argparse
import base64
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import warnings

import faulty_http
import serving

# Where .ci/setup puts it.
UNPACKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/tools/usr/bin")
FULL = {"ann:secret", "identity"}


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options).stdout


def text_of(data):
    """Base64 for URLs."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Tokens(faulty_http.Handler):
    """The token service: GET with Basic authorization or none, POST with an identity token."""

    def route(self):
        form = urllib.parse.parse_qs(self.body.decode() if self.command == "POST" else self.query)
        who = form.get("refresh_token", [""])[0]
        if self.headers.get("Authorization"):
            who = base64.b64decode(self.headers["Authorization"].split()[1]).decode()
        if who and who not in FULL:
            return self.refuse(401, "UNAUTHORIZED", "wrong credentials")
        access = []
        for scope in " ".join(form.get("scope", [])).split():
            kind, name, actions = scope.split(":", 2)
            access.append({"type": kind, "name": name, "actions": [one for one in actions.split(",") if who or one == "pull"]})
        now = int(time.time())
        head = {"typ": "JWT", "alg": "RS256", "x5c": [self.site.certificate]}
        claims = {"iss": "tokens", "sub": who.partition(":")[0], "aud": form.get("service", [""])[0], "exp": now + 300,
                  "nbf": now - 10, "iat": now, "jti": os.urandom(8).hex(), "access": access}
        text = ".".join(text_of(json.dumps(part).encode()) for part in (head, claims))
        signature = openssl("dgst", "-sha256", "-sign", self.site.key, input=text.encode())
        answer = json.dumps({"token": text + "." + text_of(signature), "expires_in": 300})
        self.answer(200, [("Content-Type", "application/json")], answer.encode())


def token_site(options, path):
    """The token service, listening."""
    settings = argparse.Namespace(tls=options.directory if options.tls else None, log=path("tokens.log"), fault=[], script=None)
    site = faulty_http.Site(Tokens, settings, foreign=())
    site.key = path("token.key")
    if not os.path.exists(path("token.crt")):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=tokens", "-keyout", site.key,
                "-out", path("token.crt"))
    site.certificate = base64.b64encode(openssl("x509", "-in", path("token.crt"), "-outform", "DER")).decode()
    site.listen("main")
    return site


def bcrypt(password):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            import crypt
            return crypt.crypt(password, crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=16))
        except (ImportError, AttributeError):
            skip("this Python's crypt has no bcrypt")


def skip(reason):
    print(reason)
    sys.exit(77)


def die_with_parent():
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--tls", action="store_true")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--htpasswd")
    how.add_argument("--token", action="store_true")
    parser.add_argument("--token-host", default="127.0.0.1")
    parser.add_argument("--ready")
    options = parser.parse_args()
    program = shutil.which("docker-registry") or shutil.which("docker-registry", path=UNPACKED)
    if not program:
        skip("there is no docker-registry in PATH")
    os.makedirs(options.directory, exist_ok=True)
    options.directory = os.path.abspath(options.directory)
    path = lambda name: os.path.join(options.directory, name)
    facts = {}
    settings = {"version": 0.1, "log": {"level": "info"}, "http": {"addr": "127.0.0.1:0", "secret": "x"},
                "storage": {"filesystem": {"rootdirectory": path("data")}, "delete": {"enabled": True}}}
    if options.tls:
        facts["ca"], certificate, key = serving.make_certificates(options.directory)
        settings["http"]["tls"] = {"certificate": certificate, "key": key}
    if options.htpasswd:
        user, _, password = options.htpasswd.partition(":")
        with open(path("htpasswd"), "w", encoding="utf-8") as file:
            file.write(f"{user}:{bcrypt(password)}\n")
        settings["auth"] = {"htpasswd": {"realm": "registry", "path": path("htpasswd")}}
    if options.token:
        facts["realm"] = token_site(options, path).url("main", options.token_host) + "/token"
        settings["auth"] = {"token": {"realm": facts["realm"], "service": "registry", "issuer": "tokens",
                                      "rootcertbundle": path("token.crt")}}
    with open(path("config.yml"), "w", encoding="utf-8") as file:
        json.dump(settings, file)  # JSON is YAML.
    with open(path("registry.log"), "wb") as log:
        child = subprocess.Popen([program, "serve", path("config.yml")], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 preexec_fn=die_with_parent)
    found, deadline = None, time.monotonic() + 60
    while not found:
        with open(path("registry.log"), encoding="utf-8", errors="replace") as file:
            output = file.read()
        found = re.search(r"listening on 127\.0\.0\.1:(\d+)", output)
        if child.poll() is not None or time.monotonic() > deadline:
            child.kill()
            sys.exit("registry.py: docker-registry does not start:\n" + output)
        time.sleep(0.02)
    port = int(found[1])
    facts = {"port": port, "url": f"http{'s' if options.tls else ''}://127.0.0.1:{port}", **facts}
    serving.announce(facts, options.ready)

    def end():
        child.kill()
        child.wait()
    serving.until_abandoned(end)


if __name__ == "__main__":
    main()
