/// What a page can do beyond folding and filters by class, where scripts may run.
///
/// It reads the page and changes classes, what is open, one measure and one line of text; it makes no markup and asks for
/// nothing.
enum PageScript {
    /// One function in the order in which it is written: later parts use what earlier ones name.
    static let parts: [StaticString] = [start, search, places, keys, pictures, end]

    /// What the parts share: the entries, and which of them the filters show.
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

    /// On paper all is unfolded.
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
