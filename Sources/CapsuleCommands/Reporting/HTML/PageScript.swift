/// What a page can do beyond folding and filters by class, where scripts may run.
///
/// It reads the page and changes classes, what is open and one line of text; it makes no markup and asks for nothing.
enum PageScript {
    /// The base64 of the text's SHA-256, by which the page lets a browser run it and no other script.
    static let digest: StaticString = "ntbcJoMj8R2DhMiLb+GqHtR8kOihz/h9zEP21n7/hGA="

    static let text: StaticString = #"""

        (() => {
          "use strict";
          const by = (id) => document.getElementById(id);
          const all = (selector) => Array.from(document.querySelectorAll(selector));
          const entries = all(".entry"), directories = all(".dir"), boxes = all(".chip input");
          const find = by("find"), handler = by("handler"), found = by("found"), none = by("none");
          const texts = new Map();
          document.documentElement.classList.add("on");

          const text = (entry) => {
            let known = texts.get(entry);
            if (known === undefined) texts.set(entry, known = entry.textContent.toLowerCase());
            return known;
          };
          const isOn = (letter) => { const box = by("f-" + letter); return box !== null && box.checked; };
          // The third class of an entry: s or n for signal or noise, then what became of it.
          const shows = (mark) => isOn(mark[1]) && (mark[0] === "s" || isOn("n"));
          const outer = (element) => element.parentElement.closest(".dir");

          const mark = (hits, words) => {
            if (!window.Highlight || !CSS.highlights) return;
            CSS.highlights.delete("found");
            const ranges = [];
            for (const entry of hits) {
              const walker = document.createTreeWalker(entry, NodeFilter.SHOW_TEXT);
              while (ranges.length < 2000 && walker.nextNode()) {
                const node = walker.currentNode, line = node.data.toLowerCase();
                if (line.length !== node.data.length) continue;
                for (const word of words) {
                  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + word.length)) {
                    const range = new Range();
                    range.setStart(node, at);
                    range.setEnd(node, at + word.length);
                    ranges.push(range);
                  }
                }
              }
            }
            if (ranges.length) CSS.highlights.set("found", new Highlight(...ranges));
          };

          const apply = () => {
            const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
            const kind = handler ? handler.value : "";
            const marks = new Map();
            const holders = new Set(), hits = [];
            let shown = 0, fitting = 0;
            for (const entry of entries) {
              const mark = entry.classList.item(2);
              if (!marks.has(mark)) marks.set(mark, shows(mark));
              const fits = (!kind || entry.dataset.h === kind) && words.every((word) => text(entry).includes(word));
              entry.classList.toggle("off", !fits);
              if (!marks.get(mark)) continue;
              shown += 1;
              if (!fits) continue;
              fitting += 1;
              if (words.length && hits.length < 50) hits.push(entry);
              for (let each = outer(entry); each && !holders.has(each); each = outer(each)) {
                holders.add(each);
                if (words.length) each.open = true;
              }
            }
            for (const each of directories) each.classList.toggle("off", (words.length > 0 || kind !== "") && !holders.has(each));
            for (const entry of hits) {
              const name = entry.querySelector(".where").textContent.toLowerCase();
              if (!words.every((word) => name.includes(word))) entry.open = true;
            }
            mark(hits, words);
            none.hidden = fitting > 0;
            found.textContent = words.length || kind ? fitting + " of " + shown + (shown === 1 ? " entry" : " entries") : "";
          };

          // A path as a place's name: as the page has it, or as someone typed it.
          const anchor = (path) => "/" + encodeURIComponent(path).replace(/%2F/g, "/")
            .replace(/[!'()*]/g, (mark) => "%" + mark.charCodeAt(0).toString(16).toUpperCase());
          const target = () => {
            const name = location.hash.slice(1);
            if (!name) return null;
            const exact = by(name);
            if (exact) return exact;
            try { return by(anchor(decodeURIComponent(name).replace(/^\//, ""))); } catch { return null; }
          };
          const go = () => {
            const entry = target();
            if (!entry || !entry.classList.contains("entry")) return;
            const mark = entry.classList.item(2);
            by("f-" + mark[1]).checked = true;
            if (mark[0] === "n") by("f-n").checked = true;
            if (entry.classList.contains("off")) { find.value = ""; if (handler) handler.value = ""; }
            apply();
            entry.open = true;
            for (let each = outer(entry); each; each = outer(each)) each.open = true;
            entry.scrollIntoView();
          };

          if (find) {
            let timer = 0;
            find.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 120); });
            find.addEventListener("keydown", (event) => {
              if (event.key === "Escape") { find.value = ""; apply(); find.blur(); }
            });
            document.addEventListener("keydown", (event) => {
              if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
              if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox") return;
              event.preventDefault();
              find.focus();
              find.select();
            });
            for (const box of boxes) box.addEventListener("change", apply);
            if (handler) handler.addEventListener("change", apply);
            const fold = (isOpen) => { for (const each of [...directories, ...entries]) each.open = isOpen; };
            by("open").addEventListener("click", () => fold(true));
            by("shut").addEventListener("click", () => fold(false));
            window.addEventListener("hashchange", go);
            go();
          }

          let closed = [];
          window.addEventListener("beforeprint", () => {
            closed = all("details.v:not([open])");
            for (const each of closed) each.open = true;
          });
          window.addEventListener("afterprint", () => { for (const each of closed) each.open = false; });
        })();

        """#
}
