#!/usr/bin/env python3
"""Look at a page of `capsule diff --html` or `capsule show --html` in a real browser, headless, and say what is not as it should be.

usage: check_report.py PAGE... [--has TEXT]... [--noise TEXT]... [--images N] [--pairs N] [--shots DIR]
                       [--seconds N] [--brief]

  --has TEXT     must be there to be read once all is unfolded; and the filter must find it
  --noise TEXT   must not be there to be read before noise is shown, and must be then
  --findings N   the verdict is on top with N findings, whose links lead to marks, and a filter leaves these entries alone
  --images N     so many pictures are shown, those of one entry side by side where there is room
  --pairs N      so many pairs of pictures can be shown one over the other
  --shots DIR    leave pictures of the page there
  --seconds N    how long all may take
  --brief        with script, light and narrow only

One browser looks at all pages. Each is loaded with script and without, light and dark, 400 and 1600 pixels wide, and as it is printed. It may ask for nothing but itself, may
break no rule of its own policy, may log nothing, must not scroll sideways, and all text must have a contrast of 4.5.

Exit status: 0 all is well, 1 it is not and the lines say how, 77 there is no Chromium here.
"""
import argparse
import base64
import os
import pathlib
import sys

import browser

WIDTHS, SCHEMES = (400, 1600), ("light", "dark")

