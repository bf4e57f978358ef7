#!/usr/bin/env python3
"""Check that the servers for tests do what they say, each fault once.

usage: check_remote_tools.py [NAME]...     all checks, or those whose names contain a NAME

Prints a line for each check that fails, and for each that can't run here (`untested: ...`). Status 0 if none fails, else 1.
"""
import base64
import concurrent.futures
import hashlib
import http.client
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = bytes(range(256)) * 1200
BASIC = {"Authorization": "Basic " + base64.b64encode(b"ann:secret").decode()}
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
ACCEPT = {"Accept": f"{MANIFEST}, {INDEX}"}


class Tool:
    """A running server, in a directory of its own."""

    def __init__(self, name, *arguments, log=True):
        self.place = tempfile.mkdtemp(dir=Tool.top)
        self.log = os.path.join(self.place, "log")
        arguments = [str(one).replace("HERE", self.place) for one in arguments] + (["--log", self.log] if log else [])
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, name + ".py"), *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline()
        if not first.strip().isdigit():
            self.stop()
            raise Unavailable(first.strip()) if self.process.returncode == 77 else AssertionError("does not start: " + first)
        self.facts = json.loads(self.process.stdout.readline())
        self.url, self.ca = self.facts["url"], self.facts.get("ca")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Closes its standard input, by which it ends."""
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()

    def ask(self, path="/f", method="GET", headers=(), body=None, faults=None):
        """An answer's status, headers and body, and the error in the middle of the body; `path` may be a URL."""
        if faults is not None:
            assert self.ask("/_faults", "PUT", body=json.dumps(faults))[0] == 204
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(self.url, path))
        if parts.scheme == "https":
            line = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=60,
                                               context=ssl.create_default_context(cafile=self.ca))
        else:
            line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        error, data = None, b""
        line.request(method, parts._replace(scheme="", netloc="").geturl(), body, dict(headers))
        answer = line.getresponse()
        try:
            while len(data) < 3_000_000:
                piece = answer.read1(65536)
                if not piece:
                    break
                data += piece
            if answer.length:
                error = EOFError(f"{answer.length} bytes are missing")
        except (OSError, http.client.HTTPException) as failure:
            error = failure
        line.close()
        return answer.status, answer.headers, data, error

    def bytes(self, span, **options):
        """The answer to a range."""
        return self.ask(headers={"Range": "bytes=" + span}, **options)

    def logged(self):
        with open(self.log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Unavailable(Exception):
    pass


def web(*arguments):
    tool = Tool("web_server", "HERE", *arguments)
    with open(os.path.join(tool.place, "f"), "wb") as file:
        file.write(DATA)
    return tool


def raises(kind, call):
    try:
        call()
    except kind:
        return True
    return False


def check_files():
    with web() as tool:
        status, headers, data, _ = tool.ask()
        assert (status, data, headers["Content-Length"]) == (200, DATA, str(len(DATA)))
        etag = headers["ETag"]
        status, headers, data, _ = tool.bytes("5-9")
        assert (status, data, headers["Content-Range"]) == (206, DATA[5:10], f"bytes 5-9/{len(DATA)}")
        assert tool.bytes("-7")[2] == DATA[-7:] and tool.bytes("100-")[2] == DATA[100:]
        assert tool.bytes("999999-")[0] == 416 and tool.bytes("1-2,5-6")[0] == 400
        assert tool.ask(headers={"Range": "bytes=0-0", "If-Range": etag})[0] == 206
        assert tool.ask(headers={"Range": "bytes=0-0", "If-Range": '"other"'})[0] == 200
        assert tool.ask(headers={"If-None-Match": etag})[0] == 304
        assert tool.ask("/g")[0] == tool.ask("/%2e%2e/f")[0] == 404
        status, headers, data, _ = tool.ask(method="HEAD")
        assert (status, headers["Content-Length"], data) == (200, str(len(DATA)), b"")
        last = tool.logged()[1]
        assert (last["method"], last["path"], last["range"], last["status"], last["sent"]) == ("GET", "/f", "bytes=5-9", 206, 5)


def check_web_faults():
    with web() as tool:
        assert tool.bytes("5-9", faults=["no-ranges"])[::2] == (200, DATA)
        assert tool.bytes("-9", faults=["no-suffix"])[0] == 200 and tool.bytes("5-9")[0] == 206
        assert tool.bytes("-9", faults=["no-suffix,status=416"])[0] == 416
        for part, wanted in (("start", "bytes 6-9/307200"), ("end", "bytes 5-10/307200"), ("total", "bytes 5-9/307201"),
                             ("unit", "items 5-9/307200"), ("missing", None)):
            found = tool.bytes("5-9", faults=["wrong-range,part=" + part])[1]["Content-Range"]
            assert found == wanted, found
        status, headers, data, error = tool.ask(faults=["short,bytes=70000"])
        assert len(data) == 70000 and error and headers["Content-Length"] == str(len(DATA))
        status, _, data, error = tool.ask(faults=["reset,bytes=10"])
        assert len(data) == 10 and isinstance(error, ConnectionResetError), error
        assert len(tool.ask(faults=["stall,bytes=10,seconds=0"])[2]) == 10
        data = tool.ask(faults=["flip,at=70000"])[2]
        assert [n for n in range(len(DATA)) if data[n] != DATA[n]] == [70000]
        assert [tool.ask(faults=["busy"])[0], tool.ask()[0], tool.ask()[0]] == [503, 503, 200]
        status, headers, _, _ = tool.ask(faults=["limit"])
        assert (status, headers["Retry-After"]) == (429, "1") and tool.ask()[0] == 200
        assert raises(http.client.RemoteDisconnected, lambda: tool.ask(faults=["drop"]))
        before = time.monotonic()
        assert tool.bytes("0-39", faults=["slow,bytes=10,ms=20"])[2] == DATA[:40] and time.monotonic() - before > 0.06
        assert len(tool.ask(faults=["endless"])[2]) >= 3_000_000
        assert raises(http.client.HTTPException, lambda: tool.ask(faults=["huge-headers"]))
        assert tool.ask(faults=["header,name=Content-Encoding,value=gzip"])[1]["Content-Encoding"] == "gzip"
        etag = tool.ask(faults=["changed,skip=1"])[1]["ETag"]
        assert tool.ask(headers={"Range": "bytes=0-0", "If-Range": etag})[0] == 200
        assert tool.ask(faults=["changed,content=1"])[2][1:] == DATA[1:]
        assert tool.ask(faults=["weak"])[1]["ETag"].startswith("W/") and not tool.ask(faults=["no-etag"])[1]["ETag"]
        tool.ask(faults=[])
        assert len(tool.ask("/f?fault=short,bytes=9&fault=header,name=A,value=b")[2]) == 9 and tool.ask()[2] == DATA
        assert raises(http.client.RemoteDisconnected, lambda: tool.ask("/f?fault=drop,times=1"))
        assert tool.ask("/f?fault=drop,times=1")[0] == 200


def check_redirects():
    with web("--fault", "redirect,path=/f") as tool:
        status, headers, _, _ = tool.ask(headers=BASIC)
        place = headers["Location"]
        assert status == 302 and place == f"http://localhost:{tool.facts['servers']['other'].rpartition(':')[2]}/f"
        assert tool.ask(place)[2] == DATA and tool.ask(place, headers=BASIC)[0] == 400
        assert ["authorization" in one["headers"] for one in tool.logged() if one["server"] == "other"] == [False, True]
        assert tool.ask("/f?a=b", faults=["loop"])[1]["Location"] == "/f?a=b"
        assert tool.ask(faults=["redirect,to=https://example.com/x"])[1]["Location"] == "https://example.com/x"
        first, second = (tool.ask(faults=["presigned"])[1]["Location"] for _ in range(2))
        assert [tool.ask(first)[0], tool.ask(first)[0], tool.ask(second)[0]] == [200, 403, 200]
    with web("--tls", "HERE/ca", "--fault", "downgrade") as tool:
        assert tool.ask()[1]["Location"].startswith("http://localhost:")
        assert tool.ask(tool.ask()[1]["Location"])[2] == DATA
        assert raises(ssl.SSLError, lambda: ssl.create_default_context().wrap_socket(
            socket.create_connection(("127.0.0.1", tool.facts["port"])), server_hostname="localhost"))


def check_proxy():
    with web() as tool:
        for options, wanted in (([], (len(DATA), None)), (["--cut-after", "1000"], (1000, EOFError)),
                                (["--cut-after", "1000", "--reset"], (1000, ConnectionResetError)),
                                (["--cut-after", "1000", "--connection", "2"], (len(DATA), None))):
            with Tool("latency_proxy", tool.facts["port"], "--rtt", "40", *options) as proxy:
                before = time.monotonic()
                _, headers, data, error = proxy.ask(headers={"Connection": "close"})
                assert time.monotonic() - before > 0.08
                head = wanted[0] if wanted[1] is None else wanted[0] - sum(len(f"{k}: {v}\r\n") for k, v in headers.items()) - 19
                assert (len(data), type(error)) == (head, wanted[1] or type(None)), (options, len(data), head, error)
                if options[2:3] == ["--connection"]:
                    assert proxy.ask()[3]
            lines = proxy.logged()
            assert [one["cut"] for one in lines] == ([False] if not options else [True] if len(options) < 4 else [False, True])
            assert lines[-1]["answered"] == (1000 if options else wanted[0] + lines[-1]["answered"] - len(data))
        with Tool("latency_proxy", tool.facts["port"], "--cut-after", "0", "--stall") as proxy:
            line = socket.create_connection(("127.0.0.1", proxy.facts["port"]))
            line.sendall(b"GET /f HTTP/1.0\r\n\r\n")
            line.settimeout(0.2)
            assert raises(socket.timeout, lambda: line.recv(1))


def blob(data):
    return {"mediaType": "application/x", "digest": "sha256:" + hashlib.sha256(data).hexdigest(), "size": len(data)}


def push(tool, layers, tag="latest", headers=(), extra=(), name="a/b"):
    """Pushes an artifact: the answer to the manifest's PUT, and the manifest."""
    config = b"{}"
    for data in [config, *layers]:
        status, place, _, _ = tool.ask(f"/v2/{name}/blobs/uploads/", "POST", headers)
        assert status == 202, status
        place = urllib.parse.urljoin(f"{tool.url}/v2/{name}/blobs/uploads/", place["Location"])
        place += ("&" if "?" in place else "?") + urllib.parse.urlencode({"digest": blob(data)["digest"]})
        foreign = not place.startswith(tool.url)
        assert tool.ask(place, "PUT", {} if foreign else headers, data)[0] == 201
    document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": blob(config), "layers": [blob(one) for one in layers],
                **dict(extra)}
    body = json.dumps(document).encode()
    return tool.ask(f"/v2/{name}/manifests/{tag}", "PUT", {"Content-Type": MANIFEST, **dict(headers)}, body), body


