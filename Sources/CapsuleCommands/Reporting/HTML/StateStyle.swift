/// The style that the page of one state has beyond ``PageStyle``.
enum StateStyle {
    static let parts: [StaticString] = [space, timeline, contents]

    private static let space: StaticString = #"""

        .state .space, .state .history { padding-inline: max(1rem, (100% - 84rem) / 2); padding-block: 0.2rem 1rem; }
        .state h2 { margin: 0.6rem 0; font-size: 1.125rem; }
        .state h1 { margin-bottom: 0.15rem; font-size: 1.375rem; overflow-wrap: anywhere; }
        .state .mast { padding-bottom: 0.5rem; }
        .origin { color: var(--dim); font-size: 0.8125rem; overflow-wrap: anywhere; margin-bottom: 0.5rem; }
        .icicle { display: block; width: 100%; border-radius: 0.4rem; overflow: hidden; }
        .cell rect { fill: var(--tint); stroke: var(--ground); stroke-width: 2; }
        .on .icicle .cell { cursor: pointer; }
        .icicle .cell:hover rect, .icicle .cell:focus-visible rect { stroke: var(--c); }
        .icicle .cell:focus-visible { outline: none; }
        .cell.thin text { display: none; }
        .cell text { fill: var(--c); font: 600 0.8125rem/1 var(--mono); pointer-events: none; }
        .zoom { gap: 0.6rem; align-items: center; min-height: 2rem; margin-top: 0.4rem; font-size: 0.8125rem; color: var(--dim); overflow-wrap: anywhere; }
        .table { margin-top: 0.3rem; font-size: 0.8125rem; }
        .table summary { color: var(--dim); }
        .num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 0.9rem; margin-top: 0.8rem;
          align-items: start; }
        .card { min-width: 0; padding: 0.5rem 0.2rem 0.3rem; border: 1px solid var(--line); border-radius: 0.5rem; }
        .card h3 { margin: 0 0.6rem 0.3rem; font-size: 0.875rem; }
        .card thead th { background: none; }
        .card tbody tr { border-top: 1px solid var(--soft); }
        .card th[scope="row"] { font-weight: 400; overflow-wrap: anywhere; }
        .card .hid { margin: 0.3rem 0.6rem; }
        .card .place a { color: inherit; text-decoration-color: var(--line); }
        .card .place a:hover { color: var(--link); text-decoration-color: currentcolor; }

        """#

    private static let timeline: StaticString = #"""

        .timeline { width: auto; }
        .scroll:has(> .timeline) { width: fit-content; max-width: 100%; }
        .timeline th.place { position: sticky; left: 0; z-index: 1; min-width: 14rem; max-width: 34rem; font-weight: 500; background: var(--ground);
          overflow-wrap: anywhere; }
        .timeline thead th { vertical-align: bottom; text-align: center; font-size: 0.8125rem; }
        .timeline thead th.place { text-align: left; background: var(--panel); }
        .timeline tbody tr { border-top: 1px solid var(--soft); }
        .timeline td { padding: 0.15rem 0.2rem; text-align: center; }
        .timeline .label { display: block; max-width: 6rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .grown { display: block; width: 1.2rem; height: 2.2rem; margin: 0 auto 0.2rem; }
        .grown rect { fill: var(--r); }
        a.cell, span.cell { display: block; min-width: 2.2rem; padding: 0.15rem 0.3rem; border-radius: 0.3rem; color: var(--c); background: var(--tint);
          font: 600 0.8125rem/1.5 var(--mono); text-decoration: none; }
        a.cell:hover { box-shadow: inset 0 0 0 1px var(--c); }
        .label { padding: 0 0.35rem; border-radius: 0.25rem; background: var(--soft); font-size: 0.75rem; font-weight: 400; color: var(--p); }
        .version { margin-top: 0.5rem; border: 1px solid var(--line); border-radius: 0.5rem; }
        .version > summary { padding: 0.4rem 0.65rem; flex-wrap: wrap; }
        .version h3 { margin: 0; font-size: 0.9375rem; }
        .version > .in { margin: 0 0.6rem 0.6rem; padding: 0; border: 0; }
        .history .v { display: block; }
        .history .off-only { display: revert; }
        .history .nz { display: none; }

        """#

    private static let contents: StaticString = #"""

        .dot { flex: none; align-self: center; width: 0.7rem; height: 0.7rem; border-radius: 0.2rem; background: var(--c); opacity: 0.75; }
        div.entry { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.5rem; padding: 0.35rem 0.65rem 0.35rem 1.55rem; }
        div.entry.v { display: none; }
        .bar:has(#f-r:checked) ~ main div.sr, .bar:has(#f-t:checked) ~ main div.st, .bar:has(#f-a:checked) ~ main div.sa,
        .bar:has(#f-p:checked) ~ main div.sp, .bar:has(#f-e:checked) ~ main div.se { display: flex; }
        .tree .size { min-width: 5rem; text-align: right; font-size: 0.8125rem; color: var(--dim); font-variant-numeric: tabular-nums; }
        .dir > summary .size { margin-left: auto; padding-right: 0.65rem; }
        .dir > summary .share + .size { margin-left: 0; }
        .share { flex: none; width: 6rem; height: 0.5rem; margin-left: auto; align-self: center; border-radius: 0.25rem; background: var(--soft); }
        .share rect { fill: var(--r); }
        .tree .edits tbody th::before, .tree .grid tbody th::before { content: none; }
        .tree .val, .tree .grid .val { color: inherit; background: none; padding-inline: 0; }
        .values { font-size: 0.8125rem; }
        .values summary, .leaf { padding-block: 0.08rem; }
        .leaf { padding-left: 0.75rem; overflow-wrap: anywhere; }
        .values .in { margin-left: 0.35rem; padding-left: 0.7rem; border-left: 1px solid var(--soft); }
        .key { min-height: 1.5rem; padding: 0 0.25rem; border: 0; background: none; font: 600 0.8125rem/1.4 var(--mono); color: var(--r);
          text-align: left; overflow-wrap: anywhere; }
        .on button.key { cursor: copy; }
        .key.done::after { content: " copied"; font: 0.75rem system-ui, sans-serif; color: var(--dim); }
        .lines { margin: 0; padding: 0.4rem 0.6rem; border: 1px solid var(--line); border-radius: 0.4rem; font: 0.8125rem/1.45 var(--mono);
          white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
        figure.state { border-top-width: 1px; }
        @media (max-width: 40rem) {
          .cards { grid-template-columns: minmax(0, 1fr); }
          .share { width: 3rem; }
          .timeline th.place { min-width: 9rem; max-width: 9rem; }
          .key { min-height: 1.75rem; }
        }
        @media print { .zoom { display: none !important; } }

        """#
}