UNFOLD = "for (const each of document.querySelectorAll('details.v')) each.open = true"
NOISE = "(() => { const box = document.getElementById('f-n'); if (box && !box.checked) box.click(); })()"
READ = "document.body.innerText.replace(/\\s+/g, ' ')"
SIDEWAYS = """(() => {
  const page = document.scrollingElement;
  if (page.scrollWidth <= WIDTH) return [];
  return Array.from(document.querySelectorAll("body *")).filter((each) =>
    !each.closest(".scroll, .chips") && each.getBoundingClientRect().right > WIDTH + 0.5)
    .slice(0, 8).map((each) => each.tagName + "." + each.getAttribute("class")).concat(page.scrollWidth);
})()"""
# All text that is drawn, against the colours that are behind it.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const color = (text) => {
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
      known.set(text, Array.from(canvas.getImageData(0, 0, 1, 1).data));
    }
    return known.get(text);
  };
  const over = (top, below) => top.slice(0, 3).map((part, at) => (part * top[3] + below[at] * (255 - top[3])) / 255).concat(255);
  const light = (c) => { const l = c.slice(0, 3).map((p) => { p /= 255; return p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
  const behind = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const c = color(getComputedStyle(each).backgroundColor);
      layers.push(c);
      if (c[3] === 255) break;
    }
    return layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 255]);
  };
  const poor = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest(".vh, script, option")) continue;
    const ground = behind(element), ink = over(color(getComputedStyle(element).color), ground);
    const pair = [light(ink), light(ground)].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) poor.set(element.tagName + "." + element.className + " " + ratio.toFixed(2), walker.currentNode.data.slice(0, 30));
  }
  return Array.from(poor).slice(0, 10).map((each) => each.join(": "));
})()"""
IMAGES = """(async () => {
  const images = Array.from(document.images).filter((each) => each.closest(".pair figure"));
  await Promise.all(images.map((each) => each.decode().catch(() => {})));
  return images.map((each) => ({ alt: each.alt, width: each.naturalWidth, drawn: each.getBoundingClientRect().width,
    scaling: getComputedStyle(each).imageRendering, pair: each.closest(".pair").querySelectorAll("img").length,
    top: Math.round(each.closest("figure").getBoundingClientRect().top), left: Math.round(each.closest("figure").getBoundingClientRect().left) }));
})()"""


class Check:
    def __init__(self, tab, page, options):
        self.tab, self.options, self.problems, self.where = tab, options, [], ""
        self.url = pathlib.Path(page).resolve().as_uri()

    def expect(self, holds, text):
        if not holds:
            self.problems.append(f"{self.where}: {text}")
        return holds

    def load(self, width, scheme, script, fragment=""):
        self.where = f"{width} px, {scheme}, {'script' if script else 'no script'}"
        call = self.tab.call
        call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        call("Emulation.setScriptExecutionDisabled", value=not script)
        # From elsewhere: going to a place in the same page loads nothing.
        self.tab.go("about:blank")
        self.tab.settle()
        self.tab.events.clear()
        answer = self.tab.go(self.url + fragment)
        self.expect("errorText" not in answer, f"not loaded: {answer.get('errorText')}")
        self.tab.settle()

    def quiet(self):
        """Nothing was asked for, broken or said."""
        for event in self.tab.events:
            method, told = event["method"], event["params"]
            if method == "Network.requestWillBeSent":
                address = told["request"]["url"].partition("#")[0]
                self.expect(address == self.url or address.startswith("data:"), f"a request: {address[:200]}")
            elif method == "Runtime.exceptionThrown":
                self.expect(False, f"an exception: {told['exceptionDetails']}")
            elif method == "Runtime.consoleAPICalled":
                self.expect(False, f"said to the console: {told['args']}")
            elif method == "Log.entryAdded":
                self.expect(False, f"logged: {told['entry'].get('text')}")
            elif method == "Audits.issueAdded":
                self.expect(False, f"an issue: {told['issue'].get('code')}: {told['issue'].get('details')}")
            elif method == "Page.javascriptDialogOpening":
                self.expect(False, f"a dialog: {told.get('message')}")
                self.tab.call("Page.handleJavaScriptDialog", accept=False)
        self.tab.events.clear()

    def shot(self, name, whole=False):
        if not self.options.shots:
            return
        os.makedirs(self.options.shots, exist_ok=True)
        picture = self.tab.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(os.path.join(self.options.shots, name + ".png"), "wb") as file:
            file.write(base64.b64decode(picture))

    def looks(self, width, scheme, script):
        self.load(width, scheme, script)
        evaluate, name = self.tab.evaluate, f"{width}-{scheme}{'' if script else '-noscript'}"
        self.shot(name)
        sideways = SIDEWAYS.replace("WIDTH", str(width))
        self.expect(not evaluate(sideways), f"scrolls sideways: {evaluate(sideways)}")
        text = evaluate(READ)
        self.expect(len(text) > 50, "hardly any text")
        for noise in self.options.noise:
            self.expect(noise not in text, f"noise is shown: {noise!r}")
        evaluate(UNFOLD)
        text = evaluate(READ)
        for noise in self.options.noise:
            self.expect(noise not in text, f"noise is shown when all is unfolded: {noise!r}")
        evaluate(NOISE)
        text = evaluate(READ)
        for wanted in self.options.has + self.options.noise:
            self.expect(" ".join(wanted.split()) in text, f"can't be read: {wanted!r}")
        self.expect(not evaluate(sideways), f"scrolls sideways when all is unfolded: {evaluate(sideways)}")
        poor = evaluate(CONTRAST)
        self.expect(not poor, f"too little contrast: {poor}")
        self.images(width)
        self.filters()
        self.bar(width, script)
        self.shot(name + "-all", whole=True)
        self.quiet()

    def bar(self, width, script):
        """What stays in view is one line on a phone; filters that filter nothing are not there."""
        bar = self.tab.evaluate("""(() => {
          const bar = document.querySelector(".bar"), more = document.getElementById("more");
          if (!bar) return null;
          const chips = () => Array.from(bar.querySelectorAll(".chip")).filter((each) => each.getClientRects().length);
          const before = { high: bar.getBoundingClientRect().height, chips: chips().length };
          const zeros = Array.from(bar.querySelectorAll(".chip b")).filter((each) => each.textContent === "0").length;
          if (!before.chips) more.click();
          const after = chips().length;
          if (!before.chips) more.click();
          return { ...before, zeros, after };
        })()""")
        if bar:
            self.expect(width > 640 or bar["high"] <= 60, f"the bar takes {bar['high']} pixels of a phone")
            self.expect(bar["after"] > 0, "the filters can't be reached")
            self.expect(bar["zeros"] == 0, "a filter of nothing")

    def printed(self):
        """On paper there are no controls, and nothing is folded away or cut off."""
        self.load(800, "light", True)
        self.where = "print"
        self.tab.call("Emulation.setEmulatedMedia", media="print")
        self.tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        text = self.tab.evaluate(READ)
        for wanted in self.options.has:
            self.expect(" ".join(wanted.split()) in text, f"can't be read: {wanted!r}")
        drawn = self.tab.evaluate(
            "Array.from(document.querySelectorAll('.bar, .keys, .compare, .theme')).filter((e) => e.getClientRects().length).length")
        self.expect(drawn == 0, "controls are printed")
        cut = self.tab.evaluate("Array.from(document.querySelectorAll('.grid')).filter((each) => each.offsetWidth > 800).length")
        self.expect(cut == 0, f"{cut} tables are wider than the paper")
        self.tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
        self.tab.call("Emulation.setEmulatedMedia", media="")
        self.quiet()

    def images(self, width):
        images = self.tab.evaluate(IMAGES)
        if self.options.images is not None:
            self.expect(len(images) == self.options.images, f"{len(images)} pictures, not {self.options.images}")
        for number, image in enumerate(images):
            self.expect(image["width"] > 0, f"a picture that is not drawn: {image['alt']}")
            if image["drawn"] > image["width"] > 0:
                sharp = image["drawn"] <= 128 and image["drawn"] <= 8 * image["width"] and image["scaling"] == "pixelated"
                self.expect(sharp, f"a small picture is blown up: {image}")
            if image["pair"] == 2 and number and images[number - 1]["pair"] == 2 and image["alt"].startswith("New"):
                other = images[number - 1]
                beside = other["top"] == image["top"] and other["left"] < image["left"]
                self.expect(width < 1000 or beside, f"not side by side: {other}, {image}")

    def filters(self):
        """Each class's box hides its entries, and brings them back; directories go with them."""
        wrong = self.tab.evaluate("""(() => {
          const wrong = [], boxes = Array.from(document.querySelectorAll(".chip input")).filter((box) => box.id !== "f-n" && box.id !== "f-x");
          const drawn = (selector) => Array.from(document.querySelectorAll(selector)).filter((each) => each.getClientRects().length).length;
          for (const box of boxes) {
            const letter = box.id.slice(2), selector = `main .entry.s${letter}, main .entry.n${letter}`, before = drawn(selector);
            if (!before) wrong.push(box.id + " has nothing");
            box.click();
            if (drawn(selector)) wrong.push(box.id + " hides nothing");
            box.click();
            if (drawn(selector) !== before) wrong.push(box.id + " does not bring back");
          }
          for (const box of boxes) box.click();
          if (drawn(".tree details")) wrong.push("a directory with nothing in it");
          for (const box of boxes) box.click();
          return wrong;
        })()""")
        self.expect(not wrong, f"filters: {wrong}")

    def findings(self, width, scheme, script):
        """The verdict of an expectation, with its links, marks and filter."""
        if self.options.findings is None:
            return
        evaluate = self.tab.evaluate
        self.load(width, scheme, script)
        top = evaluate("""(() => { const box = document.getElementById("~outcome"); if (!box) return null;
          const own = box.getBoundingClientRect();
          return { text: box.innerText, top: own.top, high: innerHeight, before: own.top < document.querySelector("h1").getBoundingClientRect().top,
            links: Array.from(box.querySelectorAll("a")).map((each) => each.getAttribute("href")),
            items: box.querySelectorAll("li").length, marks: document.querySelectorAll(".fx:not(.flag)").length }; })()""")
        if not self.expect(top, "there is no verdict"):
            return
        self.expect(top["before"] and 0 <= top["top"] < top["high"], f"the verdict is not on top: {top}")
        self.expect(f"{self.options.findings:,} finding" in top["text"], f"not so many findings: {top['text'][:80]}")
        self.expect(top["items"] == min(self.options.findings, 200) and top["marks"] > 0, f"not each is listed: {top}")
        for link in dict.fromkeys(top["links"][:3] + top["links"][-3:]):
            self.load(width, scheme, script, link)
            self.where = f"{link}, {width} px, {'script' if script else 'no script'}"
            place = evaluate(
                "(() => { const mark = document.getElementById(%s), box = mark.getBoundingClientRect(), bar = document.getElementById('~bar');"
                "const own = mark.closest('.entry'), sticky = bar && getComputedStyle(bar).position === 'sticky' ? bar.getBoundingClientRect().bottom : 0;"
                "return { entry: own && own.classList.contains('hit'), drawn: mark.getClientRects().length, top: box.top, bar: sticky, high: innerHeight }; })()"
                % browser.json.dumps(link[1:]))
            self.expect(place["entry"] and place["drawn"] >= 1 and place["top"] < place["high"], f"the link does not lead there: {place}")
            self.expect(place["top"] >= place["bar"] - 1, f"the bar covers the mark: {place}")
            self.quiet()
        self.load(width, scheme, script)
        self.where = f"findings, {width} px, {scheme}, {'script' if script else 'no script'}"
        drawn = "Array.from(document.querySelectorAll('main .entry')).filter((each) => each.getClientRects().length).map((each) => each.classList.contains('hit'))"
        evaluate(UNFOLD)
        before = evaluate(drawn)
        evaluate("document.getElementById('f-x').click()")
        only = evaluate(drawn)
        self.expect(only and all(only), "the filter shows entries without findings")
        self.expect(len(only) == before.count(True), "the filter hides entries with findings")
        self.expect(not evaluate("Array.from(document.querySelectorAll('.dir')).some((each) => each.getClientRects().length && !each.querySelector('.hit'))"),
                    "the filter leaves a directory with nothing in it")
        evaluate("document.getElementById('f-x').click()")
        self.expect(evaluate(drawn) == before, "the filter does not bring back")
        self.quiet()

    def works(self):
        """What needs the script: the filter by words, folding, handlers, places."""
        self.load(1600, "light", True)
        self.where, evaluate = "script", self.tab.evaluate
        if not self.expect(evaluate("document.documentElement.classList.contains('on')"), "the script did not run"):
            return
        evaluate(NOISE)
        if not evaluate("document.getElementById('find') !== null"):
            return self.quiet()
        drawn = "Array.from(document.querySelectorAll('main .entry')).filter((each) => each.getClientRects().length).length"
        total = evaluate(drawn)
        evaluate("document.getElementById('find').focus()")
        self.expect(evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "focus can't be seen")
        for wanted in self.options.has + self.options.noise:
            self.search(wanted)
            fitting = evaluate("Array.from(document.querySelectorAll('main .entry')).filter((each) => each.getClientRects().length)"
                               ".every((each) => %s.toLowerCase().split(/\\s+/).every((word) => each.textContent.toLowerCase().includes(word)))"
                               % browser.json.dumps(wanted))
            self.expect(fitting, f"the filter leaves other entries than those with {wanted!r}")
            self.expect(0 < evaluate(drawn) <= total, f"the filter does not find {wanted!r}")
        self.search("nothing is called like this \u2603")
        self.expect(evaluate(drawn) == 0, "the filter finds what is not there")
        self.expect(evaluate("document.getElementById('none').getClientRects().length") == 1, "nobody says that nothing fits")
        self.search("")
        self.expect(evaluate(drawn) == total, "an empty filter leaves something out")
        evaluate("document.getElementById('shut').click()")
        self.expect(evaluate("document.querySelectorAll('main details.v[open]').length") == 0, "not all is folded")
        evaluate("document.getElementById('open').click()")
        self.expect(evaluate("document.querySelectorAll('main details.v:not([open])').length") == 0, "not all is unfolded")
        wrong = evaluate("""(() => {
          const choice = document.getElementById("handler"), wrong = [];
          if (!choice) return wrong;
          for (const option of choice.options) {
            choice.value = option.value;
            choice.dispatchEvent(new Event("change"));
            const shown = Array.from(document.querySelectorAll(".entry")).filter((each) => each.getClientRects().length);
            if (!shown.length || option.value && shown.some((each) => each.dataset.h !== option.value)) wrong.push(option.value);
          }
          choice.value = "";
          choice.dispatchEvent(new Event("change"));
          return wrong;
        })()""")
        self.expect(not wrong, f"the choice of a handler does not choose: {wrong}")
        self.pairs()
        self.quiet()
        for script in (True, False):
            self.places(script)

    def pairs(self):
        """Pictures of one size can lie one over the other."""
        found = self.tab.evaluate("""(() => Array.from(document.querySelectorAll(".compare"), (tools) => {
          for (let each = tools.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
          const figures = Array.from(tools.parentElement.querySelectorAll("figure img"));
          const boxes = () => figures.map((each) => { const box = each.getBoundingClientRect(); return [box.left, box.top, box.width].map(Math.round).join(); });
          const press = (value) => tools.querySelector(`button[value="${value}"]`).click();
          const wrong = [];
          for (const way of ["slide", "blink"]) {
            press(way);
            if (new Set(boxes()).size !== 1) wrong.push(way + ": " + boxes());
          }
          press("slide");
          const edge = tools.querySelector("input");
          edge.value = "20";
          edge.dispatchEvent(new Event("input"));
          if (!getComputedStyle(figures[1].closest("figure")).clipPath.includes("20%")) wrong.push("the edge does not move");
          press("");
          if (new Set(boxes()).size !== 2) wrong.push("not side by side again");
          return wrong;
        }))()""")
        self.expect(not any(found), f"pictures one over the other: {found}")
        if self.options.pairs is not None:
            self.expect(len(found) == self.options.pairs, f"{len(found)} pairs of pictures, not {self.options.pairs}")

    def search(self, text):
        self.tab.evaluate(
            "(() => { const find = document.getElementById('find'); find.value = %s; find.dispatchEvent(new Event('input')); "
            "return new Promise((done) => setTimeout(done, 200)); })()" % browser.json.dumps(text))

    def places(self, script):
        """A link to the first, the last and the last noisy entry leads there."""
        names = self.tab.evaluate("Array.from(document.querySelectorAll('.entry')).map((each) => each.id)")
        noisy = self.tab.evaluate("Array.from(document.querySelectorAll('.entry')).filter((each) => each.className.match(/ n.$/)).map((each) => each.id)")
        for name in dict.fromkeys([names[0], names[-1]] + (noisy[-1:] if script else [])):
            if not script and name in noisy:
                continue
            self.load(1600, "light", script, "#" + name)
            self.where = f"#{name}, {'script' if script else 'no script'}"
            place = self.tab.evaluate(
                "(() => { const entry = document.getElementById(%s), box = entry.getBoundingClientRect();"
                "return { open: entry.open, drawn: entry.getClientRects().length, top: box.top, high: innerHeight }; })()"
                % browser.json.dumps(name))
            self.expect(place["drawn"] == 1 and -1 <= place["top"] < place["high"], f"the link does not lead there: {place}")
            self.expect(place["open"] or not script, "the link does not unfold it")
            self.quiet()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    parser.add_argument("--has", action="append", default=[])
    parser.add_argument("--noise", action="append", default=[])
    parser.add_argument("--findings", type=int)
    parser.add_argument("--images", type=int)
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--shots")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--brief", action="store_true")
    options = parser.parse_args()
    program = browser.find()
    if not program:
        print("there is no Chromium here")
        sys.exit(77)
    try:
        with browser.Browser(program, options.seconds) as tab:
            for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
                tab.call(domain + ".enable")
            tab.call("Page.setLifecycleEventsEnabled", enabled=True)
            wrong = [problem for page in options.pages for problem in look(tab, page, options)]
    except browser.BrowserError as error:
        wrong = [f"{' '.join(options.pages)}: {error}"]
    for problem in wrong:
        print(problem)
    sys.exit(1 if wrong else 0)


def look(tab, page, options):
    """What is wrong with a page, a line for each."""
    check = Check(tab, page, options)
    for script in (True,) if options.brief else (True, False):
        for scheme in SCHEMES[:1] if options.brief else SCHEMES:
            for width in WIDTHS[:1] if options.brief else WIDTHS:
                check.looks(width, scheme, script)
                if scheme == SCHEMES[0]:
                    check.findings(width, scheme, script)
    if not options.brief:
        check.printed()
        check.works()
    return [f"{page}: {problem}" for problem in check.problems]


if __name__ == "__main__":
    main()