def code(answer):
    return answer[0], json.loads(answer[2])["errors"][0]["code"]


def check_registry():
    for options, headers in (([], {}), (["--tls"], {}), (["--htpasswd", "ann:secret"], BASIC),
                             (["--tls", "--token", "--token-host", "localhost"], None)):
        with Tool("registry", "HERE", *options, log=False) as tool:
            if headers is None:
                status, refused, _, _ = tool.ask("/v2/a/b/tags/list")
                assert status == 401 and f'realm="{tool.facts["realm"]}"' in refused["WWW-Authenticate"]
                query = "?service=registry&scope=repository:a/b:pull,push"
                tokens = [json.loads(tool.ask(tool.facts["realm"] + query, headers=one)[2])["token"] for one in ({}, BASIC)]
                anonymous, headers = ({"Authorization": "Bearer " + one} for one in tokens)
                assert tool.ask("/v2/a/b/blobs/uploads/", "POST", anonymous)[0] == 401
            elif headers:
                assert tool.ask("/v2/")[0] == 401
            answer, body = push(tool, [DATA, b"tail"], headers=headers)
            assert answer[0] == 201, answer
            assert tool.ask("/v2/a/b/manifests/latest", headers={**headers, **ACCEPT})[2] == body
            wanted = {**headers, "Range": "bytes=5-9"}
            assert tool.ask(f"/v2/a/b/blobs/{blob(DATA)['digest']}", headers=wanted)[::2] == (206, DATA[5:10])


