/// The style sheet of a page: light and dark, narrow and wide, and for paper. It also contains the filters by class, which need no script.
enum PageStyle {
    /// The parts of the style sheet, in order: later parts override earlier ones.
    static let parts: [StaticString] = [base, bar, entries, contents, media]

    /// Colors, the page's head, and the shared style.
    private static let base: StaticString = #"""

        :root {
          color-scheme: light dark;
          --ground: light-dark(#ffffff, #0f1318); --panel: light-dark(#f6f8fa, #161b22);
          --ink: light-dark(#1c2128, #e3e8ee); --dim: light-dark(#57606a, #9ca7b3);
          --line: light-dark(#d7dde3, #2b333d); --soft: light-dark(#e9edf1, #212830); --link: light-dark(#0b57a4, #8cc4ff);
          --a: light-dark(#116329, #7ee2a0); --a-tint: light-dark(#e4f6e9, #12301e);
          --d: light-dark(#a40e26, #ff9d96); --d-tint: light-dark(#ffebe9, #3c1b1e);
          --m: light-dark(#7a4b00, #f0c674); --m-tint: light-dark(#fff2d2, #352a10);
          --r: light-dark(#0b4f94, #8cc4ff); --r-tint: light-dark(#e2efff, #132c47);
          --t: light-dark(#662a9c, #d2adff); --t-tint: light-dark(#f3e9ff, #2e1f45);
          --e: light-dark(#0a6262, #7adad3); --e-tint: light-dark(#daf4f2, #0f302e);
          --p: light-dark(#47515c, #b4bec8); --p-tint: light-dark(#e9edf1, #252c35);
          --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
        }
        :root:has(#theme option[value="light"]:checked) { color-scheme: light; }
        :root:has(#theme option[value="dark"]:checked) { color-scheme: dark; }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink); line-height: 1.5; -webkit-text-size-adjust: 100%;
          font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", Roboto, Helvetica, Arial, sans-serif; }
        .mast, .bar, main, footer { padding-inline: max(1rem, (100% - 84rem) / 2); }
        p { margin: 0; }
        a { color: var(--link); text-underline-offset: 0.15em; }
        i { font-style: normal; color: var(--m); background: var(--m-tint); border-radius: 0.2em; }
        code, .source, .hash, .name, .place, .sql, .val, .where, .text, .attribute, .class { font-family: var(--mono); }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
        .vh { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; border: 0; overflow: hidden;
          clip-path: inset(50%); white-space: nowrap; }
        .dim, .none, .count, .hid, .itself { color: var(--dim); }
        .js, .off { display: none !important; }
        .on .js { display: flex !important; }
        .ca { --c: var(--a); --tint: var(--a-tint); } .cd { --c: var(--d); --tint: var(--d-tint); }
        .cm { --c: var(--m); --tint: var(--m-tint); } .cr { --c: var(--r); --tint: var(--r-tint); }
        .ct { --c: var(--t); --tint: var(--t-tint); } .ce { --c: var(--e); --tint: var(--e-tint); }
        .cp, .cn { --c: var(--p); --tint: var(--p-tint); }

        .mast { padding-block: 1.25rem 1.1rem; }
        .mark { display: flex; justify-content: space-between; align-items: center; gap: 1rem; margin-bottom: 0.9rem; }
        .mark p { display: flex; align-items: center; gap: 0.55rem; color: var(--dim); font-weight: 600; letter-spacing: 0.02em; }
        .mark p::before { content: ""; width: 1.7rem; height: 0.8rem; border-radius: 1rem; border: 1.5px solid var(--dim);
          background: linear-gradient(90deg, var(--dim) 50%, transparent 50%); }
        h1 { margin: 0 0 0.8rem; display: grid; gap: 0.4rem; font-size: 1.0625rem; line-height: 1.4; }
        .side { display: grid; grid-template-columns: auto 2.2rem minmax(0, 1fr); column-gap: 0.55rem; align-items: baseline; }
        .side .sign { width: 1.35rem; text-align: center; border-radius: 0.3rem; font: 700 1rem/1.35rem var(--mono); }
        .side.old .sign { color: var(--d); background: var(--d-tint); }
        .side.new .sign { color: var(--a); background: var(--a-tint); }
        .side .what, .side .origin { font-size: 0.8125rem; font-weight: 400; color: var(--dim); }
        .side .source { overflow-wrap: anywhere; font-weight: 600; }
        .side .origin { grid-column: 3; min-width: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
        .by { font-weight: 400; }
        .hash { display: inline-block; max-width: 14ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
          vertical-align: bottom; text-indent: 0; }
        .hash:hover, .hash:focus { max-width: none; white-space: normal; overflow-wrap: anywhere; }
        .verdict { font-size: 1.0625rem; }
        .verdict strong { font-size: 1.5rem; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
        .noise { color: var(--dim); overflow-wrap: anywhere; }
        .shares { display: block; width: 100%; height: 0.45rem; margin-top: 0.75rem; border-radius: 0.25rem; }
        .shares rect { fill: var(--c); }
        .note { margin: 0.75rem 0; padding: 0.55rem 0.8rem; border: 1px solid var(--line); border-left: 4px solid var(--m);
          border-radius: 0.35rem; background: var(--m-tint); overflow-wrap: anywhere; }
        .mast .note { margin: 1rem 0 0; }
        .note ul { margin: 0.25rem 0 0; padding-left: 1.2rem; font-family: var(--mono); font-size: 0.8125rem; }

        """#

    /// The filters and their effects.
    static let bar: StaticString = #"""

        .bar { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.5rem 0.8rem; align-items: center;
          padding-block: 0.5rem; background: var(--panel); border-block: 1px solid var(--line); }
        .chips { position: relative; display: flex; flex-wrap: wrap; gap: 0.4rem; }
        .chip { display: inline-flex; align-items: center; gap: 0.4rem; padding: 0.15rem 0.65rem 0.15rem 0.45rem; cursor: pointer;
          border: 1px solid var(--line); border-radius: 1rem; background: var(--ground); color: var(--dim); white-space: nowrap;
          font-size: 0.875rem; }
        .chip input { margin: 0 0.05rem 0 0; accent-color: var(--c); }
        .chip .sign { font: 700 1rem/1 var(--mono); color: var(--c); }
        .chip b { font-variant-numeric: tabular-nums; }
        .chip:has(:checked) { background: var(--tint); color: var(--c); border-color: color-mix(in srgb, var(--c) 35%, transparent); }
        .chip:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
        .chip input:focus-visible { outline: none; }
        .tools { flex-wrap: wrap; gap: 0.4rem; align-items: center; }
        .find { position: relative; flex: 1 1 20rem; max-width: 36rem; align-items: center; gap: 0.4rem; }
        .find input { flex: 1; }
        .found { flex: none; font-size: 0.8125rem; color: var(--dim); font-variant-numeric: tabular-nums; }
        .found:empty { display: none; }
        .more { display: none; position: relative; align-items: center; min-height: 2rem; padding: 0.25rem 0.7rem; cursor: pointer;
          border: 1px solid light-dark(#8b949e, #56616d); border-radius: 0.4rem; background: var(--ground); font-size: 0.875rem; }
        .more:has(:checked) { background: var(--soft); }
        .more:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
        input[type="search"], select, button { font: inherit; font-size: 0.875rem; color: var(--ink); background: var(--ground);
          border: 1px solid light-dark(#8b949e, #56616d); border-radius: 0.4rem; padding: 0.25rem 0.6rem; min-height: 2rem; }
        input[type="search"] { width: 100%; min-width: 0; }
        ::placeholder { color: var(--dim); opacity: 1; }
        select { max-width: 14rem; padding-right: 0.2rem; }
        .theme select { border-color: transparent; background: transparent; color: var(--dim); font-size: 0.8125rem; min-height: 0; }
        .theme select:hover { border-color: var(--line); }
        option { background: var(--ground); color: var(--ink); }
        button { cursor: pointer; }
        button:hover { background: var(--soft); }

        main { padding-block: 0.9rem 2rem; }
        .v { display: none; }
        .bar:has(#f-a:checked) ~ main .sa, .bar:has(#f-d:checked) ~ main .sd, .bar:has(#f-m:checked) ~ main .sm,
        .bar:has(#f-r:checked) ~ main .sr, .bar:has(#f-t:checked) ~ main .st, .bar:has(#f-e:checked) ~ main .se,
        .bar:has(#f-p:checked) ~ main .sp { display: block; }
        .bar:has(#f-n:checked):has(#f-a:checked) ~ main .na, .bar:has(#f-n:checked):has(#f-d:checked) ~ main .nd,
        .bar:has(#f-n:checked):has(#f-m:checked) ~ main .nm, .bar:has(#f-n:checked):has(#f-r:checked) ~ main .nr,
        .bar:has(#f-n:checked):has(#f-t:checked) ~ main .nt, .bar:has(#f-n:checked):has(#f-e:checked) ~ main .ne,
        .bar:has(#f-n:checked):has(#f-p:checked) ~ main .np { display: block; }
        .bar:not(:has(#f-n:checked)) ~ main .nz, .bar:has(#f-n:checked) ~ main .off-only,
        .bar:has(#f-n:checked) .off-only, .bar:not(:has(#f-n:checked)) .on-only,
        .mast:has(~ .bar #f-n:checked) .off-only, .mast:not(:has(~ .bar #f-n:checked)) .on-only { display: none; }
        @supports not selector(:has(*)) { .v { display: block; } .off-only { display: none; } }

        """#

    /// Directories and entries, without the details inside.
    static let entries: StaticString = #"""

        summary { display: flex; align-items: baseline; gap: 0.5rem; cursor: pointer; list-style: none; border-radius: 0.4rem; }
        summary::-webkit-details-marker { display: none; }
        summary::before { content: ""; flex: none; width: 0.4rem; height: 0.4rem; margin-inline: 0.15rem 0.1rem; translate: 0 -0.1rem;
          border: solid var(--dim); border-width: 0 1.5px 1.5px 0; rotate: -45deg; }
        details[open] > summary::before { rotate: 45deg; translate: 0 -0.2rem; }
        .dir > summary { padding: 0.2rem 0.35rem; font-size: 0.875rem; color: var(--dim); }
        .dir > summary:hover { background: var(--soft); }
        .dir > summary .name { color: var(--ink); font-weight: 600; overflow-wrap: anywhere; }
        .dir .count { font-size: 0.8125rem; font-weight: 400; font-variant-numeric: tabular-nums; }
        .in { margin-left: 0.62rem; padding-left: 0.85rem; border-left: 1px solid var(--line); }
        .entry { margin: 0.3rem 0; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel);
          scroll-margin-top: 6.5rem; }
        .entry > summary { padding: 0.35rem 0.65rem 0.35rem 0.5rem; flex-wrap: wrap; }
        .entry > summary:hover { background: var(--soft); }
        .entry:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
        .entry .name { flex: 1 1 12rem; min-width: 0; margin: 0; font-size: 0.875rem; font-weight: 600; overflow-wrap: anywhere; }
        .name .from { font-weight: 400; color: var(--dim); }
        .itself { font-family: system-ui, sans-serif; font-weight: 400; }
        .arrow { color: var(--r); }
        .entry.na, .entry.nd, .entry.nm, .entry.nr, .entry.nt, .entry.ne, .entry.np { border-style: dashed; background: var(--ground); }
        .badge, .s { flex: none; display: inline-block; min-width: 1.35rem; text-align: center; border-radius: 0.3rem;
          font: 700 0.9375rem/1.35rem var(--mono); color: var(--c); background: var(--tint); }
        .meta { display: flex; flex-wrap: wrap; gap: 0.2rem 0.8rem; align-items: baseline; font-size: 0.8125rem; color: var(--dim);
          font-variant-numeric: tabular-nums; }
        .meta .size:empty { display: none; }
        .handler, .pill { padding: 0 0.45rem; border: 1px solid var(--line); border-radius: 1rem; font-size: 0.75rem;
          background: var(--ground); color: var(--dim); font-family: inherit; font-weight: 400; overflow-wrap: anywhere; }
        .pill { border-style: dashed; }
        .flag { padding: 0 0.45rem; border-radius: 1rem; font-weight: 700; color: var(--m); background: var(--m-tint); }
        .body { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; padding: 0.6rem 0.8rem 0.8rem; border-top: 1px solid var(--line); background: var(--ground);
          border-radius: 0 0 0.5rem 0.5rem; }
        .facts { margin: 0; font-size: 0.75rem; line-height: 1.6; color: var(--dim); overflow-wrap: anywhere; }
        ul.facts { list-style: none; margin-top: -0.75rem; padding: 0; }
        .facts li { padding-left: 2.6rem; text-indent: -2.6rem; }
        .facts li > b { display: inline-block; min-width: 2.1rem; text-indent: 0; font-weight: 500; }
        .facts .in-file { font-weight: 600; color: var(--ink); }
        .where { margin-right: 0.5rem; }
        .where a { color: inherit; text-decoration-color: var(--line); }
        .where a:hover { color: var(--link); text-decoration-color: currentcolor; }
        .body > .note, .body > .hid { margin: 0; }
        h4 { margin: 0 0 0.35rem; font-size: 0.8125rem; font-weight: 600; color: var(--ink); overflow-wrap: anywhere; }
        h4 .count { font-weight: 400; margin-left: 0.4rem; }
        h4 .sql { font-size: 0.875rem; color: inherit; }
        .entity { padding: 0 0.4rem; border-radius: 0.25rem; background: var(--soft); }
        .plus { color: var(--a); } .minus { color: var(--d); }
        .hid { margin-top: 0.5rem; font-size: 0.8125rem; }

        """#

    /// The differences inside an entry: tables, texts, pictures.
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

        """#

    /// Narrow pages, short ones, and paper.
    static let media: StaticString = #"""

        @media (max-width: 40rem) {
          .bar { flex-wrap: wrap; max-height: 60vh; overflow-y: auto; gap: 0.5rem; padding-block: 0.4rem; }
          .bar:not(:has(#more:checked)) :is(.chips, .tools) { display: none !important; }
          .more { display: inline-flex; flex: none; }
          .find { flex: 1 1 0; min-width: 0; }
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
          .bar, .theme, .on .compare { display: none !important; }
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

/// The style of a verdict and its marks, on pages with an expectation.
enum FindingsStyle {
    static let text: StaticString = #"""

        .judged { margin-bottom: 1rem; padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-left: 4px solid var(--c);
          border-radius: 0.35rem; background: var(--panel); overflow-wrap: anywhere; }
        .judged strong { color: var(--c); font-size: 1.25rem; }
        .judged ul { margin: 0.35rem 0 0; padding-left: 1.2rem; font: 0.8125rem/1.5 var(--mono); }
        .judged li + li { margin-top: 0.2rem; }
        .judged summary { margin-top: 0.35rem; font-size: 0.8125rem; }
        .seen { display: block; color: var(--dim); }
        .fx { display: inline-block; padding: 0 0.45rem; border-radius: 1rem; font: 600 0.75rem/1.4 system-ui, sans-serif;
          color: var(--c); background: var(--tint); scroll-margin-top: 10rem; white-space: nowrap; }
        .fx:target { outline: 2px solid var(--link); outline-offset: 2px; }
        .fl { margin: 0.6rem 0 -0.4rem; }
        .entry.hit { border-left: 4px solid var(--d); }
        .bar:has(#f-x:checked) ~ main .v:not(.hit) { display: none; }
        @media print { .fx { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }

        """#
}
