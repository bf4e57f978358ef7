extension PageScript {
    /// Two pictures of one size, one over the other: with an edge between them that moves, or in turns.
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
