#!/usr/bin/env python3
"""What a page of `capsule diff --html` holds, as one JSON object, read by a parser that is not a browser's.

usage: read_page.py FILE

`problems` names whatever a strict reader does not forgive: an element that is not closed in its turn, an attribute without
quotation marks, one that holds script, an element that such a page has no use for, a character that does something.
"""
import html.parser
import json
import re
import sys
import unicodedata

VOID = {"meta", "link", "img", "input", "br", "wbr"}
KNOWN = VOID | set(
    "html head title style body header main footer script details summary section div span p h1 h2 h3 h4 a b i strong code kbd"
    " label select option button table caption thead tbody tr th td dl dt dd ul li figure figcaption svg rect text pre".split())
ATTRIBUTES = set(
    "lang charset http-equiv content name rel href class id open hidden data-h data-p for type checked autocomplete placeholder spellcheck"
    " value scope colspan rowspan title alt width height decoding src role viewbox preserveaspectratio x y tabindex min max".split())


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.problems, self.ids, self.links, self.images = [], [], [], [], []
        self.elements, self.parts = {}, {"title": [], "style": [], "script": [], "text": []}
        self.policy, self.depth = "", 0

    def problem(self, text):
        line, column = self.getpos()
        self.problems.append(f"{line}:{column}: {text}")

    def handle_starttag(self, tag, attributes):
        self.elements[tag] = self.elements.get(tag, 0) + 1
        if tag not in KNOWN:
            self.problem(f"an element <{tag}>")
        written = self.get_starttag_text()
        if "=" in re.sub(r'="[^"]*"', "", written):
            self.problem(f"an attribute without quotation marks: {written[:200]}")
        seen = dict(attributes)
        if len(seen) != len(attributes):
            self.problem(f"an attribute twice: {written[:200]}")
        for name, value in attributes:
            if name not in ATTRIBUTES and not name.startswith("aria-"):
                self.problem(f"an attribute {name} of <{tag}>")
            if value is not None and hidden(value):
                self.problem(f"a character that shows nothing in {name} of <{tag}>")
        if "id" in seen:
            self.ids.append(seen["id"])
        if tag == "a":
            self.links.append(seen.get("href", ""))
            if not seen.get("href", "").startswith("#"):
                self.problem(f"a link that leads elsewhere: {written[:200]}")
        if tag == "img":
            found = re.fullmatch(r"data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+=*)", seen.get("src", ""))
            if not found:
                self.problem(f"an image from elsewhere: {written[:200]}")
            else:
                padding = found.group(2).count("=")
                self.images.append({"type": found.group(1), "bytes": len(found.group(2)) // 4 * 3 - padding})
        if tag == "link" and seen.get("href") != "data:,":
            self.problem(f"a link to elsewhere: {written[:200]}")
        if seen.get("http-equiv") == "Content-Security-Policy":
            self.policy = seen.get("content", "")
        if tag not in VOID:
            self.open.append(tag)
            self.depth = max(self.depth, len(self.open))

    def handle_startendtag(self, tag, attributes):
        self.problem(f"<{tag}/>")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problem(f"</{tag}> where {self.open[-3:]} are open")
            if tag in self.open:
                while self.open.pop() != tag:
                    pass
            return
        self.open.pop()

    def handle_data(self, data):
        inner = self.open[-1] if self.open else None
        if inner != "title" or "svg" not in self.open:
            self.parts[inner if inner in ("title", "style", "script") else "text"].append(data)
        if hidden(data):
            self.problem(f"a character that shows nothing: {data[:200]!a}")

    def handle_comment(self, data):
        self.problem("a comment")

    def handle_pi(self, data):
        self.problem("a processing instruction")

    def unknown_decl(self, data):
        self.problem("a declaration")


def hidden(text):
    return any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t\u200c\u200d" for c in text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], "rb") as file:
        page = file.read().decode("utf-8")
    reader = Reader()
    reader.feed(page)
    reader.close()
    if reader.open:
        reader.problems.append(f"never closed: {reader.open}")
    if not page.startswith("<!DOCTYPE html>\n"):
        reader.problems.append("no document type")
    parts = {name: "".join(texts) for name, texts in reader.parts.items()}
    json.dump(
        {"problems": reader.problems, "ids": reader.ids, "links": reader.links, "images": reader.images,
         "elements": reader.elements, "policy": reader.policy, "depth": reader.depth, **parts}, sys.stdout)


if __name__ == "__main__":
    main()
