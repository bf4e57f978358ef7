#!/usr/bin/env python3
"""A registry for OCI artifacts that does what real ones do now and then, and docker-registry never.

usage: fake_registry.py DIR [--auth none|basic|bearer] [--user USER:PASSWORD] [--private] [--tls DIR] [--fault FAULT]...
                        [--script FILE] [--log FILE] [--ready FILE]

What it holds lies open in DIR/NAME: blobs/HEX, manifests/HEX, tags/TAG (a file that holds a digest), which a test can change or write as
well. serving.py says how it tells its port and ends, faulty_http.py what the log holds and which faults there are; those for bodies
work for manifests and blobs. Errors have the registries' form.

It takes no upload but POST and PUT: PATCH gets 416, and a POST with a body loses it. GET of a manifest wants its type in Accept.
A manifest of more than 4 MiB, or with a layer that isn't there or has another size, is refused.

--auth     basic: USER alone (ann:secret). bearer: tokens from /token, for anyone to pull, for USER (GET with Basic, or POST with the
           refresh token `identity`) also to push; --private: nothing for others
Servers: `main`; `storage` for blobs and `token` for tokens elsewhere, of the same scheme, without authorization (storage refuses it with
400); with --tls also `plain`. Faults lead to them under the host `localhost`, while main is 127.0.0.1. Further faults:

    redirect, presigned    GETs of blobs go to storage (307); all others that are named in path= as well
    encoded                Content-Encoding: gzip, without being it
    realm,to=WHERE         the realm is on the server WHERE (token, plain), or has userinfo, a fragment, or is a URL
    challenges             the Bearer challenge comes second, after Negotiate and Basic with quoted commas
    giant-token            bytes=N (2,000,000); access-token: under that name; expires,seconds=S; token-uses,uses=N requests, then 401
    location,to=WHERE      an upload's Location is on storage, plain, `relative`, `bare` (host without scheme), `missing`, or a URL
    no-mount               a mount becomes an upload
    lose                   an upload is acknowledged and lost
    blob-unknown           a manifest's PUT gets MANIFEST_BLOB_UNKNOWN, once
    refuse,what=FIELD      a manifest's PUT gets status=400, code=MANIFEST_INVALID if it has artifactType, data, annotations,
                           or layers above limit=N, or if the config's type is not an image's (what=config)
    gitlab, ecr            as these: 400 for artifactType or config; 405 UNSUPPORTED for artifactType
    immutable              a tag that is there can't be put again (status=400, code=TAG_INVALID)
    if-match               If-Match is obeyed (412)
    moved,to=TAG           after a manifest's GET (method=HEAD, PUT: after this) the tag means what TAG means, once
    urls, both             the tag's manifest, served with its own digest, but layers have urls on storage; it has `manifests` as well
    index, giant-manifest  an index that names the manifest is served for the tag; the manifest has bytes=N (4 MiB + 1)
    referrers              GET /v2/NAME/referrers/DIGEST lists the manifests with that subject (OCI distribution-spec 1.1); without it: 404
    page,size=N            tags come in pages of N (2), with Link; link=foreign: on storage; link=loop: to the first page;
                           link=empty: the first is empty, and Link has rel=prev, on storage, too
"""
import argparse
import base64
import hashlib
import json
import os
import re
import secrets
import urllib.parse

