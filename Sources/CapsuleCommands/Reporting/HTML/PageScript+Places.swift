extension PageScript {
    /// Places in the page: an entry by the path that the address names.
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