def check_fake_registry():
    latest = "/v2/a/b/manifests/latest"
    layer = "/v2/a/b/blobs/" + blob(DATA)["digest"]
    with Tool("fake_registry", "HERE/store") as tool:
        def get(faults=None, **options):
            return tool.ask(latest, headers=ACCEPT, faults=faults, **options)

        def put(*faults, **options):
            tool.ask("/v2/", faults=faults)
            return push(tool, [DATA, b"tail"], **options)

        answer, body = put()
        assert answer[0] == 201 and get()[2] == body and tool.ask(latest)[0] == 404
        status, headers, _, _ = tool.ask(latest, headers={**ACCEPT, "If-None-Match": get()[1]["ETag"]})
        assert status == 304 and tool.ask(latest, "HEAD", ACCEPT)[1]["Docker-Content-Digest"] == blob(body)["digest"]
        assert tool.ask(layer)[2] == DATA and tool.ask(layer + "0")[0] == 400
        for where in ("relative", "storage"):
            assert put("location,to=" + where, headers=BASIC)[0][0] == 201
        assert tool.ask("/v2/a/b/blobs/uploads/", "POST", faults=["location,to=missing"])[1]["Location"] is None
        assert tool.ask("/v2/a/b/blobs/uploads/", "POST", faults=["location,to=bare"])[1]["Location"].startswith("127.0.0.1:")
        mount = f"/v2/e/blobs/uploads/?from=a/b&mount={blob(DATA)['digest']}"
        assert [tool.ask(mount, "POST", faults=["no-mount"])[0], tool.ask(mount, "POST", faults=[])[0]] == [202, 201]
        assert tool.ask("/v2/a/b/blobs/uploads/abc", "PATCH", body=b"x")[0] == 416

        place = tool.ask(layer, faults=["redirect"])
        assert place[0] == 307 and tool.ask(place[1]["Location"])[2] == DATA
        assert tool.ask(place[1]["Location"], headers=BASIC)[0] == 400
        place = tool.ask(layer, faults=["presigned"])[1]["Location"]
        assert [tool.ask(place)[0], tool.ask(place)[0]] == [200, 403]
        assert tool.ask(layer, headers={"Range": "bytes=1-2"}, faults=["no-ranges,path=*/blobs/*"])[0] == 200
        assert tool.ask(layer, faults=["encoded"])[1]["Content-Encoding"] == "gzip"
        assert code(tool.ask(layer, faults=["limit"])) == (429, "UNKNOWN")

        artifact = {"extra": {"artifactType": "application/x"}}
        data = {"extra": {"layers": [{**blob(b"tail"), "data": "dGFpbA=="}]}}
        assert code(put("gitlab")[0]) == (400, "MANIFEST_INVALID") and code(put("ecr", **artifact)[0]) == (405, "UNSUPPORTED")
        assert put("ecr")[0][0] == 201 and put("refuse,what=data")[0][0] == 201 and put("refuse,what=data", **data)[0][0] == 400
        assert put("refuse,what=layers,limit=1")[0][0] == 400
        assert code(put("blob-unknown")[0]) == (400, "MANIFEST_BLOB_UNKNOWN")
        assert code(put(extra={"annotations": {"x": "y" * (4 << 20)}})[0])[1] == "MANIFEST_INVALID"
        assert put(tag="other", extra={"annotations": {"x": "y"}})[0][0] == 201 and put()[0][0] == 201
        assert put("immutable")[0][0] == 201 and code(put("immutable", **artifact)[0]) == (400, "TAG_INVALID")
        assert put("if-match", headers={"If-Match": '"x"'})[0][0] == 412

        other = tool.ask("/v2/a/b/manifests/other", headers=ACCEPT)[2]
        assert [get(["moved,to=other"])[2], get()[2]] == [body, other]
        assert put("moved,to=other,method=PUT")[0][0] == 201 and get()[2] == other and put()[0][0] == 201
        assert json.loads(get(["urls"])[2])["layers"][0]["urls"][0].startswith("http://localhost:")
        assert set(json.loads(get(["both"])[2])) >= {"layers", "manifests"}
        answer = get(["index"])
        assert answer[1]["Content-Type"] == INDEX and json.loads(answer[2])["manifests"][0]["digest"] == blob(body)["digest"]
        assert len(get(["giant-manifest,bytes=5000"])[2]) == 5000
        wrong = "sha256:" + "0" * 64
        assert get(["header,name=Docker-Content-Digest,value=" + wrong])[1]["Docker-Content-Digest"] == wrong

        tags = "/v2/a/b/tags/list"
        assert json.loads(tool.ask(tags, faults=[])[2])["tags"] == ["latest", "other"]
        status, headers, data, _ = tool.ask(tags, faults=["page,size=1"])
        following = headers["Link"].partition(">")[0][1:]
        assert json.loads(data)["tags"] == ["latest"] and json.loads(tool.ask(following)[2])["tags"] == ["other"]
        assert tool.ask(tags, faults=["page,size=1,link=foreign"])[1]["Link"].startswith("<http://localhost:")
        assert "last" not in tool.ask(tags, faults=["page,size=1,link=loop"])[1]["Link"]
        uploads = [one for one in tool.logged() if one["server"] == "storage" and one["method"] == "PUT"]
        assert len(uploads) == 3 and not any("authorization" in one["headers"] for one in uploads)


