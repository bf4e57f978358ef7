#!/usr/bin/env python3
"""HTTP servers with faults and a log of requests. A library; web_server.py and fake_registry.py are the servers. serving.py says how
they start and end.

A fault is NAME[,KEY=VALUE]..., or in a JSON file a list of {"fault": NAME, KEY: VALUE, ...}. These keys say which requests it meets:
method, path (a pattern as a shell's), server (main, other, ...), ranged (1: only those with Range); skip=N lets N of those pass, and
times=N ends it after N more. All that match a request apply. `PUT /_faults` with a JSON list replaces them and counts anew.

    status,status=S        S instead of an answer; retry_after=SECONDS, code=, message=
    busy, limit            503, twice; 429 with Retry-After: 1, once
    drop                   closes the connection without an answer
    redirect,to=WHERE      302 (or status=) to the same path on the server WHERE (other), or to a URL; host= (localhost)
    loop, downgrade        redirects to itself, and from https to http
    presigned              redirects to a URL on another server that is good for uses=N requests (1), then 403
    no-ranges, no-suffix   200 to Range; to `bytes=-N` only (status=S: refused)
    wrong-range,part=P     Content-Range is wrong by one in start, end or total, or of another unit, or missing
    short, reset, stall    bytes=N of the body (half of it), then the connection is closed, is reset, says nothing for seconds=60
    flip                   the lowest bit of the byte at=OFFSET of the file (its middle)
    slow                   bytes=N (1024) at a time, ms=M (100) between them
    endless                the body without a length, again and again
    huge-headers           kilobytes=N (1024) of them
    header,name=N,value=V  replaces a header of the answer or adds one

--log FILE gets a JSON object a line for each request, before the last byte of its answer leaves, and before the first one if the body
has at most 64 KiB: time in seconds, server, connection (the client's port), method, path, query, range, status, sent and received
(bytes of the bodies), headers, faults.
"""
import fnmatch
import http
import http.server
import itertools
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

import serving

PIECE = 65536
MAIN = {"server": "main"}
ALIASES = {
    "busy": {"fault": "status", "status": 503, "times": 2},
    "limit": {"fault": "status", "status": 429, "retry_after": 1, "times": 1},
    "redirect": MAIN, "presigned": MAIN, "loop": {"fault": "redirect", "to": "loop"},
    "downgrade": {"fault": "redirect", "to": "plain", **MAIN},
}
PLAIN = ["status", "drop", "no-ranges", "no-suffix", "wrong-range", "short", "reset", "stall", "flip", "slow", "endless",
         "huge-headers", "header"]


class Rules:
    """The faults of a server, each with the number of requests that it has met."""

    def __init__(self, known):
        self.known = {**{name: {} for name in PLAIN}, **ALIASES, **known}
        self.lock = threading.Lock()
        self.rules, self.of_queries = [], {}

    def rule(self, fault):
        """A fault, as text or as a dictionary, with all that its name stands for. ValueError if there is none of that name."""
        if isinstance(fault, str):
            name, *pairs = fault.split(",")
            fault = {"fault": name, **dict(pair.split("=", 1) for pair in pairs)}
            fault = {key: int(value) if value.isdigit() else value for key, value in fault.items()}
        if fault["fault"] not in self.known:
            raise ValueError("no such fault: " + fault["fault"])
        return {**fault, **self.known[fault["fault"]], **{key: fault[key] for key in fault if key != "fault"}, "met": 0}

    def replace(self, faults):
        rules = [self.rule(fault) for fault in faults]
        with self.lock:
            self.rules, self.of_queries = rules, {}

    def take(self, server, method, path, query, ranged):
        """The rules that apply to a request, those that its query names among them."""
        def applies(rule):
            wanted = (("method", method), ("server", server), ("ranged", int(ranged)))
            if any(rule.get(key, value) != value for key, value in wanted) or not fnmatch.fnmatchcase(path, rule.get("path", "*")):
                return False
            rule["met"] += 1
            skipped = rule.get("skip", 0)
            return skipped < rule["met"] <= skipped + rule.get("times", sys.maxsize)

        with self.lock:
            asked = [self.of_queries.setdefault((path, text), self.rule(text))
                     for text in urllib.parse.parse_qs(query).get("fault", [])]
            return [rule for rule in self.rules + asked if applies(rule)]


