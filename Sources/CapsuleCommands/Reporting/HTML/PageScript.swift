/// The script of a page: everything beyond folding and filters by class.
///
/// It reads the page, and changes only classes, open states, one measure and one line of text. It creates no markup and makes no requests.
enum PageScript {
    /// The parts of one function, in order: later parts use names from earlier ones.
    static let parts: [StaticString] = [start, search, places, keys, pictures, end]

    /// The shared part: the entries, and which of them the filters show.
    private static let start: StaticString = #"""

        (() => {
          "use strict";
          const by = (id) => document.getElementById(id);
          const all = (selector) => Array.from(document.querySelectorAll(selector));
          const entries = all(".entry"), directories = all(".dir"), boxes = all(".chip input");
          const find = by("find"), handler = by("handler"), found = by("found"), none = by("none");
          document.documentElement.classList.add("on");

          const isOn = (letter) => { const box = by("f-" + letter); return box !== null && box.checked; };
          // The third class of an entry: s or n for signal or noise, then what became of it.
          const shows = (mark) => isOn(mark[1]) && (mark[0] === "s" || isOn("n"));
          const outer = (element) => element.parentElement.closest(".dir");
          const unfold = (entry) => { for (let each = outer(entry); each; each = outer(each)) each.open = true; };

        """#

    /// Unfolds everything for printing.
    private static let end: StaticString = #"""

          let closed = [];
          window.addEventListener("beforeprint", () => {
            closed = all("details.v:not([open])");
            for (const each of closed) each.open = true;
          });
          window.addEventListener("afterprint", () => { for (const each of closed) each.open = false; });
        })();

        """#
}

extension PageScript {
    /// The search: the entries and lines that match, and the steps from match to match.
    ///
    /// A match is one of: a line that, together with its entry's path and its section's heading, contains all words; a heading that
    /// contains all of them; or an entry whose path or other text does.
    static let search: StaticString = #"""

          const texts = new Map(), known = new Map();
          const text = (entry) => {
            let own = texts.get(entry);
            if (own === undefined) texts.set(entry, own = entry.textContent.toLowerCase());
            return own;
          };
          const lower = (element) => element ? element.textContent.toLowerCase() : "";
          const joined = (element, selector) => Array.from(element.querySelectorAll(selector), lower).join(" ");
          // What of an entry can be found: its path, its sections with their lines, and the rest.
          const parts = (entry) => {
            let own = known.get(entry);
            if (own === undefined) {
              const sections = Array.from(entry.querySelectorAll(":scope > .body > section"), (section) => ({
                element: section, title: section.querySelector("h4"),
                text: joined(section, "h4 > .sql, h4 > .entity, .edits thead .sql, .grid thead"),
                lines: Array.from(section.querySelectorAll("tbody.group, tbody:not(.group) > tr:not(.hunk), .schema"), (line) => ({
                  element: line, text: lower(line), isNoise: line.closest(".nz") !== null,
                  signal: line.querySelector(".nz") ? joined(line, "th, .edit:not(.nz)") : null })),
              }));
              known.set(entry, own = { path: lower(entry.querySelector(".where")), sections,
                rest: joined(entry, "summary, section:not(.nz) > h4, .hunk, .note, .plain, .facts, .hid, dl, figcaption") });
            }
            return own;
          };

          let hits = [], at = -1, current = null, missed = [], opened = new Set();
          const highlight = (words) => {
            if (!window.Highlight || !CSS.highlights) return;
            CSS.highlights.delete("found");
            const ranges = [];
            for (const hit of words.length ? hits.slice(0, 500) : []) {
              const walker = document.createTreeWalker(hit.whole, NodeFilter.SHOW_TEXT);
              while (ranges.length < 2000 && walker.nextNode()) {
                const node = walker.currentNode, line = node.data.toLowerCase();
                if (line.length !== node.data.length) continue;
                for (const word of words) {
                  for (let place = line.indexOf(word); place >= 0; place = line.indexOf(word, place + word.length)) {
                    const range = new Range();
                    range.setStart(node, place);
                    range.setEnd(node, place + word.length);
                    ranges.push(range);
                  }
                }
              }
            }
            if (ranges.length) CSS.highlights.set("found", new Highlight(...ranges));
          };

