/// How a page looks: light and dark, narrow and wide, on paper; and its filters by class, which need no script.
enum PageStyle {
    /// The style in the order in which it is written: later parts change earlier ones.
    static let parts: [StaticString] = [base, bar, entries, contents, media]

    /// Colors, the page's head, and what all of it shares.
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
        code, kbd, .source, .hash, .name, .place, .sql, .val, .where, .text, .attribute, .class { font-family: var(--mono); }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
        .vh { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; border: 0; overflow: hidden;
          clip-path: inset(50%); white-space: nowrap; }
        .dim, .none, .count, .hid, .itself { color: var(--dim); }
        .js, .off, .miss { display: none !important; }
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
        .command { margin-bottom: 0.8rem; font-size: 0.8125rem; color: var(--dim); overflow-wrap: anywhere; }
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
}
