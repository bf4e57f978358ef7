extension PageStyle {
    /// Narrow pages, low ones, and paper.
    static let media: StaticString = #"""

        @media (max-width: 40rem) {
          .bar { flex-wrap: wrap; max-height: 60vh; overflow-y: auto; gap: 0.5rem; padding-block: 0.4rem; }
          .bar:not(:has(#more:checked)) :is(.chips, .tools) { display: none !important; }
          .more { display: inline-flex; flex: none; }
          .find { flex: 1 1 0; min-width: 0; }
          .find .steps button { padding-inline: 0.4rem; }
          .chips, .tools { flex: 1 1 100%; }
          .tools button, .tools label { flex: 1 1 auto; }
          .tools select { width: 100%; max-width: none; }
          .edit { grid-template-columns: minmax(0, 1fr); }
          .grid tbody th { position: static; }
          .pair { grid-template-columns: minmax(0, max-content); }
          .in { margin-left: 0.35rem; padding-left: 0.45rem; }
          .meta { flex-basis: 100%; padding-left: 2.6rem; }
          .entry .name { flex-basis: 60%; }
          .body { padding-inline: 0.55rem; }
          .text .n { min-width: 0; padding-inline: 0.3rem; }
          .changes { display: block; min-width: 0; }
          .changes thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .changes tbody { display: block; }
          .changes tr { display: grid; grid-template-columns: 1.9rem minmax(0, 1fr); padding: 0.3rem 0.5rem; }
          .changes td, .changes th { display: block; grid-column: 2; padding: 0.1rem 0; }
          .changes .k { grid-column: 1; grid-row: 1; }
          .changes .old::before, .changes .new::before { color: var(--dim); font-size: 0.75rem; }
          .changes .old::before { content: "old "; } .changes .new::before { content: "new "; }
          .changes td:has(> .none) { display: none; }
          .changes tr.nested td:first-child { padding-left: 0; }
        }
        @media (max-height: 30rem) { .bar { position: static; } }
        @media print {
          :root { color-scheme: light; }
          .bar, .theme, .keys, .on .compare { display: none !important; }
          body { font-size: 9pt; }
          .scroll { overflow: visible; }
          .changes { min-width: 0; }
          .grid { font-size: 7pt; }
          .grid .val { width: auto; }
          .grid th, .grid td { padding-inline: 0.2rem; }
          .grid th, .grid td, .edits th { white-space: normal; overflow-wrap: anywhere; }
          .slide .pair, .blink .pair { display: flex; }
          .slide figure, .blink figure { clip-path: none; animation: none; }
          .hash { max-width: none; white-space: normal; overflow-wrap: anywhere; }
          .s, .badge, .val, .add td, .del td, .shares rect, .note, .grid td, .edits th::before, .grid th::before {
            print-color-adjust: exact; -webkit-print-color-adjust: exact; }
          tr, figure, .note, summary { break-inside: avoid; }
          summary { break-after: avoid; }
          details::details-content { content-visibility: visible; block-size: auto; }
        }

        """#
}