import faulty_http

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
IMAGE_CONFIGS = ("application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json")
SERVICE = 'fake, "registry"'
LIMIT = 4 << 20
NAME = r"(?P<name>[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)"
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
BLOBS, PUT = {"method": "GET", "path": "*/blobs/sha256:*"}, {"method": "PUT", "path": "*/manifests/*"}
MANIFESTS = {"method": "GET", "path": "*/manifests/*"}
KNOWN = {
    "redirect": {"server": "main", "status": 307, **BLOBS}, "presigned": {"server": "main", "status": 307, **BLOBS},
    "encoded": {"fault": "header", "name": "Content-Encoding", "value": "gzip"},
    "blob-unknown": {"fault": "status", "status": 400, "code": "MANIFEST_BLOB_UNKNOWN", "times": 1, **PUT},
    "gitlab": {"fault": "refuse", "what": "artifactType+config", **PUT},
    "ecr": {"fault": "refuse", "what": "artifactType", "status": 405, "code": "UNSUPPORTED", **PUT},
    "refuse": PUT, "immutable": PUT, "if-match": PUT, "moved": {"times": 1, **MANIFESTS},
    "urls": {"path": "*/manifests/*"}, "both": {"path": "*/manifests/*"}, "index": {"path": "*/manifests/*"},
    "giant-manifest": {"path": "*/manifests/*"},
    "lose": {"method": "PUT", "path": "*/blobs/uploads/*"}, "page": {"path": "*/tags/list"},
    "referrers": {},
    "location": {"method": "POST", "path": "*/blobs/uploads/"}, "no-mount": {"method": "POST", "path": "*/blobs/uploads/"},
    **{name: {} for name in ("realm", "challenges", "giant-token", "access-token", "expires", "token-uses")},
}


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Store:
    """One repository: a directory for each kind, a file for each thing."""

    def __init__(self, top, name):
        self.top = os.path.join(top, name)

    def read(self, kind, name):
        """The bytes, or None."""
        try:
            with open(os.path.join(self.top, kind, name.replace("sha256:", "")), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, kind, name, data):
        path = os.path.join(self.top, kind, name.replace("sha256:", ""))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        draft = os.path.join(self.top, "draft." + secrets.token_hex(8))
        with open(draft, "wb") as file:
            file.write(data)
        os.rename(draft, path)

    def tags(self):
        path = os.path.join(self.top, "tags")
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    def tagged(self, tag):
        """The digest that a tag has, or None."""
        return (self.read("tags", tag) or b"").decode().strip() or None


