/**
 * The style of a report: colours that colour-blind readers can distinguish, in a light and a dark
 * scheme, also in print.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1c2126; --soft: #5b6570; --rule: #dfe4e9; --stripe: #f6f8fa; --bad: #b3261e;
  --line-0: #0067a5; --line-1: #c8500a; --line-2: #1b7f4d; --line-3: #a3419b;
  --line-4: #b58900; --line-5: #2aa1b3; --line-6: #6b4ec2; --line-7: #555d66;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181c; --text: #e6eaee; --soft: #98a3ae; --rule: #2d353d; --stripe: #1b2026; --bad: #ff8a80;
    --line-0: #5db2ee; --line-1: #ff9a57; --line-2: #5fcf95; --line-3: #e58fdc;
    --line-4: #e6c14a; --line-5: #66d4e3; --line-6: #ab97f2; --line-7: #b4bcc4;
  }
}
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p { max-width: 46rem; margin: 0 0 .75rem; color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; }
.facts, .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; color: var(--soft); }
.legend { justify-content: center; color: var(--text); font-size: .9rem; }
.none { color: var(--soft); }
figure { margin: 0; }
figure > svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
svg .name { fill: var(--text); }
.grid { stroke: var(--rule); fill: none; }
.axis { stroke: var(--soft); fill: none; }
.line { stroke-width: 2; fill: none; stroke-linejoin: round; }
.dots { stroke-width: 4; stroke-linecap: round; }
.swatch { width: 24px; height: 10px; margin-right: .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 500; white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
tbody tr:nth-child(even) { background: var(--stripe); }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); column-gap: 2.5rem; }
.beside svg text { font-size: 16px; }
.share { display: block; width: 0; min-width: 1px; height: .7em; background: var(--line-0); }
td:has(> .share) { width: 16rem; }
details { margin-top: .75rem; color: var(--soft); }
.bad { color: var(--bad); text-decoration: underline dotted; }
@media print { main { max-width: none; padding: 0; } section { break-inside: avoid; } }
`;
