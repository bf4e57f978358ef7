/// How the verdict of an expectation and its marks look: on pages that have one.
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
