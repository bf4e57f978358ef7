extension PageScript {
    /// What is typed and clicked.
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
