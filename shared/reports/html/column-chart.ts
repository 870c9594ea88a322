/**
 * Stacked columns as SVG, with the same numbers as a table. Positions are percentages, so that a chart fits any width.
 * Texts are HTML beside the SVG, so that they keep their size.
 */
import { percent } from "./format.ts";
import { type Content, html, type Markup } from "./markup.ts";

export type ChartPart = {
  name: string;
  /** The colour: a class of the style sheet. */
  tone: "plain" | "muted" | "accent" | "warn" | "bad";
};

export type Column = {
  /** The text under the column; with many columns, most have none. */
  label?: string;
  /** The column's name in the table. */
  name: string;
  /** A value for each part, from the bottom up. */
  values: readonly number[];
  /** Whether it belongs to the report's period; columns before are drawn paler. */
  isMarked?: boolean;
};

export type ColumnChart = {
  /** Unique on its page. */
  id: string;
  title: string;
  /** A sentence for screen readers. */
  summary: string;
  parts: readonly ChartPart[];
  columns: readonly Column[];
  format: (value: number) => string;
  /** The unit of the axis; default: 1. */
  unit?: number;
  /** The heading of the column names in the table. */
  columnName: string;
};

/** The space between columns, as a share of their width. */
const GAP = 0.28;
/** The minimum height of a part, as a share of the chart's height, so that small values are visible. */
const LEAST_HEIGHT = 0.012;

/** An axis ends at one of these, times a power of ten. */
const STEPS = [1, 2, 4, 5, 10];

/** The end of an axis from 0 for some values: a round number whose half is round too. */
export const axisEnd = (values: readonly number[]): number => {
  const greatest = Math.max(0, ...values);
  if (greatest <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(greatest));
  return (STEPS.find((step) => step * power >= greatest) ?? 10) * power;
};

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

/** A chart with its title, legend and table. */
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