          // The matches in an entry that fits; with them, what of it is not shown.
          const look = (entry, words, withNoise) => {
            const own = parts(entry), summary = entry.firstElementChild, misses = [], matches = [];
            const fit = (text) => words.every((word) => text.includes(word));
            const seen = (line) => withNoise || line.signal === null ? line.text : line.signal;
            if (fit(own.path)) return { matches: [{ entry, element: summary, whole: entry.querySelector(".name"), isName: true }], misses };
            let rest = own.path + " " + own.rest;
            for (const section of own.sections) {
              const title = own.path + " " + section.text, lines = section.lines.filter((line) => withNoise || !line.isNoise);
              const isHidden = !withNoise && section.element.classList.contains("nz");
              if (!isHidden) rest += " " + section.text;
              for (const line of lines) rest += " " + seen(line);
              if (!isHidden && section.title && fit(title)) {
                matches.push({ entry, element: section.title, whole: section.element });
                continue;
              }
              const fitting = lines.filter((line) => fit(title + " " + seen(line)));
              const kept = new Set(fitting);
              for (const line of fitting) matches.push({ entry, element: line.element, whole: line.element });
              if (!fitting.length) { misses.push(section.element); continue; }
              for (const line of lines) if (!kept.has(line)) misses.push(line.element);
              for (const hunk of section.element.querySelectorAll("tbody:has(> .hunk), .scroll")) {
                if (!fitting.some((line) => hunk.contains(line.element))) misses.push(hunk);
              }
            }
            if (matches.length) return { matches, misses };
            return fit(rest) ? { matches: [{ entry, element: summary, whole: entry }], misses: [] } : null;
          };

          const status = () => {
            found.textContent = hits.length ? (at + 1) + " of " + hits.length : find.value.trim() ? "no match" : "";
            by("steps").hidden = hits.length < 2;
          };
          const leave = () => { if (current) current.element.classList.remove("here"); current = null; };
          const show = (place) => {
            leave();
            if (!hits.length) return status();
            at = (place + hits.length) % hits.length;
            current = hits[at];
            unfold(current.entry);
            if (!current.isName && !current.entry.open) { current.entry.open = true; opened.add(current.entry); }
            current.element.classList.add("here");
            current.element.scrollIntoView({ block: "center", inline: "nearest" });
            status();
          };

          let shownWords = "";
          const apply = () => {
            const words = find ? find.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
            const kind = handler ? handler.value : "", findings = isOn("x"), withNoise = isOn("n"), marks = new Map(), holders = new Set();
            for (const each of missed) each.classList.remove("miss");
            missed = [];
            hits = [];
            let shown = 0, fitting = 0;
            for (const entry of entries) {
              const mark = entry.classList.item(2);
              if (!marks.has(mark)) marks.set(mark, shows(mark));
              let fits = (!findings || entry.classList.contains("hit")) && (!kind || entry.dataset.h === kind);
              if (marks.get(mark)) shown += 1;
              if (fits && words.length && marks.get(mark)) {
                const seen = words.every((word) => text(entry).includes(word)) ? look(entry, words, withNoise) : null;
                fits = seen !== null;
                if (seen) {
                  // Of very many entries the first are unfolded, the others when it is their turn.
                  if (fitting < 50 && !seen.matches[0].isName && !entry.open) { entry.open = true; opened.add(entry); }
                  for (const match of seen.matches) hits.push(match);
                  for (const each of seen.misses) { each.classList.add("miss"); missed.push(each); }
                }
              }
              entry.classList.toggle("off", !fits);
              if (!fits || !marks.get(mark)) continue;
              fitting += 1;
              for (let each = outer(entry); each && !holders.has(each); each = outer(each)) {
                holders.add(each);
                if (words.length && !each.open) { each.open = true; opened.add(each); }
              }
            }
            const isLimited = words.length > 0 || kind !== "" || findings;
            for (const each of directories) each.classList.toggle("off", isLimited && !holders.has(each));
            highlight(words);
            none.hidden = fitting > 0;
            const line = words.join(" ");
            if (words.length) {
              if (line !== shownWords || !current) show(0); else { leave(); at = Math.min(at, hits.length - 1); status(); }
            } else {
              // Back to all of it, with the last match where it was.
              const last = current;
              leave();
              for (const each of opened) if (!last || each !== last.entry && !each.contains(last.entry)) each.open = false;
              opened = new Set();
              if (last) last.element.scrollIntoView({ block: "center", inline: "nearest" });
              status();
              if (kind || findings) found.textContent = fitting + " of " + shown + (shown === 1 ? " entry" : " entries");
            }
            shownWords = line;
          };
          const clear = () => { find.value = ""; apply(); };

