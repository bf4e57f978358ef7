#!/usr/bin/env python3
"""Serve the files of a directory on http or https, with ranges, ETags and faults.

usage: web_server.py DIR [--tls DIR] [--fault FAULT]... [--script FILE] [--log FILE] [--ready FILE]

serving.py says how it tells its port and ends, faulty_http.py what the log holds and which faults there are. Faults can be part of a URL:
`/x.capsule?fault=short,bytes=100&fault=slow`. Ranges are single ones (several: 400); the ETag is strong and changes with the file.

Servers: `main`; `other`, of the same scheme, which redirects lead to and which refuses Authorization with 400; with --tls also
`plain`, on http. Further faults:

    changed                another ETag, after skip=N requests; with content=1 also another first byte
    weak                   a weak ETag, which no If-Range matches
    no-etag                none
"""
import argparse
import hashlib
import mmap
import os
import urllib.parse

import faulty_http


class Handler(faulty_http.Handler):
    def route(self):
        if self.command not in ("GET", "HEAD"):
            return self.refuse(405, "MethodNotAllowed", "files are read only")
        parts = [part for part in urllib.parse.unquote(self.path).split("/") if part]
        path = os.path.join(self.site.options.directory, *parts)
        if ".." in parts or not os.path.isfile(path):
            return self.refuse(404, "NoSuchKey", "there is no such file")
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if status.st_size else b""
        changed = self.fault("changed")
        if changed and changed.get("content") and data:
            data = bytes([data[0] ^ 1]) + data[1:]
        name = hashlib.sha256(f"{status.st_size} {status.st_mtime_ns} {bool(changed)}".encode()).hexdigest()[:16]
        etag = ("W/" if self.fault("weak") else "") + f'"{name}"'
        headers = [("Content-Type", "application/octet-stream")]
        if self.fault("weak"):
            headers.append(("ETag", etag))
        if self.headers.get("If-None-Match") == etag:
            return self.answer(304, [("ETag", etag)])
        self.send_content(data, headers, None if self.fault("weak") or self.fault("no-etag") else etag)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory")
    faulty_http.add_options(parser)
    options = parser.parse_args()
    site = faulty_http.Site(Handler, options, {"changed": {}, "weak": {}, "no-etag": {}})
    site.listen("main")
    site.listen("other")
    if options.tls:
        site.listen("plain", plain=True)
    site.run()


if __name__ == "__main__":
    main()