class Handler(faulty_http.Handler):
    def refuse(self, status, code, message, headers=()):
        if self.server.name in self.site.foreign:
            return super().refuse(status, code, message, headers)
        body = json.dumps({"errors": [{"code": code, "message": message}]}).encode()
        return self.answer(status, [("Content-Type", "application/json"), *headers], body)

    def own(self, path):
        """A URL of this server, as the client names it."""
        return f"{'https' if self.server.context else 'http'}://{self.headers.get('Host', '')}{path}"

    def elsewhere(self, where, path):
        """A URL on the server of that name, or `where` if it is a URL."""
        return where if "://" in where else self.site.url(where, "localhost") + path

    def route(self):
        if self.path == "/token":
            return self.token()
        self.form = {key: values[0] for key, values in urllib.parse.parse_qs(self.query).items()}
        for pattern, action in ((r"/v2/()?", None), (f"/v2/{NAME}/blobs/uploads/", self.start_upload),
                                (f"/v2/{NAME}/blobs/uploads/([0-9a-f]+)", self.upload), (f"/v2/{NAME}/blobs/([^/]+)", self.blob),
                                (f"/v2/{NAME}/manifests/([^/]+)", self.manifest), (f"/v2/{NAME}/tags/list", self.tags),
                                (f"/v2/{NAME}/referrers/([^/]+)", self.referrers)):
            found = re.fullmatch(pattern, self.path)
            if found and (action != self.referrers or self.fault("referrers")):
                break
        else:
            return self.refuse(404, "NAME_UNKNOWN", "there is nothing at this path")
        name = found.groupdict().get("name", "")
        if self.server.name == "main" and not self.authorized(name):
            return None
        if not action:
            return self.answer(200, [("Content-Type", "application/json"), ("Docker-Distribution-Api-Version", "registry/2.0")], b"{}")
        self.name, self.store = name, Store(self.site.options.directory, name)
        return action(*found.groups()[1:])

    # Authorization.

    def basic(self):
        """USER:PASSWORD of the request, or an empty string."""
        kind, _, text = self.headers.get("Authorization", "").partition(" ")
        return base64.b64decode(text).decode() if kind.lower() == "basic" else ""

    def authorized(self, name):
        """True if the request may be answered; else it has got a challenge."""
        how, action = self.site.options.auth, "pull" if self.command in ("GET", "HEAD") else "push"
        if how == "none" or how == "basic" and self.basic() == self.site.options.user:
            return True
        if how == "basic":
            self.refuse(401, "UNAUTHORIZED", "authentication required", [("WWW-Authenticate", 'Basic realm="registry"')])
            return False
        kind, _, text = self.headers.get("Authorization", "").partition(" ")
        with self.site.lock:
            token = self.site.tokens.get(text) if kind.lower() == "bearer" else None
            if token and token["uses"] > 0:
                token["uses"] -= 1
                if not name or action in token["access"].get(name, ()):
                    return True
        realm, to = self.own("/token"), (self.fault("realm") or {}).get("to")
        if to == "userinfo":
            realm = realm.replace("://", "://ann@")
        elif to == "fragment":
            realm += "#x"
        elif to:
            realm = self.elsewhere(to, "/token")
        service = SERVICE.replace('"', '\\"')
        challenge = f'Bearer realm="{realm}",service="{service}"'
        if name:
            challenge += f',scope="repository:{name}:{"pull" if action == "pull" else "pull,push"}"'
        if token:
            challenge += ',error="' + ("insufficient_scope" if token["uses"] else "invalid_token") + '"'
        headers = [("WWW-Authenticate", challenge)]
        if self.fault("challenges"):
            headers.insert(0, ("WWW-Authenticate", 'Negotiate, Basic realm="a, \\"b\\"", charset="UTF-8"'))
        self.refuse(401, "UNAUTHORIZED", "authentication required", headers)
        return False

    def token(self):
        form = urllib.parse.parse_qs(self.body.decode() if self.command == "POST" else self.query)
        refresh, basic = form.get("refresh_token", [""])[0], self.basic()
        if basic and basic != self.site.options.user or refresh and refresh != "identity":
            return self.refuse(401, "UNAUTHORIZED", "wrong credentials")
        if form.get("service", [SERVICE])[0] != SERVICE:
            return self.refuse(400, "UNSUPPORTED", "this isn't the challenge's service")
        allowed = ["pull", "push"] if basic or refresh else [] if self.site.options.private else ["pull"]
        access = {}
        for scope in " ".join(form.get("scope", [])).split():
            _, name, actions = scope.split(":", 2)
            access[name] = [one for one in actions.split(",") if one in allowed]
        text = secrets.token_hex(20)
        if self.fault("giant-token"):
            text = text.ljust(self.fault("giant-token").get("bytes", 2_000_000), "x")
        with self.site.lock:
            self.site.tokens[text] = {"access": access, "uses": (self.fault("token-uses") or {}).get("uses", 1 << 60)}
        answer = {"access_token" if self.fault("access-token") else "token": text}
        if self.fault("expires"):
            answer["expires_in"] = self.fault("expires").get("seconds", 1)
        return self.answer(200, [("Content-Type", "application/json")], json.dumps(answer).encode())

    # Blobs.

    def blob(self, digest):
        if not DIGEST.fullmatch(digest):
            return self.refuse(400, "DIGEST_INVALID", "not a digest")
        data = self.store.read("blobs", digest)
        if self.command not in ("GET", "HEAD"):
            return self.refuse(405, "UNSUPPORTED", "blobs are read only")
        if data is None:
            return self.refuse(404, "BLOB_UNKNOWN", "blob unknown to registry")
        return self.send_content(data, [("Content-Type", "application/octet-stream"), ("Docker-Content-Digest", digest)],
                                 f'"{digest}"')

    def created(self, kind, digest, headers=()):
        self.answer(201, [("Location", self.own(f"/v2/{self.name}/{kind}/{digest}")), ("Docker-Content-Digest", digest), *headers])

    def referrers(self, digest):
        found, top = [], os.path.join(self.store.top, "manifests")
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else []:
            data = self.store.read("manifests", name)
            document = json.loads(data)
            if document.get("subject", {}).get("digest") == digest:
                found.append({"mediaType": document["mediaType"], "digest": digest_of(data), "size": len(data),
                              "artifactType": document.get("artifactType")})
        body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": found}).encode()
        return self.answer(200, [("Content-Type", INDEX)], body)

    def start_upload(self):
        if self.command != "POST":
            return self.refuse(405, "UNSUPPORTED", "uploads start with POST")
        mount, source = self.form.get("mount"), self.form.get("from")
        if mount and source and DIGEST.fullmatch(mount) and re.fullmatch(NAME, source) and not self.fault("no-mount"):
            data = Store(self.site.options.directory, source).read("blobs", mount)
            if data is not None:
                self.store.write("blobs", mount, data)
                return self.created("blobs", mount)
        number, state = secrets.token_hex(8), secrets.token_hex(8)
        with self.site.lock:
            self.site.uploads[number] = state
        path = f"/v2/{self.name}/blobs/uploads/{number}?_state={state}"
        to = (self.fault("location") or {}).get("to")
        if to == "missing":
            return self.answer(202)
        own = self.own(path)
        location = {None: own, "relative": path, "bare": own.partition("://")[2]}.get(to) or self.elsewhere(to, path)
        return self.answer(202, [("Location", location)])

    def upload(self, number):
        if self.command != "PUT":
            return self.refuse(416, "RANGE_INVALID", "uploads in pieces aren't taken")
        with self.site.lock:
            state = self.site.uploads.pop(number, None)
        if not state:
            return self.refuse(404, "BLOB_UPLOAD_UNKNOWN", "there is no such upload")
        digest = self.form.get("digest", "")
        if self.form.get("_state") != state:
            return self.refuse(400, "BLOB_UPLOAD_INVALID", "the Location's query was lost")
        if digest != digest_of(self.body):
            return self.refuse(400, "DIGEST_INVALID", "the digest isn't the body's")
        if not self.fault("lose"):
            self.store.write("blobs", digest, self.body)
        return self.created("blobs", digest)

    # Manifests.

    def manifest(self, reference):
        tag = None if DIGEST.fullmatch(reference) else reference
        if tag and not TAG.fullmatch(tag):
            return self.refuse(400, "TAG_INVALID", "neither a tag nor a digest")
        digest = self.store.tagged(tag) if tag else reference
        if self.command == "PUT":
            return self.put_manifest(tag, reference, digest)
        if self.command not in ("GET", "HEAD"):
            return self.refuse(405, "UNSUPPORTED", "manifests aren't deleted")
        data = self.store.read("manifests", digest) if digest else None
        kind = json.loads(data).get("mediaType", MANIFEST) if data else None
        if data is None or kind not in self.headers.get("Accept", ""):
            return self.refuse(404, "MANIFEST_UNKNOWN", "manifest unknown, or of a type that isn't accepted")
        self.move(tag)
        if tag:
            data, kind = self.rewritten(data, kind)
        digest = digest_of(data)
        headers = [("Content-Type", kind), ("Docker-Content-Digest", digest)]
        if self.headers.get("If-None-Match") == f'"{digest}"':
            return self.answer(304, [*headers, ("ETag", f'"{digest}"')])
        return self.send_content(data, headers, f'"{digest}"')

    def rewritten(self, data, kind):
        """A manifest as faults serve it, and its type."""
        document = json.loads(data)
        if self.fault("urls"):
            for layer in document.get("layers", []):
                layer["urls"] = [self.elsewhere("storage", f"/v2/{self.name}/blobs/{layer['digest']}")]
        if self.fault("both"):
            document["manifests"] = []
        if self.fault("index"):
            named = {"mediaType": kind, "digest": digest_of(data), "size": len(data)}
            document, kind = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}, INDEX
        if any(self.fault(name) for name in ("urls", "both", "index")):
            data = json.dumps(document, separators=(",", ":")).encode()
        if self.fault("giant-manifest"):
            data = data.ljust(self.fault("giant-manifest").get("bytes", LIMIT + 1))
        return data, kind

    def move(self, tag):
        """Lets a tag mean what another one means, if a fault wants it."""
        rule = self.fault("moved")
        if rule and tag:
            self.store.write("tags", tag, self.store.tagged(rule["to"]).encode())

    def put_manifest(self, tag, reference, before):
        refused = self.objection(tag, reference, before)
        if refused:
            return self.refuse(*refused)
        digest = digest_of(self.body)
        self.store.write("manifests", digest, self.body)
        if tag:
            self.store.write("tags", tag, digest.encode())
            self.move(tag)
        subject = json.loads(self.body).get("subject", {}).get("digest")
        lists = subject and self.fault("referrers")
        return self.created("manifests", digest, [("OCI-Subject", subject)] if lists else [])

    def objection(self, tag, reference, before):
        """The status, code and message by which a manifest is refused, or None."""
        digest = digest_of(self.body)
        if len(self.body) > LIMIT:
            return 400, "MANIFEST_INVALID", "http: request body too large"
        try:
            document = json.loads(self.body)
            config, layers = document.get("config", {}), document.get("layers", [])
            parts = [part for part in [config, *layers] if part]
            if document.get("mediaType") != self.headers.get("Content-Type"):
                return 400, "MANIFEST_INVALID", "Content-Type isn't the manifest's mediaType"
        except (ValueError, AttributeError):
            return 400, "MANIFEST_INVALID", "not a manifest"
        if not tag and reference != digest:
            return 400, "DIGEST_INVALID", "the digest isn't the manifest's"
        if self.fault("immutable") and before and before != digest:
            rule = self.fault("immutable")
            return rule.get("status", 400), rule.get("code", "TAG_INVALID"), f"the tag {tag} is immutable"
        if self.fault("if-match") and self.headers.get("If-Match", f'"{before}"') != f'"{before}"':
            return 412, "PRECONDITION_FAILED", "the tag has moved"
        for rule in self.faults:
            if rule["fault"] != "refuse":
                continue
            has = {"artifactType": "artifactType" in document, "annotations": "annotations" in document,
                   "config": config.get("mediaType") not in IMAGE_CONFIGS, "data": any("data" in part for part in parts),
                   "layers": len(layers) > rule.get("limit", 500)}
            for what in rule["what"].split("+"):
                if has[what]:
                    return rule.get("status", 400), rule.get("code", "MANIFEST_INVALID"), f"{what} isn't taken here"
        for part in parts:
            data = self.store.read("blobs", part["digest"]) if DIGEST.fullmatch(part["digest"]) else None
            if data is None or len(data) != part["size"]:
                return 400, "MANIFEST_BLOB_UNKNOWN", "blob unknown to registry: " + part["digest"]
        return None

    def tags(self):
        page = self.fault("page")
        tags, last = self.store.tags(), self.form.get("last", "")
        if not tags:
            return self.refuse(404, "NAME_UNKNOWN", "repository name not known to registry")
        size = min(int(self.form.get("n", 1000)), page.get("size", 2) if page else 1000)
        left = [tag for tag in tags if tag > last]
        headers = [("Content-Type", "application/json")]
        if len(left) > size:
            how = page.get("link") if page else None
            target = f"/v2/{self.name}/tags/list?n={size}" + ("" if how == "loop" else f"&last={left[size - 1]}")
            prev = f'<{self.elsewhere("storage", target)}>; title="a, <b>"; rel=prev, ' if how == "empty" else ""
            if how == "empty" and not last:
                left, target = [], f"/v2/{self.name}/tags/list?n={size}&last=-"
            headers.append(("Link", f'{prev}<{self.elsewhere("storage", target) if how == "foreign" else target}>; rel="next"'))
        return self.answer(200, headers, json.dumps({"name": self.name, "tags": left[:size]}).encode())


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--auth", choices=["none", "basic", "bearer"], default="none")
    parser.add_argument("--user", default="ann:secret")
    parser.add_argument("--private", action="store_true")
    faulty_http.add_options(parser)
    options = parser.parse_args()
    site = faulty_http.Site(Handler, options, KNOWN, foreign=("storage",))
    site.tokens, site.uploads = {}, {}
    for name in ("main", "storage", "token"):
        site.listen(name)
    if options.tls:
        site.listen("plain", plain=True)
    site.run()


if __name__ == "__main__":
    main()