        """#
}

extension PageScript {
    /// Links into the page: finds an entry by the path in the address.
    static let places: StaticString = #"""

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
            // An entry, or the mark of a finding in one.
            const place = target(), entry = place && place.closest(".entry");
            if (!entry) return;
            const mark = entry.classList.item(2);
            by("f-" + mark[1]).checked = true;
            if (mark[0] === "n") by("f-n").checked = true;
            if (isOn("x") && !entry.classList.contains("hit")) by("f-x").checked = false;
            if (entry.classList.contains("off")) { find.value = ""; if (handler) handler.value = ""; }
            apply();
            entry.open = true;
            unfold(entry);
            place.scrollIntoView();
          };

        """#
}

extension PageScript {
    /// Handles keys and clicks.
    static let keys: StaticString = #"""

          // The next entry, or the one before, from where the focus is, or else from the top of what is seen.
          const step = (way) => {
            const shown = entries.filter((each) => shows(each.classList.item(2)) && !each.classList.contains("off"));
            if (!shown.length) return;
            const own = document.activeElement ? document.activeElement.closest(".entry") : null;
            let place = own ? shown.indexOf(own) : -1;
            if (place >= 0) place += way;
            else {
              const top = document.querySelector(".bar").getBoundingClientRect().bottom - 1;
              place = shown.findIndex((each) => each.getClientRects().length && each.getBoundingClientRect().top >= top);
              if (place < 0) place = shown.length - (way > 0 ? 1 : 0);
              if (way < 0) place -= 1;
            }
            const entry = shown[Math.max(0, Math.min(shown.length - 1, place))];
            unfold(entry);
            entry.firstElementChild.focus({ preventScroll: true });
            entry.scrollIntoView({ block: "start" });
          };
          const toggleKeys = (isShown) => {
            by("keys").hidden = !isShown;
            by("help").setAttribute("aria-expanded", String(isShown));
          };

          if (find) {
            let timer = 0;
            find.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 120); });
            find.addEventListener("keydown", (event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              clearTimeout(timer);
              if (find.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ") !== shownWords) apply();
              else show(event.shiftKey ? at - 1 : at + 1);
            });
            by("next").addEventListener("click", () => show(at + 1));
            by("back").addEventListener("click", () => show(at - 1));
            by("help").addEventListener("click", () => toggleKeys(by("keys").hidden));
            document.addEventListener("keydown", (event) => {
              if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
              if (event.key === "Escape") {
                if (!by("keys").hidden) return toggleKeys(false);
                if (!find.value && document.activeElement !== find) return;
                event.preventDefault();
                clearTimeout(timer);
                clear();
                find.blur();
                return;
              }
              const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && !/^(checkbox|range)$/.test(event.target.type);
              if (isTyping) return;
              const actions = {
                "/": () => { find.focus(); find.select(); }, "?": () => toggleKeys(by("keys").hidden),
                n: () => step(1), j: () => step(1), p: () => step(-1), k: () => step(-1),
              };
              const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
              if (!action) return;
              event.preventDefault();
              action();
            });
            for (const box of boxes) box.addEventListener("change", apply);
            if (handler) handler.addEventListener("change", apply);
            const fold = (isOpen) => { for (const each of [...directories, ...entries]) each.open = isOpen; };
            by("open").addEventListener("click", () => fold(true));
            by("shut").addEventListener("click", () => fold(false));
            window.addEventListener("hashchange", go);
            go();
          }

        """#
}

extension PageScript {
    /// Shows two pictures of the same size one over the other: with a movable edge between them, or alternating.
    static let pictures: StaticString = #"""

          for (const tools of all(".compare")) {
            const pictures = tools.parentElement, buttons = Array.from(tools.querySelectorAll("button"));
            for (const button of buttons) {
              button.addEventListener("click", () => {
                for (const each of buttons) {
                  each.setAttribute("aria-pressed", String(each === button));
                  if (each.value) pictures.classList.toggle(each.value, each === button);
                }
              });
            }
            const edge = tools.querySelector("input");
            const move = () => pictures.style.setProperty("--at", edge.value + "%");
            edge.addEventListener("input", move);
          }

        """#
}
