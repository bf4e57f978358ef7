extension PageStyle {
    /// Directories and entries, up to what differs in them.
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
        .here { outline: 2px solid var(--link); outline-offset: -2px; border-radius: 0.3rem; }
        h4.here { outline-offset: 3px; }
        .body > .note, .body > .hid { margin: 0; }
        h4 { margin: 0 0 0.35rem; font-size: 0.8125rem; font-weight: 600; color: var(--ink); overflow-wrap: anywhere; }
        h4 .count { font-weight: 400; margin-left: 0.4rem; }
        h4 .sql { font-size: 0.875rem; color: inherit; }
        .entity { padding: 0 0.4rem; border-radius: 0.25rem; background: var(--soft); }
        .plus { color: var(--a); } .minus { color: var(--d); }
        .hid { margin-top: 0.5rem; font-size: 0.8125rem; }

        """#
}