class Site:
    """Servers that share faults and a log. `main` is the one that is asked, `foreign` are those that take no Authorization."""

    def __init__(self, handler, options, known=None, foreign=("other",)):
        self.handler, self.options, self.foreign = handler, options, foreign
        self.started, self.lock, self.numbers = time.monotonic(), threading.Lock(), itertools.count(1)
        self.rules, self.servers, self.signatures = Rules(known or {}), {}, {}
        self.log = open(options.log, "a", encoding="utf-8") if options.log else None
        faults = list(options.fault)
        if options.script:
            with open(options.script, encoding="utf-8") as file:
                faults += json.load(file)
        self.rules.replace(faults)
        self.context = None
        if options.tls:
            self.authority, certificate, key = serving.make_certificates(options.tls)
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate, key)

    def listen(self, name, plain=False):
        server = Server(self, name, None if plain else self.context)
        self.servers[name] = server
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, name, host="127.0.0.1"):
        server = self.servers[name]
        return f"{'https' if server.context else 'http'}://{host}:{server.server_address[1]}"

    def run(self, cleanup=lambda: None):
        """Tells where the servers are, and serves."""
        facts = {"port": self.servers["main"].server_address[1], "url": self.url("main")}
        facts["servers"] = {name: self.url(name) for name in self.servers}
        if self.context:
            facts["ca"] = os.path.abspath(self.authority)
        serving.announce(facts, self.options.ready)
        serving.until_abandoned(cleanup)

    def record(self, facts):
        if self.log:
            with self.lock:
                self.log.write(json.dumps({"time": round(time.monotonic() - self.started, 4), **facts}) + "\n")
                self.log.flush()

    def sign(self, uses):
        """The query of a URL that is good for so many requests."""
        with self.lock:
            name = f"{next(self.numbers):08x}"
            self.signatures[name] = uses
        return "X-Amz-Expires=1&X-Amz-Signature=" + name

    def expired(self, query):
        """Counts a use of a signed URL; true if it has no more."""
        name = urllib.parse.parse_qs(query).get("X-Amz-Signature", [None])[0]
        with self.lock:
            if name is None:
                return False
            self.signatures[name] = self.signatures.get(name, 0) - 1
            return self.signatures[name] < 0