def check_tokens():
    with Tool("fake_registry", "HERE/store", "--auth", "basic") as tool:
        assert tool.ask("/v2/")[1]["WWW-Authenticate"] == 'Basic realm="registry"' and tool.ask("/v2/", headers=BASIC)[0] == 200
    with Tool("fake_registry", "HERE/store", "--auth", "bearer", "--tls", "HERE/ca") as tool:
        def token(query="?scope=repository:a/b:pull,push", faults=(), **options):
            answer = json.loads(tool.ask("/token" + query, faults=faults, **options)[2])
            return {"Authorization": "Bearer " + answer.get("token", answer.get("access_token", ""))}

        challenge = lambda faults: tool.ask("/v2/a/b/tags/list", faults=faults)[1].get_all("WWW-Authenticate")
        assert challenge([]) == [f'Bearer realm="{tool.url}/token",service="fake, \\"registry\\"",scope="repository:a/b:pull"']
        assert 'realm="https://localhost:' in challenge(["realm,to=token"])[0]
        assert 'realm="http://localhost:' in challenge(["realm,to=plain"])[0] and "//ann@" in challenge(["realm,to=userinfo"])[0]
        assert '/token#x"' in challenge(["realm,to=fragment"])[0] and len(challenge(["challenges"])) == 2
        assert 'realm="https://10.0.0.1/x"' in challenge(["realm,to=https://10.0.0.1/x"])[0]
        assert push(tool, [DATA], headers=token(headers=BASIC))[0][0] == 201
        anonymous = token()
        assert tool.ask("/v2/a/b/manifests/latest", headers={**ACCEPT, **anonymous})[0] == 200
        refused = tool.ask("/v2/a/b/blobs/uploads/", "POST", anonymous)
        assert refused[0] == 401 and "insufficient_scope" in refused[1]["WWW-Authenticate"]
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        refreshed = token("", method="POST", headers=form, body="refresh_token=identity&scope=repository:a/b:push")
        assert tool.ask("/v2/a/b/blobs/uploads/", "POST", refreshed)[0] == 202
        assert len(token(faults=["giant-token"])["Authorization"]) > 2_000_000
        assert len(token(faults=["access-token"])["Authorization"]) > 40
        once = token(faults=["token-uses,uses=1"])
        assert [tool.ask("/v2/", headers=once)[0] for _ in range(2)] == [200, 401]
        assert tool.ask("/token", faults=["redirect,path=/token,to=token"])[1]["Location"].startswith("https://localhost:")
        assert tool.ask("/token", headers={"Authorization": "Basic eDp5"}, faults=[])[0] == 401


