extension PageStyle {
    /// What differs inside an entry: tables, texts, pictures.
    static let contents: StaticString = #"""

        .scroll { position: relative; overflow-x: auto; border: 1px solid var(--line); border-radius: 0.4rem; }
        .scroll + .scroll { margin-top: 0.4rem; }
        table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; }
        th { text-align: left; font-weight: 600; }
        td, th { vertical-align: top; padding: 0.3rem 0.6rem; }
        thead th { padding-block: 0.2rem; font-size: 0.75rem; font-weight: 500; color: var(--dim); background: var(--panel); }
        .changes { min-width: 34rem; table-layout: fixed; }
        .changes td, .changes th { overflow-wrap: anywhere; }
        .changes tr > :first-child { padding-right: 0; }
        .changes thead th:first-child { width: 2.2rem; }
        .changes thead th:nth-last-child(-n + 2) { width: 31%; }
        .changes thead th:nth-child(2):nth-last-child(4) { width: 14%; }
        .changes tbody tr { border-top: 1px solid var(--soft); }
        .changes tbody.group { border-top: 1px solid var(--line); }
        .changes tbody th { font-weight: 500; }
        .changes tr.nested td:first-child { padding-left: 1.4rem; }
        .nested .s { min-width: 1.1rem; line-height: 1.1rem; font-size: 0.8125rem; }
        .val { padding: 0.05rem 0.25rem; border-radius: 0.25rem; -webkit-box-decoration-break: clone; box-decoration-break: clone;
          overflow-wrap: anywhere; }
        .old .val { background: var(--d-tint); color: var(--d); } .new .val { background: var(--a-tint); color: var(--a); }
        .null { font-style: italic; }
        .type, .cut, .eof { font-size: 0.75rem; color: var(--dim); }
        .cut { padding: 0 0.3rem; border: 1px dashed var(--dim); border-radius: 0.25rem; }
        .secret { padding: 0 0.4rem; border-radius: 0.25rem; background: var(--soft); color: var(--p); }
        .class, .sql { font-size: 0.75rem; color: var(--dim); }
        .class { padding: 0 0.35rem; border-radius: 0.25rem; background: var(--soft); color: var(--p); }
        .attribute { font-weight: 600; }
        th .val { padding-inline: 0; }

        .edits th, .grid th { white-space: nowrap; }
        .edits .key, .edits tbody th { width: 1%; }
        .edits tbody th, .grid tbody th { font-weight: 500; font-variant-numeric: tabular-nums; }
        .edits tbody tr + tr, .grid tbody tr + tr { border-top: 1px solid var(--line); }
        .edits tbody th::before, .grid tbody th::before { display: inline-block; min-width: 1.35rem; margin-right: 0.5rem;
          text-align: center; border-radius: 0.3rem; font: 700 0.9375rem/1.35rem var(--mono); }
        .edits tbody th::before { content: "~"; content: "~" / "modified"; color: var(--m); background: var(--m-tint); }
        .edits .gain > th::before, .grid .gain > th::before { content: "+"; content: "+" / "added"; color: var(--a);
          background: var(--a-tint); }
        .edits .loss > th::before, .grid .loss > th::before { content: "\2212"; content: "\2212" / "deleted"; color: var(--d);
          background: var(--d-tint); }
        .edit { display: grid; grid-template-columns: minmax(6rem, 13rem) minmax(0, 1fr); gap: 0 0.8rem; }
        .edit + .edit { margin-top: 0.2rem; }
        .edit .col { overflow-wrap: anywhere; }
        .edit.nested .col { padding-left: 0.9rem; }
        .edits th .val, .grid .val { display: inline-block; width: max-content; max-width: 20rem; padding-inline: 0; vertical-align: top;
          white-space: normal; }
        .edits th .val { max-width: min(16rem, 30vw); }
        .grid tbody th { position: sticky; left: 0; background: var(--ground); }
        .grid .gain td { background: var(--a-tint); } .grid .loss td { background: var(--d-tint); }
        .grid .own, .grid .own .sql { color: var(--dim); }
        .grid thead .attribute { color: var(--ink); }

        table.text { font-size: 0.8125rem; line-height: 1.45; }
        .text td { padding-block: 0; }
        .text .hunk th { padding-block: 0.2rem; font-weight: 400; color: var(--r); background: var(--r-tint); }
        .text .n { width: 1%; min-width: 2.6rem; text-align: right; color: var(--dim); background: var(--panel);
          -webkit-user-select: none; user-select: none; padding-inline: 0.5rem; font-variant-numeric: tabular-nums; }
        .text .sg { width: 1%; padding-inline: 0.5rem 0; font-weight: 700; -webkit-user-select: none; user-select: none; }
        .text .l { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; padding-left: 0.4rem; }
        .add td { background: var(--a-tint); } .del td { background: var(--d-tint); }
        .text .add .n { background: var(--a-tint); color: var(--a); } .text .del .n { background: var(--d-tint); color: var(--d); }
        .add .sg { color: var(--a); } .del .sg { color: var(--d); }
        .schema { margin: 0.35rem 0; }
        .schema p { margin-bottom: 0.25rem; font-size: 0.8125rem; overflow-wrap: anywhere; }
        .sqltext { padding: 0.35rem 0.6rem; border-radius: 0.35rem; margin-bottom: 0.25rem; font-size: 0.8125rem;
          white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
        .sqltext.old { background: var(--d-tint); color: var(--d); } .sqltext.new { background: var(--a-tint); color: var(--a); }
        .sqltext .vh + code { font-family: var(--mono); }
        .plain { font-size: 0.8125rem; }
        dl.bytes { display: flex; flex-wrap: wrap; gap: 0.4rem 2rem; margin: 0; font-variant-numeric: tabular-nums; }
        dt { font-size: 0.75rem; color: var(--dim); }
        dd { margin: 0; }
        .meter { width: 7rem; height: 0.5rem; border-radius: 0.25rem; vertical-align: middle; }
        .meter .whole { fill: var(--d-tint); } .meter .part { fill: var(--a); }

        .pair { display: grid; grid-template-columns: repeat(2, minmax(0, max-content)); gap: 0.75rem; align-items: start; }
        figure { margin: 0; max-width: 44rem; border: 1px solid var(--line); border-radius: 0.4rem; overflow: hidden;
          background: var(--ground); }
        figure.old { border-top: 3px solid var(--d); } figure.new { border-top: 3px solid var(--a); }
        .frame { display: grid; justify-items: center; padding: 0.75rem; background: var(--panel); }
        img { display: block; max-width: 100%; height: auto;
          background: repeating-conic-gradient(var(--soft) 0 25%, var(--ground) 0 50%) 0 0 / 1rem 1rem; }
        img:not(.px) { width: auto; max-height: 30rem; }
        img.px { image-rendering: pixelated; }
        .compare { flex-wrap: wrap; gap: 0.4rem; align-items: center; margin-top: 0.5rem; }
        .compare button[aria-pressed="true"] { background: var(--soft); border-color: var(--link); }
        .compare .at { display: none; align-items: center; gap: 0.4rem; font-size: 0.8125rem; color: var(--dim); }
        .slide .compare .at { display: flex; }
        .slide .pair, .blink .pair { grid-template-columns: minmax(0, max-content); }
        .slide figure, .blink figure { grid-area: 1 / 1; }
        .slide figcaption { display: none; }
        .slide .old { clip-path: inset(0 calc(100% - var(--at, 50%)) 0 0); } .slide .new { clip-path: inset(0 0 0 var(--at, 50%)); }
        .blink figure { animation: blink 1.6s step-end infinite; } .blink .new { animation-delay: -0.8s; }
        @keyframes blink { 0% { visibility: visible; } 50% { visibility: hidden; } }
        @media (prefers-reduced-motion: reduce) { .compare [value="blink"] { display: none; } }
        figcaption { overflow-wrap: anywhere; padding: 0.3rem 0.7rem; font-size: 0.8125rem; color: var(--dim); border-top: 1px solid var(--line); }
        figcaption b { color: var(--ink); }
        .empty { padding: 2.5rem 1rem; text-align: center; color: var(--dim); }
        footer { padding-block: 1rem 2rem; border-top: 1px solid var(--line); font-size: 0.8125rem; color: var(--dim); }
        ::highlight(found) { background: light-dark(#ffe27a, #6b5200); color: light-dark(#1c2128, #ffffff); }

        """#
}
