/// The script of a page: everything beyond folding and filters by class. It reads the page, and changes only classes, open
/// states, one measure and one line of text. It creates no markup and makes no requests.
enum PageScript {
    /// The parts of one function, in order: later parts use names from earlier ones.
    static let parts: [StaticString] = [start, filter, places, controls, pictures, end]
    /// The parts for the page of one state.
    static let stateParts: [StaticString] = [start, filter, places, controls, pictures, state, end]

    /// The shared part: the entries, and which of them the filters show.
    private static let start: StaticString = #"""

        (() => {
          "use strict";
          const by = (id) => document.getElementById(id);
          const all = (selector) => Array.from(document.querySelectorAll(selector));
          const entries = all("main .entry"), directories = all(".dir"), boxes = all(".chip input");
          const find = by("find"), handler = by("handler"), found = by("found"), none = by("none");
          document.documentElement.classList.add("on");

          const isOn = (letter) => { const box = by("f-" + letter); return box !== null && box.checked; };
          // The third class of an entry: s or n for signal or noise, then what became of it.
          const shows = (mark) => isOn(mark[1]) && (mark[0] === "s" || isOn("n"));
          const outer = (element) => element.parentElement.closest(".dir");
          const unfold = (entry) => {
            for (let each = entry.parentElement.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
          };

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

    /// The filter: the entries that contain all words, are of the chosen content, and have findings if only these are asked for.
    static let filter: StaticString = #"""

          const texts = new Map();
          const text = (entry) => {
            let own = texts.get(entry);
            if (own === undefined) texts.set(entry, own = entry.textContent.toLowerCase());
            return own;
          };
          const apply = () => {
            const words = find ? find.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
            const kind = handler ? handler.value : "", findings = isOn("x"), holders = new Set();
            const isLimited = words.length > 0 || kind !== "" || findings;
            let shown = 0, fitting = 0;
            for (const entry of entries) {
              const fits = (!findings || entry.classList.contains("hit")) && (!kind || entry.dataset.h === kind) &&
                words.every((word) => text(entry).includes(word));
              entry.classList.toggle("off", !fits);
              if (!shows(entry.classList.item(2))) continue;
              shown += 1;
              if (!fits) continue;
              fitting += 1;
              for (let each = outer(entry); each && !holders.has(each); each = outer(each)) {
                holders.add(each);
                if (words.length) each.open = true;
              }
            }
            for (const each of directories) each.classList.toggle("off", isLimited && !holders.has(each));
            none.hidden = fitting > 0;
            found.textContent = isLimited ? fitting + " of " + shown + (shown === 1 ? " entry" : " entries") : "";
          };

        """#

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
            if (!entry.closest("main")) {
              // The history of a state has no filters.
              entry.open = true;
              unfold(entry);
              place.scrollIntoView();
              return;
            }
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

    /// Handles typing and clicks.
    static let controls: StaticString = #"""

          if (find) {
            let timer = 0;
            find.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 120); });
            for (const box of boxes) box.addEventListener("change", apply);
            if (handler) handler.addEventListener("change", apply);
            const fold = (isOpen) => { for (const each of [...directories, ...entries]) each.open = isOpen; };
            by("open").addEventListener("click", () => fold(true));
            by("shut").addEventListener("click", () => fold(false));
            window.addEventListener("hashchange", go);
            go();
          }

        """#

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

    /// Zooms the bar of directories, and copies pointers.
    static let state: StaticString = #"""

          const icicle = by("icicle"), cells = icicle ? Array.from(icicle.querySelectorAll(".cell")) : [];
          const spans = cells.map((cell) => [parseFloat(cell.getAttribute("x")), parseFloat(cell.getAttribute("width"))]);
          const zoom = (from, width, text) => {
            cells.forEach((cell, index) => {
              cell.setAttribute("x", (spans[index][0] - from) / width * 100 + "%");
              cell.setAttribute("width", spans[index][1] / width * 100 + "%");
            });
            by("zoomed").textContent = text || "Click a part to zoom in.";
            by("zoomout").hidden = text === "";
            label();
          };
          // A part that is too narrow for its name has none.
          const label = () => {
            const widths = cells.map((cell) => cell.querySelector("rect").getBoundingClientRect().width);
            cells.forEach((cell, index) => {
              const needed = Math.min(cell.querySelector("text").textContent.length * 8 + 14, 96);
              cell.classList.toggle("thin", widths[index] < needed);
            });
          };
          label();
          window.addEventListener("resize", label);
          cells.forEach((cell, index) => {
            const enter = () => zoom(spans[index][0], spans[index][1], cell.querySelector("title").textContent);
            cell.setAttribute("tabindex", "0");
            cell.setAttribute("role", "button");
            cell.addEventListener("click", enter);
            cell.addEventListener("keydown", (event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              enter();
            });
          });
          // The newest versions are on the right.
          for (const each of all(".scroll > .timeline")) each.parentElement.scrollLeft = each.offsetWidth;
          if (icicle) by("zoomout").addEventListener("click", () => zoom(0, 100, ""));

          document.addEventListener("click", async (event) => {
            const key = event.target.closest("button.key");
            if (!key) return;
            try { await navigator.clipboard.writeText(key.dataset.p); } catch { return; }
            key.classList.add("done");
            setTimeout(() => key.classList.remove("done"), 1200);
          });

        """#
}