def has_ended(name, port):
    deadline = time.monotonic() + 60
    while not raises(OSError, lambda: socket.create_connection(("127.0.0.1", port)).close()):
        assert time.monotonic() < deadline, name + " goes on"
        time.sleep(0.05)


def check_ends():
    """No server outlives its parent, even if that is killed and its input stays open."""
    for name, arguments in (("web_server", ["."]), ("latency_proxy", ["1"]), ("registry", [Tool.top + "/ends"])):
        reading, writing = os.pipe()
        run = [sys.executable, "-c", "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(60)",
               sys.executable, os.path.join(HERE, name + ".py"), *arguments]
        with subprocess.Popen(run, stdin=reading, stdout=subprocess.PIPE, text=True) as parent:
            port = parent.stdout.readline().strip()
            parent.kill()
        if port.isdigit():
            has_ended(name, int(port))
        os.close(reading)
        os.close(writing)
    with Tool("registry", "HERE", log=False) as tool:
        tool.process.kill()
        has_ended("docker-registry", tool.facts["port"])


def result(item):
    """What there is to say of a check."""
    try:
        item[1]()
    except Unavailable as reason:
        return f"untested: {item[0]}: {reason}"
    except Exception:
        return f"FAILED: {item[0]}\n{traceback.format_exc()}"
    return ""


def main():
    checks = [(name, check) for name, check in globals().items() if name.startswith("check_")
              and (not sys.argv[1:] or any(one in name for one in sys.argv[1:]))]
    with tempfile.TemporaryDirectory() as Tool.top, concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = [text for text in pool.map(result, checks) if text]
    for text in results:
        print(text)
    sys.exit(1 if any(text.startswith("FAILED") for text in results) else 0)


if __name__ == "__main__":
    main()
