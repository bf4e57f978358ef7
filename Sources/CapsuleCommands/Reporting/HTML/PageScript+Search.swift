extension PageScript {
    /// The search: which entries fit, which of their lines, and the way from match to match.
    ///
    /// A match is a line that has all words, together with its entry's path and its section's heading; the heading, where that
    /// has them all; or the entry, where its path or the rest of it does.
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
