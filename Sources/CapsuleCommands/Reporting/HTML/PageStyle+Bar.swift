extension PageStyle {
    /// The search, the filters and the keys, and what a filter shows.
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
        .find input::-webkit-search-cancel-button { display: none; }
        .find kbd { position: absolute; right: 0.5rem; pointer-events: none; }
        .find input:focus + kbd, .find input:not(:placeholder-shown) + kbd { display: none; }
        .steps { display: flex; gap: 0.25rem; }
        .steps[hidden] { display: none; }
        .steps button { padding-inline: 0.6rem; }
        .found { flex: none; font-size: 0.8125rem; color: var(--dim); font-variant-numeric: tabular-nums; }
        .found:empty { display: none; }
        .more { display: none; position: relative; align-items: center; min-height: 2rem; padding: 0.25rem 0.7rem; cursor: pointer;
          border: 1px solid light-dark(#8b949e, #56616d); border-radius: 0.4rem; background: var(--ground); font-size: 0.875rem; }
        .more:has(:checked) { background: var(--soft); }
        .more:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
        kbd { padding: 0 0.4rem; border: 1px solid var(--line); border-radius: 0.25rem; font-size: 0.75rem; color: var(--dim);
          background: var(--ground); }
        .keys { position: fixed; right: 1rem; bottom: 1rem; z-index: 3; max-width: calc(100% - 2rem); padding: 0.6rem 0.9rem;
          border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); font-size: 0.8125rem;
          box-shadow: 0 2px 12px light-dark(#0003, #000a); }
        .keys dl { display: grid; gap: 0.25rem; margin: 0; }
        .keys div { display: grid; grid-template-columns: 6.5rem 1fr; align-items: baseline; }
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
}