class Server(http.server.ThreadingHTTPServer):
    """One port."""
    request_queue_size = 128

    def __init__(self, site, name, context):
        super().__init__(("127.0.0.1", 0), site.handler)
        self.site, self.name, self.context = site, name, context

    def get_request(self):
        connection, address = super().get_request()
        if self.context:  # The handshake is the connection's thread's.
            connection = self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    """A request. A subclass answers it in `route`, with `answer`, `refuse` or `send_content`."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def fault(self, name):
        """The fault of this name that meets this request, if there is one."""
        return next((rule for rule in self.faults if rule["fault"] == name), None)

    def serve(self):
        self.site, self.faults, self.body, self.sent = self.server.site, [], b"", 0
        self.path, _, self.query = self.path.partition("?")
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return self.refuse(411, "LENGTH_REQUIRED", "this server takes bodies of a known length")
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/_faults" and self.command == "PUT":
            self.site.rules.replace(json.loads(self.body))
            return self.answer(204)
        self.faults = self.site.rules.take(self.server.name, self.command, self.path, self.query, "Range" in self.headers)
        if self.fault("drop"):
            self.record(None)
            self.close_connection = True
        elif self.fault("status"):
            rule = self.fault("status")
            headers = [("Retry-After", rule["retry_after"])] if "retry_after" in rule else []
            self.refuse(rule["status"], rule.get("code", "UNKNOWN"), rule.get("message", "a fault"), headers)
        elif self.fault("presigned"):
            rule = self.fault("presigned")
            self.redirect(rule, self.site.sign(rule.get("uses", 1)))
        elif self.fault("redirect"):
            self.redirect(self.fault("redirect"), self.query)
        elif self.server.name in self.site.foreign and "Authorization" in self.headers:
            self.refuse(400, "InvalidArgument", "Authorization isn't for this server")
        elif self.site.expired(self.query):
            self.refuse(403, "AccessDenied", "Request has expired")
        else:
            self.route()

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = serve

    def redirect(self, rule, query):
        target = rule.get("to", self.site.foreign[0])
        path = self.path + (f"?{query}" if query else "")
        if target == "loop":
            target = path
        elif "://" not in target:
            target = self.site.url(target, rule.get("host", "localhost")) + path
        self.answer(rule.get("status", 302), [("Location", target)])

    def refuse(self, status, code, message, headers=()):
        """An error in the form of S3."""
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
        self.answer(status, [("Content-Type", "application/xml"), *headers], body)

    def record(self, status):
        headers = {}
        for key, value in self.headers.items():
            headers[key.lower()] = headers[key.lower()] + ", " + value if key.lower() in headers else value
        self.site.record({
            "server": self.server.name, "connection": self.client_address[1], "method": self.command, "path": self.path,
            "query": self.query, "range": self.headers.get("Range"), "status": status, "sent": self.sent,
            "received": len(self.body), "headers": headers, "faults": [rule["fault"] for rule in self.faults]})

    def answer(self, status, headers=(), body=b"", length=None):
        """Answers with `body`, bytes or an iterator of bytes. `length` is announced; False announces none."""
        headers = list(headers)
        for rule in self.faults:
            if rule["fault"] == "header":
                headers = [pair for pair in headers if pair[0].lower() != rule["name"].lower()] + [(rule["name"], rule["value"])]
            if rule["fault"] == "huge-headers":
                headers += [(f"X-Filler-{n}", "x" * 1000) for n in range(rule.get("kilobytes", 1024))]
        if isinstance(body, bytes):
            length, body = len(body) if length is None else length, [body] if body else []
        if length is False:
            self.close_connection = True
            headers.append(("Connection", "close"))
        elif status not in (204, 304):
            headers.append(("Content-Length", length))
        known = {one.value: one.phrase for one in http.HTTPStatus}
        head = [f"HTTP/1.1 {status} {known.get(status, 'Unknown')}", *(f"{key}: {value}" for key, value in headers), "", ""]
        waiting, pending = "\r\n".join(head).encode(), 0
        recorded = self.path == "/_faults"
        try:
            for piece in body if self.command != "HEAD" else []:
                if pending:
                    self.wfile.write(waiting)
                    self.sent += pending
                    waiting = b""
                waiting, pending = waiting + piece, len(piece)
            self.sent += pending
            if not recorded:
                self.record(status)
            recorded = True
            self.wfile.write(waiting)
        except OSError:
            self.close_connection = True
            if not recorded:
                self.record(status)

    def ranged(self, total, etag):
        """The bytes that are asked for, as (start, end), None for all, or the status that refuses them."""
        asked, suffix = self.headers.get("Range", ""), self.fault("no-suffix")
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
        if not asked or self.fault("no-ranges") or self.headers.get("If-Range", etag) != etag:
            return None
        if not found or found[0] == "bytes=-":
            return 400  # Several ranges, as at Google's storage.
        if not found[1]:
            if suffix:
                return suffix["status"] if suffix.get("status", 200) != 200 else None
            return (max(0, total - int(found[2])), total) if int(found[2]) and total else 416
        start, end = int(found[1]), min(total, int(found[2] or total) + 1)
        return (start, end) if start < end else 416

    def send_content(self, data, headers, etag=None):
        """Answers GET or HEAD with `data` or a range of it, and with what faults make of it."""
        total, status = len(data), 200
        headers = [*headers, ("Accept-Ranges", "none" if self.fault("no-ranges") else "bytes")] + ([("ETag", etag)] if etag else [])
        wanted = self.ranged(total, etag)
        if isinstance(wanted, int):
            return self.refuse(wanted, "InvalidRange", "the range can't be had", [("Content-Range", f"bytes */{total}")])
        start, end = wanted or (0, total)
        if wanted:
            status = 206
            shown = {"unit": "bytes", "start": start, "end": end - 1, "total": total}
            wrong = (self.fault("wrong-range") or {}).get("part", "start" if self.fault("wrong-range") else None)
            if wrong:
                shown[wrong] = "items" if wrong == "unit" else shown.get(wrong, 0) + 1
            if wrong != "missing":
                headers.append(("Content-Range", "{unit} {start}-{end}/{total}".format(**shown)))
        cut = self.fault("short") or self.fault("reset") or self.fault("stall")
        stop = min(end, start + cut.get("bytes", (end - start) // 2)) if cut else end
        body, length = self.pieces(data, start, stop), end - start
        if self.fault("endless"):
            body, length = itertools.chain.from_iterable(self.pieces(data, start, end) for _ in itertools.count()), False
        self.answer(status, headers, body, length)
        if cut and self.command != "HEAD":
            self.close_connection = True
            if cut["fault"] == "stall":
                time.sleep(cut.get("seconds", 60))
            if cut["fault"] == "reset":
                time.sleep(0.05)  # The client gets the bytes first.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                os.close(self.connection.detach())

    def pieces(self, data, start, end):
        """Bytes of `data`, with a flipped bit and slowly if faults say so."""
        slow, flip = self.fault("slow"), self.fault("flip")
        step = slow.get("bytes", 1024) if slow else PIECE
        at = flip.get("at", len(data) // 2) if flip else -1
        for position in range(start, end, step):
            piece = data[position:min(end, position + step)]
            if position <= at < position + len(piece):
                piece = bytearray(piece)
                piece[at - position] ^= 1
            yield bytes(piece)
            if slow:
                time.sleep(slow.get("ms", 100) / 1000)


def add_options(parser):
    """The options that all servers have."""
    parser.add_argument("--tls", metavar="DIR", help="https, with a private authority that is made in DIR")
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--script", metavar="FILE", help="a JSON list of faults")
    parser.add_argument("--log", metavar="FILE")
    parser.add_argument("--ready", metavar="FILE")
