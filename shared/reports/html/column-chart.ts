/**
 * Columns side by side, each of parts upon one another, as SVG: places are percentages, so that it fits any width and its
 * words stay as large as all others, which stand beside it as HTML. The same numbers come as a table.
 */
import { type Content, html, type Markup } from "./markup.ts";
import { axisEnd, percent } from "./scale.ts";

export type ChartPart = {
  name: string;
  /** Which colour it has: a class of the style sheet. */
  tone: "plain" | "muted" | "accent" | "warn" | "bad";
};

export type Column = {
  /** Under the column; none under most of many. */
  label?: string;
  /** In the table. */
  name: string;
  /** One for each part, from the bottom up. */
  values: readonly number[];
  /** It is what the chart is about. */
  isMarked?: boolean;
};

export type ColumnChart = {
  /** Unique on its page. */
  id: string;
  title: string;
  /** What it shows, in a sentence, for those who do not see it. */
  summary: string;
  parts: readonly ChartPart[];
  columns: readonly Column[];
  format: (value: number) => string;
  /** What the axis counts in; 1 unless said. */
  unit?: number;
  /** What a column is called in the table's head. */
  columnName: string;
};

const GAP = 0.28;
/** Even a little is to be seen: a share of the height. */
const LEAST_HEIGHT = 0.012;

const columnParts = ({ parts, columns, format }: ColumnChart, end: number): Content => {
  const width = 1 / columns.length;
  return columns.map(({ name, values, isMarked }, index) => {
    let top = 1;
    const rects = parts.map((part, at) => {
      const value = values[at] ?? 0;
      if (value <= 0) return undefined;
      const height = Math.max(LEAST_HEIGHT, value / end);
      top -= height;
      return html`<rect class="${part.tone}" x="${percent((index + GAP / 2) * width)}" y="${percent(Math.max(0, top))}" width="${percent(width * (1 - GAP))}" height="${percent(height)}" rx="1"/>`;
    });
    const described = parts.map((part, at) => `${part.name} ${format(values[at] ?? 0)}`).join(", ");
    return html`<g class="${isMarked === false ? "before" : "column"}"><title>${name}: ${described}</title><rect class="target" x="${percent(index * width)}" y="0" width="${percent(width)}" height="100%"/>${rects}</g>`;
  });
};

const legend = (parts: readonly ChartPart[]): Content =>
  parts.length > 1 &&
  html`<p class="legend">${parts.map(({ name, tone }) => html`<span><i class="${tone}"></i>${name}</span>`)}</p>`;

const numbers = ({ title, parts, columns, format, columnName }: ColumnChart): Markup =>
  html`<details class="numbers"><summary>Numbers</summary><table><caption>${title}</caption>
<thead><tr><th scope="col">${columnName}</th>${parts.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>${columns.map(
    ({ name, values }) =>
      html`<tr><th scope="row">${name}</th>${parts.map((_, at) => html`<td class="number">${format(values[at] ?? 0)}</td>`)}</tr>`,
  )}</tbody></table></details>`;

/** A chart with its title, its legend and its numbers. */
export const columnChart = (chart: ColumnChart): Markup => {
  const { id, title, summary, parts, columns, format, unit = 1 } = chart;
  const end = unit * axisEnd(columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0) / unit));
  return html`<figure>
<figcaption>${title}</figcaption>
${legend(parts)}
<div class="plot">
<div class="axis" aria-hidden="true"><span>${format(end)}</span><span>${format(end / 2)}</span><span>${format(0)}</span></div>
<svg role="img" aria-labelledby="${id}-title ${id}-summary"><title id="${id}-title">${title}</title><desc id="${id}-summary">${summary}</desc>
<line class="grid" x1="0" x2="100%" y1="0" y2="0"/><line class="grid" x1="0" x2="100%" y1="50%" y2="50%"/>
${columnParts(chart, end)}
<line class="base" x1="0" x2="100%" y1="100%" y2="100%"/></svg>
<div class="labels" aria-hidden="true">${columns.map(({ label }, index) => label !== undefined && html`<span style="left:${percent((index + 0.5) / columns.length)}">${label}</span>`)}</div>
</div>
${numbers(chart)}
</figure>`;
};
