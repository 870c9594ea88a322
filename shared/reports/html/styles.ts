/**
 * The style sheet of all pages: one column, light and dark, for screens from 320 pixels on and for A4. Tables of numbers are
 * open on paper: https://developer.mozilla.org/en-US/docs/Web/CSS/::details-content.
 * Risk levels and series differ in lightness, so that a grey print can be read (test/shared/reports/browser.deep.test.ts).
 */
import { html } from "../../runtime/markup.ts";

export const STYLES = html`
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d1f23; --soft: #5b606a; --line: #dedad2;
  --accent: #2a6592; --good: #2d6a4a; --warn: #8a5006; --bad: #a8322b; --band: #f1eee8;
  --series: #6388a6; --low: #7a8a9e; --medium: #9c5e10; --high: #98241d; --critical: #4d0a12; --on-low: #14161a; --on-risk: #ffffff;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Times New Roman", serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e9e7e2; --soft: #a6abb5; --line: #343943;
    --accent: #7fb3da; --good: #86c5a1; --warn: #e3a960; --bad: #f0938b; --band: #22262e;
    --series: #4f7da0; --low: #75828f; --medium: #c98f3c; --high: #f5a097; --critical: #ffdcd6; --on-low: #14161a; --on-risk: #14161a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(1.7rem, 1.2rem + 2.4vw, 2.5rem); letter-spacing: -0.01em; margin: 0.1em 0 0.15em; }
h2 { font-size: 1.35rem; margin: 0 0 0.9rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
p { margin: 0 0 0.8rem; max-width: 68ch; }
section { margin-top: 2.6rem; }
small { display: block; color: var(--soft); font-size: 0.8125rem; line-height: 1.45; }
.kind { margin: 0; color: var(--accent); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.09em; text-transform: uppercase; }
.whose, .zone { margin: 0; color: var(--soft); }
.nothing, .more, .how, footer { color: var(--soft); } .how { font-size: 0.8125rem; max-width: none; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.8125rem; }

.figures { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1px; margin: 2rem 0 0; background: var(--line); border: 1px solid var(--line); border-radius: 0.6rem; overflow: hidden; }
.figures.fours { grid-template-columns: repeat(4, 1fr); }
.figures div { background: var(--card); padding: 1rem 1.1rem 1.05rem; display: flex; flex-direction: column; }
.figures dt { color: var(--soft); font-size: 0.8125rem; line-height: 1.35; order: 2; }
.figures dd { margin: 0; display: contents; }
.figures strong { order: 1; font: 600 2.15rem/1.15 var(--serif); font-variant-numeric: lining-nums tabular-nums; letter-spacing: -0.015em; }
.figures strong.long { font-size: 1.55rem; line-height: 1.6; white-space: nowrap; }
.figures span { order: 3; color: var(--soft); font-size: 0.8125rem; line-height: 1.35; margin-top: 0.3rem; }
.figures .good strong { color: var(--good); } .figures .warn strong { color: var(--warn); } .figures .bad strong { color: var(--bad); }

.advice { list-style: none; margin: 0; padding: 0; }
.advice li { display: grid; grid-template-columns: 5.2rem 1fr; gap: 0.9rem; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
.advice li:last-child { border-bottom: 0; }
.advice p { margin: 0; }
.badge { display: inline-block; font-size: 0.6875rem; font-weight: 700; letter-spacing: 0.05em; line-height: 1; padding: 0.36em 0.65em; border-radius: 1em; color: var(--on-risk); white-space: nowrap; justify-self: start; align-self: start; margin-top: 0.2rem; }
.badge.low { color: var(--on-low); }
em.open { font-style: normal; color: var(--bad); } .yes { color: var(--good); } .no { color: var(--bad); }

figure { margin: 0 0 1.8rem; }
figcaption, caption { font-weight: 600; font-size: 0.9375rem; text-align: left; margin-bottom: 0.5rem; padding: 0; }
figcaption small { display: inline; margin-left: 0.7rem; font-weight: 400; }
.plot { margin-top: 1.5rem; display: grid; grid-template-columns: auto 1fr auto; column-gap: 0.55rem; }
.axis { display: flex; flex-direction: column; justify-content: space-between; height: calc(10rem + 1.1rem); margin: -0.55rem 0; text-align: right; }
.axis, .labels { color: var(--soft); font-size: 0.75rem; line-height: 1.1rem; font-variant-numeric: tabular-nums; }
.area { position: relative; height: 10rem; }
.area svg { display: block; width: 100%; height: 100%; overflow: visible; }
.area .value { position: absolute; transform: translate(-50%, -0.15rem); font-size: 0.75rem; line-height: 1.1rem; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.parts { position: relative; width: 9.5rem; margin: 0; color: var(--soft); font-size: 0.8125rem; line-height: 1.25rem; }
.parts span { position: absolute; left: 0.2rem; white-space: nowrap; }
.parts b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.parts i { display: inline-block; width: 0.7em; height: 0.7em; border-radius: 2px; margin-right: 0.45em; }
.labels { grid-column: 2; position: relative; height: 1.3rem; margin-top: 0.35rem; }
.labels span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.labels .marked { color: var(--ink); font-weight: 600; }
.grid { stroke: var(--line); } .base { stroke: var(--soft); }
.target { fill: transparent; } .band { fill: var(--band); } .column:hover .target, .column:hover .band { fill: var(--line); }
.series { --tone: var(--series); } .accent { --tone: var(--accent); } .good { --tone: var(--good); } .warn { --tone: var(--warn); } .bad { --tone: var(--bad); }
.low { --tone: var(--low); } .medium { --tone: var(--medium); } .high { --tone: var(--high); } .critical { --tone: var(--critical); }
rect { fill: var(--tone); } i, .badge { background: var(--tone); } rect.track { fill: var(--line); }
.column rect:not(.target, .band) { stroke: var(--paper); stroke-width: 0.75; }
.bar { display: block; width: 100%; min-width: 3rem; height: 0.4rem; margin-top: 0.35rem; }
.number .bar { max-width: 9rem; margin-left: auto; }

table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; margin: 0 0 1.2rem; }
th, td { text-align: left; vertical-align: top; padding: 0.55rem 0.9rem 0.55rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 0.75rem; font-weight: 600; padding-top: 0.2rem; vertical-align: bottom; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.short { white-space: nowrap; }
table.rows .text { min-width: 9.5rem; }
.name { font-weight: 550; }
time { font-variant-numeric: tabular-nums; }
details.numbers { margin-top: 0.4rem; font-size: 0.875rem; }
details.numbers summary { color: var(--soft); cursor: pointer; width: max-content; font-size: 0.8125rem; }
details.numbers caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
details.numbers th[scope="row"] { white-space: nowrap; }
details.numbers table { width: auto; min-width: min(100%, 22rem); margin-top: 0.4rem; font-size: 0.875rem; }
details.numbers th, details.numbers td { padding: 0.2rem 1.4rem 0.2rem 0; }
details.evidence { font-size: 0.8125rem; font-weight: 400; } details.evidence summary { color: var(--soft); cursor: pointer; width: max-content; }
details.evidence p { margin: 0.2rem 0 0; color: var(--soft); }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.92em; }
tr:target th, tr:target td { background: var(--band); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

@media (max-width: 40rem) {
  main { padding: 1.6rem 1rem 3rem; }
  .figures, .figures.fours { grid-template-columns: repeat(2, 1fr); }
  .figures strong { font-size: 1.75rem; } .figures strong.long { font-size: 1.35rem; }
  .figures div { padding: 0.85rem 0.9rem; }
  .advice li { grid-template-columns: 1fr; gap: 0.35rem; }
  .plot { grid-template-columns: auto 1fr; }
  .parts { grid-column: 1 / -1; grid-row: 3; width: auto; display: flex; flex-flow: row-reverse wrap; justify-content: flex-end; gap: 0.1rem 1.1rem; margin-top: 0.5rem; }
  .parts span { position: static; }
  figcaption small { display: block; margin-left: 0; }
  table.rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.rows, table.rows tbody, table.rows caption { display: block; }
  table.rows tr { display: block; padding: 0.7rem 0; border-bottom: 1px solid var(--line); }
  table.rows th, table.rows td { display: grid; grid-template-columns: 7rem 1fr; gap: 0.6rem; padding: 0.12rem 0; border: 0; text-align: left; white-space: normal; }
  .number .bar { max-width: none; }
  table.rows th { display: block; font-size: 1rem; padding-bottom: 0.3rem; }
  table.rows .text { min-width: 0; }
  table.rows td::before { content: attr(data-head); color: var(--soft); font-size: 0.8125rem; line-height: 1.9; }
  table.rows td:has(> div:empty) { display: none; }
  details.numbers table { font-size: 0.8125rem; }
  details.numbers th, details.numbers td { padding-right: 0.7rem; }
  details.numbers th[scope="row"] { white-space: normal; overflow-wrap: normal; }
}
@page { size: A4; margin: 16mm 15mm 18mm; }
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --card: #fff; --ink: #1d1f23; --soft: #5b606a; --line: #d9d6d0;
    --accent: #2a6592; --good: #2d6a4a; --warn: #9a5b09; --bad: #a8322b; --band: #f1eee8;
    --series: #6388a6; --low: #7a8a9e; --medium: #9c5e10; --high: #98241d; --critical: #4d0a12; --on-low: #14161a; --on-risk: #ffffff;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  html { font-size: 9.5pt; }
  main { max-width: none; padding: 0; }
  section { margin-top: 1.6rem; }
  h2 { break-after: avoid; } figure, tr, .advice li, .figures { break-inside: avoid; } thead { display: table-header-group; }
  caption, figcaption { break-after: avoid; }
  details.numbers summary { display: none; }
  details.numbers::details-content { content-visibility: visible; display: block; }
  details.numbers.long > div { columns: 3; column-gap: 2rem; }
  details.numbers table { width: 100%; } details.numbers.long th, details.numbers.long td { padding-right: 0.6rem; }
  details.evidence summary { display: none; } details.evidence::details-content { content-visibility: visible; display: block; }
}
`;
